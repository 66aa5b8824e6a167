// What a check of the catalogue is made of. Each lies in a file of its own under checks/, and its page under
// docs/triage/.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/ask_all.h"
#include "common/claims.h"
#include "common/look.h"
#include "common/targets.h"
#include "egtrace/assess/audit.h"
#include "egtrace/assess/triage.h"
#include "egtrace/base/published.h"
#include "egtrace/cluster/per_node.h"
#include "phrases/phrases.h"
#include "triage/leaving.h"

namespace egt::assess {

// An egress IP and the node that is to host it, with the pods that leave by it.
struct EgressPlace {
  const cluster::EgressIp* object = nullptr;
  IpAddr address;
  std::string node;
  EgressNetwork network = EgressNetwork::unknown;
  std::vector<const KnownPod*> pods;  // of the address's family
  std::string name() const { return "EgressIP " + object->name; }
};

// A packet of a pod to one on another node, or its reply, that is lost.
struct LostBetweenNodes {
  const KnownPod* from = nullptr;
  const KnownPod* to = nullptr;
  explain::Direction direction = explain::Direction::request;
  explain::StopReport at;
  explain::Evidence evidence;
};

// Of a node and one of its own pods.
struct LostFromNode {
  const KnownPod* to = nullptr;
  explain::Direction direction = explain::Direction::request;
  explain::StopReport at;
  explain::Evidence evidence;
};

// Of a client outside and a service.
struct LostFromOutside {
  const cluster::Service* service = nullptr;
  IpAddr client;
  std::string to, protocol, arrive_at;  // ADDRESS:PORT; tcp, udp, sctp; the node at which it arrives, where no dump shows which
  explain::Direction direction = explain::Direction::request;
  explain::StopReport at;
  explain::Evidence evidence;
  bool moved = false;  // OVN has the service at other addresses
};

// What the checks share; made once.
struct Facts {
  Facts(const explain::Explainer& explainer, const std::vector<cluster::DumpCopy>& copies);
  // For the cause of one connection: nothing else is walked.
  Facts(const explain::Explainer& explainer, const explain::Explanation& connection);

  const explain::Explainer& explainer;
  const cluster::Cluster& cluster;
  const std::vector<cluster::DumpCopy> copies;
  std::vector<KnownPod> all_pods;  // of every network
  std::vector<KnownPod> pods;      // of the default one: what nodes set up for that concerns no others
  EgressClaims claims;
  std::vector<EgressPlace> places;

  const KnownPod* pod_with(const IpAddr& address) const;
  // As policies_of(), read once a node.
  const Policies& policies_at(const cluster::Node& node) const;
  // As nat_rows_of(), likewise.
  const NatRows& nat_rows_at(const cluster::Node& node) const;
  // The object that has this address; null: none has.
  const cluster::EgressIp* egress_ip_with(const IpAddr& address) const;
  // What becomes of connections of every pod: the rows of audit, walked when the first check asks. Of one connection: its own.
  const std::vector<AuditRow>& connections() const;
  // Those with an address of a family and a claim, taken up by a node, on what they send there.
  const std::vector<ClaimedPod>& claimed_pods() const { return claimed_pods_; }
  // How each of them, in their order, gets outside; walked when the first check asks.
  const std::vector<std::vector<EgressPath>>& leaving() const;
  // What is lost between pods of different nodes, of the smallest packets; walked likewise.
  const std::vector<LostBetweenNodes>& lost_between_nodes() const;
  // What a node sends to a pod of its own, as kubelet does, and is lost, likewise; not what a policy drops.
  const std::vector<LostFromNode>& lost_from_nodes() const;
  // What clients outside send to services and is lost, likewise.
  const std::vector<LostFromOutside>& lost_from_outside() const;

 private:
  const explain::Explanation* connection_ = nullptr;
  std::map<IpAddr, const KnownPod*> pods_by_address_;
  std::map<IpAddr, const cluster::EgressIp*> egress_ips_;
  cluster::PerNode<Policies> policies_at_;
  cluster::PerNode<NatRows> nat_rows_at_;
  MadeOnce<std::vector<AuditRow>> connections_;
  std::vector<ClaimedPod> claimed_pods_;
  MadeOnce<std::vector<std::vector<EgressPath>>> leaving_;
  MadeOnce<std::vector<LostBetweenNodes>> lost_between_nodes_;
  MadeOnce<std::vector<LostFromNode>> lost_from_nodes_;
  MadeOnce<std::vector<LostFromOutside>> lost_from_outside_;
};

struct Check;

class Findings {
 public:
  Findings(const Facts& facts, Triage& triage) : facts_(facts), triage_(triage) {}

  void begin(const Check& check);
  void end();  // notes what was missing, and takes the severity of findings from what they do to connections
  void add(Claim claim, std::string node, std::string object, Terms about, const std::vector<Provenance>& evidence);
  void add(Claim claim, std::string node, std::string object, Terms about, explain::Evidence evidence);
  // The pods that the next finding concerns.
  void about(const KnownPod& pod) { about({&pod}); }
  void about(const std::vector<const KnownPod*>& pods);
  // Of the next finding, where it is not that of its check.
  void weigh(Severity severity) { weight_ = severity; }
  // Other nodes on which the next finding is the same.
  void also_on(std::vector<std::string> nodes) { also_on_ = std::move(nodes); }
  // Something that this check needs is not in the snapshot.
  void lacks(Lack what, Terms about = {}) { lacking_.push_back({what, std::move(about)}); }
  // Whether an error or warning was found that concerns this object: what follows from it need not be shown again.
  bool has_cause(const std::string& object) const;
  // Likewise, where that finding concerns this pod.
  bool has_cause(const std::string& object, const std::string& pod) const;
  // Whether a finding stands on this line, or is an error of that node, and a cause, that concerns no object in particular; where its
  // check shows what it explains, that counts.
  bool explains(const explain::StopReport& stop) const;
  // So many connections of those that this check is about were walked.
  void sampled(std::size_t walked, std::size_t of) { sampled_ = {walked, of}; }
  // From now on what ends here, one of the Facts' own, counts as explained.
  void explain(const explain::StopReport& stop) {
    explained_.insert(&stop);
    exact_.insert(check_);
  }
  // Does so with everything that is lost, of pods and of nodes, where `is_there` holds; whether there is any.
  template <class IsThere>
  bool explain_all(IsThere is_there) {
    bool any = false;
    for (const explain::StopReport* stop : all_stops())
      if (is_there(*stop)) {
        explain(*stop);
        any = true;
      }
    return any;
  }
  // Likewise with what clients outside send to the service and is lost on that node.
  bool explain_from_outside(const cluster::Service& service, const std::string& node);
  // Likewise with what is lost between pods of these two nodes.
  bool explain_between(const std::string& a, const std::string& b);

 private:
  std::vector<const explain::StopReport*> all_stops() const;
  void weigh_by_effect(Finding& finding) const;
  void merge_nodes(std::size_t first);

  const Facts& facts_;
  Triage& triage_;
  const Check* check_ = nullptr;
  std::vector<Missing> lacking_;
  std::optional<std::pair<std::size_t, std::size_t>> sampled_;
  std::set<const explain::StopReport*> explained_;
  std::set<const Check*> exact_;  // those that show which connections they explain
  std::vector<std::string> about_, also_on_;
  std::optional<Severity> weight_;
  std::size_t first_of_check_ = 0;
};

struct Check {
  const char* id;
  Severity severity;
  // Why the check cannot run at all; nothing where it can.
  std::optional<Lack> (*lacks)(const Facts&);
  void (*run)(const Facts&, Findings&);
  // A cause, or what follows from one: the latter explains no connection.
  enum class Finds : std::uint8_t { cause, consequence } finds = Finds::cause;
  // egress: an error only where a pod that the egress object selects leaves otherwise, or is not answered.
  enum class Effect : std::uint8_t { any, egress } effect = Effect::any;
};

// Runs those of these ids; none: all.
Triage run_checks(const Facts& facts, const std::vector<std::string>& only);

// In the order of causes: a finding that explains another comes first.
const std::vector<const Check*>& checks();

// Common answers to "can it run?".
std::optional<Lack> lack_if(bool lacks, Lack what);
std::optional<Lack> always(const Facts&);
std::optional<Lack> needs_egress_ips(const Facts& facts);
std::optional<Lack> needs_egress_ips_or_services(const Facts& facts);
std::optional<Lack> needs_egress_services(const Facts& facts);
std::optional<Lack> needs_external_routes(const Facts& facts);
std::optional<Lack> needs_services(const Facts& facts);
std::optional<Lack> needs_pods(const Facts& facts);
std::optional<Lack> needs_nodes(const Facts& facts);

// `ask(explainer, claimed pod)` of each pod that is claimed, on all processors; the answers in the order of pods.
template <class Ask>
auto ask_claimed_pods(const Facts& facts, Ask ask) {
  const std::vector<ClaimedPod>& pods = facts.claimed_pods();
  return ask_all(facts.explainer, pods.size(), 0,
                 [&](const explain::Explainer& explainer, std::size_t i) { return ask(explainer, pods[i]); });
}

// With their addresses of the family.
Term::Few terms_of(const std::vector<const KnownPod*>& pods, Family family);
// What each layer has of a pod and the egress IP by which it leaves, from the object down to the host: a reader then
// sees which of them agree.
std::vector<Provenance> layers_of(const Facts& facts, const EgressPlace& place, const KnownPod& pod);
// Of the first of them: those that are named.
std::vector<Provenance> layers_of(const Facts& facts, const EgressPlace& place, const std::vector<const KnownPod*>& pods);

}  // namespace egt::assess
