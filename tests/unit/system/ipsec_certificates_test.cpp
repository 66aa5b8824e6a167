// What libreswan says of its certificates (show_cert_detail() of programs/pluto/x509.c), with and without the numbers of its releases 3 and 4.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/format_fixture.h"

namespace egt::parsers {
namespace {

const std::string kListed =
    " \nList of Public Keys:\n \nList of X.509 End Certificates:\n \nEnd certificate \"ovs_certkey_a1\" - SN: 0x0f\n"
    "  subject: C=US, O=ovnkubernetes, OU=kind, CN=a1\n  issuer: CN=openshift_ovn-ipsec@1\n"
    "  not before: Sat Mar 01 12:00:00 2025\n  not after: Sun Mar 01 12:00:00 2026\n  2048 bit RSA: has private key\n \n"
    "List of X.509 CA Certificates:\n \nRoot CA certificate \"ovs_cert_cacert\" - SN: 0x01\n"
    "  subject: CN=openshift_ovn-ipsec@1\n  not before: Fri Feb 29 00:00:01 2024\n  not after: Mon Feb 27 00:00:01 2034\n"
    "  2048 bit RSA\n \nList of CRLs:\n \n";

std::string numbered(const std::string& text) {
  std::string all;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; begin = end + 1, end = text.find('\n', begin))
    all += "000 " + text.substr(begin, end + 1 - begin);
  return all;
}

TEST(IpsecCertificates, AreReadAndPrintedBack) {
  Formats f(system_formats());
  for (const std::string& text : {kListed, numbered(kListed)}) {
    const Dump dump = f.dump(text);
    EXPECT_EQ(f.kind(dump), "ipsec certificates");
    const Printed printed = f.reprint(dump);
    EXPECT_EQ(printed.out, text);
    EXPECT_TRUE(printed.report.not_understood.empty());
    f.torment(text, "ipsec certificates");
    const auto all = nlohmann::json::parse(f.json(dump)).at("certificates");
    ASSERT_EQ(all.size(), 2U);
    EXPECT_EQ(all[0].at("not_after"), "2026-03-01T12:00:00Z");
    EXPECT_EQ(all[1].at("not_before"), "2024-02-29T00:00:01Z");
  }
}

TEST(IpsecCertificates, AreThoseOfTheNode) {
  Formats f(system_formats());
  cluster::Cluster cluster;
  f.load(f.dump(numbered(kListed), "ipsec whack --listall"), cluster);
  const auto& all = cluster.node("n")->host.ipsec_certificates;
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "ovs_certkey_a1");
  EXPECT_EQ(all[1].name, "ovs_cert_cacert");
  EXPECT_EQ(all[0].not_before, 1740830400);
  EXPECT_EQ(all[0].from.line, 6U);
}

TEST(IpsecCertificates, WithATimeOfAnotherFormAreNamed) {
  Formats f(system_formats());
  std::string text = kListed;
  text.replace(text.find("Sun Mar 01"), 10, "2026-03-01");
  const Printed printed = f.reprint(f.dump(text));
  ASSERT_EQ(printed.report.not_understood.size(), 1U);
  EXPECT_EQ(printed.report.not_understood[0].line, 10U);
}

}  // namespace
}  // namespace egt::parsers
