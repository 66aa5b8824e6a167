// TCP as the userspace datapath follows it (lib/conntrack-tcp.c).
#include "datapath/userspace_tcp.h"

#include <gtest/gtest.h>

namespace egt::engine::userspace_tcp_test {
namespace {

constexpr std::uint32_t kFinAck = 0x11, kSyn = 0x02, kSynFin = 0x03, kRst = 0x04, kSynRst = 0x06, kAck = 0x10, kSynAck = 0x12;
constexpr bool kRequest = false, kReply = true;

using Step = UserspaceTcpStep;

TcpEnds opened() { return Connection{}.ends; }

// A SYN that is repeated opens still; a segment in the midst that is seen again is established, though nobody has answered.
TEST(UserspaceTcp, WhatIsSeenAgain) {
  TcpEnds ends = opened();
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kSyn), Step::new_);
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kAck), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kReply, kSyn), Step::new_);
}

TEST(UserspaceTcp, FromHandshakeToEnd) {
  TcpEnds ends = opened();
  EXPECT_EQ(follow_in_userspace(ends, kReply, kSynAck), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kAck), Step::established);
  EXPECT_EQ(ends, (TcpEnds{TcpEnd::established, TcpEnd::established}));
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kFinAck), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kSyn), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kReply, kFinAck), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kAck), Step::established);
  EXPECT_EQ(ends, (TcpEnds{TcpEnd::fin_wait_2, TcpEnd::fin_wait_2}));
  EXPECT_EQ(follow_in_userspace(ends, kRequest, kSyn), Step::reopens);
}

TEST(UserspaceTcp, AResetEndsBothSides) {
  TcpEnds ends = opened();
  EXPECT_EQ(follow_in_userspace(ends, kReply, kRst), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kReply, kSyn), Step::reopens);
}

TEST(UserspaceTcp, Flags) {
  TcpEnds ends = opened();
  for (const std::uint32_t flags : {0x01u, kSynFin, kSynRst, 0x08u, 0x20u, 0x40u})
    EXPECT_EQ(follow_in_userspace(ends, kRequest, flags), Step::invalid) << flags;
  for (const std::uint32_t flags : {0u, kSyn, kAck, kRst, kFinAck}) EXPECT_TRUE(opens_in_userspace(flags)) << flags;
  for (const std::uint32_t flags : {kSynAck, kSynFin, 0x08u}) EXPECT_FALSE(opens_in_userspace(flags)) << flags;
}

// Without flags a packet goes on with the connection.
TEST(UserspaceTcp, PresumedFlags) {
  TcpEnds ends = opened();
  EXPECT_EQ(follow_in_userspace(ends, kRequest, 0), Step::new_);
  EXPECT_EQ(follow_in_userspace(ends, kReply, 0), Step::established);
  EXPECT_EQ(follow_in_userspace(ends, kRequest, 0), Step::established);
}

TEST(UserspaceTcp, DumpedState) {
  EXPECT_EQ(tcp_ends_named("SYN_SENT"), opened());
  EXPECT_EQ(tcp_ends_named("TIME_WAIT"), (TcpEnds{TcpEnd::time_wait, TcpEnd::time_wait}));
  EXPECT_EQ(tcp_ends_named("ESTABLISHED"), (TcpEnds{TcpEnd::established, TcpEnd::established}));
}

}  // namespace
}  // namespace egt::engine::userspace_tcp_test
