// What the numbers of a snapshot are called: addresses, logical datapaths and ports, cookies, marks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/cluster/per_node.h"
#include "phrases/addresses.h"

namespace egt::explain {

class Names {
 public:
  explicit Names(const cluster::Cluster& cluster);

  // "transit port of master-02", "pod ns/name", "address of br-ex on worker-1"; empty when no dump names it. `near`
  // is preferred where several nodes have the address.
  std::string address(const IpAddr& a, const cluster::Node* near = nullptr) const;
  // The logical flows behind a cookie, in the order of the dump. Empty for cookie 0.
  std::vector<const ovn::LogicalFlow*> logical_flows(const cluster::Node& node, std::uint64_t cookie) const;
  bool has_logical_flow(const cluster::Node& node, std::uint64_t cookie) const;
  // Name of the logical datapath with this tunnel key (OpenFlow metadata) on `node`; empty when unknown.
  std::string datapath(const cluster::Node& node, std::uint64_t key) const;
  // The same; where no dump lists the datapaths, from the logical flows behind that node's flows. Goes through all of
  // them.
  std::string listed_or_inferred_datapath(const cluster::Node& node, std::uint64_t key) const;
  // Name of the logical port with this key on that datapath; empty when unknown.
  std::string logical_port(const cluster::Node& node, std::uint64_t datapath_key, std::uint64_t port_key) const;

 private:
  struct Index {
    std::map<std::uint64_t, std::string> datapaths;
  };
  const Index& of(const cluster::Node& node) const;
  std::map<std::uint64_t, std::string> infer_datapaths(const cluster::Node& node) const;
  std::optional<AddressOwner> find_owner(const IpAddr& a, const cluster::Node* near) const;

  const cluster::Cluster& cluster_;
  Memo<std::pair<IpAddr, const cluster::Node*>, std::string> addresses_;  // those that were asked about
  cluster::PerNode<Index> per_node_;
  cluster::PerNode<std::map<std::uint64_t, std::string>> inferred_;  // datapaths by key
};

}  // namespace egt::explain
