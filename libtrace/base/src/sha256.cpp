#include "egtrace/base/sha256.h"

#include <nettle/base16.h>
#include <nettle/base64.h>
#include <nettle/sha2.h>

#include <array>

namespace egt {
namespace {

using Digest = std::array<std::uint8_t, SHA256_DIGEST_SIZE>;

Digest digest_of(std::string_view text) {
  sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()));
  Digest digest;
  sha256_digest(&context, digest.size(), digest.data());
  return digest;
}

}  // namespace

std::string sha256(std::string_view text) {
  const Digest digest = digest_of(text);
  std::string out(BASE16_ENCODE_LENGTH(SHA256_DIGEST_SIZE), '\0');
  base16_encode_update(out.data(), digest.size(), digest.data());
  return out;
}

std::string sha256_base64(std::string_view text) {
  const Digest digest = digest_of(text);
  std::string out(BASE64_ENCODE_RAW_LENGTH(SHA256_DIGEST_SIZE), '\0');
  base64_encode_raw(out.data(), digest.size(), digest.data());
  return out;
}

}  // namespace egt
