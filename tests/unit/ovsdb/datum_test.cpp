#include "ovsdb/datum.h"

#include <gtest/gtest.h>

namespace egt::parsers::ovsdb {
namespace {

std::string again(std::string_view text) {
  const auto datum = parse_datum(text);
  return datum ? to_text(*datum) : "(none)";
}

TEST(Datum, PrintsBackWhatTheToolsPrint) {
  for (const char* text : {"[]",
                           "{}",
                           "7",
                           "-1",
                           "true",
                           "geneve",
                           "\"192.168.99.24\"",
                           "\"\"",
                           "[\"10.0.0.1\", \"10.0.0.2\"]",
                           "{csum=\"true\", key=flow}",
                           "{\"k8s.ovn.org/name\"=demo-web}",
                           "0.5",
                           "1e+20",
                           "fc1a4799-828f-4d11-9ce3-e84a94d67c79",
                           "[fc1a4799-828f-4d11-9ce3-e84a94d67c79]",
                           R"("inport == \"a\" && ip4.src == $b\\c")",
                           R"("tab\tline\nbell\u0007")",
                           "\"äö\"",
                           "eth0",
                           "\"eth0\"",
                           R"({"a b\"c"="v,=[]{}"})"})
    EXPECT_EQ(again(text), text);
}

TEST(Datum, KnowsTheKindsOfAtoms) {
  const auto set = parse_datum("[1, 0.5, true, name, \"7\", fc1a4799-828f-4d11-9ce3-e84a94d67c79]");
  ASSERT_TRUE(set);
  ASSERT_EQ(set->keys.size(), 6u);
  EXPECT_EQ(set->shape, Datum::Shape::set);
  EXPECT_EQ(set->keys[0].kind, AtomKind::integer);
  EXPECT_EQ(set->keys[1].kind, AtomKind::real);
  EXPECT_EQ(set->keys[2].kind, AtomKind::boolean);
  EXPECT_EQ(set->keys[3].kind, AtomKind::string);
  EXPECT_EQ(set->keys[4].kind, AtomKind::string);
  EXPECT_TRUE(set->keys[4].quoted);
  EXPECT_EQ(set->keys[5].kind, AtomKind::uuid);
}

TEST(Datum, UndoesEscapes) {
  const auto datum = parse_datum(R"("a\"b\\c\/d\n\u00e4\ud83d\ude00")");
  ASSERT_TRUE(datum);
  EXPECT_EQ(datum->text(), "a\"b\\c/d\nä😀");
}

TEST(Datum, LetsEditedMapsPass) {
  const auto map = parse_datum(R"({ "10.0.0.1:80" : "10.1.1.1:80", "b" = c })");
  ASSERT_TRUE(map);
  EXPECT_EQ(map->as_map().at("10.0.0.1:80"), "10.1.1.1:80");
  EXPECT_EQ(map->as_map().at("b"), "c");
}

TEST(Datum, RefusesWhatIsCutOrNested) {
  for (const char* text : {"", " ", "\"open", "[1, 2", "{a=", "{a}", "[1 2]", "[[1]]", "a b", "\"a\" b", "[,]", R"("\x")",
                           R"("\u12")", R"("\ud83d")", "]"})
    EXPECT_FALSE(parse_datum(text)) << text;
}

TEST(Datum, QuotesAsTheToolsDo) {
  for (const char* bare : {"geneve", "master-01-demo", "a.b", "_x", "f95b8deb4862b81", "a9312039350269805227"})
    EXPECT_FALSE(needs_quotes(bare)) << bare;
  for (const char* quoted : {"", "1", "192.168.99.24", "true", "false", "a b", "fd99::1", "a:b", "-x", "ä",
                             "dd8dc8c9-e8e2-538e-a128-c7917516f30f", "3f7826f95f8dd53"})
    EXPECT_TRUE(needs_quotes(quoted)) << quoted;
}

}  // namespace
}  // namespace egt::parsers::ovsdb
