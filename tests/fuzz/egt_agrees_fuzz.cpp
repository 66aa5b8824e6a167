// Flows from arbitrary text, compiled: whatever is asked of a compiled snapshot has the answer of its text. One that somebody
// else made, with an index of other flows, has it too.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/openflow/flow_lookup.h"
#include "egtrace/parsers/format.h"
#include "ovs_ofctl/compiled_parts.h"
#include "snapshot/compiled.h"

namespace {

using namespace egt;

constexpr std::string_view kKey = "0123456789abcdef", kTheirKey = "fedcba9876543210";
constexpr std::size_t kMostAsked = 200, kFewWalks = 12;  // walks of a table before it gets an index

struct Loaded {
  cluster::Cluster cluster;
  cluster::Node node;

  Loaded(std::string_view text, std::shared_ptr<const parsers::CompiledDump> compiled) {
    parsers::Dump dump;
    dump.text = text;
    dump.source = cluster.sources->add("flows", text, {});
    dump.path = dump.command = "ovs-ofctl dump-flows br-int";
    dump.jobs = 1;
    dump.compiled = std::move(compiled);
    for (const parsers::Format& format : parsers::ovs_ofctl_formats()) {
      parsers::Report report;
      if (format.kind == "ovs-ofctl dump-flows") format.load(dump, cluster, node, report);
    }
  }
  const openflow::FlowTables* flows() const {
    const openflow::Bridge* bridge = node.bridges.empty() ? nullptr : &node.bridges.front();
    return bridge != nullptr && bridge->flows ? &*bridge->flows : nullptr;
  }
};

FlowKey packet_of(const openflow::FlowTables& flows, openflow::FlowIndex i) {
  FlowKey key;
  for (const openflow::MatchWord& w : openflow::match_of(flows.flow(i))) key.set_word(w.word, w.value);
  return key;
}

void require(bool holds) {
  if (!holds) std::abort();
}

void compare(const openflow::FlowTables& text, const openflow::FlowTables& compiled) {
  require(text.size() == compiled.size());
  openflow::FlowLookup of_text(text), of_compiled(compiled);
  const auto asked = static_cast<openflow::FlowIndex>(std::min(text.size(), kMostAsked));
  for (std::size_t again = 0; again < kFewWalks; ++again)
    for (openflow::FlowIndex i = 0; i < asked; ++i) {
      const FlowKey packet = packet_of(text, i);
      const std::uint8_t table = text.flow(i).table;
      const auto a = of_text.lookup(table, packet), b = of_compiled.lookup(table, packet);
      require(a.hit == b.hit && a.ties == b.ties);
    }
}

std::string compiled_file(std::string_view text, const std::string& found, std::string_view key) {
  parsers::FoundFile file;
  file.path = file.shown = "n/ovs-ofctl_dump-flows_br-int";
  file.content.text = text;
  std::string whole;
  parsers::write_compiled({{&file, found}}, {}, key, [&whole](std::string_view part) { whole += part; });
  return whole;
}

std::vector<parsers::FoundFile> open(const std::string& whole) {
  parsers::Content content;
  content.text = whole;
  auto opened = parsers::open_compiled(content, kKey);
  require(static_cast<bool>(opened) && opened->files.size() == 1);
  return std::move(opened->files);
}

// "priority=20,tcp" becomes another flow of the same length.
std::string other_flows(std::string text) {
  for (std::size_t at = text.find("tcp"); at != std::string::npos; at = text.find("tcp", at)) text.replace(at, 3, "udp");
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), std::min<std::size_t>(size, 1 << 16));
  const Loaded plain(text, nullptr);
  if (plain.flows() == nullptr || plain.flows()->size() == 0) return 0;
  const std::string found = parsers::ofctl::compiled_flows(*plain.flows(), *plain.cluster.sources).found;
  if (found.empty()) return 0;
  const std::string ours = compiled_file(text, found, kKey);
  const auto files = open(ours);
  require(files.front().compiled != nullptr && files.front().content.text == text);
  const Loaded indexed(files.front().content.text, files.front().compiled);
  require(indexed.flows() != nullptr);
  compare(*plain.flows(), *indexed.flows());

  const std::string other = other_flows(std::string(text));
  const Loaded of_other(other, nullptr);
  if (of_other.flows() == nullptr) return 0;
  const std::string forged =
      compiled_file(text, parsers::ofctl::compiled_flows(*of_other.flows(), *of_other.cluster.sources).found, kTheirKey);
  require(open(forged).front().compiled == nullptr);  // read anew
  return 0;
}
