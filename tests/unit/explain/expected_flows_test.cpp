// Every OpenFlow flow that a node must have of its logical flows is missed once it is lost.
#include "../libtrace/explain/src/expected_flows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "../libtrace/explain/src/expected_number.h"
#include "../libtrace/explain/src/installed_flows.h"
#include "../libtrace/explain/src/lflow_form.h"
#include "egtrace/explain/agreement.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/parsers/snapshot.h"
#include "support/sample.h"

namespace egt::explain {
namespace {

std::set<std::uint64_t> cookies_of(const cluster::Node& node) {
  std::set<std::uint64_t> known;
  for (const ovn::LogicalFlow& f : node.ovn.logical_flows) known.insert(f.uuid_prefix.value_or(0));
  return known;
}

// Flows of logical flows alone.
InstalledFlows installed_on(const cluster::Node& node) {
  InstalledFlows all = installed_flows(*node.integration_bridge()->flows);
  const std::set<std::uint64_t> known = cookies_of(node);
  std::erase_if(all.by_cookie, [&](const auto& of) { return !known.contains(of.first); });
  return all;
}

class Expected {
 public:
  Expected(const cluster::Node& node, std::set<std::string_view> datapaths)
      : datapaths_(std::move(datapaths)),
        program_(node.ovn.language->program_of(node.ovn)),
        flows_(node, *program_->reader, datapaths_, {ovn::Inequality::bits, true}) {}
  std::vector<Provenance> missing(const InstalledFlows& installed) const { return flows_.missing(installed); }

 private:
  std::set<std::string_view> datapaths_;
  std::shared_ptr<const ovn::Program> program_;
  ExpectedFlows flows_;
};

std::set<std::string_view> datapaths_of(const cluster::Node& node) {
  std::set<std::string_view> datapaths;
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (d.name == "join" || d.name == "transit_switch" || d.name == "ovn_cluster_router" ||
        d.name.find(node.name) != std::string_view::npos)
      datapaths.insert(d.name);
  return datapaths;
}

TEST(ExpectedFlows, EachLostFlowIsMissed) {
  const cluster::Cluster cluster = testing::Sample().read();
  std::size_t nodes = 0;
  for (const auto& node : cluster.nodes) {
    if (node->integration_bridge() == nullptr || !node->ovn.language) continue;
    ++nodes;
    InstalledFlows installed = installed_on(*node);
    const Expected expected(*node, datapaths_of(*node));
    EXPECT_TRUE(expected.missing(installed).empty()) << node->name << ": " << expected.missing(installed).size();
    for (auto& [cookie, of] : installed.by_cookie) --of.plain;
    const std::vector<Provenance> missing = expected.missing(installed);
    // Those of distributed ports that no node has, and of more than the ports here, may rightly be fewer.
    EXPECT_LT(installed.by_cookie.size() * 95 / 100, missing.size())
        << node->name << ": " << missing.size() << " of " << installed.by_cookie.size();
  }
  EXPECT_EQ(3u, nodes);
}

// What northd makes of IGMP_Group comes and goes with who listens.
TEST(ExpectedFlows, OfLearnedGroupsAreLeftOut) {
  cluster::Cluster cluster = testing::Sample().read();
  cluster::Node& node = *cluster.node("master-02-demo");
  const auto lookup = std::find_if(node.ovn.logical_flows.begin(), node.ovn.logical_flows.end(), [](const ovn::LogicalFlow& f) {
    return f.stage == "ls_in_l2_lkup" && f.datapath == "master-02-demo";
  });
  ASSERT_NE(lookup, node.ovn.logical_flows.end());
  ovn::LogicalFlow learned = *lookup;
  learned.uuid_prefix = 0x77777777;
  learned.match = "eth.mcast && ip4 && ip4.dst == 239.1.2.3";
  learned.actions = "outport = \"239.1.2.3\"; output;";
  const auto missing = [&](std::string_view actions) {
    learned.actions = actions;
    node.ovn.logical_flows.edit().push_back(learned);
    const std::size_t number = Expected(node, datapaths_of(node)).missing(installed_on(node)).size();
    node.ovn.logical_flows.edit().pop_back();
    return number;
  };
  EXPECT_EQ(missing("outport = \"239.1.2.3\"; output;"), 0u);
  EXPECT_EQ(missing("outport = \"_MC_flood\"; output;"), 1u);
}

// A node whose policies are conjunctive matches.
class NetworkPolicies : public ::testing::Test {
 protected:
  void SetUp() override {
    auto read = parsers::read_snapshot({.path = EGTRACE_SOURCE_DIR "/tests/lab/network-policies.tar.xz"});
    ASSERT_TRUE(read) << read.error().message;
    cluster_ = std::move(*read);
    node_ = cluster_.node("quince");
    ASSERT_NE(nullptr, node_);
    installed_ = installed_on(*node_);
    std::set<std::string_view> datapaths;
    for (const ovn::Datapath& d : node_->ovn.datapaths) datapaths.insert(d.name.empty() ? d.uuid : d.name);
    expected_.emplace(*node_, std::move(datapaths));
  }
  std::set<std::uint64_t> with_conjunctions() const {
    std::set<std::uint64_t> cookies;
    for (const auto& [cookie, of] : installed_.by_cookie)
      if (!of.conjunctions.empty()) cookies.insert(cookie);
    return cookies;
  }
  std::set<std::uint64_t> missed() const {
    std::set<std::uint64_t> cookies;
    const std::vector<Provenance> missing = expected_->missing(installed_);
    for (const ovn::LogicalFlow& f : node_->ovn.logical_flows)
      if (std::binary_search(missing.begin(), missing.end(), f.from)) cookies.insert(f.uuid_prefix.value_or(0));
    return cookies;
  }

  cluster::Cluster cluster_;
  const cluster::Node* node_ = nullptr;
  InstalledFlows installed_;
  std::optional<Expected> expected_;
};

TEST_F(NetworkPolicies, LackNothingWhereNothingIsLost) {
  const auto agreement = agreement_of(cluster_, *node_);
  ASSERT_TRUE(agreement);
  EXPECT_EQ(0u, agreement->missing.size());
  EXPECT_EQ(0u, agreement->orphaned.size());
  EXPECT_LT(20u, with_conjunctions().size());
}

TEST_F(NetworkPolicies, FlowThatMatchesAConjunctionIsMissed) {
  const std::set<std::uint64_t> all = with_conjunctions();
  for (auto& [cookie, of] : installed_.by_cookie)
    if (!of.conjunctions.empty()) of.conjunctions.pop_back();
  EXPECT_EQ(all, missed());
}

TEST_F(NetworkPolicies, MemberOfAClauseIsMissed) {
  for (const std::size_t clause : {0, 1}) {
    for (auto& [id, sizes] : installed_.by_conjunction) --sizes.at(clause);
    EXPECT_EQ(with_conjunctions(), missed()) << clause;
    for (auto& [id, sizes] : installed_.by_conjunction) ++sizes.at(clause);
  }
}

TEST(ExpectedNumber, OfSetsMayBeMultipliedOut) {
  ExpectedNumber number;
  number.conjunctive.push_back({{3, 2}, 6, true});
  InstalledFlows installed;
  installed.by_conjunction[7] = {2, 3};
  EXPECT_FALSE(number.exceeds({0, 6, {}}, installed, 0));
  EXPECT_TRUE(number.exceeds({0, 5, {}}, installed, 0));
  EXPECT_FALSE(number.exceeds({0, 5, {}}, installed, 1));
  EXPECT_FALSE(number.exceeds({0, 0, {7}}, installed, 0));
  installed.by_conjunction[7] = {2, 2};
  EXPECT_TRUE(number.exceeds({0, 0, {7}}, installed, 0));
  installed.by_conjunction[7] = {1, 2, 3};  // of a clause whose set has lost its other addresses
  EXPECT_FALSE(number.exceeds({0, 0, {7}}, installed, 0));
  installed.by_conjunction[7] = {0, 2, 3};
  EXPECT_TRUE(number.exceeds({0, 0, {7}}, installed, 0));
}

TEST(ExpectedNumber, EachConjunctionIsOne) {
  ExpectedNumber number;
  number.conjunctive = {{{3, 2}, 6, false}, {{2, 2}, 4, false}};
  InstalledFlows installed;
  installed.by_conjunction[7] = {2, 3};
  installed.by_conjunction[8] = {2, 2};
  EXPECT_FALSE(number.exceeds({0, 0, {7, 8}}, installed, 0));
  EXPECT_TRUE(number.exceeds({0, 0, {7}}, installed, 0));
  EXPECT_TRUE(number.exceeds({0, 0, {8, 8}}, installed, 0));
  EXPECT_FALSE(number.exceeds({0, 0, {7, 7}}, installed, 0));  // more than there must be
}

std::string match_form(std::string_view match) {
  std::string form;
  append_match_form(match, form);
  return form;
}

TEST(LflowForm, LeavesOutWhatDecidesNoNumber) {
  EXPECT_EQ("ct.new && ip4.dst == # && tcp.dst == #", match_form("ct.new && ip4.dst == 10.96.0.1 && tcp.dst == 443"));
  EXPECT_EQ("ip6.dst == # && reg0 == #", match_form("ip6.dst == fd00::1/64 && reg0 == 0x7"));
  // One bit is like another, but not where both are of one register, or of a longer one.
  EXPECT_EQ("reg9[#] == # && ip4", match_form("reg9[6] == 1 && ip4"));
  EXPECT_EQ("reg0[#] == # && (outport == @a1)", match_form("reg0[31] == 1 && (outport == @a1)"));
  EXPECT_EQ("reg0[32] == # && ip4", match_form("reg0[32] == 1 && ip4"));  // has no such bit
  EXPECT_EQ("reg0[0..3] == # && ip4", match_form("reg0[0..3] == 1 && ip4"));
  EXPECT_EQ("arp.tpa == # && arp.op == 1", match_form("arp.tpa == 10.0.0.1 && arp.op == 1"));
  for (const char* kept : {"reg9[6] == 1 && reg9[16..31] == 80", "reg0 == 1 && xreg0 == 2", "ip4.src == {10.0.0.1, 10.0.0.2}",
                           "tcp.dst < 1024", "ip4.src == 10.0.0.1 && ip4.src == 10.0.0.2", "!(ip4.src == 10.0.0.0/8)",
                           "ip4.src != 10.0.0.1", "ip.proto == 6", "eth.type == 0x800", "ip4.mcast && ip4.dst == 224.0.0.1"})
    EXPECT_EQ(kept, match_form(kept));
}

TEST(LflowForm, OfActionsHasNoBackends) {
  const auto form = [](std::string_view actions) {
    std::string text;
    append_action_form(actions, text);
    return text;
  };
  EXPECT_EQ("ct_lb_mark(backends=#:#);", form("ct_lb_mark(backends=10.133.0.5:8080,10.133.1.7:8080,10.133.0.9:8080);"));
  EXPECT_EQ("next;", form("reg0[1] = 1; next;"));
  EXPECT_EQ("next(pipeline=ingress,table=#);", form("reg0[1] = 1; reg8[16] = 1; next(pipeline=ingress,table=5);"));
  EXPECT_EQ("reg0[#] = #; next;", form("reg0[1] = 5; next;"));  // has no such value
  EXPECT_EQ("reg0[#] = #; next;", form("reg0[32] = 1; next;"));
  EXPECT_EQ("ct_snat(fd00::#);", form("ct_snat(fd00::1);"));
  EXPECT_EQ("reg0 = 0x1f; ip4.dst = #;", form("reg0 = 0x1f; ip4.dst = 10.0.0.1;"));
}

TEST(LflowForm, MatchesThatShareAnOpenFlowMatchShareValues) {
  EXPECT_EQ(values_left_out("ip4 && tcp.dst == 80 && ip4.dst == 10.0.0.1"),
            values_left_out("ct.new && ip4.dst == 10.0.0.1 && tcp && tcp.dst == 80"));
  EXPECT_NE(values_left_out("ip4.dst == 10.0.0.1"), values_left_out("ip4.dst == 10.0.0.2"));
  for (const char* other : {"ip4", "ip4.dst == $set && tcp.dst == 80", "inport == \"a\" && ip4.dst == 10.0.0.1",
                            "ip4.dst == 10.0.0.0/8", "tcp.dst > 80 && ip4.dst == 10.0.0.1"})
    EXPECT_FALSE(values_left_out(other)) << other;
}

}  // namespace
}  // namespace egt::explain
