// ltrace against ovn-trace itself: random northbound configurations through ovn-northd, random microflows, full text.
// Skipped where OVN is not installed. EGTRACE_CASES=N asks for N microflows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "egtrace/base/text.h"
#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

unsigned cases() {
  const char* asked = std::getenv("EGTRACE_CASES");
  return asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 60;
}

bool has_program(const char* name) { return run({"sh", "-c", fmt::format("command -v {}", name)}).status == 0; }

// Two database servers and northd in a directory of their own; ends them by their pid files.
class Central {
 public:
  explicit Central(const std::string& directory) : dir_(directory) {
    database("nb", "ovn-nb.ovsschema");
    database("sb", "ovn-sb.ovsschema");
    must({"ovn-northd", "--detach", "--no-chdir", "--pidfile=" + dir_ + "/northd.pid", "--log-file=/dev/null",
          "--unixctl=" + dir_ + "/northd.ctl", "--ovnnb-db=unix:" + dir_ + "/nb.sock", "--ovnsb-db=unix:" + dir_ + "/sb.sock"});
  }
  ~Central() {
    for (const char* name : {"trace", "northd", "sb", "nb"}) {
      std::error_code none;
      const std::string file = fmt::format("{}/{}.pid", dir_, name);
      if (!fs::exists(file, none)) continue;
      run({"kill", std::string(trim(read_file(file)))});
    }
  }
  void nbctl(Words words) {
    words.insert(words.begin(), {"ovn-nbctl", "--no-leader-only", "--db=unix:" + dir_ + "/nb.sock"});
    must(words);
  }
  void start_trace() {
    must({"ovn-trace", "--detach", "--no-chdir", "--no-leader-only", "--pidfile=" + dir_ + "/trace.pid", "--log-file=/dev/null",
          "--unixctl=" + dir_ + "/trace.ctl", "--db=unix:" + dir_ + "/sb.sock"});
  }
  std::string trace(const std::string& datapath, const std::string& microflow) {
    return run({"ovs-appctl", "-t", dir_ + "/trace.ctl", "trace", "--all", datapath, microflow}).out;
  }
  bool good() const { return good_; }

 private:
  void database(const std::string& name, const std::string& schema) {
    const std::string file = fmt::format("{}/{}.db", dir_, name);
    must({"ovsdb-tool", "create", file, "/usr/share/ovn/" + schema});
    must({"ovsdb-server", "--detach", "--no-chdir", "--log-file=/dev/null", fmt::format("--pidfile={}/{}.pid", dir_, name),
          fmt::format("--unixctl={}/{}.ctl", dir_, name), fmt::format("--remote=punix:{}/{}.sock", dir_, name), file});
  }
  void must(const Words& words) {
    const Ran ran = run(words);
    good_ &= ran.status == 0;
    EXPECT_EQ(ran.status, 0) << fmt::format("{}", fmt::join(words, " ")) << "\n" << ran.err;
  }

  std::string dir_;
  bool good_ = true;
};

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  unsigned below(unsigned n) { return static_cast<unsigned>(engine_() % n); }
  bool one_in(unsigned n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(static_cast<unsigned>(all.size()))];
  }

 private:
  std::mt19937 engine_;
};

constexpr unsigned kSwitches = 3, kPorts = 3;

std::string mac_of(unsigned s, unsigned p) { return fmt::format("0a:00:00:00:{:02x}:{:02x}", s, p); }
std::string ip_of(unsigned s, unsigned p) { return fmt::format("10.0.{}.{}", s, p + 10); }
std::string ip6_of(unsigned s, unsigned p) { return fmt::format("fd00:{}::{:x}", s, p + 16); }
std::string port_of(unsigned s, unsigned p) { return fmt::format("sw{}-p{}", s, p); }

void configure_switch(Central& central, Random& random, unsigned s) {
  const std::string sw = fmt::format("sw{}", s);
  central.nbctl({"ls-add", sw});
  for (unsigned p = 0; p < kPorts; ++p) {
    const std::string address = fmt::format("{} {} {}", mac_of(s, p), ip_of(s, p), ip6_of(s, p));
    Words words = {"lsp-add", sw, port_of(s, p), "--", "lsp-set-addresses", port_of(s, p), address};
    if (random.one_in(3)) words.back() = "unknown";
    if (random.one_in(2)) {
      words.insert(words.end(), {"--", "lsp-set-port-security", port_of(s, p), address});
    }
    central.nbctl(words);
  }
  const std::string router_port = fmt::format("sw{}-lr", s);
  central.nbctl({"lrp-add",
                 "lr",
                 fmt::format("lr-sw{}", s),
                 mac_of(s, 254),
                 fmt::format("10.0.{}.1/24", s),
                 fmt::format("fd00:{}::1/64", s),
                 "--",
                 "lsp-add",
                 sw,
                 router_port,
                 "--",
                 "lsp-set-type",
                 router_port,
                 "router",
                 "--",
                 "lsp-set-addresses",
                 router_port,
                 "router",
                 "--",
                 "lsp-set-options",
                 router_port,
                 fmt::format("router-port=lr-sw{}", s)});
  static const std::vector<std::string> kMatches = {
      "ip4 && tcp.dst == {80, 443}",
      "ip4.src == $as1",
      "udp && udp.dst > 1000",
      "icmp4 || icmp6",
      "outport == @pg1 && ip",
      "inport == @pg1 && ip4.dst == 10.0.0.0/16",
      "tcp.flags == 2",
      "ip4.src != 10.0.1.10 && ip4",
      "ip.ttl == 8",
      "eth.type == 0x1234",
      "ip6 && tcp.dst == 80",
      "1000 <= udp.src <= 2000 && ip4",
      "arp",
      "ip4 /* not \"sw0-p0\" */ && udp",
  };
  static const std::vector<std::string> kVerdicts = {"allow", "allow-related", "drop", "reject", "allow-stateless"};
  for (unsigned i = random.below(4); i > 0; --i) {
    const char* direction = random.one_in(2) ? "from-lport" : "to-lport";
    Words words = {"--may-exist",       "acl-add",           sw, direction, fmt::format("{}", 1000 + random.below(3)),
                   random.of(kMatches), random.of(kVerdicts)};
    if (std::string_view(direction) == "to-lport" && words[5].find("inport") != std::string::npos) words[5] = "ip4";
    if (std::string_view(direction) == "from-lport" && words[5].find("outport") != std::string::npos) words[5] = "ip6";
    if (random.one_in(3)) words.insert(words.begin(), {"--log", fmt::format("--name=acl{}", i), "--severity=notice"});
    central.nbctl(words);
  }
  if (random.one_in(3))
    central.nbctl({"qos-add", sw, "from-lport", "100", random.one_in(2) ? "ip4 // marked" : "ip.proto == {2, 58}", "dscp=10"});
  if (random.one_in(2)) {
    central.nbctl({"lb-add", fmt::format("lb{}", s), fmt::format("172.16.0.{}:80", s + 1),
                   ip_of(random.below(kSwitches), 1) + ":8080", "tcp"});
    central.nbctl({"ls-lb-add", sw, fmt::format("lb{}", s)});
  }
}

void configure_router(Central& central, Random& random) {
  if (random.one_in(2)) central.nbctl({"lr-route-add", "lr", "192.168.0.0/16", "10.0.0.12"});
  if (random.one_in(2)) central.nbctl({"lr-route-add", "lr", "0.0.0.0/0", "10.0.1.11"});
  if (random.one_in(2))
    central.nbctl({"lr-policy-add", "lr", "100", "ip4.src == 10.0.0.0/24 && ip4.dst == 8.8.8.8", "reroute", "10.0.2.11"});
  if (random.one_in(2)) central.nbctl({"lr-policy-add", "lr", "200", "ip4.dst == 9.9.9.9", "drop"});
  if (random.one_in(2)) {
    central.nbctl({"set", "Logical_Router", "lr", "options:chassis=hv1"});
    central.nbctl({"lr-nat-add", "lr", "snat", "172.30.0.1", "10.0.0.0/16"});
    central.nbctl({"lr-nat-add", "lr", "dnat_and_snat", "172.30.0.2", "10.0.2.10"});
    if (random.one_in(2)) {
      central.nbctl({"lb-add", "lbr", "172.31.0.1:53", "10.0.1.10:5353", "udp"});
      central.nbctl({"lr-lb-add", "lr", "lbr"});
    }
  }
}

struct Packet {
  std::string datapath, microflow;
};

Packet random_packet(Random& random) {
  const unsigned s = random.below(kSwitches), p = random.below(kPorts), ds = random.below(kSwitches), dp = random.below(kPorts);
  const bool routed = s != ds || random.one_in(4);
  const std::string to_mac = random.one_in(8) ? "ff:ff:ff:ff:ff:ff" : routed ? mac_of(s, 254) : mac_of(ds, dp);
  const std::string from_mac = random.one_in(8) ? "0a:00:00:00:99:99" : mac_of(s, p);
  std::string flow = fmt::format("inport == \"{}\" && eth.src == {} && eth.dst == {}", port_of(s, p), from_mac, to_mac);
  static const std::vector<std::string> kElsewhere = {"8.8.8.8",    "9.9.9.9",     "172.16.0.1", "172.16.0.2", "172.30.0.2",
                                                      "172.31.0.1", "192.168.3.4", "10.0.0.1",   "224.0.0.5"};
  const std::string to = random.one_in(3) ? random.of(kElsewhere) : ip_of(ds, dp);
  static const std::vector<std::string> kPortNumbers = {"80", "443", "53", "8080", "1500"};
  constexpr unsigned kLife = 9;  // so that a loop ends before the walk does
  // What flow_format() of Open vSwitch prints of them follows rules of its own.
  static const std::vector<std::string> kRare = {
      "ip4 && ip.proto == 2",     "ip4 && ip.proto == 58",     "ip6 && ip.proto == 1",      "ip6 && ip.proto == 2",
      "icmp6 && ip.later_frag",   "icmp4 && ip.later_frag",    "nd_ns && ip.frag == 3",     "icmp6.code == 1 && ip.frag == 3",
      "ip4 && tcp.flags == 4095", "ip6 && tcp.flags == 0x200", "ip4 && ip.proto == 47",     "eth.type == 0x8847",
      "eth.type == 0x8848",       "eth.type == 0x1234",        "vlan.tci == 0x3005 && ip4", "udp && ip4 && ip.is_frag"};
  switch (random.below(8)) {
    case 0:
    case 1:
      flow += fmt::format(" && ip4.src == {} && ip4.dst == {} && ip.ttl == {} && tcp.src == 1500 && tcp.dst == {}", ip_of(s, p),
                          to, random.one_in(6) ? 1 : kLife, random.of(kPortNumbers));
      break;
    case 2:
      flow += fmt::format(" && ip4.src == {} && ip4.dst == {} && ip.ttl == 8 && udp.src == 1500 && udp.dst == {}", ip_of(s, p),
                          to, random.of(kPortNumbers));
      break;
    case 3:
      flow += fmt::format(" && ip4.src == {} && ip4.dst == {} && ip.ttl == {} && icmp4.type == 8 && icmp4.code == 0", ip_of(s, p),
                          to, kLife);
      break;
    case 4:
      flow +=
          fmt::format(" && ip6.src == {} && ip6.dst == {} && ip.ttl == {} && tcp.dst == 80", ip6_of(s, p), ip6_of(ds, dp), kLife);
      break;
    case 5:
      flow += fmt::format(" && arp.op == 1 && arp.sha == {} && arp.spa == {} && arp.tpa == {}", mac_of(s, p), ip_of(s, p),
                          random.one_in(2) ? fmt::format("10.0.{}.1", s) : ip_of(s, dp));
      break;
    case 6: flow += " && " + random.of(kRare); break;
    default:
      flow += fmt::format(
          " && ip6.src == {0} && ip6.dst == ff02::1:ff00:{1:x} && ip.ttl == 255 && icmp6.type == 135 && icmp6.code == "
          "0 && nd.target == fd00:{2}::{1:x} && nd.sll == {3}",
          ip6_of(s, p), dp + 16, s, mac_of(s, p));
      break;
  }
  return {fmt::format("sw{}", s), flow};
}

void run_configuration(unsigned seed, unsigned packets) {
  TemporaryDirectory directory;
  Central central(directory.path());
  ASSERT_TRUE(central.good());
  Random random(seed);
  central.nbctl({"lr-add", "lr"});
  central.nbctl({"create", "Address_Set", "name=as1", "addresses=\"10.0.0.10\",\"10.0.1.0/28\""});
  central.nbctl({"ls-add", "spare", "--", "lsp-add", "spare", "spare-p0", "--", "pg-add", "pg1", "spare-p0"});
  for (unsigned s = 0; s < kSwitches; ++s) configure_switch(central, random, s);
  central.nbctl({"pg-set-ports", "pg1", port_of(0, 0), port_of(1, 1), "spare-p0"});
  configure_router(central, random);
  central.nbctl({"--wait=sb", "sync"});
  central.start_trace();
  ASSERT_TRUE(central.good());

  std::string batch;
  std::vector<Packet> all;
  for (unsigned i = 0; i < packets; ++i) {
    all.push_back(random_packet(random));
    batch += all.back().datapath + "\t" + all.back().microflow + "\n";
  }
  std::string wanted;
  for (const Packet& p : all) {
    if (!wanted.empty()) wanted += '\n';
    wanted += central.trace(p.datapath, p.microflow);
    if (!wanted.ends_with('\n')) wanted += '\n';
  }
  const std::string file = directory.file("batch.txt", batch);
  const Ran ours = run({EGTRACE_BINARY, "ltrace", directory.path() + "/sb.db", "--all", "--batch", file});
  EXPECT_EQ(ours.out, wanted) << "seed " << seed << "\n" << ours.err;
}

TEST(OvnTraceOracle, RandomConfigurations) {
  for (const char* program : {"ovn-northd", "ovn-trace", "ovn-nbctl", "ovsdb-server", "ovsdb-tool", "ovs-appctl"})
    if (!has_program(program)) GTEST_SKIP() << program << " is not installed";
  constexpr unsigned kPackets = 30;
  for (unsigned done = 0, seed = 1; done < cases(); done += kPackets, ++seed) run_configuration(seed, kPackets);
}

}  // namespace
}  // namespace egt::testing
