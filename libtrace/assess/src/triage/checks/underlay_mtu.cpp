// The path of the outer packets does not take what pods may send: small packets pass, large ones are lost.
#include <algorithm>

#include "triage/checks.h"
#include "triage/tunnel_walks.h"

namespace egt::assess {
namespace underlay_mtu {

// Where small packets are lost as well the size is not the cause.
bool are_small_lost(const Facts& f, const LostBetweenNodes& large) {
  const auto& small = f.lost_between_nodes();
  return std::any_of(small.begin(), small.end(),
                     [&](const LostBetweenNodes& s) { return s.from == large.from && s.to == large.to; });
}

void run(const Facts& f, Findings& out) {
  std::vector<LostBetweenNodes> lost = lost_between_nodes(f, PacketSize::largest);
  std::erase_if(lost, [&](const LostBetweenNodes& large) { return are_small_lost(f, large); });
  report_tunnels(lost, Claim::underlay_mtu, out);
}

}  // namespace underlay_mtu

const Check kUnderlayMtu{"underlay-mtu", Severity::error, always, underlay_mtu::run, Check::Finds::consequence};

}  // namespace egt::assess
