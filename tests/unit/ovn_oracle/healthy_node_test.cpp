// Nodes that run as they are configured: ovn-controller and ovs-vswitchd of random northbound configurations, of which triage must have
// no finding but what is wrong with the configuration itself. Skipped where OVN is not installed. EGTRACE_CASES=N asks for N nodes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "configurator.h"
#include "support/run.h"

namespace egt::testing {
namespace {

namespace fs = std::filesystem;

// True of what phrases say of next hops, whoever runs.
const std::set<std::string> kOfConfiguration = {"next-hop-without-path"};

std::string switch_schema() {
  const std::string other = ovn_schemas() + "/../openvswitch/vswitch.ovsschema";
  return fs::exists(other) ? other : "/usr/share/openvswitch/vswitch.ovsschema";
}

// Open vSwitch with a datapath of its own kind that needs no kernel, and ovn-controller as chassis hv1.
class Node {
 public:
  explicit Node(const std::string& directory) : dir_(directory) {
    good_ =
        start_database(dir_, "conf", switch_schema()) && vsctl({"--no-wait", "init"}) &&
        must(here({"ovs-vswitchd", "unix:" + dir_ + "/conf.sock", "--detach", "--no-chdir", "--log-file=/dev/null",
                   "--pidfile=" + dir_ + "/vswitchd.pid", "--unixctl=" + dir_ + "/vswitchd.ctl", "--enable-dummy=override",
                   "--disable-system"})) &&
        vsctl({"set", "open", ".", "external_ids:system-id=hv1", "external_ids:hostname=hv1",
               "external_ids:ovn-remote=unix:" + dir_ + "/sb.sock", "external_ids:ovn-encap-type=geneve",
               "external_ids:ovn-encap-ip=127.0.0.1", "external_ids:ovn-bridge-mappings=phys0:br-ex,phys1:br-ex,phys2:br-ex"}) &&
        vsctl({"add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=dummy", "fail-mode=secure"}) &&
        vsctl({"add-br", "br-ex", "--", "set", "bridge", "br-ex", "datapath_type=dummy"});
  }
  ~Node() {
    for (const char* name : {"controller", "vswitchd", "conf"}) end_daemon(dir_, name);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  bool add_port(const std::string& name) {
    return vsctl({"add-port", "br-int", "i-" + name, "--", "set", "interface", "i-" + name, "type=dummy",
                  "external_ids:iface-id=" + name});
  }
  bool start_controller() {
    return must(here({"ovn-controller", "unix:" + dir_ + "/conf.sock", "--detach", "--no-chdir",
                      "--log-file=" + dir_ + "/controller.log", "--pidfile=" + dir_ + "/controller.pid"}));
  }
  // The switch refuses flows of some matches that expressions allow, and ovn-controller begins anew without end.
  bool has_refused_flows() const { return read_file(dir_ + "/controller.log").find("OpenFlow error") != std::string::npos; }
  void dump(const std::string& to) const {
    for (const char* words : {"dump-flows", "dump-groups"})
      write_file(fmt::format("{}/ovs-ofctl_-O_OpenFlow15_{}_br-int", to, words), ofctl({"-O", "OpenFlow15", words}));
    write_file(to + "/ovs-ofctl_show_br-int", ofctl({"show"}));
    write_file(to + "/hostname", "hv1\n");
    for (const auto& [name, dump] : {std::pair{"conf", "conf.db"}, {"nb", "ovnnb_db.db"}, {"sb", "ovnsb_db.db"}})
      fs::copy_file(fmt::format("{}/{}.db", dir_, name), fmt::format("{}/{}", to, dump));
  }
  bool good() const { return good_; }

 private:
  // With the directory for sockets that programs look for by themselves.
  Words here(Words words) const {
    words.insert(words.begin(), {"env", "OVS_RUNDIR=" + dir_, "OVN_RUNDIR=" + dir_});
    return words;
  }
  bool vsctl(Words words) const {
    words.insert(words.begin(), {"ovs-vsctl", "--timeout=20", "--db=unix:" + dir_ + "/conf.sock"});
    return must(here(std::move(words)));
  }
  std::string ofctl(Words words) const {
    words.insert(words.begin(), "ovs-ofctl");
    words.push_back("unix:" + dir_ + "/br-int.mgmt");
    return run(words).out;
  }

  std::string dir_;
  bool good_ = true;
};

// Nothing where ovn-controller did not come to the end.
void look_for_findings(unsigned seed, unsigned& nodes) {
  TemporaryDirectory directory;
  Central central(directory.path());
  Node node(directory.path());
  ASSERT_TRUE(central.good() && node.good());
  PhraseGrammar grammar = configuration_grammar(seed);
  Configurator(central, grammar).configure();
  central.control("sb", {"chassis-del", "hv1"});  // the node makes its own
  for (unsigned s = 0; s < kSwitches; ++s)
    for (unsigned p = 0; p < kPorts; ++p)
      if (grammar.below(5) < 3) ASSERT_TRUE(node.add_port(fmt::format("sw{}-p{}", s, p)));
  ASSERT_TRUE(node.start_controller());
  if (!central.control("nb", {"--wait=hv", "--timeout=30", "sync"}) || node.has_refused_flows()) return;
  const std::string snapshot = directory.path() + "/snapshot";
  fs::create_directories(snapshot + "/hv1");
  node.dump(snapshot + "/hv1");
  const Ran triage = run({EGTRACE_BINARY, "triage", snapshot, "--format", "json"});
  for (const auto& finding : nlohmann::json::parse(triage.out)["findings"])
    EXPECT_TRUE(kOfConfiguration.contains(finding["id"])) << "seed " << seed << ": " << finding.dump(1);
  ++nodes;
}

TEST(HealthyNodeOracle, HasNoFinding) {
  for (const char* program : {"ovn-northd", "ovn-controller", "ovn-nbctl", "ovn-sbctl", "ovs-vswitchd", "ovs-vsctl", "ovs-ofctl"})
    if (!has_program(program)) GTEST_SKIP() << program << " is not installed";
  const char* asked = std::getenv("EGTRACE_CASES");
  const auto wanted = asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 3;
  unsigned nodes = 0, seed = 0;
  while (nodes < wanted && seed < 2 * wanted + 5) look_for_findings(++seed, nodes);
  fmt::print("{} nodes of {} configurations\n", nodes, seed);
  EXPECT_GT(2 * nodes, wanted);
}

}  // namespace
}  // namespace egt::testing
