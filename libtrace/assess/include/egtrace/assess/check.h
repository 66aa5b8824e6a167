// Holds expectations against what packets do. An expectation holds only where it holds on every path of every packet
// that it is about, and with nothing missing behind it.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egtrace/expect/expectation.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

struct Property {
  std::string name, value;
};  // "snat": "192.0.2.7 or 192.0.2.8"

struct Judgement {
  std::optional<bool> holds;  // none: the snapshot does not decide it
  std::string why;            // one sentence; also where it holds
  std::string reason;  // name of the reason for which the path ends that decides (docs/reasons.md); empty: it ends as asked
  std::vector<Property> seen;
  explain::Evidence evidence;
  std::vector<Gap> gaps;  // what would decide it
};

// One packet of an expectation.
struct CaseReport {
  std::string from, to;
  Judgement judgement;
};

struct ExpectationReport {
  std::string name;
  std::uint32_t line = 0;    // in the file of expectations; 0: made from an object
  explain::Evidence object;  // that it was made from
  std::vector<Property> expected;
  std::vector<CaseReport> cases;
  Judgement overall;  // the worst of the cases
};

struct CheckOptions {
  bool assume_gaps = false;  // what is missing is taken to change nothing
};

struct KnownPod;

// For many expectations of one snapshot: what all of them look at is gathered once.
class Checker {
 public:
  explicit Checker(const explain::Explainer& explainer, CheckOptions options = {});
  ~Checker();
  // In their order. `jobs`: threads, 0: one a processor.
  std::vector<ExpectationReport> check(std::span<const expect::Expectation> expectations, unsigned jobs = 0) const;

 private:
  struct Case;
  ExpectationReport expand(const expect::Expectation& e, std::size_t number, std::vector<Case>& cases) const;

  const explain::Explainer& explainer_;
  CheckOptions options_;
  std::unique_ptr<const std::vector<KnownPod>> pods_;
};

ExpectationReport check(const explain::Explainer& explainer, const expect::Expectation& expectation,
                        const CheckOptions& options = {});

// What the Kubernetes objects of the snapshot imply: who leaves as whom (EgressIP, EgressService), by which gateway
// (AdminPolicyBasedExternalRoute), which services answer, whom a NetworkPolicy without rules cuts off, and what rules
// of EgressFirewalls and AdminNetworkPolicies allow and deny.
std::vector<expect::Expectation> expectations_from_objects(const cluster::Cluster& cluster);
// Without any nothing shows what is implied.
bool has_objects(const cluster::Cluster& cluster);
Gap missing_objects();

}  // namespace egt::assess
