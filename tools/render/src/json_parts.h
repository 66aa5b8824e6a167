// Parts that several documents share.
#pragma once

#include <nlohmann/json.hpp>

#include "egtrace/assess/check.h"

namespace egt::render {

using Json = nlohmann::ordered_json;

Json evidence_json(const explain::Evidence& evidence);
Json end_json(const explain::EndReport& end);
Json gaps_json(const std::vector<Gap>& gaps);
Json properties_json(const std::vector<assess::Property>& properties);
template <class T>
Json or_null(const std::optional<T>& v) {
  return v ? Json(*v) : Json(nullptr);
}
inline Json text_or_null(const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); }

// The document as text, with a newline; bytes that are no UTF-8 are replaced.
std::string dump_json(const Json& document);

}  // namespace egt::render
