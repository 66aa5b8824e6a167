// The rows that OVN-Kubernetes writes into the northbound database for policies, by their external_ids.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/value_of.h"
#include "egtrace/cluster/cluster.h"
#include "egtrace/ovn/rows/nb.h"

namespace egt::assess {

using ExternalIds = std::map<std::string, std::string>;

// k8s.ovn.org/owner-type and k8s.ovn.org/name.
bool is_owned_by(const ExternalIds& ids, std::string_view type, std::string_view name);
std::optional<std::size_t> rule_index(const ExternalIds& ids, const std::string& key);

struct PolicyAcl {
  rows::nb::Acl row;
  std::optional<std::size_t> rule;
};
// Of one object, in the order of the rows. `index_key`: where the rule's number stands.
std::vector<PolicyAcl> acls_of(const cluster::Node& node, std::string_view type, std::string_view name,
                               const std::string& index_key);
// Whether the ACL lets packets through (allow, allow-related, allow-stateless of ovn-nb(5)).
bool allows(const rows::nb::Acl& acl);
bool drops(const rows::nb::Acl& acl);

// Whether one of the sets has it; each is of one family (ip-family). Nothing where none is of the address's.
std::optional<bool> any_holds(const std::vector<const ovn::AddressSet*>& sets, const IpAddr& address);
// Names that a match has behind '$' (address sets) or '@' (port groups), as ovn-nb(5) writes them.
std::vector<std::string> names_in_match(std::string_view match, char sign);
// The value behind `key` in a match: of "ip4.dst == 10.0.0.0/8)" behind "ip4.dst == ". Empty: it has no such.
std::string_view value_in_match(std::string_view match, std::string_view key);

// Where the node's northbound database shows all of its ACLs; null where it does not.
const Provenance* complete_acls(const cluster::Node& node);

}  // namespace egt::assess
