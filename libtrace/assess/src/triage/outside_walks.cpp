#include "triage/outside_walks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/evidence.h"
#include "egtrace/base/text.h"

namespace egt::assess {
namespace {

// A client's question for one port of a service.
struct Call {
  const cluster::Service* service = nullptr;
  IpAddr client, to;
  std::uint16_t port = 0;
  std::string protocol, arrive_at;
  bool moved = false;
};

std::vector<LostFromOutside> walk(const explain::Explainer& explainer, const Call& call) {
  std::vector<LostFromOutside> lost;
  const auto sender = explain::parse_point(call.client.to_string()), receiver = explain::parse_point(vip_of(call.to, call.port));
  if (!sender || !receiver) return lost;
  explain::Question q;
  q.from = *sender;
  q.to = *receiver;
  q.proto = call.protocol;
  q.arrive_at = call.arrive_at;
  q.only_deciding = true;
  const auto x = explainer.explain(q);
  if (!x) return lost;
  for (const LostWalk& one : lost_walks(*x))
    if (stopped_for(*one.walk).empty())
      lost.push_back({call.service, call.client, vip_of(call.to, call.port), call.protocol, call.arrive_at, one.direction,
                      *one.walk->stopped_at, deciding_evidence(*one.walk), call.moved});
  return lost;
}

class Calls {
 public:
  explicit Calls(const Facts& f) : f_(f) {
    for (const std::string& name : cluster_nodes(f.cluster)) {
      const cluster::Node* node = f.cluster.node(name);
      if (node != nullptr && node->host.links.present && !node->host_presumed) nodes_.push_back(name);
    }
  }

  std::vector<Call> all() {
    if (nodes_.empty()) return {};
    for (const cluster::Service& service : f_.cluster.objects.services) {
      const auto endpoints = endpoints_of(service, f_.cluster.objects, f_.all_pods);
      for (const Family family : {Family::v4, Family::v6}) {
        std::set<std::string> answering;  // nodes with an endpoint
        for (const cluster::ServiceEndpoint& e : endpoints)
          if (e.address.family == family) answering.insert(e.node);
        if (!answering.empty()) add(service, family, answering);
      }
    }
    for (const Family family : {Family::v4, Family::v6}) ask_others(family);
    return std::move(calls_);
  }

 private:
  void add(const cluster::Service& service, Family family, const std::set<std::string>& answering) {
    for (const cluster::ServicePort& port : service.ports) {
      if (port.port == 0) continue;
      const std::string* node = next_node(service, answering);
      if (node == nullptr) return;
      if (port.node_port != 0) add_node_port(service, port, family, *node);
      for (const auto* list : {&service.load_balancer_ips, &service.external_ips})
        for (const IpAddr& a : *list)
          if (a.family == family) add(service, port, a, port.port, *node);
    }
  }

  void add_node_port(const cluster::Service& service, const cluster::ServicePort& port, Family family, const std::string& node) {
    const auto own = node_address(f_.cluster, node, family);
    if (!own) return;
    add(service, port, *own, port.node_port, node);
    NodePortQuestion& asked = asked_[family];
    asked.nodes.insert(node);
    if (asked.port != nullptr || service.external_traffic_policy == "Local") return;
    asked.service = &service;
    asked.port = &port;
  }

  // Where there are fewer ports than nodes, the others are asked for one that each of them is to answer.
  void ask_others(Family family) {
    const NodePortQuestion asked = asked_[family];
    if (asked.port == nullptr) return;
    for (const std::string& node : nodes_)
      if (!asked.nodes.contains(node)) add_node_port(*asked.service, *asked.port, family, node);
  }

  // Local: a node without an endpoint does not answer, and is not to.
  const std::string* next_node(const cluster::Service& service, const std::set<std::string>& answering) {
    const bool is_local = service.external_traffic_policy == "Local";
    for (std::size_t tried = 0; tried < nodes_.size(); ++tried) {
      const std::string& node = nodes_[turn_++ % nodes_.size()];
      if (!is_local || answering.contains(node)) return &node;
    }
    return nullptr;
  }

  void add(const cluster::Service& service, const cluster::ServicePort& port, const IpAddr& to, std::uint16_t number,
           const std::string& node) {
    const Client& client = client_of(to.family);
    const bool moved = std::any_of(service.cluster_ips.begin(), service.cluster_ips.end(), [&](const IpAddr& a) {
      return a.family == to.family && vip_state(*f_.cluster.node(node), service, a, port.port) == VipState::other_addresses;
    });
    calls_.push_back(
        {&service, client.address, to, number, lower(port.protocol), client.has_dumps ? std::string() : node, moved});
  }

  struct Client {
    IpAddr address;
    bool has_dumps = false;  // else a node is to be named at which its packets arrive
  };

  const Client& client_of(Family family) {
    std::optional<Client>& client = family == Family::v4 ? client_v4_ : client_v6_;
    if (!client) {
      const IpAddr address = outside(f_.cluster, family);
      client = Client{address, f_.cluster.owner_of(address) != nullptr};
    }
    return *client;
  }

  // Of node ports.
  struct NodePortQuestion {
    std::set<std::string> nodes;
    const cluster::Service* service = nullptr;
    const cluster::ServicePort* port = nullptr;  // the first that every node is to answer
  };

  const Facts& f_;
  std::vector<std::string> nodes_;
  std::map<Family, NodePortQuestion> asked_;
  std::size_t turn_ = 0;
  std::optional<Client> client_v4_, client_v6_;
  std::vector<Call> calls_;
};

}  // namespace

std::vector<LostFromOutside> lost_from_outside(const Facts& facts) {
  const std::vector<Call> calls = Calls(facts).all();
  std::vector<LostFromOutside> all;
  for (auto& lost : ask_all(facts.explainer, calls.size(), 0,
                            [&](const explain::Explainer&explainer, std::size_t i) { return walk(explainer, calls[i]); }))
    std::move(lost.begin(), lost.end(), std::back_inserter(all));
  return all;
}

}  // namespace egt::assess
