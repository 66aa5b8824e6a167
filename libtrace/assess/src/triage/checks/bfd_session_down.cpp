// The BFD session with an external gateway is down. ovn-northd then makes no logical flows of the routes that name it (parsed_routes_add_static()
// of northd/northd.c), and what is sent takes another route, or none.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "triage/checks.h"
#include "triage/nb_rows.h"

namespace egt::assess {
namespace bfd_session_down {

namespace nb = rows::nb;
using Route = nb::LogicalRouterStaticRoute;

// A session that ovn-northd knows and no ovn-controller runs yet counts as down.
bool is_down(std::string_view status) { return status == "down" || status == "admin_down"; }

struct Sessions {
  struct Down {
    nb::Bfd row;
    std::string status;
  };
  std::vector<Down> down;
  std::set<std::string> known, down_uuids;
  std::set<std::string> reached;             // what has a route that is in force, as key_of() has it
  std::multimap<std::string, Route> routes;  // by the session that they name
  bool lacks = false;                        // a route names a session that no dump shows
};

// Routes of one key are alternatives.
std::string key_of(const Route& route) {
  return route.router() + '|' + route.route_table() + '|' + route.policy() + '|' + route.ip_prefix();
}

void note_routes(const cluster::Node& node, Sessions& all) {
  for (const Route route : rows_of<Route>(node.ovn.rows)) {
    const std::string session = route.bfd();
    if (!session.empty()) all.routes.emplace(session, route);
    all.lacks = all.lacks || (!session.empty() && !all.known.contains(session));
    if (!all.down_uuids.contains(session)) all.reached.insert(key_of(route));
  }
}

// The state that counts is that of the southbound database, which the northbound one follows. Empty: no dump shows it.
Sessions sessions_of(const cluster::Node& node) {
  Sessions all;
  std::map<std::pair<std::string, std::string>, std::string> southbound;  // by port and gateway
  for (const rows::sb::Bfd row : rows_of<rows::sb::Bfd>(node.ovn.rows))
    southbound.try_emplace({row.logical_port(), row.dst_ip()}, row.status());
  for (const nb::Bfd row : rows_of<nb::Bfd>(node.ovn.rows)) {
    const auto found = southbound.find({row.logical_port(), row.dst_ip()});
    const std::string status = found != southbound.end() ? found->second : std::string(row.status());
    if (status.empty()) continue;
    all.known.insert(row.uuid());
    if (!is_down(status)) continue;
    all.down.push_back({row, status});
    all.down_uuids.insert(row.uuid());
  }
  note_routes(node, all);
  return all;
}

// Routes by the gateway and the pods whose they are; whether each has an alternative that is in force.
struct Withdrawn {
  std::vector<Provenance> from;
  std::vector<const KnownPod*> pods;
  bool has_others = true;
};

Withdrawn withdrawn_by(const Facts& f, const nb::Bfd& session, const Sessions& sessions) {
  Withdrawn all;
  const auto gateway = IpAddr::parse(session.dst_ip());
  const auto [begin, end] = sessions.routes.equal_range(session.uuid());
  for (auto at = begin; at != end; ++at) {
    const Route& route = at->second;
    if (route.nexthop() != session.dst_ip()) continue;
    all.from.push_back(route.from());
    all.has_others = all.has_others && sessions.reached.contains(key_of(route));
    const auto prefix = Prefix::parse(route.ip_prefix());
    if (!prefix || !prefix->is_host() || route.policy() != "src-ip" || !gateway) continue;
    const KnownPod* pod = f.pod_with(prefix->address);
    if (pod != nullptr && pod->address(gateway->family) != nullptr) all.pods.push_back(pod);
  }
  return all;
}

using Objects = std::map<IpAddr, std::string>;  // by the gateway that they name

Objects objects_of_gateways(const Facts& f) {
  Objects all;
  for (const cluster::ExternalRoute& route : f.cluster.objects.external_routes)
    for (const IpAddr& hop : route.next_hops) all.emplace(hop, "AdminPolicyBasedExternalRoute " + route.name);
  return all;
}

void judge(const Facts& f, const cluster::Node& node, const Sessions::Down& down, const Sessions& sessions,
           const Objects& objects, Findings& out) {
  const nb::Bfd& session = down.row;
  const Withdrawn withdrawn = withdrawn_by(f, session, sessions);
  if (withdrawn.from.empty()) return;
  const auto gateway = IpAddr::parse(session.dst_ip());
  const auto object = gateway ? objects.find(*gateway) : objects.end();
  std::vector<Provenance> proof{session.from()};
  constexpr std::size_t kShown = 4;
  proof.insert(proof.end(), withdrawn.from.begin(),
               withdrawn.from.begin() + static_cast<std::ptrdiff_t>(std::min(withdrawn.from.size(), kShown)));
  if (withdrawn.has_others) out.weigh(Severity::warning);
  if (!withdrawn.pods.empty()) out.about(withdrawn.pods);
  out.add(Claim::bfd_session_down, node.name, object == objects.end() ? std::string() : object->second,
          {session.logical_port(), session.dst_ip(), down.status, withdrawn.from.size(),
           gateway ? Term(terms_of(withdrawn.pods, gateway->family)) : Term(), withdrawn.has_others},
          proof);
}

void run(const Facts& f, Findings& out) {
  const Objects objects = objects_of_gateways(f);
  for (const auto& node : f.cluster.nodes) {
    const Sessions sessions = sessions_of(*node);
    for (const Sessions::Down& down : sessions.down) judge(f, *node, down, sessions, objects, out);
    if (sessions.lacks) out.lacks(Lack::bfd_sessions, {node->name});
  }
}

}  // namespace bfd_session_down

const Check kBfdSessionDown{"bfd-session-down", Severity::error, always, bfd_session_down::run};

}  // namespace egt::assess
