// How many OpenFlow flows a match becomes.
#include "egtrace/ovn/normal_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "egtrace/parsers/ovn_lang.h"
#include "ovn_lang/symbols.h"

namespace egt::parsers::ovn_lang {
namespace {

std::optional<ovn::NormalForm> form_of(const std::string& text) {
  static const SymbolTable& symbols = []() -> const SymbolTable& {
    static SymbolTable table;
    add_symbols(table, Dialect{});
    table.finish();
    return table;
  }();
  auto parsed = parse_expression(text, {&symbols, nullptr, nullptr, 0});
  EXPECT_TRUE(parsed) << text;
  if (!parsed) return std::nullopt;
  auto annotated = annotate(std::move(*parsed));
  EXPECT_TRUE(annotated) << text;
  return annotated ? ovn::normal_form(ovn::simplify(std::move(*annotated))) : std::nullopt;
}

std::size_t flows(const std::string& text) {
  const auto form = form_of(text);
  EXPECT_TRUE(form) << text;
  return form ? ovn::flow_matches(*form, [](std::string_view port) { return port == "here"; }).size() : 0;
}

TEST(NormalForm, OneFlowForEachAlternative) {
  EXPECT_EQ(1u, flows("1"));
  EXPECT_EQ(2u, flows("ip"));
  EXPECT_EQ(2u, flows("tcp.dst == 80"));
  EXPECT_EQ(2u, flows("ip4.src == {10.0.0.1, 10.0.0.2}"));
  EXPECT_EQ(2u, flows("ip4.src == 10.0.0.1 && (!ct.trk || !ct.rpl)"));
  EXPECT_EQ(4u, flows("ip.ttl == {0, 1} && !ip.later_frag && (ip4.mcast || ip6.mcast)"));
  EXPECT_EQ(8u, flows("nd || nd_rs || nd_ra || mldv1 || mldv2"));
}

TEST(NormalForm, CoveredAndContradictoryOnesAreLeftOut) {
  EXPECT_EQ(1u, flows("ip4.src == {10.0.0.0/8, 10.1.0.0/16, 10.0.0.0/8}"));
  EXPECT_EQ(1u, flows("(ip4 || ip6) && ip4.dst == 10.0.0.1"));
  EXPECT_EQ(0u, flows("ip4 && ip6"));
  EXPECT_EQ(1u, flows("(ip4.src == 10.0.0.1 && tcp) || (tcp && ip4.src == 10.0.0.1)"));
}

TEST(NormalForm, SeveralClausesAreAConjunction) {
  EXPECT_EQ(6u, flows("ip4.src == {10.0.0.1, 10.0.0.2} && ip4.dst == {10.0.0.3, 10.0.0.4, 10.0.0.5}"));
  EXPECT_EQ(5u, flows("tcp && ip4.src == {10.0.0.1, 10.0.0.2} && tcp.dst == {80, 443}"));
}

TEST(NormalForm, PortsThatAreElsewhereMatchNothing) {
  EXPECT_EQ(2u, flows("inport == {\"here\", \"elsewhere\"} && ip"));
  EXPECT_EQ(0u, flows("inport == \"elsewhere\" && ip"));
}

TEST(NormalForm, IsGivenUpWhereItHasNoBounds) {
  EXPECT_FALSE(form_of("is_chassis_resident(\"here\") && ip"));
  for (const std::string other : {"reg1", "reg5"}) {  // of one symbol with reg0, and of another
    std::string text = "ip4";
    for (int i = 0; i < 20; ++i) text += fmt::format(" && (reg0[{0}] == 1 || {1}[{0}] == 1)", i, other);
    EXPECT_FALSE(form_of(text));
  }
  std::string many = "ip4";
  for (int i = 0; i < 20'000; ++i) many += " && (ip4.src == 1.1.1.1 || ip4.dst == 1.1.1.1)";
  EXPECT_FALSE(form_of(many));
}

TEST(NormalForm, OfOlderReleases) {
  const auto of = [](const char* version) { return *ovn::expansion_of_release(version); };
  for (const char* version : {"26.03.0-21.1.0-80.1", "27.09", "25.09.1", "25.03.2-20.41.0-79.6", "24.03.7"}) {
    EXPECT_EQ(ovn::Inequality::prefixes, of(version).inequality) << version;
    EXPECT_FALSE(of(version).keeps_covered) << version;
  }
  for (const char* version : {"25.09.0", "25.09", "25.03.1", "24.09.3", "24.03.6-20.33.0-72.6", "23.06.0"}) {
    EXPECT_EQ(ovn::Inequality::bits, of(version).inequality) << version;
    EXPECT_FALSE(of(version).keeps_covered) << version;
  }
  for (const char* version : {"23.03.1-20.27.0-70.6", "22.12.0"}) {
    EXPECT_EQ(ovn::Inequality::bits, of(version).inequality) << version;
    EXPECT_TRUE(of(version).keeps_covered) << version;
  }
  for (const char* version : {"", "main", "25", "25.x", "25.09.x"}) EXPECT_FALSE(ovn::expansion_of_release(version)) << version;
}

}  // namespace
}  // namespace egt::parsers::ovn_lang
