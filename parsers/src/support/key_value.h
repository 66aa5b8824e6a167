// Terms of the kind "key=value,key,key=(a,b)": the shape of most of Open vSwitch's output.
#pragma once

#include <string_view>

namespace egt::parsers {

struct KeyValue {
  std::string_view key, value;
  bool has_value = false;
  std::string_view whole;
};

// Cuts the next term off `rest` at a comma outside parentheses, brackets and quotes; blanks around it are dropped.
// False at the end.
bool next_term(std::string_view& rest, std::string_view& term);
// The same, split at the first of `assign` ('=' or ':').
bool next_key_value(std::string_view& rest, char assign, KeyValue& out);
KeyValue split_key_value(std::string_view term, char assign);

}  // namespace egt::parsers
