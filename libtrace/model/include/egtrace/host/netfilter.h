// One rule model for iptables and nft: tables, chains, rules, sets and maps, with the hooks at which the kernel runs
// them (nft(8), iptables-extensions(8)).
//
// Both front ends lower their own syntax trees into this one, so the engine does not distinguish them. What a front
// end cannot express becomes an Undecided match or an OpaqueStatement, which the engine turns into a branch or a gap.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "egtrace/base/boxed.h"
#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/name.h"
#include "egtrace/base/u128.h"
#include "egtrace/evidence/evidence.h"

namespace egt::netfilter {

enum class Hook : std::uint8_t { ingress, prerouting, input, forward, output, postrouting, egress };
enum class TableFamily : std::uint8_t { ip, ip6, inet, arp, bridge, netdev };
enum class ChainType : std::uint8_t { filter, nat, route };

// What an expression reads. Values compare as unsigned numbers in host order; interface names as text.
enum class Key : std::uint8_t {
  // payload
  ip_saddr,
  ip_daddr,
  ip_protocol,
  ip_ttl,
  ip_dscp,
  ip_ecn,
  ip_tos,
  ip_version,
  ip_header_length,
  ip_length,
  ip_frag_off,
  ip6_saddr,
  ip6_daddr,
  ip6_nexthdr,
  ip6_hoplimit,
  ip6_length,  // of what follows the header
  sport,
  dport,
  udp_length,  // with its header
  tcp_flags,
  icmp_type,
  icmp_code,
  icmpv6_type,
  icmpv6_code,
  ether_saddr,
  ether_daddr,
  ether_type,
  vlan_id,
  arp_hardware_type,
  arp_protocol_type,
  arp_hardware_length,
  arp_protocol_length,
  arp_saddr_ip,
  arp_saddr_ether,
  arp_daddr_ip,
  arp_daddr_ether,
  arp_operation,
  // meta
  iif,
  oif,
  iifname,
  oifname,
  iifgroup,
  oifgroup,
  mark,
  l4proto,
  nfproto,
  protocol,
  length,
  pkttype,
  skuid,
  skgid,
  cgroup,
  random,
  priority,
  ibrname,
  obrname,
  iifkind,
  oifkind,
  iiftype,
  oiftype,
  physdev_in,
  physdev_out,
  day,
  hour,
  cpu,
  // conntrack
  ct_state,
  ct_status,
  ct_direction,
  ct_mark,
  ct_zone,
  ct_label,
  ct_original_saddr,
  ct_original_daddr,
  ct_original_sport,
  ct_original_dport,
  ct_original_protocol,
  ct_reply_saddr,
  ct_reply_daddr,
  ct_expiration,
  ct_helper,
  // others
  fib_saddr_type,
  fib_daddr_type,
  fib_saddr_oif,
  fib_daddr_oif,
  fib_saddr_iif_oif,
  rt_classid,
  rt_nexthop,
  socket_transparent,
  socket_mark,
  socket_cgroup,
  numgen_random,
  numgen_inc,
  jhash,
  symhash,
  unknown,
};

// Address types of `fib … type` and of -m addrtype (rtnetlink's RTN_*).
enum class AddressType : std::uint8_t { unspec, unicast, local, broadcast, anycast, multicast, blackhole, unreachable, prohibit };

// Numbers of conntrack keys, the same in nft and iptables: ct_state and ct_status are bits, ct_direction is 0 or 1.
namespace ct_state_bit {
constexpr unsigned invalid = 1, established = 2, related = 4, new_ = 8, untracked = 64;
}
namespace ct_status_bit {
constexpr unsigned expected = 1, seen_reply = 2, assured = 4, confirmed = 8, snat = 16, dnat = 32, dying = 512;
}
// pkttype: 0 to this host, 1 broadcast, 2 multicast, 3 other host. nfproto: 2 IPv4, 10 IPv6. protocol and ether_type: the
// EtherType. fib_*_type: an AddressType as number. fib_*_oif: an interface name, which compares equal to the number 0
// when there is no route. ip_dscp, ip_ecn and ip_tos are those of IPv6's traffic class as well. physdev_*: the port of a
// bridge by which a frame came or leaves, empty for a packet that is not bridged. iiftype: an ARPHRD_* number.

// A U128 as it is kept: it asks for no more alignment than a pointer, so that what holds one among other things is smaller.
class Number {
 public:
  constexpr Number(U128 value = 0) : high_(high64(value)), low_(low64(value)) {}  // implicit, as is the conversion back
  constexpr operator U128() const { return make_u128(high_, low_); }

 private:
  std::uint64_t high_, low_;
};
struct Text {
  Name value;
  bool wildcard = false;
};  // interface name; wildcard: "br*" / "br+"
struct NumberRange {
  U128 first = 0, last = 0;
};                   // inclusive; a prefix is a range as well
struct Wildcard {};  // "*" in a set

using Atom = std::variant<Number, Text, Boxed<NumberRange>, Wildcard>;
using Concat = std::vector<Atom>;  // one atom where there is no concatenation

struct SetElement {
  Concat key;
  Name comment;
  std::optional<Concat> data;  // of a map
  Provenance from;
};

// Verdicts.
struct Verdict {
  enum class Kind : std::uint8_t { accept, drop, continue_, return_, jump, goto_, queue, reject };
  Kind kind = Kind::continue_;
  Name chain;        // jump, goto
  Name reject_with;  // "icmp-port-unreachable", "tcp-reset", "icmp-host-prohibited", "icmpx-…"
};

struct VerdictElement {
  Concat key;
  Verdict verdict;
  Provenance from;
};

// A named or anonymous set, map or verdict map.
struct Set {
  std::string name;                           // empty: anonymous
  bool dynamic = false, has_timeout = false;  // contents may change between packets
  bool contents_unknown = false;              // the dump does not show all elements
  std::vector<SetElement> elements;           // sets and maps
  std::vector<VerdictElement> verdicts;
  Provenance from;
};
using SetPtr = std::shared_ptr<const Set>;

// A value that a statement writes or an expression yields.
struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;
// modulus, offset: numgen, jhash. by_*: what a fib key takes into account besides the address.
struct Read {
  Key key = Key::unknown;
  std::uint64_t modulus = 0, offset = 0;
  bool by_iif = false, by_oif = false, by_mark = false;
};
struct Masked {
  ExprPtr operand;
  Number mask = 0, xor_ = 0;
};  // (operand & mask) ^ xor
struct Shifted {
  ExprPtr operand;
  int left = 0;
};  // << left; to the right where negative
struct MapLookup {
  std::vector<ExprPtr> key;
  SetPtr map;
};
struct Constant {
  Atom value;
};
struct Expr {
  std::variant<Read, Masked, MapLookup, Constant, Shifted> node;
};
// The same object for all that read a key and ask for nothing more.
ExprPtr read_of(Key key);

// any_bits_of: "ct state new,established". ne_or_absent: a negated match of iptables that also holds where the packet has no
// such thing ("! --uid-owner 0" without a socket).
enum class Op : std::uint8_t { eq, ne, lt, le, gt, ge, any_bits_of, ne_or_absent };

struct Compare {
  ExprPtr left;
  Op op = Op::eq;
  Atom right;
};
struct InSet {
  std::vector<ExprPtr> left;
  SetPtr set;
  bool negate = false;
};
// `-m set --match-set`: the packet's source or destination for each dimension of a set of ipset(8), which is found by name
// when it is asked (host/ipset.h).
struct InIpset {
  enum class Dimension : std::uint8_t { source, destination };
  Name set;
  std::vector<Dimension> dimensions;
  bool negate = false, return_nomatch = false;
};
// A test whose outcome dumps cannot show (limit, statistic, recent, socket owner …); both outcomes are walked.
struct Undecided {
  std::string what;
  std::optional<double> probability;
};
using Test = std::variant<Compare, InSet, InIpset, Undecided>;

// Address and port of a translation; an absent address keeps the packet's.
struct NatTarget {
  enum class Kind : std::uint8_t { snat, dnat, masquerade, redirect, netmap };
  Kind kind = Kind::snat;
  bool random = false, fully_random = false;
  std::optional<Family> family;                                                  // "snat ip to": acts on that family only
  std::variant<std::monostate, Boxed<IpRange>, ExprPtr, Boxed<Prefix>> address;  // Prefix: netmap
  std::variant<std::monostate, std::pair<std::uint16_t, std::uint16_t>, ExprPtr> port;
};
struct SetMark {
  ExprPtr value;
  std::optional<Number> keep_mask;
};  // mark = (mark & keep_mask) ^ value
struct SetCtMark {
  ExprPtr value;
  std::optional<Number> keep_mask;
};
// A header field becomes (field & keep_mask) ^ value, or without a value field + add within 0…255 (TTL, DSCP, addresses,
// ports). The checksums follow; conntrack does not notice.
struct SetField {
  Key key = Key::unknown;
  ExprPtr value;
  std::optional<Number> keep_mask;
  int add = 0;
};
struct CtZone {
  ExprPtr zone;
};
struct NoTrack {};
struct VerdictStatement {
  Verdict verdict;
};
struct VerdictMapStatement {
  std::vector<ExprPtr> key;
  SetPtr map;
};
// terminal: iptables' target, which takes the packet out of the table, and drops it where no process listens.
struct Tproxy {
  Boxed<IpAddr> address;
  std::uint16_t port = 0;
  bool terminal = false;
};
struct Annotation {
  std::string what;
};  // counter, log, comment, TCPMSS …: no effect on the walk
// TEE, dup: a second packet leaves through `gateway`, an address, without one as the frame that it is. `device` empty: the
// route to the gateway shows it. Neither: not understood where it goes.
struct Duplicate {
  ExprPtr gateway;
  Name device;
};
struct SendFrame {
  Name device;
};  // nft's fwd: the frame leaves there as it is, and goes no further here
struct SetUpdate {
  std::string set;
  bool removes = false;
};  // add/update @set, -j SET: side effect
struct OpaqueStatement {
  std::string text;
};  // not understood: what follows loses its proof

using Statement = std::variant<Test, NatTarget, SetMark, SetCtMark, SetField, CtZone, NoTrack, VerdictStatement,
                               VerdictMapStatement, Tproxy, Duplicate, SendFrame, Annotation, SetUpdate, OpaqueStatement>;

struct Rule {
  std::vector<Statement> statements;  // left to right; the first failing test skips the rest
  Name comment;
  std::optional<std::uint64_t> packets, bytes;
  Provenance from;
};

struct Chain {
  std::string name;
  std::optional<Hook> hook;  // base chains only
  ChainType type = ChainType::filter;
  int priority = 0;
  bool drop_by_default = false;
  std::string device;  // ingress/egress
  std::vector<Rule> rules;
  Provenance from;
};

struct Table {
  TableFamily family = TableFamily::ip;
  std::string name;
  bool dormant = false;
  // Written by iptables-nft: the same rules as in iptables-save, seen through nft.
  bool from_iptables = false;
  std::vector<Chain> chains;  // in the order of the dump
  std::map<std::string, SetPtr> sets;
  Provenance from;
};

struct Ruleset {
  std::vector<Table> tables;  // in the order of the dump
};

}  // namespace egt::netfilter
