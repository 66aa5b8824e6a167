// Puts flows and groups into the bridges of a daemon, in as few calls as possible: a process costs more than what it does.
#pragma once

#include <string>
#include <vector>

#include "daemon.h"
#include "generator.h"

namespace egt::testing {

class TableLoader {
 public:
  explicit TableLoader(Daemon& daemon) : daemon_(daemon) {}
  void clear(const std::vector<std::string>& bridges);
  // In place of what the bridges have. Takes out of `c` what the daemon refuses.
  void fill(Configuration& c, const std::vector<std::string>& bridges);
  std::size_t refused() const { return refused_; }

 private:
  struct Line {
    std::string text;
    bool is_group;
    std::size_t index;  // of flows or groups
  };
  std::vector<Line> lines_of(const Configuration& c, const std::string& bridge) const;
  std::vector<Line> add(const std::string& bridge, std::vector<Line> lines);
  std::vector<std::size_t> refused_lines(const std::string& error, const std::string& bridge);

  Daemon& daemon_;
  std::size_t refused_ = 0;
  unsigned long first_message_ = 0;  // its xid: messages of a file are numbered in its order
};

}  // namespace egt::testing
