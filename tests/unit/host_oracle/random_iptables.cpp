// The iptables rules of random hosts: such that the tools take them, and such that the probes meet them.
#include <fmt/format.h>

#include <filesystem>

#include "random_host.h"

namespace egt::test {
namespace {

struct TableChains {
  const char* table;
  std::vector<std::string> chains;
};
const std::vector<TableChains>& builtin() {
  static const std::vector<TableChains> all = {{"raw", {"PREROUTING", "OUTPUT"}},
                                               {"mangle", {"PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"}},
                                               {"nat", {"PREROUTING", "INPUT", "OUTPUT", "POSTROUTING"}},
                                               {"filter", {"INPUT", "FORWARD", "OUTPUT"}},
                                               {"security", {"INPUT", "FORWARD", "OUTPUT"}}};
  return all;
}

bool sees_in_device(const std::string& hook) { return is_one_of(hook, {"PREROUTING", "INPUT", "FORWARD"}); }
bool sees_out_device(const std::string& hook) { return is_one_of(hook, {"OUTPUT", "FORWARD", "POSTROUTING"}); }

}  // namespace

std::string RandomHost::iptables(bool v4) {
  std::string out;
  for (const TableChains& t : builtin()) {
    const std::string table = t.table;
    if (chance(table == "nat" || table == "filter" ? 15 : table == "security" ? 85 : 40)) continue;
    out += "*" + table + "\n";
    for (const std::string& c : t.chains)
      out += fmt::format(":{} {} [0:0]\n", c, table == "filter" && chance(8) ? "DROP" : "ACCEPT");
    const std::string user_hook = t.chains[pick(static_cast<unsigned>(t.chains.size()))];
    for (unsigned level = 1; level <= 2; ++level) out += fmt::format(":{}-u{} - [0:0]\n", user_hook, level);
    for (unsigned level = 2; level >= 1; --level)
      for (unsigned i = 0; i < 3; ++i)
        out += fmt::format("-A {}-u{}{}\n", user_hook, level, iptables_rule(table, user_hook, static_cast<int>(level), v4));
    for (const std::string& c : t.chains)
      for (unsigned i = 0; i < 1 + pick(4); ++i)
        out += fmt::format("-A {}{}\n", c, iptables_rule(table, c, c == user_hook ? 0 : 3, v4));
    out += "COMMIT\n";
  }
  return out;
}

// level: user chains of the hook that may still be called; 3: none.
std::string RandomHost::iptables_rule(const std::string& table, const std::string& chain, int level, bool v4) {
  std::string protocol, matches;
  if (chance(55)) matches += fmt::format(" {}-s {}", chance(15) ? "! " : "", some_net(v4));
  if (chance(35)) matches += fmt::format(" {}-d {}", chance(15) ? "! " : "", some_net(v4));
  if (sees_in_device(chain) && chance(20))
    matches += fmt::format(" {}-i {}", chance(20) ? "! " : "", chance(15) ? "v+" : device());
  if (sees_out_device(chain) && chance(20)) matches += fmt::format(" {}-o {}", chance(20) ? "! " : "", device());
  if (chance(45)) protocol = one({"tcp", "tcp", "udp", "udp", "sctp", v4 ? "icmp" : "ipv6-icmp"});
  if (!protocol.empty()) matches += " -p " + protocol;
  if (chance(65)) matches += iptables_match(table, chain, v4, protocol);
  return matches + iptables_target(table, chain, level, v4, protocol);
}

std::string RandomHost::iptables_match(const std::string& table, const std::string& chain, bool v4, std::string& protocol) {
  const bool ports = is_one_of(protocol, {"tcp", "udp", "sctp"});
  const std::string no = chance(15) ? "! " : "";
  if (chance(25)) return rare_iptables_match(table, chain, v4, protocol);
  switch (pick(18)) {
    case 0:
    case 1: return ports ? fmt::format(" -m {} {}--dport {}", protocol, no, one({"80", "443", "1000:9000", "53"})) : "";
    case 2:
      return ports
                 ? fmt::format(" -m multiport {}{}", no,
                               one({"--dports 80,443", "--dports 53,1000:2000,9000", "--sports 20000:20040", "--ports 80,5000"}))
                 : "";
    case 3:
    case 4: return fmt::format(" -m mark {}--mark {}", no, one({"0x1", "0x2/0x2", "0x0", "0x4/0xc"}));
    case 5: return table == "raw" ? "" : fmt::format(" -m connmark {}--mark {}", no, one({"0x1", "0x2/0x2", "0x0"}));
    case 6:
    case 7:
      return fmt::format(
          " -m conntrack {}--ctstate {}", no,
          one({"NEW", "ESTABLISHED,RELATED", "INVALID", "UNTRACKED", "NEW,DNAT", "SNAT,DNAT", "INVALID,UNTRACKED"}));
    case 8:
      return fmt::format(" -m addrtype {}--{}-type {}{}", no, one({"dst", "src"}),
                         one({"LOCAL", "UNICAST", v4 ? "LOCAL,BROADCAST" : "LOCAL"}),
                         chance(30) && sees_in_device(chain) && v4 && chain != "FORWARD" ? " --limit-iface-in" : "");
    case 9:
      return v4 ? fmt::format(" -m ttl {}", one({"--ttl-eq 64", "--ttl-gt 10", "--ttl-lt 3"}))
                : fmt::format(" -m hl {}", one({"--hl-eq 64", "--hl-gt 10", "--hl-lt 3"}));
    case 10: return fmt::format(" -m dscp {}--dscp {}", no, one({"0x04", "0x00", "0x2e", "0x0a"}));
    case 11: return fmt::format(" -m iprange {}--src-range {}", no, v4 ? "10.0.0.2-10.1.0.3" : "fd00:0::2-fd00:1::3");
    case 12:
      return sees_in_device(chain)
                 ? fmt::format(" -m mac {}--mac-source {}", no, KernelHost::mac_of_neighbour(pick(kWires), 5).to_string())
                 : "";
    case 13:
      return chain == "PREROUTING" && table != "nat"
                 ? fmt::format(" -m rpfilter{}{}{}", chance(30) ? " --loose" : "", chance(30) ? " --validmark" : "",
                               chance(50) ? " --invert" : "")
                 : "";
    case 14: return fmt::format(" -m tos {}--tos {}", no, one({"0x10/0x3f", "0xb8/0xff", "0x00/0xff", "0x08/0x08"}));
    case 16: return set_match(v4);
    case 15:
      return fmt::format(" -m conntrack {}",
                         one({"--ctdir ORIGINAL", "--ctdir REPLY", "--ctproto 6", "--ctstatus SEEN_REPLY",
                              v4 ? "--ctorigdst 10.200.0.0/24" : "--ctorigdst fd00:200::/32", "--ctorigdstport 80"}));
    default:
      return protocol == "tcp"
                 ? fmt::format(" -m tcp {}--tcp-flags {}", no, one({"SYN,RST,ACK,FIN SYN", "ACK ACK", "SYN,ACK NONE"}))
                 : "";
  }
}

std::string RandomHost::set_match(bool v4) {
  if (!std::filesystem::exists("/usr/sbin/ipset")) return "";
  return fmt::format(" -m set {}--match-set {}{}", chance(20) ? "! " : "",
                     v4 ? one({"ips4 src", "nets4 dst", "ports4 dst,dst", "all src", "all dst", "wide4 src", "flows4 dst,dst,src",
                               "triples4 dst,dst,src", "services4 dst,dst", "map4 src", "cards4 src,src", "web dst",
                               "by4 src,src", "by4 dst,dst", "ports4 dst", "ips4 src,dst", "nets4 src"})
                        : one({"nets6 src", "nets6 dst", "ports6 dst,dst", "all src", "web dst"}),
                     chance(15) ? " --return-nomatch" : "");
}

std::string RandomHost::rare_iptables_match(const std::string& table, const std::string& chain, bool v4,
                                            const std::string& protocol) {
  const bool ports = is_one_of(protocol, {"tcp", "udp"});
  const std::string no = chance(20) ? "! " : "";
  switch (pick(18)) {
    case 16:
    case 17: return set_match(v4);
    case 0: return fmt::format(" -m statistic --mode random {}--probability 0.5", no);
    case 1: return " -m statistic --mode nth --every 2 --packet 0";
    case 2: return " -m limit --limit 5/min";
    case 3: return fmt::format(" -m length {}--length {}", no, one({"0:20", "0:200", "500:1500"}));
    case 4: return fmt::format(" -m pkttype {}--pkt-type {}", no, one({"unicast", "broadcast", "multicast"}));
    case 5: return is_one_of(chain, {"PREROUTING", "INPUT"}) && table != "nat" ? " -m socket" : "";
    case 6: return chain == "FORWARD" || chain == "POSTROUTING" ? fmt::format(" -m physdev {}--physdev-in v1", no) : "";
    case 7: return sees_in_device(chain) ? fmt::format(" -m devgroup {}--src-group {}", no, pick(2)) : "";
    case 8:
      return " -m conntrack " + no +
             one({"--ctstatus NONE", "--ctstatus CONFIRMED", "--ctstatus ASSURED", "--ctrepldstport 80", "--ctstate RELATED",
                  "--ctstatus EXPECTED", "--ctorigsrcport 20000:20020"});
    case 9: return ports ? fmt::format(" -m {} {}--sport {}", protocol, no, one({"5000", "20000:20030"})) : "";
    case 10: return chain == "OUTPUT" || chain == "POSTROUTING" ? " -m owner --uid-owner 0" : "";
    case 11: return table == "raw" ? "" : " -m connlabel " + no + "--label 1";
    case 12: return table == "raw" ? "" : " -m helper " + no + "--helper ftp";
    case 13: return v4 && chain != "PREROUTING" ? " -m realm " + no + "--realm 1" : "";
    case 14:
      return fmt::format(" -m addrtype {}--src-type {} --dst-type {}", no, one({"LOCAL", "UNICAST"}),
                         one({"LOCAL", "UNICAST", "UNREACHABLE"}));
    default:
      return protocol == "tcp" ? " -m ecn " + no + "--ecn-tcp-ece"
             : v4              ? " -m u32 --u32 0xc&0xff000000=0xa000000"
                               : " -m hl --hl-eq 63";
  }
}

std::string RandomHost::iptables_target(const std::string& table, const std::string& chain, int level, bool v4,
                                        const std::string& protocol) {
  if (level < 2 && chance(20)) return fmt::format(" {} {}-u{}", chance(75) ? "-j" : "-g", chain, level + 1);
  const bool ports = is_one_of(protocol, {"tcp", "udp", "sctp"});
  const std::string host =
      v4 ? fmt::format("10.{}.0.{}", pick(kWires), 2 + pick(4)) : fmt::format("fd00:{}::{}", pick(kWires), 2 + pick(4));
  const std::string with_port = v4 ? host + ":8080" : "[" + host + "]:8080";
  if (table == "raw")
    return " -j " + one({"CT --notrack", "CT --zone 5", "CT --zone 5", protocol == "tcp" ? "CT --helper ftp" : "NOTRACK",
                         "CT --ctevents new", "ACCEPT", "RETURN", "LOG", "TRACE"});
  if (table == "mangle") {
    if (chance(4)) return " -j TEE --gateway " + host + (chance(30) ? " --oif " + device() : "");
    if (chain == "PREROUTING" && is_one_of(protocol, {"tcp", "udp"}) && chance(12))
      return " -j TPROXY --on-port 8080 --on-ip " + std::string(v4 ? "0.0.0.0" : "::") + " --tproxy-mark 0x2/0x2";
    switch (pick(10)) {
      case 0:
      case 1:
        return " -j MARK " +
               one({"--set-xmark 0x1/0xffffffff", "--set-xmark 0x2/0x2", "--set-xmark 0x3/0x0", "--set-xmark 0x0/0x1",
                    "--set-mark 0x4/0x6", "--or-mark 0x4", "--xor-mark 0x3", "--and-mark 0x6"});
      case 2:
        return " -j CONNMARK " + one({"--save-mark", "--restore-mark", "--set-xmark 0x2/0xffffffff",
                                      "--save-mark --nfmask 0x3 --ctmask 0xff", "--restore-mark --nfmask 0xf --ctmask 0x3"});
      case 3:
        return v4 ? " -j TTL " + one({"--ttl-set 32", "--ttl-dec 1", "--ttl-inc 2"})
                  : " -j HL " + one({"--hl-set 32", "--hl-dec 1", "--hl-inc 2"});
      case 4: return " -j DSCP --set-dscp " + one({"0x04", "0x0a"});
      case 5: return " -j TOS " + one({"--set-tos 0x10/0x3f", "--set-tos 0x08/0xff", "--set-tos 0x04/0x04"});
      case 6: return chance(30) ? " -j DROP" : " -j ACCEPT";
      case 7: return " -j RETURN";
      case 8:
        return " -j " + one({sees_out_device(chain) ? "CLASSIFY --set-class 1:2" : "LOG", "LOG --log-prefix \"a b \"",
                             v4 && protocol == "tcp" ? "ECN --ecn-tcp-remove" : "LOG"});
      default: return " -j MARK --set-xmark 0x2/0xffffffff";
    }
  }
  if (table == "nat") {
    if (chance(10)) return " -j " + one({"ACCEPT", "RETURN"});
    if (chain == "PREROUTING" || chain == "OUTPUT") {
      if (chance(12))
        return " -j DNAT --to-destination " + std::string(v4 ? "10.1.0.2-10.1.0.4" : "fd00:1::2-fd00:1::4") +
               one({"", " --persistent", " --random"});
      switch (pick(6)) {
        case 0: return ports ? " -j REDIRECT --to-ports " + one({"8080", "1234-1236"}) : " -j REDIRECT";
        case 1: return fmt::format(" -j NETMAP --to {}", v4 ? "10.1.0.0/24" : "fd00:1::/64");
        case 2: return " -j DNAT --to-destination " + (ports ? with_port : host);
        case 3: return " -j DNAT --to-destination " + (ports ? (v4 ? ":8080" : "") + (v4 ? std::string() : with_port) : host);
        default: return " -j DNAT --to-destination " + (chance(30) ? own_address(pick(kWires), v4) : host);
      }
    }
    if (chain == "INPUT") return " -j SNAT --to-source " + host;
    switch (pick(5)) {
      case 0:
      case 1:
        return " -j MASQUERADE" + std::string(ports && chance(30) ? " --to-ports 30000-30100" : chance(20) ? " --random" : "");
      case 2: return fmt::format(" -j NETMAP --to {}", v4 ? "10.66.0.0/16" : "fd00:66::/64");
      case 3:
        return std::string(" -j SNAT --to-source ") + (v4 ? "10.77.0.1-10.77.0.3" : "fd00:77::1-fd00:77::3") +
               std::string(chance(40) ? " --persistent" : "");
      default: return " -j SNAT --to-source " + own_address(pick(kWires), v4) + (ports && v4 && chance(30) ? ":7000" : "");
    }
  }
  if (table == "security") return " -j " + one({"ACCEPT", "DROP", "RETURN", "LOG"});
  switch (pick(8)) {
    case 0: return " -j DROP";
    case 1:
      return " -j REJECT" +
             (protocol == "tcp" && chance(50) ? " --reject-with tcp-reset"
              : v4                            ? " --reject-with " +
                         one({"icmp-port-unreachable", "icmp-host-prohibited", "icmp-admin-prohibited", "icmp-net-unreachable"})
                   : " --reject-with " + one({"icmp6-port-unreachable", "icmp6-adm-prohibited", "icmp6-no-route"}));
    case 2:
    case 3: return " -j RETURN";
    case 4: return " -m comment --comment \"let it pass\" -j LOG";
    default: return " -j ACCEPT";
  }
}

}  // namespace egt::test
