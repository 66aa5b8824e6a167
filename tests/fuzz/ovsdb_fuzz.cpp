// Rows and trees of OVSDB tools, from arbitrary bytes.
#include "fuzz/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return egt::fuzz::feed(egt::parsers::ovsdb_formats(), data, size, egt::fuzz::Prints::something);
}
