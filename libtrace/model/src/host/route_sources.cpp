#include "egtrace/host/route_sources.h"

#include "egtrace/base/text.h"

namespace egt::host {
namespace {

std::optional<Prefix> sources_in(const Route& route, std::string_view word) {
  if (route.family == Family::v4 || !consume(word, "from ")) return std::nullopt;
  const auto sources = Prefix::parse(word);
  return sources && !sources->address.is_v4() && sources->length > 0 ? sources : std::nullopt;
}

}  // namespace

std::optional<Prefix> sources_of(const Route& route) {
  for (const std::string& word : route.not_modelled)
    if (const auto sources = sources_in(route, word)) return sources;
  return std::nullopt;
}

bool is_sources_word(const Route& route, std::string_view word) { return sources_in(route, word).has_value(); }

}  // namespace egt::host
