#include "phrase.h"

#include <cstdint>
#include <type_traits>

#include "egtrace/base/fill.h"

namespace egt::explain {
namespace {

using engine::Details;

// What stands in a place for a value of an enum: its own phrase, of the details behind it.
template <class Kind>
std::string nested(Kind kind, const Details& about, std::size_t index) {
  const Details rest(about.begin() + static_cast<std::ptrdiff_t>(index) + 1, about.end());
  const Phrase<Kind>& phrase = phrase_of(kind);
  std::string text = fill(phrase.words, rest);
  if constexpr (std::is_same_v<Kind, engine::Supposition>) text += ": " + fill(phrase.why, rest);
  return text;
}

class NamedDetails : public Named {
 public:
  explicit NamedDetails(const Details& about) : about_(about) {}

  std::size_t size() const override { return about_.size(); }
  std::uint64_t number(std::size_t index) const override { return std::get<std::uint64_t>(about_[index]); }

  std::string text(std::size_t index) const override {
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
            return nested(d, about_, index);
          else
            return d.to_string();
        },
        about_[index]);
  }

 private:
  const Details& about_;
};

}  // namespace

std::string fill(std::string_view words, const Details& about) { return egt::fill(words, NamedDetails(about)); }

}  // namespace egt::explain
