// Which machine a dump belongs to, and what that machine is called.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

class Machines {
 public:
  // Learns the layout from all dumps of the snapshot.
  Machines(const std::vector<Candidate>& candidates, const SnapshotSettings& settings);

  // Dumps with the same key are of one machine. "": the machine of a flat directory or single file.
  std::string key_of(const Candidate& candidate) const;
  // Its name, as far as files and prompts tell it; empty when only the dumps' facts can.
  std::string name_of(const std::string& key, const std::vector<const Candidate*>& dumps) const;

 private:
  std::string folder_of(const std::string& place) const;

  const SnapshotSettings& settings_;
  std::string wrapper_;                  // folders around everything, with the '/' behind them
  std::set<std::string> sos_roots_;      // folders that hold sos_commands
};

}  // namespace egt::parsers
