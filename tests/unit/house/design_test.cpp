// docs/design.md names files and folders that are there.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

TEST(Design, NamesFilesThatAreThere) {
  const std::string text = egt::testing::read_file(EGTRACE_SOURCE_DIR "/docs/design.md");
  const std::size_t begin = text.find("## Where do I find"), end = text.find("\n## ", begin + 1);
  ASSERT_NE(begin, std::string::npos);
  const std::string map = text.substr(begin, end - begin);
  const std::regex path("`([a-z_/]+/[a-z0-9_/.-]+|[a-z0-9_]+\\.(cpp|h))`");
  fs::path folder;  // of the file named before: a name alone lies beside it
  std::size_t found = 0;
  for (std::sregex_iterator i(map.begin(), map.end(), path), last; i != last; ++i, ++found) {
    const std::string name = (*i)[1];
    const fs::path file = name.find('/') == std::string::npos ? folder / name : fs::path(EGTRACE_SOURCE_DIR) / name;
    EXPECT_TRUE(fs::exists(file)) << name;
    folder = fs::is_directory(file) ? file : file.parent_path();
  }
  EXPECT_GE(found, 40u);
}

}  // namespace
