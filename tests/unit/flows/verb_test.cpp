// egtrace flows, as it is called.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

Ran flows(std::vector<std::string> args) {
  std::vector<std::string> all = {EGTRACE_BINARY, "flows", std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary"};
  all.insert(all.end(), args.begin(), args.end());
  return run(all);
}

json listed(std::vector<std::string> args) {
  args.insert(args.end(), {"--format", "json"});
  return json::parse(flows(std::move(args)).out);
}

TEST(Flows, AreFilteredAndExplained) {
  const json found =
      listed({"--node", "master-03-demo", "--bridge", "br-int", "--filter", "nw_src=10.133.0.9 and resubmit", "--table", "25"});
  for (const json& flow : found.at("flows")) {
    EXPECT_EQ("10.133.0.9", flow.at("match").at("nw_src"));
    EXPECT_EQ(25, flow.at("info").at("table"));
    EXPECT_EQ("lr_in_policy", flow.at("lflow").at("stage"));
    EXPECT_FALSE(flow.at("rows").empty());
  }
  EXPECT_LT(0u, found.at("flows").size());
  EXPECT_EQ(found.at("groups")[0].at("found"), found.at("flows").size());
}

TEST(Flows, AreSortedAndCut) {
  const json found = listed({"--node", "master-03-demo", "--bridge", "br-int", "--sort", "n_packets", "--top", "5"});
  ASSERT_EQ(5u, found.at("flows").size());
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_GE(found.at("flows")[i - 1].at("info").at("n_packets"), found.at("flows")[i].at("info").at("n_packets"));
}

TEST(Flows, AreSummed) {
  const json by_table = listed({"--node", "master-03-demo", "--by", "table"}).at("sums");
  std::size_t flows_of_sums = 0, flows_of_dumps = 0;
  for (const json& sum : by_table) flows_of_sums += sum.at("flows").get<std::size_t>();
  const json all = listed({"--node", "master-03-demo"});
  for (const json& group : all.at("groups")) flows_of_dumps += group.at("all").get<std::size_t>();
  EXPECT_EQ(flows_of_dumps, flows_of_sums);
  EXPECT_NE(std::string::npos, listed({"--by", "object"}).at("sums").dump().find("EgressIP"));
}

TEST(Flows, TextAndCsv) {
  const std::string text =
      flows({"--node", "master-03-demo", "--bridge", "br-int", "--filter", "nw_src=10.133.0.9", "--table", "25"}).out;
  EXPECT_NE(std::string::npos, text.find("master-03-demo br-int: ")) << text;
  EXPECT_NE(std::string::npos, text.find("lr_in_policy")) << text;
  const std::string csv = flows({"--bridge", "br-ex", "--format", "csv"}).out;
  EXPECT_TRUE(csv.starts_with("node,bridge,table,cookie,"));
  EXPECT_TRUE(flows({"--by", "table", "--format", "csv"}).out.starts_with("key,flows,packets,bytes\n"));
}

TEST(Flows, StatusAndMistakes) {
  EXPECT_EQ(3, flows({"--filter", "n_packets>99999999999"}).status);
  EXPECT_EQ(2, flows({"--filter", "tcp and"}).status);
  const Ran node = flows({"--node", "master-03-dem"}), bridge = flows({"--bridge", "br-in"});
  EXPECT_EQ(2, node.status);
  EXPECT_NE(std::string::npos, node.err.find("did you mean")) << node.err;
  EXPECT_EQ(2, bridge.status);
  EXPECT_NE(std::string::npos, bridge.err.find("br-int")) << bridge.err;
}

}  // namespace
}  // namespace egt::testing
