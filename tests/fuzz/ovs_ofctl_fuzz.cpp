// Open vSwitch's dumps from arbitrary bytes: every format reads, prints, shows and loads them without a crash, and what
// is printed prints again the same; packets and flows of the datapath are read without one.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "egtrace/cluster/cluster.h"
#include "egtrace/parsers/datapath_flow.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace {

std::string reprinted(const egt::parsers::Format& format, const egt::parsers::Dump& dump) {
  std::string out;
  egt::parsers::Report report;
  format.reprint(dump, out, report);
  if (report.lines != report.understood + report.ignored + report.not_understood.size()) std::abort();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt;
  parsers::Dump dump;
  dump.source = 1;
  dump.path = "fuzz";
  dump.text = {reinterpret_cast<const char*>(data), size};
  for (const parsers::Format& format : parsers::ovs_ofctl_formats()) {
    format.recognise(dump);
    const std::string once = reprinted(format, dump);
    parsers::Dump again = dump;
    again.text = once;
    if (reprinted(format, again) != once) std::abort();
    std::string json;
    parsers::Report shown, loaded;
    format.to_json(dump, json, shown);
    cluster::Cluster cluster;
    cluster::Node node;
    format.load(dump, cluster, node, loaded);
  }
  (void)parsers::parse_flow_key(dump.text);
  (void)parsers::parse_datapath_flow(dump.text);
  return 0;
}
