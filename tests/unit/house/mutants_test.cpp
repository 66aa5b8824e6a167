// tools/dev/mutate: what it changes in a source, and that its tests exist.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::TemporaryDirectory;

const std::string kProject = EGTRACE_SOURCE_DIR;

bool has_python() { return std::system("python3 -c '' > /dev/null 2>&1") == 0; }

// The changed lines of `source`, one a line.
std::string mutants_of(const std::string& source) {
  const TemporaryDirectory home;
  const egt::testing::Ran ran = egt::testing::run({kProject + "/tools/dev/mutate", "--list", home.file("source.cpp", source)});
  EXPECT_EQ(ran.status, 0) << ran.err;
  std::string changed;
  for (std::size_t at = ran.out.find("\n  + "); at != std::string::npos; at = ran.out.find("\n  + ", at + 1))
    changed += ran.out.substr(at + 5, ran.out.find('\n', at + 1) - at - 4);
  return changed;
}

TEST(Mutants, OperatorsAndConstantsChange) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  EXPECT_EQ(mutants_of("int a = b < 0x1fu;\n"), "int a = b <= 0x1fu;\nint a = b >= 0x1fu;\nint a = b < 0x20u;\n");
  EXPECT_EQ(mutants_of("bool a = c && true;\n"), "bool a = (c || true);\nbool a = c && false;\n");
}

TEST(Mutants, ConditionsAreNegated) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  EXPECT_EQ(mutants_of("void f() {\n  while (g(a)) {\n  }\n}\n"), "while (!(g(a))) {\n");
  EXPECT_EQ(mutants_of("auto a = b ? c : d;\n"), "auto a = !(b) ? c : d;\n");
  EXPECT_EQ(mutants_of("void f() {\n  if (auto a = g(); !a) {\n  }\n}\n"), "if (auto a = g(); a) {\n");
  EXPECT_EQ(mutants_of("void f() {\n  if (auto* a = g()) {\n  }\n}\n"), "");
}

TEST(Mutants, StatementsAreLeftOut) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  EXPECT_EQ(mutants_of("void f() {\n  g();\n  int a;\n  a = h;\n}\n"), ";\n;\n");
  EXPECT_EQ(mutants_of("bool f() {\n  if (auto* a = g()) return h;\n  return k;\n}\n"), "if (auto* a = g()) ;\n");
}

TEST(Mutants, TextsAndTypesStay) {
  if (!has_python()) GTEST_SKIP() << "no python3";
  EXPECT_EQ(
      mutants_of("#define A(x) x == 1\n// a == b\n/* 1 + 2 */ auto s = R\"x(a == 1)x\" \"b != 0\";\nstd::map<A, B&&>& m;\n"), "");
}

TEST(Mutants, TheirTestsExist) {
  const std::string suites = egt::testing::read_file(kProject + "/tools/dev/mutation/suites.py");
  const std::regex name("[\\[ ]\"([a-z_0-9]+)\"(?!:)");
  int count = 0;
  for (std::sregex_iterator at(suites.begin(), suites.end(), name), end; at != end; ++at, ++count)
    if ((*at)[1] != "golden") EXPECT_TRUE(fs::is_directory(kProject + "/tests/unit/" + (*at)[1].str())) << (*at)[1];
  EXPECT_GT(count, 20);
}

}  // namespace
