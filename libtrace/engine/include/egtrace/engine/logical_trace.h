// Walks a packet through logical flows as ovn-trace does (utilities/ovn-trace.c of OVN) and records what happens.
//
// There is no conntrack, no group and no clock in this walk: the caller decides what connection tracking finds, which backend
// and which path are taken, or the walk supposes what ovn-trace supposes. Where ovn-trace would pick at random the first
// is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/engine/logical_network.h"

namespace egt::engine::logical {

struct Options {
  std::vector<std::uint32_t> ct_states;  // one for each lookup in order; then established
  struct Backend {
    IpAddr address;
    std::uint16_t port = 0;
  };
  std::optional<Backend> backend;
  std::uint16_t select_id = 0;       // 0: none given
  bool keeps_original_tuple = true;  // connection tracking notes the tuple in ct_nw_dst…; from 25.09 on
};

// What a node shows. Pointers are into the network, which must outlive the trace.
struct Entered {
  const LogicalDatapath* datapath = nullptr;
  ovn::Pipeline pipeline = ovn::Pipeline::ingress;
  const NetworkGroup* group = nullptr;  // multicast(…)
  bool shows_inport = false, shows_outport = false;
  std::string inport, outport;  // as shown
};
struct Stage {
  const LogicalDatapath* datapath = nullptr;
  ovn::Pipeline pipeline = ovn::Pipeline::ingress;
  std::uint32_t table = 0;
  const NetworkFlow* flow = nullptr;  // null: implicit drop
  std::string_view name;              // of the stage where there is no flow
};
struct Executed {
  const ovn::Action* action = nullptr;  // null: drop
};
struct Assigned {  // an action that changes the packet, by its own text
  const ovn::Action* action = nullptr;
};
struct Moved {  // FIELD = what was in `from`
  ovn::FieldRef to;
  Subfield from;
  U128 value = 0;
};
struct Stacked {  // push and pop
  ovn::FieldRef field;
  bool push = true;
  std::optional<U128> value;  // nothing: the stack was empty
};
struct Became {  // FIELD = number
  ovn::FieldRef field;
  std::uint64_t value = 0;
  bool as_comment = false;
};
struct Delivered {  // output("PORT")
  std::string port;
};
// A packet that an action makes from this one.
struct Transformed {
  enum class Kind : std::uint8_t {
    clone,
    arp,
    icmp4,
    icmp6,
    tcp_reset,
    sctp_abort,
    nd_na,
    nd_ns,
    ct_next,
    ct_nat,
    ct_commit_nat,
    ct_commit_to_zone,
    ct_lb,
    select,
    log,
  };
  Kind kind = Kind::clone;
  const ovn::Action* action = nullptr;  // where its arguments count
  std::uint32_t ct_state = 0;
  bool ct_state_supposed = false;  // not given by the caller
  std::uint16_t selected = 0;
  bool selected_by_caller = false;
  std::string direction;                  // of a log: IN or OUT
  std::shared_ptr<const FlowKey> packet;  // of a log; null elsewhere, so that nodes stay small
};
struct Remark {
  enum class Kind : std::uint8_t {
    null_port,
    unknown_port,
    no_distributed_port,
    ttl_underflow,
    ttl_not_ip,
    no_backend,
    dns_lookup,
    dhcp_request,
    dhcp_relay_response,
    no_mirror_port,
    limit,
    output_to,
    omitted_loopback,
    replaced_chassisredirect,
    remote_fdb,
    flood_remote,
    binding,
    no_binding,
    binding_found,
    binding_found_ip,
    binding_missing,
    fdb_found,
    fdb_missing,
    nat_to_vip,
    evpn_unavailable,
    ttl_decremented,
    eth_dst,
    put_options,
    ovn_field,
  };
  Kind kind = Kind::null_port;
  std::string name, other_name, type;
  std::uint64_t number = 0;
  std::optional<IpAddr> ip;
  const ovn::Action* action = nullptr;
};

// How a node is shown in each form.
enum class NodeType : std::uint8_t { output, modify, action, error, pipeline, table, transformation };

struct Node {
  NodeType type = NodeType::action;
  bool always_indent = false;
  std::variant<Entered, Stage, Executed, Assigned, Moved, Stacked, Became, Delivered, Transformed, Remark> what;
  std::vector<Node> children;
};

// What the walk asked of a table of which the dumps do not show all, and was not shown. Pointers are into the network.
struct Unanswered {
  std::string_view table;  // "FDB"
  std::string name;        // of a port or group
  std::optional<IpAddr> ip;
  std::optional<MacAddr> mac;
  const ovn::sb::LogicalFlow* flow = nullptr;  // that asks for a port
  bool operator==(const Unanswered&) const = default;
};

// How often the walk supposed something that the caller could have said.
struct Supposed {
  unsigned states = 0, backends = 0, members = 0;
};

struct Trace {
  Node root;
  Supposed supposed;
  bool cut = false;                    // at the limit of nesting or length
  std::vector<Unanswered> unanswered;  // each once
};

Trace trace(const LogicalNetwork& network, const LogicalDatapath& datapath, const FlowKey& packet, const Options& options);

}  // namespace egt::engine::logical
