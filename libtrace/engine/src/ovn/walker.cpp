#include "ovn/walker.h"

#include <algorithm>

#include "egtrace/packet/packet.h"
#include "ovn/binding_actions.h"
#include "ovn/hairpin.h"
#include "ovn/made_packets.h"
#include "ovn/port_security.h"
#include "ovn_controller/packet_in.h"
#include "ovn_controller/userdata.h"

namespace egt::engine::logical {
namespace {

using ovn::Pipeline;
using ovn::PlainAction;

// A packet between two switches that loop would never end.
constexpr unsigned kMaxDepth = 1000;
constexpr unsigned long kMaxTables = 100000;

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

// A flow that only says `next` to the following table is not worth a line.
bool is_trivial(const NetworkFlow* flow, std::uint32_t table) {
  if (flow == nullptr || !flow->matches_all || flow->actions->size() != 1) return false;
  const auto* next = std::get_if<ovn::NextTable>(&flow->actions->front().kind);
  return next != nullptr && next->table == table + 1;
}

// ovn-controller asks for the MAC and holds the packet back. What newer releases do behind that (arp { … }; next;) is done to a
// copy without a MAC, which no port accepts.
bool is_held_back(const ovn::Action& action, const FlowKey& packet) {
  const auto* nested = std::get_if<ovn::Nested>(&action.kind);
  return nested != nullptr && (nested->kind == ovn::Nested::Kind::arp || nested->kind == ovn::Nested::Kind::nd_ns) &&
         packet.u64(FieldId::eth_dst) == 0;
}

std::optional<std::uint32_t> opcode_of(ovn::Nested::Kind kind) {
  using K = ovn::Nested::Kind;
  switch (kind) {
    case K::icmp4:
    case K::icmp6: return opcode::icmp;
    case K::icmp4_error: return opcode::icmp4_error;
    case K::icmp6_error: return opcode::icmp6_error;
    case K::tcp_reset: return opcode::tcp_reset;
    case K::sctp_abort: return opcode::sctp_abort;
    case K::reject: return opcode::reject;
    default: return std::nullopt;
  }
}

bool sets_mtu(const ovn::ActionList& actions) {
  return std::any_of(actions.begin(), actions.end(), [](const ovn::Action& action) {
    const auto* load = std::get_if<ovn::Load>(&action.kind);
    return load != nullptr && load->to.symbol->is_ovn_field && load->to.symbol->name.ends_with(".frag_mtu");
  });
}

}  // namespace

bool Walker::at_limit(Nodes& nodes) {
  if (depth_ < kMaxDepth && tables_ < kMaxTables) return false;
  if (!cut_) nodes.push_back({NodeType::error, false, remark_of(Remark::Kind::limit), {}});
  cut_ = true;
  return true;
}

void Walker::enter_table(const LogicalDatapath& datapath, FlowKey& packet, std::uint32_t table, Pipeline pipeline, Nodes& nodes) {
  if (at_limit(nodes)) return;
  const NetworkFlow* flow = southbound_.flow(datapath, packet, pipeline, table);
  while (is_trivial(flow, table)) flow = southbound_.flow(datapath, packet, pipeline, ++table);
  Stage stage{&datapath, pipeline, table, flow, {}};
  if (flow == nullptr) stage.name = datapath.stage(pipeline, table);
  const std::size_t step = environment_ ? environment_->met(stage, packet) : 0;
  nodes.push_back({NodeType::table, false, stage, {}});
  if (flow == nullptr) return;
  ++depth_;
  ++tables_;
  // The children grow while other nodes of this list do not, so the reference stays good.
  Nodes children;
  execute_all(*flow->actions, {datapath, pipeline, table, children, step}, packet);
  nodes.back().children = std::move(children);
  --depth_;
}

Node Walker::enter_pipeline(Entered entered, std::uint32_t table, FlowKey& packet) {
  Node node{NodeType::pipeline, false, Executed{}, {}};
  enter_table(*entered.datapath, packet, table, entered.pipeline, node.children);
  node.what = std::move(entered);
  return node;
}

void Walker::execute_all(const ovn::ActionList& actions, const ActionPlace& at, FlowKey& packet) {
  if (actions.empty()) at.nodes.push_back({NodeType::action, false, Executed{}, {}});
  if (actions.empty() && environment_) environment_->dropped(at.at());
  Stack stack;
  for (const ovn::Action& action : actions) {
    at.nodes.push_back({NodeType::action, false, Executed{&action}, {}});
    if (environment_ == nullptr) {
      execute(action, at, packet, stack);
      continue;
    }
    const FlowKey before = packet;
    execute(action, at, packet, stack);
    const bool goes_on = std::holds_alternative<ovn::NextTable>(action.kind);  // the tables there mention theirs themselves
    if (!goes_on) environment_->changed(at.at(), before, packet);
    if (is_held_back(action, packet)) return;
  }
}

void Walker::next_table(const ovn::NextTable& a, const ActionPlace& at, FlowKey& packet) {
  if (a.pipeline == at.pipeline) return enter_table(at.datapath, packet, a.table, a.pipeline, at.nodes);
  const bool in = a.pipeline == Pipeline::ingress;
  Entered entered{&at.datapath, a.pipeline, nullptr, in, !in, {}, {}};
  (in ? entered.inport : entered.outport) = port_name(at.datapath, packet.u32(in ? FieldId::reg14 : FieldId::reg15));
  at.nodes.push_back(enter_pipeline(std::move(entered), a.table, packet));
}

void Walker::result(const ovn::ResultAction& a, const ActionPlace& at, FlowKey& packet) {
  using K = ovn::ResultAction::Kind;
  const Subfield to = a.result.subfield();
  // What OVN cannot know of the tracked tuple is taken from the packet, where its own trace does so.
  const auto take = [&](FieldId from) {
    packet.set(to, packet.get(from));
    at.show(NodeType::modify, Became{a.result, packet.u64(from), false});
  };
  switch (a.kind) {
    case K::dns_lookup: packet.set(to, 0); return at.show(NodeType::error, remark_of(Remark::Kind::dns_lookup));
    case K::chk_lb_hairpin:
    case K::chk_lb_hairpin_reply: return check_hairpin(a, at, packet, southbound_, environment_);
    case K::check_in_port_sec:
      return packet.set(to, violates_ingress(southbound_.secured_port(at.datapath, packet.u32(FieldId::reg14)), packet));
    case K::check_out_port_sec:
      return packet.set(to, violates_egress(southbound_.secured_port(at.datapath, packet.u32(FieldId::reg15)), packet));
    case K::ct_tp_dst:
      if (options_.keeps_original_tuple) take(FieldId::tp_dst);
      return;
    case K::ct_proto: return take(FieldId::nw_proto);
    case K::ct_state_save: return save_ct_state(a.result, at, packet);
    case K::chk_ecmp_nh_mac:
    case K::chk_ecmp_nh:
    case K::chk_lb_aff:
    case K::ct_nw_dst:
    case K::ct_ip6_dst: return;
  }
}

void Walker::go_on(Transformed shown, std::uint32_t table, const ActionPlace& at, FlowKey& packet) {
  Node node{NodeType::transformation, false, std::move(shown), {}};
  enter_table(at.datapath, packet, table, at.pipeline, node.children);
  at.nodes.push_back(std::move(node));
}

// The packet goes on behind conntrack, as one that the datapath has recirculated.
void Walker::track(const Tracking& how, std::uint32_t table, const ActionPlace& at, const FlowKey& packet) {
  FlowKey tracked = packet;
  environment_->track(at.at(), how, tracked);
  enter_table(at.datapath, tracked, table, at.pipeline, at.nodes);
}

// Without a table to go on in, the packet loses what conntrack said of it.
void Walker::commit(const Tracking& how, const ActionPlace& at, FlowKey& packet) {
  environment_->track(at.at(), how, packet);
  clear_conntrack(packet);
}

template <class Ct>
void Walker::recirculate(const Ct& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet) {
  if (environment_) return track(tracking_of(a, at.datapath), a.table, at, packet);
  FlowKey tracked = packet;
  if (auto shown = conntrack_.track(a, action, at, packet, tracked)) go_on(std::move(*shown), a.table, at, tracked);
}

void Walker::ct_lb(const ovn::CtLb& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet) {
  if (environment_ == nullptr || a.backends.empty()) return recirculate(a, action, at, packet);
  const std::size_t chosen = environment_->choose_backend(at.at(), a, family_of(packet));
  if (chosen < a.backends.size()) track(tracking_to(a.backends[chosen], a, at.datapath), a.table, at, packet);
}

void Walker::select(const ovn::Select& a, const ovn::Action& action, const ActionPlace& at, const FlowKey& packet) {
  Transformed shown = conntrack_.select(a, action);
  if (environment_) shown.selected = environment_->choose_member(at.at(), a);
  FlowKey selected = packet;
  selected.set(a.result.subfield(), shown.selected);
  go_on(std::move(shown), a.table, at, selected);
}

void Walker::run_block(const ovn::Nested& a, Transformed::Kind kind, const ActionPlace& at, FlowKey& packet) {
  Node node{NodeType::transformation, false, Transformed{kind, nullptr, 0, false, 0, false, {}, {}}, {}};
  ++depth_;
  if (!at_limit(node.children)) execute_all(a.actions, {at.datapath, at.pipeline, at.table, node.children, at.step}, packet);
  --depth_;
  at.nodes.push_back(std::move(node));
}

// ARP requests, solicitations and their answers are of no packet that is asked about.
void Walker::refuse(const ovn::Nested& a, const ActionPlace& at, const FlowKey& packet) {
  const auto code = opcode_of(a.kind);
  if (!code) return;
  auto answer = refusal_of(packet, *code, sets_mtu(a.actions));
  if (!environment_->begin_refusal(at.at(), packet, answer.has_value())) return;
  ++depth_;
  if (!at_limit(at.nodes)) execute_all(a.actions, at, *answer);
  --depth_;
  environment_->end_refusal();
}

void Walker::nested(const ovn::Nested& a, const ActionPlace& at, const FlowKey& packet) {
  if (a.kind == ovn::Nested::Kind::clone) {
    FlowKey copy = packet;
    return run_block(a, Transformed::Kind::clone, at, copy);
  }
  if (environment_) return refuse(a, at, packet);
  if (auto made = packet_made_by(a.kind, packet)) run_block(a, made->kind, at, made->packet);
}

void Walker::execute(const ovn::Action& action, const ActionPlace& at, FlowKey& packet, Stack& stack) {
  const auto nothing = [](const auto&) {};
  std::visit(Overloaded{
                 [&](const PlainAction& a) {
                   switch (a.kind) {
                     case PlainAction::Kind::output: return output(at, packet);
                     case PlainAction::Kind::decrement_ttl: return decrement_ttl(at, packet);
                     case PlainAction::Kind::ct_snat_to_vip:
                       if (environment_) return commit(tracking_to_vip(southbound_.network(), packet), at, packet);
                       return show_snat_to_vip(at, packet, southbound_);
                     case PlainAction::Kind::flood_remote:
                       return at.show(NodeType::output, remark_of(Remark::Kind::flood_remote));
                     case PlainAction::Kind::ct_clear:
                       for (auto id = static_cast<unsigned>(FieldId::ct_state); id <= static_cast<unsigned>(FieldId::ct_tp_dst);
                            ++id)
                         packet.set(static_cast<FieldId>(id), 0);
                       return;
                     default: return;
                   }
                 },
                 [&](const ovn::NextTable& a) { next_table(a, at, packet); },
                 [&](const ovn::Load& a) { load(a, action, at, packet, southbound_); },
                 [&](const ovn::Move& a) { move(a, at, packet); },
                 [&](const ovn::Exchange& a) { exchange(a, at, packet); },
                 [&](const ovn::Push& a) { push(a, at, packet, stack); },
                 [&](const ovn::Pop& a) { pop(a, at, packet, stack); },
                 [&](const ovn::CtNext& a) { recirculate(a, action, at, packet); },
                 [&](const ovn::CtNat& a) { recirculate(a, action, at, packet); },
                 [&](const ovn::CtCommit& a) {
                   if (environment_) commit(tracking_of(a, at.datapath, packet), at, packet);
                 },
                 [&](const ovn::CheckPacketLarger& a) {
                   if (environment_) packet.set(a.result.subfield(), environment_->is_larger(at.at(), a.length));
                 },
                 [&](const ovn::CtCommitToZone& a) { recirculate(a, action, at, packet); },
                 [&](const ovn::CtLb& a) { ct_lb(a, action, at, packet); },
                 [&](const ovn::Select& a) { select(a, action, at, packet); },
                 [&](const ovn::Nested& a) { nested(a, at, packet); },
                 [&](const ovn::GetBinding& a) { get_binding(a, at, packet, southbound_, environment_); },
                 [&](const ovn::LookupBinding& a) { lookup_binding(a, at, packet, southbound_, environment_); },
                 [&](const ovn::ResultAction& a) { result(a, at, packet); },
                 [&](const ovn::PutOptions& a) { put_options(a, action, at, packet); },
                 [&](const ovn::DhcpRelayCheck& a) { dhcp_relay(a, at, packet); },
                 [&](const ovn::GetFdb& a) { get_fdb(a, at, packet, southbound_); },
                 [&](const ovn::LookupFdb& a) { lookup_fdb(a, at, packet, southbound_); },
                 [&](const ovn::CheckEvpnArp& a) { check_evpn(a, at, packet); },
                 [&](const ovn::Mirror& a) { mirror(a, at, packet); },
                 [&](const ovn::Log&) {
                   Transformed log{Transformed::Kind::log,
                                   &action,
                                   0,
                                   false,
                                   0,
                                   false,
                                   at.pipeline == Pipeline::ingress ? "IN" : "OUT",
                                   std::make_shared<const FlowKey>(packet)};
                   at.show(NodeType::transformation, std::move(log));
                 },
                 nothing,
             },
             action.kind);
}

Trace Walker::trace_of(Node root) { return {std::move(root), conntrack_.supposed(), cut_, southbound_.take_unanswered()}; }

Trace Walker::run(const LogicalDatapath& datapath, FlowKey packet) {
  const NetworkPort* in = datapath.port(packet.u32(FieldId::reg14));
  return trace_of(
      enter_pipeline({&datapath, Pipeline::ingress, nullptr, true, false, in ? in->friendly : "(unnamed)", {}}, 0, packet));
}

Trace Walker::run_behind_tunnel(const LogicalDatapath& datapath, FlowKey packet) {
  Node root{NodeType::pipeline, false, Entered{&datapath, Pipeline::egress, nullptr, true, true, {}, {}}, {}};
  output({datapath, Pipeline::ingress, 0, root.children}, packet);
  return trace_of(std::move(root));
}

Trace trace(const LogicalNetwork& network, const LogicalDatapath& datapath, const FlowKey& packet, const Options& options) {
  return Walker(network, options).run(datapath, packet);
}

}  // namespace egt::engine::logical
