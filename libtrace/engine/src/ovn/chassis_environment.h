// What a chassis adds to the logical flows that a packet meets on it: connections in the zones of ovn-controller, ports of its bridge,
// tunnels to other chassis, and ovn-controller itself.
#pragma once

#include <optional>

#include "ovn/logical_engine.h"
#include "ovn/logical_path.h"

namespace egt::engine {

class ChassisEnvironment : public logical::Environment {
 public:
  ChassisEnvironment(const LogicalWalk& walk, const openflow::Bridge& bridge, LogicalPath& path)
      : walk_(walk), bridge_(bridge), path_(path), quoted_(walk.options.quoted) {}

  std::size_t met(const logical::Stage& stage, const FlowKey& packet) override;
  void changed(const logical::At& at, const FlowKey& before, const FlowKey& after) override;
  void dropped(const logical::At& at) override;
  void track(const logical::At& at, const logical::Tracking& how, FlowKey& packet) override;
  bool is_answer_to_hairpin(const logical::At& at, const FlowKey& packet) override;
  std::size_t choose_backend(const logical::At& at, const ovn::CtLb& balancer, Family family) override;
  std::uint16_t choose_member(const logical::At& at, const ovn::Select& select) override;
  bool is_larger(const logical::At& at, std::uint32_t frame) override;
  std::optional<MacAddr> static_binding(const NetworkPort* port, const IpAddr& address, bool overriding) override;
  std::optional<MacAddr> resolve(const logical::At& at, const NetworkPort* port, const IpAddr& address) override;
  bool leaves(const logical::At& at, const NetworkPort& port, const FlowKey& packet) override;
  void output(const logical::At& at, const NetworkPort& port, const FlowKey& packet) override;
  void has_no_port(const logical::At& at) override;
  bool begin_refusal(const logical::At& at, const FlowKey& refused, bool has_answer) override;
  void end_refusal() override;

 private:
  void emit(OvsEmission::Kind kind, const openflow::Interface& port, const FlowKey& packet, const logical::At& at);

  const LogicalWalk& walk_;
  const openflow::Bridge& bridge_;
  LogicalPath& path_;
  std::optional<Tuple> quoted_;  // of the packet under way
};

}  // namespace egt::engine
