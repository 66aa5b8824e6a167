#include "ovn/hash_order.h"

#include <bit>

namespace egt::engine {
namespace {

// MurmurHash3, 32 bits.
std::uint32_t add(std::uint32_t hash, std::uint32_t data) {
  data = std::rotl(data * 0xcc9e2d51u, 15) * 0x1b873593u;
  return std::rotl(hash ^ data, 13) * 5 + 0xe6546b64u;
}

std::uint32_t finish(std::uint32_t hash) {
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  return hash ^ hash >> 16;
}

}  // namespace

// A table begins with one bucket, grows at two rows to four, and then doubles at every power of two.
std::uint32_t hash_mask(std::size_t count) {
  if (count < 2) return 0;
  if (count < 8) return 3;
  return static_cast<std::uint32_t>(std::bit_floor(count) - 1);
}

std::uint32_t hash_string(std::string_view text) {
  std::uint32_t hash = 0;
  const auto word = [](std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return value;
  };
  std::string_view rest = text;
  for (; rest.size() >= 4; rest.remove_prefix(4)) hash = add(hash, word(rest.substr(0, 4)));
  if (!rest.empty()) hash = add(hash, word(rest));
  return finish(hash ^ static_cast<std::uint32_t>(text.size()));
}

}  // namespace egt::engine
