// Kubernetes objects with their facts, as a lookup shows them.
#pragma once

#include <string>

#include "lookup/match_list.h"

namespace egt::explain {

// `selected_by`, `selects_pod`: how it belongs to what is asked for; empty: it is asked for itself. `node`: where it is; null: no such.
void add_pod(MatchList& matches, const cluster::Pod& pod, const cluster::Node* node, const std::string& selected_by);
void add_service(MatchList& matches, const cluster::Service& service, const std::string& selects_pod);
void add_egress_ip(MatchList& matches, const cluster::EgressIp& egress_ip, const std::string& selects_pod);
void add_network_policy(MatchList& matches, const cluster::NetworkPolicy& policy, const std::string& selects_pod);

void add_endpoints(MatchList& matches, const cluster::EndpointSlice& slice);
void add_endpoint(MatchList& matches, const cluster::EndpointSlice& slice, const cluster::ServiceEndpoint& endpoint,
                  const cluster::Node* node);
void add_admin_policy(MatchList& matches, const cluster::AdminNetworkPolicy& policy);
void add_egress_firewall(MatchList& matches, const cluster::EgressFirewall& firewall);
void add_egress_service(MatchList& matches, const cluster::EgressService& service);
void add_node(MatchList& matches, const cluster::NodeObject& object, const cluster::Node* node);

}  // namespace egt::explain
