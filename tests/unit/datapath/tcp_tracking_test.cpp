// The states of TCP connections in conntrack, as `conntrack -L` of a kernel (6.18) shows them step by step.
#include "datapath/tcp_tracking.h"

#include <gtest/gtest.h>

namespace egt::engine {
namespace {

constexpr std::uint32_t kAck = 0x10, kFinAck = 0x11, kSyn = 0x02, kSynAck = 0x12;
constexpr bool kRequest = false, kReply = true;

TcpState state_after(TcpState state, bool direction, std::uint32_t flags) {
  const TcpStep step = follow_tcp(state, direction, flags);
  EXPECT_EQ(step.kind, TcpStep::Kind::follows);
  return step.next;
}

// A client that has closed its side alone: CLOSE_WAIT; both sides: TIME_WAIT. A FIN that is sent again counts as the other side's.
TEST(TcpTracking, SidesCloseOneAfterTheOther) {
  TcpState state = state_after(TcpState::syn_sent, kReply, kSynAck);
  EXPECT_EQ(state, TcpState::syn_recv);
  state = state_after(state, kRequest, kAck);
  EXPECT_EQ(state, TcpState::established);
  state = state_after(state, kRequest, kFinAck);
  EXPECT_EQ(state, TcpState::fin_wait);
  EXPECT_EQ(state_after(state, kRequest, kFinAck), TcpState::last_ack);
  state = state_after(state, kReply, kAck);
  EXPECT_EQ(state, TcpState::close_wait);
  EXPECT_EQ(follow_tcp(state, kRequest, kSyn).kind, TcpStep::Kind::ignored);
  state = state_after(state, kReply, kFinAck);
  EXPECT_EQ(state, TcpState::last_ack);
  state = state_after(state, kRequest, kAck);
  EXPECT_EQ(state, TcpState::time_wait);
  EXPECT_EQ(follow_tcp(state, kRequest, kSyn).kind, TcpStep::Kind::reopens);
}

TEST(TcpTracking, AckBeforeTheAnswerIsIgnoredOfTheServerAlone) {
  EXPECT_EQ(follow_tcp(TcpState::syn_sent, kRequest, kAck).kind, TcpStep::Kind::invalid);
  EXPECT_EQ(follow_tcp(TcpState::syn_sent, kReply, kAck).kind, TcpStep::Kind::ignored);
}

// nf_conntrack_proto_tcp.c: the state of simultaneous opening, and flags that no TCP sends together.
TEST(TcpTracking, BothSidesMayOpen) {
  TcpState state = state_after(TcpState::syn_sent, kReply, kSyn);
  EXPECT_EQ(state, TcpState::syn_sent2);
  EXPECT_EQ(state_after(state, kRequest, kSynAck), TcpState::syn_recv);
}

TEST(TcpTracking, ImpossibleFlagsBelongToNoConnection) {
  for (const std::uint32_t flags : {0x01u, 0x03u, 0x06u, 0x07u, 0x24u, 0x32u, 0x40u})
    EXPECT_EQ(follow_tcp(TcpState::established, kRequest, flags).kind, TcpStep::Kind::invalid) << flags;
  EXPECT_EQ(follow_tcp(TcpState::unknown, kRequest, kAck).kind, TcpStep::Kind::ignored);
}

}  // namespace
}  // namespace egt::engine
