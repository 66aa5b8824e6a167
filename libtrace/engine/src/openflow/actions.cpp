// One action after another: do_xlate_actions().
#include <algorithm>

#include "commit.h"
#include "egtrace/base/text.h"
#include "hash.h"
#include "headers.h"
#include "learned_flow.h"
#include "xlate.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// "symmetric_l4,1024,modulo_n,4,0,NXM_NX_REG0[]" as written.
struct MultipathArguments {
  std::optional<HashFields> fields;
  std::string_view algorithm;
  std::uint16_t basis = 0;
  unsigned links = 0, arg = 0;
};

unsigned multipath_number(std::string_view text) { return static_cast<unsigned>(parse_u64(trim(text)).value_or(0)); }

MultipathArguments multipath_arguments(std::string_view text) {
  std::vector<std::string_view> parts = split(text, ',');
  parts.resize(5);
  return {hash_fields(parts[0]), parts[2], static_cast<std::uint16_t>(multipath_number(parts[1])), multipath_number(parts[3]),
          multipath_number(parts[4])};
}

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
  bool operator()(const SetField& a) const {
    return a.word != "mod_dl_src" && a.word != "mod_dl_dst" && a.word.rfind("set_tunnel", 0) != 0 && is_l3_or_higher(a.field);
  }
  template <class Other>
  bool operator()(const Other&) const {
    return true;
  }
};

// Actions that remember in which table and flow they stood when they are frozen.
struct NeedsPlace {
  bool operator()(const OutputReg&) const { return true; }
  bool operator()(const OutputTruncated&) const { return true; }
  bool operator()(const GroupRef&) const { return true; }
  bool operator()(const Output&) const { return true; }
  bool operator()(const Controller&) const { return true; }
  bool operator()(const DecMplsTtl&) const { return true; }
  bool operator()(const DecNshTtl&) const { return true; }
  bool operator()(const DecTtl&) const { return true; }
  bool operator()(const Resubmit& a) const { return !a.table || *a.table == 255; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
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

}  // namespace

// One visitor for all actions; `stop` ends the whole list, `pause` keeps the action itself out of what is frozen.
struct Executor {
  Xlate& x;
  bool last = false, group_bucket = false;
  bool stop = false, skip = false;

  FlowKey& flow() const { return x.packet_.flow; }
  HeaderActions headers() const { return {x.packet_, x.out_, x.report_, x.policy_}; }
  FlowKey& wc() const { return *x.packet_.wc; }

  void operator()(const Output& a) {
    const auto number = x.bridge_->number_of(a.port);
    if (!number) return x.no_such_port(a.port);
    x.output(*number, 0xffff, last, false, group_bucket);
  }
  void operator()(const GroupRef& a) { stop = x.group(a.id, last); }
  void operator()(const Controller& a) {
    if (a.plain) return x.output(port::controller, a.max_len.value_or(0xffff), last, false, group_bucket);
    if (a.pause) {
      x.freezing_.pause = &a;
      x.trigger_freeze();
      skip = true;
      return;
    }
    x.to_controller(a.max_len.value_or(0xffff), reason_of(a), static_cast<std::uint16_t>(a.id.value_or(0)), a.meter_id, &a);
  }
  void operator()(const Enqueue& a) {
    mask_all(wc(), F::skb_priority);
    const auto given = static_cast<std::uint32_t>(get(flow(), F::in_port));
    std::uint32_t number = x.bridge_->number_of(a.port).value_or(0);
    const auto priority = queue_priority(a.queue);
    if (!priority) return x.output(number, 0, last, false, group_bucket);
    if (number == port::in_port) {
      number = given;
    } else if (number == given) {
      return;
    }
    const U128 old = flow().get(F::skb_priority);
    flow().set(F::skb_priority, *priority);
    x.output_to(number, last, false);
    flow().set(F::skb_priority, old);
  }
  void operator()(const SetQueue& a) {
    mask_all(wc(), F::skb_priority);
    if (const auto priority = queue_priority(a.queue)) flow().set(F::skb_priority, *priority);
  }
  // dpif_queue_to_priority: the kernel's queues are classes of a traffic control tree.
  std::optional<std::uint32_t> queue_priority(std::uint32_t queue) const {
    if (x.tables_.sw.native_tunnels(x.bridge())) return queue;
    if (queue >= 0xf000) return std::nullopt;
    return 0x10000u | (queue + 1);
  }
  void operator()(const PopQueue&) {
    mask_all(wc(), F::skb_priority);
    if (get(flow(), F::skb_priority) == x.original_skb_priority_) return;
    flow().set(F::skb_priority, x.original_skb_priority_);
    x.report_.note(NodeKind::detail, Remark::queue_is, x.original_skb_priority_);
  }
  void operator()(const SetVlanVid& a) {
    mask_bits(wc(), F::vlan_tci, kVlanVid | kVlanPresent);
    set_tag(a.word, [&](std::uint64_t tci) { return (tci & ~std::uint64_t{kVlanVid}) | a.vid; });
  }
  void operator()(const SetVlanPcp& a) {
    mask_bits(wc(), F::vlan_tci, kVlanPcp | kVlanPresent);
    set_tag(a.word, [&](std::uint64_t tci) { return (tci & ~std::uint64_t{kVlanPcp}) | std::uint64_t{a.pcp} << 13; });
  }
  template <class Change>
  void set_tag(const std::string& word, Change change) const {
    if (!(get(flow(), F::vlan_tci) & kVlanPresent) && word.rfind("mod_", 0) != 0) return;
    if (get(flow(), X::vlan_tpid) == 0) set(flow(), X::vlan_tpid, ethertype::vlan);
    flow().set(F::vlan_tci, change(get(flow(), F::vlan_tci)) | kVlanPresent);
  }
  void operator()(const PopVlan&) { pop_vlan(flow(), x.packet_.wc); }
  void operator()(const PushVlan& a) {
    push_vlan(flow(), x.packet_.wc);
    set(flow(), X::vlan_tpid, a.ethertype);
    flow().set(F::vlan_tci, kVlanPresent);
  }
  void operator()(const SetField& a) {
    if (a.word.rfind("set_tunnel", 0) == 0) return flow().set(F::tun_id, a.value);
    if (a.word.rfind("mod_", 0) == 0) return modify(a);
    if (!prerequisites_met(a.field, flow(), x.packet_.wc)) {
      Note n;
      n.what = Remark::unmet_prerequisites;
      n.field = whole(a.field);
      return x.report_.line(NodeKind::warning, std::move(n));
    }
    unmask_protocol(a.field);
    const U128 mask = a.mask.value_or(exact_mask(a.field));
    if (!(is_tunnel_field(a.field) && tunnel_writes_unmasked())) {
      unwildcard(wc(), a.field, mask);
      constexpr auto kOthers = tunnel_flag::df | tunnel_flag::csum | tunnel_flag::key;
      if (a.field == F::tun_flags && !a.mask) set(wc(), X::tun_header_flags, kOthers);  // flags without a name, too
    }
    write_masked(flow(), a.field, a.value, mask);
  }
  bool tunnel_writes_unmasked() const {
    const OvsVersion& v = x.version();
    return v >= OvsVersion{3, 6, 2} || (v.minor == 5 && v.patch >= 3) || (v.minor == 4 && v.patch >= 5) ||
           (v.minor == 3 && v.patch >= 8);
  }
  // As of the fix of CVE-2023-1668, which distributions carried back: no version shows that it is missing.
  void unmask_protocol(F f) const {
    const bool ip = f == F::ip_src || f == F::ip_dst || f == F::ipv6_src || f == F::ipv6_dst || f == F::ipv6_label ||
                    f == F::nw_tos || f == F::nw_ecn || f == F::nw_ttl;  // and not ip_dscp, which is another name
    const bool arp = f == F::arp_op || f == F::arp_sha || f == F::arp_tha || f == F::arp_spa || f == F::arp_tpa;
    if ((ip && is_ip_any(flow())) || (arp && get(flow(), F::eth_type) == ethertype::arp)) mask_bits(wc(), F::nw_proto, 0xff);
  }
  // The words of OpenFlow 1.0: no remark where the packet lacks the field.
  void modify(const SetField& a) const {
    F f = a.field;
    const bool is_port = a.word == "mod_tp_src" || a.word == "mod_tp_dst";
    if (f == F::nw_tos) f = F::ip_dscp;
    if (f == F::ip_src || f == F::ip_dst) {
      if (get(flow(), F::eth_type) != ethertype::ipv4) return;
    } else if (f != F::eth_src && f != F::eth_dst) {
      if (!is_ip_any(flow())) return;
      if (is_port && (get(flow(), F::ip_frag) & ip_frag::later)) return;
    }
    if (is_port) {
      mask_bits(wc(), F::nw_proto, 0xff);
      f = a.word == "mod_tp_src" ? F::tp_src : F::tp_dst;
    } else if (f != F::eth_src && f != F::eth_dst) {
      mask_bits(wc(), F::nw_proto, 0xff);
    }
    mask_all(wc(), f);
    flow().set(f, f == F::ip_dscp && a.field == F::nw_tos ? a.value >> 2 : a.value);
  }
  void operator()(const Resubmit& a) { x.resubmit(a, last); }
  void operator()(const GotoTable& a) {
    if (!a.table_name.empty()) return x.gap(Input::table_number, {a.table_name, x.bridge().name});
    x.table_action(static_cast<std::uint32_t>(get(flow(), F::in_port)), a.table, false, last, false);
  }
  void operator()(const Move& a) {
    if (prerequisites_met(a.dest.field, flow(), x.packet_.wc) && prerequisites_met(a.source.field, flow(), x.packet_.wc)) {
      unwildcard(wc(), a.source);
      unwildcard(wc(), a.dest);
      write(flow(), a.dest, read(flow(), a.source));
    }
    x.report_.field(a.dest, flow(), x.bridge());
  }
  void operator()(const Load& a) {
    if (!prerequisites_met(a.dest.field, flow(), x.packet_.wc)) return;
    unwildcard(wc(), a.dest);
    write(flow(), a.dest, a.value);
  }
  void operator()(const Push& a) {
    unwildcard(wc(), a.source);
    x.stack_.push(read(flow(), a.source), std::min(a.source.bits + 0u, field_bits(a.source.field, x.bridge().tlv_map)));
  }
  void operator()(const Pop& a) {
    if (x.stack_.empty()) return x.report_.error(Remark::stack_underflow);
    unwildcard(wc(), a.dest);
    write(flow(), a.dest, x.stack_.pop());
    x.report_.field(a.dest, flow(), x.bridge());
  }
  void operator()(const PushMpls& a) { headers().push_mpls(a.ethertype); }
  void operator()(const PopMpls& a) { headers().pop_mpls(a.ethertype); }
  void operator()(const SetMpls& a) {
    if (!is_mpls(get(flow(), F::eth_type))) return;
    const F f = a.what == "set_mpls_label" ? F::mpls_label : a.what == "set_mpls_tc" ? F::mpls_tc : F::mpls_ttl;
    mask_all(wc(), f);
    flow().set(f, a.value);
  }
  void operator()(const DecMplsTtl&) { stop = x.dec_mpls_ttl(); }
  void operator()(const DecNshTtl&) { stop = x.dec_nsh_ttl(); }
  void operator()(const DecTtl& a) {
    mask_all(wc(), F::nw_ttl);
    mask_bits(wc(), F::nw_proto, 0xff);
    stop = x.dec_ttl(a);
  }
  void operator()(const Multipath& a) {
    const MultipathArguments m = multipath_arguments(a.text);
    if (m.fields) {
      std::optional<std::uint16_t> link;
      if (x.policy_.chooses()) {
        link = static_cast<std::uint16_t>(m.links > 1 ? x.policy_.link(m.links) : 0);
      } else {
        link = multipath_link(flow_hash(flow(), *m.fields, m.basis), m.algorithm, m.links, m.arg);
      }
      mask_hash_fields(flow(), wc(), *m.fields);
      if (link) operator()(Load{*link, a.dest});
    }
    x.report_.field(a.dest, flow(), x.bridge());
  }
  void operator()(const Bundle& a) { x.bundle(a, last, group_bucket); }
  void operator()(const OutputReg& a) {
    const auto port = get_subfield(a.source);
    if (port > 0xffff) return x.report_.note(NodeKind::warning, Remark::output_port_out_of_range, port);
    x.report_.note(NodeKind::detail, Remark::output_port_is, port);
    unwildcard(wc(), a.source);
    x.output(static_cast<std::uint32_t>(port), 0xffff, last, false, group_bucket);
  }
  std::uint64_t get_subfield(const Subfield& s) const { return low64(read(flow(), s)); }
  void operator()(const OutputTruncated& a) { x.output_truncated(a, last, group_bucket); }
  void operator()(const Learn& a) { x.learn(a); }
  void operator()(const Conjunction&) { x.report_.error(Remark::conjunction_executed); }
  void operator()(const Exit&) { x.exit_ = true; }
  void operator()(const FinTimeout&) { mask_bits(wc(), F::nw_proto, 0xff); }
  // The value stays, for those who do not ask whether it is there.
  void operator()(const DeleteField& a) {
    set(flow(), X::tun_present,
        get(flow(), X::tun_present) &
            ~(std::uint64_t{1} << (static_cast<unsigned>(a.field) - static_cast<unsigned>(F::tun_metadata0))));
    Note n;
    n.what = Remark::deletes_field;
    n.field = whole(a.field);
    x.report_.line(NodeKind::detail, std::move(n));
  }
  void operator()(const ClearActions&) {
    x.report_.action_set(Remark::action_set_was, x.action_set_);
    x.action_set_.clear();
    flow().set(F::actset_output, port::unset);
    x.action_set_has_group_ = false;
  }
  void operator()(const WriteActions& a) {
    x.write_actions(x.ofpacts(a.actions));
    x.report_.action_set(Remark::action_set_is, x.action_set_);
  }
  void operator()(const WriteMetadata& a) {
    const std::uint64_t mask = a.mask.value_or(~std::uint64_t{0});
    flow().set(F::metadata, (get(flow(), F::metadata) & ~mask) | (a.value & mask));
  }
  void operator()(const Meter& a) { x.put_meter(a.id); }
  void operator()(const Clone& a) { x.clone(x.ofpacts(a.actions), last); }
  void operator()(const Encap& a) { headers().encap(a); }
  void operator()(const Decap& a) {
    const bool recirculate = headers().decap(a);
    if (x.packet_.error != XlateError::ok || !recirculate) return;
    x.trigger_freeze();
    skip = true;
  }
  void operator()(const Ct& a) { x.conntrack(a, last); }
  void operator()(const CtClear&) {
    if (x.conntracked_) x.ct_clear();
  }
  void operator()(const Sample&) {}  // nothing without IPFIX, of which no dump shows
  void operator()(const Opaque& a) {
    if (a.text == "debug_recirc") {
      x.trigger_freeze();
      skip = true;
    } else if (a.text == "debug_slow") {
      x.packet_.slow = true;
    } else {
      x.gap(Input::action_meaning, {a.text});
    }
  }
  template <class Other>
  void operator()(const Other&) {}
};

void Xlate::do_actions(const Ofpacts& list, bool is_last, bool group_bucket) {
  if (list.empty()) {
    report_.line(NodeKind::action, ActionLine{{}, true, true});
    return;
  }
  bool exit_list = false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Ofpact& o = list[i];
    const bool last = is_last && i + 1 == list.size() && action_set_.empty();
    if (packet_.error != XlateError::ok) break;
    recirculate_for_mpls(o);
    if (exit_ || exit_list) {
      if (freezing_.active) freeze_unroll(list, i);
      break;
    }
    constexpr OvsVersion kCopiedAgain{3, 1, 3}, kNotForMetadata{3, 1, 6};
    if (mirrored_ != 0 && fixed_in(kCopiedAgain) && makes_other_packet(o, packet_.flow, !fixed_in(kNotForMetadata)))
      mirrored_ = 0;
    report_.line(NodeKind::action, ActionLine{o, false, i + 1 == list.size()});
    if (o.nat) {
      ct_nat_ = o.nat;
      continue;
    }
    if (!o.action) {
      table_ = o.table;
      cookie_ = o.cookie;
      report_.note(NodeKind::thaw, Remark::restored_state, o.table, o.cookie);
      continue;
    }
    if (std::holds_alternative<CheckPktLarger>(o.action->kind)) {
      check_length(*o.action, Ofpacts(list.begin() + static_cast<std::ptrdiff_t>(i) + 1, list.end()));
      exit_list = true;
    } else {
      Executor e{*this, last, group_bucket};
      if (report_.observer()) report_.observer()->before(*o.action);
      std::visit(e, o.action->kind);
      if (report_.observer()) report_.observer()->after(*o.action);
      if (e.stop) return;
      const bool table = std::holds_alternative<Resubmit>(o.action->kind) || std::holds_alternative<GotoTable>(o.action->kind);
      if (table) continue;
      // Behind an action that freezes, whether or not what follows is frozen: what an earlier pause left over keeps it out.
      if (e.skip) ++i;
      if (packet_.error == XlateError::ok && exit_ && first_frozen_action()) {
        freeze_unroll(list, i);
        break;
      }
      continue;
    }
    if (packet_.error == XlateError::ok && exit_ && first_frozen_action()) {
      freeze_unroll(list, i);
      break;
    }
  }
}

void Xlate::recirculate_for_mpls(const Ofpact& o) {
  if (exit_ || !packet_.was_mpls) return;
  if (o.action && !std::visit(LooksBelowLabel{}, o.action->kind)) return;
  trigger_freeze();
}

void Xlate::freeze_unroll(const Ofpacts& list, std::size_t from) {
  for (std::size_t i = from; i < list.size(); ++i) {
    Ofpact o = list[i];
    if (o.action) {
      const auto& kind = o.action->kind;
      if (std::holds_alternative<openflow::Note>(kind) || std::holds_alternative<Conjunction>(kind)) continue;
      if (const auto* go = std::get_if<GotoTable>(&kind)) {
        Resubmit r;
        r.table = go->table;
        r.table_name = go->table_name;
        o.action = &tables_.actions->instead_of(*o.action, {r});
      } else if (const auto* metadata = std::get_if<WriteMetadata>(&kind)) {
        SetField set{F::metadata, metadata->value, std::nullopt, "set_field"};
        if (metadata->mask && *metadata->mask != ~std::uint64_t{0}) set.mask = *metadata->mask;
        o.action = &tables_.actions->instead_of(*o.action, {set});
      } else if (std::visit(NeedsPlace{}, kind)) {
        const Ofpact* known = freezing_.unroll ? &freezing_.actions[*freezing_.unroll] : nullptr;
        if (!known || known->table != table_ || known->cookie != cookie_) {
          freezing_.actions.push_back({nullptr, nullptr, table_, cookie_});
          freezing_.unroll = freezing_.actions.size() - 1;
        }
      }
    }
    freezing_.actions.push_back(o);
  }
}

void Xlate::write_actions(const Ofpacts& list) {
  if (!action_set_has_group_) {
    for (const Ofpact& o : list) {
      if (!o.action) continue;
      if (const auto* out = std::get_if<Output>(&o.action->kind)) {
        packet_.flow.set(F::actset_output, bridge_->number_of(out->port).value_or(0));
      } else if (const auto* controller = std::get_if<Controller>(&o.action->kind); controller && controller->plain) {
        packet_.flow.set(F::actset_output, port::controller);
      } else if (std::holds_alternative<GroupRef>(o.action->kind)) {
        packet_.flow.set(F::actset_output, port::unset);
        action_set_has_group_ = true;
        break;
      }
    }
  }
  action_set_.insert(action_set_.end(), list.begin(), list.end());
}

void Xlate::run_action_set() {
  const Ofpacts list = in_action_set_order(action_set_);
  action_set_.clear();
  if (list.empty()) return;
  in_action_set_ = true;
  const auto level = report_.level();
  Note title;
  title.what = Remark::executing_action_set;
  report_.enter(NodeKind::table, std::move(title));
  do_actions(list, true, false);
  report_.set_level(level);
  in_action_set_ = false;
}

void Xlate::clone(const Ofpacts& list, bool is_last) {
  const Retained old{packet_.flow, stack_, action_set_};
  constexpr OvsVersion kEmptyInClone{3, 1, 3};  // since then a clone begins with an empty stack and action set
  if (fixed_in(kEmptyInClone)) {
    stack_.clear();
    action_set_.clear();
  }
  if (reversible(list) || is_last) {
    do_actions(list, is_last, false);
    end_pipeline();
  } else {
    commit(packet_, out_);
    const FlowKey old_base = packet_.base;
    const bool old_was_mpls = packet_.was_mpls, old_conntracked = conntracked_;
    dp::Actions cloned = out_.nested(kCloneBytes, [&] {
      do_actions(list, true, false);
      end_pipeline();
    });
    if (!cloned.empty()) out_.put({dp::Clone{std::move(cloned)}});
    conntracked_ = old_conntracked;
    packet_.was_mpls = old_was_mpls;
    packet_.base = old_base;
  }
  action_set_ = old.action_set;
  stack_ = old.stack;
  packet_.flow = old.flow;
}

// Where it is known which branch is taken, that one is executed on a copy.
void Xlate::check_length(const Action& action, const Ofpacts& rest) {
  const auto& a = std::get<CheckPktLarger>(action.kind);
  const Retained old{packet_.flow, stack_, action_set_};
  constexpr OvsVersion kEmptyInside{3, 1, 3};
  if (fixed_in(kEmptyInside)) {
    stack_.clear();
    action_set_.clear();
  }
  const FlowKey before_commit = packet_.flow;
  commit(packet_, out_);
  const std::optional<bool> longer = policy_.is_longer_than(a.length, packet_.flow, out_.added_to_frame());
  const FlowKey old_base = packet_.base;
  const bool old_was_mpls = packet_.was_mpls, old_conntracked = conntracked_;
  bool old_exit = false;
  dp::CheckLength check;
  check.length = a.length;
  for (const bool larger : {true, false}) {
    // The switch translates both branches: it learns in both, and the second finds what the first has left of stack,
    // action set and frozen actions.
    const bool untaken = longer && *longer != larger;
    Observer* const observer = report_.set_observer(untaken ? nullptr : report_.observer());
    if (untaken) policy_.enter_untaken();
    (larger ? check.greater : check.not_greater) = out_.nested(larger ? kGreaterBytes : kNotGreaterBytes, [&] {
      if (longer && report_.observer()) report_.observer()->before(action);
      write(packet_.flow, a.dest, larger);
      if (longer && report_.observer()) report_.observer()->after(action);
      do_actions(rest, true, false);
      end_pipeline();
    });
    if (untaken) policy_.leave_untaken(packet_.error != XlateError::ok);
    report_.set_observer(observer);
    packet_.base = old_base;
    packet_.was_mpls = old_was_mpls;
    conntracked_ = old_conntracked;
    packet_.flow = before_commit;
    // What the first branch did to the list decides whether the callers go on.
    if (larger) old_exit = std::exchange(exit_, false);
  }
  exit_ = old_exit;
  dp::Actions& taken = longer.value_or(false) ? check.greater : check.not_greater;
  if (!longer) {
    out_.put({std::move(check)});
  } else if (!taken.empty()) {
    out_.put({dp::Clone{std::move(taken)}});
  }
  action_set_ = old.action_set;
  stack_ = old.stack;
  packet_.flow = old.flow;
}

void Xlate::learn(const Learn& a) {
  for (const LearnSpec& s : a.specs)
    if (const auto* source = std::get_if<Subfield>(&s.source)) unwildcard(*packet_.wc, *source);
  if (encapsulated_) {
    Note n;
    n.what = Remark::learns;
    n.learned = std::make_shared<const LearnedFlow>(learned_flow(a, packet_.flow));
    report_.line(NodeKind::detail, std::move(n));
  } else if (!policy_.learn(bridge(), a, packet_.flow)) {
    return report_.note(NodeKind::warning, Remark::learn_suppressed);
  }
  if (!a.result_dst) return;
  write(packet_.flow, *a.result_dst, 1);
  unwildcard(*packet_.wc, *a.result_dst);
  report_.field(*a.result_dst, packet_.flow, bridge());
}

}  // namespace egt::engine::ofproto
