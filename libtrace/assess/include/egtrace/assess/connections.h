// Of all connections of an audit those worth a look at their paths: one of each kind, one for each finding, and those that
// the user names; and which finding explains which connection that fails or leaks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/assess/triage.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

struct AskedPair {
  std::string from, to;  // POINTs
};

struct ShownConnection {
  AskedPair pair;
  explain::Explanation explanation;   // with its cause
  bool asked = false;                 // by the user
  std::vector<std::size_t> rows;      // of the audit that are this connection
  std::size_t alike = 0;              // other connections of its kind
  std::vector<std::size_t> findings;  // it was chosen for, or is explained by
};

// What one finding explains, of the connections whose cause was looked for.
struct Effect {
  std::vector<std::size_t> rows;        // of the audit
  std::size_t leaks = 0, failures = 0;  // of them
};

struct Connections {
  std::vector<ShownConnection> shown;            // asked ones first, then those of findings, then by the order of the audit
  std::size_t kinds_left_out = 0;                // beyond `most`
  std::vector<Effect> effects;                   // of each finding
  std::size_t causes_sought = 0, causes_of = 0;  // connections that leak or fail: those whose cause was looked for, and all
};

struct ConnectionOptions {
  std::vector<AskedPair> asked;
  std::size_t most = 12;  // connections besides those that are asked for
  std::size_t most_causes = 64;
  unsigned jobs = 1;
};

std::string sender_of(const AuditRow& row);  // as POINT: "shop/cart", "node:worker-1"

// The error is for a POINT of `asked` that cannot be read or resolved.
Result<Connections> choose_connections(const explain::Explainer& explainer, const Triage& triage,
                                       const std::vector<AuditRow>& rows, const ConnectionOptions& options);

}  // namespace egt::assess
