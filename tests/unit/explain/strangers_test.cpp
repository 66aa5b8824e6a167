// Packets that are sent to a node that the snapshot does not show, or that somebody on another link would have to answer for.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/sample.h"

namespace {

class Strangers : public ::testing::Test {
 protected:
  nlohmann::json explained() const {
    return nlohmann::json::parse(
        egt::testing::run({EGTRACE_BINARY, "explain", sample_.path(), "--from", "demo-egress/requester-3a", "--to",
                           "192.168.55.13:80", "--no-conntrack", "--format", "json"})
            .out);
  }

  egt::testing::Sample sample_;
};

// The server is on the router's own network, and a route sends its packets to somebody else there.
TEST_F(Strangers, NextHopInTheNetworkOfTheServer) {
  sample_.append("router/ip_route_show_table_all", "192.168.55.13 via 192.168.55.250 dev enp7s0\n");
  sample_.append("router/ip_neigh", "192.168.55.250 dev enp7s0 lladdr 02:00:5e:00:53:02 PERMANENT\n");
  const nlohmann::json e = explained();
  EXPECT_EQ("undecided", e["outcome"]) << e["summary"];
  EXPECT_EQ("next-hop-not-dumped", e["paths"][0]["stopped_at"]["reason"]) << e["paths"][0]["stopped_at"];
}

// With a netmask that is too short the server asks for the nodes on its own link, where the router alone is.
TEST_F(Strangers, SilentNeighbourIsOnAnotherLink) {
  sample_.replace("server/ip_-d_addr", "192.168.55.13/24", "192.168.55.13/16");
  sample_.append("server/ip_route_show_table_all", "192.168.0.0/16 dev enp1s0 proto kernel scope link src 192.168.55.13\n");
  sample_.append("server/ip_neigh", "192.168.66.100 dev enp1s0 FAILED\n");
  const nlohmann::json e = explained();
  EXPECT_EQ("unanswered", e["outcome"]) << e["summary"];
  EXPECT_EQ("reply", e["fault"]["direction"]) << e["fault"];
}

}  // namespace
