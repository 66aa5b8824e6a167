// Flows and rules that dropped packets between two dumps of the same thing: what drops now, not what dropped once.
#include <algorithm>
#include <map>
#include <tuple>

#include "egtrace/base/text.h"
#include "triage/checks.h"

namespace egt::assess {
namespace drop_counts_up {

constexpr std::size_t kShown = 5;  // of one pair of dumps, those that counted most

struct Growth {
  Term bridge, table, chain;
  std::uint64_t packets = 0;
  Provenance earlier, later;
  std::uint64_t cookie = 0;  // of a flow
};

// --- flows ---------------------------------------------------------------------------------------------------------
using FlowName = std::tuple<std::uint8_t, std::uint16_t, std::vector<openflow::MatchWord>>;

struct ByMatch {
  bool operator()(const FlowName& a, const FlowName& b) const {
    const auto words = [](const openflow::MatchWord& w) { return std::tuple(w.word, w.value, w.mask); };
    if (std::get<0>(a) != std::get<0>(b)) return std::get<0>(a) < std::get<0>(b);
    if (std::get<1>(a) != std::get<1>(b)) return std::get<1>(a) < std::get<1>(b);
    return std::lexicographical_compare(std::get<2>(a).begin(), std::get<2>(a).end(), std::get<2>(b).begin(),
                                        std::get<2>(b).end(), [&](const auto& x, const auto& y) { return words(x) < words(y); });
  }
};

std::map<FlowName, const openflow::FlowEntry*, ByMatch> drops_of(const openflow::FlowTables& flows) {
  std::map<FlowName, const openflow::FlowEntry*, ByMatch> drops;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    const openflow::FlowEntry& f = flows.flow(i);
    if (!f.use.n_packets || !f.use.duration || openflow::actions_text(f) != "drop") continue;
    const openflow::MatchView match = openflow::match_of(f);
    drops.emplace(FlowName{f.table, f.priority, {match.begin(), match.end()}}, &f);
  }
  return drops;
}

// The age of a flow shows which of its two lines is the later one.
void compare(const openflow::Bridge& read, const openflow::Bridge& other, std::vector<Growth>& out) {
  const auto others = drops_of(*other.flows);
  for (const auto& [name, flow] : drops_of(*read.flows)) {
    const auto copy = others.find(name);
    if (copy == others.end()) continue;
    const openflow::FlowEntry *earlier = flow, *later = copy->second;
    if (*later->use.duration < *earlier->use.duration) std::swap(earlier, later);
    if (*later->use.duration > *earlier->use.duration && *later->use.n_packets > *earlier->use.n_packets)
      out.push_back({read.name,
                     flow->table,
                     {},
                     *later->use.n_packets - *earlier->use.n_packets,
                     earlier->from,
                     later->from,
                     flow->cookie});
  }
}

// --- rules ---------------------------------------------------------------------------------------------------------
bool drops(const netfilter::Rule& rule) {
  return std::any_of(rule.statements.begin(), rule.statements.end(), [](const netfilter::Statement& s) {
    const auto* v = std::get_if<netfilter::VerdictStatement>(&s);
    return v != nullptr &&
           (v->verdict.kind == netfilter::Verdict::Kind::drop || v->verdict.kind == netfilter::Verdict::Kind::reject);
  });
}

// A rule's line without what it has counted: "[1:60] ", "packets 1 bytes 60", the first columns of a listing. Numbers that
// belong to its tests stay.
std::string without_counters(std::string_view line) {
  std::string out;
  std::string_view before;
  for (std::string_view word : split(line, ' ')) {
    word = trim(word);
    const bool number = word.find_first_not_of("0123456789KMGT[]:") == std::string_view::npos;
    const bool counter = number && (out.empty() || before == "packets" || before == "bytes");
    before = word;
    if (!counter) out.append(word).append(" ");
  }
  return out;
}

struct RulePair {
  const netfilter::Chain* chain = nullptr;
  const netfilter::Rule *read = nullptr, *other = nullptr;
};

// Rules with counters at the same place of the same chain, with the same text.
void pair_up(const Facts& f, const netfilter::Ruleset& read, const netfilter::Ruleset& other, std::vector<RulePair>& out) {
  for (const netfilter::Table& table : read.tables)
    for (const netfilter::Table& copy : other.tables) {
      if (table.family != copy.family || table.name != copy.name) continue;
      std::map<std::string_view, const netfilter::Chain*> chains;
      for (const netfilter::Chain& c : copy.chains) chains.emplace(c.name, &c);
      for (const netfilter::Chain& c : table.chains) {
        const auto found = chains.find(c.name);
        if (found == chains.end() || found->second->rules.size() != c.rules.size()) continue;
        for (std::size_t i = 0; i < c.rules.size(); ++i) {
          const netfilter::Rule &a = c.rules[i], &b = found->second->rules[i];
          if (a.packets && b.packets &&
              without_counters(f.cluster.sources->line_text(a.from)) == without_counters(f.cluster.sources->line_text(b.from)))
            out.push_back({&c, &a, &b});
        }
      }
    }
}

// Counters never go down: where some rules counted more and none less, that dump is the later one.
void compare(const std::vector<RulePair>& pairs, std::vector<Growth>& out) {
  const auto more = [&](auto of, auto than) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const RulePair& p) { return *(p.*of)->packets > *(p.*than)->packets; });
  };
  const bool up = more(&RulePair::read, &RulePair::other), down = more(&RulePair::other, &RulePair::read);
  if (up == down) return;
  for (const RulePair& p : pairs) {
    const netfilter::Rule &earlier = up ? *p.other : *p.read, &later = up ? *p.read : *p.other;
    if (*later.packets > *earlier.packets && drops(later))
      out.push_back({{}, {}, p.chain->name, *later.packets - *earlier.packets, earlier.from, later.from, 0});
  }
}

void compare(const Facts& f, const host::Host& read, const host::Host& other, std::vector<Growth>& out) {
  std::vector<RulePair> pairs;
  for (const auto part : {&host::Host::iptables_v4, &host::Host::iptables_v6, &host::Host::iptables_legacy_v4,
                          &host::Host::iptables_legacy_v6, &host::Host::nft})
    if ((read.*part).present && (other.*part).present) pair_up(f, (read.*part).value, (other.*part).value, pairs);
  compare(pairs, out);
}

// What a flow was made for, where the snapshot shows.
const ovn::LogicalFlow* purpose(const cluster::Node& node, std::uint64_t cookie) {
  if (cookie == 0) return nullptr;
  const auto flow = std::find_if(node.ovn.logical_flows.begin(), node.ovn.logical_flows.end(),
                                 [&](const ovn::LogicalFlow& l) { return l.uuid_prefix == cookie; });
  return flow == node.ovn.logical_flows.end() ? nullptr : &*flow;
}

void report(const Facts& f, const cluster::Node& node, std::vector<Growth>& all, Findings& out) {
  std::stable_sort(all.begin(), all.end(), [](const Growth& a, const Growth& b) { return a.packets > b.packets; });
  for (std::size_t i = 0; i < all.size() && i < kShown; ++i) {
    const Growth& g = all[i];
    const ovn::LogicalFlow* made_for = purpose(node, g.cookie);
    const SourceTable& sources = *f.cluster.sources;
    const Terms about{g.bridge,
                      g.table,
                      g.chain,
                      g.packets,
                      sources.path_of(g.earlier.source).str(),
                      sources.path_of(g.later.source).str(),
                      made_for == nullptr ? Term() : Term(made_for->stage),
                      made_for == nullptr ? Term() : Term(made_for->match),
                      i + 1 == kShown ? more(all.size() - std::min(all.size(), kShown)) : Term()};
    out.add(Claim::drop_counts_up, node.name, "", about, {g.earlier, g.later});
  }
}

void run(const Facts& f, Findings& out) {
  for (const cluster::DumpCopy& copy : f.copies) {
    const cluster::Node* node = f.cluster.node(copy.node);
    if (node == nullptr || !copy.content) continue;
    std::vector<Growth> growth;
    for (const openflow::Bridge& other : copy.content->bridges)
      for (const openflow::Bridge& read : node->bridges)
        if (other.flows && read.flows && read.flows_source == copy.read) compare(read, other, growth);
    compare(f, node->host, copy.content->host, growth);
    report(f, *node, growth, out);
  }
}

std::optional<Lack> lacks(const Facts& f) { return lack_if(f.copies.empty(), Lack::second_dumps); }

}  // namespace drop_counts_up

// A note: networks drop what they are to drop all the time.
const Check kDropCountsUp{"drop-counts-up", Severity::note, drop_counts_up::lacks, drop_counts_up::run,
                          Check::Finds::consequence};

}  // namespace egt::assess
