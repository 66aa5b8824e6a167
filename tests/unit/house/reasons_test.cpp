// Reasons have a name and words each, and a place in docs/reasons.md; none is shown twice, none is forgotten. So have what findings claim,
// and what checks lack, their words.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "egtrace/explain/phrases.h"
#include "support/run.h"

namespace {

std::string text_of(const std::string& path) { return egt::testing::read_file(std::string(EGTRACE_SOURCE_DIR) + "/" + path); }

// "flow_drops" and the like, in the order of the header.
std::vector<std::string> values_of(const std::string& header, const std::string& enumeration) {
  const std::string text = text_of("libtrace/engine/include/egtrace/engine/" + header);
  const std::size_t begin = text.find("enum class " + enumeration + " ");
  std::istringstream lines(text.substr(begin, text.find("};", begin) - begin));
  std::vector<std::string> values;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::size_t first = line.find_first_not_of(' '), end = line.find(',');
    if (first != std::string::npos && line.compare(first, 2, "//") != 0) values.push_back(line.substr(first, end - first));
  }
  return values;
}

std::vector<std::string> headings_of(const std::string& page) {
  std::istringstream lines(text_of(page));
  std::vector<std::string> headings;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("### ")) headings.push_back(line.substr(4));
  return headings;
}

std::string in_kebab_case(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::size_t rows_in(const std::string& table, const std::string& enumeration) {
  const std::string text = text_of("libtrace/explain/src/phrases/" + table);
  std::size_t rows = 0;
  for (std::size_t at = text.find("{" + enumeration + "::"); at != std::string::npos;
       at = text.find("{" + enumeration + "::", at + 1))
    ++rows;
  return rows;
}

TEST(Reasons, HaveTheirNamesAndTheirPlaceInTheManual) {
  const std::vector<std::string> values = values_of("reason.h", "Reason"), headings = headings_of("docs/reasons.md");
  ASSERT_EQ(values.size(), headings.size());
  ASSERT_EQ(values.size(), rows_in("reasons.cpp", "Reason"));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(in_kebab_case(values[i]), headings[i]);
    EXPECT_EQ(headings[i], egt::explain::reason_name(static_cast<egt::engine::Reason>(i)));
  }
  EXPECT_EQ(std::set<std::string>(values.begin(), values.end()).size(), values.size());
}

// What stands between quotes behind `from`, strings side by side joined.
std::string literal_from(const std::string& text, std::size_t from) {
  std::string literal;
  for (std::size_t at = text.find_first_not_of(" \n", from); at != std::string::npos && text[at] == '"';
       at = text.find_first_not_of(" \n", at + 1)) {
    for (++at; text[at] != '"'; ++at) literal += text[at] == '\\' ? text[++at] : text[at];
  }
  return literal;
}

// {"flow-drops", "a flow drops it"}, of the table.
std::map<std::string, std::string> words_of_reasons() {
  const std::string table = text_of("libtrace/explain/src/phrases/reasons.cpp");
  std::map<std::string, std::string> words;
  for (std::size_t at = table.find("{Reason::"); at != std::string::npos; at = table.find("{Reason::", at + 1)) {
    const std::size_t name = table.find(", \"", at) + 3, end = table.find('"', name);
    words[table.substr(name, end - name)] = literal_from(table, table.find(',', end) + 1);
  }
  return words;
}

// The words with anything in the places of what they name (base/fill.h).
std::regex pattern_of(const std::string& words) {
  std::string pattern;
  unsigned depth = 0;
  for (const char c : words) {
    if (c == '{' || c == '[') {
      if (depth++ == 0) pattern += ".*";
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (depth == 0) {
      if (std::string_view("\\^$.|?*+()").find(c) != std::string_view::npos) pattern += '\\';
      pattern += c;
    }
  }
  return std::regex(pattern);
}

TEST(Reasons, ArePrintedAsTheManualSays) {
  const auto words = words_of_reasons();
  const std::string manual = text_of("docs/reasons.md");
  std::size_t compared = 0;
  for (const std::string& name : headings_of("docs/reasons.md")) {
    const std::size_t section = manual.find("\n### " + name + "\n"), begin = manual.find("Prints: \"", section);
    if (begin == std::string::npos || begin > manual.find("\n### ", section + 1)) continue;
    std::istringstream printed(manual.substr(begin + 9, manual.find("\".\n", begin) - begin - 9));
    std::string line;
    for (std::istream_iterator<std::string> word(printed), end; word != end; ++word) line += (line.empty() ? "" : " ") + *word;
    ASSERT_TRUE(words.contains(name)) << name;
    EXPECT_TRUE(std::regex_match(line, pattern_of(words.at(name)))) << name << ": " << line << "\n" << words.at(name);
    ++compared;
  }
  EXPECT_GE(compared, words.size() - 1);  // all but "none"
}

// The tables are indexed by value: one that is too short would be read beyond its end.
TEST(Phrases, AreThereForEachValue) {
  const struct {
    std::string header, enumeration, table;
  } kAll[] = {{"assumption.h", "Supposition", "assumptions.cpp"},
              {"assumption.h", "Input", "missing_inputs.cpp"},
              {"branch.h", "Branch", "branches.cpp"},
              {"branch.h", "Alternative", "branches.cpp"},
              {"branch.h", "Property", "properties.cpp"},
              {"notice.h", "Notice", "notices.cpp"},
              {"place.h", "PlaceKind", "places.cpp"},
              {"../../../../model/include/egtrace/cluster/inconsistency.h", "Conflict", "missing_inputs.cpp"},
              {"../../../../explain/src/phrases/intents.h", "Wanted", "intents.cpp"},
              {"../../../../explain/src/phrases/intents.h", "Actual", "intents.cpp"},
              {"../../../../explain/src/phrases/conclusions.h", "Unchecked", "conclusions.cpp"},
              {"../../../../explain/src/phrases/collections.h", "Limit", "collections.cpp"},
              {"../../../../explain/src/phrases/endings.h", "Ending", "endings.cpp"},
              {"../../../../explain/src/phrases/inspections.h", "NeededDump", "inspections.cpp"},
              {"../../../../explain/src/phrases/inspections.h", "Purpose", "inspections.cpp"},
              {"../../../../explain/src/phrases/inspections.h", "Feature", "inspections.cpp"},
              {"../../../../explain/src/phrases/inspections.h", "Observation", "inspections.cpp"},
              {"../../../../assess/src/phrases/decisions.h", "Decision", "../../../assess/src/phrases/decisions.cpp"},
              {"../../../../assess/src/phrases/differences.h", "NotShown", "../../../assess/src/phrases/differences.cpp"},
              {"../../../../assess/src/expect/ground.h", "Ground", "../../../assess/src/phrases/expectations.cpp"},
              {"../../../../assess/src/expect/ground.h", "Implication", "../../../assess/src/phrases/expectations.cpp"},
              {"../../../../assess/src/expect/ground.h", "Mistake", "../../../assess/src/phrases/expectations.cpp"}};
  for (const auto& a : kAll)
    EXPECT_EQ(values_of(a.header, a.enumeration).size(), rows_in(a.table, a.enumeration)) << a.enumeration;
}

// "{Claim::egress_leak," in the order of the file.
std::vector<std::string> rows_of(const std::string& path, const std::string& enumeration) {
  const std::string text = text_of(path), begin = "{" + enumeration + "::";
  std::vector<std::string> rows;
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    at += begin.size();
    rows.push_back(text.substr(at, text.find(',', at) - at));
  }
  return rows;
}

// One table for each subject, and the claims in the order of the tables.
TEST(Phrases, AreThereForEachClaim) {
  const std::string folder = "libtrace/assess/src/phrases/", header = "../../../../assess/include/egtrace/assess/claim.h";
  const std::vector<std::string> claims = values_of(header, "Claim");
  std::size_t rows = 0;
  for (const auto& file : std::filesystem::directory_iterator(std::string(EGTRACE_SOURCE_DIR) + "/" + folder)) {
    const std::vector<std::string> of_table = rows_of(folder + file.path().filename().string(), "Claim");
    if (of_table.empty()) continue;
    rows += of_table.size();
    EXPECT_NE(claims.end(), std::search(claims.begin(), claims.end(), of_table.begin(), of_table.end())) << file.path();
  }
  EXPECT_EQ(claims.size(), rows);
  EXPECT_EQ(values_of(header, "Lack"), rows_of(folder + "lacks.cpp", "Lack"));
}

}  // namespace
