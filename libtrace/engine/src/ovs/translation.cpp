#include "translation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "contradictions.h"
#include "egtrace/base/text.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

// Limits of Open vSwitch (ovs-actions(7), "Tables and resubmit").
constexpr unsigned kMaxDepth = 64, kMaxResubmits = 4096;
constexpr std::size_t kMaxStack = 65536 / sizeof(U128);
// Limits of our own, far beyond what a working pipeline needs.
constexpr unsigned kMaxNesting = 1000, kMaxJobs = 256, kMaxLookUps = 65536;

// resubmit(…,ct) looks up with the original tuple of the connection in the place of the packet's own.
FlowKey with_original_tuple(const FlowKey& k) {
  FlowKey swapped = k;
  const bool v6 = family_of(k) == Family::v6;
  swapped.set(v6 ? F::ipv6_src : F::ip_src, k.get(v6 ? F::ct_ipv6_src : F::ct_nw_src));
  swapped.set(v6 ? F::ipv6_dst : F::ip_dst, k.get(v6 ? F::ct_ipv6_dst : F::ct_nw_dst));
  swapped.set(F::nw_proto, k.get(F::ct_nw_proto));
  swapped.set(F::tp_src, k.get(F::ct_tp_src));
  swapped.set(F::tp_dst, k.get(F::ct_tp_dst));
  return swapped;
}

IpAddr tunnel_destination(const FlowKey& k) {
  if (const auto v4 = k.u32(F::tun_dst)) return IpAddr::v4(v4);
  return IpAddr::v6(k.get(F::tun_ipv6_dst));
}

// The 64- or 128-bit register that an action writes as a whole, as OVN does with IPv6 addresses.
std::optional<FieldId> whole_register(const Action& action) {
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

// Which words of the packet an action may change.
WordRun words_written(const Action& action) {
  const auto& kind = action.kind;
  if (const auto* a = std::get_if<SetField>(&kind)) return words_of(a->field);
  if (const auto* a = std::get_if<Load>(&kind)) return words_of(a->dest.field);
  if (const auto* a = std::get_if<Move>(&kind)) return words_of(a->dest.field);
  if (std::holds_alternative<DecTtl>(kind)) return words_of(F::nw_ttl);
  return {};
}

std::string flow_command(const Bridge& b) { return "ovs-ofctl dump-flows " + b.name; }

}  // namespace

Translation::Translation(const cluster::Node& node, openflow::LookupSession& lookups, World& world, Record& record,
                         Chooser& chooser, const OvsOptions& options)
    : node_(node), lookups_(lookups), world_(world), record_(record), chooser_(chooser), options_(options) {}

// --- jobs ----------------------------------------------------------------------------------------------------------

OvsResult Translation::enter(const Bridge& bridge, std::uint32_t in_port, const FlowKey& packet) {
  Job job;
  job.state.bridge = &bridge;
  job.state.key = packet;
  clear_conntrack(job.state.key);  // whatever tracked it before: a port hands over an untracked packet
  job.state.key.set(F::in_port, in_port);
  job.state.key.set(F::actset_output, port::unset);
  job.state.quoted = options_.quoted;
  job.table = std::uint8_t{0};
  arrived_at_ = tunnel_destination(packet);
  const Interface* port = bridge.by_ofport(in_port);
  record_.add(node_.name, Layer::ovs, EnterBridge{bridge.name, in_port, port ? port->name : std::string()},
              port && port->from.known() ? std::vector<Provenance>{port->from} : std::vector<Provenance>{});
  note_contradictions(node_, cluster::Contradiction::About::machine, "", record_);
  note_contradictions(node_, cluster::Contradiction::About::bridge, bridge.name, record_);
  push(std::move(job));
  return drain();
}

OvsResult Translation::resume(const Bridge& bridge, std::uint8_t table, const FlowKey& packet) {
  Job job;
  job.state.bridge = &bridge;
  job.state.key = packet;
  job.state.quoted = options_.quoted;
  job.table = table;
  push(std::move(job));
  return drain();
}

OvsResult Translation::drain() {
  while (!jobs_.empty()) {
    if (++jobs_run_ > kMaxJobs || look_ups_ > kMaxLookUps) {
      result_.undecided = true;
      remark("the packet recirculates without an end; it is not followed any further");
      jobs_.clear();
      break;
    }
    run_job();
  }
  finish();
  return std::move(result_);
}

void Translation::run_job() {
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  const std::size_t queued = jobs_.size(), emitted = result_.emissions.size();
  state_ = std::move(job.state);
  answer_ = std::move(job.answer);
  job_evidence_ = std::move(job.evidence);
  step_.reset();
  resubmits_ = depth_ = nesting_ = 0;
  exit_ = aborted_ = false;
  if (job.table) {
    run_table(*job.table, key().u32(F::in_port), 0);
  } else {
    run_list(job.actions, 0);
  }
  run_action_set(0);
  if (!aborted_) return;
  // "Translation failed, packet is dropped": nothing of what this pass had decided takes place.
  result_.emissions.resize(emitted);
  jobs_.resize(queued);
}

// Nothing but the dump tells what other controllers than OVN's want of their bridges: one that was cut between two lines
// looks whole.
void Translation::doubt_a_miss(const Ending& ending) {
  if (ending.missed_in == nullptr || ending.stop.layer == Layer::ovn) return;
  record_.assume(fmt::format("the dump of the flows of {} on {} is whole", ending.missed_in->name, node_.name),
                 "none of them matches, and no other dump tells how many there are", {});
}

Stop Translation::end_of_main_line() const {
  Stop end{node_.name, Layer::ovs, "", "no action outputs the packet", {}};
  if (!main_line_) return end;
  const Step& step = record_.steps[*main_line_];
  const auto& match = std::get<TableMatch>(step.kind);
  end.layer = step.layer;
  end.where = fmt::format("{} table {}", match.bridge, match.table);
  end.evidence = {step.evidence.front()};
  return end;
}

void Translation::finish() {
  const bool left = std::any_of(result_.emissions.begin(), result_.emissions.end(), [](const OvsEmission& e) {
    return e.kind == OvsEmission::Kind::port || e.kind == OvsEmission::Kind::tunnel;
  });
  if (left) return;
  if (!ending_) ending_ = std::move(weak_);
  if (!ending_) ending_ = {end_of_main_line(), nullptr};
  doubt_a_miss(*ending_);
  result_.stop = std::move(ending_->stop);
}

// --- tables and lists ----------------------------------------------------------------------------------------------

bool Translation::within_limits() {
  const char* limit = nullptr;
  if (depth_ >= kMaxDepth)
    limit = "resubmits go deeper than 64 levels";
  else if (resubmits_ >= kMaxResubmits)
    limit = "more than 4096 resubmits";
  else if (state_.stack.size() >= kMaxStack)
    limit = "the stack of push and pop grows beyond 64 kB";
  if (limit) {
    aborted_ = true;
    reason(fmt::format("{}: Open vSwitch gives up and drops the packet", limit), 0, here());
    return false;
  }
  if (nesting_ < kMaxNesting && look_ups_ < kMaxLookUps) return true;
  aborted_ = result_.undecided = true;
  reason("the tables nest deeper than is followed here", 0, here());
  return false;
}

void Translation::run_table(std::uint8_t table, std::uint32_t in_port, std::uint8_t depth, bool swap_tuple) {
  const std::uint8_t old_table = state_.table;
  const bool deepens = table <= old_table;
  if (!within_limits()) return;
  if (swap_tuple && (key().u32(F::ct_nw_proto) == 0 || !is_ip(key()))) {
    remark("resubmit(…,ct) of a packet that conntrack has not seen does nothing", here());
    return;
  }
  state_.table = table;
  const Found found = [&] {
    FlowKey looked_up = swap_tuple ? with_original_tuple(key()) : key();
    looked_up.set(F::in_port, in_port);
    return look_up(table, looked_up, depth);
  }();
  if (found.actions) {
    ++resubmits_;
    ++nesting_;
    depth_ += deepens;
    if (found.actions->empty()) reason("a flow drops it", depth, {found.from});
    run_list(*found.actions, depth);
    depth_ -= deepens;
    --nesting_;
  }
  state_.table = old_table;
}

void Translation::note_missing_flows(std::uint8_t table) {
  const Bridge& b = bridge();
  if (!b.flows) {
    result_.undecided = true;
    gap("OpenFlow flows of " + b.name, flow_command(b));
    reason("the snapshot does not hold the flows of " + b.name, 0);
    return;
  }
  if (!b.flows_partial) return;
  result_.undecided = true;
  if (std::find(partial_noted_.begin(), partial_noted_.end(), b.name) != partial_noted_.end()) return;
  partial_noted_.push_back(b.name);
  gap(fmt::format("all OpenFlow flows of {} (the dump is an excerpt; table {} is needed)", b.name, table),
      flow_command(b));
}

const LearnedFlow* Translation::best_learned(std::uint8_t table, const FlowKey& k,
                                             std::optional<std::uint16_t> above) const {
  if (world_.learned.empty()) return nullptr;
  const auto it = world_.learned.find({node_.name, bridge().name});
  if (it == world_.learned.end()) return nullptr;
  const LearnedFlow* best = nullptr;
  for (const LearnedFlow& f : it->second) {
    if (f.table != table || (above && f.priority <= *above) || !matches(f.match.view(), k)) continue;
    if (!best || f.priority > best->priority) best = &f;
  }
  return best;
}

// Flows of equal priority that both match and do different things: OpenFlow leaves open which one is used.
std::optional<FlowIndex> Translation::choose_among_ties(const Lookup& hit, std::uint8_t table) {
  if (hit.ties.empty()) return std::nullopt;
  const FlowTables& flows = *bridge().flows;
  const std::string_view text = flows.actions_text(flows.flow(hit.hit));
  std::vector<FlowIndex> rivals;
  for (const FlowIndex i : hit.ties)
    if (flows.actions_text(flows.flow(i)) != text) rivals.push_back(i);
  if (rivals.empty()) return std::nullopt;
  ChoicePoint p{ChoicePoint::Kind::unknown,
                node_.name,
                fmt::format("flows of equal priority in {} table {}", bridge().name, table),
                "OpenFlow does not define which of them is used",
                {},
                {}};
  p.options.push_back({fmt::format("cookie 0x{:x}", flows.flow(hit.hit).cookie), {}});
  p.evidence.push_back(flows.flow(hit.hit).from);
  for (const FlowIndex i : rivals) {
    p.options.push_back({fmt::format("cookie 0x{:x}", flows.flow(i).cookie), {}});
    p.evidence.push_back(flows.flow(i).from);
  }
  const std::size_t chosen = chooser_.choose(p);
  if (chosen == 0 || chosen > rivals.size()) return std::nullopt;
  return rivals[chosen - 1];
}

// Of a flow that has counted a packet nobody asks what would take its place.
std::vector<FlowIndex> Translation::beaten_by(FlowIndex winner, std::uint8_t table, const FlowKey& k) const {
  const FlowTables& flows = *bridge().flows;
  if (!record_.wants_beaten || flows.flow(winner).use.n_packets != 0U) return {};
  return lookups_.in(flows).beaten(table, k, winner);
}

Translation::Found Translation::look_up(std::uint8_t table, const FlowKey& k, std::uint8_t depth) {
  ++look_ups_;
  note_missing_flows(table);
  step_.reset();
  if (!bridge().flows) return {};
  const FlowTables& flows = *bridge().flows;
  const Lookup hit = lookups_.in(flows).lookup(table, k);
  const bool have = hit.hit != kNoFlow;
  const std::uint64_t metadata = k.u64(F::metadata);
  const auto priority = have ? std::optional(flows.flow(hit.hit).priority) : std::nullopt;
  if (const LearnedFlow* l = best_learned(table, k, priority)) {
    TableMatch m{bridge().name, table, l->priority, l->cookie, metadata, state_.bridge, kNoFlow, {}, {}, depth, true};
    add(std::move(m), {l->from});
    step_ = record_.steps.size() - 1;
    return {&l->action_list, l->from};
  }
  if (!have) {
    add(TableMiss{bridge().name, table, metadata, depth});
    reason("no flow matches", depth, {}, &bridge());
    return {};
  }
  const FlowIndex index = choose_among_ties(hit, table).value_or(hit.hit);
  const FlowEntry& f = flows.flow(index);
  std::vector<Provenance> evidence{f.from};
  for (const FlowIndex i : hit.conjunction) evidence.push_back(flows.flow(i).from);
  add(TableMatch{bridge().name, table, f.priority, f.cookie, metadata, state_.bridge, index, hit.conjunction, hit.ties,
                 depth, false, beaten_by(index, table, k)},
      std::move(evidence));
  step_ = record_.steps.size() - 1;
  if (depth == 0) {
    weak_.reset();
    main_line_ = step_;
  }
  return {&flows.actions(f), f.from};
}

void Translation::run_list(const ActionList& list, std::uint8_t depth) {
  const auto owner = step_;
  for (std::size_t i = 0; i < list.size() && !exit_ && !aborted_; ++i) {
    step_ = owner;
    if (options_.both_lengths && std::holds_alternative<CheckPktLarger>(list[i].kind)) {
      run_both_lengths(list, i, depth);
      break;
    }
    if (!run_action(list[i], {depth, i + 1 == list.size()})) break;
  }
  step_ = owner;
}

void Translation::isolated(const std::function<void()>& body) {
  const PipelineState saved = state_;
  body();
  state_ = saved;
}

void Translation::run_both_lengths(const ActionList& list, std::size_t at, std::uint8_t depth) {
  const auto& check = std::get<CheckPktLarger>(list[at].kind);
  const ActionList rest(list.begin() + static_cast<std::ptrdiff_t>(at) + 1, list.end());
  for (const std::uint32_t larger : {1u, 0u}) {
    isolated([&] {
      write_field(check.dest, larger);
      run_list(rest, depth);
      run_action_set(depth);
    });
    exit_ = false;
  }
}

void Translation::run_action_set(std::uint8_t depth) {
  if (aborted_ || state_.action_set.empty()) return;
  const ActionList list = as_action_set(std::exchange(state_.action_set, {}));
  exit_ = false;
  run_list(list, depth);
}

bool Translation::run_field_action(const Action& action) {
  const FlowKey before = key();
  const FieldOutcome outcome = apply_field_action(action, state_);
  if (outcome == FieldOutcome::ttl_exceeded) {
    reason("its TTL is used up", 0, here());  // whatever follows in outer lists
    remark("TTL of 1 or less: Open vSwitch stops executing this flow", here());
    return false;
  }
  if (outcome == FieldOutcome::not_modelled) not_understood("an encapsulation that is not modelled");
  if (!std::holds_alternative<CtClear>(action.kind)) note_changes(before, words_written(action), whole_register(action));
  return true;
}

bool Translation::run_action(const Action& action, Place place) {
  const auto& kind = action.kind;
  if (const auto* a = std::get_if<Resubmit>(&kind)) return resubmit(*a, place), true;
  if (const auto* a = std::get_if<Output>(&kind)) return output(a->port, place), true;
  if (const auto* a = std::get_if<Ct>(&kind)) return ct(*a), true;
  if (const auto* a = std::get_if<GroupRef>(&kind)) return group(a->id, place);
  if (const auto* a = std::get_if<Controller>(&kind)) return controller(*a);
  if (const auto* a = std::get_if<OutputReg>(&kind))
    return output_number(static_cast<std::uint32_t>(key().get(a->source)), place), true;
  if (const auto* a = std::get_if<OutputTruncated>(&kind)) {
    remark(fmt::format("this copy is cut to {} bytes", a->max_len), here());
    return output(a->port, place), true;
  }
  if (const auto* a = std::get_if<Enqueue>(&kind)) return output(a->port, place), true;
  if (const auto* a = std::get_if<Clone>(&kind)) {
    isolated([&] {
      run_list(a->actions, place.nested());
      run_action_set(place.nested());
    });
    exit_ = false;
    return true;
  }
  if (const auto* a = std::get_if<Learn>(&kind)) return learn(*a), true;
  if (const auto* a = std::get_if<Bundle>(&kind)) return bundle(*a, place), true;
  if (const auto* a = std::get_if<Multipath>(&kind)) return multipath(*a), true;
  if (const auto* a = std::get_if<CheckPktLarger>(&kind)) return check_length(*a);
  if (const auto* a = std::get_if<GotoTable>(&kind)) {
    run_table(a->table, key().u32(F::in_port), place.nested());
    return true;
  }
  if (const auto* a = std::get_if<WriteActions>(&kind)) {
    state_.action_set.insert(state_.action_set.end(), a->actions.begin(), a->actions.end());
    return true;
  }
  if (std::holds_alternative<ClearActions>(kind)) return state_.action_set.clear(), true;
  if (std::holds_alternative<Exit>(kind)) {
    exit_ = true;
    return true;
  }
  if (const auto* a = std::get_if<Meter>(&kind)) {
    remark(fmt::format("meter {} may drop packets above its rate", a->id), here());
    return true;
  }
  if (const auto* a = std::get_if<Opaque>(&kind)) return not_understood(a->text), true;
  return run_field_action(action);
}

void Translation::resubmit(const Resubmit& a, Place place) {
  std::uint32_t in_port = key().u32(F::in_port);
  if (a.in_port) {
    const auto number = number_of(*a.in_port);
    if (!number) return unknown_port(0, a.in_port->name);
    if (*number != port::in_port) in_port = *number;
  }
  constexpr std::uint8_t kCurrent = 255;
  const std::uint8_t table = a.table.value_or(kCurrent);
  run_table(table == kCurrent ? state_.table : table, in_port, place.nested(), a.with_ct);
}

bool Translation::check_length(const CheckPktLarger& a) {
  write_field(a.dest, options_.packet_length > a.length ? 1 : 0);
  return true;
}

void Translation::write_field(const Subfield& dest, U128 value) {
  const FlowKey before = key();
  key().set(dest, value);
  note_changes(before, words_of(dest.field));
}

// multipath(fields, basis, algorithm, n_links, arg, dst): the hash is the datapath's affair, so every link is a way.
void Translation::multipath(const Multipath& a) {
  const std::vector<std::string_view> arguments = split(a.text, ',');
  constexpr std::size_t kLinks = 3, kMaxLinks = 64;
  std::uint64_t links = 0;
  if (arguments.size() > kLinks) links = parse_u64(trim(arguments[kLinks])).value_or(0);
  if (links == 0 || links > kMaxLinks) return not_understood("multipath(" + a.text + ")");
  ChoicePoint p{ChoicePoint::Kind::split, node_.name, "multipath", "", {}, here()};
  for (std::uint64_t i = 0; i < links; ++i) p.options.push_back({fmt::format("link {}", i), {}});
  write_field(a.dest, links > 1 ? chooser_.choose(p) : 0);
}

void Translation::not_understood(const std::string& what) {
  result_.undecided = true;
  remark("not understood: " + what, here());
}

// --- the record ----------------------------------------------------------------------------------------------------

void Translation::remark(std::string text, std::vector<Provenance> evidence) {
  add(Remark{std::move(text)}, std::move(evidence));
}

void Translation::gap(std::string what, std::string command) {
  const Gap g{node_.name, std::move(what), std::move(command)};
  if (std::find(record_.gaps.begin(), record_.gaps.end(), g) == record_.gaps.end()) record_.gaps.push_back(g);
}

// `as_one`: the wide register that was written as a whole, which is then one change rather than one a part.
void Translation::note_changes(const FlowKey& before, WordRun written, std::optional<FieldId> as_one) {
  if (!step_ || *step_ >= record_.steps.size()) return;
  const std::vector<FieldId> ids = as_one ? std::vector<FieldId>{*as_one} : differing_fields(before, key(), written);
  if (ids.empty()) return;
  constexpr std::size_t kUsual = 4;
  std::vector<FieldChange>& changed = record_.steps[*step_].changed;
  if (changed.empty()) changed.reserve(kUsual);
  for (const FieldId id : ids) {
    const U128 was = before.get(id), is = key().get(id);
    if (was == is) continue;
    const auto earlier =
        std::find_if(changed.rbegin(), changed.rend(), [&](const FieldChange& c) { return c.field == id; });
    if (earlier == changed.rend() || earlier->after != was)
      changed.push_back({id, was, is});
    else if (earlier->before == is)
      changed.erase(std::next(earlier).base());
    else
      earlier->after = is;
  }
}

void Translation::reason(std::string why, std::uint8_t depth, std::vector<Provenance> evidence,
                         const openflow::Bridge* missed_in) {
  if (answer_) return;
  Stop s{node_.name, layer(), where(), std::move(why), std::move(evidence)};
  (depth == 0 ? ending_ : weak_) = Ending{std::move(s), missed_in};
}

// A logical datapath is known as soon as metadata is set: from then on it is OVN's pipeline.
Layer Translation::layer() const { return state_.bridge && key().u64(F::metadata) != 0 ? Layer::ovn : Layer::ovs; }

std::string Translation::where() const {
  return state_.bridge ? fmt::format("{} table {}", bridge().name, state_.table) : node_.name;
}

std::vector<Provenance> Translation::here() const {
  if (!step_ || *step_ >= record_.steps.size()) return job_evidence_;
  return record_.steps[*step_].evidence;
}

}  // namespace egt::engine
