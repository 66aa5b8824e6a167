// Rounds of a routing loop: texts, pages and charts show one, and say how often it comes again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "egtrace/render/explain.h"
#include "support/run.h"

namespace egt {
namespace {

using namespace explain;
using namespace render;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

class Loop {
 public:
  Loop() {
    path_.verdict = explain::Verdict::dropped;
    path_.summary = "its TTL ends";
  }
  Loop& step(const std::string& node, const std::string& where, const std::string& what) {
    path_.hops.push_back({node, "host", where, what, false, {}, {}, {}, {}});
    return *this;
  }
  Loop& pass_on(const std::string& node, const std::string& where, const std::string& what) {
    path_.hops.push_back({node, "host", where, what, true, {}, {}, {}, {}});
    return *this;
  }
  Loop& see(const std::string& node, const std::string& device, bool in, unsigned ttl) {
    SightingReport s;
    s.node = node;
    s.device = device;
    s.in = in;
    s.src = "10.0.0.3";
    s.dst = "192.0.2.9";
    s.proto = "tcp";
    s.ttl = static_cast<std::uint8_t>(ttl);
    s.hop = path_.hops.size();
    path_.sightings.push_back(s);
    return *this;
  }
  Explanation explanation() const {
    Explanation e;
    e.packet = {"10.0.0.3", "192.0.2.9", "tcp", 1, 2};
    e.from = {"node", "gamma", "gamma", "10.0.0.3"};
    e.to = {"external", "", "", "192.0.2.9"};
    e.outcome = Outcome::unanswered;
    e.paths = {path_};
    return e;
  }

 private:
  PathReport path_;
};

Explanation between_nodes(unsigned rounds) {
  Loop loop;
  loop.step("gamma", "routing", "to alpha").see("gamma", "eth0", false, 64);
  for (unsigned i = 0; i < rounds; ++i) {
    loop.see("alpha", "eth0", true, 64 - 2 * i).step("alpha", "routing", "to beta").see("alpha", "eth0", false, 63 - 2 * i);
    loop.see("beta", "eth0", true, 63 - 2 * i).step("beta", "routing", "to alpha").see("beta", "eth0", false, 62 - 2 * i);
  }
  return loop.see("alpha", "eth0", true, 64 - 2 * rounds).step("alpha", "forwarding", "the TTL is used up").explanation();
}

TEST(Rounds, OfNodes) {
  const Explanation e = between_nodes(30);
  const std::string words = "from alpha to here 29 more times, down to ttl 4";
  for (const std::string& drawn : {explain_html(e), explain_svg(e), explain_mermaid(e), explain_dot(e)}) {
    EXPECT_EQ(1u, times(drawn, words)) << drawn;
    EXPECT_EQ(1u, times(drawn, "to beta")) << drawn;
    EXPECT_EQ(1u, times(drawn, "the TTL is used up")) << drawn;
  }
  EXPECT_EQ(1u, times(explain_html(e), ">from alpha 30 times<"));  // the map
  EXPECT_EQ(1u, times(explain_text(e, {}), "steps 2 to 3 are repeated 29 more times"));
}

// The chart leads back to where the round began.
TEST(Rounds, AreEdgesOfCharts) {
  const std::string mermaid = explain_mermaid(between_nodes(30)), dot = explain_dot(between_nodes(30));
  EXPECT_EQ(1u, times(mermaid, "-.->"));
  EXPECT_NE(std::string::npos, mermaid.find("n12 -.->|\"from alpha to here 29 more times, down to ttl 4\"| n6")) << mermaid;
  EXPECT_NE(std::string::npos, dot.find("n12 -> n6 [style=dashed")) << dot;
}

TEST(Rounds, FewAreShown) {
  const Explanation e = between_nodes(3);
  for (const std::string& drawn : {explain_html(e), explain_svg(e), explain_mermaid(e), explain_dot(e)}) {
    EXPECT_EQ(0u, times(drawn, "more times")) << drawn;
    EXPECT_EQ(3u, times(drawn, "to beta")) << drawn;
  }
}

// Tables that do the same one after the other, and only pass the packet on, are no loop.
TEST(Rounds, NotOfStepsThatPassItOn) {
  Loop loop;
  loop.see("alpha", "veth0", true, 64);
  for (int i = 0; i < 12; ++i) loop.pass_on("alpha", "netfilter", "no rule matches");
  const Explanation e = loop.step("alpha", "forwarding", "drops it").explanation();
  for (const std::string& drawn : {explain_html(e), explain_svg(e), explain_mermaid(e), explain_dot(e)})
    EXPECT_EQ(0u, times(drawn, "more times")) << drawn;
  EXPECT_EQ(1u, times(explain_html(e), "+ 12 steps that only pass it on"));
}

// A host that sends the packet back and forth between devices of its own.
TEST(Rounds, WithinANode) {
  Loop loop;
  for (unsigned i = 0; i < 10; ++i)
    loop.see("alpha", "veth0", true, 60 - 2 * i).step("alpha", "routing", "to veth1").see("alpha", "veth1", false, 59 - 2 * i);
  const Explanation e = loop.explanation();
  for (const std::string& drawn : {explain_html(e), explain_svg(e), explain_mermaid(e), explain_dot(e)}) {
    EXPECT_EQ(1u, times(drawn, "from veth0 in to here 9 more times, down to ttl 41")) << drawn;
    EXPECT_EQ(1u, times(drawn, "to veth1")) << drawn;
  }
}

// Logical routers of one bridge.
TEST(Rounds, WithinAStation) {
  Loop loop;
  loop.see("alpha", "veth0", true, 64).step("alpha", "forwarding", "begins");
  for (int i = 0; i < 12; ++i) loop.step("alpha", "routing", "to router one").step("alpha", "routing", "to router two");
  const Explanation e = loop.step("alpha", "forwarding", "drops it").explanation();
  for (const std::string& drawn : {explain_html(e), explain_svg(e), explain_mermaid(e), explain_dot(e)}) {
    EXPECT_EQ(1u, times(drawn, "repeated 11 more times")) << drawn;
    EXPECT_EQ(1u, times(drawn, "to router one")) << drawn;
    EXPECT_EQ(1u, times(drawn, "begins")) << drawn;
    EXPECT_EQ(1u, times(drawn, "drops it")) << drawn;
  }
}

// A host with one device: its dumps.
void host(const testing::TemporaryDirectory& home, const std::string& name, int number, int gateway) {
  const auto mac = [](int n) { return fmt::format("02:00:00:00:00:0{}", n); };
  home.file(name + "/ip_addr", fmt::format("2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group "
                                           "default qlen 1000\n    link/ether {} brd ff:ff:ff:ff:ff:ff\n"
                                           "    inet 10.0.0.{}/24 brd 10.0.0.255 scope global eth0\n",
                                           mac(number), number));
  home.file(name + "/ip_route",
            fmt::format("default via 10.0.0.{1} dev eth0\n10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.{0}\n", number,
                        gateway));
  home.file(name + "/ip_neigh", fmt::format("10.0.0.{} dev eth0 lladdr {} REACHABLE\n", gateway, mac(gateway)));
  home.file(name + "/ip_rule", "0:\tfrom all lookup local\n32766:\tfrom all lookup main\n32767:\tfrom all lookup default\n");
}

// It comes in, is routed, and goes out by the device by which it came.
TEST(Rounds, OfRoutersWithOneDevice) {
  const testing::TemporaryDirectory home;
  host(home, "alpha", 1, 2);
  host(home, "beta", 2, 1);
  host(home, "gamma", 3, 1);
  const std::string chart = testing::run({EGTRACE_BINARY, "explain", home.path(), "--from", "node:gamma", "--to", "192.0.2.9:80",
                                          "--format", "mermaid"})
                                .out;
  EXPECT_EQ(1u, times(chart, "from alpha to here 30 more times, down to ttl 2")) << chart;
  const std::size_t in = chart.find("eth0 in"), routed = chart.find("route default via 10.0.0.2"),
                    out = chart.find("eth0 out", in);
  EXPECT_LT(in, routed) << chart;
  EXPECT_LT(routed, out) << chart;
}

}  // namespace
}  // namespace egt
