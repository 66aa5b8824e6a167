#include "nft/datatype.h"

#include <span>

#include "egtrace/base/text.h"

namespace egt::parsers::nft {
namespace {

namespace nf = netfilter;

struct Name {
  std::string_view name;
  std::uint32_t value;
};

constexpr Name kProtocols[] = {
    {"ip", 0},         {"hopopt", 0},       {"icmp", 1},
    {"igmp", 2},       {"ggp", 3},          {"ipencap", 4},
    {"ipip", 4},       {"st", 5},           {"tcp", 6},
    {"egp", 8},        {"igp", 9},          {"pup", 12},
    {"udp", 17},       {"hmp", 20},         {"xns-idp", 22},
    {"rdp", 27},       {"iso-tp4", 29},     {"dccp", 33},
    {"xtp", 36},       {"ddp", 37},         {"idpr-cmtp", 38},
    {"ipv6", 41},      {"ipv6-route", 43},  {"ipv6-frag", 44},
    {"idrp", 45},      {"rsvp", 46},        {"gre", 47},
    {"esp", 50},       {"ah", 51},          {"skip", 57},
    {"ipv6-icmp", 58}, {"icmpv6", 58},      {"ipv6-nonxt", 59},
    {"ipv6-opts", 60}, {"rspf", 73},        {"vmtp", 81},
    {"eigrp", 88},     {"ospf", 89},        {"ospfigp", 89},
    {"ax.25", 93},     {"etherip", 97},     {"encap", 98},
    {"pim", 103},      {"ipcomp", 108},     {"comp", 108},
    {"vrrp", 112},     {"l2tp", 115},       {"isis", 124},
    {"sctp", 132},     {"fc", 133},         {"mobility-header", 135},
    {"udplite", 136},  {"mpls-in-ip", 137}, {"manet", 138},
    {"shim6", 139},    {"wesp", 141},       {"rohc", 142},
    {"mptcp", 262},
};
// Only what nft -S is likely to meet in rules; ports are printed as numbers by default.
constexpr Name kServices[] = {
    {"echo", 7},
    {"discard", 9},
    {"daytime", 13},
    {"chargen", 19},
    {"ftp-data", 20},
    {"ftp", 21},
    {"ssh", 22},
    {"telnet", 23},
    {"smtp", 25},
    {"time", 37},
    {"domain", 53},
    {"bootps", 67},
    {"bootpc", 68},
    {"tftp", 69},
    {"gopher", 70},
    {"finger", 79},
    {"http", 80},
    {"kerberos", 88},
    {"pop3", 110},
    {"sunrpc", 111},
    {"auth", 113},
    {"nntp", 119},
    {"ntp", 123},
    {"epmap", 135},
    {"netbios-ns", 137},
    {"netbios-dgm", 138},
    {"netbios-ssn", 139},
    {"imap2", 143},
    {"snmp", 161},
    {"snmp-trap", 162},
    {"bgp", 179},
    {"ldap", 389},
    {"https", 443},
    {"microsoft-ds", 445},
    {"submissions", 465},
    {"isakmp", 500},
    {"syslog", 514},
    {"printer", 515},
    {"dhcpv6-client", 546},
    {"dhcpv6-server", 547},
    {"rtsp", 554},
    {"ipp", 631},
    {"ldaps", 636},
    {"domain-s", 853},
    {"rsync", 873},
    {"imaps", 993},
    {"pop3s", 995},
    {"socks", 1080},
    {"openvpn", 1194},
    {"ms-sql-s", 1433},
    {"l2f", 1701},
    {"radius", 1812},
    {"radius-acct", 1813},
    {"nfs", 2049},
    {"iscsi-target", 3260},
    {"mysql", 3306},
    {"rdp", 3389},
    {"ipsec-nat-t", 4500},
    {"sip", 5060},
    {"sip-tls", 5061},
    {"xmpp-client", 5222},
    {"mdns", 5353},
    {"postgresql", 5432},
    {"amqp", 5672},
    {"x11", 6000},
    {"geneve", 6081},
    {"redis", 6379},
    {"http-alt", 8080},
    {"zabbix-agent", 10050},
};
constexpr Name kStates[] = {{"invalid", nf::ct_state_bit::invalid},
                            {"established", nf::ct_state_bit::established},
                            {"related", nf::ct_state_bit::related},
                            {"new", nf::ct_state_bit::new_},
                            {"untracked", nf::ct_state_bit::untracked}};
constexpr Name kStatus[] = {{"expected", nf::ct_status_bit::expected}, {"seen-reply", nf::ct_status_bit::seen_reply},
                            {"assured", nf::ct_status_bit::assured},   {"confirmed", nf::ct_status_bit::confirmed},
                            {"snat", nf::ct_status_bit::snat},         {"dnat", nf::ct_status_bit::dnat},
                            {"dying", nf::ct_status_bit::dying}};
constexpr Name kDirections[] = {{"original", 0}, {"reply", 1}};
constexpr Name kTcpFlags[] = {{"fin", 1},  {"syn", 2},  {"rst", 4},  {"psh", 8},
                              {"ack", 16}, {"urg", 32}, {"ecn", 64}, {"cwr", 128}};
constexpr Name kIcmpTypes[] = {
    {"echo-reply", 0},         {"destination-unreachable", 3}, {"source-quench", 4},        {"redirect", 5},
    {"echo-request", 8},       {"router-advertisement", 9},    {"router-solicitation", 10}, {"time-exceeded", 11},
    {"parameter-problem", 12}, {"timestamp-request", 13},      {"timestamp-reply", 14},     {"info-request", 15},
    {"info-reply", 16},        {"address-mask-request", 17},   {"address-mask-reply", 18}};
constexpr Name kIcmpCodes[] = {{"net-unreachable", 0},  {"host-unreachable", 1}, {"prot-unreachable", 2},
                               {"port-unreachable", 3}, {"frag-needed", 4},      {"net-prohibited", 9},
                               {"host-prohibited", 10}, {"admin-prohibited", 13}};
constexpr Name kIcmpv6Types[] = {{"destination-unreachable", 1},  {"packet-too-big", 2},         {"time-exceeded", 3},
                                 {"parameter-problem", 4},        {"echo-request", 128},         {"echo-reply", 129},
                                 {"mld-listener-query", 130},     {"mld-listener-report", 131},  {"mld-listener-done", 132},
                                 {"mld-listener-reduction", 132}, {"nd-router-solicit", 133},    {"nd-router-advert", 134},
                                 {"nd-neighbor-solicit", 135},    {"nd-neighbor-advert", 136},   {"nd-redirect", 137},
                                 {"router-renumbering", 138},     {"ind-neighbor-solicit", 141}, {"ind-neighbor-advert", 142},
                                 {"mld2-listener-report", 143}};
constexpr Name kIcmpv6Codes[] = {{"no-route", 0},         {"admin-prohibited", 1}, {"addr-unreachable", 3},
                                 {"port-unreachable", 4}, {"policy-fail", 5},      {"reject-route", 6}};
constexpr Name kEthertypes[] = {{"ip", 0x0800},    {"arp", 0x0806},    {"ip6", 0x86dd},
                                {"8021q", 0x8100}, {"8021ad", 0x88a8}, {"vlan", 0x8100}};
constexpr Name kNfprotos[] = {{"ipv4", 2}, {"ipv6", 10}};
constexpr Name kPacketTypes[] = {{"host", 0}, {"unicast", 0}, {"broadcast", 1}, {"multicast", 2}, {"other", 3}};
constexpr Name kAddressTypes[] = {
    {"unspec", std::uint32_t(nf::AddressType::unspec)},       {"unicast", std::uint32_t(nf::AddressType::unicast)},
    {"local", std::uint32_t(nf::AddressType::local)},         {"broadcast", std::uint32_t(nf::AddressType::broadcast)},
    {"anycast", std::uint32_t(nf::AddressType::anycast)},     {"multicast", std::uint32_t(nf::AddressType::multicast)},
    {"blackhole", std::uint32_t(nf::AddressType::blackhole)}, {"unreachable", std::uint32_t(nf::AddressType::unreachable)},
    {"prohibit", std::uint32_t(nf::AddressType::prohibit)}};
constexpr Name kDscp[] = {{"cs0", 0},   {"cs1", 8},   {"cs2", 16},  {"cs3", 24},  {"cs4", 32},  {"cs5", 40},  {"cs6", 48},
                          {"cs7", 56},  {"df", 0},    {"be", 0},    {"lephb", 1}, {"af11", 10}, {"af12", 12}, {"af13", 14},
                          {"af21", 18}, {"af22", 20}, {"af23", 22}, {"af31", 26}, {"af32", 28}, {"af33", 30}, {"af41", 34},
                          {"af42", 36}, {"af43", 38}, {"va", 44},   {"ef", 46}};
constexpr Name kEcn[] = {{"not-ect", 0}, {"ect1", 1}, {"ect0", 2}, {"ce", 3}};
constexpr Name kArpOperations[] = {{"request", 1},   {"reply", 2},   {"rrequest", 3}, {"rreply", 4},
                                   {"inrequest", 8}, {"inreply", 9}, {"nak", 10}};
constexpr Name kGroups[] = {{"default", 0}};  // the one line that /etc/iproute2/group comes with
constexpr Name kBooleans[] = {{"exists", 1}, {"missing", 0}, {"true", 1}, {"false", 0}};

std::span<const Name> names_of(Datatype type) {
  switch (type) {
    case Datatype::protocol: return kProtocols;
    case Datatype::service: return kServices;
    case Datatype::ct_state: return kStates;
    case Datatype::ct_status: return kStatus;
    case Datatype::ct_direction: return kDirections;
    case Datatype::tcp_flags: return kTcpFlags;
    case Datatype::icmp_type: return kIcmpTypes;
    case Datatype::icmp_code: return kIcmpCodes;
    case Datatype::icmpv6_type: return kIcmpv6Types;
    case Datatype::icmpv6_code: return kIcmpv6Codes;
    case Datatype::ethertype: return kEthertypes;
    case Datatype::nfproto: return kNfprotos;
    case Datatype::packet_type: return kPacketTypes;
    case Datatype::address_type: return kAddressTypes;
    case Datatype::dscp: return kDscp;
    case Datatype::ecn: return kEcn;
    case Datatype::arp_operation: return kArpOperations;
    case Datatype::boolean: return kBooleans;
    case Datatype::device_group: return kGroups;
    default: return {};
  }
}

struct TypeName {
  std::string_view name;
  Datatype type;
};
constexpr TypeName kTypes[] = {
    {"ipv4_addr", Datatype::ipv4},
    {"ipv6_addr", Datatype::ipv6},
    {"ether_addr", Datatype::mac},
    {"ll_addr", Datatype::mac},
    {"inet_proto", Datatype::protocol},
    {"inet_service", Datatype::service},
    {"ifname", Datatype::interface_name},
    {"iface_index", Datatype::interface_name},
    {"mark", Datatype::mark},
    {"ct_state", Datatype::ct_state},
    {"ct_status", Datatype::ct_status},
    {"ct_dir", Datatype::ct_direction},
    {"ct_label", Datatype::ct_label},
    {"tcp_flag", Datatype::tcp_flags},
    {"icmp_type", Datatype::icmp_type},
    {"icmp_code", Datatype::icmp_code},
    {"icmpv6_type", Datatype::icmpv6_type},
    {"icmpv6_code", Datatype::icmpv6_code},
    {"ether_type", Datatype::ethertype},
    {"nf_proto", Datatype::nfproto},
    {"pkt_type", Datatype::packet_type},
    {"fib_addrtype", Datatype::address_type},
    {"dscp", Datatype::dscp},
    {"ecn", Datatype::ecn},
    {"arp_op", Datatype::arp_operation},
    {"integer", Datatype::integer},
    {"uid", Datatype::integer},
    {"gid", Datatype::integer},
    {"boolean", Datatype::boolean},
    {"verdict", Datatype::verdict},
    {"time", Datatype::seconds},
    {"cgroupsv2", Datatype::unknown},
    {"devgroup", Datatype::device_group},
};

struct PriorityName {
  std::string_view name;
  int ip, bridge;
};
constexpr int kNoName = 1 << 30;
constexpr PriorityName kPriorities[] = {
    {"raw", -300, kNoName},    {"mangle", -150, kNoName}, {"dstnat", -100, -300}, {"filter", 0, -200},
    {"security", 50, kNoName}, {"out", kNoName, 100},     {"srcnat", 100, 300},
};

std::optional<int> signed_number(std::string_view s) {
  int value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return value;
}

}  // namespace

Datatype datatype_named(std::string_view name) {
  for (const TypeName& t : kTypes) {
    if (t.name == name) return t.type;
  }
  return Datatype::unknown;
}

std::optional<nf::Number> symbol_value(Datatype type, std::string_view symbol) {
  for (const Name& n : names_of(type)) {
    if (n.name == symbol) return n.value;
  }
  return std::nullopt;
}

bool is_bitmask(Datatype type) {
  return type == Datatype::ct_state || type == Datatype::ct_status || type == Datatype::tcp_flags || type == Datatype::ct_label;
}

std::optional<int> priority_value(std::string_view text, nf::TableFamily family) {
  text = trim(text);
  if (const auto number = signed_number(text)) return number;
  std::size_t end = 0;
  while (end < text.size() && text[end] >= 'a' && text[end] <= 'z') ++end;
  std::optional<int> base;
  for (const PriorityName& p : kPriorities) {
    const int value = family == nf::TableFamily::bridge ? p.bridge : p.ip;
    if (p.name == text.substr(0, end) && value != kNoName) base = value;
  }
  std::string_view rest = trim(text.substr(end));
  if (!base || rest.empty()) return base;
  const bool minus = rest.front() == '-';
  if (!minus && rest.front() != '+') return std::nullopt;
  const auto offset = signed_number(trim(rest.substr(1)));
  constexpr int kMost = 1'000'000'000;
  if (!offset || *offset < 0 || *offset > kMost) return std::nullopt;
  return minus ? *base - *offset : *base + *offset;
}

}  // namespace egt::parsers::nft
