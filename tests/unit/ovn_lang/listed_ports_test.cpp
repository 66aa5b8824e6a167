// Where lflow-list alone is there, ports are those that its flows name.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "egtrace/ovn/southbound.h"
#include "egtrace/parsers/ovn_reader.h"
#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

constexpr const char* kFlows = R"(Datapath: "w1" (73843fdf-04fd-4de8-9884-a22b6eb4106d)  Pipeline: ingress
  table=0 (ls_in_check_port_sec), priority=50   , match=(1), action=(next;)
  table=9 (ls_in_pre_acl      ), priority=110  , match=(ip && inport == {"stor-w1", "shop_cart"}), action=(next;)
  table=27(ls_in_l2_lkup      ), priority=50   , match=(eth.dst == 0a:58:0a:86:00:01), action=(outport = "stor-w1"; output;)
  table=27(ls_in_l2_lkup      ), priority=50   , match=(eth.dst == 0a:58:0a:86:00:0a), action=(outport = "shop_cart"; output;)
  table=27(ls_in_l2_lkup      ), priority=70   , match=(eth.mcast), action=(outport = "_MC_flood"; output;)
Datapath: "router" (595cb06f-c12b-4b82-80cc-dba9013378f4)  Pipeline: ingress
  table=0 (lr_in_admission    ), priority=50   , match=(eth.dst == 0a:58:0a:86:00:01 && inport == "rtos-w1" && is_chassis_resident("cr-rtos-w1")), action=(next;)
)";

TEST(ListedPorts, AreThoseThatFlowsName) {
  Formats formats(ovn_formats());
  cluster::Cluster cluster;
  formats.load(formats.dump(kFlows, "ovn-sbctl lflow-list"), cluster);
  std::vector<std::string> lacks;
  const auto southbound = ovn_lang::complete_southbound(cluster.node("n")->ovn, lacks, nullptr);
  std::string all;
  for (const ovn::sb::PortBinding& p : southbound->ports) {
    const auto peer = p.options.find("peer");
    all += p.logical_port + (peer == p.options.end() ? "" : " to " + peer->second) + "; ";
  }
  EXPECT_EQ(all, "rtos-w1 to stor-w1; shop_cart; stor-w1 to rtos-w1; cr-rtos-w1; ");
  EXPECT_FALSE(lacks.empty());  // what it lacks is said
}

const ovn::sb::DatapathBinding& datapath_named(const ovn::Southbound& southbound, const std::string& name) {
  for (const ovn::sb::DatapathBinding& d : southbound.datapaths)
    if (const auto found = d.external_ids.find("name"); found != d.external_ids.end() && found->second == name) return d;
  throw std::out_of_range(name);
}

// Keys are those that northbound rows request, or that the names of port groups begin with; others are marked as made up, and differ.
TEST(ListedPorts, HaveKeysThatRowsShow) {
  Formats formats(ovn_formats());
  cluster::Cluster cluster;
  formats.load(formats.dump(kFlows, "ovn-sbctl lflow-list"), cluster);
  ovn::Ovn known = cluster.node("n")->ovn;
  for (const auto& [name, datapath] :
       {std::pair("shop_cart", "w1"), std::pair("tstor-w1", "transit_switch"), std::pair("rtos-w1", "router")}) {
    ovn::LogicalPort port;
    port.name = name;
    port.datapath = datapath;
    known.ports.push_back(std::move(port));
  }
  known.rows.add({"Port_Group", "SB", "", {{"name", "\"3_a124\""}, {"ports", "[shop_cart]"}}, {}});
  known.rows.add(
      {"Logical_Switch", "NB", "", {{"name", "transit_switch"}, {"other_config", "{requested-tnl-key=\"16711683\"}"}}, {}});
  std::vector<std::string> lacks;
  const auto southbound = ovn_lang::complete_southbound(known, lacks, nullptr);
  EXPECT_EQ(datapath_named(*southbound, "w1").tunnel_key, 3U);
  EXPECT_FALSE(datapath_named(*southbound, "w1").made_up_key);
  EXPECT_EQ(datapath_named(*southbound, "transit_switch").tunnel_key, 16711683U);
  EXPECT_TRUE(datapath_named(*southbound, "router").made_up_key);
  EXPECT_NE(datapath_named(*southbound, "router").tunnel_key, 0U);
}

}  // namespace
}  // namespace egt::parsers
