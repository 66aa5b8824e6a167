#include "egtrace/assess/connections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "common/ask_all.h"
#include "egtrace/assess/cause.h"

namespace egt::assess {
namespace {

using explain::Explanation;

using Ends = std::pair<std::string, std::string>;
Ends ends_of(const AuditRow& row) { return {sender_of(row), row.to}; }

// Who sends to what, what the client sees, as whom and by which node it leaves, and where it fails.
using Kind = std::tuple<bool, Target, explain::Outcome, bool, int, int, std::string, std::string>;

int compared(const std::string& value, const std::string& with) { return value.empty() ? 0 : value == with ? 1 : 2; }

Kind kind_of(const AuditRow& r) {
  const std::string source = r.source_seen ? r.source_seen->ip : "";
  std::string stop, reason;
  if (r.stopped_at) {
    stop = r.stopped_at->layer;
    reason = std::to_string(static_cast<int>(r.stopped_at->reason));
  }
  return {r.pod.empty(),
          r.to_kind,
          r.outcome,
          r.leak,
          r.expected.empty() ? compared(source, r.ip) : compared(source, r.expected) + 3,
          compared(r.egress_node, r.node),
          stop,
          reason};
}

bool is_bad(const AuditRow& r) { return r.leak || is_failure(r); }

bool share_a_line(const explain::Evidence& a, const explain::Evidence& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const explain::EvidenceLine& line) { return std::find(b.begin(), b.end(), line) != b.end(); });
}

// How much a row has to do with a finding; 0: nothing.
int relevance_of(const Finding& f, const AuditRow& r) {
  int points = 0;
  const bool of_its_pods = std::find(f.pods.begin(), f.pods.end(), r.namespace_ + "/" + r.pod) != f.pods.end();
  if (of_its_pods) points += 4;
  if (f.pods.empty() && !f.object.empty() && f.object == r.object) points += 3;
  if (share_a_line(f.evidence, r.evidence)) points += 3;
  if (points == 0 && !f.node.empty() && is_bad(r) && (r.node == f.node || r.egress_node == f.node)) points += 1;
  return points == 0 ? 0 : points * 2 + (is_bad(r) ? 1 : 0);
}

bool explains(const Finding& f, const explain::Cause& cause) {
  return f.id == cause.finding && (f.claim == cause.claim || share_a_line(f.evidence, cause.evidence));
}

std::optional<explain::Question> question_of(const AskedPair& pair, std::string& why) {
  explain::Question q;
  const auto from = explain::parse_point(pair.from), to = explain::parse_point(pair.to);
  if (!from || !to) {
    why = from ? to.error().message : from.error().message;
    return std::nullopt;
  }
  q.from = *from;
  q.to = *to;
  q.dport = to->port;
  if (from->port) q.sport = *from->port;
  return q;
}

class Chooser {
 public:
  Chooser(const explain::Explainer& explainer, const Triage& triage, const std::vector<AuditRow>& rows,
          const ConnectionOptions& options)
      : explainer_(explainer), triage_(triage), rows_(rows), options_(options) {}

  Result<Connections> choose() {
    find_causes();
    for (const AskedPair& pair : options_.asked)
      if (auto error = add_asked(pair)) return *error;
    add_for_findings();
    add_kinds();
    return std::move(result_);
  }

 private:
  // Of connections that leak or fail, each once.
  void find_causes() {
    std::vector<std::pair<Ends, std::vector<std::size_t>>> bad;
    std::map<Ends, std::size_t> known;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (!is_bad(rows_[i])) continue;
      const auto [at, fresh] = known.try_emplace(ends_of(rows_[i]), bad.size());
      if (fresh) bad.push_back({at->first, {}});
      bad[at->second].second.push_back(i);
    }
    result_.causes_of = bad.size();
    result_.causes_sought = std::min(bad.size(), options_.most_causes);
    result_.effects.resize(triage_.findings.size());
    const auto causes =
        ask_all(explainer_, result_.causes_sought, options_.jobs, [&](const explain::Explainer& explainer, std::size_t i) {
          return cause_of(explainer, {bad[i].first.first, bad[i].first.second});
        });
    for (std::size_t i = 0; i < causes.size(); ++i)
      if (causes[i]) count(*causes[i], bad[i].second);
  }

  static std::optional<explain::Cause> cause_of(const explain::Explainer& explainer, const AskedPair& pair) {
    std::string why;
    const auto question = question_of(pair, why);
    if (!question) return std::nullopt;
    const auto found = explainer.explain(*question);
    return found ? find_cause(explainer, *found) : std::nullopt;
  }

  void count(const explain::Cause& cause, const std::vector<std::size_t>& rows) {
    for (std::size_t f = 0; f < triage_.findings.size(); ++f) {
      if (!explains(triage_.findings[f], cause)) continue;
      Effect& effect = result_.effects[f];
      for (const std::size_t row : rows) {
        effect.rows.push_back(row);
        if (rows_[row].leak) ++effect.leaks;
        if (is_failure(rows_[row])) ++effect.failures;
      }
      return;
    }
  }

  std::optional<Error> add_asked(const AskedPair& pair) {
    std::string why;
    if (!question_of(pair, why)) return Error{why};
    if (shown_.contains({pair.from, pair.to})) return std::nullopt;
    if (add(pair, why) == nullptr) return Error{why};
    result_.shown.back().asked = true;
    return std::nullopt;
  }

  void add_for_findings() {
    for (std::size_t f = 0; f < triage_.findings.size(); ++f) {
      const AuditRow* best = nullptr;
      int most = 0;
      for (const AuditRow& row : rows_) {
        const auto& explained = result_.effects[f].rows;
        const bool is_effect =
            std::find(explained.begin(), explained.end(), static_cast<std::size_t>(&row - rows_.data())) != explained.end();
        const int points = is_effect ? 100 : relevance_of(triage_.findings[f], row);
        if (points > most) best = &row, most = points;
      }
      if (best == nullptr) continue;
      const auto known = shown_.find(ends_of(*best));
      if (known == shown_.end() && others() >= options_.most) continue;
      std::string why;
      ShownConnection* shown = known != shown_.end() ? &result_.shown[known->second] : add({sender_of(*best), best->to}, why);
      if (shown != nullptr && std::find(shown->findings.begin(), shown->findings.end(), f) == shown->findings.end())
        shown->findings.push_back(f);
    }
  }

  void add_kinds() {
    std::map<Kind, std::vector<std::size_t>> kinds;
    std::vector<const std::pair<const Kind, std::vector<std::size_t>>*> order;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto [at, fresh] = kinds.try_emplace(kind_of(rows_[i]));
      at->second.push_back(i);
      if (fresh) order.push_back(&*at);
    }
    for (const auto* kind : order) add_kind(kind->second);
  }

  void add_kind(const std::vector<std::size_t>& rows) {
    std::set<Ends> ends;
    for (const std::size_t i : rows) ends.insert(ends_of(rows_[i]));
    auto known = std::find_if(rows.begin(), rows.end(), [&](std::size_t i) { return shown_.contains(ends_of(rows_[i])); });
    if (known == rows.end()) {
      std::string why;
      if (others() >= options_.most || add({sender_of(rows_[rows.front()]), rows_[rows.front()].to}, why) == nullptr) {
        ++result_.kinds_left_out;
        return;
      }
      known = rows.begin();
    }
    ShownConnection& shown = result_.shown[shown_.at(ends_of(rows_[*known]))];
    shown.alike = std::max(shown.alike, ends.size() - 1);
  }

  std::size_t others() const {
    return static_cast<std::size_t>(
        std::count_if(result_.shown.begin(), result_.shown.end(), [](const ShownConnection& c) { return !c.asked; }));
  }

  ShownConnection* add(const AskedPair& pair, std::string& why) {
    auto question = question_of(pair, why);
    if (!question) return nullptr;
    question->counters = true;
    auto found = explainer_.explain(*question);
    if (!found) {
      why = found.error().message;
      return nullptr;
    }
    found->cause = find_cause(explainer_, *found);
    ShownConnection shown;
    shown.pair = pair;
    shown.explanation = std::move(*found);
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (ends_of(rows_[i]) == Ends{pair.from, pair.to}) shown.rows.push_back(i);
    if (shown.explanation.cause)
      for (std::size_t f = 0; f < triage_.findings.size(); ++f)
        if (explains(triage_.findings[f], *shown.explanation.cause)) shown.findings.push_back(f);
    shown_[{pair.from, pair.to}] = result_.shown.size();
    result_.shown.push_back(std::move(shown));
    return &result_.shown.back();
  }

  const explain::Explainer& explainer_;
  const Triage& triage_;
  const std::vector<AuditRow>& rows_;
  const ConnectionOptions& options_;
  Connections result_;
  std::map<Ends, std::size_t> shown_;  // index in result_.shown
};

}  // namespace

std::string sender_of(const AuditRow& row) { return row.pod.empty() ? "node:" + row.node : row.namespace_ + "/" + row.pod; }

Result<Connections> choose_connections(const explain::Explainer& explainer, const Triage& triage,
                                       const std::vector<AuditRow>& rows, const ConnectionOptions& options) {
  return Chooser(explainer, triage, rows, options).choose();
}

}  // namespace egt::assess
