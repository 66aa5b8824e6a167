#include "bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

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
  static const std::vector<std::string> all = {"br-int", "br-ex"};
  return all;
}

Bench::Bench() : daemon_(directory_.path()) {
  if (daemon_.good()) make_bridges();
  if (daemon_.good()) dump_once();
}

void Bench::make_bridges() {
  Daemon::Words words;
  const auto add = [&](const Daemon::Words& more) {
    if (!words.empty()) words.emplace_back("--");
    words.insert(words.end(), more.begin(), more.end());
  };
  for (const std::string& b : bench_bridges()) {
    add({"add-br", b});
    add({"set", "bridge", b, "datapath_type=dummy",
         "protocols=OpenFlow10,OpenFlow11,OpenFlow12,OpenFlow13,OpenFlow14,OpenFlow15",
         fmt::format("fail_mode={}", b == "br-int" ? "secure" : "standalone"), "other_config:disable-in-band=true"});
  }
  const auto port = [&](const std::string& bridge, const std::string& name, unsigned number,
                        const Daemon::Words& more) {
    Daemon::Words one = {"add-port", bridge, name, "--", "set", "interface", name};
    one.push_back(fmt::format("ofport_request={}", number));
    one.insert(one.end(), more.begin(), more.end());
    daemon_.vsctl(one);
  };
  daemon_.vsctl(words);
  // One after another: the order in which the switch floods is that in which ports came.
  for (unsigned p = 1; p <= 4; ++p) port("br-int", fmt::format("p{}", p), p, {});
  for (unsigned p = 1; p <= 3; ++p) port("br-ex", fmt::format("q{}", p), p, {});
  port("br-int", "patch-int", 10, {"type=patch", "options:peer=patch-ex"});
  port("br-ex", "patch-ex", 10, {"type=patch", "options:peer=patch-int"});
  daemon_.vsctl({"set", "port", "q3", "tag=5"});
  for (const std::string& b : bench_bridges())
    daemon_.ofctl(kProtocol, {"add-meter", b, "meter=1 pktps bands=type=drop rate=10"});
}

void Bench::keep(const std::string& command, const std::string& text) const {
  write_file(fmt::format("{}/snap/{}/{}", directory_.path(), kNode, file_name(command)), text);
}

void Bench::dump_once() {
  keep("ovs-vsctl show", daemon_.vsctl_output({"show"}));
  keep("ovs-vsctl list interface", daemon_.vsctl_output({"list", "interface"}));
  keep("ovs-appctl dpctl/show", daemon_.appctl("dpctl/show", {}));
  for (const std::string& b : bench_bridges())
    keep("ovs-ofctl show " + b, daemon_.ofctl_output("OpenFlow10", {"show", b}));
}

void Bench::dump_tables(const Configuration& c) {
  const std::string folder = fmt::format("{}/snap/{}", directory_.path(), kNode);
  for (const std::string& b : bench_bridges()) {
    std::filesystem::remove(folder + "/" + file_name("ovs-ofctl dump-flows " + b));
    std::filesystem::remove(folder + "/" + file_name(fmt::format("ovs-ofctl -O {} dump-flows {}", kProtocol, b)));
    const std::string protocol = c.old_dialect ? "OpenFlow10" : kProtocol;
    const std::string flags = c.old_dialect ? "" : fmt::format("-O {} ", kProtocol);
    keep(fmt::format("ovs-ofctl {}dump-flows {}", flags, b), daemon_.ofctl_output(protocol, {"dump-flows", b}));
    keep(fmt::format("ovs-ofctl -O {} dump-groups {}", kProtocol, b),
         daemon_.ofctl_output(kProtocol, {"dump-groups", b}));
    keep("ovs-appctl fdb/show " + b, daemon_.appctl("fdb/show", {b}));
  }
}

void Bench::load(Configuration& c) {
  for (const std::string& b : bench_bridges()) {
    daemon_.ofctl(kProtocol, {"del-flows", b});
    daemon_.ofctl(kProtocol, {"del-groups", b});
    add_groups(c, b);
    add_flows(c, b);
  }
  dump_tables(c);
}

// All at once; where something is refused, one after another.
void Bench::add_flows(Configuration& c, const std::string& bridge) {
  std::string all;
  for (const GeneratedFlow& f : c.flows)
    if (f.bridge == bridge) all += text_of(f) + "\n";
  if (daemon_.ofctl(kProtocol, {"--bundle", "add-flows", bridge, "-"}, all).empty()) return;
  std::erase_if(c.flows, [&](const GeneratedFlow& f) {
    if (f.bridge != bridge) return false;
    const std::string error = daemon_.ofctl(kProtocol, {"add-flow", bridge, text_of(f)});
    if (!error.empty() && std::getenv("EGTRACE_SHOW_REFUSED")) fmt::print("{}\n{}\n", text_of(f), error);
    refused_ += error.empty() ? 0 : 1;
    return !error.empty();
  });
}

void Bench::add_groups(Configuration& c, const std::string& bridge) {
  std::string all;
  for (const GeneratedGroup& g : c.groups)
    if (g.bridge == bridge) all += text_of(g) + "\n";
  if (daemon_.ofctl(kProtocol, {"add-groups", bridge, "-"}, all).empty()) return;
  daemon_.ofctl(kProtocol, {"del-groups", bridge});
  std::erase_if(c.groups, [&](const GeneratedGroup& g) {
    if (g.bridge != bridge) return false;
    const std::string error = daemon_.ofctl(kProtocol, {"add-group", bridge, text_of(g)});
    if (!error.empty() && std::getenv("EGTRACE_SHOW_REFUSED")) fmt::print("{}\n{}\n", text_of(g), error);
    refused_ += error.empty() ? 0 : 1;
    return !error.empty();
  });
}

std::vector<std::string> Bench::ask_daemon(const Configuration& c, const std::string& bridge,
                                           const std::vector<std::string>& packets) {
  std::vector<std::string> answers;
  for (const std::string& packet : packets) {
    Daemon::Words words = {bridge, packet};
    for (const std::string& state : c.ct_next) words.insert(words.end(), {"--ct-next", state});
    answers.push_back(daemon_.appctl("ofproto/trace", words));
    if (is_lost(answers.back())) break;
  }
  return answers;
}

std::vector<std::string> Bench::ask_program(const Configuration& c, const std::string& bridge,
                                            const std::vector<std::string>& packets) {
  std::vector<std::string> words = {
      EGTRACE_BINARY, "trace", directory_.path() + "/snap", "--node", kNode, "--bridge", bridge, "--batch", "-", "-q"};
  for (const std::string& state : c.ct_next) words.insert(words.end(), {"--ct-next", state});
  const Ran ran = run(words, fmt::format("{}\n", fmt::join(packets, "\n")));
  auto answers = split_traces(ran.out);
  answers.resize(packets.size(), "no answer: " + ran.err);
  return answers;
}

}  // namespace egt::testing
