#include "egtrace/engine/datapath/conntrack.h"

#include <algorithm>
#include <utility>

#include "datapath/dumped_connections.h"

namespace egt::engine {

TcpState tcp_state_named(std::string_view name) {
  struct TcpStateName {
    std::string_view name;
    TcpState state;
  };
  // FIN_WAIT_1 and CLOSING are how Open vSwitch prints FIN_WAIT and CLOSE of the kernel.
  static constexpr TcpStateName kNames[] = {{"SYN_SENT", TcpState::syn_sent},     {"SYN_SENT2", TcpState::syn_sent2},
                                            {"SYN_RECV", TcpState::syn_recv},     {"ESTABLISHED", TcpState::established},
                                            {"FIN_WAIT", TcpState::fin_wait},     {"FIN_WAIT_1", TcpState::fin_wait},
                                            {"CLOSE_WAIT", TcpState::close_wait}, {"LAST_ACK", TcpState::last_ack},
                                            {"TIME_WAIT", TcpState::time_wait},   {"CLOSE", TcpState::close},
                                            {"CLOSING", TcpState::close}};
  for (const TcpStateName& n : kNames)
    if (n.name == name) return n.state;
  return TcpState::unknown;
}

namespace {

const DumpedTable& dumped_table(const DumpedConnections* dumped, const ZoneKey& zone) {
  static const DumpedTable kNone;
  const DumpedTable* table = dumped == nullptr ? nullptr : dumped->table(zone);
  return table == nullptr ? kNone : *table;
}

}  // namespace

ConntrackTables::Hit ConntrackTables::find(const ZoneKey& zone, const Tuple& t) {
  const auto dumped = dumped_table(dumped_.get(), zone).find(zone.zone, t, erased_);
  if (dumped && !dumped.reply_direction) return {&copy_of(zone, *dumped.entry), false};
  for (OwnConnection& e : own_)
    if (e.connection.original == t && e.zone == zone) return {&e.connection, false};
  if (dumped) return {&copy_of(zone, *dumped.entry), true};
  for (OwnConnection& e : own_)
    if (e.connection.reply == t && e.zone == zone) return {&e.connection, true};
  return {};
}

Connection& ConntrackTables::copy_of(const ZoneKey& zone, const host::ConntrackEntry& dumped) {
  for (OwnConnection& e : own_)
    if (e.dumped == &dumped) return e.connection;
  return own_.emplace_back(OwnConnection{zone, connection_of(dumped), &dumped}).connection;
}

Connection& ConntrackTables::insert(const ZoneKey& zone, Connection c) {
  return own_.emplace_back(OwnConnection{zone, std::move(c)}).connection;
}

void ConntrackTables::erase(const ZoneKey& zone, const Connection& c) {
  const Tuple original = c.original;  // `c` may be one of the entries
  own_.remove_if([&](const OwnConnection& e) { return e.connection.original == original && e.zone == zone; });
  const DumpedTable& dumped = dumped_table(dumped_.get(), zone);
  for (auto hit = dumped.find(zone.zone, original, erased_); hit && !hit.reply_direction;
       hit = dumped.find(zone.zone, original, erased_))
    erased_.push_back(hit.entry);
}

ConntrackTables::Hit ConntrackTables::find_by_receiver(const ZoneKey& zone, const IpAddr& receiver) {
  for (auto e = own_.rbegin(); e != own_.rend(); ++e) {
    if (e->dumped != nullptr || e->zone != zone) continue;
    if (e->connection.reply.dst == receiver) return {&e->connection, true};
    if (e->connection.original.dst == receiver) return {&e->connection, false};
  }
  const auto dumped = dumped_table(dumped_.get(), zone).find_by_receiver(zone.zone, receiver, erased_);
  return dumped ? Hit{&copy_of(zone, *dumped.entry), dumped.reply_direction} : Hit{};
}

std::optional<std::uint64_t> ConntrackTables::count(const ZoneKey& zone) const {
  const DumpedTable* dumped = dumped_ ? dumped_->table(zone) : nullptr;
  return dumped ? std::optional(dumped->count(zone.zone)) : std::nullopt;
}

bool ConntrackTables::reply_taken(const ZoneKey& zone, const Tuple& reply) const {
  if (dumped_table(dumped_.get(), zone).find(zone.zone, reply, erased_)) return true;
  return std::any_of(own_.begin(), own_.end(), [&](const OwnConnection& e) {
    return (e.connection.reply == reply || e.connection.original == reply) && e.zone == zone;
  });
}

}  // namespace egt::engine
