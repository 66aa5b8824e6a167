// Decoded values as JSON (docs/schema/decode.schema.json) and as text.
#pragma once

#include <string>
#include <vector>

#include "egtrace/explain/decode.h"

namespace egt::render {

struct DecodedValue {
  std::string input;
  std::vector<explain::Meaning> meanings;
};

std::string decode_json(const std::vector<DecodedValue>& values);
std::string decode_text(const std::vector<DecodedValue>& values, std::size_t width = 80);

}  // namespace egt::render
