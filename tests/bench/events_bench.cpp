// A million events of retis: read, and set beside a prediction.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>

#include "egtrace/explain/capture.h"
#include "egtrace/parsers/capture.h"

namespace {

// Lines as retis 1.6 writes them; each flow has ten events, at five functions.
std::string make_events(std::size_t count) {
  static constexpr const char* kSymbols[] = {"net:netif_receive_skb", "ip_rcv", "openvswitch:ovs_do_execute_action",
                                             "net:net_dev_start_xmit", "skb:kfree_skb"};
  static constexpr const char* kSections[] = {
      "", "", R"(,"ovs":{"event_type":"action_execute","action":"ct","flags":485,"zone_id":20,"recirc_id":34})",
      R"(,"ct":{"state":"new","zone_id":0,"zone_dir":"None","orig":{"ip":{"src":"10.0.0.1","dst":"10.0.0.2","version":"v4"},"proto":{"tcp":{"sport":1,"dport":2}}},"reply":{"ip":{"src":"10.0.0.2","dst":"10.0.0.1","version":"v4"},"proto":{"tcp":{"sport":2,"dport":1}}},"ct_status":8})",
      R"(,"skb-drop":{"subsys":null,"drop_reason":"NETFILTER_DROP"})"};
  // 10.0.0.1:4660 > 10.0.0.2:80, SYN; the port is in the characters behind kPort.
  std::string data = "ClgAAAACClgAAAABCABFAAAoq81AAEAGAAAKAAABCgAAAhI0AFABAgMEAAAAAFAC//8AAAAA";
  constexpr std::size_t kPort = 46;
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text =
      R"({"common":{"timestamp":1},"startup":{"retis_version":"1.6.4","clock_monotonic_offset":{"sec":1700000000,"nsec":0}}})"
      "\n";
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t flow = i / 10, kind = i % 5;
    for (std::size_t k = 0; k < 2; ++k) data[kPort + k] = kDigits[flow >> (6 * k) & 63];
    text += fmt::format(
        R"({{"common":{{"timestamp":{},"smp_id":2,"task":{{"pid":1360,"tgid":1360,"comm":"napi/phy0-8197"}}}},"kernel":{{"symbol":"{}","probe_type":"raw_tracepoint"}},"skb-tracking":{{"orig_head":18446616576100907520,"timestamp":{},"skb":18446616546107689472}},"packet":{{"len":54,"capture_len":54,"data":"{}"}},"netns":{{"cookie":1,"inum":4026531840}},"dev":{{"name":"eth{}","ifindex":{}}}{}}})"
        "\n",
        23868955262984 + i, kSymbols[kind], 23868955262984 + flow, data, kind % 3, kind % 3 + 2, kSections[kind]);
  }
  return text;
}

const std::string& million() {
  static const std::string text = make_events(1'000'000);
  return text;
}

using namespace egt;

void read_events(benchmark::State& state) {
  for (auto _ : state) {
    std::size_t seen = 0;
    const auto capture = parsers::read_capture(
        million(), [](const capture::Frame&) {}, [&](const capture::KernelEvent&) { ++seen; });
    benchmark::DoNotOptimize(seen);
    if (!capture || capture->events != seen) state.SkipWithError("not read");
  }
}
BENCHMARK(read_events)->Unit(benchmark::kMillisecond);

// From the text to what is said of each flow, of a snapshot that holds nothing.
void study_events(benchmark::State& state) {
  static const cluster::Cluster kNothingKnown;
  for (auto _ : state) {
    explain::CaptureStudy study;
    const std::size_t file = study.begin("events.json");
    const auto capture = parsers::read_capture(
        million(), [](const capture::Frame&) {}, [&](const capture::KernelEvent& e) { study.take(file, e); });
    if (capture) study.end(file, *capture);
    benchmark::DoNotOptimize(study.conclude_alike(kNothingKnown).flows.size());
  }
}
BENCHMARK(study_events)->Unit(benchmark::kMillisecond);

}  // namespace
