#include "bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "comparison.h"

namespace egt::testing {
namespace {

constexpr const char* kNode = "node-1";
constexpr const char* kProtocol = "OpenFlow15";

std::string file_name(std::string command) {
  std::replace(command.begin(), command.end(), ' ', '_');
  std::replace(command.begin(), command.end(), '/', '.');
  return command;
}

}  // namespace

const std::vector<std::string>& bench_bridges() {
  static const std::vector<std::string> all = {"br-int", "br-ex", "br-b"};
  return all;
}

Bench::Bench() : daemon_(directory_.path()) {
  if (daemon_.good()) make_bridges();
  if (daemon_.good()) route_tunnels();
  if (daemon_.good()) place_macs();
  if (daemon_.good()) dump_once();
}

void Bench::add_port(const std::string& bridge, const std::string& name, unsigned number, const Daemon::Words& more) {
  Daemon::Words one = {"add-port", bridge, name, "--", "set", "interface", name};
  one.push_back(fmt::format("ofport_request={}", number));
  one.insert(one.end(), more.begin(), more.end());
  daemon_.vsctl(one);
}

void Bench::make_bridges() {
  Daemon::Words words;
  const auto add = [&](const Daemon::Words& more) {
    if (!words.empty()) words.emplace_back("--");
    words.insert(words.end(), more.begin(), more.end());
  };
  for (const std::string& b : bench_bridges()) {
    add({"add-br", b});
    add({"set", "bridge", b, "datapath_type=dummy", "protocols=OpenFlow10,OpenFlow11,OpenFlow12,OpenFlow13,OpenFlow14,OpenFlow15",
         fmt::format("fail_mode={}", b == "br-ex" ? "standalone" : "secure"), "other_config:disable-in-band=true"});
  }
  daemon_.vsctl(words);
  // One after another: the order in which the switch floods is that in which ports came.
  const Daemon::Words dummy = {"type=dummy"};
  add_port("br-int", "p1", 1, dummy);
  add_port("br-int", "p2", 2, dummy);
  add_port("br-int", "9eth", 3, dummy);
  add_port("br-int", "p-4.x", 4, dummy);
  for (unsigned p = 1; p <= 3; ++p) add_port("br-ex", fmt::format("q{}", p), p, dummy);
  for (unsigned p = 1; p <= 2; ++p) add_port("br-b", fmt::format("r{}", p), p, dummy);
  add_port("br-int", "gnv0", 5, {"type=geneve", "options:remote_ip=flow", "options:key=flow"});
  add_port("br-int", "vx0", 6, {"type=vxlan", "options:remote_ip=192.168.9.2", "options:key=7"});
  add_port("br-int", "gre0", 7, {"type=gre", "options:remote_ip=192.168.9.3", "options:key=flow"});
  add_port("br-int", "patch-int", 10, {"type=patch", "options:peer=patch-ex"});
  add_port("br-ex", "patch-ex", 10, {"type=patch", "options:peer=patch-int"});
  add_port("br-ex", "patch-exb", 11, {"type=patch", "options:peer=patch-b"});
  add_port("br-b", "patch-b", 10, {"type=patch", "options:peer=patch-exb"});
  daemon_.vsctl({"set", "port", "q3", "tag=5"});
  for (const std::string& b : bench_bridges())
    daemon_.ofctl(kProtocol, {"add-meter", b, "meter=1 pktps bands=type=drop rate=10"});
}

// Their packets leave by br-ex. Other ends that have no known address are those that flows write only: the switch asks for
// one by a packet that goes through the tables, too, and where these send it to such a tunnel again it finds no end.
void Bench::route_tunnels() {
  daemon_.appctl("netdev-dummy/ip4addr", {"br-ex", "192.168.9.1/24"});
  daemon_.appctl("ovs/route/add", {"192.168.9.0/24", "br-ex"});
  daemon_.appctl("ovs/route/add", {"10.0.0.0/8", "br-ex"});
  for (const char* address : {"192.168.9.2", "192.168.9.3", "10.0.0.1", "10.0.0.2"})
    daemon_.appctl("tnl/neigh/set", {"br-ex", address, "0a:00:00:00:99:02"});
}

// A flush takes none of them away.
void Bench::place_macs() {
  daemon_.appctl("fdb/add", {"br-int", "p2", "0", "0a:00:00:00:00:01"});
  daemon_.appctl("fdb/add", {"br-int", "patch-int", "0", "0a:00:00:00:00:03"});
  daemon_.appctl("fdb/add", {"br-ex", "q2", "0", "0a:00:00:00:00:02"});
  daemon_.appctl("fdb/add", {"br-ex", "q3", "5", "0a:00:00:00:00:01"});
}

// For want of a tunnel's neighbour the switch asks for it amid the trace: its own request goes through the tables for real,
// and where a later NORMAL finds a port, it may be of what that taught them, which no dump could have.
std::string Bench::trace(const Daemon::Words& words) {
  daemon_.describe("fdb/flush", {});
  std::string answer = daemon_.appctl("ofproto/trace", words);
  const std::size_t asked = answer.find("neighbor cache miss");
  if (asked == answer.npos || answer.find("learned port", asked) == answer.npos) return answer;
  return "the switch learned MAC addresses meanwhile";
}

void Bench::keep(const std::string& command, const std::string& text) const {
  write_file(fmt::format("{}/snap/{}/{}", directory_.path(), kNode, file_name(command)), text);
}

void Bench::dump_rows() {
  keep("ovs-vsctl show", daemon_.vsctl_output({"show"}));
  keep("ovs-vsctl list port", daemon_.vsctl_output({"list", "port"}));
  keep("ovs-vsctl list bridge", daemon_.vsctl_output({"list", "bridge"}));
  keep("ovs-vsctl list mirror", daemon_.vsctl_output({"list", "mirror"}));
}

void Bench::dump_once() {
  dump_rows();
  keep("ovs-vsctl list interface", daemon_.vsctl_output({"list", "interface"}));
  keep("ovs-appctl dpctl/show", daemon_.appctl("dpctl/show", {}));
  for (const char* what : {"ofproto/list-tunnels", "ovs/route/show", "tnl/neigh/show"})
    keep(fmt::format("ovs-appctl {}", what), daemon_.appctl(what, {}));
  keep("ovs-appctl tnl/ports/show -v", daemon_.appctl("tnl/ports/show", {"-v"}));
}

// The same settings are shown in the same words.
void Bench::keep_once(const std::string& command, const std::string& settings, const Daemon::Words& words) {
  const auto [shown, is_new] = shown_.try_emplace(command + " " + settings);
  if (is_new) shown->second = daemon_.ofctl_output("OpenFlow10", words);
  keep(command, shown->second);
}

void Bench::dump_settings(const std::string& bridge) {
  keep_once("ovs-ofctl show " + bridge, settings_.ports_of(bridge), {"show", bridge});
  keep_once("ovs-ofctl dump-tlv-map " + bridge, fmt::format("{}", settings_.tlv_map()), {"dump-tlv-map", bridge});
}

void Bench::dump_tables(const Configuration& c) {
  const std::string folder = fmt::format("{}/snap/{}", directory_.path(), kNode);
  for (const auto& file : std::filesystem::directory_iterator(folder))
    if (file.path().filename().string().find("dump-flows") != std::string::npos) std::filesystem::remove(file.path());
  const Dialect& d = c.dialect;
  daemon_.describe("fdb/flush", {});
  for (const std::string& b : bench_bridges()) {
    dump_settings(b);
    const std::string flags = d.protocol == "OpenFlow10" ? "" : fmt::format("-O {} ", d.protocol);
    Daemon::Words dump = {"dump-flows", b};
    if (!d.dump_names.empty()) dump.insert(dump.begin(), d.dump_names);
    keep(fmt::format("ovs-ofctl {}{}dump-flows {}", flags, d.dump_names.empty() ? "" : d.dump_names + " ", b),
         daemon_.ofctl_output(d.protocol, dump));
    keep(fmt::format("ovs-ofctl -O {} dump-groups {}", kProtocol, b), daemon_.ofctl_output(kProtocol, {"dump-groups", b}));
    keep("ovs-appctl fdb/show " + b, daemon_.appctl("fdb/show", {b}));
  }
}

void Bench::load(Configuration& c) {
  if (settings_.wants_empty_bridges(c)) loader_.clear(bench_bridges());
  if (settings_.apply(c, bench_bridges())) {
    place_macs();
    dump_rows();
  }
  loader_.fill(c, bench_bridges());
  dump_tables(c);
}

std::vector<std::string> Bench::ask_daemon(const Configuration& c, const std::string& bridge,
                                           const std::vector<std::string>& packets) {
  std::vector<std::string> answers;
  for (const std::string& packet : packets) {
    Daemon::Words words = {bridge, packet};
    if (packet.find("in_port(") != std::string::npos) words = {packet};  // the datapath's port shows the bridge
    if (c.dialect.trace_names == "--names") words.emplace_back("--names");
    for (const std::string& state : c.ct_next) words.insert(words.end(), {"--ct-next", state});
    answers.push_back(trace(words));
    if (is_lost(answers.back())) break;
  }
  return answers;
}

std::vector<std::string> Bench::ask_program(const Configuration& c, const std::string& bridge,
                                            const std::vector<std::string>& packets) {
  const char* const other = std::getenv("EGTRACE_PROGRAM");  // for long runs beside builds
  std::vector<std::string> words = {other != nullptr ? other : EGTRACE_BINARY,
                                    "trace",
                                    directory_.path() + "/snap",
                                    "--node",
                                    kNode,
                                    "--bridge",
                                    bridge,
                                    "--batch",
                                    "-",
                                    "-q"};
  if (!c.dialect.trace_names.empty()) words.push_back(c.dialect.trace_names);
  for (const std::string& state : c.ct_next) words.insert(words.end(), {"--ct-next", state});
  const Ran ran = run(words, fmt::format("{}\n", fmt::join(packets, "\n")));
  auto answers = split_traces(ran.out);
  answers.resize(packets.size(), "no answer: " + ran.err);
  return answers;
}

}  // namespace egt::testing
