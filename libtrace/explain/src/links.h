// What stands behind the flows of a node: logical flows, rows of OVN's databases, and the Kubernetes objects that
// OVN-Kubernetes made those rows for.
//
// A cookie is the first 32 bits of a Southbound row's UUID, a stage hint those of a Northbound one: several rows can
// share them, and all are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/explain/explanation.h"

namespace egt::explain {

class Links {
 public:
  explicit Links(const cluster::Cluster& cluster) : cluster_(cluster) {}

  // Southbound rows of a cookie: what physical flows are made of (ports, MAC bindings, multicast groups, chassis, …).
  std::vector<const ovn::Row*> southbound_rows(const cluster::Node& node, std::uint64_t cookie) const;
  // Northbound rows that a logical flow was made for: by its hint, else by its content.
  std::vector<const ovn::Row*> northbound_rows(const cluster::Node& node, const ovn::LogicalFlow& flow) const;

  // Empty where nothing shows it.
  ObjectRef object_of(const ovn::Row& row) const;
  std::optional<PolicyRef> policy_of(const ovn::Row& row) const;

 private:
  const cluster::Cluster& cluster_;
};

// Tables whose rows decide what becomes of a packet, rather than that it may pass.
bool is_deciding(const ovn::Row& row);
// The option of a logical router that makes a flow translate the source of what a load balancer or a DNAT redirected:
// no row of NAT stands for that (options:lb_force_snat_ip, ovn-nb(5)). Empty for other flows.
std::string_view forcing_option(const ovn::LogicalFlow& flow);
// What shows a row from its neighbours: its name, or what it matches: "snat 10.132.0.13 to 192.168.66.100".
std::string row_name(const ovn::Row& row);

}  // namespace egt::explain
