// nft listings, text and JSON, from arbitrary bytes.
#include "fuzz/formats.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return egt::fuzz::feed(egt::parsers::nft_formats(), data, size, egt::fuzz::Prints::something, "nft list ruleset");
}
