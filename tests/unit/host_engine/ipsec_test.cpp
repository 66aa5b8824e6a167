// IPsec policies on the way of a packet. The packet oracle holds those without encryption against the kernel; each of these was
// seen there.
#include <gtest/gtest.h>

#include <algorithm>

#include "test_host.h"

namespace egt::test {
namespace {

using engine::HostOutcome;
using engine::Reason;
using engine::Supposition;
using Kind = HostOutcome::Kind;

TestHost a_router() {
  TestHost h;
  h.link("in0", "02:00:00:00:00:01", "10.0.0.1/24").link("out0", "02:00:00:00:00:02", "10.1.0.1/24");
  h.routes("default via 10.1.0.9 dev out0");
  h.neighbour("10.1.0.9", "out0", "52:54:00:00:00:01").neighbour("10.0.0.5", "in0", "52:54:00:00:00:05");
  return h;
}

bool assumes(const Lab& lab, Supposition what) {
  const auto& all = lab.record.assumptions;
  return std::any_of(all.begin(), all.end(), [&](const engine::Assumption& a) { return a.what == what; });
}

TEST(Ipsec, BlocksWhatIsForwarded) {
  TestHost h = a_router();
  h.ipsec_policies("src 10.0.0.0/24 dst 9.0.0.0/8 \n\tdir fwd action block priority 0 \n").local_table();
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  EXPECT_EQ(o.kind, Kind::dropped);
  EXPECT_EQ(o.stop->why.reason, Reason::ipsec_policy_blocks);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "8.8.8.8", 4000, 80)).kind, Kind::transmit);
}

TEST(Ipsec, OfIncomingPacketsConcernsThoseForThisHost) {
  TestHost h = a_router();
  h.ipsec_policies("src 0.0.0.0/0 dst 0.0.0.0/0 \n\tdir in action block priority 0 \n").local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::transmit);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "10.0.0.1", 4000, 80)).kind, Kind::dropped);
}

// nf_nat_decode_session(): as the packet came; on the way out before and behind the translation.
TEST(Ipsec, MeetsAddressesOnBothSidesOfTheTranslation) {
  for (const char* source : {"10.0.0.5/32", "10.1.0.1/32"}) {
    TestHost h = a_router();
    h.iptables("*nat\n:POSTROUTING ACCEPT [0:0]\n-A POSTROUTING -o out0 -j MASQUERADE\nCOMMIT\n");
    h.ipsec_policies("src " + std::string(source) + " dst 9.0.0.0/8 \n\tdir out action block priority 0 \n").local_table();
    Lab lab(h);
    EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::dropped) << source;
  }
}

TEST(Ipsec, TheSmallestPriorityDecides) {
  TestHost h = a_router();
  h.ipsec_policies(
       "src 0.0.0.0/0 dst 0.0.0.0/0 \n\tdir fwd action block priority 10 \n"
       "src 0.0.0.0/0 dst 0.0.0.0/0 proto tcp \n\tdir fwd priority 5 \n")
      .local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::transmit);
}

constexpr const char* kEncrypts =
    "src 10.0.0.0/24 dst 9.0.0.0/8 \n\tdir out priority 0 \n\ttmpl src 0.0.0.0 dst 0.0.0.0\n\t\tproto esp reqid 7 mode "
    "transport\n";

TEST(Ipsec, IsAssumedToArriveWhereItIsEncrypted) {
  TestHost h = a_router();
  h.ipsec_policies(kEncrypts).local_table();
  Lab lab(h);
  EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::transmit);
  EXPECT_TRUE(assumes(lab, Supposition::ipsec_protects));
}

TEST(Ipsec, WithoutAssociationNothingIsSent) {
  TestHost h = a_router();
  h.ipsec_policies(kEncrypts).local_table();
  h.host().ipsec_associations.present = true;
  Lab lab(h);
  const HostOutcome o = lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
  EXPECT_EQ(o.kind, Kind::dropped);
  EXPECT_EQ(o.stop->why.reason, Reason::ipsec_association_missing);
  EXPECT_TRUE(assumes(lab, Supposition::ipsec_stays_without_association));
}

host::IpsecAssociation association(const std::string& cipher, std::optional<std::uint16_t> check_bits,
                                   std::uint16_t udp_port = 0) {
  host::IpsecAssociation a;
  a.source = *IpAddr::parse("10.0.0.5");
  a.destination = *IpAddr::parse("9.9.9.9");
  a.proto = "esp";
  a.reqid = 7;
  a.cipher = cipher;
  a.check_bits = check_bits;
  a.udp_port = udp_port;
  return a;
}

// RFC 4303, RFC 4106 and RFC 3602: header, initialization vector, padding to a block with the two bytes behind it, check value.
TEST(Ipsec, AddsBytesByItsAlgorithms) {
  const auto most = [](const host::IpsecAssociation& a) { return engine::overhead_of(a).most.payload_of(1500); };
  EXPECT_EQ(1466u, most(association("rfc4106(gcm(aes))", 128)));
  EXPECT_EQ(1458u, most(association("rfc4106(gcm(aes))", 128, 4500)));
  EXPECT_EQ(1458u, most(association("cbc(aes)", 128)));
  EXPECT_EQ(1466u, most(association("cbc(des3_ede)", 96)));
  EXPECT_EQ(0u, engine::overhead_of(association("cbc(aes)", 128)).most.payload_of(60));
  const engine::EspOverhead unknown = engine::overhead_of(association("of tomorrow", 128));
  EXPECT_LT(unknown.most.payload_of(1500), 1440u);
  EXPECT_GT(unknown.least.payload_of(1500), 1466u);
}

TEST(Ipsec, LeavesLessRoomOnTheLink) {
  for (const bool known : {true, false}) {
    TestHost h = a_router();
    h.ipsec_policies(kEncrypts).local_table();
    h.host().ipsec_associations.present = true;
    for (host::Link& link : h.host().links.value) link.mtu = 1500;
    h.host().ipsec_associations.value = {association(known ? "rfc4106(gcm(aes))" : "of tomorrow", 128)};
    const auto outcome = [&](std::uint32_t length, Lab& lab) {
      lab.options.packet_length = length;
      return lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80));
    };
    Lab fits(h), does_not(h), never(h);
    EXPECT_EQ(outcome(known ? 1466 : 1420, fits).kind, Kind::transmit);
    ASSERT_TRUE(fits.record.largest);
    EXPECT_EQ(fits.record.largest->bytes, known ? 1466u : 1426u);
    EXPECT_FALSE(assumes(fits, Supposition::encrypted_fits));
    EXPECT_EQ(outcome(1467, does_not).kind, known ? Kind::rejected : Kind::transmit);
    EXPECT_EQ(assumes(does_not, Supposition::encrypted_fits), !known);
    const HostOutcome refused = outcome(1490, never);
    EXPECT_EQ(refused.kind, Kind::rejected);
    EXPECT_EQ(refused.stop->why.reason, Reason::mtu_exceeded);
    EXPECT_EQ(refused.answer_mtu, known ? 1466u : 1426u);
  }
}

// The path says that ESP is what a capture there shows, and by what.
TEST(Ipsec, SaysWhatTheWireCarries) {
  for (const std::uint16_t port : {std::uint16_t{0}, std::uint16_t{4500}}) {
    TestHost h = a_router();
    h.ipsec_policies(kEncrypts).local_table();
    h.host().ipsec_associations.present = true;
    h.host().ipsec_associations.value = {association("", {}, port)};
    Lab lab(h);
    EXPECT_EQ(lab.receive("in0", tcp("10.0.0.5", "9.9.9.9", 4000, 80)).kind, Kind::transmit);
    const auto& steps = lab.record.steps;
    const auto said = std::find_if(steps.begin(), steps.end(), [](const engine::Step& s) {
      const auto* remark = std::get_if<engine::Remark>(&s.kind);
      return remark != nullptr && remark->kind == engine::Notice::ipsec_encrypts;
    });
    ASSERT_NE(said, steps.end());
    EXPECT_EQ(std::get<engine::Remark>(said->kind).about[3], engine::Detail(std::uint64_t{port != 0}));
  }
}

}  // namespace
}  // namespace egt::test
