// Real dumps of ip(8): each line must print from its typed words alone, not from the text that was kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "iproute2/json.h"
#include "iproute2/lower.h"

namespace egt::parsers::iproute2 {
namespace {

namespace fs = std::filesystem;

struct Count {
  int files = 0, lines = 0, kept_as_text = 0, not_understood = 0;
};

std::string content(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// What `ip_…` files hold, by name; the corpus names its files after the commands.
LineParser parser_for(const std::string& name) {
  if (name.find("_rule") != std::string::npos) return parse_rule_line;
  if (name.find("_route") != std::string::npos) return parse_route_line;
  if (name.find("_neigh") != std::string::npos) return parse_neighbour_line;
  return parse_link_line;
}

void count_text(const std::string& name, const std::string& text, Count& count) {
  Dump d;
  d.text = text;
  Report report;
  const TextDocument document = parse_text(d, parser_for(name), parser_for(name) == parse_link_line, report);
  for (const TextLine& l : document.lines) {
    ++count.lines;
    if (l.raw && (l.kind == LineKind::entry || l.kind == LineKind::continuation)) ++count.kept_as_text;
  }
  count.not_understood += static_cast<int>(report.not_understood.size());
}

void count_json(const std::string& text, Count& count) {
  const auto document = parse_json(text);
  ++count.lines;
  if (!document) {
    ++count.not_understood;
    return;
  }
  const std::string compact = compact_json(*document), pretty = pretty_json(*document);
  if (compact + "\n" != text && pretty + "\n" != text) ++count.kept_as_text;
}

TEST(Iproute2Corpus, LinesPrintFromTheirWords) {
  const fs::path root = EGTRACE_SOURCE_DIR "/../shared/corpus";
  if (!fs::is_directory(root)) GTEST_SKIP() << "no corpus here";
  Count text, json;
  std::set<std::string> seen;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || entry.is_symlink() || !name.starts_with("ip_") || name.ends_with(".gz")) continue;
    const std::string c = content(entry.path());
    if (!seen.insert(c).second) continue;          // most nodes and scenarios say the same
    if (c.starts_with("sos_commands/")) continue;  // a link that was stored as its target
    if (name.starts_with("ip_-j_"))
      ++json.files, count_json(c, json);
    else
      ++text.files, count_text(name, c, text);
  }
  fmt::print("text: {} files, {} lines, {} kept as text, {} not understood; JSON: {} files, {} kept as text\n", text.files,
             text.lines, text.kept_as_text, text.not_understood, json.files, json.kept_as_text);
  EXPECT_EQ(text.kept_as_text, 0);
  EXPECT_EQ(text.not_understood, 0);
  EXPECT_EQ(json.not_understood, 0);
  EXPECT_EQ(json.kept_as_text, 0);
}

}  // namespace
}  // namespace egt::parsers::iproute2
