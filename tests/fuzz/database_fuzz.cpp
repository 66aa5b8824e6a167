// Database files of which the hashes are right whatever the input: each line becomes a record, so that what is behind the
// hash is reached.
#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"
#include "ovsdb/sha1.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace egt;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  std::string text;
  const bool clustered = rest.find("CLUSTER") != std::string_view::npos;
  while (!rest.empty()) {
    const std::string_view line = next_line(rest);
    if (line.empty() || line.starts_with("OVSDB ")) continue;
    text += "OVSDB " + std::string(clustered ? "CLUSTER " : "JSON ") + std::to_string(line.size()) + " " +
            parsers::ovsdb::sha1(line) + "\n";
    text += line;
  }
  parsers::Dump dump;
  dump.source = 1;
  dump.path = "input";
  dump.text = text;
  const parsers::Format* format = parsers::find_format("ovsdb database");
  cluster::Cluster cluster;
  parsers::Report report;
  std::string out;
  (void)format->recognise(dump);
  format->reprint(dump, out, report);
  format->to_json(dump, out, report);
  format->load(dump, cluster, cluster.ensure_node("n"), report);
  cluster::History history;
  format->history(dump, history);
  dump.as_of = format->newest(dump) - 1;
  format->load(dump, cluster, cluster.ensure_node("then"), report);
  return 0;
}
