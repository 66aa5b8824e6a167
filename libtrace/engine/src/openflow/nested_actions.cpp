// Actions with others inside them, and what stands behind one that makes branches: clone, check_pkt_larger, ct.
#include <utility>

#include "commit.h"
#include "packet_fields.h"
#include "pipeline.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

std::uint16_t zone_of(const Ct& a, const XlateContext& c) {
  if (const auto* field = std::get_if<Subfield>(&a.zone)) {
    if (!c.arrival.frozen || !is_register_or_metadata(field->field)) unwildcard(*c.packet.wc, *field);
    return static_cast<std::uint16_t>(c.packet.flow.get(*field));
  }
  const auto* number = std::get_if<std::uint16_t>(&a.zone);
  return number ? *number : std::uint16_t{0};
}

// `packet`: after the actions inside, with what they wrote in its masks.
dp::Conntrack conntrack_of(const Ct& a, std::uint16_t zone, const Nat* nat, const XlatePacket& packet) {
  dp::Conntrack ct;
  ct.commit = a.commit && !a.force;
  ct.force = a.commit && a.force;
  ct.zone = zone;
  if (const auto mask = static_cast<std::uint32_t>(get(*packet.wc, F::ct_mark)))
    ct.mark = {static_cast<std::uint32_t>(get(packet.flow, F::ct_mark)) & mask, mask};
  if (const U128 mask = packet.wc->get(F::ct_label)) ct.label = {packet.flow.get(F::ct_label) & mask, mask};
  if (a.alg) ct.helper = *a.alg;
  if (nat) {
    ct.has_nat = true;
    ct.nat = *nat;
  }
  return ct;
}

}  // namespace

// With an empty stack and action set, as lists inside do.
void Pipeline::begin_empty() {
  constexpr OvsVersion kEmptyInside{3, 1, 3};
  if (!c_.fixed_in(kEmptyInside)) return;
  c_.packet.stack.clear();
  action_set_.clear();
}

void Pipeline::restore(Retained old) {
  action_set_.replace(std::move(old.action_set));
  c_.packet.stack = std::move(old.stack);
  c_.packet.flow = old.flow;
}

void Pipeline::clone(const Ofpacts& list, bool is_last) {
  XlatePacket& packet = c_.packet;
  Retained old = retain();
  begin_empty();
  if (reversible(list) || is_last) {
    do_actions(list, is_last, false);
    end_pipeline();
  } else {
    commit(packet, c_.out);
    const FlowKey old_base = packet.base;
    const bool old_was_mpls = packet.was_mpls, old_conntracked = packet.conntracked;
    dp::Actions cloned = c_.out.nested(kCloneBytes, [&] {
      do_actions(list, true, false);
      end_pipeline();
    });
    if (!cloned.empty()) c_.out.put({dp::Clone{std::move(cloned)}});
    packet.conntracked = old_conntracked;
    packet.was_mpls = old_was_mpls;
    packet.base = old_base;
  }
  restore(std::move(old));
}

// Where it is known which branch is taken, that one is executed on a copy.
void Pipeline::check_length(const Action& action, const Ofpacts& rest) {
  const auto& a = std::get<CheckPktLarger>(action.kind);
  XlatePacket& packet = c_.packet;
  XlateReport& report = c_.report;
  Retained old = retain();
  begin_empty();
  const FlowKey before_commit = packet.flow;
  commit(packet, c_.out);
  const std::optional<bool> longer = c_.policy.is_longer_than(a.length, packet.flow, c_.out.added_to_frame());
  const FlowKey old_base = packet.base;
  const bool old_was_mpls = packet.was_mpls, old_conntracked = packet.conntracked;
  bool old_exit = false;
  dp::CheckLength check;
  check.length = a.length;
  for (const bool larger : {true, false}) {
    // The switch translates both branches: it learns in both, and the second finds what the first has left of stack,
    // action set and frozen actions.
    const bool untaken = longer && *longer != larger;
    Observer* const observer = report.set_observer(untaken ? nullptr : report.observer());
    if (untaken) c_.policy.enter_untaken();
    (larger ? check.greater : check.not_greater) = c_.out.nested(larger ? kGreaterBytes : kNotGreaterBytes, [&] {
      if (longer && report.observer()) report.observer()->before(action);
      write(packet.flow, a.dest, larger);
      if (longer && report.observer()) report.observer()->after(action);
      do_actions(rest, true, false);
      end_pipeline();
    });
    if (untaken) c_.policy.leave_untaken(packet.error != XlateError::ok);
    report.set_observer(observer);
    packet.base = old_base;
    packet.was_mpls = old_was_mpls;
    packet.conntracked = old_conntracked;
    packet.flow = before_commit;
    // What the first branch did to the list decides whether the callers go on.
    if (larger) old_exit = std::exchange(exit_, false);
  }
  exit_ = old_exit;
  dp::Actions& taken = longer.value_or(false) ? check.greater : check.not_greater;
  if (!longer) {
    c_.out.put({std::move(check)});
  } else if (!taken.empty()) {
    c_.out.put({dp::Clone{std::move(taken)}});
  }
  restore(std::move(old));
}

void Pipeline::conntrack(const Ct& a, bool is_last) {
  XlatePacket& packet = c_.packet;
  const std::uint16_t zone = zone_of(a, c_);
  const U128 old_label = packet.wc->get(F::ct_label), old_mark = packet.wc->get(F::ct_mark);
  commit(packet, c_.out);
  ct_nat_ = nullptr;
  packet.wc->set(F::ct_mark, 0);
  packet.wc->set(F::ct_label, 0);
  do_actions(c_.tables.actions->inside(a), is_last, false);
  c_.out.put({conntrack_of(a, zone, ct_nat_, packet)});
  packet.wc->set(F::ct_mark, old_mark);
  packet.wc->set(F::ct_label, old_label);
  if (a.table) {
    packet.conntracked = true;
    freezing_.activate();
    if (const std::uint32_t id = freezing_.finish(c_, *a.table, action_set_.actions())) {
      FlowKey forked = packet.flow;
      forked.set(F::recirc_id, id);
      forked.set(F::ct_zone, zone);
      c_.recirculations.wait({id, forked, ct_nat_ ? std::optional(*ct_nat_) : std::nullopt});
      c_.report.note(NodeKind::detail, Remark::forked, *a.table);
    }
  }
  ct_nat_ = nullptr;
  clear_ct(packet.flow);
  c_.report.note(NodeKind::detail, Remark::untracked);
  packet.conntracked = false;
}

}  // namespace egt::engine::ofproto
