// What became of expectations: JSON (docs/schema/check.schema.json, assert.schema.json), text, JUnit XML, SARIF 2.1.0,
// annotations of GitHub and reports of GitLab. Where there is a baseline, each shows which failures are known.
#pragma once

#include <string>
#include <vector>

#include "egtrace/assess/baseline.h"
#include "egtrace/assess/check.h"
#include "egtrace/render/explain.h"
#include "egtrace/render/source_places.h"

namespace egt::render {

std::string assert_json(const assess::ExpectationReport& report);
// `gaps`: for want of which there are no expectations.
std::string check_json(const std::vector<assess::ExpectationReport>& reports,
                       const assess::BaselineComparison* baseline = nullptr, const std::vector<Gap>& gaps = {});
std::string check_text(const std::vector<assess::ExpectationReport>& reports, const TextOptions& options,
                       const assess::BaselineComparison* baseline = nullptr);
// One testsuite an expectation, one testcase a packet; what the snapshot does not decide is an <error>, a known failure is <skipped>.
std::string check_junit(const std::vector<assess::ExpectationReport>& reports,
                        const assess::BaselineComparison* baseline = nullptr);
std::string check_sarif(const std::vector<assess::ExpectationReport>& reports, const SourcePlaces& sources,
                        const std::string& version, const assess::BaselineComparison* baseline = nullptr);
// Workflow commands: one for each expectation that does not hold, without those all of whose failures are known.
std::string check_github(const std::vector<assess::ExpectationReport>& reports, const SourcePlaces& sources,
                         const assess::BaselineComparison* baseline = nullptr, const std::vector<Gap>& gaps = {});
// A Code Quality report of GitLab: an issue for each packet that fails or is undecided.
std::string check_gitlab(const std::vector<assess::ExpectationReport>& reports, const SourcePlaces& sources,
                         const assess::BaselineComparison* baseline = nullptr);

}  // namespace egt::render
