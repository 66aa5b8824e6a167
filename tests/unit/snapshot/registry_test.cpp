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

}  // namespace
}  // namespace egt::parsers
