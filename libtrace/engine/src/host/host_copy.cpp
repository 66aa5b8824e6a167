// Copies that TEE and dup send: nf_dup_ipv4(), nf_dup_ipv6(), nf_do_netdev_egress() of net/netfilter and net/ipv4,
// net/ipv6.
#include <utility>

#include "host_walk.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using Kind = RouteAnswer::Kind;

constexpr int kMostCopies = 4;          // of copies that come back by lo and are copied again
constexpr std::size_t kMostOfOne = 64;  // copies of one packet

// A copy's path is shown beside the packet's, and does not split it: what the dumps leave open stays open.
class OpenQuestion : public Chooser {
 public:
  std::size_t choose(const ChoicePoint& point) override {
    if (point.options.size() > 1 && !first) first = point;
    return 0;
  }
  std::optional<ChoicePoint> first;
};

}  // namespace

// The last one that is mentioned says that there are more.
void HostWalk::duplicate(PacketCopy copy, Hook hook) {
  if (copies_.size() > kMostOfOne) return;
  if (hook == Hook::prerouting || hook == Hook::input)
    copy.packet.set(FieldId::nw_ttl, (copy.packet.u32(FieldId::nw_ttl) - 1) & 0xff);
  const bool too_many = copies_.size() == kMostOfOne || *copies_left_ == 0;
  HostOutcome o;
  if (too_many) {
    o.packet = copy.packet;
    o.stop = Stop{node_.name, layer_, {PlaceKind::copies}, {Reason::too_many_copies}};
  } else {
    o = walk_copy(copy);
  }
  SendCopy step{copy.gateway, o.kind == HostOutcome::Kind::transmit ? o.device : std::string(), {}, {}};
  std::vector<Provenance> lines = copy.evidence;
  if (o.stop) {
    step.where = o.stop->where;
    step.why = o.stop->why;
    lines.insert(lines.end(), o.stop->evidence.begin(), o.stop->evidence.end());
  } else if (o.kind == HostOutcome::Kind::delivered) {
    step.where = {PlaceKind::this_host};
    step.why = {Reason::copy_for_this_host};
  }
  record_.add(node_.name, layer_, std::move(step), std::move(lines));
  copies_.push_back(std::move(o));
}

HostOutcome HostWalk::walk_copy(const PacketCopy& copy) {
  --*copies_left_;
  Record record;
  OpenQuestion open;
  HostWalk walk(node_, network_state_, record, open, neighbours_, copy.packet, options_);
  walk.bound_device_ = bound_device_;
  walk.copies_left_ = copies_left_;
  HostOutcome o = walk.send_copy(copy, passing_copy_ || !made_here(), copy_depth_ + 1);
  if (!open.first || o.kind == HostOutcome::Kind::inconclusive) return o;
  o.kind = HostOutcome::Kind::inconclusive;
  Details on{open.first->what};
  on.insert(on.end(), open.first->about.begin(), open.first->about.end());
  o.stop = Stop{node_.name, layer_, {PlaceKind::copy}, {Reason::copy_undecided, std::move(on)}};
  return o;
}

// Routed to the gateway as from nobody, without mark and protocol; then as a packet of this host that is not tracked.
HostOutcome HostWalk::send_copy(const PacketCopy& copy, bool passing, int depth) {
  passing_copy_ = passing;
  copy_depth_ = depth;
  conntrack_.skip();
  if (depth > kMostCopies) return inconclusive({PlaceKind::copies}, {Reason::copies_of_copies}, copy.evidence);
  if (!copy.gateway && copy.device.empty()) return inconclusive({PlaceKind::copy}, {Reason::copy_target_unknown}, copy.evidence);
  if (!copy.gateway) {
    HostOutcome o = outcome(HostOutcome::Kind::transmit);
    o.device = copy.device;
    return o;
  }
  RouteQuery query;
  query.to = *copy.gateway;
  query.out_device = copy.device;  // for this lookup alone; a rule in OUTPUT may have the copy routed anew
  const RouteQuery own = query_for(packet_, {});
  query.tos = own.tos, query.dscp = own.dscp;
  RouteAnswer answer = look_up(query);
  if (answer.kind == Kind::unknown) return failed_route(answer);
  if (answer.kind != Kind::unicast && !answer.is_for_me())
    return dropped({PlaceKind::gateway_route}, {Reason::no_route, {*copy.gateway}}, answer.evidence());
  Taken route = take_hop(std::move(answer));
  // With the device alone, for lack of a route, the gateway is forgotten (rt_set_nexthop()).
  if (!route.gateway && route.answer.route != nullptr) route.gateway = copy.gateway;
  out_ = route.answer.kind == Kind::local ? "lo" : route.device;
  next_hop_ = route.gateway.value_or(dst_ip(packet_));
  if (Ended end = pass(Hook::output, &route)) return *end;
  if (route.answer.kind == Kind::local) route.device = "lo";
  return leave(route);
}

// nft's fwd: past everything that is still to come, but for what the other device asks of what leaves by it.
HostWalk::Ended HostWalk::send_frame(const HookResult& by) {
  const host::Link* link = host_.link(by.device);
  if (link != nullptr && !link->is_up()) return dropped({PlaceKind::device, {by.device}}, {Reason::device_down}, {link->from});
  out_ = by.device;
  if (Ended end = pass(Hook::egress)) return end;
  HostOutcome o = outcome(HostOutcome::Kind::transmit);
  o.device = by.device;
  return o;
}

}  // namespace egt::engine
