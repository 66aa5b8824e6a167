// Failures that are known and accepted for now: `check --baseline` fails for new ones alone.
//
// A failure is distinguished from others by its expectation (name and what is expected), its packet and its reason, not by lines of
// files or dumps: it stays the same where lines are added above it, and in the next snapshot.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "egtrace/assess/check.h"

namespace egt::assess {

// Of each report the fingerprint of each case: a hash and, as one file may expect the same twice, its number:
// "5d41402abc4b2a76:1".
using Fingerprints = std::vector<std::vector<std::string>>;
Fingerprints fingerprints(const std::vector<ExpectationReport>& reports);

// For other things that are to be known again: the parts hashed, without a number.
std::string fingerprint(const std::vector<std::string>& parts);

struct KnownFailure {
  std::string fingerprint, name, from, to;
  std::string reason, why;  // as they were when the baseline was written
};
using Baseline = std::vector<KnownFailure>;
Baseline baseline_of(const std::vector<ExpectationReport>& reports);

// Reports beside a baseline.
struct BaselineComparison {
  std::size_t fresh = 0, known = 0;    // cases that fail
  Baseline resolved;                   // they hold now
  Baseline changed;                    // the packet fails in another way, which is new
  Baseline undecided;                  // the snapshot does not decide them any more
  Baseline gone;                       // no expectation is about them any more: it, or the pod, has another name or is not there
  std::set<std::string> fingerprints;  // of the cases that are known to fail
  bool is_known(const std::string& fingerprint) const { return fingerprints.contains(fingerprint); }
};
BaselineComparison compare(const std::vector<ExpectationReport>& reports, const Baseline& baseline);

}  // namespace egt::assess
