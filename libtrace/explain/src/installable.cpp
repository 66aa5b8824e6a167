#include "installable.h"

#include <algorithm>

#include "egtrace/base/u128.h"
#include "egtrace/openflow/prerequisites.h"
#include "egtrace/packet/flow_key.h"

namespace egt::explain {
namespace {

using ovn::Comparison;

bool is_of_field(const Comparison& c) { return !c.symbol->is_string() && c.symbol->field.has_value(); }

// A packet that the conjunct may be about: of each clause the first value.
FlowKey packet_of(const ovn::Conjunct& conjunct) {
  FlowKey key;
  for (const ovn::Clause& clause : conjunct)
    if (const Comparison& c = clause.front(); is_of_field(c))
      key.set(*c.symbol->field, (key.get(*c.symbol->field) & ~c.mask) | (c.value & c.mask));
  return key;
}

// A value that fills no byte is taken for a masked one: so are those of ip.dscp and ip.ecn.
bool is_asked_for(const Comparison& c) {
  const Field& f = field(*c.symbol->field);
  return f.maskable || (c.mask == ones(f.bits) && f.bits % 8 == 0);
}

}  // namespace

bool is_installable(const ovn::Conjunct& conjunct) {
  const FlowKey packet = packet_of(conjunct);
  return std::all_of(conjunct.begin(), conjunct.end(), [&](const ovn::Clause& clause) {
    return std::all_of(clause.begin(), clause.end(), [&](const Comparison& c) {
      return !is_of_field(c) || (is_asked_for(c) && openflow::prerequisites_met(*c.symbol->field, packet));
    });
  });
}

}  // namespace egt::explain
