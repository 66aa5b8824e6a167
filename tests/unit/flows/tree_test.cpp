// Flows of the datapath as trees by recirculation, and logical flows counted.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string flow(const std::string& id, const std::string& port, const std::string& actions, int packets = 1) {
  return fmt::format(
      "recirc_id({}),in_port({}),eth_type(0x0800),ipv4(src=10.0.0.1/0.0.0.0,proto=6/0,frag=no), packets:{}, bytes:60, used:0.5s, "
      "actions:{}\n",
      id, port, packets, actions);
}

class Dump {
 public:
  explicit Dump(const std::string& flows) { folder_.file("n1/ovs-appctl_dpctl.dump-flows", flows); }
  Ran run(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {EGTRACE_BINARY, "flows", folder_.path(), "--datapath", "--width", "200"};
    words.insert(words.end(), more.begin(), more.end());
    return testing::run(words);
  }
  json listed(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--format", "json"});
    return json::parse(run(more).out, nullptr, false).at("flows");
  }

 private:
  TemporaryDirectory folder_;
};

const std::string kTree = flow("0x5", "3", "4") + flow("0", "2", "ct(zone=1),recirc(0x5)") +
                          flow("0x5", "2", "ct(zone=2),recirc(0x6)", 9) + flow("0", "3", "recirc(0x5)") + flow("0x6", "2", "7") +
                          flow("0", "2", "recirc(0x9)") + flow("0x8", "2", "drop");

// Line by line, each flow by its id and port behind its indent.
std::vector<std::string> shape_of(const std::string& text) {
  std::vector<std::string> shape;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (const std::size_t cut = line.find(",eth_type"); cut != line.npos) line.resize(cut);
    if (!line.empty() && line[0] == ' ') shape.push_back(line);
  }
  return shape;
}

TEST(FlowTree, FollowsRecirculation) {
  const std::string text = Dump(kTree).run().out;
  const std::vector<std::string> expected = {"  recirc_id(0),in_port(2)",
                                             "    recirc(0x5): 1 flow",
                                             "      recirc_id(0x5),in_port(2)",
                                             "        recirc(0x6): 1 flow",
                                             "          recirc_id(0x6),in_port(2)",
                                             "  recirc_id(0),in_port(3)",
                                             "    recirc(0x5): 1 flow",
                                             "      recirc_id(0x5),in_port(3)",
                                             "  recirc_id(0),in_port(2)",
                                             "    recirc(0x9): the dump has no flow of this recirc_id and input port",
                                             "  no flow of the dump has recirc(0x8) for this input port",
                                             "  recirc_id(0x8),in_port(2)"};
  EXPECT_EQ(expected, shape_of(text)) << text;
  EXPECT_EQ(std::string::npos, text.find("proto=6")) << "what is not matched is left out";
  EXPECT_NE(std::string::npos, Dump(kTree).run({"-v"}).out.find("proto=6/0"));
}

TEST(FlowTree, HasParentsInJson) {
  const json flows = Dump(kTree).listed();
  ASSERT_EQ(7u, flows.size());
  const auto of = [&](int recirc_id, int port) {
    for (const json& f : flows)
      if (f.at("recirc_id") == recirc_id && f.at("match").at("in_port") == port) return f;
    return json();
  };
  EXPECT_EQ(json::array({of(0, 2).at("id")}), of(5, 2).at("parents"));
  EXPECT_EQ(json::array({of(0, 3).at("id")}), of(5, 3).at("parents"));
  EXPECT_EQ(json::array({of(5, 2).at("id")}), of(6, 2).at("parents"));
  EXPECT_EQ(json::array(), of(8, 2).at("parents"));
  EXPECT_EQ(json::array({{{"recirc_id", 5}, {"flows", 1}, {"all", 1}}}), of(0, 2).at("recirculates_to"));
  const json& lost = flows[5].at("recirculates_to")[0];
  EXPECT_EQ(9, lost.at("recirc_id"));
  EXPECT_EQ(0, lost.at("all"));
}

TEST(FlowTree, SaysWhatWasNotAskedFor) {
  const std::string text = Dump(kTree).run({"--filter", "packets<9"}).out;
  EXPECT_NE(std::string::npos, text.find("recirc(0x5): 1 flow, not asked for")) << text;
  EXPECT_NE(std::string::npos, text.find("behind recirculation by flows that were not asked for")) << text;
}

// So many as which packets arrive, each with what stands behind it.
TEST(FlowTree, IsCutByTrees) {
  EXPECT_EQ(3u, Dump(kTree).listed({"--top", "1"}).size());
  EXPECT_EQ(5u, Dump(kTree).listed({"--top", "2"}).size());
}

TEST(FlowTree, CirclesAndDepthAreBounded) {
  const std::string circle = flow("0x5", "2", "recirc(0x6)") + flow("0x6", "2", "recirc(0x5)") + flow("0x7", "2", "recirc(0x7)");
  const std::string text = Dump(circle).run().out;
  EXPECT_NE(std::string::npos, text.find("recirc(0x5): its flow is shown above")) << text;
  EXPECT_NE(std::string::npos, text.find("recirc(0x7): its flow is shown above")) << text;
  EXPECT_EQ(3u, Dump(circle).listed().size());
  std::string chain = flow("0", "2", "recirc(0x1)");
  for (int i = 1; i < 3000; ++i) chain += flow(fmt::format("{:#x}", i), "2", fmt::format("recirc({:#x})", i + 1));
  const Ran deep = Dump(chain).run();
  EXPECT_EQ(0, deep.status);
  EXPECT_NE(std::string::npos, deep.out.find("too deep here, shown below"));
  EXPECT_NE(std::string::npos, deep.out.find("recirc_id(0xbb7)"));
}

// All of one port lead to all of another id: what is printed grows with the flows, not with their pairs.
TEST(FlowTree, ManyToManyIsLinear) {
  std::string many;
  for (int i = 0; i < 3000; ++i) many += flow("0", "2", "recirc(0x5)", i) + flow("0x5", "2", "3", i);
  const Ran text = Dump(many).run(), page = Dump(many).run({"--format", "html"});
  EXPECT_LT(text.out.size(), 3000000u);
  EXPECT_LT(page.out.size(), 20000000u);
  EXPECT_EQ(0, page.status);
}

TEST(FlowTree, OtherOptionsAreRefused) {
  EXPECT_EQ(2, Dump(kTree).run({"--by", "table"}).status);
  EXPECT_EQ(2, Dump(kTree).run({"--table", "3"}).status);
  EXPECT_EQ(2, Dump(kTree).run({"--logical", "--by", "object"}).status);
}

// --- logical flows

Ran logical(std::vector<std::string> more) {
  std::vector<std::string> words = {EGTRACE_BINARY, "flows", std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary",
                                    "--logical"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words);
}

TEST(LogicalFlows, AreCountedByObject) {
  const json j = json::parse(logical({"--by", "object", "--format", "json"}).out);
  EXPECT_EQ("logical", j.at("of"));
  ASSERT_FALSE(j.at("sums").empty());
  for (const json& sum : j.at("sums")) {
    EXPECT_GT(sum.at("flows"), 0);
    EXPECT_TRUE(sum.at("packets").is_null());
  }
  EXPECT_NE(std::string::npos, j.at("sums").dump().find("EgressIP project-egressip"));
  EXPECT_TRUE(logical({"--by", "object"}).out.starts_with("LOGICAL FLOWS  OF\n"));
  EXPECT_TRUE(logical({"--by", "table", "--format", "csv"}).out.starts_with("key,flows,packets,bytes\ningress "));
}

// A list that two nodes have counts once.
TEST(LogicalFlows, OfTwoNodesCountOnce) {
  const std::string list =
      "Datapath: \"a\" (11111111-0000-0000-0000-000000000000)  Pipeline: ingress\n"
      "  uuid=0x0a0a0a0a, table=0 (ls_in_check_port_sec), priority=100  , match=(vlan.present), action=(drop;)\n"
      "  uuid=0x0b0b0b0b, table=1 (ls_in_apply_port_sec), priority=0    , match=(1), action=(next;)\n";
  TemporaryDirectory folder;
  for (const char* node : {"n1", "n2"}) folder.file(std::string(node) + "/ovn-sbctl_--uuid_lflow-list", list);
  const json sums =
      json::parse(run({EGTRACE_BINARY, "flows", folder.path(), "--logical", "--by", "datapath", "--format", "json"}).out)
          .at("sums");
  ASSERT_EQ(1u, sums.size());
  EXPECT_EQ("a", sums[0].at("key"));
  EXPECT_EQ(2, sums[0].at("flows"));
}

TEST(LogicalFlows, NeedAKey) {
  EXPECT_EQ(2, logical({}).status);
  EXPECT_EQ(2, logical({"--by", "object", "--filter", "tcp"}).status);
  EXPECT_EQ(2, logical({"--by", "lflow"}).status);
}

}  // namespace
}  // namespace egt::testing
