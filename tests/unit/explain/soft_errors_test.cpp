// What a UDP socket hears of an ICMP error depends on its code, whatever a rule calls it. Seen with Linux 6.18, a connected socket behind a
// router: a timeout of `host-unreachable`, `net-unreachable` and `no-route`, an error of the others.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/sample.h"

namespace {

std::string outcome_with(const std::string& refusal, const std::string& proto) {
  egt::testing::Sample sample;
  sample.write(
      "router/nft_list_ruleset",
      "table inet t {\n\tchain c {\n\t\ttype filter hook forward priority filter; policy accept;\n\t\tip daddr 192.168.55.13 "
      "reject with " +
          refusal + "\n\t}\n}\n");
  const auto ran = egt::testing::run({EGTRACE_BINARY, "explain", sample.path(), "--from", "node:master-02-demo", "--to",
                                      "192.168.55.13:80", "--proto", proto, "--format", "json"});
  const auto e = nlohmann::json::parse(ran.out, nullptr, false);
  return e.is_discarded() ? ran.err : e.at("outcome").get<std::string>();
}

TEST(SoftErrors, AreNotHeardByUdp) {
  for (const char* soft : {"icmpx host-unreachable", "icmpx no-route", "icmp host-unreachable", "icmp net-unreachable"})
    EXPECT_EQ(outcome_with(soft, "udp"), "unanswered") << soft;
  for (const char* hard : {"icmpx port-unreachable", "icmpx admin-prohibited", "icmp host-prohibited", "icmp prot-unreachable"})
    EXPECT_EQ(outcome_with(hard, "udp"), "refused") << hard;
}

TEST(SoftErrors, EndConnectionsOfTcpThatBegin) { EXPECT_EQ(outcome_with("icmpx host-unreachable", "tcp"), "refused"); }

}  // namespace
