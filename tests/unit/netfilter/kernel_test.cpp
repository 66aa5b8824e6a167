// The evaluator against the kernel: random rules in a network namespace of their own, one UDP packet over lo, and the
// counters of all rules. Skipped without root, unshare or nft. EGTRACE_KERNEL_SEEDS: how many rulesets (default 8).
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "netfilter_support.h"

namespace egt::engine {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  pclose(pipe);
  return out;
}

// Nobody listens, so the kernel answers with ICMP over the same lo.
const std::string kNotTheAnswer = "\t\tmeta l4proto icmp accept\n";

// Random rules over a few ports, marks and chains; every rule counts, so that the kernel shows which ones matched.
class RuleMaker {
 public:
  explicit RuleMaker(unsigned seed) : random_(seed) {}

  std::string ruleset() {
    std::string out =
        "table inet t {\n\tset ports {\n\t\ttype inet_service\n\t\tflags interval\n"
        "\t\telements = { 1000-1003, 1006 }\n\t}\n"
        "\tmap marks {\n\t\ttype inet_proto . inet_service : mark\n"
        "\t\telements = { udp . 1001 : 0x5, udp . 1004 : 0x9 }\n\t}\n";
    for (int i = 3; i >= 1; --i) out += chain("u" + std::to_string(i), "", i);
    for (int i = 0; i < 3; ++i) {
      const int priority = pick(3) * 10 - 10;
      out += chain("b" + std::to_string(i),
                   "\t\ttype filter hook output priority " + std::to_string(priority) + "; policy accept;\n" + kNotTheAnswer, 0);
    }
    return out + "}\n";
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string one(std::initializer_list<const char*> of) { return *(of.begin() + pick(static_cast<int>(of.size()))); }

  std::string chain(const std::string& name, const std::string& header, int level) {
    std::string out = "\tchain " + name + " {\n" + header;
    for (int i = 0; i < 6; ++i) out += "\t\t" + test() + " counter " + action(level) + "\n";
    return out + "\t}\n";
  }
  std::string test() {
    return one({"udp dport 1000-1002",
                "udp dport != 1001",
                "udp dport @ports",
                "meta mark & 0x1 == 0x1",
                "meta mark 0",
                "meta mark != 0",
                "meta mark < 6",
                "ip daddr 127.0.0.0/8",
                "ip saddr != { 127.0.0.2, 127.0.0.3 }",
                "oifname \"l*\"",
                "meta l4proto { tcp, udp }",
                "tcp dport 1000",
                "ip6 daddr ::1",
                "ct state new",
                "ct mark 0",
                "ip daddr . udp dport { 127.0.0.1 . 1001, 127.0.0.1 . 1004 }",
                "fib daddr type local",
                "meta l4proto . th dport { udp . 1000-1004 }",
                "ip ttl > 10",
                "meta nfproto ipv4",
                "udp dport < 1003"});
  }
  std::string action(int level) {
    const std::string call = level >= 3 ? "return" : "jump u" + std::to_string(level + 1 + pick(3 - level));
    const std::string go = level >= 3 ? "continue" : "goto u" + std::to_string(level + 1 + pick(3 - level));
    switch (pick(12)) {
      case 0: return "accept";
      case 1: return pick(4) == 0 ? "drop" : "continue";
      case 2: return "return";
      case 3:
      case 4: return call;
      case 5: return go;
      case 6: return "meta mark set meta mark | 0x1";
      case 7: return "meta mark set meta mark ^ 0x6";
      case 8: return "meta mark set meta mark & 0xd";
      case 9: return "meta mark set 0x4 accept";
      case 10: return "meta mark set meta l4proto . th dport map @marks";
      default: return "ct mark set meta mark << 1";
    }
  }

  std::mt19937 random_;
};

// Lines of the listing whose counter moved, less those that do nothing which the evaluator would note.
std::set<std::uint32_t> counted(const std::string& listing) {
  std::set<std::uint32_t> lines;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < listing.size(); ++number) {
    const std::size_t end = std::min(listing.find('\n', at), listing.size());
    const std::string line = listing.substr(at, end - at);
    const bool moved = line.find("counter packets ") != std::string::npos && line.find("packets 0 ") == std::string::npos;
    if (moved && line.find(" continue") == std::string::npos && line.find("map @marks") == std::string::npos) {
      lines.insert(number + 1);
    }
    at = end + 1;
  }
  return lines;
}

std::set<std::uint32_t> predicted(const std::string& listing, std::uint16_t port) {
  Scene s(listing);
  s.set(IpAddr::v4(0x7f000001), IpAddr::v4(0x7f000001), ip_proto::udp, 40000, port);
  s.iif.clear();
  s.oif = "lo";
  std::set<std::uint32_t> lines;
  for (Stage stage : {Stage::before_conntrack, Stage::before_nat, Stage::after_nat}) {
    NetfilterEngine engine(s.node.host, Family::v4, "n", s.network_state, s.record, s.chooser);
    NetfilterContext c{.packet = s.packet};
    c.oif = s.oif;
    c.state = PacketState::new_;
    c.connection = &s.connection;
    c.address_type = [](const IpAddr& a, std::string_view, bool) {
      return a.is_loopback() ? netfilter::AddressType::local : netfilter::AddressType::unicast;
    };
    if (!engine.run(Hook::output, stage, c).goes_on()) break;
  }
  EXPECT_TRUE(s.chooser.asked.empty());
  for (const Step& step : s.record.steps) {
    const auto* hit = std::get_if<RuleHit>(&step.kind);
    if (hit == nullptr || hit->rule == nullptr) continue;
    bool by_map = false;
    for (const auto& statement : hit->rule->statements) {
      const auto* mark = std::get_if<netfilter::SetMark>(&statement);
      by_map = by_map || (mark != nullptr && std::holds_alternative<netfilter::MapLookup>(mark->value->node));
    }
    if (!by_map) lines.insert(hit->rule->from.line);  // its counter stands before a lookup that may fail
  }
  return lines;
}

TEST(NetfilterKernel, SameRulesMatch) {
  if (output_of("unshare -n sh -c 'ip link set lo up && nft list ruleset && echo works' 2>/dev/null") != "works\n") {
    GTEST_SKIP() << "no network namespaces or no nft here";
  }
  const auto folder = std::filesystem::temp_directory_path() / ("egtrace-kernel-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::string file = (folder / "rules").string();
  const char* more = std::getenv("EGTRACE_KERNEL_SEEDS");
  const unsigned seeds = more != nullptr ? static_cast<unsigned>(std::atoi(more)) : 8;
  for (unsigned seed = 1; seed <= seeds; ++seed) {
    std::ofstream(file) << RuleMaker(seed).ruleset();
    for (std::uint16_t port = 1000; port <= 1004; port += 2) {
      const std::string listing =
          output_of("unshare -n bash -c 'ip link set lo up; nft -f " + file + " && { echo x 2>/dev/null > /dev/udp/127.0.0.1/" +
                    std::to_string(port) + "; nft list ruleset; }' 2>/dev/null");
      ASSERT_FALSE(listing.empty()) << seed;
      EXPECT_EQ(predicted(listing, port), counted(listing)) << "seed " << seed << " port " << port << "\n" << listing;
      if (HasFailure()) break;
    }
    if (HasFailure()) break;
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace egt::engine
