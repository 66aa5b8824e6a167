// Addresses within a line of a dump.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"

namespace egt::explain {

inline bool is_of_address(char c) {  // or of a range of them
  return c == '-' || is_hex_digit(c) || c == '.' || c == ':' || c == '/';
}

// Whether some run of such characters makes `test` true.
template <class Test>
bool any_address_word(std::string_view line, Test test) {
  while (!line.empty()) {
    const auto begin = std::find_if(line.begin(), line.end(), is_of_address);
    const auto end = std::find_if_not(begin, line.end(), is_of_address);
    if (begin != end && test(std::string_view(begin, end))) return true;
    line = {end, line.end()};
  }
  return false;
}

// Addresses of single hosts: "10.0.0.1", "10.0.0.1/32", "10.0.0.1:80".
template <class Test>
bool any_address(std::string_view line, Test test) {
  return any_address_word(line, [&](std::string_view word) {
    if (word.find_first_of(".:") == std::string_view::npos) return false;
    if (const auto prefix = Prefix::parse(word))
      return prefix->length == (prefix->address.is_v4() ? 32 : 128) && test(prefix->address);
    const auto address = IpAddr::parse(word.substr(0, word.rfind(':')));
    return address && address->is_v4() && test(*address);
  });
}

}  // namespace egt::explain
