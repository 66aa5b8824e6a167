// What a packet meets beside the logical flows themselves: connection tracking, other chassis, what splits its path. A walk
// without one takes what ovn-trace would take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "egtrace/engine/logical_trace.h"
#include "ovn/tracking.h"

namespace egt::engine::logical {

// Where in the pipelines an action stands.
struct At {
  const LogicalDatapath& datapath;
  ovn::Pipeline pipeline;
  std::size_t step = 0;  // what met() returned for its flow
};

class Environment {
 public:
  virtual ~Environment() = default;

  // The packet comes to a table; what is returned names its flow in the calls below. A null flow: it is dropped there.
  virtual std::size_t met(const Stage& stage, const FlowKey& packet) = 0;
  virtual void changed(const At& at, const FlowKey& before, const FlowKey& after) = 0;
  virtual void dropped(const At& at) = 0;  // by the flow, which has no actions
  virtual void track(const At& at, const Tracking& how, FlowKey& packet) = 0;
  virtual bool is_answer_to_hairpin(const At& at, const FlowKey& packet) = 0;
  // Of all of its backends; past them: none is left.
  virtual std::size_t choose_backend(const At& at, const ovn::CtLb& balancer, Family family) = 0;
  virtual std::uint16_t choose_member(const At& at, const ovn::Select& select) = 0;
  virtual bool is_larger(const At& at, std::uint32_t frame) = 0;
  // The MAC that Static_MAC_Binding gives an address; `overriding`: of the rows that count before those that OVN has learnt.
  virtual std::optional<MacAddr> static_binding(const NetworkPort* port, const IpAddr& address, bool overriding) = 0;
  // The MAC of an address that no binding gives; nothing where that is not known, and the packet goes no further.
  virtual std::optional<MacAddr> resolve(const At& at, const NetworkPort* port, const IpAddr& address) = 0;
  // Whether another chassis has the port, and the packet goes on there.
  virtual bool leaves(const At& at, const NetworkPort& port, const FlowKey& packet) = 0;
  virtual void output(const At& at, const NetworkPort& port, const FlowKey& packet) = 0;
  // The packet is for a port or group that the database does not have.
  virtual void has_no_port(const At& at) = 0;
  // ovn-controller refuses the packet; what is met and output until end_refusal() is its answer. False: nothing of it is
  // asked for, as where there is none.
  virtual bool begin_refusal(const At& at, const FlowKey& refused, bool has_answer) = 0;
  virtual void end_refusal() = 0;
};

}  // namespace egt::engine::logical
