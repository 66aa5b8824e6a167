// Values of options and external identifiers.
#pragma once

#include <map>
#include <string>

namespace egt {

// Empty where there is no such key.
inline std::string value_of(const std::map<std::string, std::string>& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::string() : found->second;
}

}  // namespace egt
