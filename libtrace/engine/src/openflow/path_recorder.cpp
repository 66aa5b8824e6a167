#include "path_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "controllers.h"
#include "egtrace/engine/missing_tunnel.h"
#include "egtrace/openflow/tunnel_type.h"
#include "inconsistencies.h"
#include "ovn_controller/userdata.h"
#include "packet_fields.h"
#include "rivals.h"

namespace egt::engine {
namespace {

using namespace openflow;
using ofproto::NodeKind;
using Line = ofproto::Remark;
using F = FieldId;

// Which words of the packet an action may change: of most actions those of one field. None: it changes no field itself.
struct WordsWritten {
  std::optional<WordRun> operator()(const SetField& a) const { return words_of(a.field); }
  std::optional<WordRun> operator()(const Load& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const Move& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const Pop& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const Multipath& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const CheckPktLarger& a) const { return words_of(a.dest.field); }
  std::optional<WordRun> operator()(const DeleteField& a) const { return words_of(a.field); }
  std::optional<WordRun> operator()(const WriteMetadata&) const { return words_of(F::metadata); }
  std::optional<WordRun> operator()(const DecTtl&) const { return words_of(F::nw_ttl); }
  std::optional<WordRun> operator()(const Bundle& a) const {
    return a.dest ? std::optional(words_of(a.dest->field)) : std::nullopt;
  }
  std::optional<WordRun> operator()(const Learn& a) const {
    return a.result_dst ? std::optional(words_of(a.result_dst->field)) : std::nullopt;
  }
  std::optional<WordRun> operator()(const PushVlan&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const PopVlan&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const SetVlanVid&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const SetVlanPcp&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const PushMpls&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const PopMpls&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const SetMpls&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const DecMplsTtl&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const DecNshTtl&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const Encap&) const { return WordRun{}; }
  std::optional<WordRun> operator()(const Decap&) const { return WordRun{}; }
  template <class Other>
  std::optional<WordRun> operator()(const Other&) const {
    return std::nullopt;
  }
};

// The 64- or 128-bit register that an action writes as a whole, as OVN does with IPv6 addresses.
std::optional<F> whole_register(const Action& action) {
  Subfield dest;
  if (const auto* a = std::get_if<Move>(&action.kind))
    dest = a->dest;
  else if (const auto* p = std::get_if<Pop>(&action.kind))
    dest = p->dest;
  else if (const auto* l = std::get_if<Load>(&action.kind))
    dest = l->dest;
  else if (const auto* f = std::get_if<SetField>(&action.kind); f && !f->mask)
    dest = whole(f->field);
  if (dest.field < F::xreg0 || dest.field > F::xxreg7 || dest != whole(dest.field)) return std::nullopt;
  return dest.field;
}

}  // namespace

void PathRecorder::expect(const Bridge& bridge, std::uint8_t table, std::optional<std::size_t> step) {
  Frame base;
  base.bridge = &bridge;
  base.table = table;
  if (step && *step < record_.steps.size()) base.step = step;
  frames_.assign(1, base);
}

void PathRecorder::begin(const FlowKey& flow) { flow_ = &flow; }

// --- lines ---------------------------------------------------------------------------------------------------------

void PathRecorder::line(ofproto::TraceNode&& node) {
  while (frames_.size() > 1 && frames_.back().level > node.depth) frames_.pop_back();
  if (const auto* action = std::get_if<ofproto::ActionLine>(&node.line)) {
    Frame& list = frames_.back();
    list.last = action->last;
    if (action->drop && !list.missed && !ct_) end({Reason::flow_drops}, list.depth, here());
  } else if (std::holds_alternative<ofproto::TableLine>(node.line)) {
    next_.level = node.depth + 1;
    frames_.push_back(next_);
  } else if (std::holds_alternative<ofproto::BridgeLine>(node.line)) {
    if (node.depth == 0) return;  // where the translation began
    next_.level = node.depth + 1;
    frames_.push_back(next_);
  } else if (const auto* bucket = std::get_if<ofproto::BucketLine>(&node.line)) {
    enter_bucket(*bucket, node.depth + 1);
  } else if (const auto* n = std::get_if<ofproto::Note>(&node.line)) {
    note(*n);
  }
}

std::uint8_t PathRecorder::nested_depth() const {
  const Frame& list = frames_.back();
  return list.last || list.depth == 255 ? list.depth : static_cast<std::uint8_t>(list.depth + 1);
}

void PathRecorder::enter_bucket(const ofproto::BucketLine& bucket, std::uint32_t level) {
  std::vector<Provenance> evidence = here();
  evidence.push_back(bucket.group->from);
  add(GroupPick{bridge().name, bucket.group->id, bucket.index, bucket.group->buckets.size()}, std::move(evidence));
  Frame list = frames_.back();
  list.level = level;
  list.depth = nested_depth();
  list.step = record_.steps.size() - 1;
  frames_.push_back(list);
}

void PathRecorder::crosses(const ofproto::SwitchPort& from, const ofproto::SwitchPort& to) {
  const std::string& bridge_name = to.bridge->bridge->name;
  add(CrossPatch{bridge().name, from.interface->name, bridge_name, to.interface->name}, here());
  note_inconsistencies(node_, cluster::Inconsistency::About::bridge, bridge_name, record_);
  next_ = frames_.back();
  next_.bridge = to.bridge->bridge;
  next_.depth = nested_depth();
  next_.last = true;
  next_.table = 0;
}

void PathRecorder::lacks_peer(const ofproto::SwitchPort& port, const ofproto::SwitchPort& named) {
  std::vector<Provenance> evidence = here();
  for (const Provenance& line : {port.interface->from, named.interface->from})
    if (line.known()) evidence.push_back(line);
  end({Reason::patch_peer_missing, {std::uint64_t{port.number}}}, 0, std::move(evidence));
}

// --- tables --------------------------------------------------------------------------------------------------------

void PathRecorder::looked_up(const ofproto::TableLookup& l) {
  const std::uint8_t depth = nested_depth();
  const std::uint64_t metadata = l.key.u64(F::metadata);
  next_ = frames_.back();
  next_.table = l.table;
  next_.depth = depth;
  next_.last = true;
  next_.missed = l.learned == nullptr && l.used == kNoFlow;
  if (!next_.missed) {
    record_match(l, depth);
    next_.step = record_.steps.size() - 1;
    if (depth != 0) return;
    weak_.reset();
    main_line_ = next_.step;
    return;
  }
  next_.step.reset();
  frames_.push_back(next_);  // for where(), until its line comes
  if (l.drops_fragment) {
    end({Reason::fragments_dropped, {l.bridge.name}}, depth, {});
  } else if (l.hit == nullptr) {
    end({Reason::flows_missing, {l.bridge.name}}, 0, {});
  } else {
    add(TableMiss{l.bridge.name, l.table, metadata, depth}, {});
    end({Reason::no_flow_matches}, depth, {}, {&l.bridge, metadata, l.key.u64(F::reg15)});
  }
  frames_.pop_back();
}

void PathRecorder::record_match(const ofproto::TableLookup& l, std::uint8_t depth) {
  TableMatch m{l.bridge.name, l.table, 0, 0, l.key.u64(F::metadata), &l.bridge, l.used, {}, {}, depth, l.learned != nullptr};
  if (l.learned) {
    m.priority = l.learned->priority;
    m.cookie = l.learned->cookie;
    return add(std::move(m), {l.learned->from});
  }
  const FlowTables& flows = *l.bridge.flows;
  const FlowEntry& f = flows.flow(l.used);
  m.priority = f.priority;
  m.cookie = f.cookie;
  m.conjunction = l.hit->conjunction;
  m.ties = rivals_of(flows, *l.hit);
  // Of a flow that has counted a packet nobody asks what would take its place.
  if (record_.wants_shadowed && f.use.n_packets == 0U) m.shadowed = l.in->shadowed(l.table, l.key, l.used);
  std::vector<Provenance> evidence{f.from};
  for (const FlowIndex i : m.conjunction) evidence.push_back(flows.flow(i).from);
  add(std::move(m), std::move(evidence));
}

// --- changes -------------------------------------------------------------------------------------------------------

void PathRecorder::before(const Action& action) {
  if (std::holds_alternative<Ct>(action.kind)) ct_ = &std::get<Ct>(action.kind);
  const auto words = std::visit(WordsWritten{}, action.kind);
  if (!words) return;
  for (std::size_t i = 0; i < words->count; ++i) before_.set_word(words->first + i, flow_->word(words->first + i));
}

void PathRecorder::after(const Action& action) {
  ct_ = nullptr;
  record_changes(action);
  if (const auto* a = std::get_if<Meter>(&action.kind)) {
    remark({Notice::meter, {std::uint64_t{a->id}}}, here());
    assume({Supposition::meter_passes, {std::uint64_t{a->id}, node_.name}});
  } else if (const auto* t = std::get_if<OutputTruncated>(&action.kind)) {
    remark({Notice::truncated, {std::uint64_t{t->max_len}}}, here());
  }
}

void PathRecorder::record_changes(const Action& action) {
  const auto words = std::visit(WordsWritten{}, action.kind);
  const auto step = frames_.back().step;
  if (!words || !step) return;
  if (const auto as_one = whole_register(action)) return record_change(*step, *as_one, before_.get(*as_one), flow_->get(*as_one));
  find_differing_fields(before_, *flow_, *words, changed_);
  for (const F id : changed_) record_change(*step, id, before_.get(id), flow_->get(id));
}

void PathRecorder::record_change(std::size_t step, F field, U128 before, U128 after) {
  if (before == after) return;
  constexpr std::size_t kUsual = 4;
  std::vector<FieldChange>& changed = record_.steps[step].changed;
  if (changed.empty()) changed.reserve(kUsual);
  const auto earlier = std::find_if(changed.rbegin(), changed.rend(), [&](const FieldChange& c) { return c.field == field; });
  if (earlier == changed.rend() || earlier->after != before)
    changed.push_back({field, before, after});
  else if (earlier->before == after)
    changed.erase(std::next(earlier).base());
  else
    earlier->after = after;
}

// --- datapath actions ----------------------------------------------------------------------------------------------

std::size_t PathRecorder::origin_of(const ofproto::dp::Action& action) {
  if (const auto* output = std::get_if<ofproto::dp::Output>(&action.kind)) return output_step(*output);
  if (const auto* ct = std::get_if<ofproto::dp::Conntrack>(&action.kind)) return ct_step(*ct);
  if (const auto* c = std::get_if<ofproto::dp::ToController>(&action.kind)) return controller_step(*c);
  return frames_.back().step.value_or(record_.steps.size());
}

std::size_t PathRecorder::output_step(const ofproto::dp::Output& output) {
  const Interface& port = *output.port.interface;
  if (openflow::is_tunnel_type(port.type)) note_inconsistencies(node_, cluster::Inconsistency::About::port, port.name, record_);
  if (port.port_down) {
    remark({Notice::port_down, {port.name}}, here());
    end({Reason::port_down, {port.name}}, 0, here());
    return record_.steps.size();
  }
  if (port.link_down) remark({Notice::port_without_link, {port.name}}, here());
  places_[record_.steps.size()] = where();
  add(LeaveBridge{output.port.bridge->name, port.ofport.value_or(0), port.name}, here());
  return record_.steps.size() - 1;
}

std::size_t PathRecorder::ct_step(const ofproto::dp::Conntrack& ct) {
  CtPass pass;
  pass.bridge = bridge().name;
  pass.zone = ct.zone;
  pass.commit = ct.commit || ct.force;
  if (ct_) pass.table = ct_->table;
  add(std::move(pass), here());
  ct_steps_.push_back(record_.steps.size() - 1);
  return ct_steps_.back();
}

std::size_t PathRecorder::controller_step(const ofproto::dp::ToController& c) {
  const bool from_action = c.action != nullptr && !c.action->plain;
  if (c.action == nullptr && c.reason == ofproto::reason::invalid_ttl) return record_.steps.size();
  std::string name = from_action ? c.action->reason.value_or("action") : "action";
  std::uint32_t code = 0;
  if (from_action && c.action->userdata)
    if (const auto opcode = opcode_of(*c.action->userdata)) {
      code = *opcode;
      name = opcode_name(code).empty() ? fmt::format("opcode {}", code) : std::string(opcode_name(code));
    }
  add(engine::ToController{bridge().name, std::move(name), code, from_action && c.action->pause}, here());
  places_[record_.steps.size() - 1] = where();
  return record_.steps.size() - 1;
}

// --- what else there is to say ---------------------------------------------------------------------------------------

void PathRecorder::missing(Statement<Input> input) {
  if (input.kind != Input::mac_table) undecided_ = true;
  if (input.kind == Input::shallow_pipeline) return end({Reason::tables_nest_too_deep}, 0, here());
  if (input.kind != Input::action_meaning && input.kind != Input::multipath_links) return gap(input.kind, std::move(input.about));
  input.about.insert(input.about.begin(), input.kind);
  remark({Notice::not_understood, std::move(input.about)}, here());
}

void PathRecorder::limit(std::uint32_t packet) {
  if (packet == 0) return;
  const std::vector<Provenance>* lines = record_.steps.empty() ? nullptr : &record_.steps.back().evidence;
  const Provenance line = lines == nullptr || lines->empty() ? Provenance{} : lines->front();
  record_.limit({packet, node_.name, bridge().name, line, SizeLimit::By::flow});
}

void PathRecorder::gap(Input input, Details about) { record_.gap({node_.name, input, std::move(about)}); }

void PathRecorder::remark(engine::Remark remark, std::vector<Provenance> evidence) {
  add(std::move(remark), std::move(evidence));
}

void PathRecorder::no_live_member(const Bundle&) { end({Reason::no_live_member}, 0, here()); }

void PathRecorder::not_received(const ofproto::SwitchPort& port) {
  end({Reason::port_no_receive, {port.interface->name}}, 0, here());
}

void PathRecorder::in_spanning_tree(const ofproto::SwitchPort& port) {
  const Bridge& bridge = *port.bridge->bridge;
  if (port.tree_state() == ofproto::TreeState::blocks)
    return end({Reason::port_in_tree, {port.interface->name, bridge.name}}, 0, {port.bridge->settings.from});
  assume({Supposition::tree_forwards, {port.interface->name, bridge.name, node_.name}, {}, {port.bridge->settings.from}});
}

void PathRecorder::mirrored(const ofproto::Mirror& m) {
  copied_by_ = &m;
  remark({Notice::mirrored, {m.row.name(), bridge().name}}, {m.row.from()});
}

void PathRecorder::mirrors_unknown(const ofproto::SwitchBridge& b) {
  assume({Supposition::mirrors_take_no_port, {b.bridge->name, node_.name}, {}, {b.settings.from}});
}

void PathRecorder::end(Cause why, std::uint8_t depth, std::vector<Provenance> evidence, const Missed& missed) {
  if (is_reply_) return;
  Stop s{node_.name, layer(), where(), std::move(why), std::move(evidence)};
  (depth == 0 ? ending_ : weak_) = Ending{std::move(s), missed};
}

void PathRecorder::end_at(std::size_t step, Cause why) {
  if (is_reply_) return;
  const auto place = places_.find(step);
  const Place where = place == places_.end() ? Place{} : place->second;
  ending_ = Ending{{node_.name, record_.steps[step].layer, where, std::move(why), evidence_of(step)}, {}};
}

void PathRecorder::remark_at(std::size_t step, Notice notice) {
  record_.add(node_.name, record_.steps[step].layer, engine::Remark{notice}, evidence_of(step));
}

void PathRecorder::tracked(std::size_t step, std::uint32_t state, const Tuple& before, const Tuple& after, Provenance entry) {
  executed_.push_back(step);
  Step& recorded = record_.steps[step];
  auto& pass = std::get<CtPass>(recorded.kind);
  pass.state = state;
  pass.entry = entry;
  if (entry.known()) recorded.evidence.push_back(entry);
  if (before == after) return;
  pass.before = before;
  pass.after = after;
  const std::string by = recorded.layer == Layer::ovn ? "ovn" : pass.bridge;
  if (before.src != after.src || before.sport != after.sport)
    record_.nat.push_back({node_.name, by, true, before, after, recorded.evidence});
  if (before.dst != after.dst || before.dport != after.dport)
    record_.nat.push_back({node_.name, by, false, before, after, recorded.evidence});
}

void PathRecorder::refused(std::size_t step, const std::string& with) {
  record_.add(node_.name, record_.steps[step].layer, Refused{places_[step], {Reason::ovn_rejects}, with}, evidence_of(step));
  end_at(step, {Reason::ovn_rejects, {with}});
}

const std::string& PathRecorder::controller_of(std::size_t step) const {
  return std::get<engine::ToController>(record_.steps[step].kind).reason;
}

Stop PathRecorder::end_of_main_line() const {
  Stop end{node_.name, Layer::ovs, {}, {Reason::no_output}};
  if (!main_line_) return end;
  const Step& step = record_.steps[*main_line_];
  const auto& match = std::get<TableMatch>(step.kind);
  end.layer = step.layer;
  end.where = {PlaceKind::table, {std::string(match.bridge), std::uint64_t{match.table}}};
  end.evidence = {step.evidence.front()};
  return end;
}

Stop PathRecorder::take_stop() {
  if (!ending_) ending_ = std::move(weak_);
  if (!ending_) ending_ = Ending{end_of_main_line(), {}};
  if (copied_by_ != nullptr)
    assume({Supposition::mirrors_take_elsewhere, {copied_by_->row.name(), node_.name}, {}, {copied_by_->row.from()}});
  // A dump that was cut between two lines looks complete. Tables of logical flows have a flow for whatever no other takes.
  const auto& [missed_in, datapath, out_port] = ending_->missed;
  const bool by_ovn = missed_in != nullptr && missed_in == node_.integration_bridge();
  if (const ovn::Chassis* unreached = by_ovn ? chassis_without_tunnel(node_, datapath, out_port) : nullptr)
    ending_->stop.evidence = {unreached->from};
  else if (missed_in != nullptr)
    assume({Supposition::flows_whole, {missed_in->name, node_.name}});
  return std::move(ending_->stop);
}

void PathRecorder::drop_unexecuted() {
  std::sort(executed_.begin(), executed_.end());
  std::vector<std::size_t> dropped;
  std::set_difference(ct_steps_.begin(), ct_steps_.end(), executed_.begin(), executed_.end(), std::back_inserter(dropped));
  if (dropped.empty()) return;
  std::vector<Step>& steps = record_.steps;
  std::size_t kept = dropped.front();
  for (std::size_t i = kept, next = 0; i < steps.size(); ++i)
    if (next < dropped.size() && dropped[next] == i)
      ++next;
    else
      steps[kept++] = std::move(steps[i]);
  steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(kept), steps.end());
}

std::vector<Provenance> PathRecorder::evidence_of(std::size_t step) const {
  return step < record_.steps.size() ? record_.steps[step].evidence : here();
}

std::vector<Provenance> PathRecorder::here() const {
  const auto step = frames_.back().step;
  return step ? record_.steps[*step].evidence : std::vector<Provenance>{};
}

// A logical datapath is known as soon as metadata is set: from then on it is OVN's pipeline.
Layer PathRecorder::layer() const { return flow_ && flow_->u64(F::metadata) != 0 ? Layer::ovn : Layer::ovs; }

Place PathRecorder::where() const { return {PlaceKind::table, {bridge().name, std::uint64_t{frames_.back().table}}}; }

}  // namespace egt::engine
