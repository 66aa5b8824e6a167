// What the comparison with the kernel lets pass, and what it does not.
#include "agreement.h"

#include <gtest/gtest.h>

namespace egt::test {
namespace {

using engine::HostOutcome;

constexpr std::uint64_t kEverybody = 0xffffffffffff, kSomebody = 0x020000000305;

HostOutcome sent_by(const char* device, std::uint64_t to_mac) {
  HostOutcome o;
  o.kind = HostOutcome::Kind::transmit;
  o.device = device;
  o.packet.set(FieldId::eth_type, ethertype::ipv4);
  o.packet.set(FieldId::eth_dst, to_mac);
  return o;
}

Observation::Item seen(const HostOutcome& o) {
  Observation::Item i{o.device, {}};
  i.packet.key = o.packet;
  return i;
}

// ip_mc_output(): what goes to everybody on a link comes back, and its copies are made once more.
TEST(Agreement, CopiesOfABroadcastMayBeSeenTwice) {
  for (const std::uint64_t to : {kEverybody, kSomebody}) {
    Way way;
    way.outcome = sent_by("v1", to);
    const HostOutcome copy = sent_by("v3", kSomebody);
    way.outcome.copies.push_back(copy);
    Observation kernel;
    kernel.sent = {seen(way.outcome), seen(copy)};
    EXPECT_TRUE(agrees(way, kernel, {}));
    kernel.sent.push_back(seen(copy));
    EXPECT_EQ(agrees(way, kernel, {}), to == kEverybody);
    kernel.sent = {seen(way.outcome)};
    EXPECT_FALSE(agrees(way, kernel, {}));  // but once they must be
  }
}

TEST(Agreement, ASecondPacketIsNoCopy) {
  Way way;
  way.outcome = sent_by("v1", kEverybody);
  Observation kernel;
  kernel.sent = {seen(way.outcome), seen(way.outcome)};
  EXPECT_FALSE(agrees(way, kernel, {}));
}

// An answer to everybody comes back by other devices; one to a single node does not.
TEST(Agreement, AnswersToABroadcastMayBeSeenOnOtherDevices) {
  for (const std::uint64_t to : {kEverybody, kSomebody}) {
    Way way;
    way.outcome.kind = HostOutcome::Kind::rejected;
    way.answer = sent_by("v1", to);
    Observation kernel;
    kernel.sent = {seen(*way.answer), seen(sent_by("v2", to))};
    for (Observation::Item& i : kernel.sent) i.packet.is_error = true;
    EXPECT_EQ(agrees(way, kernel, {}), to == kEverybody);
    kernel.sent.pop_back();
    EXPECT_TRUE(agrees(way, kernel, {}));
  }
}

}  // namespace
}  // namespace egt::test
