// Where the translation stops and the datapath sends the packet back: conntrack, hashes, headers below a popped label;
// and what goes to a controller.
#include <algorithm>

#include "commit.h"
#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

std::vector<std::uint8_t> userdata_of(const Controller* action) {
  return action != nullptr && action->userdata ? *action->userdata : std::vector<std::uint8_t>();
}

}  // namespace

std::uint16_t reason_of(const Controller& a) {
  constexpr std::string_view kReasons[] = {"no_match", "action", "invalid_ttl", "action_set", "group", "packet_out"};
  const auto known = std::find(std::begin(kReasons), std::end(kReasons), a.reason.value_or("action"));
  return known == std::end(kReasons) ? reason::action : static_cast<std::uint16_t>(known - std::begin(kReasons));
}

void Xlate::trigger_freeze() {
  exit_ = true;
  freezing_.active = true;
}

FrozenState Xlate::frozen_state(std::uint8_t table) const {
  FrozenState s;
  s.bridge = bridge_;
  s.table = table;
  copy_tunnel(packet_.flow, s.metadata);
  copy_registers(packet_.flow, s.metadata);
  s.metadata.set(F::metadata, packet_.flow.get(F::metadata));
  s.metadata.set(F::in_port, packet_.flow.get(F::in_port));
  s.stack = stack_;
  s.conntracked = conntracked_;
  s.was_mpls = packet_.was_mpls;
  s.mirrored = mirrored_;
  return s;
}

std::uint32_t Xlate::finish_freezing(std::uint8_t table) {
  FrozenState s = frozen_state(table);
  s.first_port = first_port_;
  s.actions = freezing_.actions;
  s.action_set = action_set_;
  s.userdata = userdata_of(freezing_.pause);
  const std::uint32_t id = recirculations_.hold(s);
  if (freezing_.pause) {
    // A trace sends nothing to the controller, so nothing comes back.
    if (!encapsulated_ && !policy_.has_controller()) return 0;
    put_controller_action(freezing_.pause, true, id, freezing_.pause->max_len.value_or(0xffff), reason_of(*freezing_.pause),
                          static_cast<std::uint16_t>(freezing_.pause->id.value_or(0)));
    freezing_.cancel();
    return id;
  }
  if (freezing_.hash) out_.put({dp::Hash{freezing_.hash->symmetric_l4, freezing_.hash->basis}});
  out_.put({dp::Recirculate{id}});
  freezing_.cancel();
  return id;
}

void Xlate::finish_freezing_here() {
  commit(packet_, out_);
  finish_freezing(0);
}

void Xlate::end_pipeline() {
  if (!freezing_.active) run_action_set();
  if (freezing_.active) finish_freezing_here();
}

void Xlate::clear_conntrack() {
  conntracked_ = false;
  clear_ct(packet_.flow);
}

void Xlate::ct_clear() {
  clear_conntrack();
  out_.put({dp::ConntrackClear{}});
}

void Xlate::conntrack(const Ct& a, bool is_last) {
  std::uint16_t zone = 0;
  if (const auto* field = std::get_if<Subfield>(&a.zone)) {
    zone = static_cast<std::uint16_t>(packet_.flow.get(*field));
    if (!frozen_ || !is_register_or_metadata(field->field)) unwildcard(*packet_.wc, *field);
  } else if (const auto* number = std::get_if<std::uint16_t>(&a.zone)) {
    zone = *number;
  }
  const U128 old_label = packet_.wc->get(F::ct_label), old_mark = packet_.wc->get(F::ct_mark);
  commit(packet_, out_);
  ct_nat_ = nullptr;
  packet_.wc->set(F::ct_mark, 0);
  packet_.wc->set(F::ct_label, 0);
  do_actions(tables_.actions->inside(a), is_last, false);
  dp::Conntrack ct;
  ct.commit = a.commit && !a.force;
  ct.force = a.commit && a.force;
  ct.zone = zone;
  if (const auto mask = static_cast<std::uint32_t>(get(*packet_.wc, F::ct_mark)))
    ct.mark = {static_cast<std::uint32_t>(get(packet_.flow, F::ct_mark)) & mask, mask};
  if (const U128 mask = packet_.wc->get(F::ct_label)) ct.label = {packet_.flow.get(F::ct_label) & mask, mask};
  if (a.alg) ct.helper = *a.alg;
  if (ct_nat_) {
    ct.has_nat = true;
    ct.nat = *ct_nat_;
  }
  out_.put({std::move(ct)});
  packet_.wc->set(F::ct_mark, old_mark);
  packet_.wc->set(F::ct_label, old_label);
  if (a.table) {
    conntracked_ = true;
    freezing_.active = true;
    if (const std::uint32_t id = finish_freezing(*a.table)) {
      FlowKey forked = packet_.flow;
      forked.set(F::recirc_id, id);
      forked.set(F::ct_zone, zone);
      recirculations_.wait({id, forked, ct_nat_ ? std::optional(*ct_nat_) : std::nullopt});
      report_.note(NodeKind::detail, Remark::forked, *a.table);
    }
  }
  ct_nat_ = nullptr;
  clear_ct(packet_.flow);
  report_.note(NodeKind::detail, Remark::untracked);
  conntracked_ = false;
}

void Xlate::to_controller(std::uint32_t max_len, std::uint16_t why, std::uint16_t controller_id,
                          std::optional<std::uint32_t> meter, const Controller* action) {
  commit(packet_, out_);
  if (why == reason::action && rule_is_table_miss_) why = reason::explicit_miss;
  FrozenState s = frozen_state(table_);
  s.userdata = userdata_of(action);
  const std::uint32_t id = recirculations_.hold(s);
  if (!meter) return put_controller_action(action, false, id, max_len, why, controller_id);
  out_.put({dp::Sample{1.0, out_.nested(kSampleBytes, [&] {
                         put_meter(*meter);
                         put_controller_action(action, false, id, max_len, why, controller_id);
                       })}});
}

void Xlate::put_controller_action(const Controller* action, bool continuation, std::uint32_t recirc_id, std::uint32_t max_len,
                                  std::uint16_t why, std::uint16_t controller_id) {
  dp::ToController c;
  c.action = action;
  c.reason = why;
  c.controller_id = controller_id;
  c.max_len = static_cast<std::uint16_t>(max_len);
  c.dont_send = !continuation && !encapsulated_;
  c.continuation = continuation;
  c.recirc_id = recirc_id;
  c.cookie = cookie_;
  out_.put({c});
}

}  // namespace egt::engine::ofproto
