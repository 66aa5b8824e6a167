// The nft rules of random hosts: such that nft takes them, and such that the probes meet them.
#include <fmt/format.h>

#include <algorithm>

#include "random_host.h"

namespace egt::test {
namespace {

constexpr const char* kProtocolWords[] = {"tcp", "udp",     "icmp",      "sctp",    "esp ",  "ah ",
                                          "th ", "l4proto", " protocol", "nexthdr", "proto-"};

// nft refuses a rule that asks for two of them; of 1.0.6 the listing leaves out the protocol of a connection before ports.
bool names_protocol(const std::string& nft) {
  return std::any_of(std::begin(kProtocolWords), std::end(kProtocolWords),
                     [&](const char* w) { return nft.find(w) != std::string::npos; });
}

}  // namespace

std::string RandomHost::nft() {
  std::string out;
  const unsigned tables = 1 + pick(2);
  for (unsigned t = 0; t < tables; ++t) {
    const std::string family = one({"inet", "inet", "ip", "ip6"});
    out += fmt::format("table {} t{} {{\n", family, t);
    out += "\tcounter cnt {\n\t}\n";
    out += "\tset ports {\n\t\ttype inet_service\n\t\tflags interval\n\t\telements = { 80, 1000-2000 }\n\t}\n";
    if (family != "ip6") {
      out +=
          "\tset nets4 {\n\t\ttype ipv4_addr\n\t\tflags interval\n\t\tauto-merge\n\t\telements = { 10.1.0.0/24, "
          "101.0.0.0/8, 10.200.0.1 }\n\t}\n"
          "\tset pairs4 {\n\t\ttype ipv4_addr . inet_service\n\t\telements = { 10.200.0.1 . 80, 10.200.0.2 . 443, "
          "10.1.0.2 . 80 }\n\t}\n"
          "\tset spans4 {\n\t\ttype ipv4_addr . inet_proto . inet_service\n\t\tflags interval\n\t\telements = { "
          "10.0.0.0/8 . tcp . 80-443, 100.0.0.0/8 . udp . 53 }\n\t}\n"
          "\tmap marks4 {\n\t\ttype ipv4_addr : mark\n\t\telements = { 10.0.0.2 : 0x1, 10.1.0.2 : 0x2, 10.2.0.3 : 0x3 "
          "}\n\t}\n"
          "\tmap snat4 {\n\t\ttype ipv4_addr : ipv4_addr\n\t\telements = { 10.0.0.2 comment \"one\" : 10.55.0.2, "
          "10.1.0.3 : 10.55.0.3, 10.2.0.2 : 10.55.0.4 }\n\t}\n"
          "\tmap dnat4 {\n\t\ttype inet_proto . inet_service : ipv4_addr . inet_service\n\t\telements = { tcp . 80 : "
          "10.1.0.2 . 8080, udp . 53 : 10.2.0.3 . 53 }\n\t}\n";
    }
    if (family != "ip6")
      out +=
          "\tmap ways4 {\n\t\ttype ipv4_addr . inet_service : verdict\n\t\tflags interval\n\t\telements = { "
          "10.0.0.0/16 . 80 : accept, 10.1.0.2 . 1-1000 : drop, "
          "100.0.0.0-101.0.255.255 . 0-65535 : return }\n\t}\n"
          "\tmap prefixes4 {\n\t\ttype ipv4_addr : verdict\n\t\tflags interval\n\t\telements = { 100.0.0.0/8 : "
          "continue, 101.1.0.0/16 : drop, 10.0.0.2-10.0.0.4 : accept }\n\t}\n"
          "\tset seen4 {\n\t\ttype ipv4_addr\n\t\tflags dynamic,timeout\n\t\ttimeout 1h\n\t\telements = { 10.0.0.3, "
          "100.0.0.1 timeout 2h }\n\t}\n"
          "\tset both4 {\n\t\ttypeof iifname . ip saddr . meta mark\n\t\telements = { \"v0\" . 10.0.0.2 . 0x0, \"v1\" "
          ". 10.1.0.3 . 0x1 }\n\t}\n"
          "\tmap zones4 {\n\t\ttypeof iifname : ct zone\n\t\telements = { \"v0\" : 5, \"v2\" : 5 }\n\t}\n"
          "\tct helper ftp-h {\n\t\ttype \"ftp\" protocol tcp\n\t}\n";
    if (family != "ip")
      out +=
          "\tmap ways6 {\n\t\ttype ipv6_addr : verdict\n\t\tflags interval\n\t\telements = { fd00:0::/64 : return, "
          "fd00:100::/32 : drop, fd00:1::2-fd00:1::4 : accept }\n\t}\n"
          "\tset pairs6 {\n\t\ttype ipv6_addr . inet_service\n\t\tflags interval\n\t\telements = { fd00:200::/64 . "
          "80-443, fd00:1::/64 . 53 }\n\t}\n";
    if (family != "ip")
      out +=
          "\tset nets6 {\n\t\ttype ipv6_addr\n\t\tflags interval\n\t\telements = { fd00:1::/64, fd00:101::/32 }\n\t}\n"
          "\tmap marks6 {\n\t\ttype ipv6_addr : mark\n\t\telements = { fd00:0::2 : 0x1, fd00:1::2 : 0x2 }\n\t}\n";
    for (int level = 2; level >= 1; --level) {
      out += fmt::format("\tchain u{} {{\n", level);
      for (unsigned i = 0; i < 3; ++i) out += "\t\t" + nft_rule(family, "filter", "any", level) + "\n";
      out += "\t}\n";
    }
    const unsigned chains = 1 + pick(4);
    for (unsigned c = 0; c < chains; ++c) out += nft_chain(family, c);
    out += "}\n";
  }
  return out;
}

std::string RandomHost::rare_nft_action(const std::string& family, const std::string& hook, bool v4, int level) {
  const bool known_hook = hook != "any";
  const std::string ip = v4 ? "ip" : "ip6", host = v4 ? fmt::format("10.{}.0.{}", pick(kWires), 2 + pick(4))
                                                      : fmt::format("fd00:{}::{}", pick(kWires), 2 + pick(4));
  switch (pick(18)) {
    case 0: return v4 ? "ip daddr . th dport vmap @ways4" : "ip6 saddr vmap @ways6";
    case 1: return v4 ? "ip saddr vmap @prefixes4" : "ip6 daddr vmap @ways6";
    case 2: return "ct state vmap { invalid : drop, established : accept, related : accept, untracked : return }";
    case 3: return "meta l4proto vmap { tcp : continue, udp : accept, 132 : drop }";
    case 4:
      return level == 0 && known_hook ? "iifname vmap { \"v0\" : jump u1, \"v1\" : goto u2, \"mv*\" : accept }"
                                      : "meta mark vmap { 0x1 : return, 0x2-0x3 : accept }";
    case 5: return "numgen random mod 4 vmap { 0 : drop, 1-2 : accept }";
    case 6: return "jhash " + ip + " saddr mod 2 seed 0x1 vmap { 0 : return, 1 : continue }";
    case 7:
      return hook == "prerouting"
                 ? "meta l4proto { tcp, udp } tproxy " + std::string(v4 ? "ip" : "ip6") + " to :8080 meta mark set 0x1 accept"
                 : "counter name \"cnt\"";
    case 8: return is_one_of(hook, {"prerouting", "output"}) && v4 ? "ct zone set iifname map @zones4" : "meta mark set 0x3";
    case 9: return is_one_of(hook, {"prerouting", "output"}) ? "ct zone set 5" : "ct mark set meta mark and 0x3";
    case 10: return known_hook && hook != "any" ? fmt::format("{} daddr set {}", ip, host) : "return";
    case 11: return known_hook ? "tcp dport set 8080" : "continue";
    case 12: return fmt::format("{} saddr set {}", ip, host);
    case 13: return v4 && known_hook ? "add @seen4 { ip saddr }" : "counter";
    case 14: return "meta mark set meta mark or 0x4 ct mark set meta mark";
    case 15:
      return v4 ? "meta mark set ip dscp map { cs0 : 0x1, ef : 0x2 }" : "meta mark set ip6 dscp map { cs0 : 0x1, ef : 0x2 }";
    case 16:
      return known_hook && family != "inet"
                 ? fmt::format("dup to {}{}", host, chance(30) ? fmt::format(" device \"{}\"", device()) : "")
                 : "continue";
    default: return std::string("tcp dport 1-65535 meta mark set ct original proto-dst map { 80 : 0x1, 443 : 0x2 }");
  }
}

std::string RandomHost::nft_chain(const std::string& family, unsigned number) {
  const std::string type = one({"filter", "filter", "nat", "nat", "route"});
  const std::string hook = type == "route" ? "output"
                           : type == "nat" ? one({"prerouting", "postrouting", "postrouting", "output", "input"})
                                           : one({"prerouting", "input", "forward", "forward", "output", "postrouting"});
  const std::string priority =
      type == "nat" ? one({"-100", "100", "0", "-90", "110"}) : one({"-300", "-150", "-99", "0", "0", "10", "50", "100", "150"});
  std::string out = fmt::format("\tchain c{} {{\n\t\ttype {} hook {} priority {}; policy {};\n", number, type, hook, priority,
                                type == "filter" && chance(6) ? "drop" : "accept");
  if (type == "filter" && hook == "forward" && chance(30)) out += "\t\tct state { established, related } accept\n";
  for (unsigned i = 0; i < 1 + pick(4); ++i) out += "\t\t" + nft_rule(family, type, hook, type == "filter" ? 0 : 3) + "\n";
  return out + "\t}\n";
}

std::string RandomHost::nft_rule(const std::string& family, const std::string& type, const std::string& hook, int level) {
  const bool v4 = family == "ip" || (family == "inet" && chance(65));
  std::string out;
  for (unsigned i = 0; i < (chance(75) ? 1 : 2); ++i) {
    const std::string match = nft_match(family, hook, v4);
    if (!names_protocol(out) || !names_protocol(match)) out += match + " ";
  }
  if (chance(40)) out += "counter ";
  std::string action = nft_action(family, type, hook, level, v4);
  while (names_protocol(out) && names_protocol(action)) action = nft_action(family, type, hook, level, v4);
  return out + action;
}

std::string RandomHost::nft_match(const std::string& family, const std::string& hook, bool v4) {
  const std::string ip = v4 ? "ip" : "ip6", no = chance(15) ? "!= " : "";
  const bool in = is_one_of(hook, {"prerouting", "input", "forward"}),
             out = is_one_of(hook, {"output", "forward", "postrouting"});
  if (chance(30)) return rare_nft_match(family, hook, v4);
  switch (pick(24)) {
    case 0:
    case 1:
    case 2: return fmt::format("{} {} {}{}", ip, one({"saddr", "daddr"}), no, some_net(v4));
    case 3:
      return fmt::format("{} {} {}{{ {}, {} }}", ip, one({"saddr", "daddr"}), no, v4 ? "10.0.0.2" : "fd00:0::2",
                         v4 ? "100.0.0.0/8" : "fd00:100::/32");
    case 4: return fmt::format("{} {} {}@nets{}", ip, one({"saddr", "daddr"}), no, v4 ? 4 : 6);
    case 5: return v4 ? "ip daddr . tcp dport @pairs4" : "tcp dport @ports";
    case 6: return v4 ? "ip saddr . meta l4proto . th dport @spans4" : "meta l4proto . th dport { tcp . 80, udp . 1000-2000 }";
    case 7:
    case 8:
      return fmt::format("{} dport {}{}",
                         one({"tcp", "udp", "th"}) == "th" ? "meta l4proto { tcp, udp } th" : one({"tcp", "udp"}), no,
                         one({"80", "443-9000", "@ports", "{ 53, 80 }"}));
    case 9: return fmt::format("meta l4proto {}", one({"tcp", "udp", "{ udp, sctp }", v4 ? "icmp" : "ipv6-icmp"}));
    case 10:
      return fmt::format("meta mark {}", one({"0x1", "0x0", "!= 0x0", "and 0x2 == 0x2", "0x1-0x2", "< 0x3", "and 0x3 != 0x1"}));
    case 11:
      return fmt::format("ct state {}", one({"new", "established,related", "{ new, untracked }", "invalid", "!= established"}));
    case 12: return fmt::format("ct mark {}", one({"0x1", "0x0", "!= 0x0"}));
    case 13:
      return in    ? fmt::format("iifname {}\"{}\"", no, chance(20) ? "v*" : device())
                : out ? fmt::format("oifname {}\"{}\"", no, device())
                   : "meta mark 0x2";
    case 14:
      return in ? fmt::format("iif {}\"{}\"", no, device()) : out ? fmt::format("oif {}\"{}\"", no, device()) : "meta mark 0x1";
    case 15:
      return is_one_of(hook, {"prerouting", "input", "forward", "output", "postrouting"})
                 ? fmt::format("fib {} type {}{}", one({"daddr", "saddr"}), no, one({"local", "unicast", "{ local, broadcast }"}))
                 : "ct status dnat";
    case 16:
      return hook == "prerouting"
                 ? fmt::format("fib {} {}", one({"saddr . iif oif", "saddr oif", "saddr . mark . iif oif", "daddr oif"}),
                               one({"missing", "exists"}))
                 : fmt::format("ct status {}", one({"dnat", "snat", "seen-reply"}));
    case 17: return fmt::format("{} {} {}", ip, v4 ? "ttl" : "hoplimit", one({"64", "> 10", "< 4", "63"}));
    case 18: return fmt::format("{} dscp {}", ip, one({"0x04", "cs0", "ef", "!= 0x0a"}));
    case 19: return fmt::format("ct direction {}", one({"original", "reply"}));
    case 20: return fmt::format("ct original {} {} {}", family == "inet" ? ip : ip, one({"saddr", "daddr"}), some_net(v4));
    case 21:
      return in ? fmt::format("ether saddr {}{}", no, KernelHost::mac_of_neighbour(pick(kWires), 5).to_string())
                : "meta length < 500";
    case 22: return fmt::format("tcp flags {}", one({"syn", "syn / syn,ack,rst", "& (syn|ack) == syn", "! ack"}));
    default:
      return v4 ? fmt::format("icmp type {}", one({"echo-request", "{ echo-request, echo-reply }", "!= echo-request"}))
                : "icmpv6 type echo-request";
  }
}

std::string RandomHost::rare_nft_match(const std::string& family, const std::string& hook, bool v4) {
  const std::string ip = v4 ? "ip" : "ip6", no = chance(20) ? "!= " : "";
  const bool in = is_one_of(hook, {"prerouting", "input", "forward"}),
             out = is_one_of(hook, {"output", "forward", "postrouting"});
  switch (pick(28)) {
    case 26:
      return v4 ? one({"esp spi 256", "udp checksum 9", "tcp window > 100", "icmp mtu 0", "ip id 0", "sctp vtag 5",
                       "ah spi != 1"})
                : one({"esp spi 256", "tcp sequence 5", "ip6 flowlabel 0", "frag id 1", "icmpv6 mtu 0", "sctp vtag 5"});
    case 27: return one({"tcp option maxseg exists", "tcp option sack-perm missing", "exthdr hbh exists", "exthdr rt missing"});
    case 0: return fmt::format("ct zone {}{}", no, one({"0", "5"}));
    case 1: return fmt::format("meta pkttype {}{}", no, one({"unicast", "{ broadcast, multicast }", "host"}));
    case 2: return v4 ? "ip saddr & 255.255.0.0 == 10.1.0.0" : "ip6 saddr & ffff:ffff:ffff:: == fd00:1::";
    case 3: return family == "inet" ? fmt::format("meta nfproto {}", v4 ? "ipv4" : "ipv6") : "meta mark 0x0";
    case 4: return family == "inet" ? fmt::format("meta protocol {}", v4 ? "ip" : "ip6") : "meta mark 0x0";
    case 5:
      return v4 ? fmt::format("ip protocol {}{}", no, one({"tcp", "{ udp, icmp }", "6-17"}))
                : fmt::format("ip6 nexthdr {}{}", no, one({"tcp", "{ udp, ipv6-icmp }"}));
    case 6: return fmt::format("meta l4proto {{ tcp, udp }} @th,16,16 {}{}", no, one({"80", "{ 53, 443 }", "1000-9000"}));
    case 7: return v4 ? "@nh,96,8 10" : "@nh,64,16 0xfd00";
    case 8: return in ? fmt::format("iifname {}{{ \"v0\", \"mv1\", \"br2\" }}", no) : "oifname \"v3\"";
    case 9: return in && v4 ? "iifname . ip saddr . meta mark @both4" : "meta length 20-200";
    case 10:
      return in    ? fmt::format("meta iifkind {}", one({"\"veth\"", "\"bridge\"", "\"macvlan\""}))
             : out ? fmt::format("meta oifkind {}", one({"\"veth\"", "\"bridge\""}))
                   : "meta mark 0x0";
    case 11:
      return in ? fmt::format("iifgroup {}{}", no, one({"0", "1"})) : out ? fmt::format("oifgroup {}0", no) : "meta mark 0x1";
    case 12: return v4 ? "ip saddr @seen4" : "ip6 daddr . th dport @pairs6";
    case 13:
      return fmt::format("ct status {}", one({"confirmed", "& (snat|dnat) == 0", "assured", "& seen-reply == 0", "expected"}));
    case 14:
      return fmt::format("{} sport 1-65535 ct {} {}", one({"tcp", "udp"}),
                         one({"original proto-dst", "reply proto-src", "original proto-src"}),
                         one({"80", "1000-9000", "53", "20000-20020"}));
    case 15: return fmt::format("ct {} protocol {}", one({"original", "reply"}), one({"tcp", "17"}));
    case 16:
      return fmt::format("fib daddr {}type {}{}", hook == "prerouting" ? one({"", ". iif ", ". mark "}) : std::string(), no,
                         one({"local", "unicast", "blackhole", "{ unreachable, prohibit }"}));
    case 17:
      return fmt::format("fib saddr {}type {}{}", hook == "prerouting" || hook == "input" ? one({"", ". iif "}) : std::string(),
                         no, one({"local", "unicast"}));
    case 18:
      return v4 ? one({"ip length 20-100", "ip length > 30", "udp length < 10", "udp length 8-100"})
                : one({"ip6 length < 100", "ip6 length > 20", "udp length < 10", "ip6 length 8"});
    case 19: return v4 ? fmt::format("ip frag-off & 0x1fff {} 0", one({"==", "!="})) : "exthdr frag missing";
    case 20:
      return fmt::format(
          "meta l4proto {{ tcp, udp }} th sport {}{}", no,
          one({"5000", "20000-20030", "!= 5001"}) == "!= 5001" ? std::string("5001") : one({"5000", "20000-20030"}));
    case 21:
      return v4 ? "ip saddr . ip daddr { 10.0.0.0/8 . 10.200.0.0/24, 100.0.0.0/8 . 10.0.0.0-10.2.255.255 }"
                : "ip6 saddr . ip6 daddr { fd00:0::/64 . fd00:1::/64 }";
    case 22: return fmt::format("tcp flags & (fin|syn|rst|ack) {} {}", one({"==", "!="}), one({"syn", "ack", "syn|ack"}));
    case 23: return hook == "prerouting" || hook == "input" ? "socket transparent 0" : "meta skuid 0";
    case 24: return fmt::format("{} version {}", ip, v4 ? "4" : "6");
    default: return fmt::format("limit rate {}", one({"5/minute", "over 1000/second"}));
  }
}

std::string RandomHost::nft_action(const std::string& family, const std::string& type, const std::string& hook, int level,
                                   bool v4) {
  const std::string fam = family == "inet" ? (v4 ? "ip " : "ip6 ") : "";
  const std::string host =
      v4 ? fmt::format("10.{}.0.{}", pick(kWires), 2 + pick(4)) : fmt::format("fd00:{}::{}", pick(kWires), 2 + pick(4));
  const bool l4 = chance(50);
  const std::string guard = l4 ? "meta l4proto { tcp, udp } " : "";
  if (type == "nat") {
    if (chance(10)) return one({"accept", "return"});
    if (hook == "prerouting" || hook == "output") {
      switch (pick(6)) {
        case 0: return guard + "redirect" + (l4 ? " to :8080" : "");
        case 1:
          return v4 ? fmt::format("dnat {}addr . port to meta l4proto . th dport map @dnat4", family == "inet" ? "ip " : "ip ")
                    : "accept";
        case 2:
          return v4 ? "dnat " + std::string(fam) + "to numgen random mod 2 map { 0 : 10.1.0.2, 1 : 10.2.0.3 }"
                    : fmt::format("dnat {}to {}", fam, host);
        case 3:
          return v4 && chance(50) ? "dnat ip prefix to ip daddr map { 10.200.0.0/24 : 10.2.0.0/24 }"
                                  : fmt::format("dnat {}to {}", fam, host);
        default: return fmt::format("{}dnat {}to {}", guard, fam, l4 ? (v4 ? host + ":8080" : "[" + host + "]:8080") : host);
      }
    }
    if (hook == "input") return fmt::format("snat {}to {}", fam, host);
    switch (pick(5)) {
      case 0: return v4 ? fmt::format("snat {}to ip saddr map @snat4", fam) : fmt::format("snat {}to {}", fam, host);
      case 1:
      case 2: return guard + "masquerade" + (l4 && chance(30) ? " to :30000-30100" : chance(15) ? " fully-random" : "");
      case 3: return v4 ? fmt::format("snat {}to 10.77.0.1-10.77.0.3", fam) : fmt::format("snat {}to {}", fam, host);
      default: return fmt::format("snat {}to {}", fam, own_address(pick(kWires), v4));
    }
  }
  if (level < 2 && hook != "any" && chance(12)) return fmt::format("{} u{}", one({"jump", "goto"}), level + 1);
  if (hook == "any" && level < 2 && chance(15)) return "jump u2";
  if (chance(25)) return rare_nft_action(family, hook, v4, level);
  switch (pick(18)) {
    case 0: return "drop";
    case 1:
      return is_one_of(hook, {"input", "forward", "output"})
                 ? "reject" + std::string(chance(40) ? family == "inet" ? " with icmpx admin-prohibited"
                                                       : v4             ? " with icmp host-prohibited"
                                                                        : " with icmpv6 admin-prohibited"
                                                     : "")
                 : "return";
    case 2:
    case 3: return "accept";
    case 4: return "return";
    case 5: return "meta mark set " + one({"0x1", "0x2", "meta mark or 0x4", "meta mark and 0x3", "meta mark xor 0x1"});
    case 6: return v4 ? "meta mark set ip saddr map @marks4" : "meta mark set ip6 saddr map @marks6";
    case 7: return "ct mark set " + one({"0x1", "meta mark", "ct mark or 0x2"});
    case 8: return "meta mark set ct mark";
    case 9: return hook == "any" ? "continue" : v4 ? "ip dscp set 0x0a" : "ip6 dscp set 0x0a";
    case 10: return v4 ? "ip ttl set 33" : "ip6 hoplimit set 33";
    case 11:
      return fmt::format("{} saddr vmap {{ {} : drop, {} : accept }}", v4 ? "ip" : "ip6", v4 ? "100.0.1.1" : "fd00:100:0:1::1",
                         v4 ? "10.1.0.0/24" : "fd00:1::/64");
    case 12: return "meta l4proto . th dport vmap { tcp . 443 : accept, udp . 53 : return, tcp . 9000 : drop }";
    case 13: return "log prefix \"x\"";
    case 14: return hook == "prerouting" && chance(50) ? "notrack" : "meta priority set 1:2";
    case 15: return v4 ? "meta mark set jhash ip saddr mod 2" : "counter";
    default: return "continue";
  }
}

}  // namespace egt::test
