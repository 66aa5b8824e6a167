// Random connections through OpenFlow flows and through the logical flows that these realise: the same stages, where
// ovn-controller kept up. EGTRACE_PAIRS=N asks for N of them, EGTRACE_SEED begins elsewhere, EGTRACE_SNAPSHOTS=A:B takes other
// snapshots than the lab's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/explain/cross_check.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/parsers/snapshot.h"

namespace egt {
namespace {

constexpr std::size_t kPairs = 60;

std::size_t setting(const char* name, std::size_t otherwise) {
  const char* text = std::getenv(name);
  const auto value = text != nullptr ? parse_decimal(text) : std::nullopt;
  return value ? static_cast<std::size_t>(*value) : otherwise;
}

std::vector<std::string> snapshots() {
  std::vector<std::string> all;
  if (const char* given = std::getenv("EGTRACE_SNAPSHOTS"))
    for (const std::string_view path : split(given, ':')) all.emplace_back(path);
  if (!all.empty()) return all;
  for (const char* name : {"plain", "metallb-local", "egressservice"})
    all.push_back(std::string(EGTRACE_SOURCE_DIR) + "/tests/lab/" + name + ".tar.xz");
  return all;
}

// Where connections begin and end: pods; and addresses of pods, nodes, services and nodes outside.
struct Ends {
  std::vector<std::string> from, to;
};

std::string with_port(const IpAddr& a, std::uint16_t port) {
  return a.is_v4() ? a.to_string() + ":" + std::to_string(port) : "[" + a.to_string() + "]:" + std::to_string(port);
}

Ends ends_of(const cluster::Cluster& cluster) {
  Ends ends;
  for (const cluster::Pod& pod : cluster.objects.pods) {
    if (pod.host_network || pod.addresses.empty() || cluster.node(pod.node) == nullptr) continue;
    ends.from.push_back(pod.full_name());
    for (const Prefix& p : pod.addresses) ends.to.push_back(with_port(p.address, 8080));
  }
  for (const cluster::Service& service : cluster.objects.services)
    for (const cluster::ServicePort& port : service.ports)
      for (const IpAddr& a : service.cluster_ips)
        if (!a.is_unspecified()) ends.to.push_back(with_port(a, port.port));
  for (const auto& node : cluster.nodes)
    for (const host::Link& link : node->host.links.value)
      for (const host::Address& a : link.addresses)
        if (!a.prefix.address.is_loopback() && !a.prefix.address.is_link_local())
          ends.to.push_back(with_port(a.prefix.address, 80));
  return ends;
}

std::string compare(const explain::Explainer& explainer, const std::string& from, const std::string& to, const char* protocol) {
  explain::Question q;
  q.from = *explain::parse_point(from);
  q.to = *explain::parse_point(to);
  q.dport = q.to.port;
  q.proto = protocol;
  q.registers = false;
  const auto realised = explainer.explain(q);
  q.as_intended = true;
  const auto intended = explainer.explain(q);
  if (!realised || !intended) return {};  // no address of the family
  const explain::CrossCheck check = cross_check(*realised, *intended);
  if (check.differences.empty()) return {};
  const explain::StageDifference& first = check.differences.front();
  const auto words = [](const auto& flow) {
    return flow ? flow->datapath + " " + flow->stage + " " + flow->match + " => " + flow->actions : "nothing";
  };
  return from + " to " + to + " " + protocol + " on " + first.node + ": " + words(first.realised) + " | " + words(first.intended);
}

TEST(Pairs, OpenFlowAndLogicalFlowsAgreeStageByStage) {
  const std::size_t pairs = setting("EGTRACE_PAIRS", kPairs);
  std::mt19937_64 random(setting("EGTRACE_SEED", 7));
  const std::vector<std::string> all = snapshots();
  std::size_t differ = 0;
  for (const std::string& path : all) {
    parsers::SnapshotRequest request;
    request.path = path;
    request.presume = request.as_intended = true;
    const auto snapshot = parsers::open_snapshot(request);
    ASSERT_TRUE(snapshot) << path;
    const explain::Explainer explainer(snapshot->cluster, &snapshot->collection);
    const Ends ends = ends_of(snapshot->cluster);
    ASSERT_FALSE(ends.from.empty()) << path;
    for (std::size_t i = 0; i < pairs / all.size(); ++i) {
      const std::string& from = ends.from[random() % ends.from.size()];
      const std::string& to = ends.to[random() % ends.to.size()];
      const std::string difference = compare(explainer, from, to, random() % 4 == 0 ? "udp" : "tcp");
      EXPECT_EQ(difference, "") << path;
      differ += difference.empty() ? 0 : 1;
    }
  }
  RecordProperty("differ", static_cast<int>(differ));
}

}  // namespace
}  // namespace egt
