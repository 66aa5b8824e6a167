#include "packet_copies.h"

#include <utility>

#include "host_walk.h"

namespace egt::engine {
namespace {

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
void PacketCopies::duplicate(PacketCopy copy, netfilter::Hook hook) {
  if (outcomes_.size() > kMostOfOne) return;
  if (hook == netfilter::Hook::prerouting || hook == netfilter::Hook::input)
    copy.packet.set(FieldId::nw_ttl, (copy.packet.u32(FieldId::nw_ttl) - 1) & 0xff);
  const bool too_many = outcomes_.size() == kMostOfOne || *copies_left_ == 0;
  HostOutcome o;
  if (too_many) {
    o.packet = copy.packet;
    o.stop = Stop{record_.node().name, record_.layer(), {PlaceKind::copies}, {Reason::too_many_copies}};
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
  record_.add(std::move(step), std::move(lines));
  outcomes_.push_back(std::move(o));
}

HostOutcome PacketCopies::walk_copy(const PacketCopy& copy) {
  --*copies_left_;
  Record record;
  OpenQuestion open;
  const PacketOrigin origin{
      skb_.origin.bound_device, {}, false, skb_.origin.copy_depth + 1, skb_.origin.passing_copy || !skb_.made_here()};
  HostOutcome o = HostWalk(record_.node(), network_state_, record, open, neighbours_, copy.packet, skb_.options)
                      .send_copy(copy, origin, *copies_left_);
  if (!open.first || o.kind == HostOutcome::Kind::inconclusive) return o;
  o.kind = HostOutcome::Kind::inconclusive;
  Details on{open.first->what};
  on.insert(on.end(), open.first->about.begin(), open.first->about.end());
  o.stop = Stop{record_.node().name, record_.layer(), {PlaceKind::copy}, {Reason::copy_undecided, std::move(on)}};
  return o;
}

}  // namespace egt::engine
