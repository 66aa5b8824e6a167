// The path of the outer packets does not take what pods may send: small packets pass, large ones are lost.
#include "triage/checks.h"
#include "triage/tunnel_walks.h"

namespace egt::assess {
namespace underlay_mtu {

void run(const Facts& f, Findings& out) {
  report_tunnels(lost_in_tunnels(f, PacketSize::largest), "Packets as large as the pods' MTU", out);
}

}  // namespace underlay_mtu

const Check kUnderlayMtu{"underlay-mtu", "An underlay that does not carry large packets of pods", Severity::error, always,
                         underlay_mtu::run, Check::Finds::consequence};

}  // namespace egt::assess
