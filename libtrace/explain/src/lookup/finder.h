// Gathers what matches a LookupTerm, kind by kind.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/explain/lookup.h"
#include "links.h"
#include "lookup/asked_object.h"
#include "lookup/term.h"
#include "names.h"

namespace egt::explain {

class Recirculations;
struct RowUses;

class Finder {
 public:
  Finder(const cluster::Cluster& cluster, LookupTerm term);

  void objects();                                          // of Kubernetes; says which of them are asked for by name
  void of_subjects(const cluster::Node& node);             // devices and flows that there are for those
  void prepare_lines();                                    // then of dumps:
  void tables_of_subjects(const cluster::DumpInfo& dump);  // routing tables of their own; then
  void lines_of_subjects(const cluster::DumpInfo& dump);   // policy rules, routes, rules of netfilter for those
  void host(const cluster::Node& node);                    // devices, neighbours
  void switches(const cluster::Node& node);                // bridges, interfaces, groups, zones, OpenFlow flows
  void datapath_flows(const cluster::Node& node);          // with what follows behind their recirculations
  void rows(const cluster::Node& node);                    // of databases
  void logical(const cluster::Node& node);                 // ports, datapaths, chassis, logical flows
  void flows_of_cookies(const cluster::Node& node);        // that rows and logical flows have given
  void logical_flows_with_address(const cluster::Node& node);
  void dump_lines(const cluster::DumpInfo& dump);  // rules, routes, connections: whatever decides by addresses
  void value();                                    // what the number or address means by itself

  std::vector<LookupMatch> matches;

 private:
  using Facts = std::vector<std::pair<std::string, std::string>>;
  // The second says how it belongs to what is asked for; empty: it is asked for itself.
  void pod(const cluster::Pod& pod, const std::string& selected_by);
  void service(const cluster::Service& service, const std::string& selects_pod);
  void egress_ip(const cluster::EgressIp& egress_ip, const std::string& selects_pod);
  void network_policy(const cluster::NetworkPolicy& policy, const std::string& selects_pod);
  void endpoints(const cluster::EndpointSlice& slice);
  void pods();
  void services();
  void egress_ips();
  void other_objects();
  void networks();
  void network(const cluster::NetworkDefinition& network);
  bool is_network(const cluster::NetworkDefinition& network) const;
  void policies();
  void nodes_as_objects();
  void subject(const cluster::Pod& pod, const std::string& logical_port);
  void subject(const cluster::Service& service);
  void subject(const cluster::EgressIp& egress_ip);
  bool is_named(ObjectKind kind, const cluster::Object& object) const;
  bool is_called(std::string_view name) const;  // by dumps of nodes
  bool is_made_for_subject(const ovn::Row& row) const;

  LookupMatch* add(std::string kind, std::string name, const cluster::Node* node, Facts facts,
                   const std::vector<Provenance>& from);
  void use(LookupMatch& match, std::string what, Provenance from);
  Evidence evidence(const std::vector<Provenance>& from) const;

  bool is_address_of(const cluster::Service& service) const;
  bool is_on_other_network(const cluster::Pod& pod) const;
  bool is_row(const ovn::Row& row) const;
  void add_asked(const ovn::RowList<ovn::Row>& rows, std::vector<const ovn::Row*>& asked) const;
  void row(const cluster::Node& node, const ovn::Row& row, const RowUses& uses);
  void logical_flow(const cluster::Node& node, const ovn::LogicalFlow& flow);
  void want_cookie(std::uint32_t cookie, const LookupMatch& match);
  void uses_of_recirculation(const openflow::Datapath& datapath, const Recirculations& recirculations, std::size_t flow,
                             LookupMatch& match, unsigned depth);
  void groups(const cluster::Node& node, const openflow::Bridge& bridge);
  void group(const cluster::Node& node, const openflow::Bridge& bridge, const openflow::Group& group);
  void flows_with_cookie(const cluster::Node& node, const openflow::Bridge& bridge);
  void flows_with_address(const cluster::Node& node, const openflow::Bridge& bridge);
  std::string flow_words(const cluster::Node& node, const openflow::Bridge& bridge, openflow::FlowIndex flow);
  void list_flows(const cluster::Node& node, const openflow::Bridge& bridge, const std::string& kind,
                  const std::vector<openflow::FlowIndex>& flows);
  std::set<std::uint64_t> cookies_behind(const openflow::Bridge& bridge, openflow::FlowIndex member);
  bool has(const std::vector<Prefix>& prefixes) const;
  bool has(const std::vector<IpAddr>& addresses) const;
  // The port is one of these, or it has none.
  template <class Port>
  bool has_port(const std::vector<Port>& ports) const {
    return !term_.port || std::any_of(ports.begin(), ports.end(), [&](const Port& p) { return p.port == *term_.port; });
  }
  bool is_number(std::string_view field, std::optional<std::uint64_t> n) const;

  const cluster::Cluster& cluster_;
  LookupTerm term_;
  std::string asked_text_;                   // its address, else its MAC, as dumps write it
  std::optional<std::uint16_t> asked_port_;  // the number, as a port
  Names names_;
  Links links_;
  std::vector<AskedObject> subjects_;
  LineWords wanted_;                                                     // of all of them
  std::set<std::string, std::less<>> also_called_;                       // names that dumps of nodes have for them
  std::set<std::pair<std::string, std::string>> own_tables_;             // node, routing table
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> cookies_;  // of one node: the matches whose flows have it
  std::map<const openflow::Bridge*, std::multimap<std::pair<std::uint8_t, std::uint32_t>, std::uint64_t>>
      conjunctions_;  // cookies by table and conj_id
};

}  // namespace egt::explain
