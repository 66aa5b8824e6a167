// A name that many entries of a dump share: of a device, a routing table, a protocol. Each text is kept once for the whole
// program, so that an entry has a pointer where it would have 32 bytes, and equal names are equal pointers.
#pragma once

#include <fmt/core.h>

#include <compare>
#include <concepts>
#include <string>
#include <string_view>

namespace egt {

class Name {
 public:
  Name() : text_(&kNone) {}
  Name(std::string_view text) : text_(kept(text)) {}  // implicit: a name is a text
  Name(const std::string& text) : text_(kept(text)) {}
  Name(const char* text) : text_(kept(text)) {}

  const std::string& str() const { return *text_; }
  operator const std::string&() const { return *text_; }
  operator std::string_view() const { return *text_; }
  bool empty() const { return text_->empty(); }
  bool starts_with(std::string_view head) const { return text_->starts_with(head); }

  friend bool operator==(const Name& a, const Name& b) { return a.text_ == b.text_; }
  friend auto operator<=>(const Name& a, const Name& b) {
    return a.str() <=> b.str();
  }  // as texts: no order depends on addresses
  template <std::convertible_to<std::string_view> Text>
  friend bool operator==(const Name& a, const Text& b) {
    return std::string_view(a.str()) == std::string_view(b);
  }
  friend std::string operator+(std::string head, const Name& tail) { return head += tail.str(); }
  friend std::string operator+(const Name& head, std::string_view tail) { return head.str() + std::string(tail); }

 private:
  static const std::string* kept(std::string_view text);  // may be called by several threads
  static const std::string kNone;
  const std::string* text_;
};

}  // namespace egt

template <>
struct fmt::formatter<egt::Name> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const egt::Name& name, Context& context) const {
    return fmt::formatter<std::string_view>::format(std::string_view(name.str()), context);
  }
};
