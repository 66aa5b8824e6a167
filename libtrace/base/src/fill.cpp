#include "egtrace/base/fill.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace egt {
namespace {

// One skip the words of a phrase.
class Filler {
 public:
  Filler(std::string_view words, const Named& named) : words_(words), named_(named) {}

  std::string run() {
    while (at_ < words_.size()) {
      const char c = words_[at_++];
      if (c == '{')
        out_ += place();
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
    const std::string_view both = words_.substr(at_, end - at_);
    const std::size_t otherwise = both.find("||");
    at_ = end + 1;
    Filler inside(both.substr(0, otherwise), named_);
    if (const std::string text = inside.run(); !inside.absent_)
      out_ += text;
    else if (otherwise != std::string_view::npos)
      out_ += Filler(both.substr(otherwise + 2), named_).run();
  }

  // Takes what names the thing off the field; nothing where it is not there.
  std::optional<std::size_t> index_in(std::string_view& field) const {
    const std::size_t end = field.find_first_of("|:.");
    if (const auto own = named_.find(field.substr(0, end))) {
      field.remove_prefix(std::min(end, field.size()));
      return own;
    }
    int number = 0;
    const auto read = std::from_chars(field.data(), field.data() + field.size(), number);
    field.remove_prefix(static_cast<std::size_t>(read.ptr - field.data()));
    const std::size_t index = number < 0 ? named_.size() + static_cast<std::size_t>(number) : static_cast<std::size_t>(number);
    return index < named_.size() ? std::optional(index) : std::nullopt;
  }

  std::string place() {
    const std::size_t end = words_.find('}', at_);
    std::string_view field = words_.substr(at_, end - at_);
    at_ = end + 1;
    const std::optional<std::size_t> index = index_in(field);
    if (!index || named_.is_absent(*index)) {
      absent_ = true;
      return {};
    }
    if (field.empty()) return named_.text(*index);
    if (field == "x") return fmt::format("0x{:x}", named_.number(*index));
    if (field == "..") return all_from(*index);
    return field.front() == ':' ? word(field, named_.number(*index) == 1 ? 0 : 1) : word(field, named_.number(*index));
  }

  // "|no|yes" and 1: "yes".
  static std::string word(std::string_view words, std::uint64_t number) {
    std::size_t begin = 1;
    for (; number > 0; --number) begin = words.find('|', begin) + 1;
    return std::string(words.substr(begin, words.find('|', begin) - begin));
  }

  std::string all_from(std::size_t index) const {
    std::string all;
    for (std::size_t i = index; i < named_.size(); ++i) all += (i == index ? "" : ", ") + named_.text(i);
    return all;
  }

  std::string_view words_;
  const Named& named_;
  std::size_t at_ = 0;
  bool absent_ = false;
  std::string out_;
};

}  // namespace

std::string fill(std::string_view words, const Named& named) {
  if (words.find_first_of("{[") == std::string_view::npos) return std::string(words);
  return Filler(words, named).run();
}

}  // namespace egt
