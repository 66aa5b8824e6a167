// Dictionaries of the fuzz targets: a target ends at once where a line is none that libFuzzer takes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

namespace {

TEST(Dictionaries, AreOfTermsBetweenQuotes) {
  const std::regex line(R"re(#.*|([A-Za-z0-9_]+=)?"([ !#-\[\]-~]|\\["\\]|\\x[0-9a-fA-F]{2})+"|)re");
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(EGTRACE_SOURCE_DIR "/tests/fuzz/dictionaries")) {
    ++found;
    std::ifstream in(file.path());
    std::size_t number = 0;
    for (std::string text; std::getline(in, text);)
      EXPECT_TRUE(++number && std::regex_match(text, line)) << file.path().filename() << ":" << number << ": " << text;
  }
  EXPECT_LT(10u, found);
}

}  // namespace
