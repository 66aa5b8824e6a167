// The trace as a whole: the packet, then every recirculation in the order in which they were asked for
// (ofproto/ofproto-dpif-trace.c, ofproto_trace).
#include <algorithm>
#include <charconv>

#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

constexpr std::size_t kMaxRecirculations = 4096;

// The packet as it comes back translated: to the first address and port of the range.
void simulate_nat(const openflow::Nat& nat, FlowKey& k) {
  if (nat.kind == openflow::Nat::Kind::bare || !nat.addresses) return;
  const bool source = nat.kind == openflow::Nat::Kind::src;
  const IpAddr& a = nat.addresses->first;
  if (a.is_v4()) {
    k.set(source ? F::ip_src : F::ip_dst, a.value);
  } else {
    k.set(source ? F::ipv6_src : F::ipv6_dst, a.value);
  }
  if (nat.port_min && *nat.port_min != 0) k.set(source ? F::tp_src : F::tp_dst, *nat.port_min);
}

// A tunnel option has the length that the TLV map gives it; the switch keeps none that the map does not name.
void keep_mapped_options(const openflow::Bridge& b, FlowKey& k) {
  std::uint64_t mapped = 0;
  for (unsigned i = 0; i < 8; ++i) {
    const F f = static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i);
    unsigned length = 0;
    for (const openflow::TlvMapping& m : b.tlv_map)
      if (m.index == i) length = m.length;
    k.set(f, k.get(f) & ones(std::min(length * 8u, 128u)));
    if (length != 0) mapped |= std::uint64_t{1} << i;
  }
  set(k, X::tun_present, get(k, X::tun_present) & mapped);
}

}  // namespace

std::optional<OvsVersion> parse_ovs_version(std::string_view text) {
  OvsVersion v;
  unsigned* const parts[] = {&v.major, &v.minor, &v.patch};
  v.patch = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto r = std::from_chars(text.data(), text.data() + text.size(), *parts[i]);
    if (r.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(r.ptr - text.data()));
    if (text.empty() || text.front() != '.') return i >= 1 ? std::optional(v) : std::nullopt;
    text.remove_prefix(1);
  }
  return v;
}

struct Tracer::Impl {
  Impl(const cluster::Node& node, openflow::Datapath datapath) : tables(node, std::move(datapath)) {}
  Tables tables;
};

Tracer::Tracer(const cluster::Node& node, openflow::Datapath datapath)
    : impl_(std::make_unique<Impl>(node, std::move(datapath))) {}
Tracer::~Tracer() = default;
Tracer::Tracer(Tracer&&) noexcept = default;

Trace Tracer::trace(const openflow::Bridge& bridge, const FlowKey& packet, const TraceOptions& options) {
  Trace trace;
  trace.owned = impl_->tables.actions;
  SwitchBridge* in = impl_->tables.sw.bridge(bridge);
  if (!in) return trace;
  FlowKey first = packet;
  fix_vlan_tpid(first);
  if (first.get(F::vlan_tci1) != 0 && get(first, X::vlan_tpid1) == 0) set(first, X::vlan_tpid1, ethertype::vlan);
  for (unsigned i = 0; i < 8; ++i)
    if (first.get(static_cast<F>(static_cast<unsigned>(F::tun_metadata0) + i)) != 0)
      set(first, X::tun_present, get(first, X::tun_present) | std::uint64_t{1} << i);
  if (bridge.has_tlv_map) keep_mapped_options(bridge, first);
  Recirculations recirculations;
  trace.passes.push_back(Xlate(impl_->tables, recirculations, trace, options).run(*in, first, nullptr));
  recirculations.end_pass();
  std::size_t given = 0, done = 0;
  while (!recirculations.queue.empty()) {
    Recirculations::Waiting next = std::move(recirculations.queue.front());
    recirculations.queue.pop_front();
    if (done++ > kMaxRecirculations) {
      trace.limit_reached = true;
      trace.not_processed = recirculations.queue.size() + 1;
      break;
    }
    TracePass::Resumption r;
    r.recirc_id = next.id;
    r.conntrack = next.conntrack;
    if (next.conntrack) {
      r.by_default = given >= options.ct_next.size();
      r.ct_state = r.by_default ? ct_state::trk | ct_state::new_ : options.ct_next[given++];
      next.flow.set(F::ct_state, r.ct_state);
    }
    if (next.nat) {
      r.nat = next.nat;
      r.before = next.flow;
      simulate_nat(*next.nat, next.flow);
      r.after = next.flow;
    }
    TracePass pass =
        Xlate(impl_->tables, recirculations, trace, options).run(*in, next.flow, &recirculations.state(next.id));
    recirculations.end_pass();
    recirculations.end_waiting(next.id);
    pass.resumption = std::move(r);
    trace.passes.push_back(std::move(pass));
  }
  return trace;
}

}  // namespace egt::engine::ofproto
