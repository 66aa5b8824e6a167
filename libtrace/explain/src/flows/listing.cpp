#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "egtrace/explain/flows.h"
#include "meanings.h"

namespace egt::explain {
namespace {

using cluster::Node;
using openflow::FlowWord;
using openflow::FlowWords;
using Section = FlowWord::Section;

constexpr std::string_view kDatapathDump = "ovs-appctl dpctl/dump-flows";

// A flow that was asked for; its line is taken apart again when it is shown.
struct Found {
  Provenance from;
  std::string_view text;
  double sorted_by = 0;
};

struct SumOfKey { std::uint64_t flows = 0, packets = 0, bytes = 0; };
using Sums = std::unordered_map<std::string, SumOfKey>;

std::uint64_t counted(const FlowWords& flow, std::string_view of_openflow, std::string_view of_datapath) {
  if (const auto n = number_of(flow, Section::info, of_openflow)) return *n;
  return number_of(flow, Section::info, of_datapath).value_or(0);
}

double sort_value(const FlowWords& flow, const std::string& key) {
  for (const FlowWord& word : flow.words) {
    if (word.key != key) continue;
    if (const auto whole = parse_u64(word.value)) return static_cast<double>(*whole);
    return std::strtod(std::string(word.value).c_str(), nullptr);   // "12.3s"
  }
  return -1;
}

class Listing {
 public:
  Listing(const cluster::Cluster& cluster, const FlowQuery& query, const FlowReader& reader)
      : cluster_(cluster), query_(query), reader_(reader), meanings_(cluster) {}

  void add_dump(const Node& node, const std::string& bridge, SourceId source) {
    ++out_.dumps;
    FlowGroup group{node.name, bridge, cluster_.sources->at(source).path, 0, 0, {}};
    std::vector<Found> found;
    for_each_flow(source, [&](const Found& flow, const FlowWords& words) {
      ++group.all;
      if (!is_asked_for(words)) return;
      ++group.found;
      if (query_.by != FlowSumKey::none) return add_to_sums(node, bridge, words);
      found.push_back(flow);
      if (!query_.sort.empty()) found.back().sorted_by = sort_value(words, query_.sort);
    });
    if (group.found == 0) return;
    sort(found);
    if (query_.top && found.size() > *query_.top) found.resize(*query_.top);
    for (const Found& flow : found) group.flows.push_back(shown(node, flow));
    out_.groups.push_back(std::move(group));
  }

  FlowListing take() {
    for (auto& [key, sum] : sums_) out_.sums.push_back({key, sum.flows, sum.packets, sum.bytes});
    std::sort(out_.sums.begin(), out_.sums.end(), [](const FlowSum& a, const FlowSum& b) {
      return std::tie(b.packets, b.flows, a.key) < std::tie(a.packets, a.flows, b.key);
    });
    if (query_.top && out_.sums.size() > *query_.top) out_.sums.resize(*query_.top);
    return std::move(out_);
  }

 private:
  void for_each_flow(SourceId id, const std::function<void(const Found&, const FlowWords&)>& use) const {
    const Source& source = cluster_.sources->at(id);
    FlowWords words;
    std::uint32_t line = source.first_line;
    for (std::size_t at = 0; at < source.text.size(); ++line) {
      const std::size_t end = std::min(source.text.find('\n', at), source.text.size());
      const std::string_view text = source.text.substr(at, end - at);
      if (reader_.words(text, words)) use({{id, line}, text}, words);
      at = end + 1;
    }
  }

  bool is_asked_for(const FlowWords& flow) const {
    if (query_.table) {
      const FlowWord* table = flow.find(Section::info, "table");
      if ((table != nullptr ? table->value : "0") != *query_.table) return false;
    }
    return !query_.filter || passes(*query_.filter, flow, reader_);
  }

  void sort(std::vector<Found>& found) const {
    if (query_.sort.empty()) return;
    std::stable_sort(found.begin(), found.end(), [&](const Found& a, const Found& b) {
      return query_.ascending ? a.sorted_by < b.sorted_by : a.sorted_by > b.sorted_by;
    });
  }

  ListedFlow shown(const Node& node, const Found& flow) const {
    FlowWords words;
    reader_.words(flow.text, words);
    const bool highlighted = query_.highlight && passes(*query_.highlight, words, reader_);
    return {flow.from, flow.text, highlighted, query_.datapath ? FlowMeaning{} : meanings_.of(node, words)};
  }

  void add_to_sums(const Node& node, const std::string& bridge, const FlowWords& flow) {
    for (const std::string& key : keys_of(node, bridge, flow)) {
      SumOfKey& sum = sums_[key];
      ++sum.flows;
      sum.packets += counted(flow, "n_packets", "packets");
      sum.bytes += counted(flow, "n_bytes", "bytes");
    }
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
  Listing listing(cluster, query, reader);
  for (const auto& node : cluster.nodes) {
    if (!query.node.empty() && node.name() != query.node) continue;
    if (query.datapath) {
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
