#include "packet_of.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::explain {
namespace {

struct Protocol {
  std::uint8_t number;
  bool ports;
};

std::optional<Protocol> protocol(std::string_view name, Family family) {
  if (name == "tcp") return Protocol{ip_proto::tcp, true};
  if (name == "udp") return Protocol{ip_proto::udp, true};
  if (name == "sctp") return Protocol{ip_proto::sctp, true};
  if (name == "icmp" || name == "icmp6" || name == "icmpv6")
    return Protocol{family == Family::v4 ? ip_proto::icmp : ip_proto::icmp6, false};
  return std::nullopt;
}

// The first address of the other end's family; the first at all where that end decides nothing.
std::optional<IpAddr> pick(const std::vector<IpAddr>& addresses, std::optional<Family> family) {
  for (const IpAddr& a : addresses)
    if (!family || a.family == *family) return a;
  return std::nullopt;
}

// Of a network without subnets OVN-Kubernetes knows the MACs of its pods alone, and none of their addresses stands in an object.
std::string address_needed(const Resolved& pod, const std::string& text, const char* instead) {
  if (pod.network.name.empty() || !pod.addresses.empty()) return {};
  return fmt::format(
      "no dump shows an address of {} on network {}; add `ip addr` of the pod's network namespace (egtrace collect has it){}",
      text, pod.network.name, instead);
}

constexpr std::uint16_t kDefaultPort = 80;
constexpr std::uint8_t kUsualTtl = 64;  // IPDEFTTL of include/net/ip.h
constexpr std::uint16_t kSyn = 0x002;

}  // namespace

Result<Asked> packet_of(const Question& q, const Resolved& from, const Resolved& to) {
  Asked asked;
  // An end with addresses of both families follows the other one.
  std::optional<Family> family;
  const auto one_family = [](const Resolved& r) {
    return !r.addresses.empty() && std::all_of(r.addresses.begin(), r.addresses.end(),
                                               [&](const IpAddr& a) { return a.family == r.addresses.front().family; });
  };
  if (one_family(to))
    family = to.addresses.front().family;
  else if (one_family(from))
    family = from.addresses.front().family;
  const auto dst = pick(to.addresses, family);
  if (std::string needed = dst ? std::string() : address_needed(to, q.to.text, ", or give its address as IP[:PORT]");
      !needed.empty())
    return Error{std::move(needed)};
  if (!dst) return Error{fmt::format("no address of {} is known; give it as IP[:PORT]", q.to.text)};
  if (dst->is_unspecified())
    return Error{fmt::format("{} is no address that a packet is sent to; give that of a node, pod or service", q.to.text)};
  asked.dst = *dst;
  asked.choose_source = from.choose_source;
  if (!from.choose_source) {
    if (std::string needed = address_needed(from, q.from.text, ""); !needed.empty()) return Error{std::move(needed)};
    const auto src = pick(from.addresses, dst->family);
    if (!src)
      return Error{fmt::format("{} has no {} address, but {} has", q.from.text, dst->is_v4() ? "IPv4" : "IPv6", q.to.text)};
    asked.src = *src;
  } else {
    asked.src = IpAddr{dst->family, 0};
  }
  const auto proto = protocol(q.proto, dst->family);
  if (!proto) return Error{fmt::format("unknown protocol '{}'; use tcp, udp, sctp, icmp or icmp6", q.proto)};

  FlowKey& k = asked.packet;
  const bool v4 = dst->is_v4();
  k.set(FieldId::eth_type, v4 ? ethertype::ipv4 : ethertype::ipv6);
  k.set(FieldId::nw_proto, proto->number);
  k.set(FieldId::nw_ttl, q.ttl.value_or(kUsualTtl));
  k.set(FieldId::ip_dscp, q.dscp);
  k.set(FieldId::pkt_mark, q.mark);
  set_src_ip(k, asked.src);
  set_dst_ip(k, asked.dst);
  if (proto->ports) {
    k.set(FieldId::tp_src, q.sport);
    k.set(FieldId::tp_dst, q.dport.value_or(to.port.value_or(kDefaultPort)));
    if (proto->number == ip_proto::tcp) k.set(FieldId::tcp_flags, kSyn);
  } else {
    k.set(FieldId::tp_src, q.icmp_type.value_or(v4 ? 8 : 128));  // echo request
    k.set(FieldId::tp_dst, q.icmp_code.value_or(0));
  }
  return asked;
}

}  // namespace egt::explain
