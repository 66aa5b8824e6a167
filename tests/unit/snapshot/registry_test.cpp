#include <gtest/gtest.h>

#include "egtrace/parsers/format.h"

namespace egt::parsers {
namespace {

std::string_view kind_of(std::string_view name) {
  const Format* format = find_format(name);
  return format == nullptr ? "none" : format->kind;
}

TEST(FindFormat, ByKindAndForShort) {
  EXPECT_EQ(kind_of("ovs-ofctl dump-flows"), "ovs-ofctl dump-flows");
  EXPECT_EQ(kind_of("dump-flows"), "ovs-ofctl dump-flows");
  EXPECT_EQ(kind_of("ovs-flows"), "ovs-ofctl dump-flows");
  EXPECT_EQ(kind_of("lflow-list"), "ovn-sbctl lflow-list");
  EXPECT_EQ(kind_of("nft"), "nft list ruleset");
  EXPECT_EQ(kind_of("iptables"), "iptables-save");
}

TEST(FindFormat, NotWhatSeveralAreCalled) {
  EXPECT_EQ(kind_of("show"), "none");
  EXPECT_EQ(kind_of("list"), "none");
  EXPECT_EQ(kind_of(""), "none");
  EXPECT_EQ(kind_of("flows"), "none");
}

TEST(Registry, EnormousLineIsToldByItsBeginning) {
  std::string flow = "cookie=0x1, duration=1s, table=0, n_packets=0, n_bytes=0, priority=1 actions=drop";
  while (flow.size() < (std::size_t{2} << 20)) flow += ",resubmit(,8)";
  Dump dump;
  dump.text = flow;
  ASSERT_NE(nullptr, recognise(dump).format);
  EXPECT_EQ("ovs-ofctl dump-flows", recognise(dump).format->kind);
}

}  // namespace
}  // namespace egt::parsers
