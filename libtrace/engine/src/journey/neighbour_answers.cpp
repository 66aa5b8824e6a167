#include "neighbour_answers.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <vector>

#include "egtrace/engine/link_answer.h"

namespace egt::engine {
namespace {

using cluster::Node;
using Device = DeviceIndex::Device;

// What the node that has the address on `owner` says: each of its devices on the link may answer. `asked`: those; of a
// node that has none of them no dump shows on which link it is.
std::vector<std::optional<MacAddr>> owner_answers(const cluster::NodeHandle& node, const std::string& owner,
                                                  const std::vector<std::string>& asked, const LinkQuestion& q) {
  std::vector<std::optional<MacAddr>> answers;
  for (const std::string& device : asked)
    if (answers_for_own(node->host, device, owner, q)) answers.push_back(mac_of({node.get(), device}));
  const auto& links = node.links().value;
  const auto link = std::find_if(links.begin(), links.end(), [&](const host::Link& l) { return l.name == owner; });
  const bool loopback = link != links.end() && link->link_type == "loopback";
  if (asked.empty() && !loopback) answers.push_back(link != links.end() && link->is_up() ? link->mac : std::nullopt);
  return answers;
}

}  // namespace

struct NeighbourAnswers::LinkWalks {
  std::mutex mutex;
  SwitchSessions sessions;
};

NeighbourAnswers::NeighbourAnswers(const cluster::Cluster& cluster, const Workloads& workloads, const DeviceIndex& devices,
                                   const RouterPorts& router_ports)
    : cluster_(cluster),
      workloads_(workloads),
      devices_(devices),
      router_ports_(router_ports),
      link_walks_(std::make_unique<LinkWalks>()) {}

NeighbourAnswers::~NeighbourAnswers() = default;

std::optional<NeighbourOracle::Answer> NeighbourAnswers::resolve(const Node& node, std::string_view device, const IpAddr& address,
                                                                 const std::optional<IpAddr>& asker) const {
  const LinkQuestion question{address, asker};
  const DeviceIndex::Devices asked = devices_.link_of(node, device);
  std::optional<MacAddr> answer;
  bool several = false, is_on_link = false;
  const auto hear = [&](const std::optional<MacAddr>& mac, bool on_link) {
    several = several || (mac && answer && *mac != *answer);
    is_on_link = is_on_link || (mac && on_link);
    if (mac) answer = mac;
  };
  for (const auto* owners : {&devices_.with_address(address), &devices_.loopbacks_with(address)})
    for (const Device& owner : *owners) {
      if (owner.node->identity() == &node) continue;
      std::vector<std::string> on_link;
      for (const Device& end : asked)
        if (end.node == owner.node) on_link.push_back(end.name);
      for (const auto& mac : owner_answers(*owner.node, owner.name, on_link, question)) hear(mac, !on_link.empty());
    }
  if (!answer)
    for (const Device& end : asked)
      if (end.node->may_answer_for_others() && answers_for_others(end.end().node->host, end.name, question))
        hear(mac_of(end.end()), true);
  if (several) return std::nullopt;
  if (answer) return Answer{*answer, false, {}, !is_on_link};
  if (const auto mac = pod_answer(node, device, address)) {
    const auto& by_flows = answer_by_flows(node, device, question);
    if (!by_flows) return Answer{*mac, true};
    return Answer{by_flows->mac.value_or(*mac), !by_flows->mac, by_flows->evidence};
  }
  if (const auto& by_flows = egress_node_answer(node, device, question)) return Answer{*by_flows->mac, false, by_flows->evidence};
  if (node.host_presumed && !devices_.is_shared(address)) return Answer{kSomeNeighbour};
  return std::nullopt;
}

// OVN answers for an egress IP that a NAT row of the gateway router has, and no device.
const std::optional<FlowAnswer>& NeighbourAnswers::egress_node_answer(const Node& node, std::string_view device,
                                                                      const LinkQuestion& q) const {
  return answers_to_wire_.get_or({&node, std::string(device), q.address, q.asker}, [&]() -> std::optional<FlowAnswer> {
    std::set<std::string_view> assigned;
    for (const cluster::EgressIp& object : cluster_.objects.egress_ips)
      for (const auto& item : object.status)
        if (item.address == q.address) assigned.insert(item.node);
    for (const Device& end : assigned.empty() ? DeviceIndex::Devices() : devices_.link_of(node, device)) {
      if (!assigned.contains(end.node->name())) continue;
      const std::lock_guard lock(link_walks_->mutex);
      if (auto found = find_answer_to_wire(link_walks_->sessions, {&node, std::string(device)}, end.end(), q)) return found;
    }
    return std::nullopt;
  });
}

NeighbourOracle::Exchange NeighbourAnswers::exchange(const Node& node, std::string_view device, const IpAddr& address,
                                                     const std::optional<IpAddr>& asker) const {
  return exchanges_.get_or({&node, std::string(device), address, asker}, [&] {
    const WireEnd end{&node, std::string(device)};
    const LinkQuestion question{address, asker};
    if (const Device* owner = devices_.only_with_address(address); owner != nullptr)
      return follow_exchange({end, owner->end(), question});
    const auto& by_flows = answer_by_flows(node, device, question);
    return by_flows && !by_flows->mac ? Exchange::lost : follow_own_arp(end, question);
  });
}

const std::optional<FlowAnswer>& NeighbourAnswers::answer_by_flows(const Node& node, std::string_view device,
                                                                   const LinkQuestion& q) const {
  return answers_by_flows_.get_or({&node, std::string(device), q.address, q.asker}, [&] {
    const std::lock_guard lock(link_walks_->mutex);
    return find_answer_by_flows(link_walks_->sessions, {&node, std::string(device)}, q);
  });
}

// A flood reaches other pods and devices of the host, which do not answer for what they do not have.
bool NeighbourAnswers::may_have(const Node& node, const openflow::Interface& port, const IpAddr& address) const {
  if (port.type == "internal") {
    const host::Link* link = node.host.link(port.name);
    return link == nullptr || std::any_of(link->addresses.begin(), link->addresses.end(),
                                          [&](const host::Address& a) { return a.prefix.address == address; });
  }
  const auto id = port.external_ids.find("iface-id");
  const Workload* pod = id == port.external_ids.end() ? nullptr : workloads_.with_id(id->second, node.name);
  return pod == nullptr || std::any_of(pod->network.addresses.begin(), pod->network.addresses.end(),
                                       [&](const Prefix& own) { return own.address == address; });
}

const std::optional<FlowAnswer>& NeighbourAnswers::answer_to_pod(const PortAsker& asker, const IpAddr& address) const {
  return answers_by_flows_.get_or({asker.node, asker.port->name, address, asker.address}, [&] {
    const std::lock_guard lock(link_walks_->mutex);
    return find_answer_to_port(link_walks_->sessions, asker, address,
                               [&](const openflow::Interface& port) { return may_have(*asker.node, port, address); });
  });
}

// OVN answers ARP and neighbour discovery for the pods of a logical switch and for its router, and a pod for itself.
std::optional<MacAddr> NeighbourAnswers::pod_answer(const Node& node, std::string_view device, const IpAddr& address) const {
  const auto place = node.port(device);
  if (place.bridge == nullptr || place.bridge != node.integration_bridge()) return std::nullopt;
  for (const auto& [port, logical_switch] : router_ports_.of(node))
    if (std::any_of(port->addresses.begin(), port->addresses.end(), [&](const Prefix& p) { return p.address == address; }))
      return port->mac;
  const Workload* pod = workloads_.with_address(address, node.name);
  return pod != nullptr && pod->bridge == place.bridge ? pod->network.mac : std::nullopt;
}

}  // namespace egt::engine
