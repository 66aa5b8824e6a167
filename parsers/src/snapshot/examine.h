// From a file to the dumps in it: what each is, and how sure that is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "egtrace/parsers/format.h"
#include "snapshot/discover.h"
#include "snapshot/settings.h"

namespace egt::parsers {

struct Candidate {
  Dump dump;                             // without a source so far
  std::shared_ptr<const void> keep;
  const Format* format = nullptr;        // null: nobody knows it
  Recognition how;
  std::string place;                     // path below the snapshot's root, which tells the machine
  std::string identity;
  bool by_link = false;
  std::string host, pod;                 // machine by a prompt
  std::string node;                      // machine by the user's word
  std::string why_partial;
  std::string problem;                   // unreadable or damaged: why

  bool is_object() const;                // Kubernetes objects belong to no machine
};

// `only`: the user named this very file, so that anything found in it is meant.
std::vector<Candidate> examine(const FoundFile& file, const SnapshotSettings& settings, bool only);

}  // namespace egt::parsers
