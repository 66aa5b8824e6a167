// Groups and their buckets.
#include "buckets.h"
#include "pipeline.h"

namespace egt::engine::ofproto {

using namespace openflow;

void Pipeline::run_bucket(const Group& g, std::size_t index, bool is_last) {
  const auto level = c_.report.level();
  c_.report.enter(NodeKind::bucket, BucketLine{bucket_id(g, index), &g, index});
  const FlowKey old_flow = c_.packet.flow;
  const bool old_was_mpls = c_.packet.was_mpls;
  const Ofpacts list = in_action_set_order(c_.tables.actions->of_bucket(g.buckets[index].actions, c_.bridge()));
  limits_.enter(true);
  do_actions(list, is_last, true);
  limits_.leave(true);
  if (freezing_.is_active()) finish_freezing_here();
  c_.packet.flow = old_flow;
  c_.packet.was_mpls = old_was_mpls;
  exit_ = false;
  if (c_.packet.error == XlateError::too_many_mpls_labels || c_.packet.error == XlateError::unsupported_packet_type)
    c_.packet.error = XlateError::ok;
  c_.report.set_level(level);
}

bool Pipeline::group(std::uint32_t id, bool is_last) {
  if (!limits_.resources_left(c_, exit_)) return false;
  const Group* found = c_.bridge().groups.find(id);
  if (found == nullptr) {
    if (!c_.bridge().has_groups) c_.gap(Input::groups, {c_.bridge().name});
    c_.report.note(NodeKind::warning, Remark::no_such_group, id);
    return true;
  }
  const Group& g = *found;
  if (g.type == Group::Type::all || g.type == Group::Type::indirect) {
    for (std::size_t i = 0; i < g.buckets.size(); ++i) run_bucket(g, i, is_last && i + 1 == g.buckets.size());
    return false;
  }
  constexpr OvsVersion kFourABucket{3, 5, 0};
  const BucketChoice choice = BucketChooser(*c_.at.bridge, c_.packet, c_.report, c_.policy, c_.fixed_in(kFourABucket)).choose(g);
  if (choice.recirculates) trigger_freeze();
  if (choice.hash) freezing_.want(*choice.hash);
  if (choice.bucket) {
    c_.report.note(NodeKind::detail, Remark::using_bucket, bucket_id(g, *choice.bucket));
    run_bucket(g, *choice.bucket, is_last);
    return false;
  }
  const OvsVersion& v = c_.version();
  const bool shows_hash = v >= OvsVersion{3, 6, 2} || (v.minor == 5 && v.patch >= 3) || (v.minor == 4 && v.patch >= 5) ||
                          (v.minor == 3 && v.patch >= 8);
  if (shows_hash && freezing_.is_active()) {
    if (freezing_.wants_hash()) c_.report.note(NodeKind::detail, Remark::dp_hash);
  } else {
    c_.report.note(NodeKind::detail, choice.recirculates ? Remark::no_bucket_yet : Remark::no_live_bucket);
  }
  return false;
}

}  // namespace egt::engine::ofproto
