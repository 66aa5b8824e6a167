// What a snapshot of which a dump was damaged still answers, beside the answers of the whole one.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "egtrace/assess/audit.h"
#include "support/run.h"

namespace egt::assess {

// The number in an environment variable.
unsigned number(const char* variable, unsigned otherwise);

// A copy of a scenario of which one dump at a time is damaged. Answers are rows of an audit: sender, destination, outcome and
// the source that the receiver sees.
class DamagedCopy {
 public:
  explicit DamagedCopy(const std::filesystem::path& scenario);

  const std::vector<std::filesystem::path>& dumps() const { return dumps_; }  // unpacked, in order of their names
  std::size_t rows() const { return rows_; }
  std::size_t proven_rows() const { return proven_; }

  // Fails where something is proven that the whole snapshot does not answer. `text`: of the damaged dump; none: it is gone.
  void expect_nothing_wrong_proven(const std::filesystem::path& dump, const std::string* text, const std::string& what) const;

 private:
  std::vector<AuditRow> audit_rows() const;

  testing::TemporaryDirectory directory_;
  std::filesystem::path root_;
  std::vector<std::filesystem::path> dumps_;
  std::map<std::string, std::set<std::string>> answers_;  // by question
  std::size_t rows_ = 0, proven_ = 0;
};

std::string read_text(const std::filesystem::path& file);
std::vector<std::string> lines_of(const std::string& text);  // each with its end
std::string joined(const std::vector<std::string>& lines);

}  // namespace egt::assess
