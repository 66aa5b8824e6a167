#include "egtrace/render/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using explain::LookupMatch;

// What is shown of a long lookup without -v: matches of one kind, uses of one match.
constexpr std::size_t kLong = 12, kMatchesShown = 3, kUsesShown = 5, kUsesShownOfMany = 3;

// A fact that is shown several times is a list.
Json facts_of(const LookupMatch& m) {
  Json facts = Json::object();
  for (const auto& [name, value] : m.facts) {
    if (!facts.contains(name))
      facts[name] = value;
    else if (facts[name].is_array())
      facts[name].push_back(value);
    else
      facts[name] = Json::array({facts[name], value});
  }
  return facts;
}

Json json(const LookupMatch& m) {
  Json uses = Json::array();
  for (const explain::LookupUse& u : m.used_by) uses.push_back({{"what", u.what}, {"evidence", evidence_json(u.evidence)}});
  return {{"kind", m.kind},
          {"name", m.name},
          {"node", m.node.empty() ? Json(nullptr) : Json(m.node)},
          {"facts", facts_of(m)},
          {"evidence", evidence_json(m.evidence)},
          {"used_by", uses}};
}

std::string uses_text(const LookupMatch& m, std::size_t most_uses, const TextOptions& o, const Style& style) {
  const std::size_t shown = o.verbose ? m.used_by.size() : std::min(most_uses, m.used_by.size()), most = o.verbose ? 0 : 3;
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    out += wrap((m.has_lines ? "" : "used by ") + m.used_by[i].what, 4, o.width, most);
    for (const explain::EvidenceLine& e : m.used_by[i].evidence)
      out += style(Tone::faint, wrap(explain::place_of(e), 8, o.width));
  }
  if (const std::size_t more = m.used_by.size() - shown; more > 0)
    out += fmt::format("    and {} more {}{} (-v shows all)\n", more, m.has_lines ? "line" : "use", more == 1 ? "" : "s");
  return out;
}

std::string text_of(const LookupMatch& m, std::size_t most_uses, const TextOptions& o, const Style& style) {
  std::string out =
      style(Tone::heading, wrap(fmt::format("{} {}{}", m.kind, m.name, m.node.empty() ? "" : " on " + m.node), 0, o.width));
  if (o.quiet) return out;
  for (const auto& [name, value] : m.facts) out += wrap(fmt::format("{}: {}", name, value), 4, o.width, o.verbose ? 0 : 3);
  out += uses_text(m, most_uses, o, style);
  for (const explain::EvidenceLine& e : m.evidence) {
    out += style(Tone::faint, wrap(explain::place_of(e), 4, o.width));
    if (o.verbose) out += style(Tone::faint, wrap(e.text, 6, o.width, 5));
  }
  return out;
}

struct KindOfMatches {
  std::string kind;
  std::vector<const LookupMatch*> matches;
};

// In the order in which kinds first appear.
std::vector<KindOfMatches> by_kind(const std::vector<LookupMatch>& matches) {
  std::vector<KindOfMatches> kinds;
  std::map<std::string, std::size_t> places;
  for (const LookupMatch& m : matches) {
    const auto [place, fresh] = places.try_emplace(m.kind, kinds.size());
    if (fresh) kinds.push_back({m.kind, {}});
    kinds[place->second].matches.push_back(&m);
  }
  return kinds;
}

std::string nodes_of(const std::vector<const LookupMatch*>& matches) {
  std::set<std::string> nodes;
  for (const LookupMatch* m : matches)
    if (!m->node.empty()) nodes.insert(m->node);
  if (nodes.empty()) return {};
  return nodes.size() > 3 ? fmt::format(" on {} nodes", nodes.size()) : fmt::format(" on {}", fmt::join(nodes, ", "));
}

std::string kinds_text(const std::vector<KindOfMatches>& kinds, std::size_t count, const TextOptions& o) {
  std::vector<std::string> parts;
  for (const KindOfMatches& k : kinds) parts.push_back(fmt::format("{} ({})", k.kind, k.matches.size()));
  return wrap(fmt::format("{} matches: {}", count, fmt::join(parts, ", ")), 0, o.width);
}

std::string matches_text(const std::vector<LookupMatch>& matches, const TextOptions& o, const Style& style) {
  const bool is_long = matches.size() > kLong, is_cut = is_long && !o.verbose && !o.quiet;
  const std::vector<KindOfMatches> kinds = by_kind(matches);
  std::string out = is_long ? kinds_text(kinds, matches.size(), o) : "";
  for (const KindOfMatches& k : kinds) {
    const std::size_t shown = is_cut ? std::min(kMatchesShown, k.matches.size()) : k.matches.size();
    for (std::size_t i = 0; i < shown; ++i) {
      if (!out.empty() && !o.quiet) out += "\n";
      out += text_of(*k.matches[i], is_long ? kUsesShownOfMany : kUsesShown, o, style);
    }
    if (shown == k.matches.size()) continue;
    const std::vector<const LookupMatch*> rest(k.matches.begin() + static_cast<std::ptrdiff_t>(shown), k.matches.end());
    out += "\n" + style(Tone::heading,
                        wrap(fmt::format("{}: {} more{} (-v shows all)", k.kind, rest.size(), nodes_of(rest)), 0, o.width));
  }
  return out;
}

}  // namespace

std::string lookup_json(const explain::Lookup& result) {
  Json j = {{"schema", "egtrace.lookup/1"}, {"thing", result.term}, {"matches", Json::array()}};
  for (const LookupMatch& m : result.matches) j["matches"].push_back(json(m));
  j["truncated"] = false;
  j["similar"] = result.similar;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string lookup_text(const explain::Lookup& result, const TextOptions& options) {
  const Style style(options.colour);
  if (!result.matches.empty()) return matches_text(result.matches, options, style);
  std::string out = wrap(fmt::format("nothing in the snapshot is called, has or mentions {}", result.term), 0, options.width);
  if (!result.similar.empty()) out += wrap(fmt::format("did you mean {}?", fmt::join(result.similar, ", ")), 0, options.width);
  return out;
}

}  // namespace egt::render
