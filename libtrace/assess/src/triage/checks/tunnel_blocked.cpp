// A rule, a route, a device or a router on the path of the outer packets.
#include "triage/checks.h"
#include "triage/tunnel_walks.h"

namespace egt::assess {
namespace tunnel_blocked {

void run(const Facts& f, Findings& out) { report_tunnels(f.lost_between_nodes(), Claim::tunnel_blocked, out); }

}  // namespace tunnel_blocked

const Check kTunnelBlocked{"tunnel-blocked", Severity::error, always, tunnel_blocked::run, Check::Finds::consequence};

}  // namespace egt::assess
