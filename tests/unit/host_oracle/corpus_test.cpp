// Captures of real hosts: whatever went into a host's stack and came out again must be what HostEngine makes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "egtrace/engine/host.h"
#include "egtrace/explain/phrases.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kCorpus = EGTRACE_SOURCE_DIR "/../shared/corpus";

// The next hop is what the capture shows; whether the right one was asked for is shown by the device and the addresses.
class SeenNeighbour : public engine::NeighbourOracle {
 public:
  std::optional<Answer> resolve(const cluster::Node&, std::string_view, const IpAddr&,
                                const std::optional<IpAddr>&) const override {
    return Answer{mac};
  }
  MacAddr mac;
};

// Takes the option of that number wherever there are several.
class FixedChooser : public engine::Chooser {
 public:
  explicit FixedChooser(std::size_t option) : option_(option) {}
  std::size_t choose(const engine::ChoicePoint& point) override {
    most = std::max(most, point.options.size());
    return std::min(option_, point.options.size() - 1);
  }
  std::size_t most = 1;

 private:
  std::size_t option_;
};

// What a host's stack needs, and the ports that show which devices are below a switch.
parsers::SnapshotRequest host_dumps(const fs::path& scenario) {
  parsers::SnapshotRequest request;
  request.jobs = 1;
  for (const auto& node : fs::directory_iterator(scenario)) {
    if (!node.is_directory() || !(fs::exists(node.path() / "ip_rule") || fs::exists(node.path() / "ip_rule.gz"))) continue;
    for (const auto& file : fs::directory_iterator(node.path())) {
      const std::string name = file.path().filename().string();
      for (const char* prefix : {"ip", "nft_list", "sysctl", "ovs-vsctl"})
        if (name.starts_with(prefix)) request.dumps.push_back(node.path().filename().string() + ":" + file.path().string());
    }
  }
  std::sort(request.dumps.begin(), request.dumps.end());
  return request;
}

std::uint32_t tcp_flags(const std::string& letters) {
  static constexpr std::pair<char, std::uint32_t> kFlags[] = {{'F', 1}, {'S', 2}, {'R', 4}, {'P', 8}, {'A', 16}, {'.', 16}};
  std::uint32_t bits = 0;
  for (const char c : letters)
    for (const auto& [letter, bit] : kFlags)
      if (c == letter) bits |= bit;
  return bits;
}

FlowKey key_of(const json& hop) {
  FlowKey k;
  const IpAddr from = *IpAddr::parse(hop.at("src").get<std::string>());
  k.set(FieldId::eth_type, from.is_v4() ? ethertype::ipv4 : ethertype::ipv6);
  k.set(FieldId::eth_src, MacAddr::parse(hop.at("smac").get<std::string>())->value);
  k.set(FieldId::eth_dst, MacAddr::parse(hop.at("dmac").get<std::string>())->value);
  set_src_ip(k, from);
  set_dst_ip(k, *IpAddr::parse(hop.at("dst").get<std::string>()));
  k.set(FieldId::nw_ttl, hop.at("ttl").get<unsigned>());
  const std::string proto = hop.at("proto");
  k.set(FieldId::nw_proto, proto == "tcp"   ? ip_proto::tcp
                           : proto == "udp" ? ip_proto::udp
                           : from.is_v4()   ? ip_proto::icmp
                                            : ip_proto::icmp6);
  if (has_ports(k)) {
    k.set(FieldId::tp_src, hop.at("sport").get<unsigned>());
    k.set(FieldId::tp_dst, hop.at("dport").get<unsigned>());
    if (proto == "tcp") k.set(FieldId::tcp_flags, tcp_flags(hop.value("tcp_flags", "S")));
  } else {
    k.set(FieldId::icmp_type, hop.value("icmp_type", 8u));
    k.set(FieldId::icmp_id, hop.value("icmp_id", 0u));
  }
  return k;
}

// Whether the device belongs to the host's stack rather than to a switch below it.
bool is_host_device(const cluster::Node& node, const std::string& device) {
  const auto place = node.port(device);
  return place.port == nullptr || place.port->type == "internal" || place.port->name == place.bridge->name;
}

std::string describe(const FlowKey& k, const std::string& device) {
  const Tuple t = tuple_of(k);
  return fmt::format("{} {}:{} > {}:{} ttl {} {} > {}", device, t.src.to_string(), t.sport, t.dst.to_string(), t.dport,
                     k.u32(FieldId::nw_ttl), src_mac(k).to_string(), dst_mac(k).to_string());
}

struct Count {
  int compared = 0, agreed = 0, proven = 0;
};

void walk_hops(const cluster::Cluster& cluster, const json& hops, engine::NetworkState& network_state, Count& count,
               const std::string& context) {
  for (std::size_t i = 0; i + 1 < hops.size(); ++i) {
    const json &in = hops[i], &out = hops[i + 1];
    if (in.at("node") != out.at("node") || in.at("dir") != "in" || out.at("dir") != "out") continue;
    const cluster::Node* node = cluster.node(in.at("node").get<std::string>());
    if (node == nullptr) continue;
    const std::string in_device = in.at("iface"), out_device = out.at("iface");
    if (!is_host_device(*node, in_device) || !is_host_device(*node, out_device)) continue;
    const FlowKey expected = key_of(out);
    SeenNeighbour neighbours;
    neighbours.mac = dst_mac(expected);
    const std::string wanted = describe(expected, out_device);
    std::string got;
    // A load-sharing route may have taken any of its next hops.
    for (std::size_t option = 0, options = 1; option < options && got != wanted; ++option) {
      engine::NetworkState after = network_state;
      engine::Record record;
      FixedChooser chooser(option);
      const engine::HostOutcome o = engine::HostEngine(*node, after, record, chooser, neighbours).receive(in_device, key_of(in));
      options = chooser.most;
      got = o.kind == engine::HostOutcome::Kind::transmit
                ? describe(o.packet, o.device)
                : fmt::format("stopped: {} ({})", o.stop ? explain::phrase(o.stop->where) : "",
                              o.stop ? explain::phrase(o.stop->why) : "");
      if (got != wanted && option + 1 < options) continue;
      network_state = std::move(after);
      count.proven += record.assumptions.empty() && record.gaps.empty();
    }
    ++count.compared;
    count.agreed += got == wanted;
    EXPECT_EQ(got, wanted) << context << " on " << node->name << " from " << describe(key_of(in), in_device);
  }
}

TEST(HostCorpus, WhatGoesInComesOutAsCaptured) {
  if (!fs::is_directory(kCorpus)) GTEST_SKIP() << "no corpus beside the sources";
  std::vector<fs::path> scenarios;
  for (const auto& lab : fs::directory_iterator(kCorpus))
    if (lab.is_directory())
      for (const auto& scenario : fs::directory_iterator(lab))
        if (fs::exists(scenario.path() / "truth.json")) scenarios.push_back(scenario.path());
  std::sort(scenarios.begin(), scenarios.end());
  Count count;
  for (const fs::path& path : scenarios) {
    const auto cluster = parsers::read_snapshot(host_dumps(path));
    ASSERT_TRUE(cluster) << path << ": " << cluster.error().message;
    std::ifstream file(path / "truth.json");
    for (const json& c : json::parse(file).value("cases", json::array())) {
      engine::NetworkState network_state;
      const std::string context = path.string() + " " + c.value("id", "");
      walk_hops(*cluster, c.value("forward_hops", json::array()), network_state, count, context);
      walk_hops(*cluster, c.value("reply_hops", json::array()), network_state, count, context);
    }
  }
  fmt::print("{} passages of hosts compared, {} as captured, {} proven\n", count.compared, count.agreed, count.proven);
  EXPECT_GT(count.compared, 0);
}

}  // namespace
}  // namespace egt::test
