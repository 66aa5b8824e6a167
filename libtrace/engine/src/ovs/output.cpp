// Outputs: ports, floods, patch ports into other bridges, tunnels (compose_output_action and flood_packets of
// ofproto/ofproto-dpif-xlate.c).
#include <fmt/format.h>

#include <algorithm>

#include "contradictions.h"
#include "egtrace/base/text.h"
#include "egtrace/openflow/tunnel_type.h"
#include "translation.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

// Whether the ports of this bridge are known well enough to say that a number is none of them.
bool numbers_known(const Bridge& b) {
  return !b.interfaces.empty() &&
         std::all_of(b.interfaces.begin(), b.interfaces.end(), [](const Interface& i) { return i.ofport.has_value(); });
}

std::optional<std::string> option(const Interface& port, const char* name) {
  const auto it = port.options.find(name);
  if (it == port.options.end()) return std::nullopt;
  return it->second;
}

void set_endpoint(FlowKey& k, F v4, F v6, const std::optional<std::string>& text) {
  if (!text || *text == "flow") return;
  const auto address = IpAddr::parse(*text);
  if (!address) return;
  k.set(v4, address->is_v4() ? address->value : U128{0});
  k.set(v6, address->is_v4() ? U128{0} : address->value);
}

std::vector<const Interface*> by_number(const Bridge& b) {
  std::vector<const Interface*> ports;
  for (const Interface& i : b.interfaces)
    if (i.ofport) ports.push_back(&i);
  std::stable_sort(ports.begin(), ports.end(),
                   [](const Interface* a, const Interface* c) { return *a->ofport < *c->ofport; });
  return ports;
}

}  // namespace

std::optional<std::uint32_t> Translation::number_of(const Port& port) const {
  if (port.name.empty()) return port.number;
  const Interface* i = bridge().by_name(port.name);
  return i ? i->ofport : std::nullopt;
}

bool Translation::is_live(const Port& port) const {
  const Interface* i = port.name.empty() ? bridge().by_ofport(port.number) : bridge().by_name(port.name);
  return i && !i->port_down && !i->link_down;
}

void Translation::output(const Port& port, Place place) {
  if (const auto number = number_of(port)) return output_number(*number, place);
  if (const Interface* named = bridge().by_name(port.name)) return output_to(*named, place);
  unknown_port(0, port.name);
}

void Translation::output_number(std::uint32_t number, Place place) {
  const std::uint32_t in_port = key().u32(F::in_port);
  constexpr std::uint32_t kLastNumber = 0xffff;
  switch (number) {
    case port::normal:
      return normal(place);
    case port::flood:
      return flood(false, place);
    case port::all:
      return flood(true, place);
    case port::table:
      return run_table(0, in_port, place.nested());
    case port::controller:
      add(ToController{bridge().name, "action", 0, false}, here());
      return emit(OvsEmission::Kind::controller, nullptr, key());
    case port::none:
      return;
    case port::in_port:
      number = in_port;
      break;
    default:
      if (number != in_port) break;
      remark("output to the port that the packet came in by is skipped", here());
      return reason("it would go out by the port that it came in by, which Open vSwitch skips", 0, here());
  }
  if (number > kLastNumber) return;  // a register may hold anything; Open vSwitch ignores it
  if (const Interface* to = bridge().by_ofport(number)) return output_to(*to, place);
  unknown_port(number, "");
}

void Translation::unknown_port(std::uint32_t number, const std::string& name) {
  const std::string shown = name.empty() ? fmt::format("{}", number) : name;
  if (numbers_known(bridge())) {
    remark(fmt::format("port {} of {} does not exist", shown, bridge().name), here());
    return reason(fmt::format("port {} does not exist", shown), 0, here());
  }
  result_.undecided = true;
  gap(fmt::format("port {} of {}", shown, bridge().name), "ovs-ofctl show " + bridge().name);
  reason(fmt::format("the snapshot does not tell what port {} is", shown), 0, here());
}

void Translation::output_to(const Interface& port, Place place) {
  if (port.type == "patch") return cross_patch(port, place);
  if (port.port_down) {
    remark(fmt::format("port {} is administratively down", port.name), here());
    return reason(fmt::format("port {} is down", port.name), 0, here());
  }
  if (port.link_down) remark(fmt::format("port {} has no link", port.name), here());
  if (is_tunnel_type(port.type)) return tunnel(port);
  emit(OvsEmission::Kind::port, &port, key());
}

void Translation::emit(OvsEmission::Kind kind, const Interface* port, const FlowKey& packet) {
  OvsEmission e;
  e.kind = kind;
  e.bridge = state_.bridge;
  e.port = port;
  e.packet = as_in_datapath(packet, state_.unseen);
  e.quoted = state_.quoted;
  if (answer_ && kind != OvsEmission::Kind::controller) {
    e.kind = OvsEmission::Kind::rejected;
    e.reject_with = answer_->reject_with;
  }
  if (port) add(LeaveBridge{bridge().name, port->ofport.value_or(0), port->name}, here());
  result_.emissions.push_back(std::move(e));
}

void Translation::flood(bool all, Place place) {
  if (!numbers_known(bridge())) unknown_port(all ? port::all : port::flood, all ? "ALL" : "FLOOD");
  const std::uint32_t in_port = key().u32(F::in_port);
  for (const Interface* port : by_number(bridge())) {
    if (*port->ofport == in_port) continue;
    isolated([&] { output_to(*port, {place.nested(), false}); });
  }
}

void Translation::cross_patch(const Interface& port, Place place) {
  const std::string peer_name = option(port, "peer").value_or("");
  const Bridge* to = nullptr;
  const Interface* peer = nullptr;
  for (const Bridge& b : node_.bridges)
    if (!peer_name.empty() && (peer = b.by_name(peer_name))) {
      to = &b;
      break;
    }
  if (!peer) {
    result_.undecided = true;
    gap(fmt::format("the bridge with the peer of patch port {}", port.name), "ovs-vsctl show");
    return reason(fmt::format("the peer of patch port {} is not in the snapshot", port.name), 0, here());
  }
  add(CrossPatch{bridge().name, port.name, to->name, peer->name}, here());
  note_contradictions(node_, cluster::Contradiction::About::bridge, to->name, record_);
  const auto owner = step_;
  isolated([&] {
    state_.bridge = to;
    state_.table = 255;  // the peer's tables start anew; that still counts as going deeper
    state_.stack.clear();
    state_.action_set.clear();
    clear_pipeline(key());
    key().set(F::in_port, peer->ofport.value_or(port::none));
    key().set(F::actset_output, port::unset);
    ++depth_;
    run_table(0, key().u32(F::in_port), place.nested());
    --depth_;
    run_action_set(place.nested());
  });
  exit_ = false;
  step_ = owner;
}

// lib/tnl-ports.c and ofproto/tunnel.c: what the port's options fix is overwritten, "flow" leaves the packet's own.
void Translation::tunnel(const Interface& port) {
  note_contradictions(node_, cluster::Contradiction::About::port, port.name, record_);
  FlowKey k = key();
  set_endpoint(k, F::tun_dst, F::tun_ipv6_dst, option(port, "remote_ip"));
  set_endpoint(k, F::tun_src, F::tun_ipv6_src, option(port, "local_ip"));
  const auto configured = option(port, "out_key") ? option(port, "out_key") : option(port, "key");
  if (configured && *configured != "flow") k.set(F::tun_id, parse_u64(*configured).value_or(0));
  if (!configured) k.set(F::tun_id, 0);
  const IpAddr remote = k.u32(F::tun_dst) ? IpAddr::v4(k.u32(F::tun_dst)) : IpAddr::v6(k.get(F::tun_ipv6_dst));
  if (remote.is_unspecified()) {
    if (port.options.empty()) {
      result_.undecided = true;
      gap(fmt::format("the options of tunnel port {}", port.name), "ovs-vsctl list interface " + port.name);
    }
    return reason(fmt::format("tunnel port {} has no remote address for it", port.name), 0, here());
  }
  if (remote == arrived_at_) {
    remark("Open vSwitch does not tunnel to its own address", here());
    return reason("the tunnel would lead to this machine itself", 0, here());
  }
  emit(OvsEmission::Kind::tunnel, &port, k);
}

// bundle(…active_backup…) takes the first live member; hrw spreads flows over the live ones.
void Translation::bundle(const Bundle& a, Place place) {
  std::vector<const Port*> live;
  for (const Port& p : a.members)
    if (is_live(p)) live.push_back(&p);
  const Port* chosen = live.empty() ? nullptr : live.front();
  if (live.size() > 1 && a.algorithm != "active_backup") {
    ChoicePoint point{ChoicePoint::Kind::split, node_.name, "bundle", "", {}, here()};
    for (const Port* p : live)
      point.options.push_back({p->name.empty() ? fmt::format("port {}", p->number) : p->name, {}});
    chosen = live[std::min(chooser_.choose(point), live.size() - 1)];
  }
  if (a.dest) return write_field(*a.dest, chosen ? number_of(*chosen).value_or(port::none) : port::none);
  if (chosen) return output(*chosen, place);
  reason("no member of the bundle is live", 0, here());
}

}  // namespace egt::engine
