#include "words.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/engine/network_state.h"
#include "egtrace/explain/phrases.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/southbound.h"
#include "next_hop.h"
#include "ovn_version.h"
#include "registers.h"

namespace egt::explain {
namespace {

using namespace engine;

bool has_ports(std::uint8_t proto) { return proto == ip_proto::tcp || proto == ip_proto::udp || proto == ip_proto::sctp; }

AclDirection direction_of(const rows::nb::Acl& acl) {
  const std::string direction = acl.direction();
  if (direction == "from-lport") return AclDirection::from_lport;
  return direction == "to-lport" ? AclDirection::to_lport : AclDirection::none;
}

std::string hook_name(netfilter::Hook hook) {
  static constexpr std::string_view kNames[] = {"ingress", "prerouting", "input", "forward", "output", "postrouting", "egress"};
  return std::string(kNames[static_cast<std::size_t>(hook)]);
}

std::string verdict_word(netfilter::Verdict::Kind kind) {
  using enum netfilter::Verdict::Kind;
  switch (kind) {
    case accept: return "accepts";
    case drop: return "drops the packet";
    case reject: return "rejects the packet";
    case queue: return "hands the packet to user space";
    case return_: return "returns";
    case jump:
    case goto_: return "jumps";
    case continue_: return "acts";
  }
  return "acts";
}

std::string field_text(FieldId id, U128 value) {
  switch (field(id).format) {
    case FieldFormat::ipv4: return IpAddr::v4(static_cast<std::uint32_t>(value)).to_string();
    case FieldFormat::ipv6: return IpAddr::v6(value).to_string();
    case FieldFormat::ethernet: return MacAddr{low64(value)}.to_string();
    case FieldFormat::decimal: return std::to_string(low64(value));
    default: return hex(value);
  }
}

bool changes(const Step& step, FieldId id) {
  return std::any_of(step.changed.begin(), step.changed.end(), [&](const FieldChange& c) { return c.field == id; });
}

std::optional<U128> after(const Step& step, FieldId id) {
  for (const FieldChange& c : step.changed)
    if (c.field == id) return c.after;
  return std::nullopt;
}

// What the flow writes, or the packet's own destination that it copies.
std::optional<IpAddr> chosen_next_hop(const TableMatch& s, const Step& step) {
  if (s.on != nullptr && s.flow != openflow::kNoFlow)
    if (const auto written = next_hop(s.on->flows->actions(s.on->flows->flow(s.flow)))) return written;
  if (const auto v = after(step, FieldId::xxreg0)) return IpAddr::v6(*v);
  if (const auto v = after(step, FieldId::reg0)) return IpAddr::v4(static_cast<std::uint32_t>(*v));
  return std::nullopt;
}

// A table that only moves the packet along, or keeps books in registers, is a detail.
bool matters(const Step& step) {
  static constexpr FieldId kHeaders[] = {FieldId::ip_src, FieldId::ip_dst, FieldId::ipv6_src, FieldId::ipv6_dst,
                                         FieldId::tp_src, FieldId::tp_dst, FieldId::pkt_mark};
  return std::any_of(std::begin(kHeaders), std::end(kHeaders), [&](FieldId id) { return changes(step, id); });
}

std::string clip(std::string_view s, std::size_t most = 160) {
  return s.size() <= most ? std::string(s) : std::string(s.substr(0, most - 3)) + "...";
}

}  // namespace

std::string in_bridge(const HopPlace& at) { return at.within.empty() ? at.bridge : fmt::format("{} {}", at.bridge, at.within); }

std::string layer_name(Layer layer) {
  switch (layer) {
    case Layer::ovs: return "ovs";
    case Layer::ovn: return "ovn";
    case Layer::host: return "host";
    case Layer::underlay: return "underlay";
    case Layer::router: return "router";
  }
  return "host";
}

SeenAddress seen(const IpAddr& ip, std::uint16_t port, bool with_port) {
  SeenAddress a{ip.to_string(), std::nullopt};
  if (with_port) a.port = port;
  return a;
}

std::string to_text(const SeenAddress& a) {
  if (!a.port) return a.ip;
  return a.ip.find(':') == std::string::npos ? fmt::format("{}:{}", a.ip, *a.port) : fmt::format("[{}]:{}", a.ip, *a.port);
}

std::string endpoint_text(const Tuple& t, bool source, bool with_port) {
  const bool port = with_port && has_ports(t.proto);
  return source ? to_text(seen(t.src, t.sport, port)) : to_text(seen(t.dst, t.dport, port));
}

// The text of a row begins with its UUID: "UUID":{…}.
EvidenceLine evidence_line(Provenance at, const SourceTable& sources) {
  const Source& source = sources.at(at.source);
  EvidenceLine line{source.path, at.line, std::string(sources.line_text(at))};
  if (source.table.empty() || source.text.size() < 2) return line;
  line.table = source.table;
  line.uuid = source.text.substr(1, source.text.find('"', 1) - 1);
  return line;
}

std::string place_of(const EvidenceLine& line) {
  return line.table.empty() ? fmt::format("{}:{}", line.dump, line.line)
                            : fmt::format("{}:{} {} {}", line.dump, line.line, line.table, line.uuid);
}

Evidence Words::evidence(const std::vector<Provenance>& from) const {
  Evidence lines;
  for (const Provenance& p : from)
    if (p.known()) lines.push_back(evidence_line(p, *cluster_.sources));
  return lines;
}

std::string Words::address(const IpAddr& a) const {
  const std::string name = names_.address(a);
  return name.empty() ? a.to_string() : fmt::format("{} ({})", a.to_string(), name);
}

Hop Words::hop(const Step& step, bool registers) const {
  Hop hop;
  hop.node = step.node;
  hop.layer = layer_name(step.layer);
  hop.evidence = evidence(step.evidence);
  for (const FieldChange& c : step.changed)
    hop.changed.push_back({std::string(field(c.field).name), field_text(c.field, c.before), field_text(c.field, c.after)});
  std::visit([&](const auto& s) { describe(s, step, hop); }, step.kind);
  const auto* match = registers ? std::get_if<TableMatch>(&step.kind) : nullptr;
  const cluster::Node* node = match != nullptr && match->metadata != 0 ? cluster_.node(step.node) : nullptr;
  if (node != nullptr) name_registers(*match, step, *node, hop);
  return hop;
}

RowRef Words::row(const ovn::Row& row) const {
  RowRef ref{row.database, row.table, row.uuid, row_name(row), links_.object_of(row), evidence({row.from})};
  if (const auto acl = as<rows::nb::Acl>(row)) ref.direction = direction_of(*acl);
  ref.policy = links_.policy_of(row);
  return ref;
}

// --- flow tables ---------------------------------------------------------------------------------------------------

std::vector<const ovn::LogicalFlow*> Words::logical_flows(const cluster::Node& node, std::uint64_t cookie,
                                                          std::uint64_t metadata) const {
  std::vector<const ovn::LogicalFlow*> flows = names_.logical_flows(node, cookie);
  const std::string datapath = flows.size() > 1 ? names_.listed_or_inferred_datapath(node, metadata) : std::string();
  const auto is_here = [&](const ovn::LogicalFlow* f) {
    const auto all = ovn::datapaths_of(node.ovn, *f);
    return std::find(all.begin(), all.end(), datapath) != all.end();
  };
  if (!datapath.empty() && std::any_of(flows.begin(), flows.end(), is_here))
    std::erase_if(flows, [&](const ovn::LogicalFlow* f) { return !is_here(f); });
  return flows;
}

void Words::name_causes(const TableMatch& s, const cluster::Node& node, Hop& hop) const {
  const std::vector<const ovn::LogicalFlow*> flows = logical_flows(node, s.cookie, s.metadata);
  const std::string datapath = names_.datapath(node, s.metadata);
  std::vector<const ovn::Row*> rows = links_.southbound_rows(node, s.cookie);
  for (const ovn::LogicalFlow* f : flows) {
    const std::string on = f->datapath.empty() ? datapath : std::string(f->datapath);
    hop.lflows.push_back({std::string(f->uuid), on, std::string(f->stage), std::string(f->match), std::string(f->actions),
                          f->priority, f->origin ? std::string(f->origin->source) : std::string()});
    const auto behind = links_.northbound_rows(node, *f);
    rows.insert(rows.end(), behind.begin(), behind.end());
  }
  for (const ovn::LogicalFlow* f : flows)
    if (const std::string_view option = forcing_option(*f); !option.empty())
      hop.means.push_back(
          fmt::format("options:{} of the router forces the source of what was load-balanced or redirected", option));
  for (const ovn::Row* r : rows) {
    hop.rows.push_back(row(*r));
    const RowRef& named = hop.rows.back();
    if (is_deciding(*r))
      hop.means.push_back(
          fmt::format("{} {}{}{}", named.table, named.name, named.object.empty() ? "" : ": ", to_text(named.object)));
  }
}

const std::vector<std::string>& Words::ovn_candidates(const cluster::Node& node) const {
  return ovn_candidates_.of(node, [&] { return ovn_versions_of(node); });
}

// Registers of the logical pipeline, by the layout of this snapshot's releases; ports and zones by their names here.
void Words::name_registers(const TableMatch& s, const Step& step, const cluster::Node& node, Hop& hop) const {
  const auto datapath = std::find_if(node.ovn.datapaths.begin(), node.ovn.datapaths.end(),
                                     [&](const ovn::Datapath& d) { return d.tunnel_key == s.metadata; });
  const std::string_view kind = datapath == node.ovn.datapaths.end() ? "" : datapath->is_router ? "router" : "switch";
  for (const FieldChange& c : step.changed) {
    const auto value = static_cast<std::uint64_t>(c.after);
    std::string name;
    if (c.field == FieldId::reg14 || c.field == FieldId::reg15) name = names_.logical_port(node, s.metadata, value);
    if (c.field == FieldId::reg11 || c.field == FieldId::reg12 || c.field == FieldId::reg13)
      for (const auto& [owner, zone] : node.ovn.ct_zones)
        if (zone == (value & 0xffff)) name = owner;
    for (std::string& meaning : register_meanings(c, kind, ovn_candidates(node)))
      hop.registers.push_back(name.empty() ? std::move(meaning) : fmt::format("{}: {}", meaning, name));
  }
}

void Words::describe(const TableMatch& s, const Step& step, Hop& hop) const {
  const cluster::Node* node = cluster_.node(step.node);
  if (node != nullptr) name_causes(s, *node, hop);
  const std::string stage = hop.lflows.empty() ? std::string() : hop.lflows.front().stage;
  hop.at = {.kind = HopPlace::Kind::flow_table, .bridge = std::string(s.intended_by.empty() ? s.bridge : s.intended_by)};
  hop.at.within =
      s.intended_by.empty() ? fmt::format("table {}{}{}", s.table, stage.empty() ? "" : " ", stage) : std::string(s.stage);
  hop.where = in_bridge(hop.at);
  if (s.intended_by.empty()) hop.passes.push_back(passage_of_table(std::string(s.bridge), s.table));
  hop.detail = !matters(step);
  hop.decides = changes(step, FieldId::metadata) || (s.priority > 0 && !hop.lflows.empty() && !step.changed.empty());
  std::vector<std::string> did;
  if (stage.starts_with("lr_in_policy") || stage.starts_with("lr_in_ip_routing")) {
    if (const auto to = chosen_next_hop(s, step); to && !to->is_unspecified()) {
      const bool policy = stage.starts_with("lr_in_policy");
      did.push_back(fmt::format("{} to next hop {}", policy ? "policy reroutes" : "routes", to->to_string()));
      hop.detail = false;
      if (const std::string name = names_.address(*to, node); !name.empty())
        hop.means.insert(hop.means.begin(), to->is_v4() ? fmt::format("{} = {}, {}", hex(to->value), to->to_string(), name)
                                                        : fmt::format("{} = {}", to->to_string(), name));
      else if (to->is_v4())
        hop.means.insert(hop.means.begin(), fmt::format("{} = {}", hex(to->value), to->to_string()));
    }
  }
  for (const FieldChange& c : step.changed) {
    if (c.field == FieldId::ip_src || c.field == FieldId::ipv6_src)
      did.push_back(fmt::format("source becomes {}", field_text(c.field, c.after)));
    if (c.field == FieldId::ip_dst || c.field == FieldId::ipv6_dst)
      did.push_back(fmt::format("destination becomes {}", field_text(c.field, c.after)));
    if (c.field == FieldId::pkt_mark) did.push_back(fmt::format("packet mark becomes {}", field_text(c.field, c.after)));
  }
  if (const auto to = after(step, FieldId::metadata); to && node != nullptr)
    if (const std::string datapath = names_.datapath(*node, low64(*to)); !datapath.empty())
      did.push_back(fmt::format("enters logical datapath {}", datapath));
  if (did.empty())
    did.push_back(fmt::format("priority {}", s.priority));
  else
    did.back() += fmt::format(" (priority {})", s.priority);
  hop.what = fmt::format("{}", fmt::join(did, ", "));
  if (!s.ties.empty()) {
    hop.detail = false;
    hop.what +=
        fmt::format("; {} more flow{} of equal priority match{} and {} something else: undefined in OpenFlow", s.ties.size(),
                    s.ties.size() == 1 ? "" : "s", s.ties.size() == 1 ? "es" : "", s.ties.size() == 1 ? "does" : "do");
  }
}

// --- host ----------------------------------------------------------------------------------------------------------

void Words::describe(const RouteLookup& s, const Step&, Hop& hop) const {
  hop.where = s.reverse_path ? "rp_filter" : "routing";
  if (!s.reverse_path) hop.at.kind = HopPlace::Kind::routing;
  if (s.rule != nullptr && s.rule->table != "local" && s.rule->table != "main" && !s.rule->table.empty()) {
    hop.where = fmt::format("ip rule {}, table {}", s.rule->priority, s.rule->table);
    hop.passes.push_back({Passage::Kind::rule, std::to_string(s.rule->priority)});
  }
  hop.detail = s.reverse_path;
  if (s.route == nullptr) {
    hop.what = "no route";
    return;
  }
  if (s.route->type == host::RouteType::local) {
    hop.what = "the address is this host's own";
    hop.detail = true;
    return;
  }
  hop.what = fmt::format("route {}", s.route->to.length == 0 ? "default" : s.route->to.to_short_string());
  if (s.gateway) hop.what += fmt::format(" via {}", s.gateway->to_string());
  if (!s.device.empty()) hop.what += fmt::format(" dev {}", s.device);
  if (s.source) hop.what += fmt::format(", source {}", s.source->to_string());
}

void Words::describe(const RuleHit& s, const Step&, Hop& hop) const {
  hop.where = fmt::format("{} {} {}", s.front_end, s.table, s.chain);
  hop.passes.push_back({Passage::Kind::chain, s.chain});
  hop.at = {.kind = HopPlace::Kind::chain, .table = s.table, .chain = s.chain};
  using enum netfilter::Verdict::Kind;
  hop.detail = s.verdict != drop && s.verdict != reject && s.verdict != queue;
  hop.decides = s.rule != nullptr && s.verdict == accept;
  hop.what = s.rule == nullptr ? fmt::format("policy {} ({})", verdict_word(s.verdict), hook_name(s.hook))
                               : fmt::format("rule {} ({})", verdict_word(s.verdict), hook_name(s.hook));
  if (s.rule != nullptr && !s.rule->comment.empty()) hop.what += fmt::format(", \"{}\"", clip(s.rule->comment, 60));
}

namespace {

// Where and what of the steps that need no lookup; `detail` and `decides` as in Hop. Where it gives no place, that is
// the one in the bridge.
struct Say {
  std::string where, what;
  bool detail = false, decides = false;
  std::optional<Passage> passes = {};
};

// Where a walk ends.
std::optional<Passage> passage_of(const engine::Place& place) {
  const auto names = [&](std::size_t i) { return std::get<std::string>(place.about[i]); };
  if (place.kind == engine::PlaceKind::table)
    return passage_of_table(names(0), static_cast<unsigned>(std::get<std::uint64_t>(place.about[1])));
  if (place.kind == engine::PlaceKind::chain) return Passage{Passage::Kind::chain, names(2)};
  return std::nullopt;
}

// Of steps that need no lookup.
template <class Other>
HopPlace place_of(const Other& s) {
  HopPlace at;
  if constexpr (requires { s.bridge; }) at.bridge = s.bridge;
  return at;
}
HopPlace place_of(const TableMiss& s) { return {.bridge = s.bridge, .within = fmt::format("table {}", s.table)}; }
HopPlace place_of(const CtPass& s) {
  return {
      .kind = HopPlace::Kind::conntrack, .bridge = s.bridge, .zone = s.zone, .within = fmt::format("conntrack zone {}", s.zone)};
}
HopPlace place_of(const GroupPick& s) { return {.bridge = s.bridge, .within = fmt::format("group {}", s.group)}; }
HopPlace place_of(const LearnFlow& s) { return {.bridge = s.bridge, .within = fmt::format("table {}", s.flow->table)}; }
HopPlace place_of(const Encapsulate& s) { return {.device = s.port}; }
HopPlace place_of(const Decapsulate& s) { return {.device = s.port}; }
HopPlace place_of(const CrossPatch& s) { return {.bridge = s.from_bridge}; }
HopPlace place_of(const ReceiveFrame& s) { return {.device = s.device}; }
HopPlace place_of(const Resolve& s) { return {.device = s.device}; }
HopPlace place_of(const CrossWire& s) { return {.device = s.to_device}; }
HopPlace place_of(const engine::Place& end) {
  const auto name = [&](std::size_t i) { return std::get<std::string>(end.about[i]); };
  switch (end.kind) {
    case engine::PlaceKind::table:
    case engine::PlaceKind::stage: return {.bridge = name(0), .within = phrase_in_bridge(end)};
    case engine::PlaceKind::bridge: return {.bridge = name(0)};
    case engine::PlaceKind::device: return {.device = name(0)};
    case engine::PlaceKind::chain: return {.kind = HopPlace::Kind::chain, .table = name(1), .chain = name(2)};
    default: return {};
  }
}
HopPlace place_of(const Lost& s) { return place_of(s.where); }
HopPlace place_of(const Refused& s) { return place_of(s.where); }

std::string tunnel_words(const char* verb, const std::string& type, const IpAddr& from, const IpAddr& to, std::uint64_t vni,
                         std::uint32_t in, std::uint32_t out) {
  return fmt::format("{} {}, {} to {}, VNI {} (datapath key), ports {} to {}", verb, type, from.to_string(), to.to_string(), vni,
                     in, out);
}

std::string tuple_words(const Tuple& t) { return fmt::format("{} > {}", endpoint_text(t, true), endpoint_text(t, false)); }

Say say(const EnterBridge& s) { return {s.bridge, fmt::format("enters by port {} ({})", s.port, s.ofport), true}; }
Say say(const TableMiss& s) { return {{}, "no flow matches", true, false, passage_of_table(s.bridge, s.table)}; }
Say say(const CtPass& s) {
  Say w{{}, "", true, true};
  static constexpr std::string_view kBits[] = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
  std::string state;
  for (std::size_t i = 0; i < 8; ++i)
    if (s.state >> i & 1) state += fmt::format("{}{}", state.empty() ? "" : "|", kBits[i]);
  w.what = state.empty() ? "commits the connection" : fmt::format("state {}", state);
  if (s.before && s.after) {
    w.what = fmt::format("NAT: {} becomes {}", tuple_words(*s.before), tuple_words(*s.after));
    w.detail = false;
  }
  if (s.entry.known()) w.what += ", of a dumped connection";
  return w;
}
Say say(const GroupPick& s) { return {{}, fmt::format("bucket {}, of {} buckets", s.bucket, s.buckets)}; }
Say say(const ToController& s) { return {s.bridge, fmt::format("to ovn-controller: {}", s.reason)}; }
Say say(const LearnFlow& s) {
  return {{}, "learns a flow: " + phrase(*s.flow), true, false, passage_of_table(s.bridge, s.flow->table)};
}
Say say(const LeaveBridge& s) { return {s.bridge, fmt::format("leaves by port {} ({})", s.port, s.ofport), true}; }
Say say(const CrossPatch& s) {
  return {s.from_bridge, fmt::format("patch port {} leads into bridge {}", s.from_port, s.to_bridge), false};
}
Say say(const Encapsulate& s) {
  return {s.port, tunnel_words("into", s.type, s.local, s.remote, s.vni, s.ingress_key, s.egress_key)};
}
Say say(const Decapsulate& s) {
  return {s.port, tunnel_words("out of", s.type, s.remote, s.local, s.vni, s.ingress_key, s.egress_key)};
}
Say say(const ReceiveFrame& s) { return {s.device, fmt::format("the host receives it on {}", s.device), true}; }
Say say(const MarkSet& s) { return {"packet mark", fmt::format("{} becomes {}", hex(s.before), hex(s.after))}; }
Say say(const Translate& s) {
  Say w{s.by, "", false};
  w.what = fmt::format("{} {} becomes {}", s.source ? "source" : "destination", endpoint_text(s.before, s.source),
                       endpoint_text(s.after, s.source, !s.port_open));
  if (s.port_open) w.what += ", with a port that the kernel picks";
  if (s.by_connection) w.what += ", as the connection's first packet decided";
  return w;
}
Say say(const SendCopy& s) {
  const std::string copy = s.gateway ? fmt::format("copy for gateway {}", s.gateway->to_string()) : std::string("copy");
  if (s.why.reason == Reason::none) return {copy, fmt::format("leaves by {}", s.device)};
  return {copy, fmt::format("goes no further at {}: {}", phrase(s.where), phrase(s.why))};
}
Say say(const Resolve& s) {
  const std::string mac = s.mac ? s.mac->to_string() : "unknown";
  return {s.device, fmt::format("neighbour {} is {}", s.address.to_string(), mac), true};
}
Say say(const CrossWire& s) { return {s.to_device, fmt::format("arrives from {} {}", s.from_node, s.from_device), true}; }
Say say(const Deliver& s) { return {s.to, s.to_pod ? "the pod receives it" : "a process on this host receives it"}; }
Say say(const Lost& s) { return {phrase(s.where), "dropped: " + phrase(s.why), false, false, passage_of(s.where)}; }
Say say(const Refused& s) {
  return {phrase(s.where), fmt::format("rejected with {}: {}", s.with, phrase(s.why)), false, false, passage_of(s.where)};
}
Say say(const Remark& s) { return {"note", phrase(s), true}; }

}  // namespace

template <class Other>
void Words::describe(const Other& s, const Step&, Hop& hop) const {
  Say w = say(s);
  hop.at = place_of(s);
  hop.where = w.where.empty() ? in_bridge(hop.at) : std::move(w.where);
  hop.what = std::move(w.what);
  hop.detail = w.detail;
  hop.decides = w.decides;
  if (w.passes) hop.passes.push_back(std::move(*w.passes));
}

}  // namespace egt::explain
