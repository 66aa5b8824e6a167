#include "ovn/walker.h"

#include <algorithm>

#include "egtrace/packet/packet.h"

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

}  // namespace

bool Walker::at_limit(Nodes& nodes) {
  if (depth_ < kMaxDepth && tables_ < kMaxTables) return false;
  if (!trace_.cut) remark(nodes, NodeType::error, {Remark::Kind::limit, {}, {}, {}, 0, {}, nullptr});
  trace_.cut = true;
  return true;
}

void Walker::unanswered(Unanswered question) {
  if (network_.knows_all_of(question.table)) return;
  auto& all = trace_.unanswered;
  if (std::find(all.begin(), all.end(), question) == all.end()) all.push_back(std::move(question));
}

const NetworkFlow* Walker::find_flow(const LogicalDatapath& datapath, const FlowKey& packet, Pipeline pipeline,
                                     std::uint32_t table) {
  const LogicalNetwork::FoundFlow found = network_.lookup(datapath, packet, pipeline, table);
  if (found.undecided) unanswered({"Port_Binding", {}, {}, {}, found.undecided});
  // northd gives flows to the last stage of every datapath: where none is listed, the list is of other datapaths or cut.
  const auto& listed = pipeline == Pipeline::ingress ? datapath.ingress : datapath.egress;
  if (!found.flow && table >= listed.size()) unanswered({"Logical_Flow", datapath.friendly, {}, {}, nullptr});
  return found.flow;
}

void Walker::enter_table(const LogicalDatapath& datapath, FlowKey& packet, std::uint32_t table, Pipeline pipeline, Nodes& nodes) {
  if (at_limit(nodes)) return;
  const NetworkFlow* flow = find_flow(datapath, packet, pipeline, table);
  while (is_trivial(flow, table)) flow = find_flow(datapath, packet, pipeline, ++table);
  Stage stage{&datapath, pipeline, table, flow, {}};
  if (flow == nullptr) stage.name = network_.stage(datapath, pipeline, table);
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

namespace {

// ovn-controller asks for the MAC and holds the packet back. What newer releases do behind that (arp { … }; next;) is done to a
// copy without a MAC, which no port accepts.
bool is_held_back(const ovn::Action& action, const FlowKey& packet) {
  const auto* nested = std::get_if<ovn::Nested>(&action.kind);
  return nested != nullptr && (nested->kind == ovn::Nested::Kind::arp || nested->kind == ovn::Nested::Kind::nd_ns) &&
         packet.u64(FieldId::eth_dst) == 0;
}

}  // namespace

void Walker::execute_all(const ovn::ActionList& actions, const Place& at, FlowKey& packet) {
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

void Walker::execute(const ovn::Action& action, const Place& at, FlowKey& packet, Stack& stack) {
  const auto nothing = [](const auto&) {};
  std::visit(
      Overloaded{
          [&](const PlainAction& a) {
            switch (a.kind) {
              case PlainAction::Kind::output: return output(at, packet);
              case PlainAction::Kind::decrement_ttl: return decrement_ttl(at, packet);
              case PlainAction::Kind::ct_snat_to_vip: return snat_to_vip(at, packet);
              case PlainAction::Kind::flood_remote:
                return remark(at.nodes, NodeType::output, {Remark::Kind::flood_remote, {}, {}, {}, 0, {}, nullptr});
              case PlainAction::Kind::ct_clear:
                for (auto id = static_cast<unsigned>(FieldId::ct_state); id <= static_cast<unsigned>(FieldId::ct_tp_dst); ++id)
                  packet.set(static_cast<FieldId>(id), 0);
                return;
              default: return;
            }
          },
          [&](const ovn::NextTable& a) {
            if (a.pipeline == at.pipeline) return enter_table(at.datapath, packet, a.table, a.pipeline, at.nodes);
            const bool in = a.pipeline == Pipeline::ingress;
            Entered entered{&at.datapath, a.pipeline, nullptr, in, !in, {}, {}};
            (in ? entered.inport : entered.outport) = port_name(at.datapath, packet.u32(in ? FieldId::reg14 : FieldId::reg15));
            at.nodes.push_back({NodeType::pipeline, false, entered, {}});
            Nodes children;
            enter_table(at.datapath, packet, a.table, a.pipeline, children);
            at.nodes.back().children = std::move(children);
          },
          [&](const ovn::Load& a) { load(a, action, at, packet); },
          [&](const ovn::Move& a) { move(a, at, packet); },
          [&](const ovn::Exchange& a) { exchange(a, at, packet); },
          [&](const ovn::Push& a) { push(a, at, packet, stack); },
          [&](const ovn::Pop& a) { pop(a, at, packet, stack); },
          [&](const ovn::CtNext& a) { ct_next(a, action, at, packet); },
          [&](const ovn::CtNat& a) { ct_nat(a, action, at, packet); },
          [&](const ovn::CtCommit& a) { ct_commit(a, at, packet); },
          [&](const ovn::CheckPacketLarger& a) {
            if (environment_) packet.set(a.result.subfield(), environment_->is_larger(at.at(), a.length));
          },
          [&](const ovn::CtCommitToZone& a) { ct_commit_to_zone(a, action, at, packet); },
          [&](const ovn::CtLb& a) { ct_lb(a, action, at, packet); },
          [&](const ovn::Select& a) { select(a, action, at, packet); },
          [&](const ovn::Nested& a) { nested(a, action, at, packet); },
          [&](const ovn::GetBinding& a) { get_binding(a, at, packet); },
          [&](const ovn::LookupBinding& a) { lookup_binding(a, at, packet); },
          [&](const ovn::ResultAction& a) { result(a, at, packet); },
          [&](const ovn::PutOptions& a) { put_options(a, action, at, packet); },
          [&](const ovn::DhcpRelayCheck& a) { dhcp_relay(a, at, packet); },
          [&](const ovn::GetFdb& a) { get_fdb(a, at, packet); },
          [&](const ovn::LookupFdb& a) { lookup_fdb(a, at, packet); },
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
            at.nodes.push_back({NodeType::transformation, false, std::move(log), {}});
          },
          nothing,
      },
      action.kind);
}

Trace Walker::run(const LogicalDatapath& datapath, FlowKey packet) {
  const NetworkPort* in = datapath.port(packet.u32(FieldId::reg14));
  Entered entered{&datapath, Pipeline::ingress, nullptr, true, false, in ? in->friendly : "(unnamed)", {}};
  Nodes children;
  enter_table(datapath, packet, 0, Pipeline::ingress, children);
  trace_.root = {NodeType::pipeline, false, std::move(entered), std::move(children)};
  return std::move(trace_);
}

Trace Walker::run_behind_tunnel(const LogicalDatapath& datapath, FlowKey packet) {
  Nodes children;
  output({datapath, Pipeline::ingress, 0, children}, packet);
  trace_.root = {NodeType::pipeline, false, Entered{&datapath, Pipeline::egress, nullptr, true, true, {}, {}},
                 std::move(children)};
  return std::move(trace_);
}

Trace trace(const LogicalNetwork& network, const LogicalDatapath& datapath, const FlowKey& packet, const Options& options) {
  return Walker(network, options).run(datapath, packet);
}

}  // namespace egt::engine::logical
