// What reading a node found out, for compiled snapshots.
#include <algorithm>
#include <exception>
#include <tuple>
#include <utility>

#include "egtrace/parsers/ovn_reader.h"
#include "snapshot/compiled.h"
#include "snapshot/model_bytes.h"
#include "snapshot/node_dumps_reader.h"

namespace egt::parsers {
namespace {

// What reading changes of a dump.
struct KeptDump {
  bool is_left_out = false, partial = false;
  std::uint64_t size = 0;  // of its text, of which the end may be cut off
  std::string topic, note, why_partial, superseded_by;
  cluster::DumpInfo info;
};

struct KeptRead {
  std::vector<KeptDump> dumps;
  std::vector<std::size_t> chosen;
  std::vector<Diagnostic> diagnostics;
};

bool shows_flows(const Candidate& c) {
  return c.format != nullptr && (c.format->kind.find("dump-flows") != std::string_view::npos ||
                                 c.format->kind.find("dump-groups") != std::string_view::npos);
}

bool is_database(const Candidate& c) { return c.format != nullptr && c.how.topic.starts_with("database "); }

// Which dumps showed a bridge's flows and groups.
using FlowsOrigin = std::tuple<SourceId, bool, bool, SourceId>;

std::vector<FlowsOrigin> origins_of(const cluster::Node& node) {
  std::vector<FlowsOrigin> all;
  for (const openflow::Bridge& b : node.bridges) all.emplace_back(b.flows_source, b.flows_partial, b.has_groups, b.groups_source);
  return all;
}

// All but its name and its list of dumps, at which other threads look.
template <class Member>
void take(Member& into, Member& from, const cluster::Node& node) {
  const void* const place = &into;
  if (place != &node.name && place != &node.dumps) into = std::move(from);
}

template <std::size_t... I>
void take_members(cluster::Node& into, cluster::Node& from, std::index_sequence<I...>) {
  auto members = members_of(into), made = members_of(from);
  (take(std::get<I>(members), std::get<I>(made), into), ...);
}

void take_all(cluster::Node& into, cluster::Node& from) {
  take_members(into, from, std::make_index_sequence<kMembers<cluster::Node>>());
}

}  // namespace

// In dumps of flows nothing is looked for: what is kept of them are places already.
std::shared_ptr<const WordPlaces> NodeDumpsReader::words() const {
  std::vector<std::string_view> searched = texts_;
  for (std::size_t i = 0; i < all_dumps_.size(); ++i)
    if (shows_flows(*all_dumps_[i])) searched[i] = {};
  return std::make_shared<const WordPlaces>(searched);
}

std::string NodeDumpsReader::bytes_of(const cluster::Node& node, const std::shared_ptr<const WordPlaces>& words) const {
  const cluster::Cluster& cluster = **sorted_->cluster;
  KeptRead read;
  for (const Candidate* c : all_dumps_)
    read.dumps.push_back({c->format == nullptr, c->dump.partial, c->dump.text.size(), c->how.topic, c->note, c->why_partial,
                          c->superseded_by, sorted_->info_of(*c)});
  for (const Candidate* c : chosen_)
    read.chosen.push_back(static_cast<std::size_t>(std::find(all_dumps_.begin(), all_dumps_.end(), c) - all_dumps_.begin()));
  read.diagnostics = diagnostics;
  ModelWriter out(*cluster.sources, sorted_->known_sources, texts_, words);
  out.put(read);
  out.put(node);
  return out.take();
}

std::string NodeDumpsReader::kept(const cluster::Node& node) const {
  const auto found = words();
  const auto bytes = std::make_shared<const std::string>(bytes_of(node, found));
  NodeDumpsReader again(sorted_, own_dumps_);
  again.texts_ = texts_;
  cluster::Node made;
  made.name = node.name;
  made.dumps = node.dumps;
  try {
    again.read_bytes(*bytes, bytes, made);
  } catch (const std::exception&) {
    return {};
  }
  return again.bytes_of(made, found) == *bytes ? *bytes : std::string();
}

// Of databases, which have much that no question comes to, what is viewed is checked, and all before a line is shown.
void NodeDumpsReader::read_kept(cluster::Node& node) {
  for (std::size_t i = 0; i < all_dumps_.size(); ++i) {
    Candidate& c = *all_dumps_[i];
    if (!is_database(c) || c.to_mask || !c.unchecked) {
      prepare_text(*sorted_, c);
      continue;
    }
    unchecked_.resize(all_dumps_.size());
    unchecked_[i] = c.unchecked;
    (*sorted_->cluster)->sources->check_first(c.dump.source, [file = c.unchecked, text = c.dump.text] {
      file->check(text.data(), text.size());
    });
  }
  read_bytes(known_->sections->at(known_->section), known_->sections->keep(), node);
}

void NodeDumpsReader::read_bytes(std::string_view bytes, const std::shared_ptr<const void>& keep, cluster::Node& node) {
  ModelReader in(bytes, *(*sorted_->cluster)->sources, sorted_->known_sources, texts_, keep, unchecked_);
  KeptRead read;
  in.get(read);
  if (read.dumps.size() != all_dumps_.size()) ModelReader::wrong();
  for (std::size_t i = 0; i < all_dumps_.size(); ++i) {
    Candidate& c = *all_dumps_[i];
    KeptDump& dump = read.dumps[i];
    if (dump.is_left_out) c.format = nullptr;
    c.dump.partial = dump.partial;
    c.dump.text = texts_[i].substr(0, dump.size);
    c.how.topic = std::move(dump.topic);
    c.note = std::move(dump.note);
    c.why_partial = std::move(dump.why_partial);
    c.superseded_by = std::move(dump.superseded_by);
    cluster::DumpInfo& info = sorted_->info_of(c);
    if (dump.info.source != info.source) ModelReader::wrong();
    info.lines = dump.info.lines;  // what else is in it was known before, and other threads may look at it
    info.understood = dump.info.understood;
    info.ignored = dump.info.ignored;
    info.not_understood = std::move(dump.info.not_understood);
    info.partial = dump.info.partial;
    info.superseded_by = std::move(dump.info.superseded_by);
  }
  for (const std::size_t chosen : read.chosen) {
    if (chosen >= all_dumps_.size() || all_dumps_[chosen]->format == nullptr) ModelReader::wrong();
    chosen_.push_back(all_dumps_[chosen]);
  }
  diagnostics = std::move(read.diagnostics);
  cluster::Node made;
  in.get(made);
  if (!in.at_end()) ModelReader::wrong();
  kept_texts_ = in.keep();
  take_all(node, made);
  const std::vector<FlowsOrigin> shown = origins_of(node);
  load_flows(node);
  if (!node.ovn.logical_flows.empty()) node.ovn.language = ovn_lang::language();
  if (in.bridges.size() != node.bridges.size() || origins_of(node) != shown) ModelReader::wrong();
  for (std::size_t i = 0; i < node.bridges.size(); ++i) {
    openflow::Bridge& bridge = node.bridges[i];
    const BridgeCounts& counts = in.bridges[i];
    if (counts.ports_indexed) bridge.index_ports();
    if (counts != BridgeCounts{bridge.flows.has_value(), counts.ports_indexed, bridge.flows ? bridge.flows->size() : 0,
                               bridge.groups.size()})
      ModelReader::wrong();
  }
}

// These have an index of their own, or are few.
void NodeDumpsReader::load_flows(cluster::Node& node) const {
  cluster::Cluster scratch;
  scratch.sources = (*sorted_->cluster)->sources;
  for (openflow::Bridge& bridge : node.bridges)
    bridge.has_groups = false, bridge.groups_source = kNoSource;  // whose dump shows that
  for (Candidate* c : chosen_) {
    if (!shows_flows(*c)) continue;
    Report said_before;
    c->format->load(c->dump, scratch, node, said_before);
  }
}

}  // namespace egt::parsers
