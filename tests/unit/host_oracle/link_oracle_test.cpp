// Who answers on a link for which address, and in whose name a host asks itself: random addresses, settings and
// questions, given to the kernel and to the engine alike.
//
// EGTRACE_LINK_CASES: how many hosts; EGTRACE_ORACLE_SEED: the first seed.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <tuple>

#include "egtrace/parsers/snapshot.h"
#include "kernel_host.h"
#include "link_frames.h"
#include "namespace.h"

namespace egt::test {
namespace {

using engine::LinkQuestion;

constexpr int kQuiet = 60;  // milliseconds: nothing comes any more

IpAddr ip(const std::string& text) { return *IpAddr::parse(text); }

unsigned setting(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? static_cast<unsigned>(std::atoi(text)) : otherwise;
}

struct Asked {
  unsigned wire = 0;
  LinkQuestion question;
  auto key() const { return std::tuple(wire, question.address, question.asker.value_or(IpAddr{})); }
  bool operator<(const Asked& other) const { return key() < other.key(); }
};

std::string device(unsigned wire) { return fmt::format("v{}", wire); }

std::string text_of(const Asked& a) {
  return fmt::format("{} asked for {} by {}", device(a.wire), a.question.address.to_string(),
                     a.question.asker ? a.question.asker->to_string() : "nobody");
}

// A router with a subnet on each wire, some addresses of which are elsewhere than one expects.
class LinkHost {
 public:
  explicit LinkHost(unsigned seed) : random_(seed) {}

  HostSetup setup();
  Asked question();
  std::vector<IpAddr> own_v4;

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  void add_addresses(HostSetup& s, unsigned wire);
  void add_proxies(HostSetup& s, unsigned wire);
  void add_routes(HostSetup& s);
  void add_settings(HostSetup& s, const std::string& of);
  void own(HostSetup& s, const std::string& address, unsigned length, const std::string& rest);

  std::mt19937 random_;
};

void LinkHost::own(HostSetup& s, const std::string& address, unsigned length, const std::string& rest) {
  s.ip4 += fmt::format("addr add {}/{} {}\n", address, length, rest);
  own_v4.push_back(ip(address));
}

void LinkHost::add_addresses(HostSetup& s, unsigned wire) {
  const std::string on = "dev " + device(wire);
  own(s, fmt::format("10.{}.0.1", wire), 24, on);
  if (chance(50)) own(s, fmt::format("10.{}.0.7", wire), 24, on);  // a secondary one
  if (chance(30)) own(s, fmt::format("10.{}.1.1", wire), 24, on);
  if (chance(30)) own(s, fmt::format("10.77.0.{}", wire), 32, on);
  if (chance(30)) own(s, fmt::format("10.{}.0.9", wire), 25, on + " scope link");
  if (chance(25)) own(s, fmt::format("10.{}.0.40", (wire + 1) % kWires), 24, on);  // of another wire's subnet
  if (chance(30)) {
    s.ip4 +=
        fmt::format("addr add 10.{0}.2.1 peer 10.{0}.3.{1}/{2} {3}\n", wire, chance(50) ? 60U : 200U, chance(50) ? 24 : 32, on);
    own_v4.push_back(ip(fmt::format("10.{}.2.1", wire)));
  }
  s.ip4 += fmt::format("link set {} up\n", device(wire));
  s.ip6 += fmt::format("addr add fd00:{}::1/64 {} nodad\n", wire, on);
  if (chance(30)) s.ip6 += fmt::format("addr add fd00:77::{}/128 {} nodad\n", wire + 1, on);
}

void LinkHost::add_proxies(HostSetup& s, unsigned wire) {
  for (const unsigned of : {0U, 1U, 2U, 3U}) {
    if (chance(20)) s.ip4 += fmt::format("neigh add proxy 10.{}.0.77 dev {}\n", of, device(wire));
    if (chance(20)) s.ip6 += fmt::format("neigh add proxy fd00:{}::77 dev {}\n", of, device(wire));
  }
}

void LinkHost::add_routes(HostSetup& s) {
  s.ip4 += fmt::format("route add 10.50.0.0/16 via 10.{0}.0.254 dev v{0}\n", pick(kWires));
  s.ip4 += fmt::format("route add {} 10.51.0.0/16\n", chance(50) ? "blackhole" : "unreachable");
  if (chance(50)) s.ip4 += fmt::format("route add 10.50.0.0/16 dev v{} table 7\n", pick(kWires));
  if (chance(50)) s.ip4 += fmt::format("rule add iif v{} lookup 7 pref 100\n", pick(kWires));
  if (chance(30)) s.ip4 += fmt::format("rule add from 10.{}.0.0/24 lookup 7 pref 101\n", pick(kWires));
  if (chance(30)) s.ip4 += fmt::format("rule add to 10.{}.0.0/25 prohibit pref 102\n", pick(kWires));
  if (chance(50)) own(s, "10.88.0.1", 32, chance(50) ? "dev lo scope host" : "dev lo");
}

void LinkHost::add_settings(HostSetup& s, const std::string& of) {
  const auto v4 = [&](const char* name, unsigned value) {
    s.sysctl[fmt::format("net.ipv4.conf.{}.{}", of, name)] = std::to_string(value);
  };
  static constexpr unsigned kIgnore[] = {0, 0, 0, 1, 2, 3, 8}, kFilter[] = {0, 0, 0, 1, 2};
  const bool all = of == "all";
  v4("arp_ignore", all && chance(60) ? 0 : kIgnore[pick(all ? 6 : 7)]);
  v4("arp_announce", all && chance(60) ? 0 : pick(3));
  v4("arp_filter", chance(all ? 10 : 25));
  v4("proxy_arp", chance(all ? 10 : 40));
  v4("proxy_arp_pvlan", chance(all ? 10 : 25));
  v4("rp_filter", kFilter[pick(5)]);
  v4("forwarding", all || chance(75));
  s.sysctl[fmt::format("net.ipv6.conf.{}.proxy_ndp", of)] = std::to_string(chance(all ? 20 : 60));
  s.sysctl[fmt::format("net.ipv6.conf.{}.forwarding", of)] = std::to_string(all || chance(75));
  if (all) return;
  for (const char* family : {"ipv4", "ipv6"}) s.sysctl[fmt::format("net.{}.neigh.{}.proxy_delay", family, of)] = "0";
}

HostSetup LinkHost::setup() {
  HostSetup s;
  for (unsigned i = 0; i < kWires; ++i) {
    add_addresses(s, i);
    add_proxies(s, i);
  }
  for (const char* of : {"all", "v0", "v1", "v2", "v3"}) add_settings(s, of);
  add_routes(s);
  return s;
}

Asked LinkHost::question() {
  const unsigned wire = pick(kWires), of = chance(50) ? wire : pick(kWires), from = chance(75) ? wire : pick(kWires);
  const unsigned host_part = 100 + pick(100);
  if (chance(25)) {
    const std::string targets[] = {fmt::format("fd00:{}::1", of), fmt::format("fd00:{}::77", of),
                                   fmt::format("fd00:77::{}", of + 1), fmt::format("fd00:{}::66", of)};
    return {wire, {ip(targets[pick(4)]), ip(fmt::format("fd00:{}::{}", wire, host_part))}};
  }
  const std::string targets[] = {fmt::format("10.{}.0.77", of), fmt::format("10.{}.0.200", of), "10.50.3.4", "10.51.3.4"};
  const IpAddr target = chance(60) ? own_v4[pick(static_cast<unsigned>(own_v4.size()))] : ip(targets[pick(4)]);
  if (chance(10)) return {wire, {target, std::nullopt}};
  return {wire, {target, ip(fmt::format("10.{}.{}.{}", from, chance(30) ? 1 + 2 * pick(2) : 0, host_part))}};
}

// Whether one of the node's devices answers, as the topology of a cluster asks it.
bool answers(const host::Host& host, const Asked& a) {
  const std::string asked = device(a.wire);
  bool own = false;
  for (const host::Link& link : host.links.value)
    for (const host::Address& address : link.addresses)
      if (address.prefix.address == a.question.address) {
        own = true;
        if (engine::answers_for_own(host, asked, link.name, a.question)) return true;
      }
  return !own && engine::answers_for_others(host, asked, a.question);
}

class LinkOracle : public ::testing::Test {
 protected:
  // False where there is no such host.
  bool make(unsigned seed);
  const host::Host& host() const { return cluster_->nodes.at(0)->host; }
  void compare_answers(unsigned count);
  void compare_askers(unsigned count);
  void TearDown() override {
    if (!folder_.empty() && !HasFailure()) std::filesystem::remove_all(folder_);
  }

  std::optional<LinkHost> random_;
  std::optional<KernelHost> kernel_;
  std::optional<cluster::Cluster> cluster_;
  std::filesystem::path folder_;
  unsigned seed_ = 0, asked_ = 0, answered_ = 0, in_a_name_ = 0;
};

bool LinkOracle::make(unsigned seed) {
  seed_ = seed;
  random_.emplace(seed);
  kernel_.emplace();
  if (!folder_.empty() && !HasFailure()) std::filesystem::remove_all(folder_);
  folder_ = std::filesystem::temp_directory_path() / fmt::format("egt-link-{}-{}", seed, getpid());
  if (!kernel_->problem().empty() || !kernel_->set_up(random_->setup())) {
    ADD_FAILURE() << kernel_->problem();
    return false;
  }
  kernel_->dump(folder_ / "host", false);
  auto read = parsers::read_snapshot({folder_.string(), {}, 1});
  if (!read || read->nodes.size() != 1) {
    ADD_FAILURE() << "no snapshot";
    return false;
  }
  cluster_ = std::move(*read);
  kernel_->frames(kQuiet);
  return true;
}

void LinkOracle::compare_answers(unsigned count) {
  std::set<Asked> questions, answered;
  while (questions.size() < count) questions.insert(random_->question());
  for (const Asked& a : questions) kernel_->inject(a.wire, question_frame(KernelHost::mac_of_neighbour(a.wire, 100), a.question));
  for (const KernelHost::Frame& frame : kernel_->frames(kQuiet))
    if (const auto message = read_link_message(frame.bytes); message && message->is_answer)
      answered.insert({frame.wire, message->about});
  for (const Asked& a : questions) {
    EXPECT_EQ(answers(host(), a), answered.contains(a)) << text_of(a) << "\n  " << folder_.string();
    ++asked_;
    answered_ += answered.contains(a) ? 1 : 0;
  }
}

// A process of the host, or a node behind it, sends to an address that nobody was asked for yet.
void LinkOracle::compare_askers(unsigned count) {
  std::map<IpAddr, IpAddr> sources;  // by destination
  for (unsigned i = 0; i < count; ++i) {
    FlowKey packet;
    packet.set(FieldId::eth_type, ethertype::ipv4);
    packet.set(FieldId::nw_proto, ip_proto::udp);
    packet.set(FieldId::nw_ttl, 64);
    packet.set(FieldId::tp_src, 5000 + i);
    packet.set(FieldId::tp_dst, 53);
    const unsigned wire = i % kWires;
    const bool passes = i % 3 == 0;
    const IpAddr to = ip(fmt::format("10.{}.{}.{}", (i + i / kWires) % kWires, i % 5 == 0 ? 1 : i % 5 == 1 ? 3 : 0, 60 + i));
    const IpAddr from = passes ? ip(fmt::format("10.{}.0.99", wire)) : random_->own_v4[i % random_->own_v4.size()];
    set_src_ip(packet, from);
    set_dst_ip(packet, to);
    sources[to] = from;
    if (passes) {
      packet.set(FieldId::eth_dst, KernelHost::mac_of_host(wire).value);
      packet.set(FieldId::eth_src, KernelHost::mac_of_neighbour(wire, 99).value);
      kernel_->inject(wire, frame_of(packet, i));
    } else {
      kernel_->send({packet, false, false, ""}, i);
    }
  }
  for (const KernelHost::Frame& frame : kernel_->frames(kQuiet)) {
    const auto message = read_link_message(frame.bytes);
    if (!message || message->is_answer || !sources.contains(message->about.address)) continue;
    const IpAddr to = message->about.address, from = sources.at(to);
    const auto name = engine::arp_asker(host(), device(frame.wire), to, from);
    EXPECT_EQ(name.value_or(IpAddr{}).to_string(), message->about.asker.value_or(IpAddr{}).to_string())
        << fmt::format("{} asks for {} to send what is from {}", device(frame.wire), to.to_string(), from.to_string()) << "\n  "
        << folder_.string();
    ++in_a_name_;
  }
}

TEST_F(LinkOracle, AgreesWithTheKernel) {
  {
    const KernelHost try_it;
    if (!try_it.problem().empty()) GTEST_SKIP() << try_it.problem();
  }
  const unsigned hosts = setting("EGTRACE_LINK_CASES", 6), first = setting("EGTRACE_ORACLE_SEED", 1);
  for (unsigned i = 0; i < hosts && make(first + i); ++i) {
    compare_answers(60);
    compare_askers(24);
  }
  fmt::print("{} questions over {} hosts, {} of them answered; {} asked by the hosts\n", asked_, hosts, answered_, in_a_name_);
  EXPECT_GT(answered_, asked_ / 10);
  EXPECT_GT(in_a_name_, hosts);
}

}  // namespace
}  // namespace egt::test
