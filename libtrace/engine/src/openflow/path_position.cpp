#include "path_position.h"

namespace egt::engine {

void PathPosition::expect(const openflow::Bridge& bridge, std::uint8_t table, std::optional<std::size_t> step) {
  ActionList first;
  first.bridge = &bridge;
  first.table = table;
  if (step && *step < recorder_.record().steps.size()) first.step = step;
  lists_.begin(first);
}

std::vector<Provenance> PathPosition::here() const {
  const auto step = lists_.current().step;
  return step ? recorder_.evidence_of(*step) : std::vector<Provenance>{};
}

std::vector<Provenance> PathPosition::evidence_of(std::size_t origin) const {
  return origin < recorder_.record().steps.size() ? recorder_.evidence_of(origin) : here();
}

// A logical datapath is known as soon as metadata is set: from then on it is OVN's pipeline.
Layer PathPosition::layer() const { return flow_ && flow_->u64(FieldId::metadata) != 0 ? Layer::ovn : Layer::ovs; }

void PathPosition::missing(Statement<Input> input) {
  if (input.kind != Input::mac_table) recorder_.set_undecided();
  if (input.kind == Input::shallow_pipeline) return end({Reason::tables_nest_too_deep});
  if (input.kind != Input::action_meaning && input.kind != Input::multipath_links)
    return recorder_.gap(input.kind, std::move(input.about));
  input.about.insert(input.about.begin(), input.kind);
  remark({Notice::not_understood, std::move(input.about)});
}

void PathPosition::limit(std::uint32_t packet) {
  if (packet == 0) return;
  Record& record = recorder_.record();
  const std::vector<Provenance>* lines = record.steps.empty() ? nullptr : &record.steps.back().evidence;
  const Provenance line = lines == nullptr || lines->empty() ? Provenance{} : lines->front();
  record.limit({packet, node().name, bridge().name, line, SizeLimit::By::flow});
}

void PathPosition::end(Cause why, std::vector<Provenance> evidence, std::uint8_t depth, const MissedTable& missed) {
  if (recorder_.end().is_of_reply()) return;
  recorder_.end().set({node().name, layer(), where(), std::move(why), std::move(evidence)}, depth, missed);
}

}  // namespace egt::engine
