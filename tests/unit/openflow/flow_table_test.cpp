#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "egtrace/openflow/flow_lookup.h"

namespace egt::openflow {
namespace {

using F = FieldId;

// "c ID,K/N" is a member of a conjunction, "c ID,K/N ID,K/N" of two; anything else does nothing.
ActionList parse(std::string_view text) {
  ActionList list;
  if (!text.starts_with("conjunction(")) return list;
  unsigned id = 0, k = 0, n = 0;
  for (std::size_t at = 0; (at = text.find('(', at)) != std::string_view::npos; ++at)
    if (std::sscanf(std::string(text.substr(at)).c_str(), "(%u,%u/%u)", &id, &k, &n) == 3)
      list.push_back({Conjunction{id, static_cast<std::uint8_t>(k), static_cast<std::uint8_t>(n)}});
  return list;
}

Match match(std::initializer_list<std::pair<F, U128>> fields) {
  Match m;
  for (const auto& [id, value] : fields) m.require(id, value);
  return m;
}

struct FlowTablesTest : testing::Test {
  FlowTables flows{parse};
  std::uint64_t next_cookie = 1;

  void add(std::uint16_t priority, const Match& m, std::string_view actions = "drop", std::uint8_t table = 0) {
    flows.add(table, priority, next_cookie++, 0, m.view(), actions, {});
  }
  std::uint64_t hit(const FlowKey& k, std::uint8_t table = 0) const {
    const Lookup l = FlowLookup(flows).lookup(table, k);
    return l.hit == kNoFlow ? 0 : flows.flow(l.hit).cookie;
  }
};

FlowKey key(std::initializer_list<std::pair<F, U128>> fields) {
  FlowKey k;
  for (const auto& [id, value] : fields) k.set(id, value);
  return k;
}

TEST_F(FlowTablesTest, BeatenFlowsMatchAsWellAndAreLower) {
  add(30, match({{F::reg0, 1}}));
  add(20, match({{F::reg1, 2}}));
  add(20, match({{F::reg1, 3}}));  // another packet's
  add(10, match({{F::reg0, 1}}), "conjunction(7,1/2)");
  add(0, match({}));
  add(0, match({}), "drop", 1);
  const FlowKey k = key({{F::reg0, 1}, {F::reg1, 2}});
  EXPECT_EQ(FlowLookup(flows).shadowed(0, k, 0), (std::vector<FlowIndex>{1, 4}));
  EXPECT_EQ(FlowLookup(flows).shadowed(0, k, 1), (std::vector<FlowIndex>{4}));
  for (std::uint32_t other = 0; other < 40; ++other) add(5, match({{F::reg2, 100 + other}}));
  FlowLookup lookup(flows);
  for (int i = 0; i < 20; ++i) lookup.lookup(0, k);  // now the table has an index
  EXPECT_EQ(lookup.shadowed(0, k, 0), (std::vector<FlowIndex>{1, 4}));
}

TEST_F(FlowTablesTest, TheHighestPriorityWins) {
  add(10, match({{F::reg0, 1}}));
  add(20, match({{F::reg0, 1}, {F::reg1, 2}}));
  add(0, match({}));
  add(5, match({}), "drop", 1);
  EXPECT_EQ(hit(key({{F::reg0, 1}})), 1u);
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}})), 2u);
  EXPECT_EQ(hit(key({})), 3u);
  EXPECT_EQ(hit(key({}), 1), 4u);
  EXPECT_EQ(hit(key({}), 2), 0u);
  EXPECT_TRUE(flows.has_table(1));
  EXPECT_FALSE(flows.has_table(2));
  EXPECT_EQ(flows.in_table(0), (std::vector<FlowIndex>{1, 0, 2}));
}

TEST_F(FlowTablesTest, AddingAfterALookupIsSeen) {
  add(10, match({}));
  EXPECT_EQ(hit(key({})), 1u);
  add(20, match({}));
  EXPECT_EQ(hit(key({})), 2u);
}

TEST_F(FlowTablesTest, ACopyKeepsTheFlowsThatItBeganWith) {
  add(10, match({{F::reg0, 1}}));
  add(30, match({{F::reg1, 2}}), "conjunction(7,1/2)");
  add(30, match({{F::reg2, 3}}), "conjunction(7,2/2)");
  add(30, match({{F::conj_id, 7}}));
  const FlowKey k = key({{F::reg0, 1}, {F::reg1, 2}, {F::reg2, 3}});
  ASSERT_EQ(hit(k), 4U);
  const FlowTables copy = flows;
  add(50, match({}));
  EXPECT_EQ(hit(k), 5U);
  flows = FlowTables(parse);
  const Lookup found = FlowLookup(copy).lookup(0, k);
  ASSERT_NE(found.hit, kNoFlow);
  EXPECT_EQ(copy.flow(found.hit).cookie, 4U);
  EXPECT_EQ(copy.size(), 4U);
  EXPECT_EQ(actions_text(copy.flow(0)), "drop");
}

TEST_F(FlowTablesTest, TiesAreReported) {
  add(10, match({{F::reg0, 1}}), "output:1");
  add(10, match({{F::reg1, 2}}), "output:2");
  const Lookup l = FlowLookup(flows).lookup(0, key({{F::reg0, 1}, {F::reg1, 2}}));
  EXPECT_EQ(l.hit, 0u);
  EXPECT_EQ(l.ties, std::vector<FlowIndex>{1});
}

TEST_F(FlowTablesTest, ConjunctionNeedsEveryClause) {
  add(10, match({{F::reg0, 1}}), "conjunction(7,1/2)");
  add(10, match({{F::reg1, 2}}), "conjunction(7,2/2)");
  add(10, match({{F::conj_id, 7}}), "output:1");
  add(1, match({}), "drop");
  const Lookup l = FlowLookup(flows).lookup(0, key({{F::reg0, 1}, {F::reg1, 2}}));
  EXPECT_EQ(l.hit, 2u);
  EXPECT_EQ(l.conj_id, 7u);
  EXPECT_EQ(l.conjunction, (std::vector<FlowIndex>{0, 1}));
  EXPECT_EQ(hit(key({{F::reg0, 1}})), 4u);
}

TEST_F(FlowTablesTest, APlainFlowBeatsAConjunctiveOneOfEqualPriority) {
  add(10, match({{F::reg0, 1}}), "conjunction(7,1/2)");
  add(10, match({{F::reg1, 2}}), "conjunction(7,2/2)");
  add(10, match({{F::conj_id, 7}}), "output:1");
  add(10, match({{F::reg2, 3}}), "drop");
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}, {F::reg2, 3}})), 4u);
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}})), 3u);
}

TEST_F(FlowTablesTest, AConjunctionWithoutAFlowFallsToLowerPriorities) {
  add(20, match({{F::reg0, 1}}), "conjunction(7,1/2)");
  add(20, match({{F::reg1, 2}}), "conjunction(7,2/2)");
  add(10, match({{F::reg0, 1}}), "conjunction(8,1/2)");
  add(10, match({{F::reg1, 2}}), "conjunction(8,2/2)");
  add(10, match({{F::conj_id, 8}}), "output:1");
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}})), 5u);
}

TEST_F(FlowTablesTest, ClausesOfDifferentPrioritiesDoNotMeet) {
  add(20, match({{F::reg0, 1}}), "conjunction(7,1/2)");
  add(10, match({{F::reg1, 2}}), "conjunction(7,2/2)");
  add(20, match({{F::conj_id, 7}}), "output:1");
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}})), 0u);
}

TEST_F(FlowTablesTest, AConjunctionNeedsAsManyFlowsAsClauses) {
  add(20, match({{F::reg0, 1}}), "conjunction(7,1/2),conjunction(7,2/2)");
  add(20, match({{F::conj_id, 7}}));
  EXPECT_EQ(hit(key({{F::reg0, 1}})), 0U);  // lib/classifier.c does not count clauses of more than there are flows
  add(20, match({{F::reg1, 2}}), "conjunction(8,1/2)");
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}})), 2U);
}

// Of two that hold at one priority the switch takes the one that its subtables, the best flows' first, make whole
// first.
TEST_F(FlowTablesTest, OfTwoConjunctionsTheOneOfTheFirstSubtablesWins) {
  add(10, match({{F::reg2, 3}}), "conjunction(7,1/2)");
  add(10, match({{F::reg3, 4}}), "conjunction(7,2/2)");
  add(10, match({{F::reg0, 1}}), "conjunction(8,1/2)");
  add(10, match({{F::reg1, 2}}), "conjunction(8,2/2)");
  add(10, match({{F::conj_id, 7}}), "output:1");
  add(10, match({{F::conj_id, 8}}), "output:2");
  const FlowKey k = key({{F::reg0, 1}, {F::reg1, 2}, {F::reg2, 3}, {F::reg3, 4}});
  EXPECT_EQ(FlowLookup(flows).lookup(0, k).conj_id, 7U);
  add(20, match({{F::reg0, 99}}));
  add(20, match({{F::reg1, 99}}));
  const Lookup l = FlowLookup(flows).lookup(0, k);
  EXPECT_EQ(l.conj_id, 8U);
  EXPECT_EQ(l.ties, std::vector<FlowIndex>{4});
}

TEST_F(FlowTablesTest, ThreadsShareTheTablesAndTheirIndexes) {
  for (std::uint32_t i = 0; i < 3000; ++i) add(static_cast<std::uint16_t>(i % 7), match({{F::reg0, i}}));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      FlowLookup lookup(flows);
      for (std::uint32_t i = 0; i < 6000; ++i) {
        const FlowIndex found = lookup.lookup(0, key({{F::reg0, i % 3000}})).hit;
        wrong += found != i % 3000 || flows.flow(found).cookie != found + 1 || !flows.actions(flows.flow(found)).empty();
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(FlowTablesTest, OneFlowMayServeTwoConjunctions) {
  add(10, match({{F::reg0, 1}}), "conjunction(7,1/2),conjunction(8,1/2)");
  add(10, match({{F::reg1, 2}}), "conjunction(8,2/2)");
  add(10, match({{F::conj_id, 8}}), "output:1");
  EXPECT_EQ(hit(key({{F::reg0, 1}, {F::reg1, 2}})), 3u);
}

// The fast lookup against a walk along the whole list.
TEST_F(FlowTablesTest, AgreesWithALinearSearch) {
  std::mt19937 random(1);
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<Match> matches;
  std::vector<std::uint16_t> priorities;
  for (int i = 0; i < 400; ++i) {
    Match m;
    if (pick(2)) m.require(F::metadata, pick(4));
    if (pick(2)) m.require(F::ip_dst, pick(256), (0xffu << pick(8)) & 0xff);
    if (pick(3) == 0) m.require(F::ct_state, pick(4), 3);
    if (pick(4) == 0) m.require(Subfield{F::xxreg0, 62, 4}, pick(16));
    matches.push_back(m);
    priorities.push_back(static_cast<std::uint16_t>(pick(50)));
    add(priorities.back(), m);
  }
  FlowLookup lookup(flows);
  for (int i = 0; i < 2000; ++i) {
    const FlowKey k = key({{F::metadata, pick(4)},
                           {F::ip_dst, pick(256)},
                           {F::ct_state, pick(4)},
                           {F::xreg0, pick(4)},
                           {F::xreg1, U128{pick(4)} << 62}});
    FlowIndex best = kNoFlow;
    for (FlowIndex f = 0; f < matches.size(); ++f)
      if (openflow::matches(matches[f].view(), k) && (best == kNoFlow || priorities[f] > priorities[best])) best = f;
    ASSERT_EQ(lookup.lookup(0, k).hit, best);
  }
}

TEST(Match, TellsItsFields) {
  Match m;
  m.require(F::ct_state, 0x21, 0x23);
  m.require(F::ipv6_src, make_u128(1, 2), make_u128(~0ULL, 0));
  EXPECT_EQ(mask_of(m.view(), F::ct_state), 0x23u);
  EXPECT_EQ(value_of(m.view(), F::ct_state), 0x21u);
  EXPECT_EQ(mask_of(m.view(), F::ipv6_src), make_u128(~0ULL, 0));
  EXPECT_EQ(value_of(m.view(), F::ipv6_src), make_u128(1, 0));
  EXPECT_EQ(mask_of(m.view(), F::reg0), 0u);
}

TEST(Match, OrderOfRequirementsDoesNotMatter) {
  EXPECT_EQ(match({{F::reg0, 1}, {F::metadata, 2}, {F::reg1, 3}}), match({{F::reg1, 3}, {F::reg0, 1}, {F::metadata, 2}}));
}

TEST(Match, SpecialFields) {
  EXPECT_EQ(mask_of(match({{F::nw_tos, 184}}).view(), F::nw_tos), 0xffu);
  EXPECT_EQ(mask_of(match({{F::nw_tos, 184}}).view(), F::nw_ecn), 0u);
  EXPECT_EQ(value_of(match({{F::dl_vlan, 5}}).view(), F::vlan_tci), 0x1005u);
  EXPECT_EQ(mask_of(match({{F::dl_vlan, 0xffff}}).view(), F::vlan_tci), 0xffffu);
  EXPECT_EQ(match({{F::in_port_oxm, 0xfffffffe}}), match({{F::in_port, 0xfffe}}));
}

}  // namespace
}  // namespace egt::openflow
