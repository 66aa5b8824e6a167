#include "phrases/counters.h"

namespace egt::explain {
namespace {

// Of nodes by name; those of devices by their end, as drivers put "port." or a queue before it.
constexpr CounterMeaning kNode[] = {
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
    {"Ip6InTooBigErrors", DropKind::size, "IPv6 packets too large for the MTU of the device that they were to leave by"},
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
constexpr CounterMeaning kDevice[] = {
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

}  // namespace

const CounterMeaning* meaning_of(const host::Counter& c) {
  if (c.device.empty()) {
    for (const CounterMeaning& m : kNode)
      if (m.name == c.name) return &m;
    return nullptr;
  }
  for (const CounterMeaning& m : kDevice)
    if (m.name == c.name) return &m;
  return nullptr;
}

}  // namespace egt::explain
