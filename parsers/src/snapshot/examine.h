// From a file to the dumps in it: what each is, and how sure that is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "egtrace/parsers/format.h"
#include "snapshot/discover.h"
#include "snapshot/manifest.h"
#include "snapshot/settings.h"

namespace egt::parsers {

struct Candidate {
  Dump dump;  // without a source so far
  std::shared_ptr<const void> keep;
  const Format* format = nullptr;  // null: no format recognised it
  Recognition how;
  std::string place;  // path below the snapshot's root, which shows the node
  std::string identity;
  bool by_link = false;
  std::string host, pod;                          // node by a prompt, or by where it lies
  std::string netns;                              // network namespace of that node; empty: its own
  bool within_node = false;                       // which the prompt is of, rather than a lab's node of its own
  bool central = false;                           // a database of the whole cluster
  bool to_mask = false;                           // before it is loaded
  std::shared_ptr<const CompiledDump> unchecked;  // likewise: its text is to be checked (FoundFile::unchecked)
  std::string node;                               // node by the user's word
  std::int64_t time = 0;                          // when it was printed, seconds since 1970; 0: nothing shows
  bool succeeded = false;  // as a collector shows that keeps the error output apart: what is empty is all there is
  std::string why_partial;
  std::string problem;        // unreadable or damaged: why
  std::string note;           // why it is not used, where that is no problem
  std::string superseded_by;  // path of the dump that was read instead

  bool is_object() const;  // Kubernetes objects belong to no node
};

// `only`: the user named this very file, so that anything found in it is meant. `ran`: what the collector shows of the
// command; may be null.
std::vector<Candidate> examine(const FoundFile& file, const SnapshotSettings& settings, bool only,
                               const RanCommand* ran = nullptr);

}  // namespace egt::parsers
