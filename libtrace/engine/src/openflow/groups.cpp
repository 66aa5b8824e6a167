// Groups and their buckets.
#include "buckets.h"
#include "xlate.h"

namespace egt::engine::ofproto {

using namespace openflow;

void Xlate::run_bucket(const Group& g, std::size_t index, bool is_last) {
  const auto level = report_.level();
  report_.enter(NodeKind::bucket, BucketLine{bucket_id(g, index), &g, index});
  const FlowKey old_flow = packet_.flow;
  const bool old_was_mpls = packet_.was_mpls;
  const Ofpacts list = in_action_set_order(tables_.actions->of_bucket(g.buckets[index].actions, bridge()));
  ++depth_;
  ++nesting_;
  do_actions(list, is_last, true);
  --nesting_;
  --depth_;
  if (freezing_.active) finish_freezing_here();
  packet_.flow = old_flow;
  packet_.was_mpls = old_was_mpls;
  exit_ = false;
  if (packet_.error == XlateError::too_many_mpls_labels || packet_.error == XlateError::unsupported_packet_type)
    packet_.error = XlateError::ok;
  report_.set_level(level);
}

bool Xlate::group(std::uint32_t id, bool is_last) {
  if (!resources_left()) return false;
  const Group* found = bridge().groups.find(id);
  if (found == nullptr) {
    if (!bridge().has_groups) gap(Input::groups, {bridge().name});
    report_.note(NodeKind::warning, Remark::no_such_group, id);
    return true;
  }
  const Group& g = *found;
  if (g.type == Group::Type::all || g.type == Group::Type::indirect) {
    for (std::size_t i = 0; i < g.buckets.size(); ++i) run_bucket(g, i, is_last && i + 1 == g.buckets.size());
    return false;
  }
  constexpr OvsVersion kFourABucket{3, 5, 0};
  const BucketChoice choice = BucketChooser(*bridge_, packet_, report_, policy_, fixed_in(kFourABucket)).choose(g);
  if (choice.recirculates) trigger_freeze();
  if (choice.hash) freezing_.hash = choice.hash;
  if (choice.bucket) {
    report_.note(NodeKind::detail, Remark::using_bucket, bucket_id(g, *choice.bucket));
    run_bucket(g, *choice.bucket, is_last);
    return false;
  }
  const OvsVersion& v = version();
  const bool shows_hash = v >= OvsVersion{3, 6, 2} || (v.minor == 5 && v.patch >= 3) || (v.minor == 4 && v.patch >= 5) ||
                          (v.minor == 3 && v.patch >= 8);
  if (shows_hash && freezing_.active) {
    if (freezing_.hash) report_.note(NodeKind::detail, Remark::dp_hash);
  } else {
    report_.note(NodeKind::detail, choice.recirculates ? Remark::no_bucket_yet : Remark::no_live_bucket);
  }
  return false;
}

}  // namespace egt::engine::ofproto
