#include "egtrace/assess/baseline.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "egtrace/base/sha256.h"

namespace egt::assess {
namespace {

constexpr std::size_t kDigits = 32;  // of 64: long enough to be unique

// Which packet of which expectation it is, whatever became of it.
std::vector<std::string> identity(const ExpectationReport& r, const CaseReport& c) {
  std::vector<std::string> parts = {r.name, c.from, c.to};
  for (const Property& p : r.expected) parts.insert(parts.end(), {p.name, p.value});
  return parts;
}

// The number is that among cases of the same parts.
class Numbered {
 public:
  std::string operator()(const std::vector<std::string>& parts) {
    const std::string hash = fingerprint(parts);
    return fmt::format("{}:{}", hash, ++count_[hash]);
  }

 private:
  std::map<std::string, std::size_t> count_;
};

// A known failure has the name and the ends of its packet; what is expected of it may have been reworded since.
using Packet = std::vector<std::string>;
Packet packet_of(const KnownFailure& f) { return {f.name, f.from, f.to}; }

std::set<Packet> packets(const std::vector<ExpectationReport>& reports, std::optional<bool> holds) {
  std::set<Packet> all;
  for (const ExpectationReport& r : reports)
    for (const CaseReport& c : r.cases)
      if (c.judgement.holds == holds) all.insert({r.name, c.from, c.to});
  return all;
}

}  // namespace

std::string fingerprint(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += fmt::format("{}:{}", part.size(), part);
  return sha256(text).substr(0, kDigits);
}

Fingerprints fingerprints(const std::vector<ExpectationReport>& reports) {
  Fingerprints all;
  Numbered numbered;
  for (const ExpectationReport& r : reports) {
    all.emplace_back();
    for (const CaseReport& c : r.cases) {
      std::vector<std::string> parts = identity(r, c);
      parts.push_back(c.judgement.reason);
      all.back().push_back(numbered(parts));
    }
  }
  return all;
}

Baseline baseline_of(const std::vector<ExpectationReport>& reports) {
  const Fingerprints all = fingerprints(reports);
  Baseline baseline;
  for (std::size_t i = 0; i < reports.size(); ++i)
    for (std::size_t j = 0; j < reports[i].cases.size(); ++j) {
      const CaseReport& c = reports[i].cases[j];
      if (c.judgement.holds == false)
        baseline.push_back({all[i][j], reports[i].name, c.from, c.to, c.judgement.reason, c.judgement.why});
    }
  return baseline;
}

BaselineComparison compare(const std::vector<ExpectationReport>& reports, const Baseline& baseline) {
  BaselineComparison result;
  std::set<std::string> failing;
  for (const KnownFailure& now : baseline_of(reports)) failing.insert(now.fingerprint);
  const std::set<Packet> fail = packets(reports, false), undecided = packets(reports, std::nullopt),
                         hold = packets(reports, true);
  for (const KnownFailure& known : baseline) {
    if (failing.contains(known.fingerprint))
      result.fingerprints.insert(known.fingerprint);
    else if (fail.contains(packet_of(known)))
      result.changed.push_back(known);
    else if (undecided.contains(packet_of(known)))
      result.undecided.push_back(known);
    else
      (hold.contains(packet_of(known)) ? result.resolved : result.gone).push_back(known);
  }
  result.known = result.fingerprints.size();
  result.fresh = failing.size() - result.known;
  return result;
}

}  // namespace egt::assess
