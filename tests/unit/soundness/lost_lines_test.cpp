// A dump of OpenFlow flows that lost lines makes no answer wrong: what differs from the answer of the whole dump is not proven,
// since the logical flows of the same snapshot show that some are missing, or nothing shows that none is. EGTRACE_MUTATIONS sets
// how many dumps are damaged, EGTRACE_SEED which.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "egtrace/assess/audit.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/snapshot.h"
#include "support/run.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

unsigned number(const char* variable, unsigned otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(value, nullptr, 10));
}

// Sender, destination, outcome and the source that the receiver sees.
using Answers = std::set<std::string>;

std::string asked(const AuditRow& row) { return row.namespace_ + "/" + row.pod + " of " + row.node + " to " + row.to; }

std::string answer(const AuditRow& row) {
  return asked(row) + ": " + std::string(name_of(row.outcome)) + " as " + (row.source_seen ? row.source_seen->ip : "-");
}

std::vector<AuditRow> rows_of(const std::string& path) {
  parsers::SnapshotRequest request;
  request.path = path;
  const auto snapshot = parsers::open_snapshot(request);
  if (!snapshot) return {};
  auto rows = audit(explain::Explainer(snapshot->cluster, &snapshot->collection));
  return rows ? *std::move(rows) : std::vector<AuditRow>{};
}

Lines lines_of(const fs::path& dump) {
  const auto content = parsers::read_content(dump.string());
  Lines lines;
  if (!content) return lines;
  std::string_view text = content->text;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

// One line, some lines in a row, or all from a line on.
std::string lose_some(Lines& lines, std::mt19937& dice) {
  const std::size_t size = lines.size(), first = 1 + dice() % (size - 1);
  const std::size_t counts[] = {1, 1 + dice() % (size / 8), size};
  const std::size_t count = std::min(counts[dice() % 3], size - first);
  const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(first);
  lines.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  return std::to_string(count) + " lines from line " + std::to_string(first + 1);
}

// A copy of the scenario, of which one dump can be replaced.
class Damaged {
 public:
  explicit Damaged(const fs::path& scenario) : root_(fs::path(directory_.path()) / "s") {
    fs::copy(scenario, root_, fs::copy_options::recursive);
    for (const auto& entry : fs::recursive_directory_iterator(root_))
      if (entry.path().filename().string().starts_with("ovs-ofctl_dump-flows_br-int")) dumps_.push_back(entry.path());
    std::sort(dumps_.begin(), dumps_.end());
  }

  std::vector<AuditRow> rows(std::mt19937& dice, std::string& what) const {
    const fs::path dump = dumps_[dice() % dumps_.size()], away = fs::path(directory_.path()) / "away";
    const fs::path plain = dump.parent_path() / "ovs-ofctl_dump-flows_br-int";
    Lines lines = lines_of(dump);
    what = dump.parent_path().filename().string() + ": " + lose_some(lines, dice);
    fs::rename(dump, away);
    std::ofstream out(plain);
    for (const std::string& line : lines) out << line << '\n';
    out.close();
    std::vector<AuditRow> rows = rows_of(root_.string());
    fs::remove(plain);
    fs::rename(away, dump);
    return rows;
  }

 private:
  testing::TemporaryDirectory directory_;
  fs::path root_;
  std::vector<fs::path> dumps_;
};

TEST(LostLines, ProveNothingWrong) {
  const fs::path scenario = fs::path(EGTRACE_SOURCE_DIR) / "samples/egressip-secondary";
  Answers right;
  std::size_t proven = 0;
  for (const AuditRow& row : rows_of(scenario.string())) {
    right.insert(answer(row));
    proven += row.confidence == "proven";
  }
  EXPECT_LT(right.size() / 2, proven);
  const Damaged damaged(scenario);
  std::mt19937 dice(number("EGTRACE_SEED", 1));
  for (unsigned i = number("EGTRACE_MUTATIONS", 15); i-- > 0;) {
    std::string what;
    for (const AuditRow& row : damaged.rows(dice, what))
      EXPECT_TRUE(row.confidence != "proven" || right.contains(answer(row))) << what << ": " << answer(row);
  }
}

}  // namespace
}  // namespace egt::assess
