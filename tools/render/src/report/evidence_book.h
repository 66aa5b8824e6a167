// The dump lines that a page shows: each one once, with those around it, and the command that printed the dump.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "egtrace/render/report.h"

namespace egt::render::report {

class EvidenceBook {
 public:
  // `name`: which of two snapshots it is of; empty where there is one.
  explicit EvidenceBook(const DumpedSnapshot& dumped, std::string name = {});
  // The line, with a link to where it stands among its neighbours.
  std::string line(const explain::EvidenceLine& line);
  std::string lines(const explain::Evidence& evidence);
  // All that were shown, dump by dump.
  std::string print() const;
  std::size_t size() const { return count_; }

 private:
  struct NumberedLine {
    std::size_t id = 0;
    explain::EvidenceLine line;
  };
  using Shown = std::map<std::uint32_t, explain::DumpLine>;  // by number
  struct Dump {
    std::vector<NumberedLine> entries;  // in the order of the page
    Shown context;
  };

  std::string dump_head(const std::string& path) const;
  std::string windows(const Dump& dump) const;
  std::string id_of(std::size_t number) const;
  std::string shown_path(const std::string& path) const;

  const DumpedSnapshot& dumped_;
  std::string name_;
  std::map<std::string, Dump> dumps_;
  std::map<std::string, std::size_t> ids_;  // by place and text
  std::map<std::string, const explain::DumpReport*> known_;
  std::size_t count_ = 0;
};

}  // namespace egt::render::report
