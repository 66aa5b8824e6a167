// Values of columns as ovs-vsctl, ovn-nbctl and ovn-sbctl print them, which is how ovn::Row keeps them: `2`, `"a b"`,
// `[a, "b c"]`, `{key=value}` (ovsdb_datum_to_string() of Open vSwitch's lib/ovsdb-data.c). Where a value is cut off or is none,
// what could be read before that is given.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace egt::ovn {

// The only value, without quotes and escapes; the first of several; empty where there is none.
std::string text_in(std::string_view printed);
std::vector<std::string> texts_in(std::string_view printed);
std::map<std::string, std::string> map_in(std::string_view printed);
// Of a map; empty where there is no such key.
std::string value_in(std::string_view printed, std::string_view key);
// Nothing where the column is empty, or what stands there is no number of this range.
std::optional<std::int64_t> integer_in(std::string_view printed);
std::vector<std::int64_t> integers_in(std::string_view printed);
std::optional<bool> boolean_in(std::string_view printed);

}  // namespace egt::ovn
