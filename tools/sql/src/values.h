// Values of columns.
#pragma once

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/value_table.h"

namespace egt::sql {

// Empty text is NULL.
inline Value text(std::string_view s) { return s.empty() ? Value() : Value(std::string(s)); }
template <class T>
Value number(T n) {
  return Value(static_cast<std::int64_t>(n));
}
template <class T>
Value number(const std::optional<T>& n) {
  return n ? number(*n) : Value();
}
inline Value hexadecimal(std::uint64_t n) { return Value(fmt::format("{:#x}", n)); }
inline Value flag(bool b) { return Value(std::int64_t{b}); }
inline Value address(const std::optional<IpAddr>& a) { return a ? Value(a->to_string()) : Value(); }
inline Value mac(const std::optional<MacAddr>& m) { return m ? Value(m->to_string()) : Value(); }

template <class Range, class ToText>
Value joined(const Range& all, ToText to_text) {
  std::string out;
  for (const auto& one : all) out += (out.empty() ? "" : ",") + std::string(to_text(one));
  return text(out);
}
inline Value joined(const std::vector<IpAddr>& all) {
  return joined(all, [](const IpAddr& a) { return a.to_string(); });
}
// An object of texts.
template <class Pairs>
Value json_of(const Pairs& all) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [key, value] : all) object[std::string(key)] = value;
  return Value(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace egt::sql
