// What a tracer of the kernel (retis, pwru) saw of one packet at one place inside a node: the function that it
// passed, and what Open vSwitch, conntrack, nftables or the function that frees packets had to do with it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/capture/frame.h"

namespace egt::capture {

enum class Probe : std::uint8_t { function, function_return, tracepoint, user };

enum class OvsEvent : std::uint8_t {
  none,
  upcall,          // no datapath flow matches, or one sends the packet to ovs-vswitchd
  upcall_enqueue,  // queued for ovs-vswitchd
  upcall_return,
  receive_upcall,  // ovs-vswitchd has it
  flow_operation,  // ovs-vswitchd puts a datapath flow, or executes the packet's actions
  execute_action,  // the datapath does one action
  look_up,         // a datapath flow matches
  other,
};

// What is equal of all packets that pass the same place alike. Strings are as the tracer prints them.
struct EventFacts {
  Probe probe = Probe::function;
  std::string symbol;           // "ip_rcv", "skb:kfree_skb"
  std::uint32_t netns = 0;      // inode of the network namespace; 0: the tracer does not show
  std::uint32_t interface = 0;  // index into Capture::interfaces, also of events without a packet
  OvsEvent ovs = OvsEvent::none;
  std::string action;                       // of execute_action; of flow_operation "put" or "exec"
  std::uint32_t port = 0;                   // of an output action: of the datapath
  std::uint16_t zone = 0;                   // of a ct action
  std::int64_t code = 0;                    // of an upcall its kind, of a return its status, of a drop action its reason
  std::string datapath_flow;                // its UFID where it has one
  std::vector<std::string> openflow_flows;  // that made it
  std::string ct_state;                     // "new"; empty: not shown
  std::uint16_t ct_zone = 0;
  std::string nft_table, nft_chain, nft_verdict;
  std::int64_t nft_rule = 0;  // its handle; 0: none, a policy or an unnamed place
  bool nft_policy = false;
  bool drop = false;
  std::string drop_subsystem, drop_reason;  // subsystem: empty is the kernel's core

  friend bool operator==(const EventFacts&, const EventFacts&) = default;
};

struct KernelEvent {
  std::uint64_t line = 0;    // 1-based in its file
  std::int64_t time = 0;     // nanoseconds since 1970, or since boot where the file does not show when that was
  std::uint64_t packet = 0;  // equal for all events of one packet and its clones; 0: the tracer does not show
  std::uint32_t queue = 0;   // of an upcall and what ovs-vswitchd does with it; 0: none
  bool has_packet = false;
  Frame frame;  // where `has_packet`
  EventFacts facts;
};

}  // namespace egt::capture
