#include "path_log.h"

#include <algorithm>

#include "egtrace/ovn_kubernetes/names.h"
#include "inconsistencies.h"

namespace egt::engine {
namespace {

using cluster::Node;

void assume_once(Assumption assumption, Record& record) {
  const auto& known = record.assumptions;
  if (std::none_of(known.begin(), known.end(), [&](const Assumption& a) { return a.says_as(assumption); }))
    record.assume(std::move(assumption));
}

// An address outside the external bridge's networks may be the bridge's all the same.
void presume_device(const Node& node, const std::string& device, Record& record) {
  const host::Link* link = node.host.link(device);
  if (link == nullptr || !link->name_made_up) return;
  Assumption assumption{Supposition::uplink_presumed, {node.name, device}};
  if (link->mac_made_up && !link->addresses.empty())
    assumption = {Supposition::device_presumed, {node.name, device, link->addresses.front().prefix.address}};
  assume_once(std::move(assumption), record);
}

}  // namespace

void PathLog::see(const Node& node, const std::string& device, bool in, const FlowKey& packet) {
  record_.passed_devices.push_back({node.name, device, in});
  if (node.host_presumed) presume_device(node, device, record_);
  if (!packet_.is_refusal()) record_.sightings.push_back({node.name, device, in, packet, std::nullopt, record_.steps.size()});
}

// Captures on these devices show them; their further path is not walked.
void PathLog::see_copies(const Node& node, const HostOutcome& outcome) {
  for (const HostOutcome& copy : outcome.copies)
    if (copy.kind == HostOutcome::Kind::transmit) see(node, copy.device, false, copy.packet);
}

void PathLog::presume(const Node& node) {
  const auto& tables = node.host.nft.value.tables;
  const bool nft = std::any_of(tables.begin(), tables.end(), [](const netfilter::Table& t) { return t.name == ovnk::kNftTable; });
  assume_once({Supposition::host_presumed, {node.name, std::uint64_t{nft}}}, record_);
}

// Dumps of a node that are inconsistent prove nothing of it, of its devices either.
Arrival PathLog::stop(Verdict verdict, Stop where) {
  if (const Node* node = where.node.empty() ? nullptr : cluster_.node(where.node); node != nullptr)
    note_inconsistencies(*node, cluster::Inconsistency::About::node, "", record_);
  Arrival arrival;
  arrival.verdict = verdict;
  if (verdict == Verdict::dropped) record_.add(where.node, where.layer, Lost{where.where, where.why}, where.evidence);
  if (verdict == Verdict::inconclusive) undecided_ = true;
  arrival.stop = std::move(where);
  return arrival;
}

Arrival PathLog::gap(const Node& node, Layer layer, Statement<Input> missing, Reason why) {
  record_.gap({node.name, missing.kind, missing.about});
  missing.about.insert(missing.about.begin(), missing.kind);
  return stop(Verdict::inconclusive, {node.name, layer, {PlaceKind::input, std::move(missing.about)}, {why}});
}

}  // namespace egt::engine
