// Compiled snapshots from arbitrary bytes: whatever opens is read, and looked into, without a crash. Sections are also
// tried with every hash put right, so that more than the hashes is tested.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/openflow/flow_lookup.h"
#include "egtrace/parsers/format.h"
#include "snapshot/compiled.h"

namespace {

using namespace egt;

constexpr std::string_view kKey = "0123456789abcdef";  // that of the node, so that what the sections say is believed

void look_into(const openflow::Bridge& bridge) {
  try {
    openflow::LookupSession lookups;
    for (int table = 0; table < 256; ++table)
      if (bridge.flows && bridge.flows->has_table(static_cast<std::uint8_t>(table)))
        lookups.in(*bridge.flows).lookup(static_cast<std::uint8_t>(table), FlowKey{});
    bridge.groups.all();
  } catch (const std::exception&) {
  }
}

void load_all(const std::vector<parsers::FoundFile>& files) {
  for (const parsers::FoundFile& f : files)
    for (const parsers::Format& format : parsers::ovs_ofctl_formats()) {
      if (!f.compiled || f.content.text.size() > 1 << 20) continue;
      cluster::Cluster cluster;
      cluster::Node node;
      parsers::Report report;
      parsers::Dump dump;
      dump.source = cluster.sources->add("fuzz", f.content.text, f.content.keep);
      dump.path = f.path;
      dump.command = "ovs-ofctl dump-flows br-int";
      dump.text = f.content.text;
      dump.compiled = f.compiled;
      try {
        format.load(dump, cluster, node, report);
      } catch (const std::exception&) {
        continue;
      }
      for (const openflow::Bridge& bridge : node.bridges) look_into(bridge);
    }
}

void open_and_load(std::string_view bytes) {
  parsers::Content content;
  content.text = bytes;
  if (const auto opened = parsers::open_compiled(content, kKey)) load_all(opened->files);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  open_and_load(bytes);
  // The same bytes as the section of a small dump, in a file whose hashes are right.
  parsers::FoundFile file;
  file.path = file.shown = "n/flows";
  file.content.text = "NXST_FLOW reply (xid=0x4):\n table=0, priority=1,ip actions=drop\n table=1, actions=output:1\n";
  for (const char* kind : {"flows/1", "groups/1"}) {
    std::string found("\x07\0\0\0\0\0\0\0", 8);
    found[0] = static_cast<char>(std::string_view(kind).size());
    found += kind;
    found += bytes.substr(0, 1 << 16);
    std::string whole;
    parsers::write_compiled({{&file, found}}, {}, kKey, [&whole](std::string_view part) { whole += part; });
    open_and_load(whole);
  }
  return 0;
}
