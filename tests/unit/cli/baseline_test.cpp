// check --baseline: known failures, new ones, resolved ones; and annotations of GitHub as check, assert and triage print them.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/json_schema.h"
#include "support/run.h"

namespace baseline_test {
namespace {

using egt::testing::Ran;
using egt::testing::read_file;
using nlohmann::json;
using Words = std::vector<std::string>;

const std::string kSnapshot = EGTRACE_SOURCE_DIR "/samples/egressip-secondary";
const std::string kFails =
    "- {name: 'as, 100%: another', from: [demo-egress/requester-2a, demo-egress/requester-3a], to: '192.168.55.13:80', snat: "
    "192.0.2.7}\n";
const std::string kLost = "- {name: nobody is there, from: demo-egress/requester-3a, to: '192.0.2.99:80'}\n";
const std::string kHolds = "- {name: good, from: demo-egress/requester-3a, to: '192.168.55.13:80', snat: 192.168.66.100}\n";

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

class Baselines : public ::testing::Test {
 protected:
  Ran egtrace(Words words) const {
    words.insert(words.begin(), {"env", "-u", "GITHUB_WORKSPACE", "-u", "CI_PROJECT_DIR", EGTRACE_BINARY});
    return egt::testing::run(words, "", home_.path());
  }
  Ran check(const std::string& expectations, Words more) const {
    home_.file("e.yaml", "version: 1\nexpect:\n" + expectations);
    more.insert(more.begin(), {"check", kSnapshot, "e.yaml"});
    return egtrace(more);
  }
  std::string text(const std::string& file) const { return read_file(home_.path() + "/" + file); }

  egt::testing::TemporaryDirectory home_;
};

TEST_F(Baselines, OnlyNewFailuresFail) {
  EXPECT_EQ(1, check(kFails, {}).status);
  EXPECT_EQ(0, check(kFails, {"--write-baseline", "known.json"}).status);
  const json written = json::parse(text("known.json"));
  EXPECT_TRUE(egt::testing::contract_errors(written).empty());
  EXPECT_EQ(2U, written["failures"].size());

  const Ran same = check("# lines move\n" + kHolds + kFails, {"--baseline", "known.json"});
  EXPECT_EQ(0, same.status) << same.out << same.err;
  EXPECT_NE(std::string::npos, same.out.find("baseline: 0 new, 2 known, 0 resolved")) << same.out;
  EXPECT_NE(std::string::npos, same.out.find("FAIL as, 100%: another (known)")) << same.out;

  const Ran page = check(kFails + kLost, {"--baseline", "known.json", "--format", "html"});
  EXPECT_EQ(1, page.status);
  EXPECT_NE(std::string::npos, page.out.find("Packets that fail: 1 new, 2 known by the baseline."));
  EXPECT_NE(std::string::npos, page.out.find("does not hold (known)"));

  const Ran more =
      check(kFails + kLost, {"--baseline", "known.json", "--junit", "j.xml", "--sarif", "s.json", "--format", "json"});
  EXPECT_EQ(1, more.status);
  const json found = json::parse(more.out);
  EXPECT_TRUE(egt::testing::contract_errors(found).empty());
  EXPECT_EQ(1, found["baseline"]["new"]);
  EXPECT_EQ("known", found["expectations"][0]["cases"][1]["baseline"]);
  EXPECT_EQ("new", found["expectations"][1]["cases"][0]["baseline"]);
  EXPECT_EQ("no-route", found["expectations"][1]["cases"][0]["reason"]);
  EXPECT_NE(std::string::npos, text("j.xml").find("tests=\"3\" failures=\"1\" errors=\"0\""));
  EXPECT_NE(std::string::npos, text("j.xml").find("<skipped message=\"known, by the baseline: "));
  const json results = json::parse(text("s.json"))["runs"][0]["results"];
  EXPECT_EQ("unchanged", results[0]["baselineState"]);
  EXPECT_EQ("new", results[2]["baselineState"]);
  EXPECT_EQ(written["failures"][0]["fingerprint"], results[0]["partialFingerprints"]["primaryLocationLineHash"]);
}

TEST_F(Baselines, ResolvedOnesAreListed) {
  check(kFails + kLost, {"--write-baseline", "known.json"});
  const Ran fixed =
      check(kFails + "- {name: nobody is there, from: demo-egress/requester-3a, to: '192.0.2.99:80', outcome: refused}\n",
            {"--baseline", "known.json"});
  EXPECT_EQ(0, fixed.status);
  EXPECT_NE(std::string::npos,
            fixed.out.find("1 resolved\n  resolved nobody is there: demo-egress/requester-3a to 192.0.2.99:80\n"))
      << fixed.out;
  // What nobody asks any more is not resolved.
  const Ran gone = check(kFails, {"--baseline", "known.json"});
  EXPECT_EQ(0, gone.status);
  EXPECT_NE(
      std::string::npos,
      gone.out.find(
          "0 resolved, 1 no longer checked\n  no longer checked: nobody is there: demo-egress/requester-3a to 192.0.2.99:80\n"))
      << gone.out;
}

// The same packet is lost where it was delivered to another: that is news.
TEST_F(Baselines, AnotherReasonIsNew) {
  check("- {name: a, from: demo-egress/requester-3a, to: '192.0.2.99:80', verdict: delivered}\n",
        {"--write-baseline", "known.json"});
  json other = json::parse(text("known.json"));
  other["failures"][0]["fingerprint"] = "of-another-reason:1";
  home_.file("known.json", other.dump());
  const Ran ran = check("- {name: a, from: demo-egress/requester-3a, to: '192.0.2.99:80', verdict: delivered}\n",
                        {"--baseline", "known.json"});
  EXPECT_EQ(1, ran.status);
  EXPECT_NE(std::string::npos, ran.out.find("baseline: 1 new, 0 known, 0 resolved")) << ran.out;
  EXPECT_NE(std::string::npos, ran.out.find("fails in another way: a")) << ran.out;
}

TEST_F(Baselines, OtherFilesAreRefused) {
  home_.file("text", "hello");
  home_.file("list.json", "[]");
  home_.file("check.json", R"({"schema": "egtrace.check/1", "expectations": []})");
  home_.file("newer.json", R"({"schema": "egtrace.baseline/2", "failures": []})");
  home_.file("broken.json", R"({"schema": "egtrace.baseline/1", "failures": [{"name": 3}]})");
  for (const char* file : {"text", "list.json", "check.json", "newer.json", "broken.json", "absent.json"}) {
    const Ran ran = check(kHolds, {"--baseline", file});
    EXPECT_EQ(2, ran.status) << file;
    EXPECT_EQ("", ran.out);
    EXPECT_EQ(0U, ran.err.find("egtrace: " + std::string(file) + ": ")) << ran.err;
    EXPECT_NE(std::string::npos, ran.err.find("--write-baseline")) << ran.err;
  }
  EXPECT_NE(std::string::npos, check(kHolds, {"--baseline", "check.json"}).err.find("no baseline but `egtrace.check/1`"));
  EXPECT_EQ(2, check(kHolds, {"--baseline", "text", "--shard", "1/2"}).status);
  EXPECT_EQ(2, check(kHolds, {"--write-baseline", kSnapshot + "/known.json"}).status);
}

TEST_F(Baselines, OfShardsAreForMerge) {
  check(kFails + kLost, {"--write-baseline", "known.json"});
  for (const char* part : {"0", "1"})
    check(kFails + kLost, {"--shard", std::string(part) + "/2", "-o", std::string(part) + ".json"});
  const Ran one = check(kFails + kLost, {"--baseline", "known.json"}),
            merged = egtrace({"merge", "0.json", "1.json", "--baseline", "known.json"});
  EXPECT_EQ(0, merged.status) << merged.err;
  EXPECT_EQ(one.out, merged.out);
}

TEST_F(Baselines, AnnotationsOfGitHub) {
  const Ran ran = check(kHolds + kFails + kLost, {"--format", "github"});
  EXPECT_EQ(1, ran.status);
  EXPECT_EQ(0U, ran.out.find(
                    "::error file=e.yaml,line=4,title=as%2C 100%25%3A another::demo-egress/requester-2a to 192.168.55.13:80: "))
      << ran.out;
  EXPECT_NE(std::string::npos, ran.out.find("%0Aexpected: outcome answered, snat 192.0.2.7%0A")) << ran.out;
  EXPECT_NE(std::string::npos, ran.out.find("\n::error file=e.yaml,line=5,title=nobody is there::"));
  EXPECT_NE(std::string::npos, ran.out.find("\n3 expectations: 1 hold, 2 fail, 0 undecided\n"));

  check(kFails, {"--write-baseline", "known.json"});
  const Ran known = check(kFails, {"--baseline", "known.json", "--format", "github"});
  EXPECT_EQ("1 expectation: 0 hold, 1 fail, 0 undecided; packets that fail: 0 new, 2 known; resolved: 0\n", known.out);

  const Ran asserted =
      egtrace({"assert", kSnapshot, "--from", "demo-egress/requester-3a", "--to", "192.0.2.99:80", "--format", "github"});
  EXPECT_EQ(1, asserted.status);
  EXPECT_EQ(0U, asserted.out.find("::error title=demo-egress/requester-3a to 192.0.2.99%3A80::")) << asserted.out;
  const Ran triage = egtrace({"triage", kSnapshot, "--format", "github"});
  for (std::size_t at = 0; at < triage.out.size(); at = triage.out.find('\n', at) + 1) {
    const std::string line = triage.out.substr(at, triage.out.find('\n', at) - at);
    EXPECT_TRUE(line.starts_with("::error ") || line.starts_with("::warning ") || line.starts_with("::notice ") ||
                line.ends_with(" note") || line.ends_with(" notes"))
        << line;
  }
}

// With the keys that GitLab documents, and values that it takes.
void expect_code_quality(const json& issues) {
  std::set<std::string> fingerprints;
  for (const json& issue : issues) {
    EXPECT_EQ((std::set<std::string>{"description", "check_name", "fingerprint", "severity", "location"}), keys_of(issue));
    EXPECT_EQ((std::set<std::string>{"path", "lines"}), keys_of(issue["location"]));
    EXPECT_TRUE(fingerprints.insert(issue["fingerprint"]).second) << issue;
    EXPECT_TRUE((std::set<std::string>{"info", "minor", "major", "critical", "blocker"}).contains(issue["severity"])) << issue;
    const std::string path = issue["location"]["path"];
    EXPECT_FALSE(path.empty() || path.starts_with("/") || path.starts_with("./")) << path;
    EXPECT_LT(0, issue["location"]["lines"]["begin"].get<int>());
  }
}

TEST_F(Baselines, CodeQualityOfGitLab) {
  const Ran ran = check(kHolds + kFails + kLost, {"--format", "gitlab", "--codequality", "report.json"});
  EXPECT_EQ(1, ran.status);
  EXPECT_EQ(ran.out, text("report.json"));
  const json issues = json::parse(ran.out);
  expect_code_quality(issues);
  ASSERT_EQ(3U, issues.size());
  EXPECT_EQ(5, std::count(ran.out.begin(), ran.out.end(), '\n'));  // a line each, and the brackets
  EXPECT_EQ("e.yaml", issues[0]["location"]["path"]);
  EXPECT_EQ(4, issues[0]["location"]["lines"]["begin"]);
  EXPECT_EQ("expectation", issues[0]["check_name"]);
  EXPECT_EQ("major", issues[0]["severity"]);
  EXPECT_EQ(
      0U, issues[0]["description"].get<std::string>().find("as, 100%: another: demo-egress/requester-2a to 192.168.55.13:80: "));
  EXPECT_EQ("no-route", issues[2]["check_name"]);
  EXPECT_EQ("[]\n", check(kHolds, {"--format", "gitlab"}).out);

  // What is known is in the report of the target branch as well.
  check(kFails, {"--write-baseline", "known.json"});
  const json known = json::parse(check("# lines move\n" + kFails, {"--baseline", "known.json", "--format", "gitlab"}).out);
  ASSERT_EQ(2U, known.size());
  EXPECT_EQ("minor", known[0]["severity"]);
  EXPECT_EQ(issues[0]["fingerprint"], known[0]["fingerprint"]);

  const Ran asserted =
      egtrace({"assert", kSnapshot, "--from", "demo-egress/requester-3a", "--to", "192.0.2.99:80", "--format", "gitlab"});
  EXPECT_EQ(1, asserted.status);
  expect_code_quality(json::parse(asserted.out));
  EXPECT_EQ(0U,
            json::parse(asserted.out)[0]["location"]["path"].get<std::string>().find("egressip-secondary"));  // it lies elsewhere
  const Ran triage = egtrace({"triage", kSnapshot, "--format", "gitlab", "--codequality", "triage.json"});
  EXPECT_EQ(triage.out, text("triage.json"));
  EXPECT_LT(0U, json::parse(triage.out).size());
  expect_code_quality(json::parse(triage.out));
}

// A snapshot of the repository is distinguished from its root, wherever the call is made.
TEST_F(Baselines, PlacesAreThoseOfTheRepository) {
  home_.file("e.yaml", "version: 1\nexpect:\n" + kFails);
  EXPECT_EQ(0, egt::testing::run({"cp", "-r", kSnapshot, home_.path() + "/dumps"}).status);
  const auto uris = [&](const Words& environment, const Words& call, const std::string& directory) {
    Words words = {"env", "-u", "GITHUB_WORKSPACE", "-u", "CI_PROJECT_DIR"};
    words.insert(words.end(), environment.begin(), environment.end());
    words.push_back(EGTRACE_BINARY);
    words.insert(words.end(), call.begin(), call.end());
    words.insert(words.end(), {"--sarif", home_.path() + "/s.json"});
    EXPECT_EQ(1, egt::testing::run(words, "", directory).status);
    const json result = json::parse(text("s.json"))["runs"][0]["results"][0];
    return Words{result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
                 result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]};
  };
  const Words expected = {"e.yaml", "dumps/master-02-demo/iptables-save"};
  EXPECT_EQ(expected, uris({}, {"check", "dumps", "./e.yaml"}, home_.path()));
  EXPECT_EQ(expected, uris({"GITHUB_WORKSPACE=" + home_.path()}, {"check", ".", "../e.yaml"}, home_.path() + "/dumps"));
  EXPECT_EQ(expected,
            uris({"CI_PROJECT_DIR=" + home_.path()}, {"check", home_.path() + "/dumps/", home_.path() + "/e.yaml"}, "/"));
  EXPECT_EQ((Words{"e.yaml", "master-02-demo/iptables-save"}), uris({}, {"check", kSnapshot, "e.yaml"}, home_.path()));
}

}  // namespace
}  // namespace baseline_test
