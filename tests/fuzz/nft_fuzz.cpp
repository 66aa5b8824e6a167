// nft listings, text and JSON.
#include <cstddef>
#include <cstdint>
#include <string>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt;
  parsers::Dump dump;
  dump.source = 1;
  dump.path = "fuzz";
  dump.command = "nft list ruleset";
  dump.text = {reinterpret_cast<const char*>(data), size};
  for (const parsers::Format& format : parsers::nft_formats()) {
    std::string out;
    parsers::Report report;
    cluster::Cluster cluster;
    cluster::Node node;
    format.recognise(dump);
    format.reprint(dump, out, report);
    format.to_json(dump, out, report);
    format.load(dump, cluster, node, report);
  }
  return 0;
}
