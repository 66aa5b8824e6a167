#include "egtrace/assess/triage.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/evidence.h"
#include "triage/check.h"
#include "triage/node_walks.h"
#include "triage/one_connection.h"
#include "triage/outside_walks.h"
#include "triage/tunnel_walks.h"

namespace egt::assess {
namespace {

// Of the selected pods those for which the object's claim counts, and which any layer knows.
std::vector<EgressPlace> egress_places(const cluster::Cluster& cluster, const std::vector<KnownPod>& pods,
                                       const EgressClaims& claims) {
  std::vector<EgressPlace> all;
  for (const cluster::EgressIp& eip : cluster.objects.egress_ips) {
    const auto selected = selected_by(eip, cluster.objects, pods);
    for (const auto& item : eip.status) {
      EgressPlace place{&eip, item.address, item.node, egress_network(cluster, item.address, item.node), {}};
      for (const KnownPod* pod : selected)
        if (const EgressClaim* claim = claims.of(pod->full_name(), item.address.family);
            claim != nullptr && claim->taken_up && claim->object == place.name())
          place.pods.push_back(pod);
      all.push_back(std::move(place));
    }
  }
  return all;
}

}  // namespace

Facts::Facts(const explain::Explainer& e, const std::vector<cluster::DumpCopy>& t)
    : explainer(e),
      cluster(e.cluster()),
      copies(t),
      all_pods(known_pods(cluster)),
      pods(pods_of_default_network(all_pods)),
      claims(cluster, all_pods),
      places(egress_places(cluster, pods, claims)),
      policies_at_(cluster),
      nat_rows_at_(cluster) {
  for (const cluster::EgressIp& eip : cluster.objects.egress_ips)
    for (const IpAddr& a : eip.addresses) egress_ips_.emplace(a, &eip);
  for (const KnownPod& pod : pods)
    for (const IpAddr& a : pod.addresses)
      if (!pod.host_network) pods_by_address_.emplace(a, &pod);
  for (const KnownPod& pod : all_pods)
    for (const Family family : {Family::v4, Family::v6}) {
      const EgressClaim* claim = claims.of(pod.full_name(), family);
      if (claim != nullptr && claim->taken_up && pod.address(family) != nullptr) claimed_pods_.push_back({&pod, claim});
    }
}

Facts::Facts(const explain::Explainer& e, const explain::Explanation& connection) : Facts(e, std::vector<cluster::DumpCopy>{}) {
  connection_ = &connection;
}

const Policies& Facts::policies_at(const cluster::Node& node) const {
  return policies_at_.of(node, [&] { return policies_of(node); });
}

const NatRows& Facts::nat_rows_at(const cluster::Node& node) const {
  return nat_rows_at_.of(node, [&] { return nat_rows_of(node); });
}

const cluster::EgressIp* Facts::egress_ip_with(const IpAddr& address) const {
  const auto found = egress_ips_.find(address);
  return found == egress_ips_.end() ? nullptr : found->second;
}

const KnownPod* Facts::pod_with(const IpAddr& address) const {
  const auto found = pods_by_address_.find(address);
  return found == pods_by_address_.end() ? nullptr : found->second;
}

const std::vector<AuditRow>& Facts::connections() const {
  return connections_.get_or([&] {
    if (connection_ != nullptr) return rows_of(*this, *connection_);
    AuditOptions options;
    options.jobs = 0;
    auto rows = audit(explainer, options);
    return rows ? std::move(*rows) : std::vector<AuditRow>{};
  });
}

const std::vector<std::vector<EgressPath>>& Facts::leaving() const {
  return leaving_.get_or([&] { return ask_claimed_pods(*this, egress_paths); });
}

const std::vector<LostBetweenNodes>& Facts::lost_between_nodes() const {
  return lost_between_nodes_.get_or([&] {
    return connection_ != nullptr ? lost_of(*this, *connection_) : assess::lost_between_nodes(*this, PacketSize::smallest);
  });
}

const std::vector<LostFromNode>& Facts::lost_from_nodes() const {
  return lost_from_nodes_.get_or(
      [&] { return connection_ != nullptr ? std::vector<LostFromNode>{} : assess::lost_from_nodes(*this); });
}

const std::vector<LostFromOutside>& Facts::lost_from_outside() const {
  return lost_from_outside_.get_or(
      [&] { return connection_ != nullptr ? std::vector<LostFromOutside>{} : assess::lost_from_outside(*this); });
}

void Findings::begin(const Check& check) {
  check_ = &check;
  lacking_.clear();
  sampled_.reset();
  first_of_check_ = triage_.findings.size();
}

namespace {

bool concerns(const Finding& finding, const AuditRow& row) {
  if (row.object != finding.object || row.pod.empty()) return false;
  return finding.pods.empty() ||
         std::find(finding.pods.begin(), finding.pods.end(), row.namespace_ + "/" + row.pod) != finding.pods.end();
}

}  // namespace

std::vector<const explain::StopReport*> Findings::all_stops() const {
  std::vector<const explain::StopReport*> all;
  for (const AuditRow& row : facts_.connections())
    if (row.stopped_at && is_failure(row)) all.push_back(&*row.stopped_at);
  for (const LostBetweenNodes& lost : facts_.lost_between_nodes()) all.push_back(&lost.at);
  for (const LostFromNode& lost : facts_.lost_from_nodes()) all.push_back(&lost.at);
  for (const LostFromOutside& lost : facts_.lost_from_outside()) all.push_back(&lost.at);
  return all;
}

bool Findings::explain_between(const std::string& a, const std::string& b) {
  bool any = false;
  for (const LostBetweenNodes& lost : facts_.lost_between_nodes()) {
    if (!(lost.from->node == a && lost.to->node == b) && !(lost.from->node == b && lost.to->node == a)) continue;
    explain(lost.at);
    any = true;
  }
  return any;
}

bool Findings::explain_from_outside(const cluster::Service& service, const std::string& node) {
  bool any = false;
  for (const LostFromOutside& lost : facts_.lost_from_outside()) {
    if (lost.service != &service || lost.at.node != node) continue;
    explain(lost.at);
    any = true;
  }
  return any;
}

// What is missing and does no harm (another rule does the same, the traffic takes another path) is no outage.
void Findings::weigh_by_effect(Finding& finding) const {
  bool any = false, harms = false;
  for (const AuditRow& row : facts_.connections()) {
    if (!concerns(finding, row)) continue;
    any = true;
    harms |= row.leak || is_failure(row) || row.outcome == explain::Outcome::undecided;
  }
  if (any && !harms) finding.severity = std::min(finding.severity, Severity::warning);
}

// One cause found on several nodes is one finding.
void Findings::merge_nodes(std::size_t first) {
  auto& all = triage_.findings;
  std::map<std::pair<std::string, Severity>, std::size_t> kept;  // by object, those of one node each
  std::vector<Finding> merged;
  for (std::size_t i = first; i < all.size(); ++i) {
    Finding& f = all[i];
    const auto [at, is_new] = kept.try_emplace({f.object, f.severity}, merged.size());
    const bool joins = !is_new && !f.object.empty() && !f.node.empty() && merged[at->second].node != f.node;
    if (!joins) {
      merged.push_back(std::move(f));
      continue;
    }
    Finding& whole = merged[at->second];
    whole.nodes.push_back(f.node);
    whole.pods.insert(whole.pods.end(), f.pods.begin(), f.pods.end());
    std::move(f.evidence.begin(), f.evidence.end(), std::back_inserter(whole.evidence));
  }
  for (Finding& f : merged) {
    std::sort(f.nodes.begin(), f.nodes.end());
    f.nodes.erase(std::unique(f.nodes.begin(), f.nodes.end()), f.nodes.end());
  }
  all.resize(first);
  std::move(merged.begin(), merged.end(), std::back_inserter(all));
}

namespace {

const Check& check_of(const Finding& finding) {
  return **std::find_if(checks().begin(), checks().end(), [&](const Check* check) { return check->id == finding.id; });
}

}  // namespace

bool Findings::explains(const explain::StopReport& stop) const {
  if (explained_.contains(&stop)) return true;
  return std::any_of(triage_.findings.begin(), triage_.findings.end(), [&](const Finding& f) {
    const Check& check = check_of(f);
    if (f.object.empty() && f.severity == Severity::error && f.node == stop.node && check.finds == Check::Finds::cause &&
        !exact_.contains(&check))
      return true;
    return std::any_of(f.evidence.begin(), f.evidence.end(), [&](const explain::EvidenceLine& line) {
      return std::find(stop.evidence.begin(), stop.evidence.end(), line) != stop.evidence.end();
    });
  });
}

void Findings::end() {
  if (check_->effect == Check::Effect::egress)
    for (std::size_t i = first_of_check_; i < triage_.findings.size(); ++i) weigh_by_effect(triage_.findings[i]);
  merge_nodes(first_of_check_);
  if (!lacking_.empty()) triage_.skipped.push_back({check_->id, phrase(lacking_)});
  if (sampled_)
    triage_.skipped.push_back({check_->id, phrase({Lack::connections_not_compared, {sampled_->first, sampled_->second}})});
}

void Findings::add(Claim claim, std::string node, std::string object, Terms about, explain::Evidence lines) {
  Finding f;
  f.id = check_->id;
  f.severity = std::exchange(weight_, std::nullopt).value_or(check_->severity);
  f.kind = claim;
  f.about = std::move(about);
  f.node = std::move(node);
  f.object = std::move(object);
  f.nodes = std::exchange(also_on_, {});
  f.pods = std::exchange(about_, {});
  f.evidence = std::move(lines);
  f.docs = fmt::format("docs/triage/{}.md", check_->id);
  f.is_cause = check_->finds == Check::Finds::cause;
  triage_.findings.push_back(std::move(f));
}

void Findings::add(Claim claim, std::string node, std::string object, Terms about, const std::vector<Provenance>& from) {
  add(claim, std::move(node), std::move(object), std::move(about), evidence(facts_.cluster, from));
}

void Findings::about(const std::vector<const KnownPod*>& pods) {
  about_.clear();
  for (const KnownPod* pod : pods) about_.push_back(pod->full_name());
}

bool Findings::has_cause(const std::string& object) const {
  return std::any_of(triage_.findings.begin(), triage_.findings.end(), [&](const Finding& f) { return f.object == object; });
}

bool Findings::has_cause(const std::string& object, const std::string& pod) const {
  return std::any_of(triage_.findings.begin(), triage_.findings.end(), [&](const Finding& f) {
    return f.object == object && (f.pods.empty() || std::find(f.pods.begin(), f.pods.end(), pod) != f.pods.end());
  });
}

Term::Few terms_of(const std::vector<const KnownPod*>& pods, Family family) {
  Term::Few terms;
  for (const KnownPod* pod : pods) terms.push_back({pod->full_name(), *pod->address(family)});
  return terms;
}

std::vector<Provenance> layers_of(const Facts& f, const EgressPlace& place, const KnownPod& pod) {
  std::vector<Provenance> lines{place.object->from};
  const auto add = [&](Provenance from) {
    if (from.known()) lines.push_back(from);
  };
  const IpAddr& address = *pod.address(place.address.family);
  const cluster::Node *own = f.cluster.node(pod.node), *node = f.cluster.node(place.node);
  if (node != nullptr)
    for (const host::Link& link : node->host.links.value)
      for (const host::Address& a : link.addresses)
        if (a.prefix.address == place.address) add(a.from);
  if (own != nullptr)
    for (const Policy& p : f.policies_at(*own).all)
      if (p.is_for_source(address)) add(line_within(f.cluster, p.from, "match "));
  if (node != nullptr) {
    for (const host::PolicyRule& rule : rules_of(*node, place.address.family).value)
      if (rule.has_from && rule.from_prefix.is_host() && rule.from_prefix.contains(address)) add(rule.from);
    for (const auto& rule : host_snat_for(*node, address, outside(f.cluster, address.family)))
      if (translates_to(rule, place.address)) add(rule.from());
    for (const NatRow* row : f.nat_rows_at(*node).of(address))
      if (row->logical->is_host() && row->external == place.address) add(line_within(f.cluster, row->from, "external_ip "));
  }
  if (pod.object != nullptr) add(pod.object->from);
  return lines;
}

std::vector<Provenance> layers_of(const Facts& f, const EgressPlace& place, const std::vector<const KnownPod*>& pods) {
  std::vector<Provenance> lines;
  for (std::size_t i = 0; i < pods.size() && i < kNamed; ++i)
    for (const Provenance& line : layers_of(f, place, *pods[i])) lines.push_back(line);
  return lines;
}

std::optional<Lack> lack_if(bool lacks, Lack what) { return lacks ? std::optional(what) : std::nullopt; }
std::optional<Lack> always(const Facts&) { return std::nullopt; }
std::optional<Lack> needs_egress_ips(const Facts& f) { return lack_if(f.cluster.objects.egress_ips.empty(), Lack::egress_ips); }
std::optional<Lack> needs_egress_ips_or_services(const Facts& f) {
  return f.cluster.objects.egress_services.empty() ? needs_egress_ips(f) : std::nullopt;
}
std::optional<Lack> needs_egress_services(const Facts& f) {
  return lack_if(f.cluster.objects.egress_services.empty(), Lack::egress_services);
}
std::optional<Lack> needs_external_routes(const Facts& f) {
  return lack_if(f.cluster.objects.external_routes.empty(), Lack::external_routes);
}
std::optional<Lack> needs_services(const Facts& f) { return lack_if(f.cluster.objects.services.empty(), Lack::services); }
std::optional<Lack> needs_pods(const Facts& f) { return lack_if(f.cluster.objects.pods.empty(), Lack::pods); }
std::optional<Lack> needs_nodes(const Facts& f) { return lack_if(f.cluster.objects.nodes.empty(), Lack::nodes); }

std::vector<CatalogueEntry> triage_catalogue() {
  std::vector<CatalogueEntry> all;
  for (const Check* check : checks()) all.push_back({check->id, std::string(title_of(check->id)), check->severity});
  return all;
}

Triage triage(const explain::Explainer& explainer, const std::vector<std::string>& only,
              const std::vector<cluster::DumpCopy>& copies) {
  return run_checks(Facts(explainer, copies), only);
}

Triage run_checks(const Facts& facts, const std::vector<std::string>& only) {
  Triage result;
  Findings findings(facts, result);
  for (const Check* check : checks()) {
    if (!only.empty() && std::find(only.begin(), only.end(), check->id) == only.end()) continue;
    if (const std::optional<Lack> lack = check->lacks(facts)) {
      result.skipped.push_back({check->id, phrase({*lack})});
      continue;
    }
    findings.begin(*check);
    check->run(facts, findings);
    findings.end();
  }
  std::stable_sort(result.findings.begin(), result.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
  for (Finding& finding : result.findings) word(finding);
  return result;
}

}  // namespace egt::assess
