#include "egtrace/render/decode.h"

#include <fmt/format.h>

#include "json_parts.h"
#include "style.h"

namespace egt::render {

std::string decode_json(const std::vector<DecodedValue>& values) {
  Json j = {{"schema", "egtrace.decode/1"}, {"values", Json::array()}};
  for (const DecodedValue& v : values) {
    Json meanings = Json::array();
    for (const explain::Meaning& m : v.meanings) meanings.push_back({{"as", m.as}, {"text", m.text}});
    j["values"].push_back({{"input", v.input}, {"meanings", meanings}});
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string decode_text(const std::vector<DecodedValue>& values, std::size_t width) {
  std::string out;
  for (const DecodedValue& v : values) {
    out += wrap(v.input, 0, width);
    if (v.meanings.empty()) out += "  nothing is known of this value\n";
    for (const explain::Meaning& m : v.meanings) out += wrap(fmt::format("{}: {}", m.as, m.text), 2, width);
  }
  return out;
}

}  // namespace egt::render
