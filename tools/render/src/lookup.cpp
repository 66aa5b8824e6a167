#include "egtrace/render/lookup.h"

#include <fmt/format.h>

#include <algorithm>

#include "style.h"
#include "json_parts.h"

namespace egt::render {
namespace {

using explain::LookupMatch;

constexpr std::size_t kUsesShown = 5;

// A fact that is told several times is a list.
Json facts_of(const LookupMatch& m) {
  Json facts = Json::object();
  for (const auto& [name, value] : m.facts) {
    if (!facts.contains(name)) facts[name] = value;
    else if (facts[name].is_array()) facts[name].push_back(value);
    else facts[name] = Json::array({facts[name], value});
  }
  return facts;
}

Json json(const LookupMatch& m) {
  Json uses = Json::array();
  for (const explain::LookupUse& u : m.used_by) uses.push_back({{"what", u.what}, {"evidence", evidence_json(u.evidence)}});
  return {{"kind", m.kind}, {"name", m.name}, {"node", m.node.empty() ? Json(nullptr) : Json(m.node)},
          {"facts", facts_of(m)}, {"evidence", evidence_json(m.evidence)}, {"used_by", uses}};
}

std::string text_of(const LookupMatch& m, const TextOptions& o, const Style& style) {
  std::string out = style(
      Tone::heading, wrap(fmt::format("{} {}{}", m.kind, m.name, m.node.empty() ? "" : " on " + m.node), 0, o.width));
  if (o.quiet) return out;
  const std::size_t most = o.verbose ? 0 : 3;
  for (const auto& [name, value] : m.facts) out += wrap(fmt::format("{}: {}", name, value), 4, o.width, most);
  const std::size_t shown = o.verbose ? m.used_by.size() : std::min(kUsesShown, m.used_by.size());
  for (std::size_t i = 0; i < shown; ++i) {
    out += wrap("used by " + m.used_by[i].what, 4, o.width, most);
    for (const explain::EvidenceLine& e : m.used_by[i].evidence)
      out += style(Tone::faint, wrap(explain::place_of(e), 8, o.width));
  }
  if (shown < m.used_by.size()) out += fmt::format("    and {} more uses (-v shows them)\n", m.used_by.size() - shown);
  for (const explain::EvidenceLine& e : m.evidence) {
    out += style(Tone::faint, wrap(explain::place_of(e), 4, o.width));
    if (o.verbose) out += style(Tone::faint, wrap(e.text, 6, o.width, 5));
  }
  return out;
}

}  // namespace

std::string lookup_json(const explain::Lookup& result) {
  Json j = {{"schema", "egtrace.lookup/1"}, {"thing", result.thing}, {"matches", Json::array()}};
  for (const LookupMatch& m : result.matches) j["matches"].push_back(json(m));
  j["truncated"] = result.truncated;
  j["similar"] = result.similar;
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string lookup_text(const explain::Lookup& result, const TextOptions& options) {
  const Style style(options.colour);
  std::string out;
  for (const LookupMatch& m : result.matches) out += (out.empty() ? "" : "\n") + text_of(m, options, style);
  if (result.truncated) out += "\nThere is more; give a longer part of the name.\n";
  if (!result.matches.empty()) return out;
  out = wrap(fmt::format("nothing in the snapshot is called, has or mentions {}", result.thing), 0, options.width);
  if (!result.similar.empty())
    out += wrap(fmt::format("did you mean {}?", fmt::join(result.similar, ", ")), 0, options.width);
  return out;
}

}  // namespace egt::render
