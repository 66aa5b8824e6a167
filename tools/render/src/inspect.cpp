#include "egtrace/render/inspect.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "style.h"

namespace egt::render {
namespace {

using Json = nlohmann::ordered_json;
using namespace explain;

constexpr std::size_t kSamples = 5;   // lines not understood that the text shows of one dump

Json json(const DumpReport& d) {
  Json j = {{"path", d.path}, {"kind", d.kind}, {"tool", d.tool}, {"lines", d.lines}, {"understood", d.understood},
            {"ignored", d.ignored}, {"partial", d.partial}, {"not_understood", Json::array()}};
  for (const EvidenceLine& e : d.not_understood) j["not_understood"].push_back({{"line", e.line}, {"text", e.text}});
  return j;
}

Json json(const NodeReport& n) {
  Json j = {{"name", n.name}, {"roles", n.roles}, {"addresses", n.addresses}, {"ovs_version", n.ovs_version},
            {"dumps", Json::array()}};
  for (const DumpReport& d : n.dumps) j["dumps"].push_back(json(d));
  return j;
}

Json json(const Evidence& evidence) {
  Json all = Json::array();
  for (const EvidenceLine& e : evidence) all.push_back({{"dump", e.dump}, {"line", e.line}, {"text", e.text}});
  return all;
}

Json json(const AgreementReport& a) {
  return {{"node", a.node}, {"logical_flows_without_openflow", a.missing}, {"cookies_without_logical_flow", a.orphaned},
          {"missing", json(a.missing_examples)}, {"orphaned", json(a.orphaned_examples)}};
}

std::string agreement_text(const AgreementReport& a, std::size_t width) {
  if (a.missing + a.orphaned == 0) return wrap(fmt::format("{}: OpenFlow is what OVN says", a.node), 2, width);
  std::string out = wrap(fmt::format("{}: {} logical flows have no OpenFlow flow, {} cookies have no logical flow: "
                                     "ovn-controller lags or is stuck, or the dumps are of different times",
                                     a.node, a.missing, a.orphaned), 2, width);
  for (const Evidence* some : {&a.missing_examples, &a.orphaned_examples})
    for (const EvidenceLine& e : *some) out += wrap(fmt::format("{}:{}: {}", e.dump, e.line, e.text), 4, width, 2);
  return out;
}

std::string dump_line(const DumpReport& d) {
  const std::size_t odd = d.not_understood.size();
  std::string s = fmt::format("{}  {}", d.kind.empty() ? "unknown" : d.kind, d.path);
  if (d.partial) s += ", an excerpt";
  if (odd > 0) s += fmt::format(", {} of {} lines not understood", odd, d.lines);
  return s;
}

}  // namespace

std::string inspect_json(const Inspection& i) {
  Json j;
  j["schema"] = "egtrace.inspect/1";
  j["nodes"] = Json::array();
  for (const NodeReport& n : i.nodes) j["nodes"].push_back(json(n));
  j["objects"] = Json::array();
  for (const DumpReport& d : i.objects) j["objects"].push_back(json(d));
  j["ovn_version"] = {{"candidates", i.ovn_candidates}, {"because", i.ovn_because}};
  j["agreement"] = Json::array();
  for (const AgreementReport& a : i.agreements) j["agreement"].push_back(json(a));
  j["counts"] = Json::object();
  for (const Count& c : i.counts) j["counts"][c.what] = c.number;
  j["diagnostics"] = i.diagnostics;
  j["gaps"] = Json::array();
  for (const Gap& g : i.gaps) j["gaps"].push_back({{"node", g.node}, {"what", g.what}, {"command", g.command}});
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string inspect_text(const Inspection& i, const TextOptions& o) {
  const Style style(o.colour);
  std::string out;
  for (const NodeReport& n : i.nodes) {
    out += style(Tone::heading, n.name);
    out += fmt::format("  {}\n", fmt::join(n.roles, ", "));
    if (!n.addresses.empty()) out += wrap(fmt::format("addresses {}", fmt::join(n.addresses, " ")), 2, o.width);
    if (!n.ovs_version.empty()) out += fmt::format("  Open vSwitch {}\n", n.ovs_version);
    out += fmt::format("  {} dumps\n", n.dumps.size());
    for (const DumpReport& d : n.dumps) {
      if (!o.verbose && d.not_understood.empty() && !d.partial) continue;
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
  out += style(Tone::heading, "OVN version") + "\n";
  out += wrap(i.ovn_candidates.empty() ? "unknown" : fmt::format("{}", fmt::join(i.ovn_candidates, " or ")), 2, o.width);
  out += wrap("because " + i.ovn_because, 2, o.width);
  if (!i.agreements.empty()) out += style(Tone::heading, "OpenFlow against OVN") + "\n";
  for (const AgreementReport& a : i.agreements) out += agreement_text(a, o.width);
  if (!i.gaps.empty()) out += style(Tone::heading, "missing") + "\n";
  for (const Gap& g : i.gaps) out += wrap(fmt::format("{}: {}; get it by `{}`", g.node, g.what, g.command), 2, o.width);
  return out;
}

}  // namespace egt::render
