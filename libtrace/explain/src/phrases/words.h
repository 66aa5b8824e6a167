// Puts the typed steps of a walk into words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"
#include "links.h"
#include "names.h"

namespace egt::explain {

class Words {
 public:
  Words(const cluster::Cluster& cluster, const Names& names)
      : cluster_(cluster), names_(names), links_(cluster), ovn_candidates_(cluster) {}

  Hop hop(const engine::Step& step, bool registers = true) const;  // whether to fill Hop::registers
  Evidence evidence(const std::vector<Provenance>& from) const;
  RowRef row(const ovn::Row& row) const;
  // Behind a cookie: 32 bits of a UUID, which other rows may share. Where the metadata names a logical datapath that
  // has one of them, those of that datapath alone.
  std::vector<const ovn::LogicalFlow*> logical_flows(const cluster::Node& node, std::uint64_t cookie,
                                                     std::uint64_t metadata) const;
  const cluster::Cluster& cluster() const { return cluster_; }
  const Names& names() const { return names_; }
  std::string address(const IpAddr& a) const;  // "100.88.0.3 (transit port of master-02)"

 private:
  void describe(const engine::TableMatch& s, const engine::Step& step, Hop& hop) const;
  void describe(const engine::RouteLookup& s, const engine::Step& step, Hop& hop) const;
  void describe(const engine::RuleHit& s, const engine::Step& step, Hop& hop) const;
  void name_causes(const engine::TableMatch& s, const cluster::Node& node, Hop& hop) const;
  void name_registers(const engine::TableMatch& s, const engine::Step& step, const cluster::Node& node, Hop& hop) const;
  const std::vector<std::string>& ovn_candidates(const cluster::Node& node) const;
  template <class Other>
  void describe(const Other& s, const engine::Step& step, Hop& hop) const;

  const cluster::Cluster& cluster_;
  const Names& names_;
  Links links_;
  cluster::PerNode<std::vector<std::string>> ovn_candidates_;
};

std::string in_bridge(const HopPlace& at);  // "br-int table 20"
std::string layer_name(engine::Layer layer);
SeenAddress seen(const IpAddr& ip, std::uint16_t port, bool has_port);
std::string endpoint_text(const Tuple& t, bool source, bool with_port = true);

}  // namespace egt::explain
