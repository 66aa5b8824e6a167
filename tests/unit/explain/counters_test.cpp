// Rules of the path that never counted, beside others that have.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "egtrace/explain/explanation.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::explain {
namespace {

namespace fs = std::filesystem;

// How another counter stands beside a line of the dump that has none.
struct Hint {
  std::string line;
  std::uint64_t beside = 0;
};

class Lab {
 public:
  Lab() {
    // What lies beyond the node does not matter here, and takes time to read.
    const fs::path sample = fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary";
    fs::copy(sample / "master-02-demo", folder_.path() + "/master-02-demo");
    for (const char* file : {"nft_list_ruleset", "nft_-j_list_ruleset", "iptables_-t_nat_-S"})
      fs::remove(folder_.path() + "/master-02-demo/" + file);
  }
  Lab& replace(const std::string& file, const std::string& from, const std::string& to) {
    const std::string path = folder_.path() + "/master-02-demo/" + file;
    std::string text(parsers::read_content(path)->text);
    const std::size_t at = text.find(from);
    EXPECT_NE(std::string::npos, at) << file << ": " << from;
    if (at != std::string::npos) text.replace(at, from.size(), to);
    egt::testing::write_file(path, text);
    return *this;
  }
  // Of a pod on master-02 that leaves by the egress IP, on the same node.
  std::vector<Hint> hints(bool counters = true) const {
    const auto snapshot = parsers::open_snapshot({folder_.path(), {}, 1});
    Question q;
    q.from = *parse_point("demo-egress/requester-2a");
    q.to = *parse_point("192.168.55.13:80");
    q.counters = counters;
    const auto x = explain(snapshot->cluster, q);
    std::vector<Hint> all;
    EXPECT_EQ(Verdict::delivered, x->verdict);
    for (const Hop& hop : x->paths.front().hops)
      if (hop.counted && hop.counted->never()) all.push_back({hop.evidence.front().text, hop.counted->beside});
    return all;
  }

 private:
  egt::testing::TemporaryDirectory folder_;
};

const std::string kFirst = "-A OVN-KUBE-EGRESS-IP-MULTI-NIC -s 10.132.0.13",
                  kSecond = "-A OVN-KUBE-EGRESS-IP-MULTI-NIC -s 10.133.0.9";

bool names(const Hint& hint, const std::string& text) { return hint.line.find(text) != std::string::npos; }

TEST(Counters, OfARuleBesideAnotherOneOfItsChain) {
  Lab lab;
  lab.replace("iptables-save", kFirst, "[0:0] " + kFirst).replace("iptables-save", kSecond, "[7:420] " + kSecond);
  const std::vector<Hint> hints = lab.hints();
  ASSERT_EQ(1u, hints.size());
  EXPECT_TRUE(names(hints.front(), kFirst));
  EXPECT_EQ(7u, hints.front().beside);
  EXPECT_TRUE(lab.hints(false).empty());
}

TEST(Counters, SayNothingWhereNoneCountedOrNoneIsDumped) {
  EXPECT_TRUE(Lab().hints().empty());
  Lab lab;
  lab.replace("iptables-save", kFirst, "[0:0] " + kFirst).replace("iptables-save", kSecond, "[0:0] " + kSecond);
  EXPECT_TRUE(lab.hints().empty());
}

// The policy of this pod, and what takes its packets without it: the policies' last flow.
Lab& policy(Lab& lab, const std::string& age, const std::string& last) {
  const std::string file = "ovs-ofctl_dump-flows_br-int.gz";
  return lab.replace(file, "duration=14.495s, table=25, n_packets=13,", "duration=" + age + "s, table=25, n_packets=0,")
      .replace(file, "duration=33.255s, table=25, n_packets=44, n_bytes=4230, idle_age=6,", last);
}

TEST(Counters, OfAFlowBesideOneThatWouldTakeThePacket) {
  const auto hints = [](const std::string& age, const std::string& last) {
    Lab lab;
    return policy(lab, age, last).hints();
  };
  const std::vector<Hint> found = hints("100.5", "duration=133.255s, table=25, n_packets=44, n_bytes=4230, idle_age=6,");
  ASSERT_EQ(1u, found.size());
  EXPECT_TRUE(names(found.front(), "nw_src=10.132.0.13 ")) << found.front().line;
  EXPECT_EQ(44u, found.front().beside);
  // Too young; counted before the flow was there; rate too low to have counted since; not counted at all.
  EXPECT_TRUE(hints("14.5", "duration=133.255s, table=25, n_packets=44, n_bytes=4230, idle_age=6,").empty());
  EXPECT_TRUE(hints("100.5", "duration=1330.208s, table=25, n_packets=44, n_bytes=4230, idle_age=600,").empty());
  EXPECT_TRUE(hints("100.5", "duration=133000.208s, table=25, n_packets=44, n_bytes=4230,").empty());
  EXPECT_TRUE(hints("100.5", "duration=133.255s, table=25, n_packets=0, n_bytes=0, idle_age=133,").empty());
  EXPECT_FALSE(hints("100.5", "duration=133.255s, table=25, n_packets=44, n_bytes=4230,").empty());
}

}  // namespace
}  // namespace egt::explain
