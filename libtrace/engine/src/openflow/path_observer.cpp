#include "path_observer.h"

#include <fmt/format.h>

#include <utility>

#include "controllers.h"
#include "egtrace/openflow/tunnel_type.h"
#include "inconsistencies.h"
#include "ovn_controller/userdata.h"
#include "path_notes.h"
#include "rivals.h"

namespace egt::engine {

using namespace openflow;
using F = FieldId;

// --- lines ---------------------------------------------------------------------------------------------------------

void PathObserver::line(ofproto::TraceNode&& node) {
  ActionLists& lists = at_.lists();
  lists.leave_to(node.depth);
  if (const auto* action = std::get_if<ofproto::ActionLine>(&node.line)) {
    lists.set_last(action->last);
    const ActionList& list = lists.current();
    if (action->drop && !list.missed && !ct_) at_.end({Reason::flow_drops}, at_.here(), list.depth);
  } else if (std::holds_alternative<ofproto::TableLine>(node.line)) {
    enter_next(node.depth + 1);
  } else if (std::holds_alternative<ofproto::BridgeLine>(node.line)) {
    if (node.depth != 0) enter_next(node.depth + 1);  // else where the translation began
  } else if (const auto* bucket = std::get_if<ofproto::BucketLine>(&node.line)) {
    enter_bucket(*bucket, node.depth + 1);
  } else if (const auto* note = std::get_if<ofproto::Note>(&node.line)) {
    record_note(*note, at_);
  }
}

void PathObserver::enter_next(std::uint32_t level) {
  next_.level = level;
  at_.lists().enter(next_);
}

void PathObserver::enter_bucket(const ofproto::BucketLine& bucket, std::uint32_t level) {
  std::vector<Provenance> evidence = at_.here();
  evidence.push_back(bucket.group->from);
  ActionList list = at_.lists().nested();
  list.level = level;
  list.step =
      at_.add(GroupPick{at_.bridge().name, bucket.group->id, bucket.index, bucket.group->buckets.size()}, std::move(evidence));
  at_.lists().enter(list);
}

void PathObserver::crosses(const ofproto::SwitchPort& from, const ofproto::SwitchPort& to) {
  const std::string& bridge_name = to.bridge->bridge->name;
  at_.add(CrossPatch{at_.bridge().name, from.interface->name, bridge_name, to.interface->name}, at_.here());
  note_inconsistencies(node(), cluster::Inconsistency::About::bridge, bridge_name, record());
  next_ = at_.lists().nested();
  next_.bridge = to.bridge->bridge;
  next_.last = true;
  next_.table = 0;
}

void PathObserver::lacks_peer(const ofproto::SwitchPort& port, const ofproto::SwitchPort& named) {
  std::vector<Provenance> evidence = at_.here();
  for (const Provenance& line : {port.interface->from, named.interface->from})
    if (line.known()) evidence.push_back(line);
  at_.end({Reason::patch_peer_missing, {std::uint64_t{port.number}}}, std::move(evidence));
}

// --- tables --------------------------------------------------------------------------------------------------------

void PathObserver::looked_up(const ofproto::TableLookup& l) {
  next_ = at_.lists().nested();
  next_.table = l.table;
  next_.last = true;
  next_.missed = l.learned == nullptr && l.used == kNoFlow;
  if (next_.missed) return record_miss(l, next_.depth);
  const std::size_t step = record_match(l, next_.depth);
  next_.step = step;
  if (next_.depth == 0) at_.recorder().end().go_on(step);
}

void PathObserver::record_miss(const ofproto::TableLookup& l, std::uint8_t depth) {
  next_.step.reset();
  at_.lists().enter(next_);  // for where(), until its line comes
  if (l.drops_fragment) {
    at_.end({Reason::fragments_dropped, {l.bridge.name}}, {}, depth);
  } else if (l.hit == nullptr) {
    at_.end({Reason::flows_missing, {l.bridge.name}}, {});
  } else {
    const std::uint64_t metadata = l.key.u64(F::metadata);
    at_.add(TableMiss{l.bridge.name, l.table, metadata, depth}, {});
    at_.end({Reason::no_flow_matches}, {}, depth, {&l.bridge, metadata, l.key.u64(F::reg15)});
  }
  at_.lists().leave();
}

std::size_t PathObserver::record_match(const ofproto::TableLookup& l, std::uint8_t depth) {
  TableMatch m{l.bridge.name, l.table, 0, 0, l.key.u64(F::metadata), &l.bridge, l.used, {}, {}, depth, l.learned != nullptr};
  if (l.learned) {
    m.priority = l.learned->priority;
    m.cookie = l.learned->cookie;
    return at_.add(std::move(m), {l.learned->from});
  }
  const FlowTables& flows = *l.bridge.flows;
  const FlowEntry& f = flows.flow(l.used);
  m.priority = f.priority;
  m.cookie = f.cookie;
  m.conjunction = l.hit->conjunction;
  m.ties = rivals_of(flows, *l.hit);
  // Of a flow that has counted a packet it is not asked what would take its place.
  if (record().wants_shadowed && f.use.n_packets == 0U) m.shadowed = l.in->shadowed(l.table, l.key, l.used);
  std::vector<Provenance> evidence{f.from};
  for (const FlowIndex i : m.conjunction) evidence.push_back(flows.flow(i).from);
  return at_.add(std::move(m), std::move(evidence));
}

// --- actions -------------------------------------------------------------------------------------------------------

void PathObserver::before(const Action& action) {
  if (std::holds_alternative<Ct>(action.kind)) ct_ = &std::get<Ct>(action.kind);
  changes_.before(action, at_.flow());
}

void PathObserver::after(const Action& action) {
  ct_ = nullptr;
  if (const auto step = at_.lists().current().step) changes_.after(action, at_.flow(), record().steps[*step]);
  if (const auto* a = std::get_if<Meter>(&action.kind)) {
    at_.remark({Notice::meter, {std::uint64_t{a->id}}});
    at_.assume({Supposition::meter_passes, {std::uint64_t{a->id}, node().name}});
  } else if (const auto* t = std::get_if<OutputTruncated>(&action.kind)) {
    at_.remark({Notice::truncated, {std::uint64_t{t->max_len}}});
  }
}

// --- datapath actions ----------------------------------------------------------------------------------------------

std::size_t PathObserver::origin_of(const ofproto::dp::Action& action) {
  if (const auto* output = std::get_if<ofproto::dp::Output>(&action.kind)) return output_step(*output);
  if (const auto* ct = std::get_if<ofproto::dp::Conntrack>(&action.kind)) return ct_step(*ct);
  if (const auto* c = std::get_if<ofproto::dp::ToController>(&action.kind)) return controller_step(*c);
  return at_.lists().current().step.value_or(record().steps.size());
}

std::size_t PathObserver::output_step(const ofproto::dp::Output& output) {
  const Interface& port = *output.port.interface;
  if (openflow::is_tunnel_type(port.type)) note_inconsistencies(node(), cluster::Inconsistency::About::port, port.name, record());
  if (port.port_down) {
    at_.remark({Notice::port_down, {port.name}});
    at_.end({Reason::port_down, {port.name}});
    return record().steps.size();
  }
  if (port.link_down) at_.remark({Notice::port_without_link, {port.name}});
  const std::size_t step = at_.add(LeaveBridge{output.port.bridge->name, port.ofport.value_or(0), port.name}, at_.here());
  at_.recorder().set_place(step, at_.where());
  return step;
}

std::size_t PathObserver::ct_step(const ofproto::dp::Conntrack& ct) {
  CtPass pass;
  pass.bridge = at_.bridge().name;
  pass.zone = ct.zone;
  pass.commit = ct.commit || ct.force;
  if (ct_) pass.table = ct_->table;
  const std::size_t step = at_.add(std::move(pass), at_.here());
  at_.recorder().expect_tracking(step);
  return step;
}

std::size_t PathObserver::controller_step(const ofproto::dp::ToController& c) {
  const bool from_action = c.action != nullptr && !c.action->plain;
  if (c.action == nullptr && c.reason == ofproto::reason::invalid_ttl) return record().steps.size();
  std::string name = from_action ? c.action->reason.value_or("action") : "action";
  std::uint32_t code = 0;
  if (from_action && c.action->userdata)
    if (const auto opcode = opcode_of(*c.action->userdata)) {
      code = *opcode;
      name = opcode_name(code).empty() ? fmt::format("opcode {}", code) : std::string(opcode_name(code));
    }
  const std::size_t step =
      at_.add(engine::ToController{at_.bridge().name, std::move(name), code, from_action && c.action->pause}, at_.here());
  at_.recorder().set_place(step, at_.where());
  return step;
}

// --- ports and mirrors -----------------------------------------------------------------------------------------------

void PathObserver::no_live_member(const Bundle&) { at_.end({Reason::no_live_member}); }

void PathObserver::not_received(const ofproto::SwitchPort& port) { at_.end({Reason::port_no_receive, {port.interface->name}}); }

void PathObserver::in_spanning_tree(const ofproto::SwitchPort& port) {
  const Bridge& bridge = *port.bridge->bridge;
  if (port.tree_state() == ofproto::TreeState::blocks)
    return at_.end({Reason::port_in_tree, {port.interface->name, bridge.name}}, {port.bridge->settings.from});
  at_.assume({Supposition::tree_forwards, {port.interface->name, bridge.name, node().name}, {}, {port.bridge->settings.from}});
}

void PathObserver::mirrored(const ofproto::Mirror& m) {
  at_.recorder().end().set_mirror(m);
  at_.add(engine::Remark{Notice::mirrored, {m.row.name(), at_.bridge().name}}, {m.row.from()});
}

void PathObserver::mirrors_unknown(const ofproto::SwitchBridge& b) {
  at_.assume({Supposition::mirrors_take_no_port, {b.bridge->name, node().name}, {}, {b.settings.from}});
}

}  // namespace egt::engine
