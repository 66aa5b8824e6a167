#include "egtrace/engine/datapath/conntrack.h"

#include <algorithm>
#include <utility>

namespace egt::engine {

TcpState tcp_state_named(std::string_view name) {
  struct Named { std::string_view name; TcpState state; };
  // FIN_WAIT_1 and CLOSING are how Open vSwitch prints FIN_WAIT and CLOSE of the kernel.
  static constexpr Named kNames[] = {
      {"SYN_SENT", TcpState::syn_sent},     {"SYN_SENT2", TcpState::syn_sent2},  {"SYN_RECV", TcpState::syn_recv},
      {"ESTABLISHED", TcpState::established}, {"FIN_WAIT", TcpState::fin_wait},  {"FIN_WAIT_1", TcpState::fin_wait},
      {"CLOSE_WAIT", TcpState::close_wait}, {"LAST_ACK", TcpState::last_ack},    {"TIME_WAIT", TcpState::time_wait},
      {"CLOSE", TcpState::close},           {"CLOSING", TcpState::close}};
  for (const Named& n : kNames)
    if (n.name == name) return n.state;
  return TcpState::unknown;
}

ConntrackTables::Hit ConntrackTables::find(const ZoneKey& zone, const Tuple& t) {
  for (Entry& e : entries_)
    if (e.connection.original == t && e.zone == zone) return {&e.connection, false};
  for (Entry& e : entries_)
    if (e.connection.reply == t && e.zone == zone) return {&e.connection, true};
  return {};
}

Connection& ConntrackTables::insert(const ZoneKey& zone, Connection c) {
  return entries_.emplace_back(Entry{zone, std::move(c)}).connection;
}

void ConntrackTables::erase(const ZoneKey& zone, const Connection& c) {
  const Tuple original = c.original;  // `c` may be one of the entries
  std::erase_if(entries_, [&](const Entry& e) { return e.connection.original == original && e.zone == zone; });
}

ConntrackTables::Hit ConntrackTables::find_by_receiver(const ZoneKey& zone, const IpAddr& receiver) {
  for (auto e = entries_.rbegin(); e != entries_.rend(); ++e) {
    if (e->zone != zone) continue;
    if (e->connection.reply.dst == receiver) return {&e->connection, true};
    if (e->connection.original.dst == receiver) return {&e->connection, false};
  }
  return {};
}

bool ConntrackTables::reply_taken(const ZoneKey& zone, const Tuple& reply) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
    return (e.connection.reply == reply || e.connection.original == reply) && e.zone == zone;
  });
}

}  // namespace egt::engine
