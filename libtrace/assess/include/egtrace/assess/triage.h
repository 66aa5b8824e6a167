// What is wrong or suspicious in a snapshot: a catalogue of checks, each of which knows one fault of the field.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/assess/claim.h"
#include "egtrace/base/term.h"
#include "egtrace/cluster/dump_copy.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

enum class Severity : std::uint8_t { note, warning, error };

struct Finding {
  std::string id;  // of the check: "egressip-snat-missing"
  Severity severity = Severity::warning;
  Claim kind{};  // what was found, and what it names
  Terms about;
  std::string title, claim;        // what the check looks for; what it found, in one sentence
  std::string node, object;        // "EgressIP project"; empty where none is meant
  std::vector<std::string> nodes;  // other nodes on which the same was found
  std::vector<std::string> pods;   // NS/NAME of those it concerns, where it does not concern all that the object selects
  explain::Evidence evidence;
  std::string remedy;    // what to do or to look at next
  std::string docs;      // "docs/triage/egressip-snat-missing.md"
  bool is_cause = true;  // false: what follows from a cause, and explains no connection
};

struct SkippedCheck {
  std::string id, why;
};

struct Triage {
  std::vector<Finding> findings;      // errors first; within a severity in the order of the catalogue: causes before
  std::vector<SkippedCheck> skipped;  // what follows from them
};

struct CatalogueEntry {
  std::string id, title;
  Severity severity;
};
std::vector<CatalogueEntry> triage_catalogue();

// `only`: ids of the checks to run; empty: all. `copies`: second dumps of the snapshot, for what counted in between.
Triage triage(const explain::Explainer& explainer, const std::vector<std::string>& only = {},
              const std::vector<cluster::DumpCopy>& copies = {});

}  // namespace egt::assess
