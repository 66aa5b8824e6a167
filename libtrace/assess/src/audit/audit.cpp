#include "egtrace/assess/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "common/ask_all.h"
#include "common/claims.h"
#include "common/evidence.h"
#include "common/glob.h"
#include "common/look.h"
#include "common/targets.h"
#include "egtrace/base/parallel.h"

namespace egt::assess {
namespace {

using explain::PathReport;
using explain::Point;

constexpr std::array<std::string_view, 6> kTargets = {"outside v4", "outside v6", "service", "other node", "pod", "given"};

struct Destination {
  std::string text;
  Target kind = Target::given;
  Point point;
  std::optional<Family> family;  // only senders with an address of it
  const cluster::Service* service = nullptr;
};

struct Sender {
  const KnownPod* pod = nullptr;  // null: the node itself
  std::string node;
  std::size_t order = 0;

  // As KnownPod::network(); nodes are on the default one.
  std::string_view network() const { return pod != nullptr ? pod->network() : std::string_view(); }
};

// The nodes of a shard: those with the most senders are dealt out first, each to the shard that has the fewest.
std::set<std::string> nodes_of(const std::vector<Sender>& senders, const Shard& shard) {
  std::map<std::string, std::size_t> load;
  for (const Sender& sender : senders) ++load[sender.node];
  std::vector<std::pair<std::size_t, std::string>> nodes;
  for (const auto& [node, count] : load) nodes.emplace_back(count, node);
  std::stable_sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::size_t> dealt(shard.count);
  std::set<std::string> own;
  for (const auto& [count, node] : nodes) {
    const auto least = std::min_element(dealt.begin(), dealt.end());
    *least += count;
    if (static_cast<unsigned>(least - dealt.begin()) == shard.index) own.insert(node);
  }
  return own;
}

// Destinations of one kind are alike, those that were asked for each by itself.
using Alike = std::pair<Target, std::string>;
Alike alike(const AuditRow& row) { return {row.to_kind, row.to_kind == Target::given ? row.to : std::string()}; }

// The outcome that most rows to a destination have.
std::map<Alike, explain::Outcome> usual_outcomes(const std::vector<AuditRow>& rows) {
  std::map<Alike, std::map<explain::Outcome, std::size_t>> counts;
  for (const AuditRow& r : rows) ++counts[alike(r)][r.outcome];
  std::map<Alike, explain::Outcome> usual;
  for (const auto& [to, by_outcome] : counts)
    usual[to] = std::max_element(by_outcome.begin(), by_outcome.end(), [](const auto& a, const auto& b) {
                  return a.second < b.second;
                })->first;
  return usual;
}

class Auditor {
 public:
  // With a limited budget the caller must not keep pointers into a node.
  Auditor(const cluster::Cluster& cluster, const AuditOptions& options, const cluster::NodeBudget& budget = {})
      : cluster_(cluster),
        options_(options),
        budget_(budget),
        pods_(known_pods(cluster_, budget)),
        claims_(cluster_, pods_, budget),
        nodes_(cluster_nodes(cluster_, budget)) {}

  // `walk_all`: of senders, the rows of each in its place.
  template <class WalkAll>
  Result<std::vector<AuditRow>> run(WalkAll walk_all) {
    for (const std::string& text : options_.to) {
      auto point = explain::parse_point(text);
      if (!point) return point.error();
      given_.push_back({text, Target::given, *point, point->ip ? std::optional(point->ip->family) : std::nullopt});
    }
    if (given_.empty()) add_common();
    std::vector<AuditRow> rows;
    const std::vector<Sender> senders = all_senders();
    for (Rows& of_one : walk_all(senders)) std::move(of_one.begin(), of_one.end(), std::back_inserter(rows));
    if (options_.shard.is_whole()) sort_by_interest(rows);
    return rows;
  }

  using Rows = std::vector<AuditRow>;

  std::vector<Rows> walk_all(const explain::Explainer& explainer, const std::vector<Sender>& senders) const {
    return ask_all(explainer, senders.size(), options_.jobs,
                   [&](const explain::Explainer& own, std::size_t i) { return walk(own, senders[i]); });
  }

  // Those of some nodes at a time, and the nodes that were read for them put away behind it where they take too much. How many
  // nodes the memory has room for shows by what those before took.
  std::vector<Rows> walk_in_turn(const cluster::Collection* collection, const std::vector<Sender>& senders) const {
    std::map<std::string, std::vector<std::size_t>> by_node;
    for (std::size_t i = 0; i < senders.size(); ++i) by_node[senders[i].node].push_back(i);
    std::vector<Rows> rows(senders.size());
    std::size_t nodes = 1;
    for (auto next = by_node.begin(); next != by_node.end();) {
      std::vector<Sender> some;
      std::vector<std::size_t> places;
      for (std::size_t n = 0; n < nodes && next != by_node.end(); ++n, ++next)
        for (const std::size_t i : next->second) some.push_back(senders[i]), places.push_back(i);
      std::vector<Rows> found = walk_all(explain::Explainer(cluster_, collection), some);
      for (std::size_t i = 0; i < places.size(); ++i) rows[places[i]] = std::move(found[i]);
      const bool is_short = budget_.is_exceeded();
      nodes = is_short ? std::max<std::size_t>(nodes / 2, 1) : nodes * 2;
      if (is_short) budget_.put_away(cluster_);
    }
    return rows;
  }

 private:
  // Pods of the host's network send as their node does.
  bool wanted(const KnownPod& pod) const {
    if (pod.host_network || cluster_.handle(pod.node) == nullptr) return false;
    return options_.namespaces.empty() || std::any_of(options_.namespaces.begin(), options_.namespaces.end(),
                                                      [&](const std::string& n) { return glob_match(n, pod.namespace_); });
  }

  std::vector<Sender> all_senders() const {
    std::vector<Sender> senders;
    for (const KnownPod& pod : pods_)
      if (wanted(pod)) senders.push_back({&pod, pod.node});
    if (options_.namespaces.empty())
      for (const std::string& node : nodes_)
        if (cluster_.handle(node) != nullptr) senders.push_back({nullptr, node});
    for (std::size_t i = 0; i < senders.size(); ++i) senders[i].order = i;
    if (options_.shard.is_whole()) return senders;
    const std::set<std::string> own = nodes_of(senders, options_.shard);
    std::erase_if(senders, [&](const Sender& sender) { return !own.contains(sender.node); });
    return senders;
  }

  static void add(std::vector<Destination>& all, std::string text, Target kind, std::optional<Family> family) {
    if (auto point = explain::parse_point(text)) all.push_back({std::move(text), kind, *point, family});
  }

  // What every sender is asked about, but for the other node, which depends on its own.
  void add_common() {
    for (const Family family : {Family::v4, Family::v6})
      add(common_, outside(cluster_, family, budget_).to_string(), family == Family::v4 ? Target::outside_v4 : Target::outside_v6,
          family);
    for (const auto& [network, service] : few_endpoints_services(cluster_, pods_)) {
      std::vector<Destination>& of_network = services_[network];
      add(of_network, fmt::format("svc:{}/{}:{}", service->namespace_, service->name, service->ports.front().port),
          Target::service, service->cluster_ips.front().family);
      for (Destination& to : of_network) to.service = service;
    }
  }

  Rows walk(const explain::Explainer& explainer, const Sender& sender) const {
    Rows rows;
    for (const Destination& to : given_.empty() ? common_ : given_) ask(explainer, sender, to, rows);
    if (!given_.empty()) return rows;
    if (const auto services = services_.find(sender.network()); services != services_.end())
      for (const Destination& to : services->second) ask(explainer, sender, to, rows);
    ask_other_node(explainer, sender, rows);
    return rows;
  }

  void ask_other_node(const explain::Explainer& explainer, const Sender& sender, Rows& rows) const {
    for (const std::string& other : nodes_) {
      if (other == sender.node) continue;
      for (const Family family : {Family::v4, Family::v6}) {
        const auto address = node_address(cluster_, other, family);
        if (!address || !has(sender, family)) continue;
        std::vector<Destination> one;
        add(one, address->to_string(), Target::other_node, family);
        ask(explainer, sender, one.front(), rows);
        return;
      }
    }
  }

  bool has(const Sender& sender, Family family) const {
    if (sender.pod != nullptr) return sender.pod->address(family) != nullptr;
    return node_address(cluster_, sender.node, family).has_value();
  }

  void ask(const explain::Explainer& explainer, const Sender& sender, const Destination& to, Rows& rows) const {
    if (to.family && !has(sender, *to.family)) return;
    const auto from = explain::parse_point(sender.pod != nullptr ? sender.pod->full_name() : "node:" + sender.node);
    if (!from) return;
    explain::Question q;
    q.from = *from;
    q.to = to.point;
    q.dport = to.point.port;
    q.only_deciding = true;
    q.one_way = options_.one_way;
    const auto x = explainer.explain(q);
    if (!x) return;
    for (const PathReport& path : x->paths) rows.push_back(row(sender, to, *x, path));
  }

  AuditRow row(const Sender& sender, const Destination& to, const explain::Explanation& x, const PathReport& path) const {
    AuditRow r;
    if (sender.pod != nullptr) {
      r.pod = sender.pod->name;
      r.namespace_ = sender.pod->namespace_;
    }
    r.order = sender.order;
    r.node = sender.node;
    r.ip = x.packet.src;
    r.to = to.text;
    r.to_kind = to.kind;
    r.outcome = path.outcome;
    r.verdict = path.verdict;
    r.confidence = path.proven ? explain::Confidence::proven : explain::Confidence::assumed;
    r.source_seen = path.source_seen;
    if (path.egress) {
      r.egress_node = path.egress->node;
      r.egress_device = path.egress->device;
    }
    const explain::FailedWalk failed = explain::failed_walk(path);
    if (failed.walk != nullptr) r.fails = failed.direction;
    const PathReport& decides = failed.walk != nullptr ? *failed.walk : path;
    if (failed.walk != nullptr) r.stopped_at = failed.walk->stopped_at;
    r.decided_by = decided_by(decides);
    r.evidence = deciding_evidence(decides);
    if (r.evidence.empty()) r.evidence = deciding_evidence(path);  // what ends a packet may be that no line is there
    r.service_moved = to.service != nullptr && is_moved(*cluster_.node(sender.node), *to.service);
    judge(sender, x, path, r);
    return r;
  }

  static bool is_moved(const cluster::Node& node, const cluster::Service& service) {
    return vip_state(node, service, service.cluster_ips.front(), service.ports.front().port) == VipState::other_addresses;
  }

  // Egress objects are about what leaves the cluster: not about services, pods and nodes.
  void judge(const Sender& sender, const explain::Explanation& x, const PathReport& path, AuditRow& r) const {
    const auto destination = IpAddr::parse(x.packet.dst);
    if (sender.pod == nullptr || x.to.kind != "external" || !destination) return;
    const EgressClaim* claim = claims_.of(sender.pod->full_name(), destination->family);
    if (claim == nullptr) return;
    r.object = claim->object;
    for (const IpAddr& a : claim->addresses) r.expected += (r.expected.empty() ? "" : " or ") + a.to_string();
    if (!path.source_seen) return;
    r.leak = std::none_of(claim->addresses.begin(), claim->addresses.end(),
                          [&](const IpAddr& a) { return a.to_string() == path.source_seen->ip; });
  }

  const cluster::Cluster& cluster_;
  const AuditOptions& options_;
  const cluster::NodeBudget budget_;
  std::vector<KnownPod> pods_;
  EgressClaims claims_;
  std::vector<std::string> nodes_;
  std::vector<Destination> given_, common_;
  std::map<std::string, std::vector<Destination>, std::less<>> services_;  // by network, from which alone they are asked about
};

}  // namespace

std::string_view name_of(Target target) { return kTargets[static_cast<std::size_t>(target)]; }

std::optional<Target> parse_target(std::string_view name) {
  const auto found = std::find(kTargets.begin(), kTargets.end(), name);
  return found == kTargets.end() ? std::nullopt : std::optional(static_cast<Target>(found - kTargets.begin()));
}

void sort_by_interest(std::vector<AuditRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const AuditRow& a, const AuditRow& b) { return a.order < b.order; });
  const auto usual = usual_outcomes(rows);
  std::array<std::vector<AuditRow>, 3> ranked;
  for (AuditRow& r : rows) ranked[r.leak ? 0 : usual.at(alike(r)) != r.outcome ? 1 : 2].push_back(std::move(r));
  rows.clear();
  for (std::vector<AuditRow>& of_rank : ranked) std::move(of_rank.begin(), of_rank.end(), std::back_inserter(rows));
}

bool is_failure(const AuditRow& row) {
  return row.outcome != explain::Outcome::answered && row.outcome != explain::Outcome::undecided;
}

Result<std::vector<AuditRow>> audit(const explain::Explainer& explainer, const AuditOptions& options) {
  Auditor auditor(explainer.cluster(), options);
  return auditor.run([&](const auto& senders) { return auditor.walk_all(explainer, senders); });
}

Result<std::vector<AuditRow>> audit(const cluster::Cluster& cluster, const cluster::Collection* collection,
                                    const cluster::NodeBudget& budget, const AuditOptions& options) {
  Auditor auditor(cluster, options, budget);
  return auditor.run([&](const auto& senders) { return auditor.walk_in_turn(collection, senders); });
}

}  // namespace egt::assess
