// What a snapshot is read from: its files, what was added to them by --dump, and egtrace.yaml.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/discover.h"
#include "snapshot/settings.h"

namespace egt::parsers {

struct Gathered {
  std::vector<FoundFile> files;
  std::size_t root_files = 0;                     // of `files`, those below the snapshot's path; --dump follows
  std::map<std::size_t, DumpArgument> arguments;  // by index into files
  SnapshotSettings settings;
  std::optional<FoundFile> settings_file;  // is not among `files`
  std::vector<std::string> remarks;
  std::vector<std::string> damaged;                  // archives with wrong bytes in them
  std::vector<std::string> missing;                  // Discovery::missing
  std::vector<std::string> links_out;                // Discovery::links_out
  std::shared_ptr<const CompiledSections> sections;  // Discovery::sections
};

// The error is for a path that cannot be read, a --dump that names nothing, and settings that egtrace does not know.
Result<Gathered> gather(const SnapshotRequest& request);
// As if these were the files at the snapshot's path.
Result<Gathered> gather(const SnapshotRequest& request, std::vector<FoundFile> files);

}  // namespace egt::parsers
