#include "nft/keywords.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace egt::parsers::nft {
namespace {

template <class Words = std::initializer_list<std::string_view>>
bool one_of(std::string_view word, const Words& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

struct ProtocolFields {
  std::string_view protocol;
  std::vector<std::string_view> fields;
};

const ProtocolFields kPayload[] = {
    {"ip", {"version", "hdrlength", "dscp", "ecn", "length", "id", "frag-off", "ttl", "protocol", "checksum", "saddr", "daddr"}},
    {"ip6", {"version", "dscp", "ecn", "flowlabel", "length", "nexthdr", "hoplimit", "saddr", "daddr"}},
    {"tcp", {"sport", "dport", "sequence", "ackseq", "doff", "reserved", "flags", "window", "checksum", "urgptr"}},
    {"udp", {"sport", "dport", "length", "checksum"}},
    {"udplite", {"sport", "dport", "csumcov", "checksum"}},
    {"sctp", {"sport", "dport", "vtag", "checksum"}},
    {"dccp", {"sport", "dport", "type"}},
    {"th", {"sport", "dport"}},
    {"icmp", {"type", "code", "checksum", "id", "sequence", "gateway", "mtu"}},
    {"icmpv6",
     {"type", "code", "checksum", "parameter-problem", "packet-too-big", "mtu", "id", "sequence", "max-delay", "taddr", "daddr"}},
    {"igmp", {"type", "mrt", "checksum", "group"}},
    {"ether", {"saddr", "daddr", "type"}},
    {"vlan", {"id", "dei", "cfi", "pcp", "type"}},
    {"arp", {"htype", "ptype", "hlen", "plen", "operation", "saddr ip", "saddr ether", "daddr ip", "daddr ether"}},
    {"ah", {"nexthdr", "hdrlength", "reserved", "spi", "sequence"}},
    {"esp", {"spi", "sequence"}},
    {"comp", {"nexthdr", "flags", "cpi"}},
    {"gre", {"flags", "version", "protocol"}},
    {"vxlan", {"vni", "flags"}},
    {"geneve", {"vni", "type"}},
    {"hbh", {"nexthdr", "hdrlength"}},
    {"dst", {"nexthdr", "hdrlength"}},
    {"mh", {"nexthdr", "hdrlength", "type", "reserved", "checksum"}},
    {"frag", {"nexthdr", "reserved", "frag-off", "reserved2", "more-fragments", "id"}},
    {"rt", {"nexthdr", "hdrlength", "type", "seg-left"}},
    {"rt0", {"addr"}},
    {"rt2", {"addr"}},
    {"srh", {"last-entry", "flags", "tag", "sid", "seg-left"}},
};

const ProtocolFields* fields_of(std::string_view protocol) {
  const auto* found =
      std::find_if(std::begin(kPayload), std::end(kPayload), [&](const ProtocolFields& p) { return p.protocol == protocol; });
  return found == std::end(kPayload) ? nullptr : found;
}

}  // namespace

bool is_bare_meta_key(std::string_view key) {
  return one_of(key, {"iif",      "oif",         "iifname",     "oifname", "iifgroup", "oifgroup",  "iiftype",
                      "oiftype",  "mark",        "skuid",       "skgid",   "nftrace",  "rtclassid", "ibriport",
                      "obriport", "ibridgename", "obridgename", "pkttype", "cpu",      "cgroup",    "ipsec"});
}

std::string_view op_symbol(std::string_view op) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"eq", "=="}, {"ne", "!="}, {"lt", "<"},  {"le", "<="},     {"gt", ">"},     {"ge", ">="},
      {"and", "&"}, {"or", "|"},  {"xor", "^"}, {"lshift", "<<"}, {"rshift", ">>"}};
  for (const auto& [word, symbol] : kWords)
    if (op == word) return symbol;
  return op;
}

bool is_meta_key(std::string_view key) {
  return is_bare_meta_key(key) ||
         one_of(key, {"mark",      "l4proto",   "nfproto", "protocol", "length",   "priority",    "skuid",       "skgid",
                      "nftrace",   "rtclassid", "ibrname", "obrname",  "ibriport", "ibridgename", "obridgename", "pkttype",
                      "cpu",       "cgroup",    "random",  "ipsec",    "secpath",  "iifkind",     "oifkind",     "ibrpvid",
                      "ibrvproto", "time",      "day",     "hour",     "secmark",  "sdif",        "sdifname",    "broute"});
}

bool is_payload_protocol(std::string_view protocol) { return fields_of(protocol) != nullptr; }

bool is_payload_field(std::string_view protocol, std::string_view field) {
  const ProtocolFields* p = fields_of(protocol);
  return p != nullptr && one_of(field, p->fields);
}

bool is_ct_key(std::string_view key) {
  return one_of(key, {"state",     "direction", "status", "mark",    "expiration", "helper",     "label",  "l3proto",
                      "protocol",  "zone",      "id",     "event",   "bytes",      "packets",    "avgpkt", "proto-src",
                      "proto-dst", "saddr",     "daddr",  "secmark", "timeout",    "expectation"});
}

bool is_ct_direction_key(std::string_view key) {
  return one_of(key, {"saddr", "daddr", "proto-src", "proto-dst", "l3proto", "protocol", "bytes", "packets", "avgpkt", "zone"});
}

bool is_fib_input(std::string_view word) { return one_of(word, {"saddr", "daddr", "mark", "iif", "oif"}); }

}  // namespace egt::parsers::nft
