// Reading, printing back and looking up flows. EGTRACE_BENCH_FLOWS names another dump than the one that is made up here.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "egtrace/cluster/cluster.h"
#include "egtrace/engine/ovs.h"
#include "egtrace/openflow/flow_lookup.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace {

using namespace egt;

constexpr int kPods = 2000, kTables = 20;

// A pipeline of kTables tables: in each, a flow for each pod and a few that match less.
std::string made_up_flows() {
  std::string text = "NXST_FLOW reply (xid=0x4):\n";
  const auto flow = [&](int table, const std::string& match, const std::string& actions) {
    text += " cookie=0x19bd5957, duration=6.602s, table=" + std::to_string(table) + ", n_packets=0, n_bytes=0, idle_age=6, " +
            match + " actions=" + actions + "\n";
  };
  for (int t = 0; t < kTables; ++t) {
    const std::string next = t + 1 < kTables ? "resubmit(," + std::to_string(t + 1) + ")" : "output:1";
    for (int pod = 0; pod < kPods; ++pod)
      flow(t, "priority=100,ip,metadata=0x2,nw_src=10.133." + std::to_string(pod / 250) + "." + std::to_string(pod % 250),
           "load:0x" + std::to_string(pod % 10) + "->NXM_NX_REG" + std::to_string(t % 8) + "[]," + next);
    for (int bit = 0; bit < 16; ++bit)
      flow(t, "priority=50,tcp,metadata=0x3,tp_dst=0x" + std::string(bit % 2 ? "8000/0x8000" : "4000/0xc000"), "drop");
    flow(t, "priority=0", next);
  }
  return text;
}

const std::string& flows_text() {
  static const std::string text = [] {
    const char* path = std::getenv("EGTRACE_BENCH_FLOWS");
    if (path == nullptr) return made_up_flows();
    const auto content = parsers::read_content(path);
    return content ? std::string(content->text) : made_up_flows();
  }();
  return text;
}

const parsers::Format& flow_format() { return *parsers::find_format("ovs-ofctl dump-flows"); }

parsers::Dump flow_dump() {
  parsers::Dump dump;
  dump.source = 1;
  dump.command = "ovs-ofctl dump-flows br-int";
  dump.text = flows_text();
  return dump;
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * flows_text().size()));
}

void parse_and_print_flows(benchmark::State& state) {
  const parsers::Dump dump = flow_dump();
  for (auto _ : state) {
    parsers::Report report;
    std::size_t bytes = 0;
    flow_format().stream(
        dump, [&bytes](std::string_view piece) { bytes += piece.size(); }, report);
    benchmark::DoNotOptimize(bytes);
  }
  count_bytes(state);
}
BENCHMARK(parse_and_print_flows)->Unit(benchmark::kMillisecond);

void load_flow_tables(benchmark::State& state) {
  parsers::Dump dump = flow_dump();
  dump.jobs = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    cluster::Cluster cluster;
    cluster::Node node;
    parsers::Report report;
    flow_format().load(dump, cluster, node, report);
    benchmark::DoNotOptimize(node);
  }
  count_bytes(state);
}
BENCHMARK(load_flow_tables)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

struct Loaded {
  cluster::Cluster cluster;
  cluster::Node node;
  Loaded() {
    parsers::Report report;
    flow_format().load(flow_dump(), cluster, node, report);
  }
};

FlowKey pod_packet(unsigned pod) {
  FlowKey key;
  key.set(FieldId::eth_type, ethertype::ipv4);
  key.set(FieldId::nw_proto, ip_proto::tcp);
  key.set(FieldId::metadata, 2);
  key.set(FieldId::in_port, 1);
  key.set(FieldId::ip_src, 0x0a850000u + (pod / 250) * 256 + pod % 250);
  key.set(FieldId::nw_ttl, 64);
  return key;
}

void look_up_one_table(benchmark::State& state) {
  Loaded loaded;
  openflow::FlowLookup flows(*loaded.node.bridges.at(0).flows);
  unsigned pod = 0;
  engine::SwitchSessions sessions;
  for (auto _ : state) benchmark::DoNotOptimize(flows.lookup(3, pod_packet(pod = (pod + 1) % 64)));
}
BENCHMARK(look_up_one_table);

struct FirstChoice : engine::Chooser {
  std::size_t choose(const engine::ChoicePoint&) override { return 0; }
};

void trace_one_packet(benchmark::State& state) {
  Loaded loaded;
  const openflow::Bridge& bridge = loaded.node.bridges.at(0);
  unsigned pod = 0;
  engine::SwitchSessions sessions;
  for (auto _ : state) {
    engine::NetworkState network_state;
    engine::Record record;
    FirstChoice chooser;
    engine::OvsEngine ovs(sessions, loaded.node, network_state, record, chooser);
    benchmark::DoNotOptimize(ovs.run(bridge, 1, pod_packet(pod = (pod + 1) % 64)));
  }
}
BENCHMARK(trace_one_packet)->Unit(benchmark::kMicrosecond);

}  // namespace
