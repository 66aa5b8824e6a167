// What a sentence names: values, not text. Tables of phrases word them (fill.h).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"

namespace egt {

// One of a list of which the first kNamed are named and the others counted: for example a pod.
struct Member {
  std::string name;
  std::optional<IpAddr> address = {};
};
constexpr std::size_t kNamed = 4;

// Any one of these.
struct Alternatives {
  std::vector<std::string> all;
};

struct DeviceOf {
  std::string name, node;
};

struct AddressOf {
  IpAddr address;
  std::string node;
};

class Term {
 public:
  using Names = std::vector<std::string>;
  using Few = std::vector<Member>;
  using Devices = std::vector<DeviceOf>;
  using Addresses = std::vector<AddressOf>;  // any one of them
  // Of these absent are the first, and an empty list.
  using Value = std::variant<std::monostate, std::string, std::uint64_t, IpAddr, Prefix, MacAddr, Names, Alternatives, Few,
                             Devices, Addresses>;

  Term() = default;
  Term(std::string text) : value_(std::move(text)) {}
  Term(std::string_view text) : value_(std::string(text)) {}
  Term(const char* text) : value_(std::string(text)) {}
  Term(IpAddr address) : value_(address) {}
  Term(Prefix prefix) : value_(prefix) {}
  Term(MacAddr mac) : value_(mac) {}
  Term(Names names) : value_(std::move(names)) {}
  Term(const std::set<std::string>& names) : value_(Names(names.begin(), names.end())) {}
  Term(Alternatives names) : value_(std::move(names)) {}
  Term(Few few) : value_(std::move(few)) {}
  Term(Devices devices) : value_(std::move(devices)) {}
  Term(Addresses addresses) : value_(std::move(addresses)) {}
  // A number, or one of a list of words by number.
  template <class Number>
  requires std::is_integral_v<Number> || std::is_enum_v<Number> Term(Number number)
      : value_(static_cast<std::uint64_t>(number)) {}
  template <class T>
  Term(const std::optional<T>& term) {
    if (term) *this = Term(*term);
  }

  const Value& value() const { return value_; }

 private:
  Value value_;
};

using Terms = std::vector<Term>;

// Absent where it is empty.
inline Term if_any(std::string text) { return text.empty() ? Term() : Term(std::move(text)); }
// A number of others besides one that is named; absent where there are none.
inline Term more(std::size_t others) { return others == 0 ? Term() : Term(others); }

// As fill(), with what has a name of its own.
std::string fill(std::string_view words, const Terms& about, const std::vector<std::pair<std::string_view, Term>>& by_name = {});

}  // namespace egt
