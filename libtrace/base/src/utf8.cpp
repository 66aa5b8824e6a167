#include "egtrace/base/utf8.h"

namespace egt {

void append_utf8(std::uint32_t code, std::string& out) {
  const auto put = [&](std::uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      put(0xe0 | (code >> 12));
    } else {
      put(0xf0 | (code >> 18)), put(0x80 | ((code >> 12) & 0x3f));
    }
    put(0x80 | ((code >> 6) & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace egt
