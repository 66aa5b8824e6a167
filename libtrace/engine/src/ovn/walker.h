// The walk behind logical::trace(). One method an action that does something to the packet.
#pragma once

#include "egtrace/engine/logical_trace.h"
#include "ovn/environment.h"

namespace egt::engine::logical {

using Nodes = std::vector<Node>;

class Walker {
 public:
  // Without an environment it walks as ovn-trace does.
  Walker(const LogicalNetwork& network, const Options& options, Environment* environment = nullptr)
      : network_(network), options_(options), environment_(environment) {}
  // The packet enters a datapath by the port that reg14 names.
  Trace run(const LogicalDatapath& datapath, FlowKey packet);
  // It comes from another chassis, which has chosen the port that reg15 names.
  Trace run_behind_tunnel(const LogicalDatapath& datapath, FlowKey packet);

 private:
  // Where an action is executed.
  struct Place {
    const LogicalDatapath& datapath;
    ovn::Pipeline pipeline;
    std::uint32_t table;
    Nodes& nodes;
    std::size_t step = 0;  // of the environment
    At at() const { return {datapath, pipeline, step}; }
  };
  using Stack = std::vector<U128>;

  void enter_table(const LogicalDatapath& datapath, FlowKey& packet, std::uint32_t table, ovn::Pipeline pipeline, Nodes& nodes);
  const NetworkFlow* find_flow(const LogicalDatapath& datapath, const FlowKey& packet, ovn::Pipeline pipeline,
                               std::uint32_t table);
  // Notes a question that got no answer, unless its table is known in full.
  void unanswered(Unanswered question);
  void execute_all(const ovn::ActionList& actions, const Place& at, FlowKey& packet);
  void execute(const ovn::Action& action, const Place& at, FlowKey& packet, Stack& stack);

  // walker_output.cpp
  void output(const Place& at, FlowKey& packet);
  void output_egress(const Place& at, const FlowKey& packet, const NetworkPort* port, std::string name);
  void cross_to_peer(const NetworkPort& peer, const FlowKey& packet, Nodes& nodes);
  void output_group(const Place& at, const FlowKey& packet, const NetworkGroup& group, FlowKey out);
  void mirror(const ovn::Mirror& mirror, const Place& at, const FlowKey& packet);
  std::string port_name(const LogicalDatapath& datapath, std::uint32_t key) const;

  // walker_connections.cpp
  std::uint32_t next_ct_state(bool& supposed);
  void note_original(FlowKey& to, const FlowKey& from) const;
  void track(const Tracking& how, std::uint16_t table, const Place& at, const FlowKey& packet);
  void ct_commit(const ovn::CtCommit& a, const Place& at, FlowKey& packet);
  Tracking balanced(const ovn::CtLb& a, const ovn::LbBackend& backend, const LogicalDatapath& datapath) const;
  void ct_next(const ovn::CtNext& a, const ovn::Action& action, const Place& at, const FlowKey& packet);
  void ct_nat(const ovn::CtNat& a, const ovn::Action& action, const Place& at, const FlowKey& packet);
  void ct_commit_to_zone(const ovn::CtCommitToZone& a, const ovn::Action& action, const Place& at, const FlowKey& packet);
  void ct_lb(const ovn::CtLb& a, const ovn::Action& action, const Place& at, const FlowKey& packet);
  const Options::Backend* choose_backend(const ovn::CtLb& a, Family family, const Place& at, Options::Backend& chosen);
  void select(const ovn::Select& a, const ovn::Action& action, const Place& at, const FlowKey& packet);
  void check_hairpin(const ovn::ResultAction& a, const Place& at, FlowKey& packet);
  bool is_hairpin(const ovn::ResultAction& a, const Place& at, const FlowKey& packet) const;
  void snat_to_vip(const Place& at, FlowKey& packet);

  // walker_packets.cpp: packets made from this one
  void nested(const ovn::Nested& a, const ovn::Action& action, const Place& at, const FlowKey& packet);
  void reject(const ovn::Nested& a, const Place& at, const FlowKey& packet);
  void icmp_error(const ovn::Nested& a, const Place& at, const FlowKey& packet, bool ipv6, bool back);
  void reset(const ovn::Nested& a, const Place& at, const FlowKey& packet, bool sctp, bool back);
  void refuse(const ovn::Nested& a, const Place& at, const FlowKey& packet);
  void run_block(const ovn::Nested& a, Transformed::Kind kind, const Place& at, FlowKey packet);

  // walker_values.cpp
  void load(const ovn::Load& a, const ovn::Action& action, const Place& at, FlowKey& packet);
  void move(const ovn::Move& a, const Place& at, FlowKey& packet);
  void exchange(const ovn::Exchange& a, const Place& at, FlowKey& packet);
  void push(const ovn::Push& a, const Place& at, const FlowKey& packet, Stack& stack);
  void pop(const ovn::Pop& a, const Place& at, FlowKey& packet, Stack& stack);
  void decrement_ttl(const Place& at, FlowKey& packet);
  std::optional<MacAddr> binding(const Place& at, std::uint32_t port, const IpAddr& address);
  void get_binding(const ovn::GetBinding& a, const Place& at, FlowKey& packet);
  void lookup_binding(const ovn::LookupBinding& a, const Place& at, FlowKey& packet);
  std::optional<std::uint32_t> learned_port(const ovn::FieldRef& field, const Place& at, const FlowKey& packet);
  void get_fdb(const ovn::GetFdb& a, const Place& at, FlowKey& packet);
  void lookup_fdb(const ovn::LookupFdb& a, const Place& at, FlowKey& packet);
  void put_options(const ovn::PutOptions& a, const ovn::Action& action, const Place& at, FlowKey& packet);
  void dhcp_relay(const ovn::DhcpRelayCheck& a, const Place& at, FlowKey& packet);
  void result(const ovn::ResultAction& a, const Place& at, FlowKey& packet);
  void check_evpn(const ovn::CheckEvpnArp& a, const Place& at, FlowKey& packet);

  // port_security.cpp
  const NetworkPort* secured_port(const Place& at, std::uint32_t key);
  bool violates_ingress(const Place& at, const FlowKey& packet);
  bool violates_egress(const Place& at, const FlowKey& packet);

  void remark(Nodes& nodes, NodeType type, Remark r) { nodes.push_back({type, false, std::move(r), {}}); }
  static void became(const ovn::FieldRef& field, std::uint64_t value, const Place& at);
  bool at_limit(Nodes& nodes);

  const LogicalNetwork& network_;
  const Options& options_;
  Environment* environment_;
  std::size_t next_state_ = 0;
  bool backend_used_ = false;
  unsigned depth_ = 0;
  unsigned long tables_ = 0;
  Trace trace_;
};

inline Remark remark_of(Remark::Kind kind) { return {kind, {}, {}, {}, 0, {}, nullptr}; }

// Fields of registers change without being mentioned.
bool is_register(FieldId id);

}  // namespace egt::engine::logical
