// Executes datapath actions on a packet (net/openvswitch/actions.c, lib/odp-execute.c): a visitor of one list.
#pragma once

#include <cstdint>

#include "datapath/packet.h"
#include "egtrace/engine/openflow/datapath_actions.h"

namespace egt::engine {

// What a datapath does with a packet besides changing it.
class DatapathPorts {
 public:
  virtual ~DatapathPorts() = default;
  virtual void output(const ofproto::dp::Port& port, const DatapathPacket& packet, std::size_t origin) = 0;
  virtual void recirculate(std::uint32_t id, const DatapathPacket& packet, std::size_t origin) = 0;
  virtual void to_controller(const ofproto::dp::ToController& action, const DatapathPacket& packet, std::size_t origin) = 0;
  // `forks`: the list goes on with a recirculation of the packet.
  virtual void track(const ofproto::dp::Conntrack& action, DatapathPacket& packet, std::size_t origin, bool forks) = 0;
};

// Where no length of the packet is known, both branches of check_pkt_len are executed.
void execute(const ofproto::dp::Actions& actions, DatapathPacket& packet, DatapathPorts& ports);

}  // namespace egt::engine
