// Who in the snapshot would answer ARP and neighbour discovery: hosts for themselves and others, flows of Open vSwitch, OVN for pods.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "device_index.h"
#include "egtrace/base/published.h"
#include "egtrace/engine/host.h"
#include "egtrace/engine/workload.h"
#include "link_exchange.h"
#include "router_ports.h"

namespace egt::engine {

class NeighbourAnswers : public NeighbourOracle {
 public:
  NeighbourAnswers(const cluster::Cluster& cluster, const Workloads& workloads, const DeviceIndex& devices,
                   const RouterPorts& router_ports);
  ~NeighbourAnswers() override;

  // Who would answer ARP (or ND) for `address` on the link of `device`.
  std::optional<Answer> resolve(const cluster::Node& node, std::string_view device, const IpAddr& address,
                                const std::optional<IpAddr>& asker) const override;
  Exchange exchange(const cluster::Node& node, std::string_view device, const IpAddr& address,
                    const std::optional<IpAddr>& asker) const override;
  // What a pod hears that asks for `address`, as find_answer_to_port() has it.
  const std::optional<FlowAnswer>& answer_to_pod(const PortAsker& asker, const IpAddr& address) const;

 private:
  const std::optional<FlowAnswer>& answer_by_flows(const cluster::Node& node, std::string_view device,
                                                   const LinkQuestion& question) const;
  const std::optional<FlowAnswer>& egress_node_answer(const cluster::Node& node, std::string_view device,
                                                      const LinkQuestion& question) const;
  bool may_have(const cluster::Node& node, const openflow::Interface& port, const IpAddr& address) const;
  std::optional<MacAddr> pod_answer(const cluster::Node& node, std::string_view device, const IpAddr& address) const;

  const cluster::Cluster& cluster_;
  const Workloads& workloads_;
  const DeviceIndex& devices_;
  const RouterPorts& router_ports_;
  using Key = std::tuple<const cluster::Node*, std::string, IpAddr, std::optional<IpAddr>>;
  Memo<Key, Exchange> exchanges_;
  Memo<Key, std::optional<FlowAnswer>> answers_by_flows_, answers_to_wire_;
  struct LinkWalks;
  std::unique_ptr<LinkWalks> link_walks_;  // of all threads that ask
};

}  // namespace egt::engine
