// Secrets of a snapshot, planted, then looked for in whatever each verb prints and writes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ovsdb/sha1.h"
#include "support/pack.h"
#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::TemporaryDirectory;

constexpr const char* kCanary = "Tm90IGEgc2VjcmV0IGJ1dCBhIGNhbmFyeQ";

std::string with_canaries(std::string text) {
  for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) text.replace(at, 1, kCanary);
  return text;
}

class Canaries : public ::testing::Test {
 protected:
  void SetUp() override {
    const fs::path sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
    fs::create_directory(dumps());
    for (const char* node : {"master-01-demo", "k8s"})
      fs::copy(sample / node, fs::path(home_.path()) / "dumps" / node, fs::copy_options::recursive);
    plant(
        "k8s/secrets.yaml",
        "apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    key: @\n  kind: Secret\n  metadata:\n    name: s\nkind: List\n");
    plant("k8s/extra_pods.yaml",
          "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: demo-egress}\nspec:\n  nodeName: master-01-demo\n  "
          "containers:\n"
          "  - name: c\n    env:\n    - name: TOKEN\n      value: @\n---\napiVersion: v1\nkind: Secret\nstringData:\n  a: @\n");
    plant("k8s/secret.json", R"({"apiVersion": "v1", "kind": "Secret", "data": {"key": "@"}})");
    plant("kubeconfig", "apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    client-key-data: @\n    token: @\n");
    plant("master-01-demo/id_rsa", "-----BEGIN OPENSSH PRIVATE KEY-----\n@\n-----END OPENSSH PRIVATE KEY-----\n");
    plant("master-01-demo/frr.conf",
          "frr version 8.5\nfrr defaults traditional\nrouter bgp 64512\n neighbor 10.0.0.1 password @\n"
          "mystery command\nkey chain k\n key 1\n  key-string @\n");
    plant("master-01-demo/sysctl_-a", "net.ipv4.ip_forward = 1\nnet.ipv4.tcp_fastopen_key = @\n");
    plant("k8s/list.json",
          R"({"kind": "SecretList", "apiVersion": "v1", "items": [{"metadata": {"name": "s"}, "data": {"key": "@"}}]})");
    plant(
        "k8s/more_pods.json",
        R"({"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "q", "namespace": "demo-egress"}, )"
        R"("spec": {"nodeName": "master-01-demo", "containers": [{"env": [{"name": "A", "value": "@"}]}]}, "status": {"podIP": "10.133.0.77"}}]})");
    plant("master-01-demo/notes.txt",
          "# ip -6 rule\n0:\tfrom all lookup local\n# cat /etc/shadow\nroot:$6$s$@:19000:0:99999:7:::\n");
    plant_database(
        "master-01-demo/conf.db",
        R"({"name": "Open_vSwitch", "version": "8.3.0", "tables": {"Interface": {"columns": {"name": {"type": "string"}, )"
        R"("options": {"type": {"key": "string", "value": "string", "min": 0, "max": "unlimited"}}}}}})",
        R"({"Interface": {"00000000-0000-4000-8000-000000000001": {"name": "tunnel-1", "options": ["map", [["psk", "@"]]]}}})");
    plant("master-01-demo/shadow", "root:@:19000:0:99999:7:::\n");
    plant("sos-private_map", R"({"ip_map": {"10.1.2.3": "100.0.0.1"}, "hostname_map": {"@": "host0"}, "mac_map": {}})");
  }

  void plant(const std::string& path, const std::string& text) const { home_.file("dumps/" + path, with_canaries(text)); }
  void plant_database(const std::string& path, const std::string& schema, const std::string& rows) const {
    std::string records;
    for (const std::string& json : {schema, with_canaries(rows)})
      records += "OVSDB JSON " + std::to_string(json.size()) + " " + egt::parsers::ovsdb::sha1(json) + "\n" + json;
    home_.file("dumps/" + path, records);
  }
  std::string dumps() const { return home_.path() + "/dumps"; }

  static void expect_none(const std::string& where, const std::string& text) {
    EXPECT_EQ(std::string::npos, text.find(kCanary)) << where << ":\n" << text.substr(0, 3000);
  }

  Ran egtrace(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), EGTRACE_BINARY);
    Ran ran = egt::testing::run(arguments, "", home_.path());
    expect_none(arguments[1], ran.out);
    expect_none(arguments[1], ran.err);
    return ran;
  }

  TemporaryDirectory home_;
};

TEST_F(Canaries, NoTableHasOne) {
  for (const char* table : {"lines_not_understood", "database_rows", "ports", "pods", "netfilter_rules"})
    egtrace({"sql", dumps(), std::string("SELECT * FROM ") + table, "--format", "json"});
  const std::string file = home_.path() + "/case.sqlite";
  ASSERT_EQ(0, egtrace({"export", dumps(), "-o", file, "--table", "lines_not_understood", "--table", "database_rows", "--table",
                        "ports"})
                   .status);
  expect_none(file, read_file(file));
}

TEST_F(Canaries, NoVerbShowsOne) {
  const std::string expectations = home_.file(
      "expect.yaml", "version: 1\nexpect:\n  - {name: n, from: demo-egress/*, to: 192.0.2.1:80, verdict: delivered}\n");
  const std::vector<std::string> to = {"--from", "demo-egress/requester-3a", "--to", "192.0.2.1:80"};
  for (const std::vector<std::string>& line : std::vector<std::vector<std::string>>{
           {"inspect", dumps(), "-vv"},
           {"inspect", dumps(), "--format", "json"},
           {"explain", dumps(), to[0], to[1], to[2], to[3], "-vv"},
           {"explain", dumps(), to[0], to[1], to[2], to[3], "--format", "json"},
           {"assert", dumps(), to[0], to[1], to[2], to[3], "--verdict", "delivered", "-v"},
           {"audit", dumps(), "--format", "json"},
           {"triage", dumps(), "--format", "json"},
           {"check", dumps(), expectations, "--junit", "out.xml"},
           {"check", dumps(), expectations, "--sarif", "out.sarif"},
           {"check", dumps(), expectations, "--write-baseline", "out.json", "--format", "github"},
           {"triage", dumps(), "--format", "github"},
           {"triage", dumps(), "--format", "gitlab"},
           {"diff", dumps(), EGTRACE_SOURCE_DIR "/samples/egressip-secondary", "--format", "html"},
           {"lookup", dumps(), "10.0.0.1", "--format", "json"},
           {"lookup", dumps(), "10.133.0.77", "--format", "json"},
           {"lookup", dumps(), "tunnel-1", "--format", "json"},
           {"flows", dumps(), "--format", "json"},
           {"diff", dumps(), dumps(), "--only", "rules"}})
    EXPECT_NE(2, egtrace(line).status) << line[0];
  for (const char* file : {"out.xml", "out.sarif", "out.json"}) expect_none(file, read_file(home_.path() + "/" + file));
}

TEST_F(Canaries, ParseMasksThem) {
  for (const char* file : {"k8s/secrets.yaml", "k8s/secret.json", "k8s/list.json", "kubeconfig", "master-01-demo/conf.db",
                           "master-01-demo/notes.txt", "master-01-demo/frr.conf", "master-01-demo/sysctl_-a"})
    for (const char* format : {"text", "json"}) egtrace({"parse", dumps() + "/" + file, "--format", format});
}

TEST_F(Canaries, CompileLeavesThemBehind) {
  const Ran ran = egtrace({"compile", dumps(), "-o", "s.egt"});
  ASSERT_EQ(0, ran.status) << ran.err;
  expect_none("s.egt", read_file(home_.path() + "/s.egt"));
  for (const char* line : {"packed    master-01-demo/ip_-d_addr  ", "left out  kubeconfig\n", "left out  master-01-demo/id_rsa\n",
                           "left out  master-01-demo/shadow\n", "left out  sos-private_map\n", "left out  k8s/secret.json\n"})
    EXPECT_NE(std::string::npos, ran.out.find(line)) << line << ran.out;
  const std::vector<std::string> rest = {"--from", "demo-egress/requester-3a", "--to", "192.0.2.1:80", "-q"};
  const auto explained = [&](const std::string& snapshot) {
    return egtrace({"explain", snapshot, rest[0], rest[1], rest[2], rest[3], rest[4]}).out;
  };
  EXPECT_EQ(explained(dumps()), explained("s.egt"));
}

// The script with commands that show canaries.
TEST_F(Canaries, CollectMasksThem) {
  const auto command = [&](const std::string& name, const std::string& prints) {
    fs::permissions(home_.file("bin/" + name, "#!/bin/sh\ncat <<'END'\n" + with_canaries(prints) + "END\n"),
                    fs::perms::owner_all);
  };
  command(
      "vtysh",
      "frr version 8.5\nrouter bgp 64512\n neighbor 10.0.0.1 password @\n neighbor 10.0.0.1 remote-as 1\nenable password 8 @\n"
      "interface a\n ip ospf message-digest-key 1 md5 @\nkey chain k\n key 1\n  key-string @\n");
  command("sysctl", "net.ipv4.ip_forward = 1\nnet.ipv4.tcp_fastopen_key = @\n");
  command("oc",
          "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    annotations:\n      "
          "kubectl.kubernetes.io/last-applied-configuration: |\n"
          "        {\"a\": \"@\"}\n    name: shown\n  spec:\n    containers:\n    - env:\n      - name: A\n        value: @\n    "
          "  - name: B\n        value: |\n"
          "          @\n          @\n      image: kept\n    tolerations:\n    - key: k\n      value: kept-too\n");
  const std::string script = egt::testing::run({EGTRACE_BINARY, "collect"}).out;
  for (const char* objects : {"", "-k"}) {
    const Ran ran = egt::testing::run({"sh", "-c",
                                       "PATH=" + home_.path() + "/bin:$PATH; export PATH; sh -s -- -q -d -w 0 -p 1 -n here " +
                                           std::string(objects) + " -o here.tar.gz && tar -xzOf here.tar.gz"},
                                      script, home_.path());
    ASSERT_EQ(0, ran.status) << ran.err;
    expect_none("collect", ran.out);
    for (const char* kept : {"neighbor 10.0.0.1 remote-as 1", "net.ipv4.ip_forward = 1"})
      EXPECT_EQ(*objects == '\0', ran.out.find(kept) != std::string::npos) << kept;
    for (const char* kept :
         {"name: shown\n", "      image: kept\n", "      value: kept-too\n", "        value: (masked)\n      - name: B\n"})
      EXPECT_EQ(*objects != '\0', ran.out.find(kept) != std::string::npos) << kept << ran.out;
  }
}

TEST(CollectLimits, AllTogether) {
  const TemporaryDirectory home;
  fs::permissions(home.file("bin/ip", "#!/bin/sh\nhead -c 900000 /dev/zero | tr '\\0' x\n"), fs::perms::owner_all);
  const std::string script = egt::testing::run({EGTRACE_BINARY, "collect"}).out;
  const Ran ran = egt::testing::run({"sh", "-c",
                                     "PATH=" + home.path() +
                                         "/bin:$PATH; export PATH; sh -s -- -q -d -w 0 -p 1 -S 1 -n here -o here.tar.gz && "
                                         "tar -xzOf here.tar.gz --exclude '*.tsv' | wc -c"},
                                    script, home.path());
  ASSERT_EQ(0, ran.status) << ran.err;
  EXPECT_LE(std::stoul(ran.out), 1048576U);
  EXPECT_GE(std::stoul(ran.out), 900000U);
}

}  // namespace
