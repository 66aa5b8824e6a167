#include "registers.h"

#include <fmt/format.h>

#include "decode/release_range.h"
#include "phrases/decode/facts.h"

namespace egt::explain {
namespace {

std::uint64_t part_of(U128 value, const BitMeaning& bits) {
  const auto shifted = static_cast<std::uint64_t>(value >> bits.first);
  return bits.bits >= 64 ? shifted : shifted & ((std::uint64_t{1} << bits.bits) - 1);
}

std::string place_of(const BitMeaning& bits) {
  const std::string_view name = field(bits.field).name;
  if (bits.bits == 1) return fmt::format("{}[{}]", name, bits.first);
  if (bits.first == 0 && bits.bits >= 32) return std::string(name);
  return fmt::format("{}[{}..{}]", name, bits.first, bits.first + bits.bits - 1);
}

}  // namespace

std::vector<std::string> register_meanings(const engine::FieldChange& change, std::string_view kind,
                                           const std::vector<std::string>& ovn_candidates) {
  std::vector<std::string> all;
  for (const BitMeaning* bits : bits_of(change.field)) {
    if (!bits->in.empty() && bits->in != kind) continue;
    const std::uint64_t after = part_of(change.after, *bits);
    if (after == part_of(change.before, *bits)) continue;
    const Holds holds = holds_for(bits->releases, ovn_candidates);
    if (holds == Holds::no) continue;
    std::string text = bits->bits == 1 ? fmt::format("{} = {}, {}", place_of(*bits), after, bits->name)
                                       : fmt::format("{} = {:#x}, {}", place_of(*bits), after, bits->name);
    if (holds == Holds::some) text += fmt::format(" (OVN {})", bits->releases);
    all.push_back(std::move(text));
  }
  return all;
}

}  // namespace egt::explain
