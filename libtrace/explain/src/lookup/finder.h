// Gathers what matches a Thing, kind by kind.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/explain/lookup.h"
#include "links.h"
#include "lookup/thing.h"
#include "names.h"

namespace egt::explain {

class Finder {
 public:
  Finder(const cluster::Cluster& cluster, Thing thing);

  void endpoints(const cluster::EndpointSlice& slice);
  void objects();                                  // of Kubernetes
  void machine(const cluster::Node& node);         // devices, neighbours
  void switches(const cluster::Node& node);        // bridges, interfaces, groups, zones, OpenFlow flows
  void datapath_flows(const cluster::Node& node);  // with what follows behind their recirculations
  void rows(const cluster::Node& node);            // of databases
  void logical(const cluster::Node& node);         // ports, datapaths, chassis, logical flows
  bool is_on_other_network(const cluster::Pod& pod) const;
  void logical_flows_with_address(const cluster::Node& node);
  void dump_lines(const cluster::DumpInfo& dump);  // rules, routes, connections: whatever decides by addresses
  void value();                                    // what the number or address means by itself

  std::vector<LookupMatch> matches;
  bool truncated = false;

 private:
  using Facts = std::vector<std::pair<std::string, std::string>>;
  LookupMatch* add(std::string kind, std::string name, const cluster::Node* node, Facts facts,
                   const std::vector<Provenance>& from);
  void use(LookupMatch& match, std::string what, Provenance from);
  Evidence evidence(const std::vector<Provenance>& from) const;

  bool is_address_of(const cluster::Service& service) const;
  bool is_row(const ovn::Row& row) const;
  void row(const cluster::Node& node, const ovn::Row& row);
  void uses_of_row(const cluster::Node& node, const ovn::Row& row, LookupMatch& match);
  void logical_flow(const cluster::Node& node, const ovn::LogicalFlow& flow);
  void uses_of_cookie(const cluster::Node& node, std::uint32_t cookie, LookupMatch& match);
  void uses_of_recirculation(const openflow::Datapath& datapath, const openflow::DatapathFlow& flow, LookupMatch& match, unsigned depth);
  void flows_with_cookie(const cluster::Node& node, const openflow::Bridge& bridge);
  void flows_with_address(const cluster::Node& node, const openflow::Bridge& bridge);
  void flows_that(const cluster::Node& node, const openflow::Bridge& bridge, const char* kind,
                  const std::function<bool(const openflow::FlowEntry&)>& concern_it);
  bool has(const std::vector<Prefix>& prefixes) const;
  bool has(const std::vector<IpAddr>& addresses) const;
  // The thing's port is one of these, or it has none.
  template <class Port>
  bool has_port(const std::vector<Port>& ports) const {
    return !thing_.port || std::any_of(ports.begin(), ports.end(), [&](const Port& p) { return p.port == *thing_.port; });
  }
  bool is_number(std::string_view field, std::optional<std::uint64_t> n) const;

  const cluster::Cluster& cluster_;
  Thing thing_;
  Names names_;
  Links links_;
  struct FlowPlace { const openflow::Bridge* bridge; openflow::FlowIndex flow; };
  using ByCookie = std::unordered_map<std::uint64_t, std::vector<FlowPlace>>;
  std::map<const cluster::Node*, ByCookie> by_cookie_;
};

}  // namespace egt::explain
