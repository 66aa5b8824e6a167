#include "datapath/tcp_tracking.h"

namespace egt::engine {
namespace {

using TcpStepKind = TcpStep::Kind;

constexpr std::uint32_t kFinFlag = 0x01, kSynFlag = 0x02, kRstFlag = 0x04, kAckFlag = 0x10, kUrgentFlag = 0x20;

enum class TcpSegment : std::uint8_t { opening, answer, ending, data, reset };

// The first of these flags counts, in the order of get_conntrack_index(); of a possible combination.
TcpSegment segment_of(std::uint32_t flags) {
  if (flags & kRstFlag) return TcpSegment::reset;
  if (flags & kSynFlag) return flags & kAckFlag ? TcpSegment::answer : TcpSegment::opening;
  return flags & kFinFlag ? TcpSegment::ending : TcpSegment::data;
}

// Combinations that no TCP sends (tcp_valid_flags[]): SYN with FIN or RST, FIN without ACK or with RST, URG in a reset or in
// the answer to SYN.
bool are_possible(std::uint32_t flags) {
  const bool syn = flags & kSynFlag, fin = flags & kFinFlag, rst = flags & kRstFlag, ack = flags & kAckFlag;
  if ((flags & kUrgentFlag) && (rst || (syn && ack))) return false;
  return syn + fin + rst <= 1 && (syn || rst || ack);
}

bool is_half_open(TcpState s) { return s == TcpState::syn_sent || s == TcpState::syn_sent2; }
bool is_over(TcpState s) { return s == TcpState::time_wait || s == TcpState::close; }

TcpSegment presumed(TcpState state, bool reply_direction) {
  if (!is_half_open(state)) return TcpSegment::data;
  return reply_direction ? TcpSegment::answer : TcpSegment::opening;
}

TcpStep after_opening(TcpState state, bool reply_direction) {
  if (reply_direction)  // both sides open at once
    return is_half_open(state) ? TcpStep{TcpStepKind::follows, TcpState::syn_sent2} : TcpStep{TcpStepKind::invalid, state};
  if (is_half_open(state)) return {TcpStepKind::follows, state};
  return {is_over(state) ? TcpStepKind::reopens : TcpStepKind::ignored, state};
}

TcpStep after_answer(TcpState state, bool reply_direction) {
  if (!is_half_open(state)) return {TcpStepKind::ignored, state};
  if (!reply_direction && state == TcpState::syn_sent) return {TcpStepKind::invalid, state};
  return {TcpStepKind::follows, TcpState::syn_recv};
}

TcpState after_ending(TcpState state) {
  if (state == TcpState::syn_recv || state == TcpState::established) return TcpState::fin_wait;
  return is_over(state) ? state : TcpState::last_ack;
}

TcpState after_data(TcpState state, bool reply_direction) {
  switch (state) {
    case TcpState::syn_recv: return reply_direction ? state : TcpState::established;
    case TcpState::fin_wait: return TcpState::close_wait;
    case TcpState::last_ack: return TcpState::time_wait;
    default: return state;
  }
}

}  // namespace

TcpStep follow_tcp(TcpState state, bool reply_direction, std::uint32_t flags) {
  if (flags != 0 && !are_possible(flags)) return {TcpStepKind::invalid, state};
  const TcpSegment segment = flags == 0 ? presumed(state, reply_direction) : segment_of(flags);
  if (segment == TcpSegment::reset) return {TcpStepKind::follows, TcpState::close};
  if (state == TcpState::unknown) return {TcpStepKind::ignored, state};
  switch (segment) {
    case TcpSegment::opening: return after_opening(state, reply_direction);
    case TcpSegment::answer: return after_answer(state, reply_direction);
    case TcpSegment::ending:
      return is_half_open(state) ? TcpStep{TcpStepKind::invalid, state} : TcpStep{TcpStepKind::follows, after_ending(state)};
    case TcpSegment::data:
      if (!is_half_open(state)) return {TcpStepKind::follows, after_data(state, reply_direction)};
      return {reply_direction ? TcpStepKind::ignored : TcpStepKind::invalid, state};
    case TcpSegment::reset: break;
  }
  return {TcpStepKind::invalid, state};
}

std::optional<TcpState> open_tcp(std::uint32_t flags, bool loose) {
  if (flags == 0) return TcpState::syn_sent;
  if (!are_possible(flags)) return std::nullopt;
  if (segment_of(flags) == TcpSegment::opening) return TcpState::syn_sent;
  if (segment_of(flags) == TcpSegment::data && loose) return TcpState::established;
  return std::nullopt;
}

}  // namespace egt::engine
