// Manual pages say what --help says.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "support/run.h"

namespace manual_test {
namespace {

using egt::testing::run;

std::string page(const std::string& verb) { return run({EGTRACE_BINARY, "manual", verb}, "").out; }

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST(Manual, HasEveryOptionOfEveryVerb) {
  const std::string verbs = run({EGTRACE_BINARY, "completion", "--candidates", ""}, "").out;
  std::size_t pages = 0;
  for (std::string_view rest = verbs; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    const std::string verb(rest.substr(0, rest.find('\n')));
    if (verb.starts_with("-") || verb.starts_with(":")) continue;
    const std::string text = without_backslashes(page(verb));
    EXPECT_NE(std::string::npos, text.find("# NAME\n\negtrace-" + verb + " - ")) << verb;
    const std::string options = run({EGTRACE_BINARY, "completion", "--candidates", verb, "--"}, "").out;
    for (std::string_view left = options; !left.empty(); left.remove_prefix(left.find('\n') + 1)) {
      const std::string option(left.substr(0, left.find('\n')));
      if (!option.starts_with("--")) continue;
      EXPECT_NE(std::string::npos, text.find("**" + option + "**")) << verb << " " << option;
    }
    ++pages;
  }
  EXPECT_GT(pages, 15u);
}

TEST(Manual, OfTheProgramListsTheVerbsAndNotItself) {
  const std::string text = run({EGTRACE_BINARY, "manual"}, "").out;
  EXPECT_NE(std::string::npos, text.find("**egtrace explain**"));
  EXPECT_EQ(std::string::npos, text.find("**egtrace manual**"));
  EXPECT_EQ(std::string::npos, run({EGTRACE_BINARY, "--help"}, "").out.find("manual"));
  EXPECT_NE(std::string::npos, text.find("**EGTRACE\\_SNAPSHOT**"));
}

TEST(Manual, UnknownVerbIsRefused) { EXPECT_EQ(2, run({EGTRACE_BINARY, "manual", "frobnicate"}, "").status); }

}  // namespace
}  // namespace manual_test
