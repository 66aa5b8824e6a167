#include "phrases/claims.h"

namespace egt::assess {

const ClaimPhrase& phrase_of(Claim claim) {
  static const std::span<const ClaimPhrase> kTables[] = {
      claims_of_egress_ips(), claims_of_egress_services(), claims_of_gateways(), claims_of_databases(),   claims_of_tunnels(),
      claims_of_switches(),   claims_of_services(),        claims_of_policies(), claims_of_connections(), claims_of_causes(),
  };
  std::size_t index = static_cast<std::size_t>(claim), table = 0;
  for (; index >= kTables[table].size(); ++table) index -= kTables[table].size();
  return kTables[table][index];
}

}  // namespace egt::assess
