#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kHosts = R"(# kept by hand
127.0.0.1   localhost localhost.localdomain

192.0.2.7	db.example.com db   # the old one
fe80::1%eth0 gw
)";

TEST(Hosts, AreReadAndPrintedBack) {
  Formats f(system_formats());
  const Dump dump = f.dump(kHosts, "etc/hosts");
  EXPECT_EQ(f.kind(dump), "hosts");
  EXPECT_EQ(f.reprint(dump).out, kHosts);
  cluster::Cluster cluster;
  EXPECT_TRUE(f.load(dump, cluster).not_understood.empty());
  const auto& hosts = cluster.node("n")->host.hosts;
  ASSERT_EQ(hosts.size(), 3u);
  EXPECT_EQ(hosts[1].address.to_string(), "192.0.2.7");
  EXPECT_EQ(hosts[1].names, (std::vector<std::string>{"db.example.com", "db"}));
  EXPECT_EQ(hosts[1].from.line, 4u);
  f.torment(kHosts, "cat /etc/hosts");
}

TEST(Hosts, AreToldByTheirNameAlone) {
  Formats f(system_formats());
  EXPECT_EQ(f.kind(f.dump(kHosts)), "(none)");
  EXPECT_EQ(f.kind(f.dump("Unable to open file\n", "cat /etc/hosts")), "(none)");
}

}  // namespace
}  // namespace egt::parsers
