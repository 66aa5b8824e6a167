// Expectations: how they are read, what they stand for, and what is said of them.
#include "egtrace/assess/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/parsers/expectations.h"
#include "egtrace/parsers/snapshot.h"
#include "egtrace/render/check.h"
#include "egtrace/render/triage.h"
#include "support/sample.h"

namespace egt::assess {
namespace {

using nlohmann::json;

// The sample, read once for all tests that leave it as it is.
const explain::Explainer& sample() {
  static const auto cluster = parsers::read_snapshot({std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary", {}, 1});
  static const explain::Explainer explainer(*cluster);
  return explainer;
}

expect::Expectation one(const std::string& yaml) {
  const auto all = parsers::parse_expectations("version: 1\nexpect:\n- " + yaml, "e.yaml");
  EXPECT_TRUE(all) << (all ? "" : all.error().message);
  return all ? all->front() : expect::Expectation{};
}

Judgement judged(const std::string& yaml) { return check(sample(), one(yaml)).overall; }

const std::string kPacket = "{from: demo-egress/requester-3a, to: '192.168.55.13:80'";

TEST(Expectations, AreReadWithTheirLines) {
  const auto all = parsers::parse_expectations(
      "version: 1\nexpect:\n- name: a\n  from: shop/*\n  to: [192.0.2.1:80/udp, {namespace: x, labels: {app: y}, port: 8080}]\n"
      "  verdict: [dropped, rejected]\n- {from: a/b, to: 192.0.2.1, snat: none, reply: true, path: {contains: chain:X}}\n",
      "e.yaml");
  ASSERT_TRUE(all);
  ASSERT_EQ(2u, all->size());
  EXPECT_EQ("a", (*all)[0].name);
  EXPECT_EQ(3u, (*all)[0].line);
  EXPECT_EQ("x/*:8080", (*all)[0].to[1].text);
  EXPECT_TRUE((*all)[0].to[1].pods.matches({{"app", "y"}}));
  EXPECT_EQ((std::vector<Verdict>{Verdict::dropped, Verdict::rejected}), (*all)[0].verdicts);
  EXPECT_EQ("a/b to 192.0.2.1", (*all)[1].name);
  EXPECT_EQ(std::vector<Verdict>{Verdict::delivered}, (*all)[1].reply);
  EXPECT_EQ(std::vector<std::string>{"chain:X"}, (*all)[1].contains);
}

TEST(Expectations, AreRefusedWithTheirLine) {
  const auto error = [](const std::string& text) {
    const auto all = parsers::parse_expectations(text, "e.yaml");
    return all ? std::string() : all.error().message;
  };
  EXPECT_TRUE(error("version: 1\nexpect:\n- from: a/b\n  to: 192.0.2.1\n  snta: 192.0.2.7\n")
                  .starts_with("e.yaml:5: unknown key `snta`"));
  EXPECT_TRUE(error("version: 2\nexpect: []\n").starts_with("e.yaml:1: version 2"));
  EXPECT_TRUE(error("version: 1\nexpect:\n- from: a/b\n").starts_with("e.yaml:3: `to` is missing"));
  EXPECT_TRUE(error("version: 1\nexpect:\n- {from: a/b, to: c/d, verdict: lost}\n").starts_with("e.yaml:3: `verdict: lost`"));
  EXPECT_TRUE(error("version: 1\nexpect:\n- {from: a/b, to: [}\n").starts_with("e.yaml:3: not readable as YAML"));
  EXPECT_TRUE(error("- a\n").starts_with("e.yaml:1: expected a map"));
  EXPECT_TRUE(error("version: 1\nexpect:\n- {from: a/b, to: c/d, dport: 70000}\n").starts_with("e.yaml:3: `dport`"));
}

TEST(Check, HoldsWhereEverythingFits) {
  const Judgement j = judged(kPacket + ", snat: 192.168.66.100, node: master-02-demo, device: br-ex, reply: true, dnat: none}");
  EXPECT_EQ(std::optional(true), j.holds) << j.why;
  EXPECT_FALSE(j.evidence.empty());
  EXPECT_EQ(std::optional(true), judged(kPacket + ", snat: 192.168.66.0/24}").holds);
  EXPECT_EQ(std::optional(true), judged(kPacket + ", snat: ['10.0.0.1', '192.168.66.100']}").holds);
  EXPECT_EQ(std::optional(true), judged(kPacket + ", snat: '!192.168.99.25'}").holds);
  EXPECT_EQ(
      std::optional(true),
      judged(kPacket + ", contains: [chain:OVN-KUBE-EGRESS-IP-MULTI-NIC, stage:lr_in_policy, rule:6000, master-02-demo]}").holds);
  EXPECT_EQ(std::optional(true), judged(kPacket + ", avoids: node:master-01-demo, device: enp1s0}").holds);
}

TEST(Check, FailsWhereOneThingDiffers) {
  for (const char* rest :
       {", snat: 192.168.99.25}", ", snat: none}", ", snat: '!192.168.66.100'}", ", node: master-03-demo}", ", device: eth9}",
        ", verdict: dropped}", ", contains: chain:NONE}", ", avoids: node:master-02-demo}", ", dnat: 192.0.2.1}"}) {
    const Judgement j = judged(kPacket + rest);
    EXPECT_EQ(std::optional(false), j.holds) << rest;
    EXPECT_FALSE(j.why.empty());
    EXPECT_FALSE(j.evidence.empty()) << rest;
  }
}

TEST(Check, PatternsSpeakOfEveryPodThatFits) {
  const ExpectationReport all = check(sample(), one("{from: demo-egress/*, to: '192.168.55.13:80', snat: 192.168.66.100}"));
  EXPECT_EQ(3u, all.cases.size());
  EXPECT_EQ(std::optional(false), all.overall.holds);  // one of the three is not served
  EXPECT_NE(std::string::npos, all.overall.why.find("requester-3b")) << all.overall.why;
  EXPECT_EQ(2u, check(sample(), one("{from: {labels: {app: client}}, to: 192.168.55.13, proto: icmp}")).cases.size());
  EXPECT_EQ(2u, check(sample(), one("{from: 'demo-egress/requester-3?', to: 192.168.55.13}")).cases.size());
}

TEST(Check, WhatNothingFitsIsUndecided) {
  const Judgement j = judged("{from: nowhere/*, to: 192.168.55.13}");
  EXPECT_EQ(std::nullopt, j.holds);
  EXPECT_NE(std::string::npos, j.why.find("nowhere/*"));
}

TEST(Check, WhatIsMissingLeavesItOpen) {
  egt::testing::Sample s;
  for (const char* file : {"iptables-save", "iptables_-t_nat_-S", "nft_list_ruleset", "nft_-j_list_ruleset"})
    s.remove(std::string("master-02-demo/") + file);
  const cluster::Cluster cluster = s.read();
  const explain::Explainer explainer(cluster);
  const Judgement j = check(explainer, one(kPacket + ", snat: 192.168.66.100}")).overall;
  EXPECT_EQ(std::nullopt, j.holds) << j.why;
  EXPECT_FALSE(j.gaps.empty());
}

TEST(Check, ObjectsOfAHealthySnapshotHold) {
  const auto made = expectations_from_objects(sample().cluster());
  ASSERT_FALSE(made.empty());
  for (const expect::Expectation& e : made) {
    const Judgement j = check(sample(), e).overall;
    EXPECT_EQ(std::optional(true), j.holds) << e.name << ": " << j.why;
  }
}

// A service of demo-web with one endpoint, web-2, behind a policy of these rules: names of what is expected.
std::vector<std::string> of_service(const std::string& rules) {
  egt::testing::Sample s;
  s.write("k8s/services.yaml",
          "apiVersion: v1\nkind: Service\nmetadata: {name: shop, namespace: demo-web}\n"
          "spec:\n  clusterIP: 172.22.1.1\n  selector: {app: web}\n  ports: [{port: 80, protocol: TCP, targetPort: 8080}]\n");
  s.write(
      "k8s/endpointslices.yaml",
      "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata:\n  name: shop-1\n  namespace: demo-web\n  labels:\n"
      "    kubernetes.io/service-name: shop\nports: [{port: 8080, protocol: TCP}]\nendpoints:\n- addresses: [10.132.0.39]\n"
      "  nodeName: master-02-demo\n  conditions: {ready: true}\n  targetRef: {kind: Pod, name: web-2, namespace: demo-web}\n");
  if (!rules.empty())
    s.write("k8s/policies.yaml",
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: demo-web}\nspec:\n"
            "  podSelector: {}\n  policyTypes: [Ingress]\n" +
                rules);
  std::vector<std::string> names;
  for (const expect::Expectation& e : expectations_from_objects(s.open().cluster))
    if (e.name.starts_with("Service demo-web/shop")) names.push_back(e.name);
  return names;
}

TEST(Check, ServicesBehindNetworkPoliciesAnswerWhomTheirRulesLetThrough) {
  const std::vector<std::string> free = of_service("");
  EXPECT_EQ(free.size(), 3u);
  const auto are_denied = [](const std::vector<std::string>& names) {
    return std::count_if(names.begin(), names.end(),
                         [](const std::string& n) { return n.find(" denied to ") != std::string::npos; });
  };
  EXPECT_EQ(are_denied(free), 0);
  EXPECT_EQ(of_service("  ingress:\n  - {}\n"), free);
  EXPECT_EQ(of_service("  ingress:\n  - ports: [{port: 8080}]\n"), free);  // of the pods, not of the service
  EXPECT_EQ(are_denied(of_service("  ingress:\n  - ports: [{port: 80}]\n")), 3);
  EXPECT_TRUE(of_service("  ingress:\n  - ports: [{port: web}]\n").empty());  // not decided
  // From pods of its namespace alone, on the nodes where there are some: from web-3 of master-03-demo.
  const std::vector<std::string> own = of_service("  ingress:\n  - from: [{podSelector: {}}]\n");
  EXPECT_GT(are_denied(own), 0);
  EXPECT_NE(std::find(own.begin(), own.end(), "Service demo-web/shop port 80 from master-03-demo"), own.end());
}

// Rules with a pair of pods that they let through, and one that none does; the dumps have no such ACLs.
TEST(Check, RulesOfNetworkPoliciesAreExpectations) {
  egt::testing::Sample s;
  s.write(
      "k8s/policies.yaml",
      "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p, namespace: demo-web}\nspec:\n"
      "  podSelector: {matchLabels: {app: web}}\n  policyTypes: [Ingress]\n  ingress:\n"
      "  - from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: demo-egress}}}]\n    ports: [{port: 8080}]\n"
      "  - from: [{podSelector: {}}]\n    ports: [{port: named}]\n");
  const auto opened = s.open();
  const explain::Explainer explainer(opened.cluster);
  std::map<std::string, std::optional<bool>> judged;
  for (const expect::Expectation& e : expectations_from_objects(opened.cluster))
    if (e.name.starts_with("NetworkPolicy")) judged[e.name] = check(explainer, e).overall.holds;
  EXPECT_EQ(judged.size(), 2u);
  for (const auto& [name, holds] : judged)
    EXPECT_EQ(holds, std::optional(name.find("ingress rule 0 allows demo-egress/") != std::string::npos)) << name;
}

TEST(Audit, SaysWhatExplainSays) {
  AuditOptions options;
  options.to = {"192.168.55.13:80"};
  const auto rows = audit(sample(), options);
  ASSERT_TRUE(rows);
  std::size_t leaks = 0;
  for (const AuditRow& r : *rows) {
    explain::Question q;
    q.from = *explain::parse_point(r.pod.empty() ? "node:" + r.node : r.namespace_ + "/" + r.pod);
    q.to = *explain::parse_point(r.to);
    q.dport = q.to.port;
    const auto x = sample().explain(q);
    ASSERT_TRUE(x);
    EXPECT_TRUE(std::any_of(x->paths.begin(), x->paths.end(),
                            [&](const explain::PathReport& w) {
                              return w.verdict == r.verdict && w.confidence == r.confidence &&
                                     w.source_seen.has_value() == r.source_seen.has_value() &&
                                     (!r.source_seen || w.source_seen->ip == r.source_seen->ip) &&
                                     (w.egress ? w.egress->node : "") == r.egress_node;
                            }))
        << r.namespace_ << "/" << r.pod << " " << r.node;
    if (!r.leak) continue;
    ++leaks;
    EXPECT_EQ("requester-3b", r.pod);  // selected by the object, and known to no layer
  }
  EXPECT_EQ(1u, leaks);
  EXPECT_TRUE(rows->front().leak);
}

std::string shown(explain::Verdict verdict, explain::Confidence confidence, const std::optional<explain::SeenAddress>& seen,
                  const std::string& node, const std::string& device) {
  return std::string(explain::name_of(verdict)) + " " + std::string(explain::name_of(confidence)) + " " +
         (seen ? seen->ip + " " + std::to_string(seen->port.value_or(0)) : "-") + " " + node + " " + device;
}

// Row for row, towards whatever it asks by itself: nothing is left out, added or shown otherwise.
TEST(Audit, HasOneRowForEachWayOfExplain) {
  AuditOptions options;
  options.namespaces = {"demo-egress", "other"};
  const auto rows = audit(sample(), options);
  ASSERT_TRUE(rows);
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> by_question;
  std::set<Target> kinds;
  for (const AuditRow& r : *rows) {
    by_question[{r.namespace_ + "/" + r.pod, r.to}].push_back(
        shown(r.verdict, r.confidence, r.source_seen, r.egress_node, r.egress_device));
    kinds.insert(r.to_kind);
  }
  EXPECT_TRUE(kinds.contains(Target::other_node));
  EXPECT_GE(by_question.size(), 2U * 5U);  // five pods, outside and another node
  for (const auto& [question, shown_rows] : by_question) {
    explain::Question q;
    q.from = *explain::parse_point(question.first);
    q.to = *explain::parse_point(question.second);
    q.dport = q.to.port;
    const auto x = sample().explain(q);
    ASSERT_TRUE(x);
    std::vector<std::string> paths;
    for (const explain::PathReport& w : x->paths)
      paths.push_back(
          shown(w.verdict, w.confidence, w.source_seen, w.egress ? w.egress->node : "", w.egress ? w.egress->device : ""));
    EXPECT_EQ(paths, shown_rows) << question.first << " to " << question.second;
  }
}

std::vector<ExpectationReport> reports() {
  return {check(sample(), one(kPacket + ", name: 'a <b> & \"c\"', snat: 192.168.66.100}")),
          check(sample(), one(kPacket + ", snat: 192.0.2.7}")), check(sample(), one("{from: nowhere/*, to: 192.168.55.13}"))};
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// What the schema of Jenkins' xUnit plugin (junit-10.xsd) lets stand where; a name with * has to be there.
const std::map<std::string, std::pair<std::string, std::vector<std::string>>>& junit_elements() {
  static const std::map<std::string, std::pair<std::string, std::vector<std::string>>> kElements = {
      {"testsuites", {"", {"name", "time", "tests", "failures", "errors"}}},
      {"testsuite",
       {"testsuites", {"name*", "tests*", "failures*", "errors*", "time", "skipped", "timestamp", "hostname", "id", "package"}}},
      {"testcase", {"testsuite", {"name*", "time", "classname", "group"}}},
      {"skipped", {"testcase", {"type", "message"}}},
      {"failure", {"testcase", {"type", "message"}}},
      {"error", {"testcase", {"type", "message"}}}};
  return kElements;
}

void expect_allowed(const std::string& name, const std::string& parent, const std::string& tag) {
  const auto element = junit_elements().find(name);
  ASSERT_NE(junit_elements().end(), element) << tag;
  EXPECT_EQ(element->second.first, parent) << tag;
  std::set<std::string> given;
  for (std::size_t at = tag.find('='); at != std::string::npos; at = tag.find('=', at + 1)) {
    if (tag[at + 1] != '"') continue;
    const std::size_t blank = tag.rfind(' ', at), end = tag.find('"', at + 2);
    given.insert(tag.substr(blank + 1, at - blank - 1));
    at = end;
  }
  const auto& known = element->second.second;
  for (const std::string& attribute : given)
    EXPECT_TRUE(std::find(known.begin(), known.end(), attribute) != known.end() ||
                std::find(known.begin(), known.end(), attribute + "*") != known.end())
        << name << " " << attribute;
  for (const std::string& attribute : known)
    if (attribute.ends_with('*')) {
      EXPECT_TRUE(given.contains(attribute.substr(0, attribute.size() - 1))) << name << " " << attribute;
    }
}

// A reader of XML that knows what JUnit reports use: elements close in order, attributes are quoted, entities are known.
void expect_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    ASSERT_NE(std::string::npos, end);
    const std::string tag = xml.substr(at + 1, end - at - 1);
    EXPECT_EQ(0u, count(tag, "\"") % 2) << tag;
    if (tag.starts_with("?")) continue;
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (!tag.starts_with("/")) expect_allowed(name, open.empty() ? "" : open.back(), tag);
    if (tag.starts_with("/")) {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), tag.substr(1));
      open.pop_back();
    } else if (!tag.ends_with("/")) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  for (std::size_t at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1))
    EXPECT_TRUE(xml.compare(at, 5, "&amp;") == 0 || xml.compare(at, 4, "&lt;") == 0 || xml.compare(at, 4, "&gt;") == 0 ||
                xml.compare(at, 6, "&quot;") == 0 || xml.compare(at, 5, "&#10;") == 0)
        << xml.substr(at, 10);
}

TEST(Reports, JUnit) {
  const std::string xml = render::check_junit(reports());
  expect_well_formed(xml);
  EXPECT_NE(std::string::npos, xml.find("<testsuites name=\"egtrace\" tests=\"3\" failures=\"1\" errors=\"1\""));
  EXPECT_EQ(3u, count(xml, "<testcase "));
  EXPECT_EQ(1u, count(xml, "<failure "));
  EXPECT_EQ(1u, count(xml, "<error "));
}

// What is known to fail is no failure.
TEST(Reports, JUnitOfKnownFailures) {
  const BaselineComparison compared = compare(reports(), baseline_of(reports()));
  const std::string xml = render::check_junit(reports(), &compared);
  expect_well_formed(xml);
  EXPECT_NE(std::string::npos, xml.find("<testsuites name=\"egtrace\" tests=\"3\" failures=\"0\" errors=\"1\""));
  EXPECT_NE(std::string::npos, xml.find(" failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_EQ(1u, count(xml, "<skipped "));
}

// Names come from files of any kind, evidence from dumps with any bytes.
TEST(Reports, JUnitHoldsWhatXmlAllows) {
  ExpectationReport report;
  report.name =
      "a\x01 \r\tb \xEF\xBF\xBE\xEF\xBF\xBF \xED\xA0\x80 caf\xE9 \xC3\xA9 \xF0\x9F\x98\x80 \xC0\x80 \xF5\x80\x80\x80 \xE2\x82";
  const std::string xml = render::check_junit({report});
  expect_well_formed(xml);
  const std::string no = "\uFFFD";
  const std::string wanted = "\"a  b " + no + no + no + no + no + no;  // EF BF BE, and so on: byte by byte
  EXPECT_NE(std::string::npos, xml.find(wanted)) << xml;
  EXPECT_NE(std::string::npos, xml.find("caf" + no + " \xC3\xA9 \xF0\x9F\x98\x80 " + no + no)) << xml;
  EXPECT_EQ(std::string::npos, xml.find('\xE9'));
}

// What SARIF 2.1.0 asks of the parts that are used (sections 3.13, 3.14, 3.19, 3.27, 3.28, 3.29), and GitHub of them.
void expect_rule(const json& rule) {
  for (const char* key : {"shortDescription", "fullDescription", "help"})
    EXPECT_FALSE(rule.at(key).at("text").get<std::string>().empty()) << rule;
  EXPECT_NE("none", rule.at("defaultConfiguration").at("level"));
}

void expect_place(const json& location, const json& run) {
  const json& physical = location.at("physicalLocation");
  EXPECT_EQ(std::string::npos, physical.at("artifactLocation").at("uri").get<std::string>().find(' '));
  EXPECT_TRUE(run.at("originalUriBaseIds").contains(physical.at("artifactLocation").at("uriBaseId").get<std::string>()));
  if (physical.contains("region")) {
    EXPECT_GE(physical["region"].at("startLine").get<int>(), 1);
  }
}

void expect_result(const json& result, const json& run) {
  const json& rules = run["tool"]["driver"]["rules"];
  const std::string text = result.at("message").at("text"), kind = result.at("kind"), level = result.at("level");
  ASSERT_LT(result.at("ruleIndex").get<std::size_t>(), rules.size());
  EXPECT_EQ(rules[result.at("ruleIndex").get<std::size_t>()].at("id"), result.at("ruleId"));
  EXPECT_TRUE(kind == "fail" ? level != "none" : level == "none") << kind << " " << level;
  EXPECT_NE("pass", kind);  // GitHub would show it
  ASSERT_EQ(1U, result.at("locations").size());
  expect_place(result["locations"][0], run);
  for (const json& related : result.value("relatedLocations", json::array())) {
    expect_place(related, run);
    EXPECT_NE(std::string::npos, text.find("](" + related.at("id").dump() + ")")) << text;  // shown where there is a link to it
    EXPECT_TRUE(related.at("message").at("text").is_string());
  }
  EXPECT_TRUE(result.at("partialFingerprints").at("primaryLocationLineHash").get<std::string>().ends_with(":1"));
}

void expect_sarif(const std::string& text) {
  const json doc = json::parse(text);
  EXPECT_EQ("2.1.0", doc.at("version"));
  for (const json& run : doc.at("runs")) {
    EXPECT_TRUE(run.at("automationDetails").at("id").get<std::string>().ends_with("/"));
    for (const auto& [name, base] : run.at("originalUriBaseIds").items())
      if (base.contains("uri")) {
        EXPECT_TRUE(base["uri"].get<std::string>().ends_with("/")) << name;
      }
    for (const json& rule : run.at("tool").at("driver").at("rules")) expect_rule(rule);
    std::set<std::string> fingerprints;
    for (const json& result : run.at("results")) {
      expect_result(result, run);
      EXPECT_TRUE(fingerprints.insert(result["partialFingerprints"]["primaryLocationLineHash"]).second) << result["message"];
    }
  }
}

const render::SourcePlaces kPlaces = {"my expectations.yaml", "ci/dumps", "dumps"};

TEST(Reports, Sarif) {
  const std::string text = render::check_sarif(reports(), kPlaces, "1.0");
  expect_sarif(text);
  const json results = json::parse(text)["runs"][0]["results"];
  ASSERT_EQ(2u, results.size());  // what holds is none
  EXPECT_EQ("fail", results[0]["kind"]);
  EXPECT_EQ("expectation", results[0]["ruleId"]);
  EXPECT_EQ("my%20expectations.yaml", results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]);
  const json& related = results[0]["relatedLocations"][0]["physicalLocation"];
  EXPECT_EQ("ci/dumps/master-02-demo/iptables-save", related["artifactLocation"]["uri"]);
  EXPECT_EQ("%SRCROOT%", related["artifactLocation"]["uriBaseId"]);
  EXPECT_EQ("open", results[1]["kind"]);
  expect_sarif(render::triage_sarif(triage(sample()), kPlaces, "1.0"));
}

// Of a snapshot outside the repository no path of the node is shown; of what no object line and no file implies the evidence is the place.
TEST(Reports, SarifOfASnapshotElsewhere) {
  const std::string text = render::check_sarif(reports(), {"", "", "case.tar.xz"}, "1.0");
  const json run = json::parse(text)["runs"][0];
  EXPECT_EQ("the snapshot case.tar.xz", run["originalUriBaseIds"]["SNAPSHOT"]["description"]["text"]);
  EXPECT_FALSE(run["originalUriBaseIds"]["SNAPSHOT"].contains("uri"));
  const json& place = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
  EXPECT_EQ("SNAPSHOT", place["uriBaseId"]);
  EXPECT_EQ("master-02-demo/iptables-save", place["uri"]);
  EXPECT_EQ(
      ".", run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]);  // nothing proves what is undecided
}

TEST(Reports, WithoutObjectsSayWhatIsMissing) {
  const std::string text = render::check_github({}, kPlaces, nullptr, {missing_objects()});
  EXPECT_EQ(0U, text.find("::warning title=nothing to check::the snapshot has no Kubernetes objects")) << text;
  EXPECT_EQ(1U, json::parse(render::check_json({}, nullptr, {missing_objects()}))["gaps"].size());
}

TEST(Reports, RulesOfSarifHaveTheManualsHelp) {
  const json rules =
      json::parse(render::check_sarif({check(sample(), one("{from: demo-egress/requester-3a, to: '192.0.2.99:80'}"))}, kPlaces,
                                      "1.0"))["runs"][0]["tool"]["driver"]["rules"];
  ASSERT_EQ(2U, rules.size());
  EXPECT_EQ("no-route", rules[1]["id"]);
  EXPECT_EQ("No table has a route.", rules[1]["shortDescription"]["text"]);
  EXPECT_NE(std::string::npos, rules[1]["help"]["markdown"].get<std::string>().find("`ip rule`"));
  EXPECT_EQ(std::string::npos, rules[1]["help"]["text"].get<std::string>().find('`'));
  for (const json& rule : json::parse(render::triage_sarif({}, kPlaces, "1.0"))["runs"][0]["tool"]["driver"]["rules"])
    EXPECT_NE(std::string::npos, rule["help"].value("markdown", "").find("**Next**")) << rule["id"];
}

// Fingerprints are of expectation, packet and reason; a second time the same has another number.
TEST(Reports, FingerprintsKeepWhereLinesMove) {
  ExpectationReport report = check(sample(), one(kPacket + ", name: a, snat: 192.0.2.7}"));
  const Fingerprints before = fingerprints({report, report});
  report.line += 7;
  report.cases[0].judgement.why = "other words";
  report.cases[0].judgement.evidence.clear();
  EXPECT_EQ(before, fingerprints({report, report}));
  EXPECT_NE(before[0], before[1]);
  EXPECT_TRUE(before[1][0].ends_with(":2"));
  report.cases[0].judgement.reason = "no-route";
  EXPECT_NE(before[0], fingerprints({report})[0]);
}

// A dump may hold what a runner takes for a command, and what Markdown takes for a link.
TEST(Reports, OfHostileTextAreHarmless) {
  ExpectationReport report;
  report.name = "a,b:c%\r\n::error::x";
  report.line = 3;
  report.cases = {{"[x](http://example.com)", "y\n::set-output name=a::b", {}}};
  report.cases[0].judgement.holds = false;
  report.cases[0].judgement.why = "50%\r\n##[command]rm";
  report.overall = report.cases[0].judgement;
  const std::string commands = render::check_github({report}, {"e,1:2.yaml", "", ""});
  EXPECT_EQ("::error file=e%2C1%3A2.yaml,line=3,title=a%2Cb%3Ac%25", commands.substr(0, commands.find("%25") + 3));
  EXPECT_EQ(2U, count(commands, "\n"));
  EXPECT_EQ(std::string::npos, commands.find("\n::"));
  EXPECT_EQ(std::string::npos, commands.find('\r'));
  EXPECT_EQ(std::string::npos, render::check_sarif({report}, kPlaces, "1.0").find("](http"));
  const std::string quality = render::check_gitlab({report, report}, kPlaces);
  EXPECT_EQ(4U, count(quality, "\n"));
  EXPECT_EQ(2U, json::parse(quality).size());
}

}  // namespace
}  // namespace egt::assess
