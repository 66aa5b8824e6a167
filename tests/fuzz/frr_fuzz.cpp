// Routes, BGP and configuration of FRR, from arbitrary bytes.
#include "fuzz/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return egt::fuzz::feed(egt::parsers::frr_formats(), data, size, egt::fuzz::Prints::what_was_read);
}
