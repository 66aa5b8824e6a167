// One action after another: do_xlate_actions().
#include <memory>
#include <utility>

#include "commit.h"
#include "controllers.h"
#include "field_actions.h"
#include "learned_flow.h"
#include "packet_fields.h"
#include "pipeline.h"
#include "ttl.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// Actions after a popped MPLS label that look below it; the others go on.
struct LooksBelowLabel {
  bool operator()(const Output&) const { return false; }
  bool operator()(const OutputTruncated&) const { return false; }
  bool operator()(const OutputReg&) const { return false; }
  bool operator()(const Enqueue&) const { return false; }
  bool operator()(const Controller& a) const { return !a.plain; }  // else an output
  bool operator()(const SetVlanVid&) const { return false; }
  bool operator()(const SetVlanPcp&) const { return false; }
  bool operator()(const SetQueue&) const { return false; }
  bool operator()(const GroupRef&) const { return false; }
  bool operator()(const SetField& a) const { return is_l3_or_higher(a.field); }
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }
};

bool is_metadata(F f) {  // mf_is_any_metadata()
  return f <= F::xxreg7 && (f < F::tun_id || f > F::tun_gtpu_msgtype || f == F::tun_erspan_dir);
}

// Actions behind which mirrors take another copy (reset_mirror_ctx()).
struct MakesOtherPacket {
  const FlowKey& flow;
  bool by_metadata = false;  // whether writes of metadata are among them
  bool writes(F f) const { return (by_metadata || !is_metadata(f)) && prerequisites_met(f, flow, nullptr); }
  bool operator()(const SetField& a) const { return a.word.rfind("set_tunnel", 0) != 0 && writes(a.field); }
  bool operator()(const Load& a) const { return writes(a.dest.field); }
  bool operator()(const PopVlan&) const { return true; }
  bool operator()(const PushVlan&) const { return true; }
  bool operator()(const SetVlanVid&) const { return true; }
  bool operator()(const SetVlanPcp&) const { return true; }
  bool operator()(const PushMpls&) const { return true; }
  bool operator()(const PopMpls&) const { return true; }
  bool operator()(const SetMpls&) const { return true; }
  bool operator()(const DecMplsTtl&) const { return true; }
  bool operator()(const DecNshTtl&) const { return true; }
  bool operator()(const DecTtl&) const { return true; }
  bool operator()(const Encap&) const { return true; }
  bool operator()(const Decap&) const { return true; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

bool makes_other_packet(const Ofpact& o, const FlowKey& flow, bool by_metadata) {
  return o.nat != nullptr || (o.action != nullptr && std::visit(MakesOtherPacket{flow, by_metadata}, o.action->kind));
}

void learn(const Learn& a, XlateContext& c) {
  XlatePacket& packet = c.packet;
  for (const LearnSpec& s : a.specs)
    if (const auto* source = std::get_if<Subfield>(&s.source)) unwildcard(*packet.wc, *source);
  if (packet.is_encapsulated()) {
    Note n;
    n.what = Remark::learns;
    n.learned = std::make_shared<const LearnedFlow>(learned_flow(a, packet.flow));
    c.report.line(NodeKind::detail, std::move(n));
  } else if (!c.policy.learn(c.bridge(), a, packet.flow)) {
    return c.report.note(NodeKind::warning, Remark::learn_suppressed);
  }
  if (!a.result_dst) return;
  write(packet.flow, *a.result_dst, 1);
  unwildcard(*packet.wc, *a.result_dst);
  c.report.field(*a.result_dst, packet.flow, c.bridge());
}

}  // namespace

// One visitor for all actions; `stop` ends the whole list, `skip` keeps the action itself out of what is frozen.
struct Pipeline::Executor {
  Pipeline& p;
  XlateContext& c;
  bool last = false, group_bucket = false;
  bool stop = false, skip = false;

  void operator()(const Output& a) { p.ports_.output(a.port, last, group_bucket); }
  void operator()(const Enqueue& a) { p.ports_.enqueue(a, last, group_bucket); }
  void operator()(const OutputReg& a) { p.ports_.output_register(a, last, group_bucket); }
  void operator()(const OutputTruncated& a) { p.ports_.output_truncated(a, last, group_bucket); }
  void operator()(const Bundle& a) { p.ports_.bundle(a, last, group_bucket); }
  void operator()(const GroupRef& a) { stop = p.group(a.id, last); }
  void operator()(const Controller& a) {
    if (a.plain) return p.ports_.output(port::controller, a.max_len.value_or(0xffff), last, false, group_bucket);
    if (!a.pause) return to_controller(c, PacketIn(a), a.meter_id);
    p.freezing_.pause_for(a);
    freeze();
  }
  void operator()(const Resubmit& a) { p.resubmit(a, last); }
  void operator()(const GotoTable& a) {
    if (!a.table_name.empty()) return c.gap(Input::table_number, {a.table_name, c.bridge().name});
    p.enter_table(static_cast<std::uint32_t>(get(c.packet.flow, F::in_port)), a.table, false, last, false);
  }
  void operator()(const DecMplsTtl&) { stop = dec_mpls_ttl(c); }
  void operator()(const DecNshTtl&) { stop = dec_nsh_ttl(c); }
  void operator()(const DecTtl& a) { stop = dec_ttl(c, a); }
  void operator()(const Learn& a) { learn(a, c); }
  void operator()(const Conjunction&) { c.report.error(Remark::conjunction_executed); }
  void operator()(const Exit&) { p.exit_ = true; }
  void operator()(const ClearActions&) {
    c.report.action_set(Remark::action_set_was, p.action_set_.actions());
    p.action_set_.clear_actions(c.packet.flow);
  }
  void operator()(const WriteActions& a) {
    p.write_actions(plain(a.actions));
    c.report.action_set(Remark::action_set_is, p.action_set_.actions());
  }
  void operator()(const Meter& a) { c.out.put({c.meter(a.id)}); }
  void operator()(const Clone& a) { p.clone(plain(a.actions), last); }
  void operator()(const Decap& a) {
    const bool recirculate = FieldActions{c}.headers().decap(a);
    if (c.packet.error == XlateError::ok && recirculate) freeze();
  }
  void operator()(const Ct& a) { p.conntrack(a, last); }
  void operator()(const CtClear&) {
    if (!c.packet.conntracked) return;
    c.packet.clear_conntrack();
    c.out.put({dp::ConntrackClear{}});
  }
  void operator()(const Sample&) {}  // nothing without IPFIX, of which no dump shows
  void operator()(const Opaque& a) {
    if (a.text == "debug_recirc") {
      freeze();
    } else if (a.text == "debug_slow") {
      c.packet.slow = true;
    } else {
      c.gap(Input::action_meaning, {a.text});
    }
  }
  template <class Other>
  void operator()(const Other& a) {
    FieldActions{c}(a);
  }

  const Ofpacts& plain(const ActionList& list) { return c.tables.actions->plain(list); }
  void freeze() {
    p.trigger_freeze();
    skip = true;
  }
};

bool Pipeline::execute(const Ofpacts& list) {
  ports_.mirror_input();
  do_actions(list, true, false);
  if (c_.packet.error != XlateError::ok) return false;
  end_pipeline();
  return true;
}

void Pipeline::do_actions(const Ofpacts& list, bool is_last, bool group_bucket) {
  if (list.empty()) {
    c_.report.line(NodeKind::action, ActionLine{{}, true, true});
    return;
  }
  bool exit_list = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Ofpact& o = list[i];
    const bool last = is_last && i + 1 == list.size() && action_set_.empty();
    if (c_.packet.error != XlateError::ok) break;
    recirculate_for_mpls(o);
    if (exit_ || exit_list) {
      if (freezing_.is_active()) freezing_.keep(list, i, c_.at, *c_.tables.actions);
      break;
    }
    constexpr OvsVersion kCopiedAgain{3, 1, 3}, kNotForMetadata{3, 1, 6};
    if (c_.packet.mirrored != 0 && c_.fixed_in(kCopiedAgain) &&
        makes_other_packet(o, c_.packet.flow, !c_.fixed_in(kNotForMetadata)))
      c_.packet.mirrored = 0;
    c_.report.line(NodeKind::action, ActionLine{o, false, i + 1 == list.size()});
    if (o.nat) {
      ct_nat_ = o.nat;
      continue;
    }
    if (!o.action) {
      c_.at.table = o.table;
      c_.at.cookie = o.cookie;
      c_.report.note(NodeKind::thaw, Remark::restored_state, o.table, o.cookie);
      continue;
    }
    if (std::holds_alternative<CheckPktLarger>(o.action->kind)) {
      check_length(*o.action, Ofpacts(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end()));
      exit_list = true;
    } else {
      Executor e{*this, c_, last, group_bucket};
      if (c_.report.observer()) c_.report.observer()->before(*o.action);
      std::visit(e, o.action->kind);
      if (c_.report.observer()) c_.report.observer()->after(*o.action);
      if (e.stop) return;
      const bool table = std::holds_alternative<Resubmit>(o.action->kind) || std::holds_alternative<GotoTable>(o.action->kind);
      if (table) continue;
      // Behind an action that freezes, whether or not what follows is frozen: what an earlier pause left over keeps it out.
      if (e.skip) ++i;
      if (c_.packet.error == XlateError::ok && exit_ && freezing_.is_first_action()) {
        freezing_.keep(list, i, c_.at, *c_.tables.actions);
        break;
      }
      continue;
    }
    if (c_.packet.error == XlateError::ok && exit_ && freezing_.is_first_action()) {
      freezing_.keep(list, i, c_.at, *c_.tables.actions);
      break;
    }
  }
}

void Pipeline::trigger_freeze() {
  exit_ = true;
  freezing_.activate();
}

void Pipeline::recirculate_for_mpls(const Ofpact& o) {
  if (exit_ || !c_.packet.was_mpls) return;
  if (o.action && !std::visit(LooksBelowLabel{}, o.action->kind)) return;
  trigger_freeze();
}

void Pipeline::finish_freezing_here() {
  commit(c_.packet, c_.out);
  freezing_.finish(c_, 0, action_set_.actions());
}

void Pipeline::end_pipeline() {
  if (!freezing_.is_active()) run_action_set();
  if (freezing_.is_active()) finish_freezing_here();
}

void Pipeline::run_action_set() {
  const Ofpacts list = in_action_set_order(action_set_.actions());
  action_set_.clear();
  if (list.empty()) return;
  c_.at.in_action_set = true;
  const auto level = c_.report.level();
  Note title;
  title.what = Remark::executing_action_set;
  c_.report.enter(NodeKind::table, std::move(title));
  do_actions(list, true, false);
  c_.report.set_level(level);
  c_.at.in_action_set = false;
}

}  // namespace egt::engine::ofproto
