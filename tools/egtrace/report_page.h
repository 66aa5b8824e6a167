// The page of `egtrace report`, which `egtrace serve` shows as well.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command.h"
#include "snapshot_options.h"

namespace egt::cli {

struct ReportChoice {
  std::vector<std::string> pairs, to, namespaces;
  std::size_t paths = 12;
};

void add_report_choice(CLI::App& verb, ReportChoice& choice);
// What the parts of a report are about: opened for walks, with logical flows made ready.
const parsers::Snapshot& open_for_report(const SnapshotOptions& options, const CommonOptions& common);
// `points`: names that a form for questions offers; null: the page has none.
std::string report_page(const ReportChoice& choice, const parsers::Snapshot& snapshot, const SnapshotOptions& options,
                        const CommonOptions& common, const std::vector<std::string>* points = nullptr);

}  // namespace egt::cli
