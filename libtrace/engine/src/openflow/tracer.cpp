// The trace as a whole: the packet, then every recirculation in the order in which they were asked for
// (ofproto/ofproto-dpif-trace.c, ofproto_trace).
#include <algorithm>

#include "egtrace/base/text.h"
#include "rivals.h"
#include "trace_tree.h"
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

// What a flow of the datapath matches of a packet that has come back; registers and the rest stay as they were when it left.
void overlay(const FlowKey& of_flow, FlowKey& k) {
  constexpr F kOfDatapath[] = {
      F::recirc_id, F::dp_hash,   F::pkt_mark,    F::skb_priority, F::ct_zone,   F::ct_mark,   F::ct_label, F::ct_nw_proto,
      F::ct_nw_src, F::ct_nw_dst, F::ct_ipv6_src, F::ct_ipv6_dst,  F::ct_tp_src, F::ct_tp_dst, F::eth_src,  F::eth_dst,
      F::eth_type,  F::vlan_tci,  F::vlan_tci1,   F::mpls_label,   F::mpls_tc,   F::mpls_bos,  F::mpls_ttl, F::ip_src,
      F::ip_dst,    F::ipv6_src,  F::ipv6_dst,    F::ipv6_label,   F::nw_proto,  F::nw_tos,    F::nw_ttl,   F::ip_frag,
      F::arp_op,    F::arp_spa,   F::arp_tpa,     F::arp_sha,      F::arp_tha,   F::tcp_flags, F::tp_src,   F::tp_dst,
      F::nd_target, F::nd_sll,    F::nd_tll};
  for (const F field : kOfDatapath)
    if (const U128 value = of_flow.get(field); value != 0) k.set(field, value);
  k.set(F::ct_state, of_flow.get(F::ct_state));
}

// Open questions are noted in the trace and answered as ofproto/trace answers them.
class TracePolicy : public Policy {
 public:
  TracePolicy(Trace& trace, const std::string& node) : trace_(trace), node_(node) {}

  void missing(Statement<Input> input) override {
    MissingInput m{node_, input.kind, std::move(input.about)};
    if (std::find(trace_.gaps.begin(), trace_.gaps.end(), m) == trace_.gaps.end()) trace_.gaps.push_back(std::move(m));
  }
  openflow::FlowIndex flow(const openflow::Bridge& b, std::uint8_t table, const openflow::Lookup& hit) override {
    Overlap overlap{&b, table, hit.hit, rivals_of(*b.flows, hit)};
    if (!overlap.others.empty()) trace_.overlaps.push_back(std::move(overlap));
    return hit.hit;
  }

 private:
  Trace& trace_;
  const std::string& node_;
};

}  // namespace

std::optional<OvsVersion> parse_ovs_version(std::string_view text) {
  const std::vector<std::string_view> parts = split(text.substr(0, text.find_first_not_of("0123456789.")), '.');
  OvsVersion v;
  unsigned* const numbers[] = {&v.major, &v.minor, &v.patch};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    const auto n = i < parts.size() ? parse_decimal(parts[i]) : std::nullopt;
    if (!n && i < 2) return std::nullopt;
    *numbers[i] = static_cast<unsigned>(n.value_or(0));
  }
  return v;
}

struct Tracer::Impl {
  Impl(const cluster::Node& node, openflow::Datapath datapath) : tables(node, std::move(datapath)) {}

  TracePass pass(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, Recirculations& recirculations,
                 Policy& policy, const TraceOptions& options) {
    TraceTree tree;
    const XlateOptions how{options.version, options.record};
    TracePass pass;
    static_cast<Translation&>(pass) =
        Xlate(tables, recirculations, policy, options.record ? &tree : nullptr, how).run(bridge, packet, frozen);
    pass.nodes = tree.take();
    recirculations.end_pass();
    return pass;
  }

  Tables tables;
};

Tracer::Tracer(const cluster::Node& node, openflow::Datapath datapath)
    : impl_(std::make_unique<Impl>(node, std::move(datapath))) {}
Tracer::~Tracer() = default;
Tracer::Tracer(Tracer&&) noexcept = default;

void Tracer::expect_many_packets() { impl_->tables.lookups.expect_many(); }

Trace Tracer::trace(const openflow::Bridge& bridge, const FlowKey& packet, const TraceOptions& options) {
  Trace trace;
  trace.owned = impl_->tables.actions;
  SwitchBridge* in = impl_->tables.sw.bridge(bridge);
  if (!in) return trace;
  const FlowKey first = as_extracted(packet, bridge);
  TracePolicy policy(trace, impl_->tables.sw.node().name);
  Recirculations recirculations;
  trace.passes.push_back(impl_->pass(*in, first, nullptr, recirculations, policy, options));
  for (const Recirculated& step : options.recirculated) {
    if (recirculations.queue.size() != step.of || step.which >= step.of) {
      trace.resumptions_differ = true;
      return trace;
    }
    Recirculations::Waiting at = std::move(recirculations.queue[step.which]);
    recirculations.queue.clear();
    const std::uint64_t zone = at.flow.u32(F::ct_zone);
    overlay(step.packet, at.flow);
    if (at.flow.u32(F::ct_zone) != zone) {
      trace.resumptions_differ = true;
      return trace;
    }
    trace.passes.front() = impl_->pass(*in, at.flow, &recirculations.state(at.id), recirculations, policy, options);
  }
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
    r.by_default = given >= options.ct_next.size();
    r.ct_state = r.by_default ? ct_state::trk | ct_state::new_ : options.ct_next[given++];
    next.flow.set(F::ct_state, r.ct_state);
    if (next.nat) {
      r.nat = next.nat;
      r.before = next.flow;
      simulate_nat(*next.nat, next.flow);
      r.after = next.flow;
    }
    TracePass pass = impl_->pass(*in, next.flow, &recirculations.state(next.id), recirculations, policy, options);
    recirculations.end_waiting(next.id);
    pass.resumption = std::move(r);
    trace.passes.push_back(std::move(pass));
  }
  return trace;
}

}  // namespace egt::engine::ofproto
