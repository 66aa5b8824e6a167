// Every format of this family, from arbitrary bytes.
#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/parsers/format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt;
  parsers::Dump dump;
  dump.source = 1;
  dump.path = "input";
  dump.text = std::string_view(reinterpret_cast<const char*>(data), size);
  for (const parsers::Format& format : parsers::kube_formats()) {
    cluster::Cluster cluster;
    parsers::Report report;
    std::string out;
    (void)format.recognise(dump);
    format.reprint(dump, out, report);
    format.to_json(dump, out, report);
    format.load(dump, cluster, cluster.ensure_node("n"), report);
  }
  return 0;
}
