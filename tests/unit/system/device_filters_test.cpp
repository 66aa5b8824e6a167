#include <gtest/gtest.h>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

using Hook = host::DeviceFilter::Hook;

constexpr const char* kQdiscs =
    "qdisc noqueue 0: dev lo root refcnt 2 \n"
    "qdisc fq_codel 0: dev ens3 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb "
    "ecn drop_batch 64 \n"
    " Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n"
    "qdisc clsact ffff: dev ens3 parent ffff:fff1 \n";

// iproute2 does not print the device that was asked for.
constexpr const char* kFilters =
    "filter protocol all pref 49152 bpf chain 0 \n"
    "filter protocol all pref 49152 bpf chain 0 handle 0x1 cil_from_netdev direct-action not_in_hw id 42 name cil_from_netdev "
    "tag 0123456789abcdef \n"
    "\taction order 1: gact action drop\n";

constexpr const char* kPrograms =
    "xdp:\n"
    "ens3(2) driver id 12\n"
    "\n"
    "tc:\n"
    "ens3(2) clsact/ingress cil_from_netdev id 42\n"
    "ens3(2) tcx/egress cil_to_netdev prog_id 43 \n"
    "\n"
    "flow_dissector:\n"
    "\n"
    "netfilter:\n";

const std::vector<host::DeviceFilter>& load(Formats& f, const Dump& dump, cluster::Cluster& cluster) {
  EXPECT_TRUE(f.load(dump, cluster).not_understood.empty());
  return cluster.ensure_node("n").host.device_filters;
}

TEST(DeviceFilters, OfQdiscs) {
  Formats f(system_formats());
  const Dump dump = f.dump(kQdiscs, "tc -s qdisc show");
  EXPECT_EQ(f.kind(dump), "tc qdisc show");
  EXPECT_EQ(f.kind(f.dump(kQdiscs)), "tc qdisc show");
  EXPECT_EQ(f.reprint(dump).out, kQdiscs);
  cluster::Cluster cluster;
  const auto& all = load(f, dump, cluster);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].device, "ens3");
  EXPECT_TRUE(all[0].has_room_only());
  EXPECT_EQ(all[0].from.line, 4u);
  f.torment(kQdiscs, "tc qdisc show");
}

TEST(DeviceFilters, OfTheDeviceThatTheCommandNames) {
  Formats f(system_formats());
  const Dump dump = f.dump(kFilters, "tc_filter_show_dev_ens3_ingress");
  EXPECT_EQ(f.kind(dump), "tc filter show");
  cluster::Cluster cluster;
  const auto& all = load(f, dump, cluster);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].device, "ens3");
  EXPECT_EQ(all[1].hook, Hook::ingress);
  EXPECT_EQ(all[1].kind, "bpf");
  EXPECT_EQ(f.reprint(dump).out, kFilters);
  f.torment(kFilters, "tc filter show dev ens3 ingress");
}

TEST(DeviceFilters, AnEmptyListingShowsThatThereAreNone) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  const auto& all = load(f, f.dump("\n", "tc filter show dev ens3 egress"), cluster);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, "");
  EXPECT_EQ(all[0].hook, Hook::egress);
}

TEST(DeviceFilters, OfBpftool) {
  Formats f(system_formats());
  const Dump dump = f.dump(kPrograms, "bpftool net");
  EXPECT_EQ(f.kind(dump), "bpftool net");
  EXPECT_EQ(f.kind(f.dump(kPrograms)), "bpftool net");
  cluster::Cluster cluster;
  const auto& all = load(f, dump, cluster);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, "xdp");
  EXPECT_EQ(all[0].hook, Hook::ingress);
  EXPECT_EQ(all[2].hook, Hook::egress);
  f.torment(kPrograms, "bpftool net");
}

}  // namespace
}  // namespace egt::parsers
