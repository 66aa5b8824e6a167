// What typed values of walks are called: details by number, words by number, what follows from a cause.
#include "egtrace/explain/phrases.h"

#include <gtest/gtest.h>

namespace egt::explain {
namespace {

using namespace engine;

const IpAddr kAddress = IpAddr::v4(0xc0000207);  // 192.0.2.7

TEST(Phrases, NameWhatACauseIsAbout) {
  EXPECT_EQ(phrase(engine::Cause{Reason::no_flow_matches}), "no flow matches");
  EXPECT_EQ(phrase(engine::Cause{Reason::group_missing, {std::uint64_t{7}, "br-int"}}), "group 7 of br-int is not there");
  EXPECT_EQ(phrase(engine::Cause{Reason::prohibited, {kAddress, std::uint64_t{0}}}), "a policy rule prohibits 192.0.2.7");
  EXPECT_EQ(phrase(engine::Cause{Reason::prohibited, {kAddress, std::uint64_t{1}}}), "a route prohibits 192.0.2.7");
  EXPECT_EQ(phrase(engine::Cause{Reason::reverse_path_other_device, {kAddress, "eth1", "eth0", "eth2"}}),
            "strict reverse path filter: packets from 192.0.2.7 are expected on eth0, eth2, not on eth1");
}

TEST(Phrases, LeaveOutWhatIsAbsent) {
  EXPECT_EQ(phrase(engine::Cause{Reason::ovn_rejects}), "a flow makes ovn-controller refuse it");
  EXPECT_EQ(phrase(engine::Cause{Reason::ovn_rejects, {"tcp-reset"}}), "a flow makes ovn-controller refuse it with tcp-reset");
}

TEST(Phrases, TellWhatFollows) {
  const engine::Cause cause{Reason::rule_rejects, {"FORWARD"}, {{Reason::error_lost}}};
  EXPECT_EQ(phrase_alone(cause), "a rule of chain FORWARD rejects it");
  EXPECT_EQ(phrase(cause), "a rule of chain FORWARD rejects it; the error message does not reach the sender");
}

TEST(Phrases, HoldThoseOfWhatTheyName) {
  EXPECT_EQ(phrase(engine::Cause{Reason::rule_undecided, {Property::set_contents, "blocked"}}),
            "a rule depends on contents of set blocked, which the dumps do not show");
  EXPECT_EQ(phrase(engine::Cause{Reason::route_undecided, {Supposition::vrf_table, "blue"}}),
            "routing table of VRF blue: the dump of devices does not name it");
  EXPECT_EQ(phrase(Place{PlaceKind::input, {Input::port_numbers, "br-ex"}}), "OpenFlow port numbers of br-ex");
  EXPECT_EQ(phrase(Statement<Notice>{Notice::not_understood, {Input::action_meaning, "note"}}),
            "not understood: the meaning of the action note");
}

TEST(Phrases, OfAssumptionsAndWhatWouldProveThem) {
  const Assumption assume{Supposition::no_route, {kAddress}, {std::uint64_t{1}, std::uint64_t{4}}, {}, "w1"};
  EXPECT_EQ(what_of(assume), "w1: no route to 192.0.2.7");
  EXPECT_EQ(why_of(assume), "the routes are of FRR's routing table, as no dump shows the kernel's");
  const MissingInput missing{"w1", assume.what, {kAddress, std::uint64_t{1}, std::uint64_t{4}}};
  EXPECT_EQ(gap_of(missing), (Gap{"w1", "no route to 192.0.2.7", "ip -4 route show table all"}));
  EXPECT_EQ(gap_of({"w1", Input::netfilter_rules, {std::uint64_t{1}}}),
            (Gap{"w1", "netfilter rules", "ip6tables-save; nft list ruleset"}));
  EXPECT_EQ(what_of(Assumption{Supposition::unread_lines, {std::uint64_t{1}, "a", std::uint64_t{0}}}),
            "1 unread line of a changes nothing");
}

TEST(Phrases, OfBranches) {
  ChoicePoint point{ChoicePoint::Kind::unknown, "w1", Branch::test, {"nft", "t", "c", Property::tcp_flags}};
  EXPECT_EQ(what_of(point), "TCP flags in nft t c");
  EXPECT_EQ(why_of(point), "TCP flags");
  point.kind = ChoicePoint::Kind::split;
  EXPECT_EQ(why_of(point), "");
  EXPECT_EQ(phrase(Statement<Alternative>{Alternative::cookie, {std::uint64_t{0x2a}}}), "cookie 0x2a");
}

}  // namespace
}  // namespace egt::explain
