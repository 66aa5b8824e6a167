#include "packet_options.h"

#include <fmt/format.h>

#include "command.h"
#include "egtrace/base/text.h"

namespace egt::cli {
namespace {

explain::Point point(const std::string& text, const std::string& namespace_) {
  auto p = explain::parse_point(text, namespace_);
  if (!p) throw CommandError(p.error().message);
  return *p;
}

std::optional<MacAddr> mac(const std::string& text, const char* option) {
  if (text.empty()) return std::nullopt;
  const auto m = MacAddr::parse(text);
  if (!m) throw CommandError(fmt::format("{}: '{}' is no MAC address; write it as 0a:58:0a:85:00:09", option, text));
  return m;
}

constexpr std::uint32_t kSmallestPacket = 28, kLargestPacket = 65535;

}  // namespace

explain::Question PacketOptions::question() const {
  explain::Question q = packet();
  q.from = point(on_network(from), namespace_);
  q.to = point(on_network(to), namespace_);
  if (!q.dport) q.dport = q.to.port;
  if (!sport && q.from.port) q.sport = *q.from.port;
  return q;
}

std::string PacketOptions::on_network(const std::string& end) const {
  if (network.empty()) return end;
  const auto p = explain::parse_point(end, namespace_);
  return p && p->kind == explain::Point::Kind::pod && p->network.empty() ? end + "@" + network : end;
}

explain::Question PacketOptions::packet() const {
  explain::Question q;
  q.proto = lower(proto);
  q.sport = sport.value_or(q.sport);
  q.dport = dport;
  if (ttl) q.ttl = static_cast<std::uint8_t>(*ttl);
  q.dscp = static_cast<std::uint8_t>(dscp);
  if (icmp_type) q.icmp_type = static_cast<std::uint8_t>(*icmp_type);
  if (icmp_code) q.icmp_code = static_cast<std::uint8_t>(*icmp_code);
  const auto m = parse_u64(mark);
  if (!m || *m > 0xffffffff) throw CommandError(fmt::format("--mark: '{}' is no 32-bit number", mark));
  q.mark = static_cast<std::uint32_t>(*m);
  q.smac = mac(smac, "--smac");
  q.dmac = mac(dmac, "--dmac");
  q.arrive_at = arrive_at;
  q.in_dev = in_dev;
  q.size = size;
  q.dont_fragment = df;
  q.established = established;
  q.use_conntrack = !no_conntrack;
  q.one_way = one_way;
  return q;
}

void add_packet_options(CLI::App& verb, PacketOptions& o) {
  verb.add_option("--from", o.from, "where the packet starts (POINT)")->required();
  verb.add_option("--to", o.to, "where it is sent to (POINT)")->required();
  verb.add_option("-n,--namespace", o.namespace_, "namespace of pod/NAME");
  verb.add_option("--network", o.network, "network of the pods, NAMESPACE/NAME or `default` (default: their primary one)");
  verb.add_option("--proto", o.proto, "tcp, udp, sctp, icmp or icmp6")->capture_default_str();
  verb.add_option("--sport", o.sport, "source port (default: that of --from, else 54321)")->check(CLI::Range(0, 65535));
  verb.add_option("--dport", o.dport, "destination port (default: that of --to, else 80)")->check(CLI::Range(0, 65535));
  verb.add_option("--ttl", o.ttl, "time to live (default: net.ipv4.ip_default_ttl of the sending host, else 64)")
      ->check(CLI::Range(0, 255));
  verb.add_option("--dscp", o.dscp, "differentiated services code point")->check(CLI::Range(0, 63));
  verb.add_option("--icmp-type", o.icmp_type, "default: echo request")->check(CLI::Range(0, 255));
  verb.add_option("--icmp-code", o.icmp_code)->check(CLI::Range(0, 255));
  verb.add_option("--mark", o.mark, "packet mark at the start (0x...)");
  verb.add_option("--arrive-at", o.arrive_at, "node at which traffic from outside enters");
  verb.add_option("--in-dev", o.in_dev, "device by which it enters that node");
  verb.add_option("--smac", o.smac, "source MAC of the first frame");
  verb.add_option("--dmac", o.dmac, "destination MAC of the first frame");
  verb.add_option("--size", o.size, "bytes of the IP packet; of TCP of the packets after the handshake (default: the smallest)")
      ->check(CLI::Range(kSmallestPacket, kLargestPacket));
  verb.add_flag("--df", o.df, "the packet must not be fragmented (TCP's never are)");
  verb.add_flag("--established", o.established, "a packet of an established connection, not a first one");
  verb.add_flag("--no-conntrack", o.no_conntrack, "ignore dumped conntrack entries");
  verb.add_flag("--one-way", o.one_way, "walk the request only, not its reply nor the packet after the handshake");
  verb.add_flag("--reply", o.reply, "without effect: the reply is always walked")->group("");
}

}  // namespace egt::cli
