// The examples of the manual pages, typed into a shell over a sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/background.h"
#include "support/run.h"

namespace examples_test {
namespace {

namespace fs = std::filesystem;
using egt::testing::BackgroundProgram;
using egt::testing::Ran;
using egt::testing::run;
using egt::testing::TemporaryDirectory;
using egt::testing::write_file;

// What the pages call things, and what the sample has in their place.
const std::vector<std::pair<std::string, std::string>> kOfTheSample = {
    {"shop/cart-7d4b", "demo-egress/requester-2a"},
    {"pod/cart-7d4b -n shop", "pod/requester-2a -n demo-egress"},
    {"svc:shop/front:http", "192.168.55.13:80"},  // the sample has no services
    {"svc:shop/cart:80", "192.168.55.13:80"},
    {"shop/front-1", "demo-egress/requester-3b"},
    {"EgressIP/billing-out", "EgressIP/project-egressip"},
    {"shop*", "demo*"},
    {"'shop/*'", "'demo-egress/*'"},
    {"shop_cart", "demo-egress_requester-2a"},
    {"192.0.2.10", "192.168.55.13"},
    {"worker-1:any", "master-01-demo:br-ex"},
    {"worker-1", "master-02-demo"},
    {"worker-2", "master-01-demo"},
    {"--listen 127.0.0.1:9000", "--listen 127.0.0.1:0"},
    {"--listen 192.0.2.5:8080", "--listen 127.0.0.1:0"},
    {"./dumps --from demo-egress/requester-2a --to 192.168.55.13 --at 2026-03-01T12:00:00Z",  // what was before, databases hold
     "./databases-plain --from stock/crate-f --to 198.51.100.40 --at 2026-11-23T16:18:20Z"},
    {"'inport==\"demo-egress_requester-2a\" && …'", "'inport==\"demo-egress_requester-2a\" && ip4 && ip.ttl==64'"},
};

// The one without sanitizers, where there is one: it is the calls that are tried here.
std::string tried_program() {
  const char* plain = std::getenv("EGTRACE_PLAIN_BINARY");
  return plain != nullptr ? plain : EGTRACE_BINARY;
}

std::string of_the_sample(std::string example) {
  for (const auto& [name, own] : kOfTheSample)
    for (std::size_t at = example.find(name); at != std::string::npos; at = example.find(name, at + own.size()))
      example.replace(at, name.size(), own);
  return example;
}

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> all;
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), text.find('\n') + 1)))
    all.emplace_back(text.substr(0, text.find('\n')));
  return all;
}

// Indented lines below EXAMPLES; a quoted argument goes on in the next.
std::vector<std::string> examples_of(const std::string& page) {
  std::vector<std::string> all;
  const std::size_t at = page.find("# EXAMPLES\n\n");
  if (at == std::string::npos) return {};
  bool quoted = false;
  for (const std::string& line : lines(std::string_view(page).substr(at + 12))) {
    if (!line.starts_with("    ")) break;
    quoted ? all.back() += ' ' + line.substr(4) : all.emplace_back(line.substr(4));
    for (const char c : line) quoted ^= c == '\'';
  }
  return all;
}

// A directory with what the examples name.
class Desk {
 public:
  Desk() {
    const std::string sample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary", node = sample + "/master-02-demo";
    for (const char* copy : {"dumps", "before", "after"}) fs::copy(sample, path(copy), fs::copy_options::recursive);
    for (const char* archive : {"before.tar.gz", "after.tar.gz", "must-gather.tar.gz"})
      run({"/bin/tar", "-czf", path(archive), "-C", path("dumps"), "."});
    fs::copy(EGTRACE_SOURCE_DIR "/tests/golden/pcap-egressip-secondary/captures", path("captures"));
    fs::copy(path("captures/master-01-demo__br-ex.pcap"), path("w1.pcap"));
    fs::copy(path("captures/master-02-demo__br-ex.pcap"), path("w2.pcapng"));
    write("expectations.yaml",
          "version: 1\nexpect:\n- {from: demo-egress/requester-2a, to: 192.168.55.13:80, snat: 192.168.66.100}\n");
    write("questions.txt", "lookup 10.132.0.2\n");
    write("packets.txt", "in_port=5,tcp,tp_dst=80\n");
    run({"/bin/tar", "-xJf", EGTRACE_SOURCE_DIR "/tests/lab/databases-plain.tar.xz", "-C", d_.path()});
    fs::copy(path("databases-plain/fig/ovnsb_db.db"), path("sb.db"));
    write("microflows.txt", "inport==\"stock_crate-f\" && ip4 && ip.ttl==64\n");
    write("retis.json",
          R"({"common-startup":{"retis_version":"v1.6.0","clock_monotonic_offset":{"tv_sec":1700000000,"tv_nsec":0}}})"
          "\n");
    write("pwru.txt",
          "SKB                CPU PROCESS          NETNS      MARK/x        IFACE       PROTO  MTU   LEN   TUPLE FUNC\n");
    write(".egtrace-token", "only-for-this-test-0123456789abcdef\n");
    fs::permissions(path(".egtrace-token"), fs::perms::owner_read | fs::perms::owner_write);
    run({"/bin/bash", "-c",
         "gzip -dc < '" + node + "/ovs-ofctl_dump-flows_br-int.gz' > ovs-ofctl_dump-flows_br-int || cp '" + node +
             "/ovs-ofctl_dump-flows_br-int' ."},
        "", d_.path());
    write("groups.txt", "NXST_GROUP_DESC reply (xid=0x2):\n group_id=1,type=select,bucket=bucket_id:0,actions=output:1\n");
    fs::create_directories(path(".zfunc"));
    fs::create_directories(path(".config/fish/completions"));
    // Other nodes: the script that they get is one, and what comes back of them is an archive.
    for (const char* other : {"ssh", "oc"}) program(other, "sh -n && cat " + path("must-gather.tar.gz"));
    program("ip", "printf '0:\\tfrom all lookup local\\n'");
  }
  std::string path(const std::string& name) const { return d_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const { d_.file(name, text); }
  std::vector<std::string> shell(const std::string& line) const {
    const std::string programs = fs::path(tried_program()).parent_path().string();
    return {"/usr/bin/env",
            "HOME=" + d_.path(),
            "PATH=" + path("bin") + ":" + programs + ":/usr/bin:/bin",
            "/bin/bash",
            "-o",
            "pipefail",
            "-c",
            line};
  }
  const std::string& directory() const { return d_.path(); }

 private:
  void program(const std::string& name, const std::string& line) const {
    write("bin/" + name, "#!/bin/sh\n" + line + "\n");
    fs::permissions(path("bin/" + name), fs::perms::owner_all);
  }
  TemporaryDirectory d_;
};

std::vector<std::string> pages() {
  std::vector<std::string> all = {"egtrace"};
  for (const std::string& candidate : lines(run({tried_program(), "completion", "--candidates", ""}).out))
    if (!candidate.starts_with("-") && !candidate.starts_with(":")) all.push_back(candidate);
  return all;
}

class Examples : public ::testing::TestWithParam<std::string> {
 protected:
  // Whatever it answers, the call was one.
  void type(const std::string& line) {
    const Ran ran = run(desk_.shell(line), "", desk_.directory());
    EXPECT_TRUE(ran.status == 0 || ran.status == 1 || ran.status == 3) << ran.status << " of: " << line << "\n" << ran.err;
  }
  // A server serves until it is interrupted; where it listens is its first line.
  void serve(const std::string& line, std::string question) {
    BackgroundProgram server(desk_.shell("exec " + line), desk_.directory());
    EXPECT_TRUE(server.first_line().starts_with("http://127.0.0.1:")) << line << "\n" << server.first_line();
    type("curl -sS -o page " + server.first_line());  // once it answers, it also ends as it should
    if (!question.empty()) type(question.replace(0, 4, "curl --fail -sS ") + " " + server.first_line() + "explain");
    EXPECT_EQ(0, server.end(SIGINT)) << line;
  }

 private:
  const Desk desk_;
};

TEST_P(Examples, Run) {
  for (const char* needed : {"/usr/bin/jq", "/usr/bin/curl"})
    if (!fs::exists(needed)) GTEST_SKIP() << needed << " is not installed";
  std::vector<std::string> command = {tried_program(), "manual"};
  if (GetParam() != "egtrace") command.push_back(GetParam());
  const std::vector<std::string> all = examples_of(run(command).out);
  EXPECT_FALSE(all.empty());
  std::string question;
  for (const std::string& example : all)
    if (example.starts_with("curl ")) question = of_the_sample(example.substr(0, example.rfind(' ')));
  for (const std::string& example : all) {
    if (example.starts_with("curl ")) continue;
    if (example.starts_with("egtrace serve "))
      serve(of_the_sample(example), std::exchange(question, {}));
    else
      type(of_the_sample(example));
  }
}

INSTANTIATE_TEST_SUITE_P(OfManual, Examples, ::testing::ValuesIn(pages()), [](const auto& page) { return page.param; });

}  // namespace
}  // namespace examples_test
