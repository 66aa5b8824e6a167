// SARIF 2.1.0 (OASIS), as GitHub code scanning and others read it.
#pragma once

#include <string>
#include <vector>

#include "json_parts.h"

namespace egt::render {

struct SarifRule {
  std::string id, title, help_uri;
};
struct SarifResult {
  std::string rule, kind, level, message;  // kind: fail, pass, open; level: error, warning, note, none
  explain::Evidence locations;             // the first is the result's place, the others are related
  Json properties = Json::object();
};

std::string sarif(const std::string& version, const std::vector<SarifRule>& rules,
                  const std::vector<SarifResult>& results);

}  // namespace egt::render
