// A packet that loops until its TTL is used up, and whose path splits in each round, has more paths and hops than anybody reads: the
// explanation stays bounded, and says that there are more.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

#include "egtrace/explain/explanation.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::explain {
namespace {

class LoopTest : public ::testing::Test {
 protected:
  LoopTest() {
    host("client", 3, 1, "");
    for (const int own : {1, 2}) {
      std::string rules = "table ip t {\n\tchain c {\n\t\ttype filter hook forward priority filter; policy accept;\n";
      for (int i = 0; i < 20; ++i) rules += "\t\tnumgen random mod 2 == " + std::to_string(i % 2) + " meta mark set 0x1\n";
      host("router" + std::to_string(own), own, 3 - own, rules + "\t}\n}\n");
    }
  }

  Explanation ask() const {
    const auto snapshot = parsers::open_snapshot({folder_.path(), {}, 1});
    Question q;
    q.from = *parse_point("10.0.0.3@client");
    q.to = *parse_point("192.0.2.1:80");
    return *explain(snapshot->cluster, q);
  }

 private:
  // With a default route by way of another host of 10.0.0.0/24.
  void host(const std::string& name, int own, int next, const std::string& nft) {
    const std::string address = "10.0.0." + std::to_string(own), at = folder_.path() + "/" + name;
    std::filesystem::create_directory(at);
    egt::testing::write_file(at + "/hostname", name + "\n");
    egt::testing::write_file(
        at + "/ip_-d_addr",
        "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000\n"
        "    link/ether 0a:00:00:00:00:0" +
            std::to_string(own) +
            " brd ff:ff:ff:ff:ff:ff\n"
            "    inet " +
            address +
            "/24 brd 10.0.0.255 scope global eth0\n"
            "       valid_lft forever preferred_lft forever\n");
    egt::testing::write_file(at + "/ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n");
    egt::testing::write_file(at + "/ip_route_show_table_all", "default via 10.0.0." + std::to_string(next) +
                                                                  " dev eth0\n"
                                                                  "10.0.0.0/24 dev eth0 proto kernel scope link src " +
                                                                  address +
                                                                  "\n"
                                                                  "local " +
                                                                  address + " dev eth0 table local proto kernel scope host src " +
                                                                  address + "\n");
    egt::testing::write_file(at + "/sysctl_-a", "net.ipv4.ip_forward = 1\nnet.ipv4.conf.all.rp_filter = 0\n");
    if (!nft.empty()) egt::testing::write_file(at + "/nft_list_ruleset", nft);
  }

  egt::testing::TemporaryDirectory folder_;
};

TEST_F(LoopTest, HasABoundedNumberOfHops) {
  const Explanation e = ask();
  EXPECT_TRUE(e.truncated);
  EXPECT_EQ(Confidence::assumed, e.confidence);
  std::size_t hops = 0;
  for (const PathReport& path : e.paths) hops += path.hops.size();
  EXPECT_GT(e.paths.size(), 1u);
  EXPECT_LT(hops, 60'000u) << e.paths.size();
}

}  // namespace
}  // namespace egt::explain
