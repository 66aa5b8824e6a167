// Finds the files of a snapshot and reads them: a directory tree, archives in it or an archive alone, one file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/archive.h"

namespace egt::parsers {

class CompiledDump;
class CompiledSections;

struct FoundFile {
  std::string path;       // below the snapshot's root, '/' between parts; an archive is a folder of its name
  std::string shown;      // as users know it
  std::string identity;   // the same for two names of one file
  std::string copy_of;    // path of the file that it is another dump of, by its name; empty: none
  bool by_link = false;   // a symbolic link is on the path
  bool masked = false;    // secrets in it were masked
  bool to_mask = false;   // they are to be, before it is read (mask.h)
  bool left_out = false;  // its beginning shows that it is no dump: not read
  std::int64_t time = 0;  // of its last change, as an archive shows it (seconds since 1970); 0: not shown
  Content content;
  std::string problem;                           // why it could not be read; empty: it was
  std::shared_ptr<const CompiledDump> compiled;  // of a file in a compiled snapshot
  std::shared_ptr<const CompiledDump>
      unchecked;               // likewise; its text is to be checked before more than its ends is read (check_ends())
  bool masked_before = false;  // this host compiled it, and masked it then
};

struct Discovery {
  std::vector<FoundFile> files;        // in order of their paths
  std::vector<std::string> remarks;    // what was left out, and why
  std::vector<std::string> damaged;    // "case.tar.gz: gzip: incorrect data check": archives with wrong bytes in them
  std::vector<std::string> missing;    // what was not read and may hold dumps, and why (limits, encryption, nesting)
  std::vector<std::string> links_out;  // symbolic links out of the directory that were not followed
  std::shared_ptr<const CompiledSections> sections;  // OpenedCompiled::sections of a compiled snapshot
};

struct DiscoverOptions {
  unsigned jobs = 0;
  ContentLimits limits;
  SnapshotProgress* progress = nullptr;
  bool follow_links = false;  // also those that lead out of a directory that holds files of its own
};

// The error is for a path that cannot be read at all.
Result<Discovery> discover(const std::string& path, const DiscoverOptions& options);

}  // namespace egt::parsers
