// Holds what the program prints against what was kept in golden/<name>/:
//   args           one command line below the project's root, without the program's name
//   expected.txt   standard output; expected.json: the same with --format json; expected.err: standard error
//   status         exit status, 0 where the file is absent
// EGTRACE_GOLDEN_BINARY names another binary. EGTRACE_UPDATE_GOLDEN=1 writes the files anew: review the difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/json_schema.h"
#include "support/run.h"

namespace {

namespace fs = std::filesystem;
using egt::testing::Ran;
using egt::testing::read_file;
using egt::testing::write_file;

const std::string kRoot = EGTRACE_SOURCE_DIR;

std::string environment(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

bool updating() { return environment("EGTRACE_UPDATE_GOLDEN", "") == "1"; }

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kRoot + "/tests/golden")) {
    if (fs::exists(entry.path() / "args")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Golden : public ::testing::TestWithParam<std::string> {
 protected:
  std::string folder() const { return kRoot + "/tests/golden/" + GetParam(); }

  Ran call(const std::vector<std::string>& more) const {
    std::vector<std::string> command = {environment("EGTRACE_GOLDEN_BINARY", EGTRACE_BINARY)};
    for (const std::string& word : egt::testing::shell_words(read_file(folder() + "/args"))) command.push_back(word);
    command.insert(command.end(), more.begin(), more.end());
    return egt::testing::run(command, "", kRoot);
  }

  void compare(const std::string& name, const std::string& seen) const {
    const std::string path = folder() + "/" + name;
    if (updating()) {
      write_file(path, seen);
    } else {
      EXPECT_EQ(read_file(path), seen) << path << "; EGTRACE_UPDATE_GOLDEN=1 writes it anew";
    }
  }
};

TEST_P(Golden, PrintsWhatWasKept) {
  const std::string kept_status = read_file(folder() + "/status");
  const bool has_json = fs::exists(folder() + "/expected.json");
  const bool has_text = fs::exists(folder() + "/expected.txt") || (updating() && !has_json);
  if (has_text) {
    const Ran text = call({});
    compare("expected.txt", text.out);
    if (fs::exists(folder() + "/expected.err")) compare("expected.err", text.err);
    EXPECT_EQ(kept_status.empty() ? 0 : std::stoi(kept_status), text.status) << text.err;
  }
  if (!has_json) return;
  const Ran json = call({"--format", "json"});
  compare("expected.json", json.out);
  EXPECT_EQ(kept_status.empty() ? 0 : std::stoi(kept_status), json.status) << json.err;
  const auto document = nlohmann::json::parse(json.out, nullptr, false);
  ASSERT_FALSE(document.is_discarded()) << json.out.substr(0, 200);
  for (const std::string& error : egt::testing::contract_errors(document)) ADD_FAILURE() << error;
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, ::testing::ValuesIn(cases()), [](const auto& instance) {
  std::string name = instance.param;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Golden);

}  // namespace
