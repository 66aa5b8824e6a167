// Where the files of a call lie in the repository that a change is reviewed in.
#pragma once

#include <string>

#include "egtrace/render/source_places.h"
#include "snapshot_options.h"

namespace egt::cli {

// The root of the repository is $GITHUB_WORKSPACE or $CI_PROJECT_DIR where a file lies below it, else the working directory.
// `expectations`: the file of expectations; empty or "-": there is none.
render::SourcePlaces source_places(const std::string& expectations, const SnapshotOptions* snapshot);

}  // namespace egt::cli
