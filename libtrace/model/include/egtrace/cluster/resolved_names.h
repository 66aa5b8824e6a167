// The addresses of DNS names, as far as dumps show them.
#pragma once

#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"

namespace egt::cluster {

struct NameAddresses {
  std::vector<IpAddr> addresses;  // each once
  std::vector<Provenance> from;   // of the objects and sets that list them
  bool is_listed = false;         // an object or a set lists the name, be it without an address
};

// What rules of EgressFirewalls with this name mean on the node: the DNSNameResolver of the name, else the address sets that
// OVN-Kubernetes made for it.
NameAddresses addresses_of_rule(const Objects& objects, const ovn::Ovn& ovn, std::string_view dns_name);
// What the name stands for to anyone: besides, the table DNS of OVN's databases (ovn-nb(5)) and the nodes' /etc/hosts. Of
// one node where `node` is not empty.
NameAddresses addresses_of_host(const Cluster& cluster, std::string_view name, std::string_view node = {});

}  // namespace egt::cluster
