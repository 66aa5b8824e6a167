// What is said once need not be said for every datapath, and what was dumped need not be dumped again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "egtrace/explain/explanation.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::explain {
namespace {

namespace fs = std::filesystem;

class OneNode {
 public:
  explicit OneNode(const std::string& node) : path_(folder_.path() + "/" + node) {
    fs::copy(fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary" / node, path_);
  }
  OneNode& without(const std::string& file) {
    EXPECT_TRUE(fs::remove(path_ + "/" + file)) << file;
    return *this;
  }
  OneNode& without_lines(const std::string& file, const std::string& word) {
    std::string kept;
    std::istringstream lines(std::string(parsers::read_content(path_ + "/" + file)->text));
    for (std::string line; std::getline(lines, line);)
      if (line.find(word) == std::string::npos) kept += line + "\n";
    egt::testing::write_file(path_ + "/" + file, kept);
    return *this;
  }
  OneNode& with(const std::string& file, const std::string& text) {
    egt::testing::write_file(path_ + "/" + file, text);
    return *this;
  }
  Explanation explain(const std::string& from, const std::string& to) const {
    const auto snapshot = parsers::open_snapshot({folder_.path(), {}, 1});
    Question q;
    q.from = *parse_point(from);
    q.to = *parse_point(to);
    return *egt::explain::explain(snapshot->cluster, q);
  }

 private:
  egt::testing::TemporaryDirectory folder_;
  std::string path_;
};

// Four logical datapaths share most logical flows; the flow's metadata names the one, whether a dump lists it or not.
TEST(Silence, LogicalFlowsAreThoseOfTheDatapath) {
  const Explanation e = OneNode("master-03-demo")
                            .without("ovn-sbctl_list_Datapath_Binding")
                            .explain("demo-egress/requester-3b", "192.168.55.13:80");
  std::size_t named = 0;
  for (const Hop& hop : e.paths.front().hops) {
    EXPECT_LE(hop.lflows.size(), 1U) << hop.where;
    named += hop.lflows.size();
  }
  EXPECT_GT(named, 50U);
}

TEST(Silence, DumpsAtHandAreNotAskedFor) {
  const auto command = [](OneNode& node) {
    const Explanation e = node.explain("demo-egress/requester-2a", "192.168.55.13:80");
    EXPECT_EQ(Outcome::undecided, e.outcome);
    return e.gaps.empty() ? std::string("none") : e.gaps.front().command;
  };
  OneNode node("master-02-demo");
  for (const char* file : {"ip_neigh", "ovn-sbctl_list_MAC_Binding", "ovs-appctl_fdb.show_br-ex"})
    node.without_lines(file, "52:54:00");
  EXPECT_EQ("arping -c 3 -I br-ex 192.168.99.12", command(node));
  EXPECT_EQ("ip neigh", command(node.without("ip_neigh")));
}

// Where logical flows show that OpenFlow flows are current, a lost connection of ovn-controller changes nothing of them.
TEST(Silence, AControllerThatIsNotConnectedMattersWhereNoLogicalFlowsCompare) {
  const std::string status = "ovn-appctl_-t_ovn-controller_connection-status";
  const auto assumed = [&](OneNode& node) {
    const Explanation e = node.explain("demo-egress/requester-3b", "192.168.55.13:80");
    return std::any_of(e.assumptions.begin(), e.assumptions.end(), [](const AssumptionReport& a) {
      return a.what == "the flows of master-03-demo stay as they are" && a.evidence.size() == 1;
    });
  };
  OneNode node("master-03-demo");
  EXPECT_FALSE(assumed(node.with(status, "not connected\n")));
  node.without("ovn-sbctl_--uuid_lflow-list.gz");
  EXPECT_TRUE(assumed(node));
  EXPECT_FALSE(assumed(node.with(status, "connected\n")));
}

// The dumps that decided are the snapshot's; what is of use is what nearly decided.
TEST(Silence, TheNextStepIsNoDumpAtHand) {
  const Explanation e = OneNode("master-03-demo").explain("demo-egress/requester-3a", "0.0.0.1");
  ASSERT_TRUE(e.fault);
  EXPECT_EQ("egtrace explain -v: what nearly matched at " + e.fault->at.where + " on master-03-demo", e.fault->next);
}

}  // namespace
}  // namespace egt::explain
