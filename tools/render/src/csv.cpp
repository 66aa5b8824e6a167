#include "csv.h"

#include <string_view>

namespace egt::render {

std::string csv_cell(const std::string& dumped) {
  const bool formula = !dumped.empty() && std::string_view("=+-@\t\r").find(dumped.front()) != std::string_view::npos;
  const std::string field = (formula ? "'" : "") + dumped;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

}  // namespace egt::render
