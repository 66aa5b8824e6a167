#include "conclusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

#include "egtrace/openflow/tunnel_type.h"
#include "phrases/conclusions.h"
#include "phrases/words.h"
#include "report.h"

namespace egt::explain {
namespace {

using engine::WalkedPath;

Listener common_listener(const std::vector<PathReport>& paths) {
  std::optional<Listener> common;
  for (const PathReport& path : paths) {
    if (path.verdict != Verdict::delivered) continue;
    if (common && *common != path.listener) return Listener::unknown;
    common = path.listener;
  }
  return common.value_or(Listener::unknown);
}

// The dumps that decided are at hand: what to look at next is what nearly decided otherwise.
bool has_near_misses(const StopReport& at) {
  return at.place.kind == engine::PlaceKind::table || at.place.kind == engine::PlaceKind::chain || at.layer == "host" ||
         at.layer == "router";
}

Fault fault_of(const FailedWalk& failed) {
  Fault fault;
  fault.direction = failed.direction;
  fault.summary = failed.walk->summary;
  if (failed.walk->stopped_at) {
    fault.at = *failed.walk->stopped_at;
    if (has_near_misses(fault.at)) fault.next = next_at(fault.at);
  }
  return fault;
}

std::optional<Fault> first_fault(const std::vector<PathReport>& paths) {
  for (const PathReport& path : paths) {
    if (path.outcome == Outcome::answered || path.outcome == Outcome::undecided) continue;
    if (const FailedWalk failed = failed_walk(path); failed.walk != nullptr) return fault_of(failed);
  }
  return std::nullopt;
}

bool asks_one_packet(const Question& q) { return q.established; }

}  // namespace

void conclude(Explanation& e, const Question& q) {
  for (PathReport& path : e.paths) {
    path.outcome = outcome_of(path, path.listener);
    path.proven = asks_one_packet(q) ? path.confidence == Confidence::proven : is_proven(path);
  }
  e.outcome = e.paths.empty() ? Outcome::undecided : outcome_of(e.paths);
  const bool proven =
      !e.paths.empty() && std::all_of(e.paths.begin(), e.paths.end(), [](const PathReport& p) { return p.proven; });
  e.confidence = proven && !e.truncated ? Confidence::proven : Confidence::assumed;
  e.listener = common_listener(e.paths);
  e.fault = e.outcome == Outcome::undecided ? std::nullopt : first_fault(e.paths);
}

namespace {

std::optional<Aspect> aspect_of(const engine::StepKind& step) {
  if (std::holds_alternative<engine::TableMatch>(step) || std::holds_alternative<engine::TableMiss>(step)) return Aspect::flows;
  if (std::holds_alternative<engine::GroupPick>(step)) return Aspect::groups;
  if (std::holds_alternative<engine::CtPass>(step)) return Aspect::connections;
  if (std::holds_alternative<engine::RuleHit>(step)) return Aspect::rules;
  if (std::holds_alternative<engine::RouteLookup>(step)) return Aspect::routes;
  if (std::holds_alternative<engine::Resolve>(step)) return Aspect::neighbours;
  if (std::holds_alternative<engine::Encapsulate>(step)) return Aspect::tunnels;
  return std::nullopt;
}

void add_distinct(std::vector<NotChecked>& all, NotChecked one) {
  if (std::none_of(all.begin(), all.end(), [&](const NotChecked& n) { return n.what == one.what; }))
    all.push_back(std::move(one));
}

// Of pcap-filter(7), with the port that the type has where no option sets another.
std::string filter_of(std::string_view tunnel_type) {
  if (const auto port = openflow::default_tunnel_port(tunnel_type)) return fmt::format("udp port {}", *port);
  return tunnel_type.find("gre") != std::string_view::npos || tunnel_type.find("erspan") != std::string_view::npos
             ? "ip proto 47 or ip6 proto 47"
             : "udp";
}

void add_tunnels(const WalkedPath& walked, std::vector<NotChecked>& out) {
  for (const engine::Tunnel& t : walked.record.tunnels)
    if (!t.path_shown) add_distinct(out, phrase(Unchecked::underlay, {t.type, t.from, t.to, filter_of(t.type)}));
}

std::set<std::string_view> nodes_of(const WalkedPath& walked) {
  std::set<std::string_view> nodes;
  for (const engine::Step& step : walked.record.steps) nodes.insert(step.node);
  return nodes;
}

bool crosses_flows_of(const WalkedPath& walked, std::string_view node) {
  return std::any_of(walked.record.steps.begin(), walked.record.steps.end(), [&](const engine::Step& step) {
    return step.node == node && std::holds_alternative<engine::TableMatch>(step.kind);
  });
}

const Cloud* cloud_of_node(const cluster::Cluster& cluster, std::string_view node) {
  const auto& nodes = cluster.objects.nodes;
  const auto object = std::find_if(nodes.begin(), nodes.end(), [&](const cluster::NodeObject& n) { return n.name == node; });
  return object == nodes.end() ? nullptr : cloud_of(object->provider);
}

// What stands between nodes and in their network cards.
void add_hardware(const WalkedPath& walked, const cluster::Cluster& cluster, std::vector<NotChecked>& out) {
  const std::set<std::string_view> nodes = nodes_of(walked);
  const bool leaves_node = nodes.size() > 1 || walked.left_snapshot;
  for (const std::string_view name : nodes) {
    const cluster::Node* node = cluster.node(name);
    if (node != nullptr && node->offloads_flows && crosses_flows_of(walked, name))
      add_distinct(out, phrase(Unchecked::offload, {name}));
    if (const Cloud* cloud = leaves_node ? cloud_of_node(cluster, name) : nullptr; cloud != nullptr)
      add_distinct(out, phrase(Unchecked::security_groups, {cloud->firewalls, cloud->command}));
  }
}

void add_listener(const WalkedPath& walked, const PathReport& path, std::vector<NotChecked>& out) {
  if (walked.verdict != engine::Verdict::delivered || path.listener != Listener::unknown || !path.destination_seen) return;
  add_distinct(out, phrase(Unchecked::listener, {to_text(*path.destination_seen), if_any(path.end_name)}));
}

}  // namespace

void report_checked(Explanation& e, const std::vector<WalkedPath>& walked_paths, const Question& q,
                    const cluster::Cluster& cluster) {
  std::set<Aspect> aspects;
  for (std::size_t i = 0; i < walked_paths.size() && i < e.paths.size(); ++i) {
    for (const engine::Step& step : walked_paths[i].record.steps)
      if (const auto aspect = aspect_of(step.kind)) aspects.insert(*aspect);
    add_tunnels(walked_paths[i], e.not_checked);
    add_hardware(walked_paths[i], cluster, e.not_checked);
    add_listener(walked_paths[i], e.paths[i], e.not_checked);
  }
  for (const Aspect aspect : aspects) e.checked.emplace_back(name_of(aspect));
  if (q.one_way) e.not_checked.push_back(phrase(Unchecked::reply, {}));
}

}  // namespace egt::explain
