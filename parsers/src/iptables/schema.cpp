#include "iptables/schema.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <unordered_map>
#include <vector>

#include "egtrace/base/text.h"

namespace egt::parsers::iptables {
namespace {

constexpr std::uint64_t k8 = 0xff, k16 = 0xffff, k32 = 0xffffffff;

constexpr OptionSpec kOptions[] = {
    // matches
    {"addrtype", "--src-type", Shape::word_list},
    {"addrtype", "--dst-type", Shape::word_list},
    {"addrtype", "--limit-iface-in", Shape::flag},
    {"addrtype", "--limit-iface-out", Shape::flag},
    {"ah", "--ahspi", Shape::range, k32, true},
    {"ah", "--ahlen", Shape::number},
    {"ah", "--ahres", Shape::flag},
    {"bpf", "--bytecode", Shape::quoted},
    {"bpf", "--object-pinned", Shape::text},
    {"cgroup", "--cgroup", Shape::number},
    {"cgroup", "--path", Shape::quoted},
    {"cluster", "--cluster-total-nodes", Shape::number},
    {"cluster", "--cluster-local-node", Shape::number},
    {"cluster", "--cluster-local-nodemask", Shape::long_hex},
    {"cluster", "--cluster-hash-seed", Shape::long_hex},
    {"comment", "--comment", Shape::text},
    {"connbytes", "--connbytes", Shape::text},
    {"connbytes", "--connbytes-mode", Shape::text},
    {"connbytes", "--connbytes-dir", Shape::text},
    {"connlabel", "--label", Shape::quoted},
    {"connlabel", "--set", Shape::flag},
    {"connlimit", "--connlimit-above", Shape::number, k32},
    {"connlimit", "--connlimit-upto", Shape::number, k32},
    {"connlimit", "--connlimit-mask", Shape::number},
    {"connlimit", "--connlimit-saddr", Shape::flag},
    {"connlimit", "--connlimit-daddr", Shape::flag},
    {"connmark", "--mark", Shape::mark},
    {"conntrack", "--ctstate", Shape::word_list},
    {"conntrack", "--ctproto", Shape::protocol_number},
    {"conntrack", "--ctorigsrc", Shape::short_network},
    {"conntrack", "--ctorigdst", Shape::short_network},
    {"conntrack", "--ctreplsrc", Shape::short_network},
    {"conntrack", "--ctrepldst", Shape::short_network},
    {"conntrack", "--ctorigsrcport", Shape::range, k16},
    {"conntrack", "--ctorigdstport", Shape::range, k16},
    {"conntrack", "--ctreplsrcport", Shape::range, k16},
    {"conntrack", "--ctrepldstport", Shape::range, k16},
    {"conntrack", "--ctstatus", Shape::word_list},
    {"conntrack", "--ctexpire", Shape::range, k32},
    {"conntrack", "--ctdir", Shape::text},
    {"cpu", "--cpu", Shape::number, k32},
    {"dccp", "--sport", Shape::range, k16},
    {"dccp", "--dport", Shape::range, k16},
    {"dccp", "--dccp-types", Shape::word_list},
    {"dccp", "--dccp-option", Shape::number, k8},
    {"devgroup", "--src-group", Shape::group},
    {"devgroup", "--dst-group", Shape::group},
    {"dscp", "--dscp", Shape::dscp, 63},
    {"dst", "--dst-len", Shape::number},
    {"dst", "--dst-opts", Shape::text},
    {"ecn", "--ecn-tcp-cwr", Shape::flag},
    {"ecn", "--ecn-tcp-ece", Shape::flag},
    {"ecn", "--ecn-ip-ect", Shape::number, 3},
    {"esp", "--espspi", Shape::range, k32, true},
    {"frag", "--fragid", Shape::range, k32, true},
    {"frag", "--fraglen", Shape::number},
    {"frag", "--fragres", Shape::flag},
    {"frag", "--fragfirst", Shape::flag},
    {"frag", "--fragmore", Shape::flag},
    {"frag", "--fraglast", Shape::flag},
    {"hashlimit", "--hashlimit-upto", Shape::text},
    {"hashlimit", "--hashlimit-above", Shape::text},
    {"hashlimit", "--hashlimit-burst", Shape::text},
    {"hashlimit", "--hashlimit-mode", Shape::word_list},
    {"hashlimit", "--hashlimit-name", Shape::text},
    {"hashlimit", "--hashlimit-srcmask", Shape::number},
    {"hashlimit", "--hashlimit-dstmask", Shape::number},
    {"hashlimit", "--hashlimit-htable-size", Shape::number},
    {"hashlimit", "--hashlimit-htable-max", Shape::number},
    {"hashlimit", "--hashlimit-htable-expire", Shape::number},
    {"hashlimit", "--hashlimit-htable-gcinterval", Shape::number},
    {"hashlimit", "--hashlimit-rate-match", Shape::flag},
    {"hashlimit", "--hashlimit-rate-interval", Shape::number},
    {"hbh", "--hbh-len", Shape::number},
    {"hbh", "--hbh-opts", Shape::text},
    {"helper", "--helper", Shape::text},
    {"hl", "--hl-eq", Shape::number, k8},
    {"hl", "--hl-gt", Shape::number, k8},
    {"hl", "--hl-lt", Shape::number, k8},
    {"icmp", "--icmp-type", Shape::icmp_type},
    {"icmp6", "--icmpv6-type", Shape::icmpv6_type},
    {"ipcomp", "--ipcompspi", Shape::range, k32, true},
    {"ipcomp", "--compres", Shape::flag},
    {"iprange", "--src-range", Shape::address_range},
    {"iprange", "--dst-range", Shape::address_range},
    {"ipv6header", "--header", Shape::word_list},
    {"ipv6header", "--soft", Shape::flag},
    {"ipvs", "--ipvs", Shape::flag},
    {"ipvs", "--vproto", Shape::protocol_number},
    {"ipvs", "--vaddr", Shape::short_network},
    {"ipvs", "--vport", Shape::range, k16},
    {"ipvs", "--vdir", Shape::text},
    {"ipvs", "--vmethod", Shape::text},
    {"ipvs", "--vportctl", Shape::range, k16},
    {"length", "--length", Shape::range, k16},
    {"limit", "--limit", Shape::text},
    {"limit", "--limit-burst", Shape::number},
    {"mac", "--mac-source", Shape::mac},
    {"mark", "--mark", Shape::mark},
    {"mh", "--mh-type", Shape::range, k8, true},
    {"multiport", "--sports", Shape::port_list},
    {"multiport", "--dports", Shape::port_list},
    {"multiport", "--ports", Shape::port_list},
    {"nfacct", "--nfacct-name", Shape::text},
    {"osf", "--genre", Shape::text},
    {"osf", "--ttl", Shape::number, 2},
    {"osf", "--log", Shape::number, 2},
    {"owner", "--uid-owner", Shape::dash_range, k32},
    {"owner", "--gid-owner", Shape::dash_range, k32},
    {"owner", "--socket-exists", Shape::flag},
    {"owner", "--suppl-groups", Shape::flag},
    {"physdev", "--physdev-in", Shape::text},
    {"physdev", "--physdev-out", Shape::text},
    {"physdev", "--physdev-is-in", Shape::flag},
    {"physdev", "--physdev-is-out", Shape::flag},
    {"physdev", "--physdev-is-bridged", Shape::flag},
    {"pkttype", "--pkt-type", Shape::text},
    {"policy", "--dir", Shape::text},
    {"policy", "--pol", Shape::text},
    {"policy", "--strict", Shape::flag},
    {"policy", "--reqid", Shape::number},
    {"policy", "--spi", Shape::hex},
    {"policy", "--proto", Shape::text},
    {"policy", "--mode", Shape::text},
    {"policy", "--tunnel-src", Shape::text},
    {"policy", "--tunnel-dst", Shape::text},
    {"policy", "--next", Shape::flag},
    {"quota", "--quota", Shape::number},
    {"rateest", "--rateest", Shape::text},
    {"rateest", "--rateest1", Shape::text},
    {"rateest", "--rateest2", Shape::text},
    {"rateest", "--rateest-delta", Shape::flag},
    {"rateest", "--rateest-lt", Shape::flag},
    {"rateest", "--rateest-gt", Shape::flag},
    {"rateest", "--rateest-eq", Shape::flag},
    {"realm", "--realm", Shape::text},
    {"recent", "--set", Shape::flag},
    {"recent", "--rcheck", Shape::flag},
    {"recent", "--update", Shape::flag},
    {"recent", "--remove", Shape::flag},
    {"recent", "--seconds", Shape::number},
    {"recent", "--reap", Shape::flag},
    {"recent", "--hitcount", Shape::number},
    {"recent", "--rttl", Shape::flag},
    {"recent", "--name", Shape::text},
    {"recent", "--mask", Shape::address},
    {"recent", "--rsource", Shape::flag},
    {"recent", "--rdest", Shape::flag},
    {"rt", "--rt-type", Shape::number},
    {"rt", "--rt-segsleft", Shape::range, k32},
    {"rt", "--rt-len", Shape::number},
    {"rt", "--rt-0-res", Shape::flag},
    {"rt", "--rt-0-addrs", Shape::text},
    {"rt", "--rt-0-not-strict", Shape::flag},
    {"rpfilter", "--loose", Shape::flag},
    {"rpfilter", "--validmark", Shape::flag},
    {"rpfilter", "--accept-local", Shape::flag},
    {"rpfilter", "--invert", Shape::flag},
    {"sctp", "--sport", Shape::range, k16},
    {"sctp", "--dport", Shape::range, k16},
    {"sctp", "--chunk-types", Shape::two_words},
    {"set", "--match-set", Shape::two_words},
    {"set", "--return-nomatch", Shape::flag},
    {"set", "--update-counters", Shape::flag},
    {"set", "--update-subcounters", Shape::flag},
    {"set", "--packets-eq", Shape::number},
    {"set", "--packets-lt", Shape::number},
    {"set", "--packets-gt", Shape::number},
    {"set", "--bytes-eq", Shape::number},
    {"set", "--bytes-lt", Shape::number},
    {"set", "--bytes-gt", Shape::number},
    {"socket", "--transparent", Shape::flag},
    {"socket", "--nowildcard", Shape::flag},
    {"socket", "--restore-skmark", Shape::flag},
    {"state", "--state", Shape::word_list},
    {"statistic", "--mode", Shape::text},
    {"statistic", "--probability", Shape::text},
    {"statistic", "--every", Shape::number},
    {"statistic", "--packet", Shape::number},
    {"srh", "--srh-next-hdr", Shape::text},
    {"srh", "--srh-hdr-len-eq", Shape::number},
    {"srh", "--srh-hdr-len-gt", Shape::number},
    {"srh", "--srh-hdr-len-lt", Shape::number},
    {"srh", "--srh-segs-left-eq", Shape::number},
    {"srh", "--srh-segs-left-gt", Shape::number},
    {"srh", "--srh-segs-left-lt", Shape::number},
    {"srh", "--srh-last-entry-eq", Shape::number},
    {"srh", "--srh-last-entry-gt", Shape::number},
    {"srh", "--srh-last-entry-lt", Shape::number},
    {"srh", "--srh-tag", Shape::number},
    {"srh", "--srh-psid", Shape::text},
    {"srh", "--srh-nsid", Shape::text},
    {"srh", "--srh-lsid", Shape::text},
    {"string", "--string", Shape::quoted},
    {"string", "--hex-string", Shape::quoted},
    {"string", "--algo", Shape::text},
    {"string", "--from", Shape::number, k16},
    {"string", "--to", Shape::number, k16},
    {"string", "--icase", Shape::flag},
    {"tcp", "--sport", Shape::range, k16, true},
    {"tcp", "--dport", Shape::range, k16, true},
    {"tcp", "--tcp-option", Shape::number, k8},
    {"tcp", "--tcp-flags", Shape::tcp_flags},
    {"tcpmss", "--mss", Shape::range, k16},
    {"time", "--timestart", Shape::text},
    {"time", "--timestop", Shape::text},
    {"time", "--monthdays", Shape::text},
    {"time", "--weekdays", Shape::text},
    {"time", "--datestart", Shape::text},
    {"time", "--datestop", Shape::text},
    {"time", "--kerneltz", Shape::flag},
    {"time", "--utc", Shape::flag},
    {"time", "--contiguous", Shape::flag},
    {"tos", "--tos", Shape::tos, k8},
    {"ttl", "--ttl-eq", Shape::number, k8},
    {"ttl", "--ttl-gt", Shape::number, k8},
    {"ttl", "--ttl-lt", Shape::number, k8},
    {"u32", "--u32", Shape::quoted},
    {"udp", "--sport", Shape::range, k16, true},
    {"udp", "--dport", Shape::range, k16, true},
    {"udplite", "--sport", Shape::range, k16, true},
    {"udplite", "--dport", Shape::range, k16, true},
    // targets
    {"AUDIT", "--type", Shape::text},
    {"CHECKSUM", "--checksum-fill", Shape::flag},
    {"CLASSIFY", "--set-class", Shape::text},
    {"CONNMARK", "--set-xmark", Shape::full_mark},
    {"CONNMARK", "--save-mark", Shape::flag},
    {"CONNMARK", "--restore-mark", Shape::flag},
    {"CONNMARK", "--nfmask", Shape::hex},
    {"CONNMARK", "--ctmask", Shape::hex},
    {"CONNMARK", "--mask", Shape::hex},
    {"CONNMARK", "--left-shift-mark", Shape::number},
    {"CONNMARK", "--right-shift-mark", Shape::number},
    {"CONNSECMARK", "--save", Shape::flag},
    {"CONNSECMARK", "--restore", Shape::flag},
    {"CT", "--notrack", Shape::flag},
    {"CT", "--helper", Shape::text},
    {"CT", "--timeout", Shape::text},
    {"CT", "--ctevents", Shape::word_list},
    {"CT", "--expevents", Shape::word_list},
    {"CT", "--zone", Shape::text},
    {"CT", "--zone-orig", Shape::text},
    {"CT", "--zone-reply", Shape::text},
    {"DNPT", "--src-pfx", Shape::network},
    {"DNPT", "--dst-pfx", Shape::network},
    {"DNAT", "--to-destination", Shape::nat_address},
    {"DNAT", "--random", Shape::flag},
    {"DNAT", "--persistent", Shape::flag},
    {"DSCP", "--set-dscp", Shape::dscp, 63},
    {"ECN", "--ecn-tcp-remove", Shape::flag},
    {"HL", "--hl-set", Shape::number, k8},
    {"HL", "--hl-inc", Shape::number, k8},
    {"HL", "--hl-dec", Shape::number, k8},
    {"HMARK", "--hmark-tuple", Shape::text},
    {"HMARK", "--hmark-src-prefix", Shape::number},
    {"HMARK", "--hmark-dst-prefix", Shape::number},
    {"HMARK", "--hmark-sport-mask", Shape::text},
    {"HMARK", "--hmark-dport-mask", Shape::text},
    {"HMARK", "--hmark-spi-mask", Shape::text},
    {"HMARK", "--hmark-sport", Shape::number},
    {"HMARK", "--hmark-dport", Shape::number},
    {"HMARK", "--hmark-spi", Shape::text},
    {"HMARK", "--hmark-proto-mask", Shape::text},
    {"HMARK", "--hmark-rnd", Shape::long_hex},
    {"HMARK", "--hmark-mod", Shape::number},
    {"HMARK", "--hmark-offset", Shape::number},
    {"IDLETIMER", "--timeout", Shape::number},
    {"IDLETIMER", "--label", Shape::text},
    {"IDLETIMER", "--alarm", Shape::flag},
    {"LED", "--led-trigger-id", Shape::quoted},
    {"LED", "--led-delay", Shape::text},
    {"LED", "--led-always-blink", Shape::flag},
    {"LOG", "--log-prefix", Shape::text},
    {"LOG", "--log-level", Shape::text},
    {"LOG", "--log-tcp-sequence", Shape::flag},
    {"LOG", "--log-tcp-options", Shape::flag},
    {"LOG", "--log-ip-options", Shape::flag},
    {"LOG", "--log-uid", Shape::flag},
    {"LOG", "--log-macdecode", Shape::flag},
    {"MARK", "--set-xmark", Shape::full_mark},
    {"MASQUERADE", "--to-ports", Shape::dash_range, k16},
    {"MASQUERADE", "--random", Shape::flag},
    {"MASQUERADE", "--random-fully", Shape::flag},
    {"NETMAP", "--to", Shape::network},
    {"NFLOG", "--nflog-prefix", Shape::text},
    {"NFLOG", "--nflog-group", Shape::number, k16},
    {"NFLOG", "--nflog-range", Shape::number, k32},
    {"NFLOG", "--nflog-size", Shape::number, k32},
    {"NFLOG", "--nflog-threshold", Shape::number, k16},
    {"NFQUEUE", "--queue-num", Shape::number, k16},
    {"NFQUEUE", "--queue-balance", Shape::range, k16},
    {"NFQUEUE", "--queue-bypass", Shape::flag},
    {"NFQUEUE", "--queue-cpu-fanout", Shape::flag},
    {"RATEEST", "--rateest-name", Shape::text},
    {"RATEEST", "--rateest-interval", Shape::text},
    {"RATEEST", "--rateest-ewmalog", Shape::text},
    {"REDIRECT", "--to-ports", Shape::dash_range, k16},
    {"REDIRECT", "--random", Shape::flag},
    {"REJECT", "--reject-with", Shape::text},
    {"SECMARK", "--selctx", Shape::text},
    {"SET", "--add-set", Shape::two_words},
    {"SET", "--del-set", Shape::two_words},
    {"SET", "--map-set", Shape::two_words},
    {"SET", "--timeout", Shape::number},
    {"SET", "--exist", Shape::flag},
    {"SET", "--map-mark", Shape::flag},
    {"SET", "--map-prio", Shape::flag},
    {"SET", "--map-queue", Shape::flag},
    {"SNPT", "--src-pfx", Shape::network},
    {"SNPT", "--dst-pfx", Shape::network},
    {"SNAT", "--to-source", Shape::nat_address},
    {"SNAT", "--random", Shape::flag},
    {"SNAT", "--random-fully", Shape::flag},
    {"SNAT", "--persistent", Shape::flag},
    {"SYNPROXY", "--sack-perm", Shape::flag},
    {"SYNPROXY", "--timestamp", Shape::flag},
    {"SYNPROXY", "--wscale", Shape::number},
    {"SYNPROXY", "--mss", Shape::number, k16},
    {"SYNPROXY", "--ecn", Shape::flag},
    {"TCPMSS", "--set-mss", Shape::number, k16},
    {"TCPMSS", "--clamp-mss-to-pmtu", Shape::flag},
    {"TCPOPTSTRIP", "--strip-options", Shape::word_list},
    {"TEE", "--gateway", Shape::address},
    {"TEE", "--oif", Shape::text},
    {"TOS", "--set-tos", Shape::tos, k8},
    {"TPROXY", "--on-port", Shape::number},
    {"TPROXY", "--on-ip", Shape::address},
    {"TPROXY", "--tproxy-mark", Shape::full_mark},
    {"TTL", "--ttl-set", Shape::number, k8},
    {"TTL", "--ttl-inc", Shape::number, k8},
    {"TTL", "--ttl-dec", Shape::number, k8},
};

constexpr std::string_view kPlainTargets[] = {"ACCEPT", "DROP", "RETURN", "QUEUE", "NOTRACK", "TRACE", "TARPIT"};

struct Alias {
  std::string_view module, other, name;
};
constexpr Alias kAliases[] = {
    {"", "--source-port", "--sport"},
    {"", "--destination-port", "--dport"},
    {"multiport", "--source-ports", "--sports"},
    {"multiport", "--destination-ports", "--dports"},
    {"icmp6", "--icmpv6type", "--icmpv6-type"},
    {"DNAT", "--to", "--to-destination"},
    {"SNAT", "--to", "--to-source"},
    {"REDIRECT", "--to-port", "--to-ports"},
    {"MASQUERADE", "--to-port", "--to-ports"},
    {"hl", "--hl", "--hl-eq"},
    {"connlabel", "--connlabel", "--label"},
    {"ttl", "--ttl", "--ttl-eq"},
    {"hashlimit", "--hashlimit", "--hashlimit-upto"},
};

struct Protocol {
  std::string_view name;
  std::uint8_t number;
  std::string_view module;
};
constexpr Protocol kProtocols[] = {
    {"icmp", 1, "icmp"},
    {"igmp", 2, ""},
    {"ipencap", 4, ""},
    {"ipip", 4, ""},
    {"tcp", 6, "tcp"},
    {"egp", 8, ""},
    {"igp", 9, ""},
    {"udp", 17, "udp"},
    {"dccp", 33, "dccp"},
    {"ipv6", 41, ""},
    {"ipv6-route", 43, "rt"},
    {"ipv6-frag", 44, "frag"},
    {"rsvp", 46, ""},
    {"gre", 47, ""},
    {"esp", 50, "esp"},
    {"ah", 51, "ah"},
    {"ipv6-icmp", 58, "icmp6"},
    {"icmpv6", 58, "icmp6"},
    {"icmp6", 58, "icmp6"},
    {"ipv6-nonxt", 59, ""},
    {"ipv6-opts", 60, "dst"},
    {"eigrp", 88, ""},
    {"ospf", 89, ""},
    {"pim", 103, ""},
    {"ipcomp", 108, "ipcomp"},
    {"vrrp", 112, ""},
    {"l2tp", 115, ""},
    {"sctp", 132, "sctp"},
    {"mobility-header", 135, "mh"},
    {"ipv6-mh", 135, "mh"},
    {"mh", 135, "mh"},
    {"udplite", 136, "udplite"},
    {"mpls-in-ip", 137, ""},
    {"all", 0, ""},
    {"ip", 0, ""},
};

struct Service {
  std::string_view name;
  std::uint16_t port;
};
constexpr Service kServices[] = {
    {"ftp-data", 20},       {"ftp", 21},          {"ssh", 22},
    {"telnet", 23},         {"smtp", 25},         {"domain", 53},
    {"bootps", 67},         {"bootpc", 68},       {"tftp", 69},
    {"http", 80},           {"kerberos", 88},     {"pop3", 110},
    {"sunrpc", 111},        {"ntp", 123},         {"netbios-ns", 137},
    {"netbios-dgm", 138},   {"netbios-ssn", 139}, {"imap2", 143},
    {"snmp", 161},          {"snmp-trap", 162},   {"bgp", 179},
    {"ldap", 389},          {"https", 443},       {"microsoft-ds", 445},
    {"isakmp", 500},        {"syslog", 514},      {"dhcpv6-client", 546},
    {"dhcpv6-server", 547}, {"ldaps", 636},       {"domain-s", 853},
    {"imaps", 993},         {"pop3s", 995},       {"openvpn", 1194},
    {"ms-sql-s", 1433},     {"nfs", 2049},        {"mysql", 3306},
    {"ipsec-nat-t", 4500},  {"sip", 5060},        {"mdns", 5353},
    {"postgresql", 5432},   {"x11", 6000},        {"http-alt", 8080},
};

// The options of each module: every option of every rule is looked up.
const std::unordered_map<std::string_view, std::span<const OptionSpec* const>>& options_by_module() {
  static const auto sorted = [] {
    std::vector<const OptionSpec*> made;
    for (const OptionSpec& o : kOptions) made.push_back(&o);
    std::stable_sort(made.begin(), made.end(), [](const auto* a, const auto* b) { return a->module < b->module; });
    return made;
  }();
  static const auto all = [] {
    std::unordered_map<std::string_view, std::span<const OptionSpec* const>> made;
    for (auto first = sorted.begin(); first != sorted.end();) {
      const auto last = std::find_if(first, sorted.end(), [&](const auto* o) { return o->module != (*first)->module; });
      made.emplace((*first)->module, std::span<const OptionSpec* const>(first, last));
      first = last;
    }
    return made;
  }();
  return all;
}

const OptionSpec* find_exact(std::string_view module, std::string_view name) {
  const auto found = options_by_module().find(module);
  if (found == options_by_module().end()) return nullptr;
  for (const OptionSpec* o : found->second)
    if (o->name == name) return o;
  return nullptr;
}

bool has_options(std::string_view module) { return options_by_module().contains(module); }

bool is_target_name(std::string_view module) { return !module.empty() && module[0] >= 'A' && module[0] <= 'Z'; }

constexpr std::string_view kMatchesWithoutOptions[] = {"eui64"};

}  // namespace

const OptionSpec* find_option(std::string_view module, std::string_view name) {
  if (const OptionSpec* o = find_exact(module, name)) return o;
  for (const Alias& a : kAliases)
    if ((a.module.empty() || a.module == module) && a.other == name) return find_exact(module, a.name);
  return nullptr;
}

bool is_known_option(std::string_view name) {
  return std::any_of(std::begin(kOptions), std::end(kOptions), [&](const OptionSpec& o) { return o.name == name; });
}

bool is_known_module(std::string_view module) {
  if (is_target_name(module)) return false;
  return has_options(module) || std::find(std::begin(kMatchesWithoutOptions), std::end(kMatchesWithoutOptions), module) !=
                                    std::end(kMatchesWithoutOptions);
}

bool is_known_target(std::string_view target) {
  if (!is_target_name(target)) return false;
  return has_options(target) || std::find(std::begin(kPlainTargets), std::end(kPlainTargets), target) != std::end(kPlainTargets);
}

std::string_view module_of_protocol(std::string_view protocol) {
  const auto number = protocol_number(protocol);
  if (!number) return {};
  for (const Protocol& p : kProtocols)
    if (p.number == *number && !p.module.empty()) return p.module;
  return {};
}

std::optional<std::uint8_t> protocol_number(std::string_view name) {
  if (const auto n = parse_decimal(name)) return *n <= 255 ? std::optional(static_cast<std::uint8_t>(*n)) : std::nullopt;
  for (const Protocol& p : kProtocols)
    if (std::equal(p.name.begin(), p.name.end(), name.begin(), name.end(),
                   [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); }))
      return p.number;
  return std::nullopt;
}

std::string_view protocol_text(std::string_view text) {
  const auto number = parse_decimal(text);
  if (!number) return text;
  for (const Protocol& p : kProtocols)
    if (p.number == *number && !p.module.empty() && p.number != 43 && p.number != 44 && p.number != 60) return p.name;
  return text;
}

std::optional<std::uint16_t> service_port(std::string_view name) {
  for (const Service& s : kServices)
    if (s.name == name) return s.port;
  return std::nullopt;
}

}  // namespace egt::parsers::iptables
