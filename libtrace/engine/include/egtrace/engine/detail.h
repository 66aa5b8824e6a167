// What a step, a reason or an assumption names: values, not text. explain words them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"

namespace egt::engine {

enum class Input : std::uint8_t;
enum class Property : std::uint8_t;
enum class Branch : std::uint8_t;
enum class Supposition : std::uint8_t;

// What stands behind one of the four enumerations is what that one names.
using Detail = std::variant<std::string, std::uint64_t, IpAddr, Prefix, MacAddr, Input, Property, Branch, Supposition>;
using Details = std::vector<Detail>;

// Something out of a closed list, with what it names in the order of the list's comments.
template <class Kind>
struct Statement {
  Kind kind{};
  Details about = {};
  friend bool operator==(const Statement&, const Statement&) = default;
};

}  // namespace egt::engine
