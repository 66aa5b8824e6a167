#include "datapath/userspace_tcp.h"

#include <algorithm>
#include <iterator>

namespace egt::engine {
namespace {

constexpr std::uint32_t kFin = 0x01, kSyn = 0x02, kRst = 0x04, kPush = 0x08, kAck = 0x10, kUrgent = 0x20;

// tcp_invalid_flags()
bool are_invalid(std::uint32_t flags) {
  if (flags & kSyn && flags & (kRst | kFin)) return true;
  if (!(flags & (kSyn | kAck | kRst))) return true;
  return !(flags & kAck) && flags & (kFin | kPush | kUrgent);
}

// The segment that would go on with the connection.
std::uint32_t presumed(const TcpEnds& ends, bool reply_direction) {
  if (ends[1] >= TcpEnd::syn_sent) return kAck;
  return reply_direction ? kSyn | kAck : kSyn;
}

}  // namespace

bool opens_in_userspace(std::uint32_t flags) {
  return flags == 0 || (!are_invalid(flags) && (flags & (kSyn | kAck)) != (kSyn | kAck));
}

UserspaceTcpStep follow_in_userspace(TcpEnds& ends, bool reply_direction, std::uint32_t flags) {
  if (flags == 0) flags = presumed(ends, reply_direction);
  if (are_invalid(flags)) return UserspaceTcpStep::invalid;
  TcpEnd &from = ends[reply_direction ? 1 : 0], &to = ends[reply_direction ? 0 : 1];
  if ((flags & (kSyn | kAck)) == kSyn) {
    if (from >= TcpEnd::fin_wait_2 && to >= TcpEnd::fin_wait_2) return UserspaceTcpStep::reopens;
    if (from <= TcpEnd::syn_sent) {
      from = TcpEnd::syn_sent;
      return UserspaceTcpStep::new_;
    }
  }
  from = std::max(from, TcpEnd::syn_sent);
  if (flags & kFin) from = std::max(from, TcpEnd::closing);
  if (flags & kAck && to == TcpEnd::syn_sent) to = TcpEnd::established;
  if (flags & kAck && to == TcpEnd::closing) to = TcpEnd::fin_wait_2;
  if (flags & kRst) from = to = TcpEnd::time_wait;
  return UserspaceTcpStep::established;
}

TcpEnds tcp_ends_named(std::string_view state) {
  struct TcpEndName {
    std::string_view name;
    TcpEnd end;
  };
  static constexpr TcpEndName kNames[] = {{"LISTEN", TcpEnd::listen},           {"SYN_SENT", TcpEnd::syn_sent},
                                          {"ESTABLISHED", TcpEnd::established}, {"CLOSING", TcpEnd::closing},
                                          {"FIN_WAIT_2", TcpEnd::fin_wait_2},   {"TIME_WAIT", TcpEnd::time_wait}};
  const auto* named = std::find_if(std::begin(kNames), std::end(kNames), [&](const TcpEndName& n) { return n.name == state; });
  const TcpEnd end = named == std::end(kNames) ? TcpEnd::closed : named->end;
  if (end == TcpEnd::time_wait) return {end, end};  // of both, by a reset
  return {end, end < TcpEnd::established ? TcpEnd::closed : TcpEnd::established};
}

}  // namespace egt::engine
