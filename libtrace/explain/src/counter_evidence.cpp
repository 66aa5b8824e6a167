#include "egtrace/explain/counter_evidence.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "phrases/counters.h"

namespace egt::explain {
namespace {

// Whether the counter is of this protocol and version of IP, as its name shows. Devices count all.
bool is_about(const host::Counter& c, const CountedPacket& packet) {
  if (!c.device.empty()) return true;
  std::string_view name = c.name;
  if (name.ends_with("IPReversePathFilter")) return !packet.is_v6;
  const auto is = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (is("Ip6") || is("Udp6") || is("Icmp6")) {
    if (!packet.is_v6) return false;
  } else if (packet.is_v6 && !is("Tcp")) {
    return false;
  }
  if (is("Tcp")) return packet.proto == "tcp";
  if (is("Udp")) return packet.proto == "udp";
  return !is("Icmp") || packet.proto.starts_with("icmp");
}

// Of several dumps the highest value is the latest one.
template <class Wanted>
std::vector<CounterReport> gather(const std::string& node, const std::vector<host::Counter>& counters, const SourceTable& sources,
                                  const Wanted& wanted) {
  struct CounterRange {
    const CounterMeaning* meaning;
    const host::Counter* latest;
    std::uint64_t lowest;
    std::size_t dumps;
  };
  std::map<std::pair<std::string, std::string>, CounterRange> found;
  for (const host::Counter& c : counters) {
    const CounterMeaning* meaning = meaning_of(c);
    if (meaning == nullptr || !wanted(*meaning, c)) continue;
    const auto [at, is_new] = found.try_emplace({c.name, c.device}, CounterRange{meaning, &c, c.value, 1});
    CounterRange& f = at->second;
    if (is_new) continue;
    f.lowest = std::min(f.lowest, c.value);
    if (c.value >= f.latest->value) f.latest = &c;
    ++f.dumps;
  }
  std::vector<CounterReport> all;
  for (const auto& [key, f] : found) {
    CounterReport r;
    r.node = node;
    r.name = key.first;
    r.device = key.second;
    r.value = f.latest->value;
    if (f.dumps > 1) r.increase = f.latest->value - f.lowest;
    r.meaning = f.meaning->meaning;
    if (f.latest->from.known()) r.evidence = {evidence_line(f.latest->from, sources)};
    all.push_back(std::move(r));
  }
  std::stable_sort(all.begin(), all.end(), [](const CounterReport& a, const CounterReport& b) { return a.value > b.value; });
  return all;
}

}  // namespace

CountedPacket counted_packet(const PacketReport& packet) { return {packet.dst.find(':') != std::string::npos, packet.proto}; }

std::vector<CounterReport> counters_of(engine::Reason reason, const CountedPacket& packet, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources) {
  return gather(node, counters, sources, [&](const CounterMeaning& m, const host::Counter& c) {
    return c.device.empty() && is_by(m.kind, reason) && is_about(c, packet);
  });
}

std::vector<CounterReport> counters_of(DropKind kind, const CountedPacket& packet, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources) {
  return gather(node, counters, sources, [&](const CounterMeaning& m, const host::Counter& c) {
    return m.kind == kind && (c.device.empty() || c.value > 0) && is_about(c, packet);
  });
}

std::vector<CounterReport> counters_of(DropKind kind, const std::string& node, const std::vector<host::Counter>& counters,
                                       const SourceTable& sources) {
  return gather(node, counters, sources, [&](const CounterMeaning& m, const host::Counter& c) {
    return m.kind == kind && (c.device.empty() || c.value > 0);
  });
}

std::vector<CounterReport> counted_drops(const CountedPacket& packet, const std::string& node,
                                         const std::vector<host::Counter>& counters, const SourceTable& sources) {
  constexpr std::size_t kMost = 5;
  auto all = gather(node, counters, sources,
                    [&](const CounterMeaning&, const host::Counter& c) { return c.value > 0 && is_about(c, packet); });
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

}  // namespace egt::explain
