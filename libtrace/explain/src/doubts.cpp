#include "egtrace/explain/doubts.h"

namespace egt::explain {

void take_doubts(const cluster::Collection& collection, Explanation& explanation) {
  if (collection.obfuscated_by.empty()) return;
  const AssumptionReport doubt{"addresses that " + collection.obfuscated_by + " replaced stand for the same thing everywhere",
                               "numbers in registers, marks and compared parts of addresses were not replaced", {}};
  explanation.assumptions.push_back(doubt);
  if (explanation.confidence == "proven") explanation.confidence = "assumed";
  for (WayReport& way : explanation.ways) {
    way.assumptions.push_back(doubt);
    if (way.confidence == "proven") way.confidence = "assumed";
  }
}

}  // namespace egt::explain
