// Connections, kernel settings and names of nodes, from arbitrary bytes.
#include "fuzz/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return egt::fuzz::feed(egt::parsers::system_formats(), data, size, egt::fuzz::Prints::what_was_read);
}
