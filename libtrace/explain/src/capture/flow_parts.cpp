#include "flow_parts.h"

namespace egt::explain::capture_study {

FlowParts parts_of(const Flow& flow) {
  FlowParts parts;
  for (const FlowPart& part : flow.parts) {
    const Track& t = *part.track;
    if (t.is_error()) {
      (part.reply ? parts.errors : parts.other).push_back(&part);
    } else if (flow.proto != ip_proto::tcp) {
      (part.reply ? parts.answer : parts.opening).push_back(&part);
    } else if (part.reply) {
      if (t.syn_ack.packets > 0 || (!flow.has_opening && t.acked.packets > 0)) parts.answer.push_back(&part);
      if (t.acked.packets > 0) parts.replies_later.push_back(&part);
      if (t.reset.packets > 0) parts.resets.push_back(&part);
    } else {
      if (t.syn.packets > 0 || !flow.has_opening) parts.opening.push_back(&part);
      if (t.acked.packets > 0) parts.later.push_back(&part);
      if (t.reset.packets > 0 && t.syn.packets == 0 && t.acked.packets == 0) parts.other.push_back(&part);
    }
  }
  return parts;
}

}  // namespace egt::explain::capture_study
