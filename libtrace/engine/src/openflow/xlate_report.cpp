#include "xlate_report.h"

#include <utility>

namespace egt::engine::ofproto {

void XlateReport::note(NodeKind kind, Remark what, std::uint64_t a, std::uint64_t b, std::string text, std::string more) const {
  if (!observer_) return;
  Note n;
  n.what = what;
  n.a = a;
  n.b = b;
  n.text = std::move(text);
  n.more = std::move(more);
  line(kind, std::move(n));
}

void XlateReport::actions(NodeKind kind, Remark what, const Ofpacts& list) const {
  if (!observer_) return;
  Note n;
  n.what = what;
  n.list = list;
  line(kind, std::move(n));
}

void XlateReport::action_set(Remark what, const Ofpacts& set) const {
  if (observer_) actions(NodeKind::detail, what, in_action_set_order(set));
}

void XlateReport::field(const Subfield& f, const FlowKey& flow, const openflow::Bridge& bridge) const {
  if (!observer_) return;
  Note n;
  n.what = Remark::field_is_now;
  n.field = f;
  n.value = read(flow, f);
  if (f == whole(F::vlan_vid)) n.value |= flow.get(F::vlan_tci) & kVlanPresent;           // as set_field takes it
  if (f == whole(F::nsh_spi) && n.value == exact_mask(F::nsh_spi)) n.value = 0xffffffff;  // as a mask is read
  n.bridge = &bridge;
  line(NodeKind::detail, std::move(n));
}

}  // namespace egt::engine::ofproto
