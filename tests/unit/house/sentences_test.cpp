// Walks find typed values; only explain/phrases has words for them. A literal in which three words follow each other
// reads like a sentence.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "support/run.h"

namespace {

namespace fs = std::filesystem;

// Files that may hold some, and what they are.
const std::map<std::string, std::string>& allowed() {
  static const std::map<std::string, std::string> kAllowed = {
      {"libtrace/base/src/moment.cpp", "an error of parsing"},
      {"libtrace/engine/src/openflow/ingress.cpp", "errors of parsing a datapath flow, as ovs-appctl words them"},
      {"libtrace/model/src/cluster/contradictions_rules.cpp", "nft list ruleset: a command"},
      {"libtrace/model/src/openflow/flow_store.cpp", "exceptions: a compiled file is damaged"},
      {"libtrace/model/src/openflow/group_table.cpp", "an exception"},
  };
  return kAllowed;
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool reads_like_a_sentence(std::string_view literal) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < literal.size();) {
    const std::size_t begin = i;
    while (i < literal.size() && is_letter(literal[i])) ++i;
    words = i > begin ? words + 1 : 0;
    if (words == 3) return true;
    if (i < literal.size() && (literal[i] == ',' || literal[i] == ';' || literal[i] == ':')) ++i;
    if (i < literal.size() && literal[i] == ' ')
      ++i;
    else if (i < literal.size())
      words = 0, ++i;
  }
  return false;
}

std::vector<std::string> literals_in(const std::string& source) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source.compare(i, 2, "//") == 0) i = std::min(source.find('\n', i), source.size());
    if (source.compare(i, 3, "'\"'") == 0) i += 3;
    if (i >= source.size() || source[i] != '"') continue;
    const std::size_t begin = ++i;
    while (i < source.size() && source[i] != '"') i += source[i] == '\\' ? 2 : 1;
    all.push_back(source.substr(begin, i - begin));
  }
  return all;
}

TEST(Sentences, AreMadeInPhrasesAlone) {
  const fs::path root = EGTRACE_SOURCE_DIR;
  std::map<std::string, std::string> unused = allowed();
  for (const char* module : {"libtrace/base", "libtrace/model", "libtrace/engine"})
    for (const auto& entry : fs::recursive_directory_iterator(root / module)) {
      const std::string extension = entry.path().extension().string(), path = fs::relative(entry.path(), root).string();
      if (!entry.is_regular_file() || (extension != ".h" && extension != ".cpp")) continue;
      for (const std::string& literal : literals_in(egt::testing::read_file(entry.path().string()))) {
        if (!reads_like_a_sentence(literal)) continue;
        EXPECT_TRUE(allowed().contains(path)) << path << ": \"" << literal << "\"";
        unused.erase(path);
      }
    }
  for (const auto& [path, what] : unused) ADD_FAILURE() << path << " has none any more (" << what << ")";
}

TEST(Sentences, AreToldFromNames) {
  for (const char* sentence : {"no flow matches", "the device {} is down, or so", "it is: not there"})
    EXPECT_TRUE(reads_like_a_sentence(sentence)) << sentence;
  for (const char* name :
       {"filter FORWARD", "ct_commit {{ {} }};", "net.ipv4.conf.{}.", "{} {} {}", "ovs-ofctl show {}"})
    EXPECT_FALSE(reads_like_a_sentence(name)) << name;
}

}  // namespace
