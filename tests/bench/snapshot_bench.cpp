// How long it takes to get from files to a model. EGTRACE_BENCH_SNAPSHOT names another snapshot than the sample.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>

#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/snapshot.h"

namespace {

std::string sample() {
  const char* other = std::getenv("EGTRACE_BENCH_SNAPSHOT");
  return other != nullptr ? other : std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary";
}

void read_snapshot(benchmark::State& state) {
  for (auto _ : state) {
    auto cluster = egt::parsers::read_snapshot({sample(), {}, static_cast<unsigned>(state.range(0))});
    benchmark::DoNotOptimize(cluster);
  }
}
BENCHMARK(read_snapshot)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

void load_flows(benchmark::State& state) {
  const std::string path =
      std::string(EGTRACE_SOURCE_DIR) + "/samples/egressip-secondary/master-02-demo/ovs-ofctl_dump-flows_br-int.gz";
  const auto content = egt::parsers::read_content(path);
  if (!content) {
    state.SkipWithError("no sample");
    return;
  }
  egt::parsers::Dump dump;
  dump.path = path;
  dump.command = egt::parsers::command_of_path(path);
  dump.text = content->text;
  const auto found = egt::parsers::recognise(dump);
  for (auto _ : state) {
    egt::cluster::Cluster cluster;
    egt::cluster::Node node;
    egt::parsers::Report report;
    dump.source = cluster.sources->add(path, content->text, content->keep);
    found.format->load(dump, cluster, node, report);
    benchmark::DoNotOptimize(node);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * static_cast<std::int64_t>(dump.text.size()));
}
BENCHMARK(load_flows)->Unit(benchmark::kMillisecond);

}  // namespace
