// What became of expectations: JSON (docs/schema/check.schema.json, assert.schema.json), text, JUnit XML, SARIF 2.1.0.
#pragma once

#include <string>
#include <vector>

#include "egtrace/assess/check.h"
#include "egtrace/render/explain.h"

namespace egt::render {

std::string assert_json(const assess::ExpectationReport& report);
std::string check_json(const std::vector<assess::ExpectationReport>& reports);
std::string check_text(const std::vector<assess::ExpectationReport>& reports, const TextOptions& options);
// One testsuite an expectation, one testcase a packet; what the snapshot does not decide is an <error>.
std::string check_junit(const std::vector<assess::ExpectationReport>& reports);
// `file`: the file of expectations, where a result has no dump line; empty: the object's line.
std::string check_sarif(const std::vector<assess::ExpectationReport>& reports, const std::string& file,
                        const std::string& version);

}  // namespace egt::render
