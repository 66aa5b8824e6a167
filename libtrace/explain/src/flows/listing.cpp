#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "egtrace/explain/flows.h"
#include "flows/counterpart.h"
#include "flows/flow_lines.h"
#include "flows/logical.h"
#include "flows/meanings.h"
#include "flows/other_dump.h"
#include "flows/recirculation_tree.h"

namespace egt::explain {
namespace {

using cluster::Node;
using openflow::FlowWord;
using openflow::FlowWords;
using Section = FlowWord::Section;

// A flow that was asked for; its line is taken apart again when it is shown.
struct SelectedFlow {
  Provenance from;
  std::string_view text;
  double sorted_by = 0;
};

using Sums = std::unordered_map<std::string, FlowSum>;

double sort_value(const FlowWords& flow, std::string_view key) {
  for (const FlowWord& word : flow.words) {
    if (word.key != key) continue;
    if (const auto whole = parse_u64(word.value)) return static_cast<double>(*whole);
    return std::strtod(std::string(word.value).c_str(), nullptr);  // "12.3s"
  }
  return -1;
}

void add(const FlowCounters& counters, const std::optional<FlowRate>& rate, FlowSum& sum) {
  ++sum.flows;
  sum.packets += counters.packets;
  sum.bytes += counters.bytes;
  if (!rate) return;
  ++sum.rated;
  sum.rate.packets += rate->packets;
  sum.rate.bytes += rate->bytes;
}

void count(FlowChange change, ComparedDump& compared) {
  switch (change) {
    case FlowChange::none: break;
    case FlowChange::counted: ++compared.counted; break;
    case FlowChange::here_alone: ++compared.here_alone; break;
    case FlowChange::anew: ++compared.anew; break;
    case FlowChange::backwards: ++compared.backwards; break;
    case FlowChange::ambiguous: ++compared.ambiguous; break;
    case FlowChange::undecided: ++compared.undecided; break;
  }
}

class Listing {
 public:
  Listing(const cluster::Cluster& cluster, const FlowQuery& query, const FlowReader& reader)
      : cluster_(cluster), query_(query), reader_(reader), meanings_(cluster) {}

  void add_dump(const Node& node, const std::string& bridge, SourceId source) {
    ++out_.dumps;
    const Source& listed = cluster_.sources->at(source);
    FlowGroup group;
    group.node = node.name;
    group.bridge = bridge;
    group.dump = listed.path;
    compare(node, bridge, source, group);
    std::vector<SelectedFlow> found;
    Sums tables;
    for_each_flow(listed, reader_, [&](std::uint32_t line, std::string_view text, const FlowWords& words) {
      ++group.all;
      if (!is_asked_for(words)) return;
      ++group.found;
      const OtherDump::Change change = change_of(words);
      if (group.compared) count(change.change, *group.compared);
      if (query_.by != FlowSumKey::none) return add_to_sums(node, bridge, words, change.rate);
      if (query_.kind == FlowKind::openflow) add(counters_of(words), change.rate, table(tables, group, words));
      found.push_back({{source, line}, text, sorted_by(words, change)});
    });
    if (group.compared) add_gone(*group.compared);
    if (group.found == 0 && (!group.compared || group.compared->there_alone.empty())) return;
    show(node, found, group);
    for (FlowTableCount& one : group.tables) {
      const FlowSum& sum = tables[one.table];
      one.flows = sum.flows;
      one.counters = {sum.packets, sum.bytes};
      one.rate = sum.rate;
      one.rated = sum.rated;
    }
    out_.groups.push_back(std::move(group));
  }

  FlowListing take() {
    out_.kind = query_.kind;
    out_.busiest = query_.busiest && query_.sort.empty();
    for (auto& [key, sum] : sums_) {
      sum.key = key;
      out_.sums.push_back(std::move(sum));
    }
    const bool by_rate = query_.sort == kRateKey;
    std::sort(out_.sums.begin(), out_.sums.end(), [&](const FlowSum& a, const FlowSum& b) {
      if (by_rate && a.rate.packets != b.rate.packets) return a.rate.packets > b.rate.packets;
      return std::tie(b.packets, b.flows, a.key) < std::tie(a.packets, a.flows, b.key);
    });
    cut(out_.sums);
    return std::move(out_);
  }

 private:
  template <class T>
  void cut(std::vector<T>& all) const {
    if (query_.top && all.size() > *query_.top) all.resize(*query_.top);
  }

  FlowSum& table(Sums& tables, FlowGroup& group, const FlowWords& words) const {
    const FlowWord* word = words.find(Section::info, "table");
    const auto [at, is_new] = tables.try_emplace(word != nullptr ? std::string(word->value) : "0");
    if (is_new) group.tables.push_back({at->first, 0, {}, {}, 0});
    return at->second;
  }

  // --- the other dump

  void compare(const Node& node, const std::string& bridge, SourceId source, FlowGroup& group) {
    other_.reset();
    const auto counterpart = find_counterpart(cluster_, query_, node, bridge, source);
    if (!counterpart) return;
    other_ = std::make_unique<OtherDump>(counterpart->name, counterpart->source, cluster_.sources->at(source), counterpart->times,
                                         reader_);
    const ComparedDump& compared = other_->comparison();
    // One of the same moment, that was not asked for, is another spelling of the same flows, as a rule.
    constexpr double kOneMoment = 1;  // seconds
    const bool is_of_another_time = compared.basis != IntervalBasis::none && std::abs(compared.seconds) >= kOneMoment;
    if (query_.since.cluster == nullptr && !is_of_another_time) return other_.reset();
    group.compared = compared;
    out_.has_rates = true;
  }

  OtherDump::Change change_of(const FlowWords& words) const {
    if (other_ == nullptr) return {FlowChange::none, std::nullopt, std::nullopt, 0};
    return other_->of(words);
  }

  void add_gone(ComparedDump& compared) const {
    FlowWords words;
    other_->for_each_gone([&](const GoneFlow& flow) {
      if (reader_.words(flow.text, words) && is_asked_for(words)) compared.there_alone.push_back(flow);
    });
    std::sort(compared.there_alone.begin(), compared.there_alone.end(),
              [](const GoneFlow& a, const GoneFlow& b) { return a.line < b.line; });
  }

  // --- the flows

  bool is_asked_for(const FlowWords& flow) const {
    if (query_.table) {
      const FlowWord* table = flow.find(Section::info, "table");
      if ((table != nullptr ? table->value : "0") != *query_.table) return false;
    }
    return !query_.filter || passes(*query_.filter, flow, reader_);
  }

  double sorted_by(const FlowWords& words, const OtherDump::Change& change) const {
    if (query_.sort == kRateKey) return change.rate ? change.rate->packets : -1;
    if (query_.sort.empty()) return query_.busiest ? static_cast<double>(counters_of(words).packets) : 0;
    return sort_value(words, query_.sort);
  }

  void show(const Node& node, std::vector<SelectedFlow>& found, FlowGroup& group) const {
    if (!query_.sort.empty()) sort(found, query_.ascending);
    if (query_.kind == FlowKind::datapath) return show_tree(node, found, group);
    if (query_.busiest && query_.sort.empty() && query_.top && found.size() > *query_.top) {
      sort(found, false);
      cut(found);
      std::sort(found.begin(), found.end(), [](const SelectedFlow& a, const SelectedFlow& b) { return a.from < b.from; });
    }
    cut(found);
    for (const SelectedFlow& flow : found) group.flows.push_back(shown(node, flow));
  }

  static void sort(std::vector<SelectedFlow>& found, bool ascending) {
    std::stable_sort(found.begin(), found.end(), [&](const SelectedFlow& a, const SelectedFlow& b) {
      return ascending ? a.sorted_by < b.sorted_by : a.sorted_by > b.sorted_by;
    });
  }

  void show_tree(const Node& node, const std::vector<SelectedFlow>& found, FlowGroup& group) const {
    std::map<Provenance, std::size_t> by_place;
    for (std::size_t i = 0; i < node.datapath.flows.size(); ++i) by_place.emplace(node.datapath.flows[i].from, i);
    std::vector<std::size_t> places;
    std::vector<const SelectedFlow*> flows;
    for (const SelectedFlow& flow : found)
      if (const auto at = by_place.find(flow.from); at != by_place.end()) {
        places.push_back(at->second);
        flows.push_back(&flow);
      }
    RecirculationTree tree = recirculation_tree(node.datapath, places, query_.top);
    for (std::size_t i = 0; i < tree.shown.size(); ++i) {
      ListedFlow& flow = group.flows.emplace_back(shown(node, *flows[tree.shown[i]]));
      flow.recirc_id = node.datapath.flows[places[tree.shown[i]]].recirc_id;
      flow.is_reached = tree.is_reached[i];
      flow.recirculates_to = std::move(tree.recirculates_to[i]);
    }
    group.blocks = std::move(tree.blocks);
  }

  ListedFlow shown(const Node& node, const SelectedFlow& flow) const {
    FlowWords words;
    reader_.words(flow.text, words);
    const OtherDump::Change change = change_of(words);
    ListedFlow listed;
    listed.from = flow.from;
    listed.text = flow.text;
    listed.highlighted = query_.highlight && passes(*query_.highlight, words, reader_);
    if (query_.kind == FlowKind::openflow) listed.meaning = meanings_.of(node, words);
    listed.counters = counters_of(words);
    listed.change = change.change;
    listed.rate = change.rate;
    listed.other = change.other;
    listed.other_line = change.other_line;
    return listed;
  }

  // --- sums

  void add_to_sums(const Node& node, const std::string& bridge, const FlowWords& flow, const std::optional<FlowRate>& rate) {
    for (const std::string& key : keys_of(node, bridge, flow)) add(counters_of(flow), rate, sums_[key]);
  }

  std::vector<std::string> keys_of(const Node& node, const std::string& bridge, const FlowWords& flow) const {
    const FlowWord* table = flow.find(Section::info, "table");
    const FlowWord* cookie = flow.find(Section::info, "cookie");
    switch (query_.by) {
      case FlowSumKey::none: return {};
      case FlowSumKey::table: {
        const std::string stage = meanings_.of(node, flow).stage;
        return {fmt::format("{} table {}{}{}", bridge, table != nullptr ? table->value : "0", stage.empty() ? "" : " ", stage)};
      }
      case FlowSumKey::cookie: return {cookie != nullptr ? std::string(cookie->value) : "0x0"};
      case FlowSumKey::acl: return meanings_.acls(node, flow);
      default: break;
    }
    const FlowMeaning meaning = meanings_.of(node, flow);
    if (query_.by == FlowSumKey::object) return meaning.objects;
    const std::string& key = query_.by == FlowSumKey::datapath ? meaning.datapath : meaning.logical_flow;
    if (key.empty()) return {};
    return {query_.by == FlowSumKey::datapath ? key : fmt::format("{} {}: {}", meaning.datapath, meaning.stage, key)};
  }

  const cluster::Cluster& cluster_;
  const FlowQuery& query_;
  const FlowReader& reader_;
  FlowMeanings meanings_;
  std::unique_ptr<OtherDump> other_;  // of the dump that is listed; null: there is none
  Sums sums_;
  FlowListing out_;
};

void add_datapath_dumps(const cluster::Cluster& cluster, const Node& node, Listing& listing) {
  for (const std::size_t i : node.dumps) {
    const cluster::DumpInfo& dump = cluster.dumps[i];
    if (dump.kind == kDatapathDump && dump.superseded_by.empty()) listing.add_dump(node, "", dump.source);
  }
}

}  // namespace

FlowListing list_flows(const cluster::Cluster& cluster, const FlowQuery& query, const FlowReader& reader) {
  if (query.kind == FlowKind::logical) return count_logical_flows(cluster, query);
  Listing listing(cluster, query, reader);
  for (const auto& node : cluster.nodes) {
    if (!query.node.empty() && node.name() != query.node) continue;
    if (query.kind == FlowKind::datapath) {
      add_datapath_dumps(cluster, *node, listing);
      continue;
    }
    for (const openflow::Bridge& bridge : node->bridges)
      if (bridge.flows_source != kNoSource && !bridge.presumed && (query.bridge.empty() || bridge.name == query.bridge))
        listing.add_dump(*node, bridge.name, bridge.flows_source);
  }
  return listing.take();
}

}  // namespace egt::explain
