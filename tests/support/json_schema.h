// A small JSON Schema (draft 2020-12) validator: as much of it as docs/schema/ uses, and an error for what it does not
// know, so that a schema cannot imply what nobody checks.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace egt::testing {

// What is wrong, each with its JSON pointer; empty when the document fits.
std::vector<std::string> schema_errors(const nlohmann::json& schema, const nlohmann::json& document);

// The schema of docs/schema/ that the document's "schema" key names; errors as above.
std::vector<std::string> contract_errors(const nlohmann::json& document);

}  // namespace egt::testing
