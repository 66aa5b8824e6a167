// Listings of which trees of all rules would take more memory than the rules (reader.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "egtrace/host/rule_effect.h"
#include "nft/lower.h"
#include "nft/reader.h"

namespace egt::parsers {
namespace {

namespace nf = netfilter;

// More rules than are kept as trees, then a chain with all that may stand in one.
std::string long_listing() {
  std::string text = "table ip t {\n\tset s {\n\t\ttype ipv4_addr\n\t\telements = { 10.0.0.1 }\n\t}\n\n\tchain long {\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("\t\tip saddr 10.0.{}.{} tcp dport {} drop\n", i >> 8, i & 255, i + 1);
  text += "\t}\n\n\tchain rest {\n\t\tcomment \"the chain's\"\n\t\ttype filter hook forward priority 0; policy drop;\n";
  text += "\t\tip saddr @s accept\n\t\t# between\n\t\tnovel thing 3\n\t\tjump {\n\t\t\tudp dport 53 accept\n\t\t\tdrop\n\t\t}\n";
  text += "\t\txt match connlimit accept\n\t\tcounter packets 3 bytes 4 accept comment \"last\"\n\t}\n}\n";
  return text;
}

std::string text_of(const nf::Chain& chain) {
  std::string text = fmt::format("{} {} {}\n", chain.name, chain.hook.has_value(), chain.drop_by_default);
  for (const nf::Rule& rule : chain.rules)
    text += fmt::format("{} {} {} {} {}\n", rule.from.line, rule.statements.size(), nf::effect_of(rule).value_or("?"),
                        rule.comment.str(), rule.packets.value_or(0));
  return text;
}

TEST(NftLongListing, RulesKeptAsTextsAreTheSameRules) {
  const std::string text = long_listing();
  nft::Reading whole = nft::read_listing(text), part = nft::read_to_lower(text);
  EXPECT_EQ(whole.lines, part.lines);
  EXPECT_EQ(whole.ignored, part.ignored);
  ASSERT_EQ(whole.misread.size(), part.misread.size());
  for (std::size_t i = 0; i < whole.misread.size(); ++i) {
    EXPECT_EQ(whole.misread[i].line, part.misread[i].line);
    EXPECT_EQ(whole.misread[i].column, part.misread[i].column);
  }
  const nft::Lowered all = nft::lower(std::move(whole.document), 1), some = nft::lower(std::move(part.document), 1);
  EXPECT_EQ(all.incomplete, some.incomplete);
  ASSERT_EQ(all.rules.tables.size(), 1u);
  ASSERT_EQ(some.rules.tables.size(), 1u);
  const nf::Table &a = all.rules.tables.front(), &b = some.rules.tables.front();
  EXPECT_TRUE(a.from_iptables && b.from_iptables) << "for the xt statement";
  ASSERT_EQ(a.chains.size(), b.chains.size());
  for (std::size_t i = 0; i < a.chains.size(); ++i) EXPECT_EQ(text_of(a.chains[i]), text_of(b.chains[i]));
}

}  // namespace
}  // namespace egt::parsers
