// Finds the files of a snapshot and reads them: a directory tree, an archive, or one file.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/parsers/content.h"

namespace egt::parsers {

class CompiledDump;

struct FoundFile {
  std::string path;        // below the snapshot's root, '/' between parts
  std::string shown;       // as users know it
  std::string identity;    // the same for two names of one file
  bool by_link = false;    // a symbolic link stands on the way
  Content content;
  std::string problem;     // why it could not be read; empty: it was
  std::shared_ptr<const CompiledDump> compiled;  // of a file in a compiled snapshot
};

struct Discovery {
  std::vector<FoundFile> files;        // in order of their paths
  std::vector<std::string> remarks;    // what was left out, and why
};

// The error is for a path that cannot be read at all.
Result<Discovery> discover(const std::string& path, unsigned jobs);
// One file as it is, archives included.
FoundFile read_single(const std::string& path);

}  // namespace egt::parsers
