// The lines of a dump around one that is evidence: its header, the rules before it, the rest of an object.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct DumpLine {
  std::uint32_t number = 0;
  std::string text;
  bool cut = false;  // it is longer
};

// Keeps what it prepared of each dump: not for several threads.
class DumpLines {
 public:
  // The text without what is not to be handed on, or none where it has nothing of the kind. Lines keep their numbers.
  using Hide = std::function<std::optional<std::string>(std::string_view text)>;

  // `sources` must outlive it.
  explicit DumpLines(const SourceTable& sources, Hide hide = {});
  // At most `reach` lines before and behind it, and itself. None for a row of a database, whose neighbours in the file are no
  // context, and for lines that no dump has (those of presumed nodes have one).
  std::vector<DumpLine> around(const EvidenceLine& line, std::uint32_t reach);

 private:
  const std::string* shown_text(SourceId source);  // null: as it is

  const SourceTable& sources_;
  Hide hide_;
  std::map<std::string, std::vector<SourceId>, std::less<>> by_path_;
  std::map<SourceId, std::optional<std::string>> hidden_;
};

}  // namespace egt::explain
