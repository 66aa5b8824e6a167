#include "ovn/logical_path.h"

#include "openflow/packet_fields.h"
#include "ovn_controller/packet_in.h"

namespace egt::engine {
namespace {

Place stage_of(const TableMatch& match) { return {PlaceKind::stage, {std::string(match.intended_by), std::string(match.stage)}}; }

}  // namespace

std::size_t LogicalPath::meet(const logical::Stage& stage, const FlowKey& packet) {
  const bool missed = stage.flow == nullptr;
  TableMatch match{bridge_.name,
                   static_cast<std::uint8_t>(stage.table),
                   0,
                   0,
                   packet.u64(FieldId::metadata),
                   nullptr,
                   openflow::kNoFlow,
                   {},
                   {},
                   0,
                   false};
  match.metadata = stage.datapath->key;
  match.intended_by = stage.datapath->friendly;
  match.stage = missed ? std::string_view(stage.name) : std::string_view(stage.flow->row->stage);
  if (missed) {
    const std::size_t step = add(TableMiss{bridge_.name, match.table, match.metadata, 0});
    end({Reason::no_flow_matches}, stage_of(match), {});
    return step;
  }
  match.priority = stage.flow->row->priority;
  match.cookie = stage.flow->row->uuid.prefix();
  return add(std::move(match), {stage.flow->row->from});
}

void LogicalPath::change(std::size_t step, const FlowKey& before, const FlowKey& after) {
  for (const FieldId id : differing_fields(before, after)) {
    if (id >= FieldId::ct_state && id <= FieldId::ct_tp_dst) continue;
    record_.steps[step].changed.push_back({id, before.get(id), after.get(id)});
  }
}

void LogicalPath::lack(Input what, Details about) {
  recorder_.set_undecided();
  record_.gap({node_.name, what, std::move(about)});
}

void LogicalPath::note_unread(const ovn::sb::LogicalFlow& flow) {
  recorder_.set_undecided();
  add(Remark{Notice::not_understood, {Input::action_meaning, std::string(flow.match)}}, {flow.from});
}

Place LogicalPath::place_of(std::size_t step) const {
  const auto* match = step < record_.steps.size() ? std::get_if<TableMatch>(&record_.steps[step].kind) : nullptr;
  if (match == nullptr) return {PlaceKind::bridge, {bridge_.name}};
  return stage_of(*match);
}

void LogicalPath::end(Cause why, Place where, std::vector<Provenance> evidence) {
  if (!refusal_) stop_ = Stop{node_.name, Layer::ovn, std::move(where), std::move(why), std::move(evidence)};
}

void LogicalPath::end(Cause why, std::size_t step) { end(std::move(why), place_of(step), evidence_of(step)); }

void LogicalPath::end_in_bridge(Cause why, std::vector<Provenance> evidence) {
  end(std::move(why), {PlaceKind::bridge, {bridge_.name}}, std::move(evidence));
}

void LogicalPath::begin_refusal(std::size_t step) {
  end({Reason::ovn_rejects}, step);
  refusal_ = add(Refused{place_of(step), {Reason::ovn_rejects}, ""}, evidence_of(step));
}

void LogicalPath::leave(OvsEmission&& e, std::size_t step) {
  add(LeaveBridge{bridge_.name, e.port->ofport.value_or(0), e.port->name}, evidence_of(step));
  e.bridge = &bridge_;
  ofproto::clear_registers(e.packet);
  e.packet.set(FieldId::metadata, 0);
  if (refusal_) {
    e.kind = OvsEmission::Kind::rejected;
    e.reject_with = result_.reject_with = refusal_name(e.packet);
    auto& shown = std::get<Refused>(record_.steps[*refusal_].kind);
    shown.with = e.reject_with;
    shown.why.about = {e.reject_with};
  }
  result_.emissions.push_back(std::move(e));
}

OvsResult LogicalPath::take_result() {
  result_.undecided |= recorder_.is_undecided();
  if (result_.emissions.empty()) {
    if (!stop_) end_in_bridge({Reason::no_output});
    result_.stop = std::move(stop_);
  }
  return std::move(result_);
}

}  // namespace egt::engine
