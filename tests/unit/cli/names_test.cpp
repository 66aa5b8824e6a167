// A name that the snapshot lacks, or an address that no packet has, is the caller's mistake: neither a green nor a red
// result.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/run.h"

namespace names_test {
namespace {

using egt::testing::Ran;
using egt::testing::TemporaryDirectory;
using Words = std::vector<std::string>;

const std::string kSample = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";

Ran egtrace(Words words) {
  words.insert(words.begin(), EGTRACE_BINARY);
  return egt::testing::run(words);
}

void expect_mistake(const Words& words, const std::string& part) {
  const Ran ran = egtrace(words);
  EXPECT_EQ(2, ran.status) << part << ran.out;
  EXPECT_EQ("", ran.out);
  EXPECT_EQ(1, std::count(ran.err.begin(), ran.err.end(), '\n')) << ran.err;
  EXPECT_NE(std::string::npos, ran.err.find(part)) << ran.err;
}

Words asked(const std::string& verb, const Words& more) {
  Words words = {verb, kSample, "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Names, OfExplain) {
  expect_mistake(asked("explain", {"-n", "demo-egres"}), "the snapshot has no namespace demo-egres (did you mean demo-egress?)");
  expect_mistake(asked("explain", {"--arrive-at", "master-04-demo"}), "did you mean master-01-demo");
  expect_mistake(asked("explain", {"--in-dev", "br-exx"}), "the snapshot has no device br-exx (did you mean br-ex");
  expect_mistake(asked("explain", {"--arrive-at", "router", "--in-dev", "enp9s0"}),
                 "router has no device enp9s0 (did you mean enp1s0");
  expect_mistake({"explain", kSample, "--from", "router", "--to", "192.168.55.13:80"},
                 "the snapshot has no pod router (did you mean node:router?)");
  expect_mistake(asked("explain", {"--dport", "99999"}), "not in range 0 to 65535");
  EXPECT_EQ(0, egtrace(asked("explain", {"-n", "demo-egress", "-q"})).status);
}

TEST(Names, OfAssert) {
  expect_mistake(asked("assert", {"--node", "master-04-demo"}),
                 "--node: the snapshot has no master-04-demo (did you mean master-01-demo");
  expect_mistake(asked("assert", {"--device", "br-exx"}), "--device: the snapshot has no br-exx (did you mean br-ex");
  expect_mistake(asked("assert", {"--avoids", "device:br-exx"}), "--avoids: the snapshot has no br-exx (did you mean br-ex");
  expect_mistake(asked("assert", {"--avoids", "chain:OVN-KUBE-EGRESS-IP-MULTI-NICX"}),
                 "did you mean OVN-KUBE-EGRESS-IP-MULTI-NIC");
  expect_mistake(asked("assert", {"--contains", "stage:lr_in_polic"}), "did you mean lr_in_policy");
  expect_mistake(asked("assert", {"--avoids", "table:br-int 999"}), "--avoids: the snapshot has no br-int 999");
  expect_mistake(asked("assert", {"--avoids", "lr_in_polcy"}), "did you mean lr_in_policy");
  expect_mistake(asked("assert", {"--in-dev", "nosuch"}), "--in-dev: the snapshot has no device nosuch");
  expect_mistake(asked("assert", {"--arrive-at", "nosuch"}), "--arrive-at: the snapshot has no node nosuch");
  expect_mistake(asked("assert", {"-n", "nosuch"}), "the snapshot has no namespace nosuch");
  for (const char* address :
       {"192.168.66.300", "0.0.0.0", "127.0.0.1", "224.0.0.1", "192.168.66.100:0", "fd00::1", "10.0.0.0/40"})
    expect_mistake(asked("assert", {"--snat", address}), "--snat: ");
  expect_mistake({"assert", kSample, "--from", "demo-egres/*", "--to", "192.168.55.13"}, "did you mean demo-egress/*");
  expect_mistake({"assert", kSample, "--from", "requester-3a", "-n", "demo-eg", "--to", "192.168.55.13"},
                 "did you mean demo-egress");
}

// What exists is a result, whatever it is; so is a rule that may come and go, and an address that somebody may get.
TEST(Names, ThatExistAreNone) {
  EXPECT_EQ(0, egtrace(asked("assert", {"--contains", "device:master-02-demo/br-ex", "--avoids", "chain:OVN-KUBE-ETP"})).status);
  EXPECT_EQ(0, egtrace(asked("assert", {"--avoids", "rule:4711", "--avoids", "table:br-int 85"})).status);
  EXPECT_EQ(1, egtrace(asked("assert", {"--snat", "192.168.66.101"})).status);
  EXPECT_EQ(1, egtrace(asked("assert", {"--contains", "rule:4711"})).status);
  EXPECT_EQ(0, egtrace({"assert", kSample, "--from", "requester-3a", "-n", "demo-egress", "--to", "192.168.55.13:80"}).status);
}

TEST(Names, OfFilesOfExpectations) {
  const TemporaryDirectory d;
  const auto check = [&](const std::string& more, const std::string& part) {
    const std::string file =
        d.file("e.yaml", "version: 1\nexpect:\n  - from: demo-egress/requester-3a\n    to: 192.168.55.13:80\n    " + more + "\n");
    expect_mistake({"check", kSample, file}, part);
  };
  check("outcom: answered", "e.yaml:5: unknown key `outcom`; did you mean `outcome`?");
  check("outcome: answerd", "e.yaml:5: `outcome: answerd` is unknown; did you mean `answered` or `unanswered`?");
  check("proto: tpc", "e.yaml:5: `proto: tpc` is unknown; did you mean `tcp`");
  check("arrive-at: rooter", "e.yaml:3: arrive-at: the snapshot has no node rooter (did you mean router?)");
  check("in-dev: br-exx", "e.yaml:3: in-dev: the snapshot has no device br-exx (did you mean br-ex");
  check("avoids: chain:OVN-KUBE-ETPP", "e.yaml:3: avoids: the snapshot has no OVN-KUBE-ETPP (did you mean OVN-KUBE-ETP");
  check("snat: fd00::1", "e.yaml:3: snat: fd00::1 is of another family than the destination");
  const std::string nobody =
      d.file("f.yaml", "version: 1\nexpect:\n  - from: demo-egress/requester-3x\n    to: svc:demo-web/nosuch:80\n");
  expect_mistake({"check", kSample, nobody}, "f.yaml:3: from: the snapshot has no pod demo-egress/requester-3x (did you mean");
}

TEST(Names, OfTheOthers) {
  expect_mistake({"audit", kSample, "-n", "demo-egres"}, "did you mean demo-egress");
  expect_mistake({"audit", kSample, "--to", "demo-egress/nosuch"}, "the snapshot has no pod demo-egress/nosuch");
  expect_mistake({"diff", kSample, kSample, "-n", "demo-egres"}, "did you mean demo-egress");
  expect_mistake({"diff", kSample, kSample, "--to", "node:rooter"}, "did you mean router");
  expect_mistake({"trace", kSample, "--node", "rooter", "--bridge", "br-int", "in_port=1"}, "did you mean `router`?");
  expect_mistake({"trace", kSample, "--node", "master-01-demo", "--bridge", "br-itn", "in_port=1"}, "did you mean `br-int`");
  expect_mistake({"ltrace", kSample, "--node", "rooter", "inport==\"a\""}, "did you mean `router`?");
  const std::string capture = EGTRACE_SOURCE_DIR "/tests/golden/pcap-egressip-secondary/captures/router__enp1s0.pcap";
  expect_mistake({"pcap", kSample, "rooter:enp1s0=" + capture}, "did you mean `router`?");
  expect_mistake({"pcap", kSample, "router:enp1s1=" + capture}, "router has no device enp1s1; did you mean `enp1s0`");
}

}  // namespace
}  // namespace names_test
