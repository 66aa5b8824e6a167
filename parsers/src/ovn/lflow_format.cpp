// `ovn-sbctl lflow-list` (also called dump-flows): recognition, reprint, JSON and model.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "ovn/formats.h"
#include "ovn/lflow_line.h"
#include "ovsdb/load.h"
#include "support/lines.h"

namespace egt::parsers::ovn_text {
namespace {

using Json = nlohmann::ordered_json;
using Kind = LflowLine::Kind;

void count(const Line& line, const LflowLine& parsed, LineReport& report) {
  switch (parsed.kind) {
    case Kind::datapath:
    case Kind::flow: return report.understood();
    case Kind::blank:
    case Kind::aside: return report.ignored();
    case Kind::unknown: return report.not_understood(line, parsed.column, parsed.problem);
  }
}

Recognition recognise(const Dump& dump) {
  if (is_blank_dump(dump)) return {command_has(dump, "ovn-sbctl lflow-list") ? 60 : 0, "logical flows", 1};
  unsigned flows = 0, datapaths = 0, others = 0, uuids = 0;
  LineReader reader(dump);
  Line line;
  for (unsigned n = 0; n < 60 && reader.next(line); ++n) {
    const LflowLine parsed = parse_lflow_line(line.text);
    flows += parsed.kind == Kind::flow;
    datapaths += parsed.kind == Kind::datapath;
    others += parsed.kind == Kind::unknown;
    uuids += !parsed.flow.uuid.empty();
  }
  Recognition how;
  if (flows + datapaths == 0 || others > flows + datapaths) return how;
  how.confidence = datapaths > 0 ? 98 : 92;
  const std::string argument = argument_after(dump, "lflow-list");
  how.topic = argument.empty() ? "logical flows" : "logical flows of " + argument;
  if (dump.partial) how.topic = fmt::format("logical flows excerpt {}:{}", dump.path, dump.first_line);
  how.quality = dump.partial ? 1 : uuids > 0 ? 3 : 2;
  return how;
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  reprint_lines(dump, out, report, [](const Line& line, std::string& canonical, LineReport& lines) {
    const LflowLine parsed = parse_lflow_line(line.text);
    count(line, parsed, lines);
    print_lflow_line(parsed, canonical);
    return parsed.kind == Kind::datapath || parsed.kind == Kind::flow;
  });
}

Json json_of(const FlowLine& flow) {
  Json j = Json::object();
  if (!flow.uuid.empty()) j["uuid"] = fmt::format("0x{}", flow.uuid);
  if (flow.table) j["table"] = *flow.table;
  j["stage"] = flow.stage;
  j["priority"] = flow.priority;
  j["match"] = flow.match;
  j["actions"] = flow.actions;
  return j;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json doc{{"pipelines", Json::array()}};
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    const LflowLine parsed = parse_lflow_line(line.text);
    count(line, parsed, lines);
    if (parsed.kind == Kind::datapath) {
      const DatapathLine& d = parsed.datapath;
      Json pipeline{{"datapath", d.name}, {"uuid", d.uuid}, {"pipeline", d.ingress ? "ingress" : "egress"}};
      if (!d.name2.empty()) pipeline["aka"] = d.name2;
      pipeline["flows"] = Json::array();
      doc["pipelines"].push_back(std::move(pipeline));
    } else if (parsed.kind == Kind::flow) {
      if (doc["pipelines"].empty()) doc["pipelines"].push_back(Json{{"flows", Json::array()}});
      doc["pipelines"].back()["flows"].push_back(json_of(parsed.flow));
    }
  }
  append_json(doc.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

std::string_view name_of(const DatapathLine& d) { return !d.name.empty() ? d.name : !d.name2.empty() ? d.name2 : d.uuid; }

ovn::LogicalFlow flow_of(const FlowLine& line, Provenance from) {
  ovn::LogicalFlow flow;
  flow.table = line.table.value_or(0);
  flow.stage = line.stage;
  flow.priority = line.priority;
  flow.match = line.match;
  flow.actions = line.actions;
  flow.uuid = line.uuid;
  if (const auto prefix = parse_hex(line.uuid.substr(0, 8))) flow.uuid_prefix = static_cast<std::uint32_t>(*prefix);
  flow.from = from;
  return flow;
}

// A pipeline that is there already (of a list of one datapath beside the list of all) is shown once: by the dump that has
// UUIDs, or else by the first.
using Pipeline = std::pair<std::string_view, bool>;
void merge_flows(std::vector<ovn::LogicalFlow>& known, std::vector<ovn::LogicalFlow> more) {
  std::map<Pipeline, bool> uuids_known, uuids_more;
  for (const ovn::LogicalFlow& f : known) uuids_known[{f.datapath, f.ingress}] |= !f.uuid.empty();
  for (const ovn::LogicalFlow& f : more) uuids_more[{f.datapath, f.ingress}] |= !f.uuid.empty();
  const auto is_better = [&](const ovn::LogicalFlow& f, const auto& mine, const auto& other, bool on_tie) {
    const auto it = other.find({f.datapath, f.ingress});
    if (it == other.end() || f.datapath.empty()) return true;
    const bool here = mine.at({f.datapath, f.ingress});
    return here != it->second ? here : on_tie;
  };
  std::erase_if(known, [&](const ovn::LogicalFlow& f) { return !is_better(f, uuids_known, uuids_more, true); });
  std::erase_if(more, [&](const ovn::LogicalFlow& f) { return !is_better(f, uuids_more, uuids_known, false); });
  known.insert(known.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// What a logical flow does, whatever its UUID.
using Content = std::tuple<bool, std::uint8_t, std::uint16_t, std::string_view, std::string_view>;
Content content_of(const ovn::LogicalFlow& f) { return {f.ingress, f.table, f.priority, f.match, f.actions}; }

using Contents = std::map<std::string_view, std::set<Content>>;  // by datapath
Contents contents_of(const ovn::Ovn& ovn) {
  Contents all;
  for (const ovn::LogicalFlow& f : ovn.logical_flows)
    for (const std::string_view datapath : ovn::datapaths_of(ovn, f)) all[datapath].insert(content_of(f));
  return all;
}

std::string words_of(const ovn::LogicalFlow& f) {
  return fmt::format("{} priority {} match ({})", f.stage, f.priority, f.match.substr(0, 80));
}

// Beside a database, a list is a second witness, taken at another moment: what only it has is added, and reported; so is what
// it lacks of the pipelines that it shows.
void compare_flows(const Dump& dump, ovn::Ovn& ovn, std::vector<ovn::LogicalFlow> listed, Report& report) {
  const Contents stored = contents_of(ovn);
  std::map<std::string_view, std::set<Content>> seen;
  std::vector<ovn::LogicalFlow> only_here;
  for (const ovn::LogicalFlow& f : listed) {
    seen[f.datapath].insert(content_of(f));
    const auto at = stored.find(f.datapath);
    if (at == stored.end() || !at->second.contains(content_of(f))) only_here.push_back(f);
  }
  std::size_t missing = 0;
  for (const auto& [datapath, all] : seen)
    if (const auto at = stored.find(datapath); at != stored.end())
      for (const Content& one : at->second) missing += !all.contains(one);
  const auto say = [&](std::string what) {
    report.diagnostics.push_back(
        {Diagnostic::Severity::warning, {dump.source, dump.first_line}, 0, std::move(what), "take both dumps at one time"});
  };
  if (!only_here.empty())
    say(fmt::format("{} logical flows are not in the database that is beside this list; first: {}", only_here.size(),
                    words_of(only_here.front())));
  if (missing > 0 && !dump.partial) say(fmt::format("{} logical flows of the database beside this list are not in it", missing));
  std::vector<ovn::LogicalFlow>& all = ovn.logical_flows.edit();
  all.insert(all.end(), only_here.begin(), only_here.end());
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<ovn::LogicalFlow> flows;
  DatapathLine current;
  bool named = false;
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    const LflowLine parsed = parse_lflow_line(line.text);
    count(line, parsed, lines);
    if (parsed.kind == Kind::datapath) {
      current = parsed.datapath;
      named = false;
    } else if (parsed.kind == Kind::flow && parsed.flow.table) {
      flows.push_back(flow_of(parsed.flow, lines.at(line)));
      flows.back().datapath = name_of(current);
      flows.back().ingress = current.ingress;
      if (named || current.uuid.empty()) continue;
      const std::string_view name = !current.name.empty() ? current.name : current.name2;
      ovsdb::ensure_datapath(node.ovn, name, current.uuid, parsed.flow.stage.starts_with("lr_"), lines.at(line));
      named = true;
    }
  }
  node.ovn.has_logical_flows |= !flows.empty() || is_blank_dump(dump);
  if (ovn::has_flow_database(node.ovn))
    compare_flows(dump, node.ovn, std::move(flows), report);
  else if (node.ovn.logical_flows.empty())
    node.ovn.logical_flows = std::move(flows);
  else
    merge_flows(node.ovn.logical_flows.edit(), std::move(flows));
  ovsdb::settle_ports(node.ovn);
}

}  // namespace

const Format& lflow_format() {
  static constexpr Format kFormat = {
      "ovn-sbctl lflow-list", "ovn-sbctl --uuid lflow-list", recognise, reprint, to_json, load, nullptr, "OVN_Southbound"};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
