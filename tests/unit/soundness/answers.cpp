#include "answers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/snapshot.h"

namespace egt::assess {
namespace {

namespace fs = std::filesystem;

std::string question(const AuditRow& row) { return row.namespace_ + "/" + row.pod + " of " + row.node + " to " + row.to; }

std::string answer(const AuditRow& row) {
  return std::string(name_of(row.outcome)) + " as " + (row.source_seen ? row.source_seen->ip : "-");
}

void write(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

}  // namespace

unsigned number(const char* variable, unsigned otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(value, nullptr, 10));
}

std::string read_text(const fs::path& file) {
  const auto content = parsers::read_content(file.string());
  return content ? std::string(content->text) : std::string();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

DamagedCopy::DamagedCopy(const fs::path& scenario) : root_(fs::path(directory_.path()) / "s") {
  fs::copy(scenario, root_, fs::copy_options::recursive);
  for (const auto& entry : fs::recursive_directory_iterator(root_))
    if (entry.is_regular_file()) dumps_.push_back(entry.path());
  for (fs::path& dump : dumps_) {
    if (dump.extension() != ".gz") continue;
    write(fs::path(dump).replace_extension(), read_text(dump));
    fs::remove(dump);
    dump.replace_extension();
  }
  std::sort(dumps_.begin(), dumps_.end());
  for (const AuditRow& row : audit_rows()) {
    answers_[question(row)].insert(answer(row));
    ++rows_;
    proven_ += row.confidence == explain::Confidence::proven ? 1 : 0;
  }
}

std::vector<AuditRow> DamagedCopy::audit_rows() const {
  parsers::SnapshotRequest request;
  request.path = root_.string();
  const auto snapshot = parsers::open_snapshot(request);
  if (!snapshot) return {};
  auto rows = audit(explain::Explainer(snapshot->cluster, &snapshot->collection));
  return rows ? *std::move(rows) : std::vector<AuditRow>{};
}

void DamagedCopy::expect_nothing_wrong_proven(const fs::path& dump, const std::string* text, const std::string& what) const {
  const fs::path away = fs::path(directory_.path()) / "away";
  fs::rename(dump, away);
  if (text != nullptr) write(dump, *text);
  for (const AuditRow& row : audit_rows()) {
    const auto known = answers_.find(question(row));
    if (known == answers_.end()) continue;  // the whole snapshot was not asked that
    EXPECT_TRUE(row.confidence != explain::Confidence::proven || known->second.contains(answer(row)))
        << fs::relative(dump, root_).string() << ", " << what << ": " << question(row) << ": " << answer(row);
  }
  fs::rename(away, dump);
}

}  // namespace egt::assess
