#include "egtrace/ovn/row_list.h"

#include <charconv>

namespace egt::ovn {

std::uint32_t uuid_prefix(std::string_view uuid) {
  constexpr std::size_t kDigits = 8;
  std::uint32_t prefix = 0;
  if (uuid.size() < kDigits) return 0;
  const auto [end, error] = std::from_chars(uuid.data(), uuid.data() + kDigits, prefix, 16);
  return error == std::errc() && end == uuid.data() + kDigits ? prefix : 0;
}

}  // namespace egt::ovn
