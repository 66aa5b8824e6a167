// Files of expectations, from arbitrary bytes.
#include <cstdint>
#include <string_view>

#include "egtrace/parsers/expectations.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  (void)egt::parsers::parse_expectations({reinterpret_cast<const char*>(data), size}, "input");
  return 0;
}
