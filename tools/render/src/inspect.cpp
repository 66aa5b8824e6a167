#include "egtrace/render/inspect.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "dump_words.h"
#include "egtrace/base/columns.h"
#include "egtrace/render/diagnostic.h"
#include "inspect_document.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace explain;

constexpr std::size_t kSamples = 5;  // lines not understood that the text shows of one dump

Json json(const DumpReport& d) {
  Json j = {{"path", d.path},
            {"kind", d.kind},
            {"tool", d.tool},
            {"lines", d.lines},
            {"understood", d.understood},
            {"ignored", d.ignored},
            {"partial", d.partial},
            {"bytes", d.bytes},
            {"not_understood", Json::array()}};
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) j[key] = value;
  };
  add("command", d.command);
  add("time", d.time);
  add("why_partial", d.why_partial);
  add("note", d.note);
  add("superseded_by", d.superseded_by);
  for (const EvidenceLine& e : d.not_understood) j["not_understood"].push_back({{"line", e.line}, {"text", e.text}});
  return j;
}

Json json(const NodeReport& n) {
  Json j = {
      {"name", n.name}, {"roles", n.roles}, {"addresses", n.addresses}, {"ovs_version", n.ovs_version}, {"dumps", Json::array()}};
  if (!n.gateway_mode.empty()) j["gateway"] = {{"mode", n.gateway_mode}, {"because", n.gateway_because}};
  for (const DumpReport& d : n.dumps) j["dumps"].push_back(json(d));
  return j;
}

Json json(const AgreementReport& a) {
  return {{"node", a.node},
          {"logical_flows_without_openflow", a.missing},
          {"cookies_without_logical_flow", a.orphaned},
          {"missing", evidence_json(a.missing_examples)},
          {"orphaned", evidence_json(a.orphaned_examples)}};
}

std::string agreement_text(const AgreementReport& a, std::size_t width) {
  if (a.missing + a.orphaned == 0) return wrap(fmt::format("{}: OpenFlow agrees with OVN", a.node), 2, width);
  std::string out = wrap(fmt::format("{}: {} logical flows lack OpenFlow flows, {} cookies have no logical flow: "
                                     "ovn-controller lags or is stuck, or the dumps are of different times",
                                     a.node, a.missing, a.orphaned),
                         2, width);
  for (const Evidence* some : {&a.missing_examples, &a.orphaned_examples})
    for (const EvidenceLine& e : *some) out += wrap(fmt::format("{}: {}", explain::place_of(e), e.text), 4, width, 2);
  return out;
}

Json json(const LogicalFlowReport& f) {
  return {{"node", f.node},       {"uuid", f.uuid},   {"stage", f.stage},    {"match", f.match},
          {"actions", f.actions}, {"flows", f.flows}, {"packets", f.packets}};
}

Json json(const NetworkReport& n) {
  Json j = {{"what", n.what}, {"node", n.node}, {"prefix", n.prefix}, {"evidence", Json::array()}};
  for (const EvidenceLine& e : n.evidence) j["evidence"].push_back({{"dump", e.dump}, {"line", e.line}, {"text", e.text}});
  return j;
}

std::string dump_line(const DumpReport& d) {
  const std::size_t odd = d.not_understood.size();
  std::string s = fmt::format("{}  {}", d.kind.empty() ? "unknown" : d.kind, d.path);
  if (!d.tool.empty()) s += fmt::format(", {}", d.tool);
  if (!d.time.empty()) s += fmt::format(", {}", d.time);
  if (d.partial) s += ", " + excerpt_words(d);
  if (!d.note.empty()) s += ", " + d.note;
  if (!d.superseded_by.empty()) s += fmt::format(", not used beside {}", d.superseded_by);
  if (odd > 0) s += fmt::format(", {} of {} lines not understood", odd, d.lines);
  return s;
}

// "57 dumps, 2 of them excerpts, 12 not used beside better ones, 3 of no known kind"
std::string dumps_line(const std::vector<DumpReport>& dumps) {
  std::size_t excerpts = 0, beside = 0, unknown = 0;
  for (const DumpReport& d : dumps) {
    excerpts += d.partial && d.superseded_by.empty() ? 1 : 0;
    beside += d.superseded_by.empty() ? 0 : 1;
    unknown += d.kind == "unknown" ? 1 : 0;
  }
  std::string s = fmt::format("{} dumps", dumps.size());
  if (excerpts > 0) s += fmt::format(", {} excerpts", excerpts);
  if (beside > 0) s += fmt::format(", {} not used beside better ones", beside);
  if (unknown > 0) s += fmt::format(", {} of no known kind", unknown);
  return s;
}

void print_networks(const Inspection& i, const TextOptions& o, const Style& style, std::string& out) {
  bool begun = false;
  for (const NetworkReport& n : i.networks) {
    if (!o.verbose && n.what != "pods") continue;
    if (!std::exchange(begun, true)) out += style(Tone::heading, "networks") + "\n";
    out += wrap_behind(fmt::format("  {:<20}", n.prefix), n.what + (n.node.empty() ? "" : " of " + n.node), o.width);
  }
}

// Over all nodes; -v distinguishes them.
void print_features(const Inspection& i, const TextOptions& o, const Style& style, std::string& out) {
  std::map<std::string, FeatureReport> sums;
  for (const FeatureReport& f : i.features) {
    FeatureReport& sum = sums[o.verbose ? fmt::format("{} {}: {}", f.node, f.bridge, f.feature) : f.feature];
    sum.flows += f.flows;
    sum.hit += f.hit;
    sum.packets += f.packets;
  }
  if (sums.empty()) return;
  out += style(Tone::heading, "flows by purpose") + "\n";
  out += fmt::format("  {:>9}{:>9}{:>12}\n", "flows", "hit", "packets");
  for (const auto& [name, sum] : sums)
    out += wrap_behind(fmt::format("  {:>9}{:>9}{:>12}  ", sum.flows, sum.hit, sum.packets), name, o.width);
}

void print_logical(const char* title, const std::vector<LogicalFlowReport>& flows, const TextOptions& o, const Style& style,
                   std::string& out) {
  if (!o.verbose || flows.empty()) return;
  out += style(Tone::heading, title) + "\n";
  for (const LogicalFlowReport& f : flows)
    out += wrap_behind(fmt::format("  {:>10}  ", f.packets),
                       fmt::format("{} {} {}: {} → {}", f.node, f.stage, f.uuid.substr(0, 8), f.match, f.actions), o.width, 1);
}

void print_words(const char* title, const std::vector<std::string>& words, const TextOptions& o, const Style& style,
                 std::string& out) {
  if (words.empty()) return;
  out += style(Tone::heading, title) + "\n";
  for (const std::string& w : words) out += wrap(w, 2, o.width);
}

void print_diagnostics(const std::vector<DiagnosticReport>& diagnostics, const TextOptions& o, const Style& style,
                       std::string& out) {
  if (diagnostics.empty()) return;
  out += style(Tone::heading, "remarks") + "\n";
  for (const DiagnosticReport& d : diagnostics) out += wrap(d.head, 2, o.width) + quoted_line(d, o.width);
}

void print_unconsidered(const Inspection& i, const TextOptions& o, const Style& style, std::string& out) {
  if (i.unconsidered.empty()) return;
  out += style(Tone::heading, "not considered") + "\n";
  for (const UnconsideredReport& u : i.unconsidered) {
    out += wrap(fmt::format("{}: {}{}", u.node, u.what, u.lines == 1 ? "" : fmt::format(" ({} lines)", u.lines)), 2, o.width);
    for (const EvidenceLine& e : u.first)
      out += style(Tone::faint, wrap(fmt::format("{}: {}", explain::place_of(e), e.text), 4, o.width, 2));
  }
}

}  // namespace

Json inspect_document(const Inspection& i) {
  Json j;
  j["schema"] = "egtrace.inspect/1";
  j["nodes"] = Json::array();
  for (const NodeReport& n : i.nodes) j["nodes"].push_back(json(n));
  j["objects"] = Json::array();
  for (const DumpReport& d : i.objects) j["objects"].push_back(json(d));
  j["collected_by"] = i.collected_by;
  if (!i.obfuscated_by.empty()) j["obfuscated_by"] = i.obfuscated_by;
  if (i.translated_back) j["translated_back"] = true;
  j["ovn_version"] = {{"candidates", i.ovn_candidates}, {"because", i.ovn_because}};
  j["agreement"] = Json::array();
  for (const AgreementReport& a : i.agreements) j["agreement"].push_back(json(a));
  j["counts"] = Json::object();
  for (const Count& c : i.counts) j["counts"][c.what] = c.number;
  j["networks"] = Json::array();
  for (const NetworkReport& n : i.networks) j["networks"].push_back(json(n));
  j["features"] = Json::array();
  for (const FeatureReport& f : i.features)
    j["features"].push_back({{"node", f.node},
                             {"bridge", f.bridge},
                             {"feature", f.feature},
                             {"flows", f.flows},
                             {"hit", f.hit},
                             {"packets", f.packets}});
  j["acls"] = Json::array();
  for (const LogicalFlowReport& f : i.acls) j["acls"].push_back(json(f));
  j["busiest_logical_flows"] = Json::array();
  for (const LogicalFlowReport& f : i.busiest) j["busiest_logical_flows"].push_back(json(f));
  j["times"] = i.times;
  constexpr std::size_t kDiagnosticWidth = 160;  // whatever the terminal's width
  j["diagnostics"] = Json::array();
  for (const DiagnosticReport& d : i.diagnostics) j["diagnostics"].push_back(diagnostic_text(d, kDiagnosticWidth));
  for (const UnconsideredReport& u : i.unconsidered)
    j["not_considered"].push_back({{"node", u.node}, {"what", u.what}, {"lines", u.lines}, {"evidence", evidence_json(u.first)}});
  j["gaps"] = Json::array();
  for (const Gap& g : i.gaps) j["gaps"].push_back({{"node", g.node}, {"what", g.what}, {"command", g.command}});
  return j;
}

std::string inspect_json(const Inspection& i) { return dump_json(inspect_document(i)); }

std::string inspect_text(const Inspection& i, const TextOptions& o) {
  const Style style(o.colour);
  std::string out;
  for (const std::string& tool : i.collected_by) out += wrap("collected by " + tool, 0, o.width);
  if (!i.obfuscated_by.empty())
    out += wrap(fmt::format("addresses and names were replaced by {}; {}", i.obfuscated_by,
                            i.translated_back ? "its private map turned them back as far as it distinguishes them"
                                              : "numbers in registers and marks were not"),
                0, o.width);
  for (const NodeReport& n : i.nodes) {
    const std::string name = shortened_path(n.name, o.width / 2);
    out += style(Tone::heading, name) +
           wrap_behind(name + "  ", fmt::format("{}", fmt::join(n.roles, ", ")), o.width).substr(name.size());
    if (!n.addresses.empty()) out += wrap(fmt::format("addresses {}", fmt::join(n.addresses, " ")), 2, o.width);
    if (!n.ovs_version.empty()) out += fmt::format("  Open vSwitch {}\n", n.ovs_version);
    if (!n.gateway_mode.empty()) out += wrap(fmt::format("{} gateway mode: {}", n.gateway_mode, n.gateway_because), 2, o.width);
    out += wrap(dumps_line(n.dumps), 2, o.width);
    for (const DumpReport& d : n.dumps) {
      if (!o.verbose && d.not_understood.empty() && (!d.partial || !d.superseded_by.empty())) continue;
      out += wrap(dump_line(d), 4, o.width);
      for (std::size_t k = 0; k < d.not_understood.size() && k < kSamples; ++k)
        out += style(Tone::faint, wrap(fmt::format("{}: {}", d.not_understood[k].line, d.not_understood[k].text), 6, o.width, 1));
    }
    out += '\n';
  }
  if (!i.objects.empty()) out += fmt::format("{} dumps belong to no node\n", i.objects.size());
  if (o.verbose)
    for (const DumpReport& d : i.objects) out += wrap(dump_line(d), 4, o.width);
  out += style(Tone::heading, "counts") + "\n";
  for (const Count& c : i.counts)
    if (c.number > 0) out += fmt::format("  {:<18}{:>9}\n", c.what, c.number);
  print_networks(i, o, style, out);
  print_features(i, o, style, out);
  print_logical("ACLs by packets", i.acls, o, style, out);
  print_logical("busiest logical flows", i.busiest, o, style, out);
  out += style(Tone::heading, "OVN version") + "\n";
  out += wrap(i.ovn_candidates.empty() ? "unknown" : fmt::format("{}", fmt::join(i.ovn_candidates, " or ")), 2, o.width);
  out += wrap("because " + i.ovn_because, 2, o.width);
  if (!i.agreements.empty()) out += "\n" + style(Tone::heading, "OpenFlow against OVN") + "\n";
  for (const AgreementReport& a : i.agreements) out += agreement_text(a, o.width);
  print_words("times", i.times, o, style, out);
  if (o.verbose) print_diagnostics(i.diagnostics, o, style, out);
  print_unconsidered(i, o, style, out);
  if (!i.gaps.empty()) out += style(Tone::heading, "missing") + "\n";
  for (const Gap& g : i.gaps) out += wrap(fmt::format("{}: {}; get it by `{}`", g.node, g.what, g.command), 2, o.width);
  return out;
}

}  // namespace egt::render
