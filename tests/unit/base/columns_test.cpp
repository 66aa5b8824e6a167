#include "egtrace/base/columns.h"

#include <gtest/gtest.h>

#include "egtrace/base/nearest.h"

namespace egt {
namespace {

TEST(Columns, OfWideAndCombiningCharacters) {
  EXPECT_EQ(columns_of("ip rule"), 7U);
  EXPECT_EQ(columns_of("größe"), 5U);
  EXPECT_EQ(columns_of("gro\xcc\x88\xc3\x9f"), 4U);  // o and a combining diaeresis
  EXPECT_EQ(columns_of("ノード-1"), 8U);
  EXPECT_EQ(columns_of("\xff\xc3("), 3U);  // bytes of no character
}

TEST(Columns, CutBetweenCharacters) {
  EXPECT_EQ(bytes_within("ノード", 3), 3U);
  EXPECT_EQ(bytes_within("ノード", 4), 6U);
  EXPECT_EQ(bytes_within("abc", 9), 3U);
  EXPECT_EQ(padded("ノ", 4), "ノ  ");
}

TEST(Columns, PathsLoseTheirMiddle) {
  const std::string path = "must-gather/quay-io/namespaces/openshift-ovn-kubernetes/pods/ip_rule:12";
  EXPECT_EQ(shortened_path(path, 80), path);
  EXPECT_EQ(shortened_path(path, 40), "must-gather/.../pods/ip_rule:12");
  EXPECT_EQ(shortened_path(path, 22), ".../ip_rule:12");
  EXPECT_EQ(columns_of(shortened_path("a-single-name-that-is-very-long.pcap", 20)), 20U);
}

TEST(Nearest, ByEditsAndParts) {
  EXPECT_EQ(nearest("br-exx", {"br-int", "br-ex", "ens3"}), std::vector<std::string>{"br-ex"});
  EXPECT_EQ(nearest("prase", {"parse", "pcap"}), std::vector<std::string>{"parse"});
  EXPECT_EQ(nearest("worker-1", {"worker-1.example.org", "router"}), std::vector<std::string>{"worker-1.example.org"});
  EXPECT_TRUE(nearest("zzz", {"explain", "inspect"}).empty());
}

}  // namespace
}  // namespace egt
