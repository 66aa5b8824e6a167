// What releases read differently is known by their numbers where a patch release does not matter.
#include <gtest/gtest.h>

#include "egtrace/ovn/southbound.h"
#include "egtrace/parsers/ovn_reader.h"

namespace egt::parsers::ovn_lang {
namespace {

Dialect of_release(const char* northd) {
  ovn::Southbound southbound;
  southbound.northd_version = northd;
  return dialect_of(southbound);
}

// 25.03.0 has one masked match for ip6.mcast_rsvd, 25.03.2 and 25.09.0 one for each scope: as many flows at the least are sure.
TEST(Dialect, ListsReservedMulticastWhereEachPatchReleaseDoes) {
  EXPECT_FALSE(of_release("24.09.0-20.37.0-77.1").lists_reserved_multicast);
  EXPECT_FALSE(of_release("25.03.0-20.41.0-78.8").lists_reserved_multicast);
  EXPECT_TRUE(of_release("25.09.0-21.5.0-81.10").lists_reserved_multicast);
}

TEST(Dialect, AsksForAMulticastMacFrom2409On) {
  EXPECT_FALSE(of_release("24.03.1-20.33.0-75.0").multicast_by_mac);
  EXPECT_TRUE(of_release("25.03.0-20.41.0-78.8").multicast_by_mac);
}

}  // namespace
}  // namespace egt::parsers::ovn_lang
