// Walks and checks find typed values; only the folders `phrases` of explain and assess have words for them. A literal in which three
// words follow each other reads like a sentence.
#include <gtest/gtest.h>

#include <algorithm>
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
      {"libtrace/assess/src/difference/inventory.cpp", "keys: parts of an inventory that one side has in another form"},
      {"libtrace/assess/src/triage/checks/external_gateway_route_missing.cpp", "the name of a table of a router"},
      {"libtrace/base/src/moment.cpp", "an error of parsing"},
      {"libtrace/engine/src/openflow/ingress.cpp", "errors of parsing a datapath flow, as ovs-appctl words them"},
      {"libtrace/explain/src/capture/seen.cpp", "the name of a difference"},
      {"libtrace/explain/src/entry_names.cpp", "errors of a question"},
      {"libtrace/explain/src/lookup/object_lines.cpp", "nft list ruleset: a command"},
      {"libtrace/explain/src/packet_of.cpp", "errors of a question"},
      {"libtrace/explain/src/point.cpp", "errors of a question"},
      {"libtrace/explain/src/point_text.cpp", "errors of parsing"},
      {"libtrace/explain/src/suggest.cpp", "what may have been meant by a name"},
      {"libtrace/model/schema/make_rows.cpp", "sources that it makes, and errors of a build"},
      {"libtrace/model/src/cluster/inconsistencies_rules.cpp", "nft list ruleset: a command"},
      {"libtrace/model/src/openflow/flow_refs.cpp", "exceptions: a compiled file is damaged"},
      {"libtrace/model/src/openflow/flow_shapes.cpp", "exceptions: more shapes than can be numbered"},
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

// Each source below these folders, and these sources, by its path.
std::map<std::string, std::string> sources_below(const std::vector<std::string>& places) {
  const fs::path project = EGTRACE_SOURCE_DIR;
  std::map<std::string, std::string> all;
  const auto add = [&](const fs::path& file) {
    if (file.extension() == ".h" || file.extension() == ".cpp")
      all[fs::relative(file, project).string()] = egt::testing::read_file(file.string());
  };
  for (const std::string& place : places) {
    if (fs::is_regular_file(project / place))
      add(project / place);
    else
      for (const auto& entry : fs::recursive_directory_iterator(project / place)) add(entry.path());
  }
  return all;
}

bool is_phrases(const std::string& path) { return path.find("/phrases/") != std::string::npos; }

TEST(Sentences, AreMadeInPhrasesAlone) {
  std::map<std::string, std::string> unused = allowed();
  for (const auto& [path, source] :
       sources_below({"libtrace/base", "libtrace/model", "libtrace/engine", "libtrace/explain/src", "libtrace/assess/src"}))
    for (const std::string& literal : literals_in(source)) {
      if (is_phrases(path) || !reads_like_a_sentence(literal)) continue;
      EXPECT_TRUE(allowed().contains(path)) << path << ": \"" << literal << "\"";
      unused.erase(path);
    }
  for (const auto& [path, what] : unused) ADD_FAILURE() << path << " has none any more (" << what << ")";
}

// Up to the end of the statement that begins there.
std::string statement_at(const std::string& source, std::size_t at) { return source.substr(at, source.find(';', at) - at); }

// Parsers have words for what they could not read. What they give to the model is as the dump has it: what is missing (Gap), and tests
// that only the running system decides, get their words in phrases.
TEST(Sentences, OfParsersAreDiagnostics) {
  for (const auto& [path, source] : sources_below({"parsers"})) {
    EXPECT_EQ(std::string::npos, source.find("Gap{")) << path;
    for (const char* given : {"undecided(", "Undecided{"})
      for (std::size_t at = source.find(given); at != std::string::npos; at = source.find(given, at + 1))
        for (const std::string& literal : literals_in(statement_at(source, at)))
          EXPECT_EQ(std::string::npos, literal.find("whether")) << path << ": \"" << literal << "\"";
  }
}

// What one stage says in words another one does not read: neither by what they begin with nor by what they hold.
TEST(Sentences, AreReadByNobody) {
  for (const auto& [path, source] : sources_below({"libtrace/explain/src", "libtrace/assess/src", "tools/render/src"}))
    for (const char* words : {"why", "what", "claim", "summary", "remedy"})
      for (const char* look : {".find(\"", ".starts_with(\"", ".ends_with(\"", ".substr(", " == \""}) {
        const std::string use = std::string(".") + words + look;
        EXPECT_EQ(std::string::npos, source.find(use)) << path << ": " << use;
      }
}

TEST(Sentences, AreToldFromNames) {
  for (const char* sentence : {"no flow matches", "the device {} is down, or so", "it is: not there"})
    EXPECT_TRUE(reads_like_a_sentence(sentence)) << sentence;
  for (const char* name : {"filter FORWARD", "ct_commit {{ {} }};", "net.ipv4.conf.{}.", "{} {} {}", "ovs-ofctl show {}"})
    EXPECT_FALSE(reads_like_a_sentence(name)) << name;
}

}  // namespace
