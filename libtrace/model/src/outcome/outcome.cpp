#include "egtrace/outcome/outcome.h"

#include <algorithm>
#include <array>

namespace egt {
namespace {

constexpr std::array<std::string_view, 4> kVerdicts = {"delivered", "dropped", "rejected", "inconclusive"};
constexpr std::array<std::string_view, 5> kOutcomes = {"answered", "refused", "unanswered", "mixed", "undecided"};

template <class Enum, std::size_t count>
std::optional<Enum> value_named(const std::array<std::string_view, count>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<Enum>(found - names.begin()));
}

}  // namespace

std::string_view name_of(Verdict verdict) { return kVerdicts[static_cast<std::size_t>(verdict)]; }
std::string_view name_of(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }
std::optional<Verdict> parse_verdict(std::string_view name) { return value_named<Verdict>(kVerdicts, name); }
std::optional<Outcome> parse_outcome(std::string_view name) { return value_named<Outcome>(kOutcomes, name); }

}  // namespace egt
