// Routes, BGP and configuration of FRR, from arbitrary bytes. What is printed back must be what was read.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "egtrace/parsers/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt;
  parsers::Dump dump;
  dump.text = std::string_view(reinterpret_cast<const char*>(data), size);
  for (const parsers::Format& format : parsers::frr_formats()) {
    format.recognise(dump);
    parsers::Report printed, shown, loaded;
    std::string text, json;
    format.reprint(dump, text, printed);
    if (text != dump.text) std::abort();
    format.to_json(dump, json, shown);
    cluster::Cluster cluster;
    format.load(dump, cluster, cluster.ensure_node("n"), loaded);
  }
  return 0;
}
