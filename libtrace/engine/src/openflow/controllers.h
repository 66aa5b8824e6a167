// Packets that go to controllers (xlate_controller_action() of ofproto/ofproto-dpif-xlate.c).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "xlate_context.h"

namespace egt::engine::ofproto {

// Why a packet goes to a controller (enum ofp_packet_in_reason).
namespace reason {
constexpr std::uint16_t action = 1, invalid_ttl = 2, action_set = 3, group = 4, explicit_miss = 6;
}

struct PacketIn {
  constexpr PacketIn(std::uint16_t why, std::uint32_t max_len, std::uint16_t controller_id = 0)
      : why(why), max_len(max_len), controller_id(controller_id) {}
  // As a controller action asks for it.
  explicit PacketIn(const openflow::Controller& a);

  std::uint16_t why;
  std::uint32_t max_len;
  std::uint16_t controller_id;
  const openflow::Controller* action = nullptr;  // null: the switch's own reasons
};

std::vector<std::uint8_t> userdata_of(const openflow::Controller* action);

void to_controller(XlateContext& c, PacketIn packet, std::optional<std::uint32_t> meter = std::nullopt);
// `continuation`: the packet waits for the controller, held as `recirc_id`.
void put_controller_action(XlateContext& c, const PacketIn& packet, bool continuation, std::uint32_t recirc_id);

}  // namespace egt::engine::ofproto
