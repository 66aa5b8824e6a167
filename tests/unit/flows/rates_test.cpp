// What two dumps of the same flows show: rates, and where there are none.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

struct Flow {
  double age = 0;
  int packets = 0;
  std::string match;
  std::string cookie = "0x7";
};

std::string dump_of(const std::vector<Flow>& flows) {
  std::string text = "NXST_FLOW reply (xid=0x4):\n";
  for (const Flow& f : flows)
    text +=
        fmt::format(" cookie={}, duration={:.3f}s, table=9, n_packets={}, n_bytes={}, idle_age=1, priority=100,{} actions=drop\n",
                    f.cookie, f.age, f.packets, f.packets * 60, f.match);
  return text;
}

class TwoDumps {
 public:
  TwoDumps(const std::vector<Flow>& earlier, const std::vector<Flow>& later)
      : TwoDumps(dump_of(earlier), dump_of(later), "ovs-ofctl_dump-flows_br-int") {}
  TwoDumps(const std::string& earlier, const std::string& later, const std::string& name) {
    folder_.file("earlier/n1/" + name, earlier);
    folder_.file("later/n1/" + name, later);
  }
  // When a command ended, as `egtrace collect` writes it down.
  TwoDumps& at(const std::string& which, int seconds, const std::string& name, const std::string& command) {
    folder_.file(which + "/n1/egtrace-collect.tsv",
                 fmt::format("# egtrace collect 1: time\tstatus\tbytes\tcut\tfile\tcommand\n{}\t0\t9\t0\t{}\t{}\n", seconds, name,
                             command));
    return *this;
  }
  Ran run(std::vector<std::string> more, bool swapped = false) const {
    std::vector<std::string> words = {EGTRACE_BINARY, "flows", folder_.path() + (swapped ? "/earlier" : "/later"), "--since",
                                      folder_.path() + (swapped ? "/later" : "/earlier")};
    words.insert(words.end(), more.begin(), more.end());
    return testing::run(words);
  }
  json listed(std::vector<std::string> more = {}, bool swapped = false) const {
    more.insert(more.end(), {"--format", "json"});
    const Ran ran = run(more, swapped);
    EXPECT_EQ(0, ran.status) << ran.err;
    return json::parse(ran.out, nullptr, false);
  }
  const std::string& path() const { return folder_.path(); }

 private:
  TemporaryDirectory folder_;
};

json flow_of(const json& listing, const std::string& match) {
  for (const json& flow : listing.at("flows"))
    if (flow.at("evidence")[0].at("text").get<std::string>().find("," + match + " ") != std::string::npos) return flow;
  return {};
}

const std::vector<Flow> kEarlier = {{100.5, 10, "in_port=1"}, {90.25, 20, "in_port=2"}, {80, 50, "in_port=3"},
                                    {70, 7, "in_port=4"},     {60, 8, "in_port=5"},     {50, 1, "in_port=8"},
                                    {40, 4, "in_port=9"},     {30, 0, "in_port=10"}};
const std::vector<Flow> kLater = {{110.5, 60, "in_port=1"}, {100.25, 20, "in_port=2"}, {90, 45, "in_port=3"},
                                  {3.5, 9, "in_port=4"},    {70, 108, "in_port=6"},    {60, 11, "in_port=8"},
                                  {50, 14, "in_port=9"},    {40, 10, "in_port=10"}};

TEST(FlowRates, FollowFromTheAgesOfFlows) {
  const json j = TwoDumps(kEarlier, kLater).listed();
  const json& compared = j.at("groups")[0].at("compared");
  EXPECT_EQ(10.0, compared.at("seconds"));
  EXPECT_EQ("ages of flows", compared.at("basis"));
  EXPECT_FALSE(compared.at("at_least"));
  EXPECT_EQ("earlier:n1/ovs-ofctl_dump-flows_br-int", compared.at("dump"));
  const json counted = flow_of(j, "in_port=1");
  EXPECT_EQ(5.0, counted.at("rate").at("packets"));
  EXPECT_EQ(300.0, counted.at("rate").at("bytes"));
  EXPECT_EQ(json({{"packets", 10}, {"bytes", 600}, {"dump", "earlier:n1/ovs-ofctl_dump-flows_br-int"}, {"line", 2}}),
            counted.at("other"));
  EXPECT_EQ(0.0, flow_of(j, "in_port=2").at("rate").at("packets"));
}

TEST(FlowRates, AreNotInvented) {
  const json j = TwoDumps(kEarlier, kLater).listed();
  for (const auto& [match, change] :
       {std::pair("in_port=3", "backwards"), std::pair("in_port=4", "anew"), std::pair("in_port=6", "here_alone")}) {
    EXPECT_EQ(change, flow_of(j, match).at("change")) << match;
    EXPECT_TRUE(flow_of(j, match).at("rate").is_null()) << match;
  }
  const json& compared = j.at("groups")[0].at("compared");
  ASSERT_EQ(1u, compared.at("there_alone").size());
  EXPECT_EQ(6, compared.at("there_alone")[0].at("line"));
  const std::string text = TwoDumps(kEarlier, kLater).run({"--width", "200", "-v"}).out;
  for (const char* words :
       {"10.0 s after earlier:n1/ovs-ofctl_dump-flows_br-int by the ages of flows: rates of 5 flows, 1 new, 1 gone, 1 removed "
        "and added again, 1 with counters that went backwards",
        "5.00 packets/s, 300 bytes/s", "counters went backwards: 45 packets and 2700 bytes here, 50 and 3000 in the earlier dump",
        "new: not in the earlier dump", "removed and added again between the dumps: no rate",
        "in earlier:n1/ovs-ofctl_dump-flows_br-int alone:"})
    EXPECT_NE(std::string::npos, text.find(words)) << words << "\n" << text;
}

TEST(FlowRates, TheLaterDumpMayBeTheOtherOne) {
  const json j = TwoDumps(kEarlier, kLater).listed({}, true);
  EXPECT_EQ(-10.0, j.at("groups")[0].at("compared").at("seconds"));
  EXPECT_EQ(5.0, flow_of(j, "in_port=1").at("rate").at("packets"));
  EXPECT_EQ("backwards", flow_of(j, "in_port=3").at("change"));
  EXPECT_NE(
      std::string::npos,
      TwoDumps(kEarlier, kLater).run({"--width", "200"}, true).out.find("1 not in the later dump, 1 in the later dump alone"));
}

TEST(FlowRates, OfSumsAndInOrder) {
  const TwoDumps dumps(kEarlier, kLater);
  const json sums = dumps.listed({"--by", "table"}).at("sums");
  ASSERT_EQ(1u, sums.size());
  EXPECT_EQ(8.0, sums[0].at("rate").at("packets"));
  EXPECT_EQ(5, sums[0].at("rated"));
  EXPECT_EQ(8, sums[0].at("flows"));
  EXPECT_NE(std::string::npos, dumps.run({"--by", "table", "--width", "200"}).out.find("rates of 5 of 8 flows"));
  const json sorted = dumps.listed({"--sort", "rate", "--top", "1"}).at("flows");
  ASSERT_EQ(1u, sorted.size());
  EXPECT_EQ("in_port", sorted[0].at("match").begin().key());
  EXPECT_EQ(1, sorted[0].at("match").at("in_port"));
  EXPECT_NE(std::string::npos, dumps.run({"--format", "csv"}).out.find(",5.000,300.000,counted\n"));
}

// A filter asks for flows of both.
TEST(FlowRates, OfThoseThatWereAskedFor) {
  const json compared = TwoDumps(kEarlier, kLater).listed({"--filter", "in_port<3"}).at("groups")[0].at("compared");
  EXPECT_EQ(2, compared.at("counted"));
  EXPECT_EQ(0u, compared.at("there_alone").size());
}

// What changes from dump to dump is no part of what a flow is.
TEST(FlowRates, OfAFlowThatMatchesEveryPacket) {
  const auto dump = [](double age, int idle, int packets) {
    return fmt::format(" cookie=0x0, duration={:.3f}s, table=3, n_packets={}, n_bytes=0, idle_age={}, actions=drop\n", age,
                       packets, idle);
  };
  TwoDumps dumps(dump_of(kEarlier) + dump(20, 7, 5), dump_of(kLater) + dump(30, 1, 25), "ovs-ofctl_dump-flows_br-int");
  const json flow = dumps.listed({"--table", "3"}).at("flows")[0];
  EXPECT_EQ(2.0, flow.at("rate").at("packets"));
}

// A cookie is part of what a flow is: another logical flow may have made one with the same match.
TEST(FlowRates, ACookieTellsFlowsApart) {
  std::vector<Flow> later = kLater;
  later[0].cookie = "0x8";
  EXPECT_EQ("here_alone", flow_of(TwoDumps(kEarlier, later).listed(), "in_port=1").at("change"));
}

// All flows were added anew when the switch was started again: they seem to have aged alike, though not exactly.
TEST(FlowRates, UndecidedWhereASwitchWasStartedAgain) {
  const std::vector<Flow> before = {{50.1, 0, "in_port=1"}, {50.2, 5, "in_port=2"}, {50.31, 7, "in_port=3"}};
  const std::vector<Flow> after = {{90.13, 4, "in_port=1"}, {90.17, 9, "in_port=2"}, {90.33, 8, "in_port=3"}};
  const json j = TwoDumps(before, after).listed();
  EXPECT_EQ("none", j.at("groups")[0].at("compared").at("basis"));
  EXPECT_TRUE(j.at("groups")[0].at("compared").at("seconds").is_null());
  for (const json& flow : j.at("flows")) {
    EXPECT_EQ("undecided", flow.at("change"));
    EXPECT_TRUE(flow.at("rate").is_null());
  }
  EXPECT_NE(std::string::npos,
            TwoDumps(before, after)
                .run({"--width", "200"})
                .out.find("neither ages of flows nor times of the dumps show how much time is between, no rates"));
  // The same ages are true where the times of the dumps say so, and flows of another age than those allow were added anew.
  const std::string name = "ovs-ofctl_dump-flows_br-int", command = "ovs-ofctl dump-flows br-int";
  const json timed =
      TwoDumps(before, after).at("earlier", 1700000000, name, command).at("later", 1700000041, name, command).listed();
  EXPECT_EQ("ages of flows", timed.at("groups")[0].at("compared").at("basis"));
  const json started =
      TwoDumps(before, after).at("earlier", 1700000000, name, command).at("later", 1700003600, name, command).listed();
  EXPECT_EQ("times of dumps", started.at("groups")[0].at("compared").at("basis"));
  for (const json& flow : started.at("flows")) EXPECT_EQ("anew", flow.at("change"));
}

// Of one snapshot: the dump that was not read, as there was another of the same.
TEST(FlowRates, OfASecondDumpInTheSnapshot) {
  TemporaryDirectory folder;
  folder.file("n1/ovs-ofctl_dump-flows_br-int", dump_of(kLater));
  folder.file("n1/ovs-ofctl_dump-flows_br-int.1", dump_of(kEarlier));
  const json j = json::parse(run({EGTRACE_BINARY, "flows", folder.path(), "--format", "json"}).out);
  EXPECT_EQ("n1/ovs-ofctl_dump-flows_br-int.1", j.at("groups")[0].at("compared").at("dump"));
  EXPECT_EQ(5.0, flow_of(j, "in_port=1").at("rate").at("packets"));
}

// Flows of the datapath have no age: the times of the dumps show, and a rate is the least that it can be.
TEST(FlowRates, OfTheDatapath) {
  const auto dump = [](int packets) {
    return fmt::format("recirc_id(0),in_port(2),eth_type(0x0800),ipv4(frag=no), packets:{}, bytes:{}, used:0.5s, actions:3\n",
                       packets, packets * 10);
  };
  const std::string name = "ovs-appctl_dpctl.dump-flows", command = "ovs-appctl dpctl/dump-flows";
  const TwoDumps untimed(dump(5), dump(45), name);
  EXPECT_EQ("undecided", untimed.listed({"--datapath"}).at("flows")[0].at("change"));
  TwoDumps timed(dump(5), dump(45), name);
  timed.at("earlier", 1700000000, name, command).at("later", 1700000020, name, command);
  const json j = timed.listed({"--datapath"});
  EXPECT_EQ(2.0, j.at("flows")[0].at("rate").at("packets"));
  EXPECT_TRUE(j.at("groups")[0].at("compared").at("at_least"));
  EXPECT_NE(std::string::npos, timed.run({"--datapath"}).out.find("at least 2.00 packets/s"));
}

TEST(FlowRates, NeedTwoDumps) {
  TemporaryDirectory folder;
  folder.file("a/n1/ovs-ofctl_dump-flows_br-int", dump_of(kLater));
  folder.file("b/n2/ovs-ofctl_dump-flows_br-int", dump_of(kLater));
  const Ran alone = run({EGTRACE_BINARY, "flows", folder.path() + "/a", "--sort", "rate"});
  EXPECT_EQ(2, alone.status);
  EXPECT_NE(std::string::npos, alone.err.find("--since")) << alone.err;
  const Ran other = run({EGTRACE_BINARY, "flows", folder.path() + "/a", "--since", folder.path() + "/b"});
  EXPECT_EQ(2, other.status);
  EXPECT_NE(std::string::npos, other.err.find("no flows of the same node and bridge")) << other.err;
}

}  // namespace
}  // namespace egt::testing
