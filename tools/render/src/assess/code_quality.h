// A Code Quality report, which GitLab shows in a merge request (docs.gitlab.com/ci/testing/code_quality, "Code Quality report format"). What
// the target branch has as well, by its fingerprint, is not new.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assess/sarif.h"

namespace egt::render {

struct QualityIssue {
  std::string check, description, fingerprint;
  std::string_view severity;       // info, minor, major, critical, blocker
  std::vector<SarifPlace> places;  // the first is shown; none: the snapshot itself
};

// An array of objects, each in a line of its own: reports are put together line by line, as a job has one.
std::string code_quality(const std::vector<QualityIssue>& issues, const SourcePlaces& sources);

}  // namespace egt::render
