// Models are read by several threads: what const members change is published once or guarded (docs/design.md).
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

bool is_mutable_member(const std::string& line) {
  const std::size_t at = line.find("mutable ");
  const bool lambda = line.find(") mutable") != std::string::npos;
  return at != std::string::npos && !lambda && line.find("//") > at;
}

TEST(Mutable, MembersAreGuarded) {
  const std::set<std::string> guarded = {
      "libtrace/base/include/egtrace/base/published.h", "libtrace/base/include/egtrace/evidence/evidence.h",
      "libtrace/engine/include/egtrace/engine/logical_network.h", "parsers/src/snapshot/compiled.cpp"};
  const fs::path root = EGTRACE_SOURCE_DIR;
  for (const char* folder : {"libtrace", "parsers"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string(), path = fs::relative(entry.path(), root).string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp") || guarded.contains(path)) continue;
      std::istringstream lines(egt::testing::read_file(entry.path().string()));
      for (std::string line; std::getline(lines, line);) EXPECT_FALSE(is_mutable_member(line)) << path << ": " << line;
    }
}

}  // namespace
