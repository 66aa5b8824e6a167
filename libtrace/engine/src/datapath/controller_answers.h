// What ovn-controller does with a packet that a flow hands to it (ovn_controller/packet_in.h), and which packet it sends then.
#pragma once

#include <cstdint>
#include <optional>

#include "datapath/upcalls.h"

namespace egt::engine {

class NeighbourOracle;

// A packet in ovn-controller's hands.
struct HandedPacket {
  const Userdata& data;
  const FlowKey& key;
  const openflow::Bridge& bridge;
  std::size_t origin;  // the step of the flow's action
  bool is_reply;       // it is one that ovn-controller sent itself
};

class ControllerAnswers {
 public:
  // `neighbours`: who answers when OVN asks for an address; null: no host is known.
  ControllerAnswers(SwitchSessions::Session& session, PathRecorder& recorder, UpcallTranslator& translator,
                    const NeighbourOracle* neighbours)
      : session_(session), recorder_(recorder), translator_(translator), neighbours_(neighbours) {}

  // `pauses`: the packet waits for it. Nothing where it sends none.
  std::optional<Upcall> answer(const HandedPacket& packet, bool pauses);

 private:
  std::optional<Upcall> refuse(const HandedPacket& packet);
  std::optional<Upcall> advertise(const HandedPacket& packet);
  std::optional<Upcall> resolve(const HandedPacket& packet);
  std::optional<MacAddr> mac_on_link(const IpAddr& address, std::size_t origin);
  std::optional<std::uint8_t> table_that_asked(std::size_t origin) const;

  SwitchSessions::Session& session_;
  PathRecorder& recorder_;
  UpcallTranslator& translator_;
  const NeighbourOracle* neighbours_;
};

}  // namespace egt::engine
