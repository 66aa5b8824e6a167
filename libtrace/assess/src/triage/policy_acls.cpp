#include "triage/policy_acls.h"

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::assess {

bool is_owned_by(const ExternalIds& ids, std::string_view type, std::string_view name) {
  return value_of(ids, "k8s.ovn.org/owner-type") == type && value_of(ids, "k8s.ovn.org/name") == name;
}

std::optional<std::size_t> rule_index(const ExternalIds& ids, const std::string& key) {
  const auto number = parse_decimal(value_of(ids, key));
  return number ? std::optional(static_cast<std::size_t>(*number)) : std::nullopt;
}

std::vector<PolicyAcl> acls_of(const cluster::Node& node, std::string_view type, std::string_view name,
                               const std::string& index_key) {
  std::vector<PolicyAcl> all;
  for (const auto acl : rows_of<rows::nb::Acl>(node.ovn.rows))
    if (is_owned_by(acl.external_ids(), type, name)) all.push_back({acl, rule_index(acl.external_ids(), index_key)});
  return all;
}

bool allows(const rows::nb::Acl& acl) { return acl.action().starts_with("allow"); }
bool drops(const rows::nb::Acl& acl) {
  const std::string action = acl.action();
  return action == "drop" || action == "reject";
}

std::optional<bool> any_holds(const std::vector<const ovn::AddressSet*>& sets, const IpAddr& address) {
  std::optional<bool> held;
  for (const ovn::AddressSet* set : sets) {
    if (value_of(set->external_ids, "ip-family") != (address.is_v4() ? "v4" : "v6")) continue;
    held = held.value_or(false) || std::any_of(set->addresses.begin(), set->addresses.end(), [&](const std::string& text) {
             const auto p = Prefix::parse(text);
             return p && p->contains(address);
           });
  }
  return held;
}

std::string_view value_in_match(std::string_view match, std::string_view key) {
  const std::size_t at = match.find(key);
  const std::string_view rest = at == match.npos ? std::string_view() : match.substr(at + key.size());
  return rest.substr(0, rest.find_first_of(" )&|"));
}

std::vector<std::string> names_in_match(std::string_view match, char sign) {
  std::vector<std::string> names;
  for (std::size_t at = match.find(sign); at != match.npos; at = match.find(sign, at + 1)) {
    const std::string_view rest = match.substr(at + 1);
    names.emplace_back(rest.substr(0, rest.find_first_of(" ,)}&|\"")));
  }
  return names;
}

const Provenance* complete_acls(const cluster::Node& node) {
  const auto found = node.ovn.complete_tables.find("NB ACL");
  return found == node.ovn.complete_tables.end() ? nullptr : &found->second;
}

}  // namespace egt::assess
