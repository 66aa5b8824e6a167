// Where dumps have the texts that are kept of them.
#include "snapshot/word_places.h"

#include <gtest/gtest.h>

#include <string>

namespace egt::parsers {
namespace {

std::string found(const std::vector<std::string_view>& dumps, std::string_view word) {
  const auto place = WordPlaces(dumps).find(word);
  if (!place) return "none";
  std::string text(dumps.at(place->dump).substr(place->at, place->size));
  return std::to_string(place->dump) + (place->is_escaped ? " escaped " : " ") + text;
}

TEST(WordPlaces, AreOfWordsAndOfWhatIsQuoted) {
  const std::string rows = R"({"name":"join switch","addresses":"10.0.0.7:80,10.0.0.8:80"})", list = "name : node-1 eth0\n";
  EXPECT_EQ(found({rows, list}, "join switch"), "0 join switch");
  EXPECT_EQ(found({rows, list}, "switch"), "0 switch");
  EXPECT_EQ(found({rows, list}, "10.0.0.7:80,10.0.0.8:80"), "0 10.0.0.7:80,10.0.0.8:80");
  EXPECT_EQ(found({rows, list}, "10.0.0.8:80"), "0 10.0.0.8:80");
  EXPECT_EQ(found({rows, list}, "node-1"), "1 node-1");
  EXPECT_EQ(found({rows, list}, "eth0"), "none") << "a place takes as many bytes";
  EXPECT_EQ(found({rows, list}, "join-switch"), "none");
  EXPECT_EQ(found({"", "node-1"}, "node-1"), "1 node-1");
}

TEST(WordPlaces, AreFoundBehindEscapes) {
  const std::string row = R"({"match":"inport == \"sw0\\p1\" && ip4","note":"a\tb tab here","open":"no end)"
                          "\n"
                          R"(quoted" node-1)";
  EXPECT_EQ(found({row}, R"(inport == "sw0\p1" && ip4)"), R"(0 escaped inport == \"sw0\\p1\" && ip4)");
  EXPECT_EQ(found({row}, "a\tb tab here"), "none") << "no escape of a quote or a backslash";
  EXPECT_EQ(found({row}, "node-1"), "0 node-1");
  EXPECT_EQ(found({R"("ends in an escape\)"}, "escape"), "0 escape");
}

TEST(WordPlaces, AreManyThings) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "\"word \\\"" + std::to_string(100000 + i) + "\\\"\" ";
  const WordPlaces places({many});
  for (const int i : {0, 1, 2500, 4999}) {
    EXPECT_TRUE(places.find("word \"" + std::to_string(100000 + i) + "\"")) << i;
    EXPECT_TRUE(places.find(std::to_string(100000 + i))) << i;
  }
  EXPECT_FALSE(places.find("105000"));
}

TEST(WordPlaces, EscapesAreTakenAway) {
  std::string text;
  for (const char* escaped : {R"(a\"b\\)", "", R"(c\)", "d"}) append_unescaped(text, escaped);
  EXPECT_EQ(text, R"(a"b\cd)");
}

}  // namespace
}  // namespace egt::parsers
