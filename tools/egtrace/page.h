// Results as a page (render/report.h), with what all verbs add to it: the dumps, and the lines around evidence.
#pragma once

#include <string>

#include "command.h"
#include "egtrace/render/report.h"
#include "snapshot_options.h"

namespace egt::cli {

// `report`: with the parts that are the verb's own.
std::string page_of(const std::string& verb, render::Report report, const parsers::Snapshot& snapshot,
                    const SnapshotOptions& options);
// The same, written.
void write_page(const std::string& verb, render::Report report, const parsers::Snapshot& snapshot, const SnapshotOptions& options,
                const CommonOptions& common);

struct PageSnapshot {
  const parsers::Snapshot& snapshot;
  const SnapshotOptions& options;
};
// Of what was compared.
void write_page_of_two(const std::string& verb, render::Report report, const PageSnapshot& before, const PageSnapshot& after,
                       const CommonOptions& common);

}  // namespace egt::cli
