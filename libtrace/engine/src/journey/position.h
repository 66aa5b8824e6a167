// Where a packet can be on its path, and what comes of a step there: where it goes on, how it ends, or who refuses it.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/engine/host.h"
#include "egtrace/engine/journey.h"

namespace egt::engine {

struct AtPort {  // about to enter a bridge
  const cluster::Node* node = nullptr;
  const openflow::Bridge* bridge = nullptr;
  std::uint32_t ofport = 0;
  FlowKey packet;
  bool by_patch = false;  // from another bridge of the switch
};
struct AtHost {  // about to be received by a network stack
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  std::string by_port{};  // of the Linux bridge `device`: by which the frame came; empty: none
};
struct AtDevice {  // about to be sent by a device of the host
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  bool by_stack = true;     // which has asked the device's MTU and its rules at egress already
  std::string leaves_by{};  // the bridge or upper device that sends by this one; empty: none
};
struct OnWire {  // left the lowest device of a node
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  std::string leaves_by{};  // as of AtDevice
};
struct AtPod {
  Endpoint pod;
  FlowKey packet;
};
struct AtProcess {  // or the end of a tunnel
  const cluster::Node* node = nullptr;
  std::string device;
  FlowKey packet;
  const openflow::Bridge* taken_by = nullptr;  // the userspace datapath that takes it before the host sees it
};
struct InTunnel {  // left a tunnel port; the inner packet with its tunnel fields
  const cluster::Node* node = nullptr;
  const openflow::Interface* port = nullptr;
  const openflow::Bridge* bridge = nullptr;
  FlowKey packet;
};

using Position = std::variant<AtPort, AtHost, AtDevice, OnWire, AtPod, AtProcess, InTunnel>;
using Copies = std::vector<Position>;  // of one packet: a flood, several outputs

struct Arrival {
  Verdict verdict = Verdict::inconclusive;
  std::optional<Stop> stop;
  Endpoint end;
  FlowKey packet;
  bool left_snapshot = false;
  bool size_learned = false, refusal_accepted = false;  // as in WalkedPath
};

// A packet that is answered with a reset or an ICMP error. Its end depends on what becomes of that.
struct Refusal {
  const cluster::Node* node = nullptr;
  Stop where;
  std::string with;                          // as of Refused
  std::variant<Position, LocalSend> answer;  // of ovn-controller: where it leaves the bridges; of a host: what that sends
  std::optional<Tuple> quoted = {};          // by an ICMP error
  bool shows_size = false;                   // the answer says what size gets through
};

using Next = std::variant<Position, Copies, Arrival, Refusal>;

bool userspace_datapath(const openflow::Bridge& bridge);
// LOCAL where no dump has the number of the port of the bridge's name; `none` where no dump has that of another.
std::uint32_t number_of(const openflow::Bridge& bridge, const openflow::Interface& port);
Layer layer_of(const cluster::Node& node);  // host, or router for nodes that are no cluster nodes

// A path ends at a device, on or below the wire; or in a pod's own stack.
Stop stop_at_device(const cluster::Node& node, const std::string& device, Cause why, std::vector<Provenance> evidence = {});
Stop stop_at_pod(const Endpoint& pod, Cause why, std::vector<Provenance> evidence = {});

}  // namespace egt::engine
