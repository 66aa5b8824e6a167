// Primary user-defined networks without tunnels of OVN: no-overlay as real nodes were seen to forward it, EVPN as far as databases have it. Their
// rows are those that layer2_ and layer3_user_defined_network_controller_test.go of OVN-Kubernetes expect (tests/lab/live/networks.py).
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string transport_lab(const std::string& name) { return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz"; }

json of_transport(std::vector<std::string> args) {
  args.insert(args.begin(), EGTRACE_BINARY);
  for (const char* more : {"--format", "json"}) args.emplace_back(more);
  return json::parse(run(args).out);
}

json walked_by(const std::string& name, const std::string& from, const std::string& to) {
  return of_transport({"explain", transport_lab(name), "--from", from, "--to", to});
}

std::string reason_of(const json& e) {
  const json& path = e.at("paths")[0];
  return path.contains("stopped_at") ? path.at("stopped_at").value("reason", "") : "";
}

json triage_of(const std::string& name) { return of_transport({"triage", transport_lab(name)}).at("findings"); }

TEST(NoOverlay, IsRoutedFromNodeToNode) {
  const json e = walked_by("udn-no-overlay", "pigment/brush-g", "pigment/brush-s:8080");
  EXPECT_EQ(e.at("packet").at("src"), "10.35.1.5");
  EXPECT_EQ(e.at("outcome"), "answered") << e.at("summary");
  EXPECT_EQ(e.at("confidence"), "proven") << e.at("assumptions").dump(1);
  EXPECT_EQ(e.at("paths")[0].at("source_seen").at("ip"), "10.35.1.5");
  EXPECT_EQ(triage_of("udn-no-overlay"), json::array()) << triage_of("udn-no-overlay").dump(1);
}

TEST(NoOverlay, IsLostWithoutTheRoute) {
  const json e = walked_by("udn-no-overlay-route-missing", "pigment/brush-g", "pigment/brush-s:8080");
  EXPECT_EQ(e.at("outcome"), "unanswered") << e.at("summary");
}

// The router of OVN sees the SYN of such a connection in no zone that translates: the SYN-ACK passes as it is, and what follows it becomes the
// masquerade address's. On the wire the handshake was done and the client waited in vain.
TEST(NoOverlay, WhatFollowsAHandshakeIsNoProof) {
  const json e = walked_by("udn-no-overlay", "press/press-g", "10.35.2.5:8080");
  EXPECT_NE(e.at("confidence"), "proven") << e.at("summary");
  EXPECT_NE(e.at("assumptions").dump().find("what follows the handshake does not become 169.254.0.16's"), std::string::npos)
      << e.at("assumptions").dump(1);
}

TEST(NoOverlay, OfDatabasesAloneIsLeftToTheHost) {
  const json e = walked_by("databases-no-overlay", "pigment/brush-g", "pigment/brush-s:8080");
  EXPECT_EQ(e.at("packet").at("dst"), "10.35.2.5");
  EXPECT_EQ(reason_of(e), "network-host-unknown") << e.at("summary");
  EXPECT_NE(e.at("summary").get<std::string>().find("whose transport is no-overlay"), std::string::npos) << e.at("summary");
  EXPECT_EQ(walked_by("databases-no-overlay", "pigment/brush-g", "pigment/knife-g:8080").at("outcome"), "answered");
  EXPECT_EQ(triage_of("databases-no-overlay"), json::array());
}

TEST(EvpnDatabases, OfLayer2LeaveOtherNodesToTheHostsBridge) {
  const json e = walked_by("databases-evpn", "glaze/tile-g", "glaze/tile-s:8080");
  EXPECT_EQ(e.at("packet").at("src"), "10.45.0.5");
  EXPECT_EQ(e.at("outcome"), "undecided");
  EXPECT_EQ(reason_of(e), "evpn-not-followed") << e.at("summary");
  for (const char* command : {"bridge fdb show", "bridge vlan tunnelshow", "bridge vni show"})
    EXPECT_NE(e.at("gaps").dump().find(command), std::string::npos) << e.at("gaps");
  EXPECT_EQ(walked_by("databases-evpn", "glaze/tile-g", "glaze/bowl-g:8080").at("outcome"), "answered");
}

TEST(EvpnDatabases, OfLayer3LeaveOtherNodesToTheHostsRoutes) {
  for (const char* to : {"enamel/bead-s:8080", "192.0.2.44:80"}) {
    const json e = walked_by("databases-evpn", "enamel/bead-a", to);
    EXPECT_EQ(e.at("packet").at("src"), "10.46.1.5");
    EXPECT_EQ(reason_of(e), "network-host-unknown") << e.at("summary");
    EXPECT_NE(e.at("summary").get<std::string>().find("whose transport is EVPN"), std::string::npos) << e.at("summary");
    EXPECT_NE(e.at("gaps").dump().find("ip -d addr"), std::string::npos) << e.at("gaps");
  }
  EXPECT_EQ(triage_of("databases-evpn"), json::array());
}

// The names of all switches, routers and ports but those that are a node's own name.
std::set<std::string> names_in(const std::string& database, const std::set<std::string>& nodes) {
  std::set<std::string> names;
  std::istringstream lines(read_file(database));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;
    const json transaction = json::parse(line);
    for (const char* table : {"Logical_Switch", "Logical_Router", "Logical_Switch_Port", "Logical_Router_Port"})
      for (const json& row : transaction.value(table, json::object()))
        if (row.is_object() && row.contains("name") && !nodes.contains(row.at("name"))) names.insert(row.at("name"));
  }
  return names;
}

TEST(Transports, NamesAreDecoded) {
  const std::pair<std::string, std::set<std::string>> labs[] = {{"databases-evpn", {"azure", "smalt"}},
                                                                {"databases-no-overlay", {"rouge", "sienna"}}};
  for (const auto& [lab, nodes] : labs) {
    const TemporaryDirectory folder;
    ASSERT_EQ(run({"tar", "-C", folder.path(), "-xf", transport_lab(lab)}).status, 0);
    std::vector<std::string> call{EGTRACE_BINARY, "decode"};
    for (const std::string& node : nodes)
      for (const std::string& name : names_in(folder.path() + "/" + lab + "/" + node + "/ovnnb_db.db", nodes))
        call.push_back(name);
    EXPECT_GT(call.size(), 40U);
    const Ran ran = run(call);
    EXPECT_EQ(ran.out.find("nothing is known"), std::string::npos) << ran.out;
  }
}

}  // namespace
}  // namespace egt::testing
