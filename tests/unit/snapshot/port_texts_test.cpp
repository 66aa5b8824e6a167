// Whether a switch's listing names a port (snapshot/port_texts.h), in the forms of ovs-vsctl(8) and of its database.
#include "snapshot/port_texts.h"

#include <gtest/gtest.h>

namespace egt::parsers {
namespace {

constexpr std::string_view kDatabase =
    R"({"Interface":{"0a":{"external_ids":["map",[["iface-id","shop_cart-1"],["ip_addresses","10.133.0.9/23"]]]},)"
    R"("0b":{"external_ids":["map",[["ovn-chassis-id","cfffe65b-704c-53f4-b5dd-4d3ca891077c@172.30.0.48"]]],"options":["map",[["csum","true"],["key","flow"],["remote_ip","172.30.0.48"]]],"type":"geneve"}}})";
constexpr std::string_view kList =
    "external_ids : {iface-id=shop_cart-1, iface-id-ver=\"7\", ip_addresses=\"10.133.0.9/23\"}\n"
    "options      : {csum=\"true\", key=flow, remote_ip=\"172.30.0.48\"}\n";
constexpr std::string_view kShow =
    "Port ovn-1\n  Interface ovn-1\n    type: geneve\n    options: {key=flow, remote_ip=\"172.30.0.48\"}\n";

TEST(PortTexts, NamesAndAddressesOfPorts) {
  for (const std::string_view text : {kDatabase, kList}) {
    EXPECT_TRUE(names_port(text, "shop_cart-1")) << text;
    EXPECT_TRUE(names_port(text, "10.133.0.9")) << text;
    EXPECT_FALSE(names_port(text, "10.133.0.90")) << text;
    EXPECT_FALSE(names_port(text, "shop_cart")) << text;
  }
  EXPECT_FALSE(lists_pods_without_address(kDatabase));
  EXPECT_FALSE(lists_pods_without_address(kList));
  EXPECT_TRUE(lists_pods_without_address("external_ids : {iface-id=shop_cart-1}\n"));
}

TEST(PortTexts, RemoteEndsOfTunnelsAreNoPorts) {
  for (const std::string_view text : {kDatabase, kList, kShow}) EXPECT_FALSE(names_port(text, "172.30.0.48")) << text;
  EXPECT_TRUE(names_port(std::string(kShow) + "ip_addresses=\"172.30.0.48\"", "172.30.0.48"));
  EXPECT_TRUE(names_port(kShow, "ovn-1"));
  EXPECT_EQ(pieces_about_ports("remote_ip"), (std::vector<std::string_view>{"", ""}));
}

}  // namespace
}  // namespace egt::parsers
