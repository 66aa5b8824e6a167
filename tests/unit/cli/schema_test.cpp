// What the program prints as JSON holds to docs/schema/.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/json_schema.h"
#include "support/run.h"

namespace {

using nlohmann::json;

void expect_contract(std::vector<std::string> arguments) {
  const std::string verb = arguments.front();
  arguments.insert(arguments.begin(), EGTRACE_BINARY);
  arguments.insert(arguments.end(), {"--format", "json"});
  const egt::testing::Ran ran = egt::testing::run(arguments, "", EGTRACE_SOURCE_DIR);
  const json document = json::parse(ran.out, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << verb << ": " << ran.err << ran.out.substr(0, 300);
  EXPECT_EQ("egtrace." + verb + (verb == "explain" ? "/2" : "/1"), document.value("schema", ""));
  for (const std::string& error : egt::testing::contract_errors(document)) ADD_FAILURE() << verb << " " << error;
}

TEST(Schema, Parse) {
  const std::string node = "samples/egressip-secondary/master-02-demo/";
  for (const char* dump : {"ip_rule", "iptables-save", "ovs-ofctl_show_br-int", "ovn-nbctl_show", "nft_list_ruleset"}) {
    expect_contract({"parse", node + dump});
  }
}

TEST(Schema, Inspect) {
  expect_contract({"inspect", "samples/egressip-secondary"});
  expect_contract({"inspect", "samples/egressip-excerpt"});
}

TEST(Schema, Explain) {
  expect_contract(
      {"explain", "samples/egressip-secondary", "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80", "--reply"});
  expect_contract({"explain", "samples/egressip-excerpt", "--from", "10.133.0.9", "--to", "192.168.55.13:80"});
}

TEST(Schema, Lookup) {
  for (const char* object : {"10.133.0.9", "metadata=0x2", "br-int", "EgressIP/project-egressip", "nothing-of-the-kind"})
    expect_contract({"lookup", "samples/egressip-secondary", object});
}

TEST(Schema, Flows) {
  expect_contract({"flows", "samples/egressip-secondary", "--bridge", "br-ex"});
  expect_contract({"flows", "samples/egressip-secondary", "--by", "object"});
  expect_contract({"flows", "samples/egressip-secondary", "--logical", "--by", "object"});
  egt::testing::TemporaryDirectory folder;
  const std::string head = "recirc_id(0),in_port(2),eth_type(0x0800),ipv4(frag=no), packets:",
                    tail = ", bytes:60, used:0.5s, actions:recirc(0x5)\n";
  folder.file("n1/ovs-appctl_dpctl.dump-flows", head + "2" + tail);
  folder.file("before/n1/ovs-appctl_dpctl.dump-flows",
              head + "1" + tail + "recirc_id(0x7),in_port(2),eth_type(0x0800), packets:1" + tail);
  expect_contract({"flows", folder.path() + "/n1", "--datapath"});
  expect_contract({"flows", folder.path() + "/n1", "--datapath", "--since", folder.path() + "/before/n1"});
}

TEST(Schema, Sql) { expect_contract({"sql", "samples/egressip-excerpt", "SELECT * FROM neighbours"}); }

TEST(Schema, Decode) { expect_contract({"decode", "0x64580003", "0a:58:64:58:00:03", "+trk-new"}); }

TEST(Schema, Assess) {
  const std::string sample = "samples/egressip-secondary";
  expect_contract(
      {"assert", sample, "--from", "demo-egress/requester-3a", "--to", "192.168.55.13:80", "--snat", "192.168.66.100"});
  expect_contract({"check", sample, "samples/expectations.yaml"});
  expect_contract({"check", sample, "--from-objects"});
  expect_contract({"triage", sample});
  expect_contract({"audit", sample, "--namespace", "demo-egress"});
  expect_contract({"diff", sample, "samples/egressip-excerpt", "--to", "192.168.55.13", "--namespace", "demo-egress"});
}
TEST(Schema, Pcap) { expect_contract({"pcap", "samples/egressip-secondary", "tests/golden/pcap-egressip-secondary/captures"}); }

TEST(Schema, ValidatorFindsWhatIsWrong) {
  const json schema = json::parse(R"({"type": "object", "required": ["a"], "properties": {"a": {"enum": [1, 2]},
      "b": {"type": "array", "items": {"$ref": "#/$defs/n"}}}, "$defs": {"n": {"type": ["integer", "null"]}}})");
  EXPECT_TRUE(egt::testing::schema_errors(schema, json::parse(R"({"a": 1, "b": [1, null]})")).empty());
  EXPECT_EQ(1U, egt::testing::schema_errors(schema, json::parse("{}")).size());
  EXPECT_EQ(1U, egt::testing::schema_errors(schema, json::parse(R"({"a": 3})")).size());
  EXPECT_EQ(1U, egt::testing::schema_errors(schema, json::parse(R"({"a": 1, "b": ["x"]})")).size());
  EXPECT_EQ(1U, egt::testing::schema_errors(json::parse(R"({"madeUp": 1})"), json::parse("1")).size());
}

}  // namespace
