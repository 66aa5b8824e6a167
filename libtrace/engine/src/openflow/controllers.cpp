#include "controllers.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "commit.h"
#include "freezing.h"

namespace egt::engine::ofproto {
namespace {

std::uint16_t reason_of(const openflow::Controller& a) {
  constexpr std::string_view kReasons[] = {"no_match", "action", "invalid_ttl", "action_set", "group", "packet_out"};
  const auto known = std::find(std::begin(kReasons), std::end(kReasons), a.reason.value_or("action"));
  return known == std::end(kReasons) ? reason::action : static_cast<std::uint16_t>(known - std::begin(kReasons));
}

}  // namespace

PacketIn::PacketIn(const openflow::Controller& a)
    : why(reason_of(a)),
      max_len(a.max_len.value_or(0xffff)),
      controller_id(static_cast<std::uint16_t>(a.id.value_or(0))),
      action(&a) {}

std::vector<std::uint8_t> userdata_of(const openflow::Controller* action) {
  return action != nullptr && action->userdata ? *action->userdata : std::vector<std::uint8_t>();
}

void to_controller(XlateContext& c, PacketIn packet, std::optional<std::uint32_t> meter) {
  commit(c.packet, c.out);
  if (packet.why == reason::action && c.at.is_table_miss) packet.why = reason::explicit_miss;
  FrozenState s = frozen_state(c, c.at.table);
  s.userdata = userdata_of(packet.action);
  const std::uint32_t id = c.recirculations.hold(s);
  if (!meter) return put_controller_action(c, packet, false, id);
  c.out.put({dp::Sample{1.0, c.out.nested(kSampleBytes, [&] {
                          c.out.put({c.meter(*meter)});
                          put_controller_action(c, packet, false, id);
                        })}});
}

void put_controller_action(XlateContext& c, const PacketIn& packet, bool continuation, std::uint32_t recirc_id) {
  dp::ToController put;
  put.action = packet.action;
  put.reason = packet.why;
  put.controller_id = packet.controller_id;
  put.max_len = static_cast<std::uint16_t>(packet.max_len);
  put.dont_send = !continuation && !c.packet.is_encapsulated();
  put.continuation = continuation;
  put.recirc_id = recirc_id;
  put.cookie = c.at.cookie;
  c.out.put({put});
}

}  // namespace egt::engine::ofproto
