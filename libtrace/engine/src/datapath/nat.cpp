#include "datapath/nat.h"

namespace egt::engine {
namespace {

bool is_icmp(const Tuple& t) { return t.proto == ip_proto::icmp || t.proto == ip_proto::icmp6; }

bool is_translated(const Connection& c, bool reply_direction, bool source) {
  return source != reply_direction ? c.has_snat() : c.has_dnat();
}

Tuple target_of(const Connection& c, bool reply_direction) { return reversed(reply_direction ? c.original : c.reply); }

}  // namespace

void bind_source(Connection& c, const IpAddr& address, std::optional<std::uint16_t> port) {
  c.reply.dst = address;
  if (!port) return;
  const bool by_id = is_icmp(c.reply) && c.reply.sport == c.reply.dport;
  c.reply.dport = *port;
  if (by_id) c.reply.sport = *port;
  c.sport_by_snat = true;
}

void bind_destination(Connection& c, const IpAddr& address, std::optional<std::uint16_t> port) {
  c.reply.src = address;
  const bool by_id = is_icmp(c.reply) && c.reply.sport == c.reply.dport;
  if (port && !by_id) c.reply.sport = *port;
}

IpAddr address_for(Family packet, const IpAddr& given) {
  constexpr int kShift = 96;
  if (given.family == packet) return given;
  return given.is_v4() ? IpAddr::v6(given.value << kShift) : IpAddr::v4(static_cast<std::uint32_t>(given.value >> kShift));
}

void set_reply_port(Tuple& reply, std::uint16_t port) {
  reply.dport = port;
  if (is_icmp(reply)) reply.sport = port;
}

std::optional<std::uint16_t> free_port(const ConntrackTables& tables, const ZoneKey& zone, Tuple reply, PortRange range,
                                       std::uint16_t from) {
  const std::uint32_t count = range.last - range.first + 1u;
  const std::uint32_t start = from < range.first || from > range.last ? 0 : from - range.first;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto port = static_cast<std::uint16_t>(range.first + (start + i) % count);
    set_reply_port(reply, port);
    if (!tables.reply_taken(zone, reply)) return port;
  }
  return std::nullopt;
}

Tuple translated(const Connection& c, bool reply_direction, bool source, Tuple packet) {
  if (!is_translated(c, reply_direction, source)) return packet;
  const Tuple target = target_of(c, reply_direction);
  (source ? packet.src : packet.dst) = source ? target.src : target.dst;
  (source ? packet.sport : packet.dport) = source ? target.sport : target.dport;
  if (is_icmp(packet)) packet.sport = packet.dport = target.sport;  // one for both (icmp_manip_pkt())
  return packet;
}

Tuple translated_error(const Connection& c, bool reply_direction, bool source, Tuple error) {
  if (!is_translated(c, reply_direction, source)) return error;
  const Tuple target = target_of(c, reply_direction);
  (source ? error.src : error.dst) = source ? target.src : target.dst;
  return error;
}

}  // namespace egt::engine
