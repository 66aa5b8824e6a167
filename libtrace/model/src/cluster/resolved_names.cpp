#include "egtrace/cluster/resolved_names.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"

namespace egt::cluster {
namespace {

// Of the address sets for names in rules of EgressFirewalls.
constexpr const char* kOwnerType = "k8s.ovn.org/owner-type";
constexpr const char* kOwnerName = "k8s.ovn.org/name";
constexpr std::string_view kFirewallName = "EgressFirewallDNS";

void add(NameAddresses& known, const std::vector<IpAddr>& addresses, Provenance from) {
  known.is_listed = true;
  known.from.push_back(from);
  for (const IpAddr& a : addresses)
    if (std::find(known.addresses.begin(), known.addresses.end(), a) == known.addresses.end()) known.addresses.push_back(a);
}

std::vector<IpAddr> addresses_in(const std::vector<std::string>& texts) {
  std::vector<IpAddr> all;
  for (const std::string& text : texts)
    if (const auto address = IpAddr::parse(text)) all.push_back(*address);
  return all;
}

void add_resolvers(NameAddresses& known, const Objects& objects, const std::string& name) {
  for (const ResolvedName& r : objects.resolved_names)
    if (r.dns_name == name) add(known, r.addresses, r.from);
}

void add_address_sets(NameAddresses& known, const ovn::Ovn& ovn, const std::string& name) {
  for (const ovn::AddressSet& set : ovn.address_sets) {
    const auto type = set.external_ids.find(kOwnerType), owner = set.external_ids.find(kOwnerName);
    if (type == set.external_ids.end() || type->second != kFirewallName || owner == set.external_ids.end()) continue;
    if (normal_dns_name(owner->second) == name) add(known, addresses_in(set.addresses), set.from);
  }
}

// {"www.example.com"="192.0.2.1 2001:db8::1", …} of a row of the table DNS.
template <class Dns>
void add_records(NameAddresses& known, const Dns& row, const std::string& name) {
  for (const auto& [record, addresses] : row.records()) {
    if (normal_dns_name(record) != name) continue;
    std::vector<std::string> texts;
    for (const std::string_view word : split(addresses, ' ')) texts.emplace_back(word);
    add(known, addresses_in(texts), row.from());
  }
}

void add_hosts(NameAddresses& known, const host::Host& host, const std::string& name) {
  for (const host::HostsEntry& entry : host.hosts)
    if (std::any_of(entry.names.begin(), entry.names.end(), [&](const std::string& n) { return normal_dns_name(n) == name; }))
      add(known, {entry.address}, entry.from);
}

}  // namespace

NameAddresses addresses_of_rule(const Objects& objects, const ovn::Ovn& ovn, std::string_view dns_name) {
  NameAddresses known;
  const std::string name = normal_dns_name(dns_name);
  add_resolvers(known, objects, name);
  if (!known.is_listed) add_address_sets(known, ovn, name);
  return known;
}

NameAddresses addresses_of_host(const Cluster& cluster, std::string_view host_name, std::string_view node) {
  NameAddresses known;
  const std::string name = normal_dns_name(host_name);
  add_resolvers(known, cluster.objects, name);
  for (const NodeHandle& handle : cluster.nodes) {
    if (!node.empty() && handle.name() != node) continue;
    add_address_sets(known, handle->ovn, name);
    for (const auto row : rows_of<rows::nb::Dns>(handle->ovn.rows)) add_records(known, row, name);
    for (const auto row : rows_of<rows::sb::Dns>(handle->ovn.rows)) add_records(known, row, name);
    add_hosts(known, handle->host, name);
  }
  return known;
}

}  // namespace egt::cluster
