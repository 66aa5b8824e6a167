#include "table.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace egt::sql {
namespace {

std::string key_of_number(double number) {
  const bool whole = std::abs(number) < 9e15 && std::floor(number) == number;
  return whole ? fmt::format("{}", static_cast<std::int64_t>(number)) : fmt::format("{:.17g}", number);
}

// Values that SQLite may find equal, whatever the affinity of both sides, have one key; the statement compares them once more.
std::string key_of(const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return key_of_number(static_cast<double>(*number));
  if (const auto* number = std::get_if<double>(&value)) return key_of_number(*number);
  const std::string& text = std::get<std::string>(value);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_number = !text.empty() && end == text.c_str() + text.size() && text.find_first_of("xXnN") == std::string::npos;
  return is_number ? key_of_number(number) : text;
}

bool is_null(const Value& value) { return std::holds_alternative<std::monostate>(value); }

}  // namespace

const std::vector<std::uint32_t>& Table::rows_with(const Context& context, std::size_t column, const Value& wanted) {
  static const std::vector<std::uint32_t> kNone;
  const std::size_t rows = size(context);
  const auto [index, fresh] = by_column_.try_emplace(column);
  for (std::size_t row = 0; fresh && row < rows; ++row)
    if (const Value own = value(context, row, column); !is_null(own))
      index->second[key_of(own)].push_back(static_cast<std::uint32_t>(row));
  if (is_null(wanted)) return kNone;
  const auto found = index->second.find(key_of(wanted));
  return found == index->second.end() ? kNone : found->second;
}

}  // namespace egt::sql
