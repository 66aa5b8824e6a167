#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "ovn/lflow_line.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

using ovn_text::LflowLine;

constexpr const char* kWithUuid = R"(Datapath: "GR_n" (672a03d1-696b-42cd-aef5-c90e8a4bfed6)  Pipeline: ingress
  uuid=0xd34aed3c, table=0 (lr_in_admission    ), priority=100  , match=(vlan.present || eth.src[40]), action=(drop;)
  uuid=0x00000001, table=13(lr_in_ip_routing   ), priority=65535, match=(reg7 == 0 && ip4.dst == 10.0.0.0/14), action=(ip.ttl--; reg0 = 100.64.0.1; next;)
Datapath: "GR_n" (672a03d1-696b-42cd-aef5-c90e8a4bfed6)  Pipeline: egress
  uuid=0xd34aed3d, table=0 (lr_out_chk_dnat_local_longer), priority=0    , match=(1), action=(next;)
)";

constexpr const char* kPlain = R"(Datapath: "GR_n" (672a03d1-696b-42cd-aef5-c90e8a4bfed6)  Pipeline: ingress
  table=0 (lr_in_admission    ), priority=100  , match=(vlan.present || eth.src[40]), action=(drop;)
Datapath: "uuid-like" aka "net" (772a03d1-696b-42cd-aef5-c90e8a4bfed6)  Pipeline: ingress
  table=0 (ls_in_check_port_sec), priority=100  , match=(vlan.present), action=(drop;)
Datapath:  (872a03d1-696b-42cd-aef5-c90e8a4bfed6)  Pipeline: egress
  table=1 (ls_out_pre_acl     ), priority=0    , match=(1), action=(next;)
)";

Formats formats() { return Formats(ovn_formats()); }

TEST(Lflow, PrintsBack) {
  Formats f = formats();
  for (const char* text : {kWithUuid, kPlain}) {
    const Dump dump = f.dump(text);
    EXPECT_EQ(f.kind(dump), "ovn-sbctl lflow-list");
    const Printed run = f.reprint(dump);
    EXPECT_EQ(run.out, text);
    EXPECT_TRUE(run.report.diagnostics.empty());
    EXPECT_EQ(run.report.lines, run.report.understood);
  }
}

TEST(Lflow, TellsFlowsAndDatapaths) {
  Formats f = formats();
  cluster::Cluster c;
  f.load(f.dump(kWithUuid), c);
  const ovn::Ovn& ovn = c.node("n")->ovn;
  ASSERT_EQ(ovn.logical_flows.size(), 3u);
  const ovn::LogicalFlow& flow = ovn.logical_flows[1];
  EXPECT_EQ(flow.datapath, "GR_n");
  EXPECT_TRUE(flow.ingress);
  EXPECT_EQ(flow.table, 13);
  EXPECT_EQ(flow.stage, "lr_in_ip_routing");
  EXPECT_EQ(flow.priority, 65535);
  EXPECT_EQ(flow.match, "reg7 == 0 && ip4.dst == 10.0.0.0/14");
  EXPECT_EQ(flow.actions, "ip.ttl--; reg0 = 100.64.0.1; next;");
  EXPECT_EQ(flow.uuid_prefix, 1u);
  EXPECT_EQ(flow.from.line, 3u);
  EXPECT_FALSE(ovn.logical_flows[2].ingress);
  ASSERT_EQ(ovn.datapaths.size(), 1u);
  EXPECT_TRUE(ovn.datapaths[0].is_router);
  EXPECT_EQ(ovn.datapaths[0].uuid, "672a03d1-696b-42cd-aef5-c90e8a4bfed6");
}

TEST(Lflow, TheListWithUuidsWinsInAnyOrder) {
  Formats f = formats();
  for (const bool plain_first : {true, false}) {
    cluster::Cluster c;
    f.load(f.dump(plain_first ? kPlain : kWithUuid), c);
    f.load(f.dump(plain_first ? kWithUuid : kPlain), c);
    unsigned of_gr = 0, with_uuid = 0;
    for (const ovn::LogicalFlow& flow : c.node("n")->ovn.logical_flows)
      if (flow.datapath == "GR_n") ++of_gr, with_uuid += flow.uuid_prefix.has_value();
    EXPECT_EQ(of_gr, 3u);
    EXPECT_EQ(with_uuid, 3u);
    EXPECT_EQ(c.node("n")->ovn.logical_flows.size(), 5u);
  }
}

TEST(Lflow, KeepsWhatItDoesNotUnderstand) {
  Formats f = formats();
  std::string text = kWithUuid;
  text.insert(text.find("Datapath: \"GR_n\"", 10), "  table=99(oops\n");
  const Dump dump = f.dump(text);
  cluster::Cluster c;
  const Report report = f.load(dump, c);
  ASSERT_EQ(report.not_understood.size(), 1u);
  EXPECT_EQ(report.not_understood[0].line, 4u);
  EXPECT_EQ(c.node("n")->ovn.logical_flows.size(), 3u);
  EXPECT_EQ(f.reprint(dump).out, text);
}

TEST(Lflow, OpenFlowBelowAFlowIsPassedOver) {
  Formats f = formats();
  const std::string text = std::string(kWithUuid) +
                           "    table=8 priority=50,ip,metadata=0x5 actions=resubmit(,9)\n\nPort Bindings:\n"
                           "  uuid=0x0d1a2b3c, logical_port=a, tunnel_key=1    \n";
  const Report report = f.reprint(f.dump(text)).report;
  EXPECT_TRUE(report.not_understood.empty());
  EXPECT_EQ(report.ignored, 4u);
}

TEST(Lflow, EditedLinesAreUnderstood) {
  const LflowLine line = ovn_text::parse_lflow_line(
      "uuid=0x93f7000bc19e7616196191..., table=13(ls_in_lb), priority=120, match=(ct.new), "
      "action=(ct_lb(backends=10.0.0.1:80);)");
  ASSERT_EQ(line.kind, LflowLine::Kind::flow) << line.problem;
  EXPECT_EQ(line.flow.stage, "ls_in_lb");
  EXPECT_EQ(line.flow.uuid.substr(0, 8), "93f7000b");
}

TEST(Lflow, Conformance) {
  const std::filesystem::path root = EGTRACE_SOURCE_DIR "/../shared/conformance";
  if (!std::filesystem::is_directory(root)) GTEST_SKIP() << "no conformance vectors beside the project";
  unsigned all = 0, right = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    std::ifstream in(entry.path() / "ovn-lflow-line.json");
    if (!in) continue;
    const nlohmann::json document = nlohmann::json::parse(in);
    for (const auto& v : document["vectors"]) {
      const std::string text = v["given"]["line"];
      const LflowLine line = ovn_text::parse_lflow_line(text);
      const auto& want = v["expect"];
      const bool same = line.kind == LflowLine::Kind::flow && line.flow.stage == want["stage"].get<std::string>() &&
                        line.flow.priority == want["priority"].get<int>() &&
                        line.flow.match == want["match"].get<std::string>() &&
                        line.flow.actions == want["action"].get<std::string>();
      ++all;
      right += same;
      EXPECT_TRUE(same) << text;
    }
  }
  std::cout << right << " of " << all << " lines\n";
}

TEST(Lflow, SurvivesCutAndGarbledInput) {
  Formats f = formats();
  f.torment(kWithUuid, "ovn-sbctl --uuid lflow-list");
}

}  // namespace
}  // namespace egt::parsers
