// Rules, routes, links, addresses and neighbours, from arbitrary bytes.
#include "fuzz/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return egt::fuzz::feed(egt::parsers::iproute2_formats(), data, size, egt::fuzz::Prints::something);
}
