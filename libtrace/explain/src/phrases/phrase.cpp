#include "phrase.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace egt::explain {
namespace {

using engine::Detail;
using engine::Details;

// One pass over the words of a phrase.
class Filler {
 public:
  Filler(std::string_view words, const Details& about) : words_(words), about_(about) {}

  std::string run() {
    while (at_ < words_.size()) {
      const char c = words_[at_++];
      if (c == '{')
        out_ += named();
      else if (c == '[')
        optional();
      else
        out_ += c;
    }
    return std::move(out_);
  }

 private:
  void optional() {
    const std::size_t end = words_.find(']', at_);
    Filler inside(words_.substr(at_, end - at_), about_);
    const std::string text = inside.run();
    if (!inside.absent_) out_ += text;
    at_ = end + 1;
  }

  std::string named() {
    const std::size_t end = words_.find('}', at_);
    std::string_view field = words_.substr(at_, end - at_);
    at_ = end + 1;
    int number = 0;
    const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
    field.remove_prefix(static_cast<std::size_t>(read.ptr - field.data()));
    const std::size_t index =
        number < 0 ? about_.size() + static_cast<std::size_t>(number) : static_cast<std::size_t>(number);
    if (index >= about_.size()) {
      absent_ = true;
      return {};
    }
    if (field == "x") return fmt::format("0x{:x}", std::get<std::uint64_t>(about_[index]));
    if (field == "..") return all_from(index);
    return field.empty() ? text(index) : word(field, std::get<std::uint64_t>(about_[index]));
  }

  // "|no|yes" and 1: "yes".
  static std::string word(std::string_view words, std::uint64_t number) {
    std::size_t begin = 1;
    for (; number > 0; --number) begin = words.find('|', begin) + 1;
    return std::string(words.substr(begin, words.find('|', begin) - begin));
  }

  std::string all_from(std::size_t index) const {
    std::string all;
    for (std::size_t i = index; i < about_.size(); ++i) all += (i == index ? "" : ", ") + text(i);
    return all;
  }

  template <class Kind>
  std::string nested(Kind kind, std::size_t index) const {
    const Details rest(about_.begin() + static_cast<std::ptrdiff_t>(index) + 1, about_.end());
    const Phrase<Kind>& phrase = phrase_of(kind);
    std::string text = fill(phrase.words, rest);
    if constexpr (std::is_same_v<Kind, engine::Supposition>) text += ": " + fill(phrase.why, rest);
    return text;
  }

  std::string text(std::size_t index) const {
    return std::visit(
        [&](const auto& d) -> std::string {
          using D = std::decay_t<decltype(d)>;
          if constexpr (std::is_same_v<D, std::string>)
            return d;
          else if constexpr (std::is_same_v<D, std::uint64_t>)
            return std::to_string(d);
          else if constexpr (std::is_same_v<D, Prefix>)
            return d.to_short_string();
          else if constexpr (std::is_enum_v<D>)
            return nested(d, index);
          else
            return d.to_string();
        },
        about_[index]);
  }

  std::string_view words_;
  const Details& about_;
  std::size_t at_ = 0;
  bool absent_ = false;
  std::string out_;
};

}  // namespace

std::string fill(std::string_view words, const Details& about) {
  if (words.find_first_of("{[") == std::string_view::npos) return std::string(words);
  return Filler(words, about).run();
}

}  // namespace egt::explain
