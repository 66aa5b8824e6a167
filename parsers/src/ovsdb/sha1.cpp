#include "ovsdb/sha1.h"

#include <nettle/base16.h>
#include <nettle/sha1.h>

#include <array>

namespace egt::parsers::ovsdb {

std::string sha1(std::string_view bytes) {
  sha1_ctx context;
  sha1_init(&context);
  sha1_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  std::array<std::uint8_t, SHA1_DIGEST_SIZE> digest;
  sha1_digest(&context, digest.size(), digest.data());
  std::string out(BASE16_ENCODE_LENGTH(SHA1_DIGEST_SIZE), '\0');
  base16_encode_update(out.data(), digest.size(), digest.data());
  return out;
}

}  // namespace egt::parsers::ovsdb
