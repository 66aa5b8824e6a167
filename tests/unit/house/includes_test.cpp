// The dependency rule of docs/design.md, compared with every #include: what the link targets allow could still be got
// around by a path.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

const std::string kRoot = EGTRACE_SOURCE_DIR;

struct Module {
  std::string folder;
  std::set<std::string> knows;  // modules whose headers it may include, itself included
};

const std::map<std::string, Module>& modules() {
  static const std::map<std::string, Module> kModules = {
      {"base", {"libtrace/base", {"base"}}},
      {"model", {"libtrace/model", {"base", "model"}}},
      {"engine", {"libtrace/engine", {"base", "model", "engine"}}},
      {"explain", {"libtrace/explain", {"base", "model", "engine", "explain"}}},
      {"assess", {"libtrace/assess", {"base", "model", "engine", "explain", "assess"}}},
      {"parsers", {"parsers", {"base", "model", "parsers"}}},
      {"sql", {"tools/sql", {"base", "model", "engine", "explain", "assess", "parsers", "sql"}}},
      {"render", {"tools/render", {"base", "model", "engine", "explain", "assess", "render"}}},
  };
  return kModules;
}

// Which module owns each public header, by looking where it lies.
std::map<std::string, std::string> owners() {
  std::map<std::string, std::string> owner;
  for (const auto& [name, module] : modules()) {
    const fs::path include = fs::path(kRoot) / module.folder / "include";
    if (!fs::exists(include)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(include)) {
      if (entry.is_regular_file()) owner[fs::relative(entry.path(), include).string()] = name;
    }
  }
  return owner;
}

std::vector<std::string> included(const std::string& text) {
  std::vector<std::string> headers;
  for (std::size_t at = text.find("#include \""); at != std::string::npos; at = text.find("#include \"", at + 1)) {
    const std::size_t begin = at + 10, end = text.find('"', begin);
    headers.push_back(text.substr(begin, end - begin));
  }
  return headers;
}

bool is_code(const fs::path& path) { return path.extension() == ".cpp" || path.extension() == ".h"; }

TEST(Includes, FollowTheArrows) {
  auto owner = owners();
  ASSERT_FALSE(owner.empty());
  // Made when the module is built (libtrace/model/schema).
  for (const char* made : {"nb", "sb", "vswitch", "tables"}) owner[std::string("egtrace/ovn/rows/") + made + ".h"] = "model";
  for (const auto& [name, module] : modules()) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(kRoot) / module.folder)) {
      if (!entry.is_regular_file() || !is_code(entry.path())) continue;
      for (const std::string& header : included(egt::testing::read_file(entry.path().string()))) {
        const auto found = owner.find(header);
        if (found != owner.end()) {
          EXPECT_TRUE(module.knows.contains(found->second)) << entry.path() << " includes " << header;
        } else {
          EXPECT_FALSE(header.starts_with("egtrace/")) << entry.path() << " includes " << header << ", which is nowhere";
          EXPECT_EQ(std::string::npos, header.find("../")) << entry.path() << " includes " << header;
        }
      }
    }
  }
}

TEST(Includes, HeavyHeadersStayInSources) {
  for (const auto& [name, module] : modules()) {
    const fs::path include = fs::path(kRoot) / module.folder / "include";
    if (!fs::exists(include)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(include)) {
      if (!entry.is_regular_file()) continue;
      const std::string text = egt::testing::read_file(entry.path().string());
      EXPECT_EQ(std::string::npos, text.find("boost/spirit")) << entry.path();
      EXPECT_EQ(std::string::npos, text.find("nlohmann/json.hpp")) << entry.path();
    }
  }
}

// clang 14, which builds the sanitizers' preset on Debian 12, cannot compile the views of libstdc++ 12.
TEST(Includes, NoViews) {
  for (const char* folder : {"libtrace", "parsers", "tools", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(kRoot) / folder))
      if (entry.is_regular_file() && is_code(entry.path())) {
        EXPECT_EQ(std::string::npos, egt::testing::read_file(entry.path().string()).find("\n#include <ranges>")) << entry.path();
      }
}

TEST(Layout, EachHeaderHasOnePragma) {
  for (const auto& [header, module] : owners()) {
    const std::string path = kRoot + "/" + modules().at(module).folder + "/include/" + header;
    EXPECT_NE(std::string::npos, egt::testing::read_file(path).find("#pragma once")) << path;
  }
}

// Nothing may be keyed to the sample's cluster: its names appear in no code.
TEST(Layout, CodeKnowsNoParticularCluster) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot + "/samples/egressip-secondary")) {
    const std::string name = entry.path().filename().string();
    if (name.find('-') != std::string::npos) names.insert(name);
  }
  ASSERT_FALSE(names.empty());
  for (const char* folder : {"libtrace", "parsers", "tools/egtrace", "tools/render"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(kRoot) / folder)) {
      if (!entry.is_regular_file() || entry.path().extension() != ".cpp") continue;
      const std::string text = egt::testing::read_file(entry.path().string());
      for (const std::string& name : names) EXPECT_EQ(std::string::npos, text.find(name)) << entry.path() << ": " << name;
    }
  }
}

}  // namespace
