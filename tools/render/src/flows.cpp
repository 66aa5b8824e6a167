#include "egtrace/render/flows.h"

#include <fmt/format.h>

#include <algorithm>

#include "csv.h"
#include "egtrace/base/text.h"
#include "json_parts.h"
#include "style.h"

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

std::string place_of(const FlowGroup& group) { return group.bridge.empty() ? group.node + " datapath" : group.node + " " + group.bridge; }

std::string meaning_text(const explain::FlowMeaning& m, const TextOptions& o) {
  std::string out;
  const std::size_t most = o.verbose ? 0 : 2;
  if (!m.logical_flow.empty()) out += wrap(fmt::format("lflow {} {}: {}", m.datapath, m.stage, m.logical_flow), 4, o.width, most);
  else if (!m.datapath.empty()) out += wrap("datapath " + m.datapath, 4, o.width);
  for (const std::string& row : m.rows) out += wrap(row, 4, o.width, most);
  for (const std::string& object : m.objects) out += wrap(object, 4, o.width, most);
  return out;
}

std::string group_text(const FlowGroup& group, const TextOptions& o, const Style& style) {
  std::string out = style(Tone::heading, wrap(fmt::format("{}: {} of {} flows{}", place_of(group), group.found, group.all,
                                                          group.flows.size() < group.found ? fmt::format(", {} shown", group.flows.size()) : ""),
                                              0, o.width));
  for (const ListedFlow& flow : group.flows) {
    const std::string line = wrap(trim(flow.text), 2, o.width);
    out += flow.highlighted ? style(Tone::doubtful, line) : line;
    if (o.quiet) continue;
    out += style(Tone::faint, meaning_text(flow.meaning, o));
    if (o.verbose) out += style(Tone::faint, wrap(fmt::format("{}:{}", group.dump, flow.from.line), 4, o.width));
  }
  return out;
}

// Columns of numbers, as wide as the widest of each.
std::string sums_text(const std::vector<FlowSum>& sums, const TextOptions& o, const Style& style) {
  std::size_t packets = std::string_view("PACKETS").size(), bytes = std::string_view("BYTES").size(), flows = std::string_view("FLOWS").size();
  for (const FlowSum& sum : sums) {
    packets = std::max(packets, fmt::formatted_size("{}", sum.packets));
    bytes = std::max(bytes, fmt::formatted_size("{}", sum.bytes));
    flows = std::max(flows, fmt::formatted_size("{}", sum.flows));
  }
  std::string out = style(Tone::heading, fmt::format("{:>{}}  {:>{}}  {:>{}}  OF\n", "PACKETS", packets, "BYTES", bytes, "FLOWS", flows));
  for (const FlowSum& sum : sums)
    out += wrap_behind(fmt::format("{:>{}}  {:>{}}  {:>{}}  ", sum.packets, packets, sum.bytes, bytes, sum.flows, flows), sum.key, o.width, o.verbose ? 0 : 3);
  return out;
}

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

Json flow_json(const FlowGroup& group, const ListedFlow& flow, const cluster::Cluster& cluster, const FlowReader& reader) {
  FlowWords words;
  reader.words(flow.text, words);
  const explain::FlowMeaning& m = flow.meaning;
  const Json lflow = m.logical_flow.empty() ? Json(nullptr) : Json{{"uuid", m.uuid}, {"stage", m.stage}, {"text", m.logical_flow}};
  return {{"node", group.node}, {"bridge", text_or_null(group.bridge)}, {"info", section_json(words, Section::info)},
          {"match", section_json(words, Section::match)}, {"actions", actions_json(words)}, {"datapath", text_or_null(m.datapath)},
          {"lflow", lflow}, {"rows", m.rows}, {"objects", m.objects}, {"highlighted", flow.highlighted},
          {"evidence", Json::array({{{"dump", cluster.sources->at(flow.from.source).path}, {"line", flow.from.line}, {"text", std::string(flow.text)}}})}};
}

std::string text_of(const FlowWords& words, std::string_view key) {
  const FlowWord* word = words.find(Section::info, key);
  return word != nullptr ? std::string(word->value) : std::string();
}

std::string csv_line(const FlowGroup& group, const ListedFlow& flow, const FlowReader& reader) {
  FlowWords words;
  reader.words(flow.text, words);
  const explain::FlowMeaning& m = flow.meaning;
  const std::string cells[] = {group.node, group.bridge, text_of(words, "table"), text_of(words, "cookie"), text_of(words, "n_packets"),
                               text_of(words, "n_bytes"), text_of(words, "duration"), std::string(words.match), std::string(words.actions),
                               m.datapath, m.stage, m.logical_flow, fmt::format("{}", fmt::join(m.rows, "; ")),
                               fmt::format("{}", fmt::join(m.objects, "; ")), fmt::format("{}:{}", group.dump, flow.from.line)};
  std::string out;
  for (const std::string& cell : cells) out += (out.empty() ? "" : ",") + csv_cell(cell);
  return out + "\n";
}

}  // namespace

std::string flows_text(const FlowListing& listing, const TextOptions& options) {
  const Style style(options.colour);
  if (!listing.sums.empty()) return sums_text(listing.sums, options, style);
  std::string out;
  for (const FlowGroup& group : listing.groups)
    if (!group.flows.empty()) out += (out.empty() ? "" : "\n") + group_text(group, options, style);
  if (!out.empty()) return out;
  return wrap(listing.dumps == 0 ? "the snapshot has no such dump of flows" : fmt::format("none of the flows of {} dumps is one of these", listing.dumps), 0,
              options.width);
}

std::string flows_json(const FlowListing& listing, const cluster::Cluster& cluster, const FlowReader& reader) {
  Json j = {{"schema", "egtrace.flows/1"}, {"groups", Json::array()}, {"flows", Json::array()}, {"sums", Json::array()}};
  for (const FlowGroup& group : listing.groups) {
    j["groups"].push_back({{"node", group.node}, {"bridge", text_or_null(group.bridge)}, {"dump", group.dump}, {"all", group.all}, {"found", group.found}});
    for (const ListedFlow& flow : group.flows) j["flows"].push_back(flow_json(group, flow, cluster, reader));
  }
  for (const FlowSum& sum : listing.sums)
    j["sums"].push_back({{"key", sum.key}, {"flows", sum.flows}, {"packets", sum.packets}, {"bytes", sum.bytes}});
  return dump_json(j);
}

std::string flows_csv(const FlowListing& listing, const FlowReader& reader) {
  if (!listing.sums.empty()) {
    std::string out = "key,flows,packets,bytes\n";
    for (const FlowSum& sum : listing.sums) out += fmt::format("{},{},{},{}\n", csv_cell(sum.key), sum.flows, sum.packets, sum.bytes);
    return out;
  }
  std::string out = "node,bridge,table,cookie,n_packets,n_bytes,duration,match,actions,datapath,stage,lflow,rows,objects,evidence\n";
  for (const FlowGroup& group : listing.groups)
    for (const ListedFlow& flow : group.flows) out += csv_line(group, flow, reader);
  return out;
}

}  // namespace egt::render
