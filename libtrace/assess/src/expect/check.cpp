#include "egtrace/assess/check.h"

#include <utility>

#include "common/ask_all.h"
#include "common/evidence.h"
#include "common/pods.h"
#include "expect/expand.h"
#include "expect/ground.h"
#include "expect/judge.h"

namespace egt::assess {
namespace {

using expect::Expectation;

explain::Question question(const Expectation& e, const ExpandedEnd& from, const ExpandedEnd& to, const std::string& proto) {
  explain::Question q;
  q.from = from.point;
  q.to = to.point;
  q.proto = !e.proto.empty() ? e.proto : !proto.empty() ? proto : "tcp";
  q.sport = e.sport.value_or(from.point.port.value_or(q.sport));
  q.dport = e.dport ? e.dport : to.point.port;
  q.ttl = e.ttl;
  q.dscp = e.dscp.value_or(q.dscp);
  q.icmp_type = e.icmp_type;
  q.icmp_code = e.icmp_code;
  q.mark = e.mark.value_or(0);
  q.arrive_at = e.arrive_at;
  q.in_dev = e.in_dev;
  q.established = e.established;
  q.size = e.size;
  q.dont_fragment = e.dont_fragment;
  q.use_conntrack = e.use_conntrack;
  q.registers = false;
  q.later_steps = false;  // nothing is asked of them but how they end
  q.one_way = !e.verdicts.empty() && e.outcomes.empty() && e.reply.empty();
  return q;
}

Judgement not_decided(std::string why) {
  Judgement j;
  j.why = std::move(why);
  return j;
}

// The protocol of a service port where nothing else gives it.
std::string service_protocol(const cluster::Cluster& cluster, const explain::Point& to) {
  if (to.kind != explain::Point::Kind::service) return {};
  for (const cluster::Service& s : cluster.objects.services)
    if (s.namespace_ == to.namespace_ && s.name == to.name)
      for (const cluster::ServicePort& p : s.ports)
        if (!to.port || p.port == *to.port) {
          if (p.protocol == "UDP") return "udp";
          if (p.protocol == "SCTP") return "sctp";
          return "tcp";
        }
  return {};
}

// What fails outweighs what is open, what is open outweighs what holds.
int weight(const Judgement& j) { return !j.holds ? 1 : *j.holds ? 0 : 2; }

void sum_up(ExpectationReport& report) {
  std::size_t failed = 0, open = 0;
  const CaseReport* worst = nullptr;
  for (const CaseReport& c : report.cases) {
    failed += weight(c.judgement) == 2;
    open += weight(c.judgement) == 1;
    if (worst == nullptr || weight(c.judgement) > weight(worst->judgement)) worst = &c;
  }
  if (worst == nullptr) return;
  report.overall = worst->judgement;
  if (report.cases.size() == 1) return;
  const std::size_t all = report.cases.size();
  const std::string& why = worst->judgement.why;
  report.overall.why = failed + open > 0 ? phrase({Ground::some_fail, {worst->from, worst->to, why, failed, all, more(open)}})
                                         : phrase({Ground::all_hold, {all, why}});
}

}  // namespace

// A packet to ask about.
struct Checker::Case {
  const Expectation* expectation = nullptr;
  explain::Question question;
  std::size_t report = 0, number = 0;  // where its judgement belongs: among the reports, and among the report's cases
};

ExpectationReport check(const explain::Explainer& explainer, const Expectation& e, const CheckOptions& options) {
  return std::move(Checker(explainer, options).check({&e, 1}).front());
}

Checker::Checker(const explain::Explainer& explainer, CheckOptions options)
    : explainer_(explainer),
      options_(options),
      pods_(std::make_unique<const std::vector<KnownPod>>(known_pods(explainer.cluster()))) {}
Checker::~Checker() = default;

// The report, as the `number`th, without the judgements that take a walk; these are added to `cases`.
ExpectationReport Checker::expand(const Expectation& e, std::size_t number, std::vector<Case>& cases) const {
  const cluster::Cluster& cluster = explainer_.cluster();
  ExpectationReport report;
  report.name = e.name;
  report.line = e.line;
  report.object = evidence(cluster, {e.object});
  report.expected = expected_properties(e);
  for (const expect::EndPattern& from_pattern : e.from)
    for (const expect::EndPattern& to_pattern : e.to) {
      const Result<Expanded> from = assess::expand(from_pattern, cluster, *pods_),
                             to = assess::expand(to_pattern, cluster, *pods_);
      if (!from || !to) {
        report.cases.push_back({from_pattern.text, to_pattern.text, not_decided((!from ? from.error() : to.error()).message)});
        continue;
      }
      for (const ExpandedEnd& a : from->ends)
        for (const ExpandedEnd& b : to->ends) {
          if (a.name == b.name && from->ends.size() > 1) continue;  // a pattern of pods is not about a pod and itself
          const std::string proto = !to->proto.empty() ? to->proto : service_protocol(cluster, b.point);
          cases.push_back({&e, question(e, a, b, proto), number, report.cases.size()});
          report.cases.push_back({a.name, b.name, {}});
        }
    }
  return report;
}

std::vector<ExpectationReport> Checker::check(std::span<const Expectation> expectations, unsigned jobs) const {
  std::vector<ExpectationReport> reports;
  std::vector<Case> cases;
  for (const Expectation& e : expectations) reports.push_back(expand(e, reports.size(), cases));
  std::vector<Judgement> judgements = ask_all(explainer_, cases.size(), jobs, [&](const explain::Explainer& own, std::size_t i) {
    const auto explanation = own.explain(cases[i].question);
    return explanation ? judge(*explanation, *cases[i].expectation, options_) : not_decided(explanation.error().message);
  });
  for (std::size_t i = 0; i < cases.size(); ++i)
    reports[cases[i].report].cases[cases[i].number].judgement = std::move(judgements[i]);
  for (ExpectationReport& report : reports) sum_up(report);
  return reports;
}

}  // namespace egt::assess
