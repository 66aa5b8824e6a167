// A server of a clustered database that is outside of its cluster or knows no leader: what is written elsewhere does not come to it.
#include "triage/checks.h"

namespace egt::assess {
namespace database_without_leader {

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes)
    for (const ovn::DatabaseServer& server : node->ovn.database_servers) {
      if (server.is_member && server.has_leader) continue;
      out.add(Claim::database_without_leader, node->name, "", {server.database, server.is_member}, {server.from});
    }
}

}  // namespace database_without_leader

const Check kDatabaseWithoutLeader{"database-without-leader", Severity::warning, always, database_without_leader::run};

}  // namespace egt::assess
