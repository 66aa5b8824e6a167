// Lists of flows as JSON (docs/schema/flows.schema.json) and CSV.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "csv.h"
#include "egtrace/base/text.h"
#include "egtrace/render/flows.h"
#include "flow_words.h"
#include "json_parts.h"

namespace egt::render {
namespace {

using explain::FlowGroup;
using explain::FlowListing;
using explain::FlowReader;
using explain::FlowSum;
using explain::ListedFlow;
using openflow::FlowWord;
using openflow::FlowWords;
using Section = FlowWord::Section;

// A number where it is one, else as the dump has it; true for flags.
Json value_json(const FlowWord& word) {
  if (!word.has_value) return true;
  if (const auto number = parse_u64(word.value)) return *number;
  return std::string(word.value);
}

Json section_json(const FlowWords& words, Section section) {
  Json all = Json::object();
  for (const FlowWord& word : words.words)
    if (word.section == section) all[std::string(word.key)] = value_json(word);
  return all;
}

Json actions_json(const FlowWords& words) {
  Json all = Json::array();
  for (const FlowWord& word : words.words)
    if (word.section == Section::actions) all.push_back(Json::object({{std::string(word.key), value_json(word)}}));
  return all;
}

Json rate_json(const explain::FlowRate& rate) { return {{"packets", rate.packets}, {"bytes", rate.bytes}}; }

// What the other dump has of it.
Json other_json(const ListedFlow& flow, const explain::ComparedDump& compared) {
  if (!flow.other) return nullptr;
  return {{"packets", flow.other->packets}, {"bytes", flow.other->bytes}, {"dump", compared.dump}, {"line", flow.other_line}};
}

Json compared_json(const explain::ComparedDump& c) {
  Json gone = Json::array();
  for (const explain::GoneFlow& flow : c.there_alone)
    gone.push_back({{"dump", c.dump}, {"line", flow.line}, {"text", std::string(flow.text)}});
  return {{"dump", c.dump},
          {"seconds", c.basis == explain::IntervalBasis::none ? Json(nullptr) : Json(c.seconds)},
          {"basis", basis_name(c.basis)},
          {"at_least", c.at_least},
          {"counted", c.counted},
          {"here_alone", c.here_alone},
          {"anew", c.anew},
          {"backwards", c.backwards},
          {"ambiguous", c.ambiguous},
          {"undecided", c.undecided},
          {"there_alone", gone}};
}

Json flow_json(const FlowGroup& group, const ListedFlow& flow, const cluster::Cluster& cluster, const FlowReader& reader) {
  FlowWords words;
  reader.words(flow.text, words);
  const explain::FlowMeaning& m = flow.meaning;
  const Json lflow =
      m.logical_flow.empty() ? Json(nullptr) : Json{{"uuid", m.uuid}, {"stage", m.stage}, {"text", m.logical_flow}};
  Json j = {{"node", group.node},
            {"bridge", text_or_null(group.bridge)},
            {"info", section_json(words, Section::info)},
            {"match", section_json(words, Section::match)},
            {"actions", actions_json(words)},
            {"datapath", text_or_null(m.datapath)},
            {"lflow", lflow},
            {"rows", m.rows},
            {"objects", m.objects},
            {"highlighted", flow.highlighted},
            {"evidence", Json::array({{{"dump", cluster.sources->path_of(flow.from.source)},
                                       {"line", flow.from.line},
                                       {"text", std::string(flow.text)}}})}};
  if (!group.compared) return j;
  j["change"] = change_name(flow.change);
  j["rate"] = flow.rate ? rate_json(*flow.rate) : Json(nullptr);
  j["other"] = other_json(flow, *group.compared);
  return j;
}

// Of each flow of the group, those that recirculate to it, counted from `first`.
std::vector<Json> parents_json(const FlowGroup& group, std::size_t first) {
  std::vector<Json> all(group.flows.size(), Json::array());
  constexpr std::size_t kMost = 100;  // of one flow: all of many thousands with one input port may lead to it
  for (const explain::RecirculationBlock& block : group.blocks)
    for (const std::size_t flow : block.flows)
      for (const std::size_t parent : block.parents)
        if (all[flow].size() < kMost)
          all[flow].push_back(first + parent);
        else
          break;
  return all;
}

void add_tree(const FlowGroup& group, std::size_t first, Json& flows) {
  const std::vector<Json> parents = parents_json(group, first);
  for (std::size_t i = 0; i < group.flows.size(); ++i) {
    Json& flow = flows[first + i];
    flow["id"] = first + i;
    flow["recirc_id"] = group.flows[i].recirc_id;
    flow["parents"] = parents[i];
    flow["recirculates_to"] = Json::array();
    for (const std::size_t b : group.flows[i].recirculates_to) {
      const explain::RecirculationBlock& block = group.blocks[b];
      flow["recirculates_to"].push_back({{"recirc_id", block.id}, {"flows", block.flows.size()}, {"all", block.all}});
    }
  }
}

Json sum_json(const FlowSum& sum, const FlowListing& listing) {
  const bool logical = listing.kind == explain::FlowKind::logical;
  Json j = {{"key", sum.key},
            {"flows", sum.flows},
            {"packets", logical ? Json(nullptr) : Json(sum.packets)},
            {"bytes", logical ? Json(nullptr) : Json(sum.bytes)}};
  if (!listing.has_rates) return j;
  j["rate"] = sum.rated > 0 ? rate_json(sum.rate) : Json(nullptr);
  j["rated"] = sum.rated;
  return j;
}

std::string_view kind_of(const FlowListing& listing) {
  switch (listing.kind) {
    case explain::FlowKind::openflow: return "openflow";
    case explain::FlowKind::datapath: return "datapath";
    case explain::FlowKind::logical: return "logical";
  }
  return {};
}

std::string text_of(const FlowWords& words, std::string_view key) {
  const FlowWord* word = words.find(Section::info, key);
  return word != nullptr ? std::string(word->value) : std::string();
}

// A number that OpenFlow and the datapath call otherwise.
std::string text_of(const FlowWords& words, std::string_view key, std::string_view of_datapath) {
  std::string text = text_of(words, key);
  return text.empty() ? text_of(words, of_datapath) : text;
}

std::string csv_line(const FlowGroup& group, const ListedFlow& flow, const FlowReader& reader) {
  FlowWords words;
  reader.words(flow.text, words);
  const explain::FlowMeaning& m = flow.meaning;
  const std::string cells[] = {group.node,
                               group.bridge,
                               text_of(words, "table"),
                               text_of(words, "cookie"),
                               text_of(words, "n_packets", "packets"),
                               text_of(words, "n_bytes", "bytes"),
                               text_of(words, "duration"),
                               std::string(words.match),
                               std::string(words.actions),
                               m.datapath,
                               m.stage,
                               m.logical_flow,
                               fmt::format("{}", fmt::join(m.rows, "; ")),
                               fmt::format("{}", fmt::join(m.objects, "; ")),
                               fmt::format("{}:{}", group.dump, flow.from.line),
                               flow.rate ? fmt::format("{:.3f}", flow.rate->packets) : "",
                               flow.rate ? fmt::format("{:.3f}", flow.rate->bytes) : "",
                               std::string(change_name(flow.change))};
  std::string out;
  for (bool first = true; const std::string& cell : cells) out += (std::exchange(first, false) ? "" : ",") + csv_cell(cell);
  return out + "\n";
}

std::string sum_line(const FlowSum& sum, const FlowListing& listing) {
  std::string out = fmt::format("{},{},", csv_cell(sum.key), sum.flows);
  out += listing.kind == explain::FlowKind::logical ? "," : fmt::format("{},{}", sum.packets, sum.bytes);
  if (listing.has_rates)
    out += sum.rated == 0 ? ",,,0" : fmt::format(",{:.3f},{:.3f},{}", sum.rate.packets, sum.rate.bytes, sum.rated);
  return out + "\n";
}

}  // namespace

std::string flows_json(const FlowListing& listing, const cluster::Cluster& cluster, const FlowReader& reader) {
  Json j = {{"schema", "egtrace.flows/1"},
            {"of", kind_of(listing)},
            {"groups", Json::array()},
            {"flows", Json::array()},
            {"sums", Json::array()}};
  for (const FlowGroup& group : listing.groups) {
    Json one = {{"node", group.node},
                {"bridge", text_or_null(group.bridge)},
                {"dump", group.dump},
                {"all", group.all},
                {"found", group.found}};
    if (group.compared) one["compared"] = compared_json(*group.compared);
    j["groups"].push_back(std::move(one));
    const std::size_t first = j["flows"].size();
    for (const ListedFlow& flow : group.flows) j["flows"].push_back(flow_json(group, flow, cluster, reader));
    if (listing.kind == explain::FlowKind::datapath) add_tree(group, first, j["flows"]);
  }
  for (const FlowSum& sum : listing.sums) j["sums"].push_back(sum_json(sum, listing));
  return dump_json(j);
}

std::string flows_csv(const FlowListing& listing, const FlowReader& reader) {
  if (!listing.sums.empty()) {
    std::string out =
        fmt::format("key,flows,packets,bytes{}\n", listing.has_rates ? ",packets_per_second,bytes_per_second,rated" : "");
    for (const FlowSum& sum : listing.sums) out += sum_line(sum, listing);
    return out;
  }
  std::string out =
      "node,bridge,table,cookie,n_packets,n_bytes,duration,match,actions,datapath,stage,lflow,rows,objects,evidence,packets_per_"
      "second,bytes_per_second,change\n";
  for (const FlowGroup& group : listing.groups)
    for (const ListedFlow& flow : group.flows) out += csv_line(group, flow, reader);
  return out;
}

}  // namespace egt::render
