// Names that OVN-Kubernetes gives stand in egtrace/ovn_kubernetes/names.h alone. Texts of whole dumps (presumed) and their meanings
// (phrases) have them within other words.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

constexpr const char* kTable = EGTRACE_SOURCE_DIR "/libtrace/model/include/egtrace/ovn_kubernetes/names.h";

std::set<std::string> texts_of(const std::string& source) {
  static const std::regex kText(R"re("([^"\\\n]+)")re");
  std::set<std::string> texts;
  for (std::sregex_iterator i(source.begin(), source.end(), kText), last; i != last; ++i) texts.insert((*i)[1]);
  return texts;
}

bool is_source(const fs::path& path) {
  const std::string shown = path.string();
  return (path.extension() == ".cpp" || path.extension() == ".h") && path != kTable && shown.find("/presumed/") == shown.npos;
}

TEST(OvnKubernetesNames, StandInOneTable) {
  std::set<std::string> names = texts_of(egt::testing::read_file(kTable));
  ASSERT_GE(names.size(), 40u);
  for (const char* ordinary : {"br-int", "-to-", "patch-"}) names.erase(ordinary);
  for (const char* folder : {"libtrace", "parsers", "tools/egtrace", "tools/render", "tools/sql"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(EGTRACE_SOURCE_DIR) / folder))
      if (is_source(entry.path()))
        for (const std::string& text : texts_of(egt::testing::read_file(entry.path().string())))
          EXPECT_FALSE(names.contains(text)) << entry.path() << ": \"" << text << "\"";
}

}  // namespace
