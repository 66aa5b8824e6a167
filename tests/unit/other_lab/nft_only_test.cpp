// Nodes whose rules are all of nft, as OVN-Kubernetes writes them since August 2026: services, egress IPs and what names them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/run.h"

namespace egt::testing {
namespace {

using nlohmann::json;

std::string nft_lab(const std::string& name) { return std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz"; }

json printed(const std::vector<std::string>& args) {
  std::vector<std::string> all = {EGTRACE_BINARY};
  all.insert(all.end(), args.begin(), args.end());
  for (const char* more : {"--format", "json"}) all.emplace_back(more);
  return json::parse(run(all).out);
}

json findings_of(const std::string& snapshot) { return printed({"triage", snapshot}).at("findings"); }

json finding_of(const std::string& snapshot, const std::string& id) {
  for (const json& f : findings_of(snapshot))
    if (f.at("id") == id) return f;
  return json::object({{"claim", ""}, {"remedy", ""}});
}

bool has(const json& text, const std::string& part) { return text.get<std::string>().find(part) != std::string::npos; }

// The snapshot unpacked, with the kernel's datapath in place of the lab's.
std::string with_kernel_datapath(const TemporaryDirectory& place, const std::string& name) {
  EXPECT_EQ(run({"tar", "-C", place.path(), "-xf", nft_lab(name)}).status, 0);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(place.path())) {
    if (!entry.is_regular_file()) continue;
    std::string text = read_file(entry.path().string());
    bool changed = false;
    for (std::size_t at = text.find("netdev"); at != std::string::npos; at = text.find("netdev", at)) {
      text.replace(at, 6, "system");
      changed = true;
    }
    if (changed) write_file(entry.path().string(), text);
  }
  return place.path() + "/" + name;
}

TEST(NftOnly, NothingIsWrongWhereNothingIs) {
  for (const char* name : {"nft-egressip-secondary", "nft-services-cluster", "nft-services-local", "nft-services-no-nodeport",
                           "nft-services-internal-local"})
    EXPECT_EQ(findings_of(nft_lab(name)), json::array()) << name;
}

TEST(NftOnly, TheMapThatLacksAPodIsNamed) {
  const json f = finding_of(nft_lab("nft-egressip-snat-missing"), "egressip-snat-missing");
  EXPECT_TRUE(has(f.at("claim"), "no rule translates pod mill/saw-r (10.148.2.11) to it, only pods")) << f;
  EXPECT_TRUE(has(f.at("claim"), "it leaves as itself")) << f;
  EXPECT_TRUE(has(f.at("remedy"), "nft list map inet ovn-kubernetes egress-ip-snat-v4 on rowan")) << f;
}

TEST(NftOnly, MarkedPacketsThatAreNotTranslatedAreDropped) {
  const TemporaryDirectory place;
  const std::string snapshot = with_kernel_datapath(place, "nft-egressip-snat-missing");
  const json e = printed({"explain", snapshot, "--from", "mill/saw-r", "--to", "203.0.113.40:80"});
  EXPECT_EQ(e.at("outcome"), "unanswered");
  EXPECT_TRUE(has(e.at("summary"), "egress-ip-sec-filter")) << e.at("summary");
  EXPECT_TRUE(has(finding_of(snapshot, "egressip-snat-missing").at("claim"), "chain egress-ip-sec-filter drops what it sends"));
}

// A chain of type nat runs before those that filter at the same priority, as the kernel does it.
TEST(NftOnly, MasqueradingComesBeforeTheFilter) {
  const TemporaryDirectory place;
  const std::string snapshot = with_kernel_datapath(place, "nft-egressip-snat-missing");
  const std::string dump = snapshot + "/rowan/nft_list_ruleset";
  std::string text = read_file(dump);
  text.insert(text.rfind('}'),
              "\tchain ovn-kube-local-gw-masq {\n\t\ttype nat hook postrouting priority 101; policy accept;\n"
              "\t\tip saddr 10.148.2.0/24 masquerade\n\t}\n");
  write_file(dump, text);
  const json e = printed({"explain", snapshot, "--from", "mill/saw-r", "--to", "203.0.113.40:80"});
  EXPECT_EQ(e.at("outcome"), "answered");
  EXPECT_EQ(e.at("paths")[0].at("source_seen").at("ip"), "10.62.21.12");
  EXPECT_TRUE(has(finding_of(snapshot, "egressip-snat-missing").at("claim"), "another rule gives packets another address"));
}

TEST(NftOnly, AMapWithoutTheServiceIsNamed) {
  const json f = finding_of(nft_lab("nft-service-missing-on-node"), "service-dnat-missing");
  EXPECT_TRUE(has(f.at("claim"), "larch does not translate 10.62.200.6 port 8080 of service mill/saw-lb, as ")) << f;
  EXPECT_TRUE(has(f.at("claim"), " does in map external-ips-v4 of nft")) << f;
  EXPECT_TRUE(has(f.at("remedy"), "nft list map inet ovn-kubernetes external-ips-v4 on larch")) << f;
}

TEST(NftOnly, BothGenerationsAreAFinding) {
  const std::string snapshot = nft_lab("nft-upgrade-half-done");
  int found = 0;
  for (const json& f : findings_of(snapshot)) found += f.at("id") == "translated-twice";
  EXPECT_EQ(found, 1);
  EXPECT_TRUE(has(finding_of(snapshot, "translated-twice").at("claim"), "OVN-KUBE-EXTERNALIP"))
      << finding_of(snapshot, "translated-twice");
  // What the wire showed is among the paths; no dump shows which chain was registered first.
  const json e = printed({"explain", snapshot, "--from", "host:server", "--to", "10.62.20.11:31406"});
  EXPECT_EQ(e.at("outcome"), "undecided");
  bool unanswered = false;
  for (const json& path : e.at("paths")) unanswered |= path.at("outcome") == "unanswered";
  EXPECT_TRUE(unanswered);
}

TEST(NftOnly, ElementsOfMapsAreCompared) {
  const TemporaryDirectory before, after;
  for (const auto* place : {&before, &after})
    EXPECT_EQ(run({"tar", "-C", place->path(), "-xf", nft_lab("nft-services-cluster")}).status, 0);
  const std::string dump = after.path() + "/nft-services-cluster/larch/nft_list_ruleset";
  std::string text = read_file(dump);
  const std::string element = "10.62.200.6 . tcp . 8080 : 10.149.40.6 . 8080";
  ASSERT_NE(text.find(element), std::string::npos);
  text.replace(text.find(element), element.size(), "10.62.200.6 . tcp . 8080 : 10.149.40.9 . 8080");
  write_file(dump, text);
  const Ran ran = run({EGTRACE_BINARY, "diff", before.path() + "/nft-services-cluster", after.path() + "/nft-services-cluster",
                       "--only", "rules"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("nft inet ovn-kubernetes external-ips-v4"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("- " + element), std::string::npos) << ran.out;
}

TEST(NftOnly, NamesAreDecoded) {
  const Ran ran = run({EGTRACE_BINARY, "decode", "services-etp-no-nodeport", "egress-ip-snat-v6", "ovn_notrack", "OVN-KUBE-ETP"});
  for (const char* part : {"nft chain: services with externalTrafficPolicy Local and without NodePorts",
                           "nft map: pod and outgoing device to egress IP, IPv6", "nft table: of OpenShift's network operator",
                           "iptables chain: externalTrafficPolicy Local"})
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << "\n" << ran.out;
}

}  // namespace
}  // namespace egt::testing
