#include "egtrace/base/u128.h"

namespace egt {

std::string hex(U128 value, bool bare_zero) {
  if (value == 0) return bare_zero ? "0" : "0x0";
  char digits[32];
  int n = 0;
  for (; value != 0; value >>= 4) digits[n++] = "0123456789abcdef"[static_cast<unsigned>(value & 15)];
  std::string out = "0x";
  while (n > 0) out += digits[--n];
  return out;
}

}  // namespace egt
