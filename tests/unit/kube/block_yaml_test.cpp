// The quick reader of YAML has the values that yaml-cpp has, or none.
#include "kube/block_yaml.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/run.h"

namespace block_yaml_test {
namespace {

using egt::parsers::kube::read_any_yaml;
using egt::parsers::kube::read_block_yaml;
using egt::parsers::kube::YamlFailure;
using Json = nlohmann::json;

// Whether the quick reader takes it; it is then as yaml-cpp has it.
bool takes(const std::string& text) {
  const auto quick = read_block_yaml(text);
  if (!quick) return false;
  YamlFailure failure;
  const auto plain = read_any_yaml(text, failure);
  EXPECT_TRUE(plain) << failure.message << " in\n" << text;
  EXPECT_EQ(plain.value_or(Json()).dump(), quick->dump()) << text;
  return true;
}

TEST(BlockYaml, TakesWhatKubectlPrints) {
  for (const char* text :
       {"a: b\n", "a:\n  b: c\n  d:\n  - 1\n  - x: y\n    z: null\n  - - p\n    - q\n", "- a\n- b: c\n",
        "a: {}\nb: []\nc: \"\"\nd: ''\n",
        "metadata:\n  annotations:\n    k8s.ovn.org/pod-networks: '{\"default\":{\"role\":\"primary\"}}'\n",
        "fieldsV1:\n  f:conditions:\n    .: {}\n    k:{\"type\":\"Ready\"}:\n      .: {}\n", "args:\n- --port=80\n- -v\n- sh\n",
        "t: \"2026-03-01T12:00:00Z\"\nn: -5\no: 010\nb: true\nz: ~\nlong: 99999999999999999999\n",
        "script: |\n  a\n    b  \n  # c\nnext: |-\n  d\n", "  a: b\n\n  # a comment\n  c: d",
        "a: \"{\\\"b\\\": \\\"\\\\\\n\\t\\\"}\"\nc: 'it''s'\nd: ''''\n", "a:\nb:\n- c\n-\n- d:\nq: 10.0.0.1:80\n"})
    EXPECT_TRUE(takes(text)) << text;
}

TEST(BlockYaml, LeavesTheRestToYamlCpp) {
  for (const char* text : {"",
                           "a",
                           "a: b\na: c\n",
                           "a: &x b\nc: *x\n",
                           "a: [1, 2]\n",
                           "a: {b: c}\n",
                           "a: b # c\n",
                           "a: b\n  c\n",
                           "a: >\n  b\n",
                           "\ta: b\n",
                           "a: \"b\\x41\"\n",
                           "a: \"b\\\"\n",
                           "a: 'b''\n",
                           "a: !!str 5\n",
                           "? a\n: b\n",
                           "a: b\n---\nc: d\n",
                           "a: |\n  b\n\n  c\n",
                           "a: b: c\n",
                           "a: \xc3\xa9\n",
                           "null: a\n",
                           "a:\n    b: c\n  d: e\n",
                           "- a\nb: c\n",
                           "a: \"b\n  c\"\n",
                           "%YAML 1.2\n"})
    EXPECT_FALSE(takes(text)) << text;
}

std::vector<std::string> documents() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(EGTRACE_SOURCE_DIR "/samples"))
    if (entry.path().extension() == ".yaml") all.push_back(egt::testing::read_file(entry.path().string()));
  return all;
}

TEST(BlockYaml, IsAsYamlCppWhateverIsChanged) {
  std::mt19937 random(20261124);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1)); };
  const std::string_view pieces[] = {" ", "\n", "- ", ": ",     "'",    "\"", "#",    " #", "|",  "|-",   "{}", "[]", "  ",
                                     "a", "-",  ":",  "a: b\n", "\n\n", "~",  "null", "0",  "\\", "\\\"", "''", "\\n"};
  std::size_t taken = 0, asked = 0;
  for (const std::string& whole : documents()) {
    taken += takes(whole) ? 1 : 0;
    for (int round = 0; round < 3000; ++round) {
      const std::size_t begin = whole.rfind('\n', below(whole.size()));  // a few lines, as they stand
      std::string text = whole.substr(begin == std::string::npos ? 0 : begin + 1, 40 + below(400));
      for (std::size_t changes = below(4); changes > 0; --changes) {
        const std::size_t at = below(text.size() + 1);
        if (below(2) == 0)
          text.insert(at, pieces[below(std::size(pieces))]);
        else
          text.erase(at, 1 + below(3));
      }
      taken += takes(text) ? 1 : 0;
      ++asked;
    }
  }
  EXPECT_GT(asked, 1000u);
  EXPECT_GT(taken, asked / 20);
}

}  // namespace
}  // namespace block_yaml_test
