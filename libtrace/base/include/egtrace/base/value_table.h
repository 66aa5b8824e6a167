// A table whose columns are not known beforehand: what a query selects.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace egt {

using Value = std::variant<std::monostate, std::int64_t, double, std::string>;  // monostate: NULL

struct ValueTable {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;  // each as long as `columns`
};

}  // namespace egt
