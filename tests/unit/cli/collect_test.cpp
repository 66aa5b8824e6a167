// The script of `egtrace collect`, run by a POSIX shell on this very node. What the node does not have are stubs on the
// PATH: containers, a cluster, commands that fail.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::run;
using egt::testing::TemporaryDirectory;
using egt::testing::write_file;

const char* shell() { return std::filesystem::exists("/bin/dash") ? "/bin/dash" : "/bin/sh"; }

// Runs the script with commands of one's own in front of the node's. Archives are unpacked below unpacked/.
class Collecting {
 public:
  void stub(const std::string& command, const std::string& script) const {
    const std::string path = d_.path() + "/bin/" + command;
    write_file(path, "#!/bin/sh\n" + script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // Commands of which the node may have what they print, or not.
  void stub_node() const {
    stub("id", "echo 0\n");
    for (const char* command : {"ip",   "iptables-save", "ip6tables-save", "nft",       "conntrack",  "ipset",   "sysctl",
                                "ss",   "nstat",         "bridge",         "tc",        "bpftool",    "ethtool", "vtysh",
                                "lsns", "ovs-vsctl",     "ovn-nbctl",      "ovn-sbctl", "ovn-appctl", "crictl",  "journalctl"})
      stub(command, "exit 1\n");
  }
  Ran collect(const std::vector<std::string>& options) const {
    const Ran script = run({EGTRACE_BINARY, "collect"});
    std::vector<std::string> command = {"/usr/bin/env", path(), shell(), "-s", "--", "-d", "-n", "here", "-o", "here.tar.gz"};
    // However many namespaces this node has.
    command.insert(command.end(), {"-p", "1"});
    command.insert(command.end(), options.begin(), options.end());
    const Ran ran = run(command, script.out, d_.path());
    if (std::filesystem::exists(d_.path() + "/here.tar.gz")) {
      std::filesystem::create_directory(d_.path() + "/unpacked");
      run({"/bin/tar", "-xzf", "here.tar.gz", "-C", "unpacked"}, "", d_.path());
    }
    return ran;
  }
  std::string file(const std::string& name) const {
    const std::string path = d_.path() + "/unpacked/" + name;
    return std::filesystem::exists(path) ? read_file(path) : std::string();
  }
  std::string path() const {
    return "PATH=" + d_.path() + "/bin:" + std::filesystem::path(EGTRACE_BINARY).parent_path().string() +
           ":/usr/bin:/bin:/usr/sbin:/sbin";
  }
  const std::string& directory() const { return d_.path(); }

 private:
  TemporaryDirectory d_;
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr const char* kStubbedHost =
    "case \"$*\" in\n"
    "'-d addr') printf '2: eth0: <BROADCAST,UP,LOWER_UP> mtu 1500 qdisc noop state UP group default qlen 1000\\n"
    "    link/ether 52:54:00:00:00:01 brd ff:ff:ff:ff:ff:ff promiscuity 0\\n    inet 192.0.2.1/24 scope global eth0\\n"
    "3: br-int: <BROADCAST,MULTICAST> mtu 1500 qdisc noop state DOWN group default\\n';;\n"
    "'xfrm state list nokeys') echo 'src 192.0.2.1 dst 192.0.2.2';;\n"
    "'xfrm state'*) echo 'enc cbc(aes) 0x00112233';;\n"
    "esac\n";

TEST(Collect, GathersAnArchiveThatIsRead) {
  const Ran script = run({EGTRACE_BINARY, "collect"});
  ASSERT_EQ(0, script.status);
  EXPECT_TRUE(script.out.starts_with("#!/bin/sh\n"));
  const TemporaryDirectory d;
  const Ran collected =
      run({shell(), "-s", "--", "-q", "-d", "-n", "here", "-t", "20", "-l", "5", "-p", "2", "-o", "here.tar.gz"}, script.out,
          d.path());
  ASSERT_EQ(0, collected.status) << collected.err;
  EXPECT_EQ(1, std::distance(std::filesystem::directory_iterator(d.path()), std::filesystem::directory_iterator()));
  const Ran inspected = run({EGTRACE_BINARY, "inspect", d.path() + "/here.tar.gz", "--format", "json"});
  EXPECT_EQ(0, inspected.status) << inspected.err;
  EXPECT_NE(std::string::npos, inspected.out.find("\"name\": \"here\"")) << inspected.out;
  EXPECT_NE(std::string::npos, inspected.out.find("egtrace collect 1"));
}

TEST(Collect, RefusesWhatItDoesNotKnow) {
  const Ran script = run({EGTRACE_BINARY, "collect"});
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-t", "soon"}, {"-z"}, {"-w", "-1"}, {"-l", "x"}, {"-T", "0"}}) {
    std::vector<std::string> command = {shell(), "-s", "--"};
    command.insert(command.end(), options.begin(), options.end());
    EXPECT_EQ(2, run(command, script.out).status) << options.front();
  }
  EXPECT_EQ(0, run({shell(), "-s", "--", "-h"}, script.out).status);
}

TEST(Collect, PassesShellcheck) {
  if (!std::filesystem::exists("/usr/bin/shellcheck")) GTEST_SKIP() << "no shellcheck";
  for (const char* script : {EGTRACE_SOURCE_DIR "/tools/egtrace/collect.sh", EGTRACE_SOURCE_DIR "/tools/collect-cluster"})
    EXPECT_EQ("", run({"/usr/bin/shellcheck", "-s", "sh", script}).out);
}

// The switch answers in the second container; each dump of flows counts on.
TEST(Collect, AsksASwitchInAContainerTwice) {
  const Collecting node;
  node.stub_node();
  node.stub("ip", kStubbedHost);
  node.stub("crictl",
            "case \"$*\" in\n"
            "'ps -q --name ovs|'*) printf 'id-a\\nid-b\\n';;\n"
            "'exec id-b ovs-vsctl -t 5 list-br') echo br-int;;\n"
            "'exec id-b ovs-ofctl dump-flows br-int') echo x >>" +
                node.directory() +
                "/asked\n"
                "  echo \"NXST_FLOW reply (xid=0x4):\"\n"
                "  echo \" cookie=0x1, duration=9s, table=0, n_packets=$(wc -l <" +
                node.directory() +
                "/asked), n_bytes=0, priority=1 actions=drop\";;\n"
                "'exec id-b ovs-vsctl -t 20 list interface') echo 'options : {psk=geheim}';;\n"
                "*) exit 1;;\nesac\n");
  const Ran ran = node.collect({"-w", "1", "-l", "0"});
  ASSERT_EQ(0, ran.status) << ran.err;
  EXPECT_TRUE(contains(node.file("here/ovs-ofctl_dump-flows_br-int"), "n_packets=1,"));
  EXPECT_TRUE(contains(node.file("here/later/ovs-ofctl_dump-flows_br-int"), "n_packets=2,"));
  EXPECT_TRUE(contains(node.file("here/ovs-vsctl_-t_20_list_interface"), "psk=(masked)"));
  EXPECT_TRUE(contains(node.file("here/egtrace-collect.tsv"), "later/ovs-ofctl_dump-flows_br-int\tovs-ofctl dump-flows br-int"));
  const Ran flows = run({EGTRACE_BINARY, "flows", "here.tar.gz", "--format", "json"}, "", node.directory());
  EXPECT_TRUE(contains(flows.out, "here/ovs-ofctl_dump-flows_br-int")) << flows.out << flows.err;
  EXPECT_TRUE(contains(flows.out, "\"found\": 1")) << flows.out;
  EXPECT_TRUE(contains(flows.out, "\"n_packets\": 1")) << flows.out;
  EXPECT_FALSE(contains(flows.out, "\"n_packets\": 2")) << flows.out;
  EXPECT_TRUE(contains(flows.out, "\"dump\": \"here/later/ovs-ofctl_dump-flows_br-int\"")) << flows.out;
}

TEST(Collect, AsksOnceWhereTheTimeBetweenIsNone) {
  const Collecting node;
  node.stub_node();
  node.stub("ovs-vsctl", "[ \"$*\" != '-t 5 list-br' ] || echo br-int\n");
  node.stub("ovs-ofctl",
            "[ \"$1\" != dump-flows ] || echo ' cookie=0x1, table=0, n_packets=1, n_bytes=0, priority=1 actions=drop'\n");
  EXPECT_EQ(0, node.collect({"-w", "0", "-l", "0", "-q"}).status);
  EXPECT_NE("", node.file("here/ovs-ofctl_dump-flows_br-int"));
  EXPECT_FALSE(std::filesystem::exists(node.directory() + "/unpacked/here/later"));
}

TEST(Collect, KeepsPodsNamespacesFromTheHost) {
  const Collecting node;
  node.stub_node();
  node.stub("ip", kStubbedHost);
  const std::string netns = node.directory() + "/cni-1";
  write_file(netns, "");
  node.stub("crictl", "case \"$*\" in\n'pods -q --state ready') echo id;;\n'inspectp '*) echo \"web_front-1 " + netns +
                          "\";;\n*) exit 1;;\nesac\n");
  node.stub("nsenter",
            "[ \"$1\" = --net=" + netns +
                " ] || exit 1\nshift\ncase \"$*\" in\n"
                "'ip -d addr') printf '3: eth0@if9: <BROADCAST,UP,LOWER_UP> mtu 1400 qdisc noop state UP group default\\n"
                "    link/ether 0a:58:0a:80:00:05 brd ff:ff:ff:ff:ff:ff link-netnsid 0 promiscuity 0\\n    inet 10.128.0.5/23 "
                "scope global eth0\\n';;\n"
                "'ss -tulpan') printf 'Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\\ntcp LISTEN 0 5 "
                "0.0.0.0:8080 0.0.0.0:*\\n';;\nesac\n");
  ASSERT_EQ(0, node.collect({"-q", "-l", "0"}).status);
  EXPECT_TRUE(contains(node.file("here/netns/web_front-1/ip_netns_exec_web_front-1_ip_-d_addr"), "10.128.0.5"));
  EXPECT_TRUE(contains(node.file("here/netns/names.tsv"), "web_front-1\t" + netns));
  const Ran inspected = run({EGTRACE_BINARY, "inspect", "here.tar.gz"}, "", node.directory());
  EXPECT_TRUE(contains(inspected.out, "addresses 192.0.2.1\n")) << inspected.out;
  const Ran lookup = run({EGTRACE_BINARY, "lookup", "here.tar.gz", "10.128.0.5"}, "", node.directory());
  EXPECT_FALSE(contains(lookup.out, "device eth0")) << lookup.out;
  const Ran listed = run({EGTRACE_BINARY, "inspect", "here.tar.gz", "-v"}, "", node.directory());
  for (const char* kind : {"ip addr  ", "ip rule  ", "ss  "})
    EXPECT_TRUE(contains(listed.out, std::string(kind) + "here/netns/web_front-1/")) << listed.out;
}

TEST(Collect, SaysWhatIsMissingAndWhy) {
  const Collecting node;
  node.stub_node();
  node.stub("ip", kStubbedHost);
  node.stub("hostname", "echo 'hostname: boom' >&2\nexit 3\n");
  node.stub("nstat", "sleep 30\n");
  const Ran ran = node.collect({"-t", "1", "-l", "0"});
  EXPECT_EQ(0, ran.status);
  const std::string missing = node.file("here/egtrace-missing.tsv");
  EXPECT_TRUE(contains(missing, "failed\thostname\thostname: boom\n")) << missing;
  EXPECT_TRUE(contains(missing, "time limit\tnstat -asz\t")) << missing;
  EXPECT_TRUE(contains(missing, "no Open vSwitch answers\t")) << missing;
  EXPECT_TRUE(contains(ran.err, "collect: missing (time limit): nstat -asz\n")) << ran.err;
}

TEST(Collect, KeepsToItsLimitsOfTimeAndSize) {
  const Collecting node;
  node.stub_node();
  node.stub("ip", "yes x | head -c 3000000\n");
  EXPECT_EQ(0, node.collect({"-q", "-s", "1", "-S", "2", "-l", "0"}).status);
  EXPECT_EQ(1048576u, node.file("here/ip_-d_addr").size());
  EXPECT_TRUE(contains(node.file("here/egtrace-missing.tsv"), "size limit of all\t"));
  const Collecting slow;
  slow.stub_node();
  slow.stub("ip", "sleep 3\necho x\n");  // one call ends in time however busy this node is, not all do
  EXPECT_EQ(0, slow.collect({"-q", "-T", "9", "-l", "0"}).status);
  EXPECT_TRUE(contains(slow.file("here/egtrace-missing.tsv"), "time limit of all\t"));
}

TEST(Collect, FailsWhereItIsUseless) {
  const Collecting node;
  node.stub_node();
  const Ran ran = node.collect({"-q", "-l", "0"});
  EXPECT_EQ(1, ran.status);
  EXPECT_TRUE(contains(ran.err, "useless")) << ran.err;
  EXPECT_NE("", node.file("here/egtrace-missing.tsv"));
}

TEST(Collect, MasksLogsAndAsksForNoKeys) {
  const Collecting node;
  node.stub_node();
  node.stub("ip", kStubbedHost);
  node.stub("crictl",
            "case \"$1 $2 $3 $4\" in\n'ps -q --name ^ovn-controller$') echo id;;\n"
            "'logs --tail 7 id') echo 'x token=\"geheim1\" Bearer geheim2 password: geheim3 https://u:geheim4@h/ neighbor "
            "1.2.3.4 password geheim5 end' >&2;;\n"
            "*) exit 1;;\nesac\n");
  ASSERT_EQ(0, node.collect({"-q", "-l", "7"}).status);
  const std::string log = node.file("here/var/log/container-ovn-controller.log");
  EXPECT_TRUE(contains(log, " end\n")) << log;
  EXPECT_FALSE(contains(log, "geheim")) << log;
  EXPECT_FALSE(contains(node.file("here/ip_xfrm_state_list_nokeys"), "0x00112233"));
}

TEST(Collect, GathersObjectsOfKindsThatTheClusterHas) {
  const Collecting node;
  node.stub("oc",
            "case \"$2\" in\n"
            "pods) printf 'apiVersion: v1\\nkind: Pod\\nmetadata: {name: a, namespace: n}\\nspec:\\n  containers:\\n  - "
            "env:\\n    - name: X\\n"
            "      value: geheim\\n';;\n"
            "bgppeers.metallb.io) printf 'kind: BGPPeer\\nspec:\\n  password: geheim\\n  peerASN: 64512\\n';;\n"
            "frrconfigurations.frrk8s.metallb.io) printf 'kind: FRRConfiguration\\nspec:\\n  raw:\\n    rawConfig: \"neighbor "
            "192.0.2.9 password geheim\"\\n';;\n"
            "*) echo \"error: the server doesn't have a resource type\" >&2; exit 1;;\nesac\n");
  const Ran ran = node.collect({"-k"});
  ASSERT_EQ(0, ran.status) << ran.err;
  EXPECT_TRUE(contains(node.file("objects/oc_get_bgppeers.metallb.io_--all-namespaces_-o_yaml"), "peerASN: 64512"));
  for (const char* kind : {"pods", "bgppeers.metallb.io", "frrconfigurations.frrk8s.metallb.io"}) {
    const std::string text = node.file(std::string("objects/oc_get_") + kind + "_--all-namespaces_-o_yaml");
    EXPECT_TRUE(contains(text, "(masked)")) << kind;
    EXPECT_FALSE(contains(text, "geheim")) << kind;
  }
  EXPECT_FALSE(contains(ran.err, "missing")) << ran.err;
  node.stub("oc", "echo 'Unable to connect to the server' >&2\nexit 1\n");
  EXPECT_EQ(1, node.collect({"-k", "-q"}).status);
}

// --- collect-cluster ---------------------------------------------------------------------------------------------------

// A script as short as can be, in place of the real one: what the node's name is, and what is useless there.
constexpr const char* kShortScript =
    "name=objects status=0\nwhile [ $# -gt 0 ]; do case $1 in -n) name=$2;; esac; shift; done\n"
    "d=$(mktemp -d)\nmkdir \"$d/$name\"\n"
    "printf '# egtrace collect 1: time\\n' >\"$d/$name/egtrace-collect.tsv\"\n"
    "echo \"$name\" >\"$d/$name/hostname\"\n[ \"$name\" != w3 ] || status=1\n"
    "(cd \"$d\" && tar -cf - \"$name\") | gzip\nrm -rf \"$d\"\nexit $status\n";

Ran collect_cluster(const Collecting& node, const std::vector<std::string>& options) {
  std::vector<std::string> command = {"/usr/bin/env", node.path(), shell(), EGTRACE_SOURCE_DIR "/tools/collect-cluster",
                                      "-o",           "all.tar"};
  command.insert(command.end(), options.begin(), options.end());
  return run(command, "", node.directory());
}

// `timeout` of these tests ends at once what is done on the node `hung`.
void stub_timeout(const Collecting& node) {
  node.stub(
      "timeout",
      "while [ \"${1#-}\" != \"$1\" ]; do shift 2; done\nshift\ncase \"$*\" in *node/hung*) exit 124;; esac\nexec \"$@\"\n");
}

TEST(CollectCluster, MakesOneArchiveAndNamesWhatIsMissing) {
  const Collecting node;
  write_file(node.directory() + "/script", kShortScript);
  stub_timeout(node);
  node.stub("oc",
            "case \"$*\" in\n'get nodes -o name') printf 'node/w1\\nnode/w2\\nnode/w3\\nnode/hung\\nnode/w4\\n'; exit;;\n"
            "*node/w2*) echo 'Error from server: no such node' >&2; exit 1;;\n*node/w4*) printf 'cut' | gzip | head -c 12; "
            "exit;;\nesac\n"
            "while [ \"$1\" != chroot ]; do shift; done\nshift 2\nexec \"$@\"\n");
  const Ran ran = collect_cluster(node, {"-c", "script", "-j", "2", "-q"});
  EXPECT_EQ(1, ran.status) << ran.err;
  for (const char* line :
       {"missing: w2 (failed, status 1: Error from server: no such node)", "missing: w3 (status 1, nothing useful)",
        "missing: hung (time limit)", "missing: w4 (failed, status 0)"})
    EXPECT_TRUE(contains(ran.err, line)) << line << '\n' << ran.err;
  EXPECT_FALSE(contains(ran.err, "w1"));
  const std::string names = run({"/bin/tar", "-tf", "all.tar"}, "", node.directory()).out;
  EXPECT_TRUE(contains(names, "/w1.tar.gz\n") && contains(names, "/objects.tar.gz\n") &&
              contains(names, "/egtrace-collect-cluster.tsv\n"))
      << names;
  EXPECT_FALSE(contains(names, "w2") || contains(names, "w3") || contains(names, "w4") || contains(names, "hung")) << names;
  const Ran inspected = run({EGTRACE_BINARY, "inspect", "all.tar"}, "", node.directory());
  EXPECT_TRUE(contains(inspected.out, "\nw1  ")) << inspected.out;
}

// kubectl debug leaves its pod: it is deleted, also of a node on which something failed.
TEST(CollectCluster, DeletesThePodsOfKubectlDebug) {
  const Collecting node;
  write_file(node.directory() + "/script", kShortScript);
  stub_timeout(node);
  node.stub("kubectl", "echo \"$*\" >>" + node.directory() +
                           "/log\n"
                           "case \"$*\" in\n'get nodes -l a=b -o name') printf 'node/w1\\nnode/w2\\n';;\n"
                           "debug*node/w?*) n=${2#node/}; echo \"Creating debugging pod node-debugger-$n-x7 with container "
                           "debugger on node $n.\";;\n"
                           "wait*) ;;\n*exec*w2-x7*) exit 7;;\n"
                           "exec*) while [ \"$1\" != chroot ]; do shift; done; shift 2; exec \"$@\";;\nesac\n");
  const Ran ran = collect_cluster(node, {"-C", "kubectl", "-N", "debugging", "-l", "a=b", "-c", "script"});
  EXPECT_EQ(1, ran.status) << ran.err;
  EXPECT_TRUE(contains(ran.err, "missing: w2 (failed, status 7)")) << ran.err;
  const std::string log = read_file(node.directory() + "/log");
  EXPECT_TRUE(contains(log, "--profile=sysadmin")) << log;
  for (const char* pod : {"delete pod node-debugger-w1-x7 -n debugging", "delete pod node-debugger-w2-x7 -n debugging"})
    EXPECT_TRUE(contains(log, pod)) << log;
}

// With the script that the program prints.
TEST(CollectCluster, RunsTheProgramsScript) {
  const Collecting node;
  node.stub_node();
  node.stub("ip", kStubbedHost);
  node.stub("oc",
            "case \"$*\" in\n'get pods '*) echo 'kind: Pod';;\nget*) exit 1;;\nesac\n"
            "case $1 in debug) while [ \"$1\" != chroot ]; do shift; done; shift 2; exec \"$@\";; esac\n");
  const Ran ran = collect_cluster(node, {"-x", "-d -w 0 -l 0 -p 0", "w1"});
  EXPECT_EQ(0, ran.status) << ran.err;
  const Ran inspected = run({EGTRACE_BINARY, "inspect", "all.tar"}, "", node.directory());
  EXPECT_TRUE(contains(inspected.out, "addresses 192.0.2.1\n")) << inspected.out;
}

TEST(CollectCluster, RefusesWhatItDoesNotKnow) {
  const Collecting node;
  node.stub("oc", "exit 1\n");
  EXPECT_EQ(2, collect_cluster(node, {"-j", "0"}).status);
  EXPECT_EQ(2, collect_cluster(node, {"-z"}).status);
  EXPECT_EQ(2, collect_cluster(node, {"-c", "/no/such/file"}).status);
  EXPECT_EQ(2, collect_cluster(node, {"--", "../w1"}).status);
  EXPECT_EQ(2, collect_cluster(node, {}).status);
  EXPECT_FALSE(std::filesystem::exists(node.directory() + "/all.tar"));
}

}  // namespace
