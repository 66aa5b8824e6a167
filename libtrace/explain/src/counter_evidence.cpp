#include "egtrace/explain/counter_evidence.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace egt::explain {
namespace {

struct Meaning {
  std::string_view name;
  DropKind kind;
  std::string_view meaning;
};
// Of machines by name; those of devices by their end, as drivers put "port." or a queue before it.
constexpr Meaning kMachine[] = {
    {"TcpExtIPReversePathFilter", DropKind::source_check, "packets that the reverse path filter (rp_filter) dropped"},
    {"IpExtIPReversePathFilter", DropKind::source_check, "packets that the reverse path filter (rp_filter) dropped"},
    {"IpInAddrErrors", DropKind::routing, "packets for addresses that the host neither has nor forwards"},
    {"Ip6InAddrErrors", DropKind::routing, "IPv6 packets for addresses that the host neither has nor forwards"},
    {"IpExtInNoRoutes", DropKind::routing, "packets that came in and for which there was no route"},
    {"IpOutNoRoutes", DropKind::routing, "packets to be sent for which there was no route"},
    {"Ip6InNoRoutes", DropKind::routing, "IPv6 packets that came in and for which there was no route"},
    {"Ip6OutNoRoutes", DropKind::routing, "IPv6 packets to be sent for which there was no route"},
    {"IpInHdrErrors", DropKind::ttl, "packets with a bad header, or whose TTL ended here"},
    {"Ip6InHdrErrors", DropKind::ttl, "IPv6 packets with a bad header, or whose hop limit ended here"},
    {"IpFragFails", DropKind::size, "packets too large for the MTU that must not be fragmented"},
    {"Ip6FragFails", DropKind::size, "IPv6 packets that could not be fragmented"},
    {"Ip6InTooBigErrors", DropKind::size,
     "IPv6 packets too large for the MTU of the device that they were to leave by"},
    {"IpReasmFails", DropKind::size, "packets whose fragments did not all come"},
    {"UdpNoPorts", DropKind::listener, "UDP datagrams for ports on which no process listens"},
    {"Udp6NoPorts", DropKind::listener, "UDP datagrams over IPv6 for ports on which no process listens"},
    {"TcpExtListenDrops", DropKind::room, "SYNs and handshakes that listening sockets dropped"},
    {"TcpExtListenOverflows", DropKind::room, "handshakes for which the accept queue of the listening socket was full"},
    {"TcpExtTCPBacklogDrop", DropKind::room, "TCP segments for which the backlog of the socket was full"},
    {"TcpExtTCPReqQFullDrop", DropKind::room, "SYNs for which the queue of half-open connections was full"},
    {"UdpRcvbufErrors", DropKind::room, "UDP datagrams for which the receive buffer of the socket was full"},
    {"Udp6RcvbufErrors", DropKind::room, "UDP datagrams over IPv6 for which the receive buffer of the socket was full"},
    {"TcpInCsumErrors", DropKind::damaged, "TCP segments with a wrong checksum"},
    {"UdpInCsumErrors", DropKind::damaged, "UDP datagrams with a wrong checksum"},
    {"Udp6InCsumErrors", DropKind::damaged, "UDP datagrams over IPv6 with a wrong checksum"},
    {"IcmpInCsumErrors", DropKind::damaged, "ICMP messages with a wrong checksum"},
    {"IpExtInCsumErrors", DropKind::damaged, "IPv4 packets with a wrong header checksum"},
    {"IpExtInTruncatedPkts", DropKind::damaged, "packets shorter than their header says"},
    {"TcpExtPAWSEstab", DropKind::connection, "TCP segments with an old timestamp (PAWS)"},
    {"TcpExtPAWSActive", DropKind::connection, "SYNs that an old timestamp refused (PAWS)"},
    {"TcpExtTCPMD5NotFound", DropKind::connection, "TCP segments without the MD5 signature that is asked for"},
    {"IpInDiscards", DropKind::unspecified, "packets that were discarded on input for want of memory and the like"},
    {"IpOutDiscards", DropKind::unspecified, "packets that were discarded on output, by netfilter among others"},
    {"Ip6InDiscards", DropKind::unspecified, "IPv6 packets that were discarded on input"},
    {"Ip6OutDiscards", DropKind::unspecified, "IPv6 packets that were discarded on output"},
};
constexpr Meaning kDevice[] = {
    {"rx_dropped", DropKind::device, "frames that the device received and the kernel dropped"},
    {"tx_dropped", DropKind::device, "frames that the device was to send and dropped"},
    {"rx_errors", DropKind::device, "frames that arrived damaged"},
    {"tx_errors", DropKind::device, "frames that could not be sent"},
    {"rx_missed_errors", DropKind::room, "frames for which the ring buffer of the device was full"},
    {"rx_missed", DropKind::room, "frames for which the ring buffer of the device was full"},
    {"rx_over_errors", DropKind::room, "frames for which the ring buffer of the device was full"},
    {"rx_fifo_errors", DropKind::room, "frames for which the buffer of the device was full"},
    {"rx_no_buffer_count", DropKind::room, "frames for which the device had no buffer"},
    {"rx_out_of_buffer", DropKind::room, "frames for which the device had no buffer"},
    {"rx_crc_errors", DropKind::damaged, "frames with a wrong checksum: cable or port"},
    {"rx_discards_phy", DropKind::room, "frames that the port discarded for want of buffers"},
    {"tx_carrier_errors", DropKind::device, "frames that were lost as the link was lost"},
};

const Meaning* meaning_of(const host::Counter& c) {
  if (c.device.empty()) {
    for (const Meaning& m : kMachine)
      if (m.name == c.name) return &m;
    return nullptr;
  }
  for (const Meaning& m : kDevice)
    if (m.name == c.name) return &m;
  return nullptr;
}

// Whether the counter is of this protocol and version of IP, as its name says. Devices count all.
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
std::vector<CounterReport> gather(const std::string& node, const std::vector<host::Counter>& counters,
                                  const SourceTable& sources, const Wanted& wanted) {
  struct Found {
    const Meaning* meaning;
    const host::Counter* latest;
    std::uint64_t lowest;
    std::size_t dumps;
  };
  std::map<std::pair<std::string, std::string>, Found> found;
  for (const host::Counter& c : counters) {
    const Meaning* meaning = meaning_of(c);
    if (meaning == nullptr || !wanted(*meaning, c)) continue;
    const auto [at, is_new] = found.try_emplace({c.name, c.device}, Found{meaning, &c, c.value, 1});
    Found& f = at->second;
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
  std::stable_sort(all.begin(), all.end(),
                   [](const CounterReport& a, const CounterReport& b) { return a.value > b.value; });
  return all;
}

}  // namespace

CountedPacket counted_packet(const PacketReport& packet) {
  return {packet.dst.find(':') != std::string::npos, packet.proto};
}

std::vector<CounterReport> counters_of(engine::Reason reason, const CountedPacket& packet, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources) {
  return gather(node, counters, sources, [&](const Meaning& m, const host::Counter& c) {
    return c.device.empty() && is_by(m.kind, reason) && is_about(c, packet);
  });
}

std::vector<CounterReport> counters_of(DropKind kind, const CountedPacket& packet, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources) {
  return gather(node, counters, sources, [&](const Meaning& m, const host::Counter& c) {
    return m.kind == kind && (c.device.empty() || c.value > 0) && is_about(c, packet);
  });
}

std::vector<CounterReport> counters_of(DropKind kind, const std::string& node,
                                       const std::vector<host::Counter>& counters, const SourceTable& sources) {
  return gather(node, counters, sources, [&](const Meaning& m, const host::Counter& c) {
    return m.kind == kind && (c.device.empty() || c.value > 0);
  });
}

std::vector<CounterReport> counted_drops(const CountedPacket& packet, const std::string& node,
                                         const std::vector<host::Counter>& counters, const SourceTable& sources) {
  constexpr std::size_t kMost = 5;
  auto all = gather(node, counters, sources,
                    [&](const Meaning&, const host::Counter& c) { return c.value > 0 && is_about(c, packet); });
  if (all.size() > kMost) all.resize(kMost);
  return all;
}

}  // namespace egt::explain
