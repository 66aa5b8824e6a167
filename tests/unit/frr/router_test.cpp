// A router of a real lab whose kernel was not asked: what FRR prints must lead to the same path, or be called
// assumed. Runs over scenarios of ../shared/corpus where that is at hand; EGTRACE_CASES=N for more of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/explain/explainer.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt {
namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(EGTRACE_SOURCE_DIR) / "../shared/corpus";

// What the path of a packet outside needs: more would only be read.
bool is_needed(const std::string& name) {
  static const std::set<std::string> kNames = {
      "hostname", "ip_a", "ip_-d_link", "ip_neigh", "ip_-4_rule_list", "ip_route_show_table_all", "sysctl"};
  return kNames.contains(name) || name.starts_with("vtysh");
}

bool is_kernel_route_dump(const std::string& name) { return name.starts_with("ip_") && name.find("route") != std::string::npos; }

// Router and server alone, so that it is quick; of the router's dumps those of FRR that are named.
cluster::Cluster nodes(const fs::path& scenario, const std::vector<std::string>& frr, bool kernel) {
  const egt::testing::TemporaryDirectory folder;
  for (const char* node : {"router", "server"}) {
    fs::create_directory(fs::path(folder.path()) / node);
    for (const auto& entry : fs::directory_iterator(scenario / node)) {
      const std::string name = entry.path().filename().string();
      const bool router = std::string(node) == "router";
      if (!is_needed(name)) continue;
      if (router && !kernel && is_kernel_route_dump(name)) continue;
      if (router && name.starts_with("vtysh") && std::find(frr.begin(), frr.end(), name) == frr.end()) continue;
      fs::copy_file(entry.path(), fs::path(folder.path()) / node / name);
    }
  }
  auto cluster = parsers::read_snapshot({folder.path(), {}, 1, nullptr});
  return cluster ? std::move(*cluster) : cluster::Cluster{};
}

struct Answer {
  std::set<std::string> paths;
  std::string confidence;
};

Answer ask(const cluster::Cluster& cluster, const IpAddr& from, const IpAddr& to) {
  explain::Question q;
  q.from.kind = q.to.kind = explain::Point::Kind::ip;
  q.from.ip = from;
  q.to.ip = to;
  const auto e = explain::explain(cluster, q);
  Answer answer;
  if (!e) return answer;
  answer.confidence = explain::name_of(e->confidence);
  for (const explain::PathReport& path : e->paths) {
    std::string walked(explain::name_of(path.verdict));
    for (const explain::SightingReport& s : path.sightings) walked += " " + s.node + "/" + s.device + ">" + s.dmac;
    answer.paths.insert(walked);
  }
  return answer;
}

const host::Route* from_a_protocol(const cluster::Cluster& cluster) {
  for (const host::Route& r : cluster.node("router")->host.routes_v4.value)
    if (r.protocol == "bgp" || r.protocol == "static") return &r;
  return nullptr;
}

std::vector<fs::path> scenarios_with_routes() {
  std::vector<fs::path> all;
  std::error_code none;
  for (const auto& lab : fs::directory_iterator(kCorpus, none))
    for (const auto& scenario : fs::directory_iterator(lab.path(), none))
      if (fs::exists(scenario.path() / "router/vtysh_-c_show_ip_route") && fs::exists(scenario.path() / "server"))
        all.push_back(scenario.path());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(FrrRouter, LeadsWhereTheKernelLeads) {
  const char* wanted = std::getenv("EGTRACE_CASES");
  const std::size_t most = wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 3;
  std::size_t asked = 0;
  std::set<std::pair<std::string, std::size_t>> kinds;  // protocol and number of next hops: one of each will do
  for (const fs::path& scenario : scenarios_with_routes()) {
    const cluster::Cluster full = nodes(scenario, {}, true);
    const host::Route* shown = from_a_protocol(full);
    const host::Link* leg = nullptr;
    for (const host::Link& link : full.node("server")->host.links.value)
      if (!link.addresses.empty() && link.link_type != "loopback") leg = &link;
    if (shown == nullptr || leg == nullptr || asked == most) continue;
    if (!kinds.emplace(shown->protocol, shown->next_hops.size()).second && wanted == nullptr) continue;
    ++asked;
    const IpAddr from = leg->addresses.front().prefix.address;
    const Answer kernel = ask(full, from, shown->to.address);
    const std::string show = "vtysh_-c_show_";
    for (const std::vector<std::string>& names : std::vector<std::vector<std::string>>{
             {"ip_route"}, {"ip_route_json"}, {"ip_bgp", "running-config"}, {"ip_bgp_json", "running-config"}, {"ip_bgp"}}) {
      std::vector<std::string> files;
      for (const std::string& name : names) files.push_back(show + name);
      const Answer answer = ask(nodes(scenario, files, false), from, shown->to.address);
      EXPECT_NE("proven", answer.confidence) << scenario << " " << names.front();
      // A static route that no dump shows may beat BGP's.
      if (names != std::vector<std::string>{"ip_bgp"}) {
        EXPECT_EQ(kernel.paths, answer.paths) << scenario << " " << names.front();
      }
    }
  }
  if (asked == 0) GTEST_SKIP() << "no scenarios with a router's routes below " << kCorpus;
}

}  // namespace
}  // namespace egt
