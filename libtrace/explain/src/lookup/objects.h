// Kubernetes objects that match a term, and those that belong to the ones that it names.
#pragma once

#include <string>

#include "lookup/asked.h"
#include "lookup/match_list.h"

namespace egt::explain {

class ObjectLookup {
 public:
  ObjectLookup(const cluster::Cluster& cluster, const LookupTerm& term, MatchList& matches)
      : cluster_(cluster), term_(term), matches_(matches), asked_{term, {}, {}} {}

  // Which of them the term names.
  Asked find();

 private:
  void pods();
  void services();
  void endpoints(const cluster::EndpointSlice& slice);
  void egress_ips();
  void egress_services();
  void external_routes();
  void resolved_names();
  void policies();
  void nodes();
  void namespaces();
  // Of one that the term names: what it is known by, and what else belongs to it.
  void ask_for(const cluster::Pod& pod, const std::string& logical_port);
  void ask_for(const cluster::Service& service);
  void ask_for(const cluster::EgressIp& egress_ip);
  void ask_for_unknown();

  const cluster::Cluster& cluster_;
  const LookupTerm& term_;
  MatchList& matches_;
  Asked asked_;
};

}  // namespace egt::explain
