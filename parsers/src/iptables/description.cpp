// What iptables -L writes behind its columns: each module shows its options in words of its own ("tcp dpt:80",
// "mark match 0x3f0", "to:192.168.66.100"). They are turned into the options that iptables-save would print.
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "iptables/described_rule.h"
#include "iptables/document.h"
#include "iptables/phrase_words.h"
#include "iptables/schema.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

class DescriptionParser {
 public:
  DescriptionParser(std::string_view text, Family family, Rule& rule) : words_(text), rule_(family, rule) {}

  std::string run() {
    std::string left;
    while (!words_.done()) {
      const std::size_t from = words_.place();
      if (phrase()) continue;
      words_.go_back(from);
      left += (left.empty() ? "" : " ") + std::string(words_.next());
    }
    return left;
  }

 private:
  bool phrase() {
    return comment() || ports() || numbered_match() || conntrack() || addresses() || dice() || owner() || target_phrase() ||
           log_phrase();
  }

  bool comment() {
    if (words_.word() != "/*") return false;
    std::string text;
    for (words_.skip(); !words_.done(); words_.skip()) {
      if (words_.word() == "*/") {
        words_.skip();
        return rule_.match("comment", "--comment", {text});
      }
      text += (text.empty() ? "" : " ") + std::string(words_.word());
    }
    return false;
  }

  // "tcp dpt:80 spts:1:5 flags:0x17/0x02", "multiport dports 80,443"
  bool ports() {
    if (words_.take({"multiport"})) {
      const std::string option = "--" + std::string(words_.next());
      const bool negate = words_.take_negation();
      return rule_.match("multiport", option, {words_.next()}, negate);
    }
    for (const std::string_view module : {"tcp", "udp", "sctp", "dccp", "udplite"})
      if (words_.word() == module) {
        words_.skip();
        rule_.match_options(module);
        while (port_term(module)) {
        }
        return true;
      }
    return false;
  }

  bool port_term(std::string_view module) {
    std::string_view text = words_.word();
    std::string_view option;
    if (consume(text, "dpts:") || consume(text, "dpt:"))
      option = "--dport";
    else if (consume(text, "spts:") || consume(text, "spt:"))
      option = "--sport";
    else if (consume(text, "flags:") && module == "tcp")
      return tcp_flags(text);
    else
      return false;
    const bool negate = consume(text, "!");
    if (!rule_.match(module, option, {text}, negate)) return false;
    words_.skip();
    return true;
  }

  bool tcp_flags(std::string_view text) {
    const bool negate = consume(text, "!");
    const std::string_view mask = take_until(text, '/');
    const auto m = parse_u64(mask), s = parse_u64(text);
    if (!m || !s || *m > 0xff || *s > 0xff) {  // by name, without -n
      const bool fits = rule_.match("tcp", "--tcp-flags", {mask, text}, negate);
      if (fits) words_.skip();
      return fits;
    }
    rule_.match_options("tcp").push_back({find_option("tcp", "--tcp-flags"), "--tcp-flags", negate,
                                          TcpFlags{static_cast<std::uint8_t>(*m), static_cast<std::uint8_t>(*s)}});
    words_.skip();
    return true;
  }

  bool numbered_match() {
    if (words_.take({"mark", "match"})) {
      const bool negate = words_.take_negation();
      return rule_.match("mark", "--mark", {words_.next()}, negate);
    }
    if (words_.take({"connmark", "match"})) {
      const bool negate = words_.take_negation();
      return rule_.match("connmark", "--mark", {words_.next()}, negate);
    }
    if (words_.take({"length"})) {
      const bool negate = words_.take_negation();
      return rule_.match("length", "--length", {words_.next()}, negate);
    }
    if (words_.take({"TTL", "match", "TTL"})) return compared("ttl", "--ttl");
    if (words_.take({"HL", "match", "HL"})) return compared("hl", "--hl");
    if (words_.take({"PKTTYPE"})) {
      const std::string_view sign = words_.next();
      return (sign == "=" || sign == "!=") && rule_.match("pkttype", "--pkt-type", {words_.next()}, sign == "!=");
    }
    return icmp();
  }

  bool compared(std::string_view module, const std::string& prefix) {
    const std::string_view sign = words_.next(), value = words_.next();
    if (sign == "==") return rule_.match(module, prefix + "-eq", {value});
    if (sign == "!=") return rule_.match(module, prefix + "-eq", {value}, true);
    if (sign == "<") return rule_.match(module, prefix + "-lt", {value});
    return sign == ">" && rule_.match(module, prefix + "-gt", {value});
  }

  bool icmp() {
    const bool v4 = words_.word() == "icmptype", v6 = words_.word() == "ipv6-icmptype";
    if (!v4 && !v6) {
      if (words_.word() != "icmp" && words_.word() != "ipv6-icmp") return false;
      const bool six = words_.next() == "ipv6-icmp";
      const bool not_this = words_.take_negation();
      return rule_.match(six ? "icmp6" : "icmp", six ? "--icmpv6-type" : "--icmp-type", {words_.next()}, not_this);
    }
    words_.skip();
    const bool negate = words_.take_negation();
    std::string type(words_.next());
    if (words_.take({"code"})) type += "/" + std::string(words_.next());
    return rule_.match(v6 ? "icmp6" : "icmp", v6 ? "--icmpv6-type" : "--icmp-type", {type}, negate);
  }

  bool conntrack() {
    const bool negate = words_.word() == "!" && (words_.word(1).starts_with("ct") || words_.word(1) == "state");
    if (negate) words_.skip();
    if (words_.take({"state"})) return rule_.match("state", "--state", {words_.next()}, negate);
    if (!words_.word().starts_with("ct")) return false;
    const std::string option = "--" + std::string(words_.next());
    return rule_.match("conntrack", option, {words_.next()}, negate);
  }

  bool addresses() {
    const bool negate =
        words_.word() == "!" && (words_.word(1) == "source" || words_.word(1) == "destination" || words_.word(1) == "match-set");
    if (negate) words_.skip();
    if (words_.take({"source", "IP", "range"})) return rule_.match("iprange", "--src-range", {words_.next()}, negate);
    if (words_.take({"destination", "IP", "range"})) return rule_.match("iprange", "--dst-range", {words_.next()}, negate);
    if (words_.take({"match-set"})) {
      const std::string_view name = words_.next();
      return rule_.match("set", "--match-set", {name, words_.next()}, negate);
    }
    if (words_.take({"MAC"})) {
      const bool not_this = words_.take_negation();
      return rule_.match("mac", "--mac-source", {words_.next()}, not_this);
    }
    if (!words_.take({"ADDRTYPE", "match"})) return false;
    bool any = false;
    while (words_.word() == "src-type" || words_.word() == "dst-type") {
      const std::string option = "--" + std::string(words_.next());
      const bool not_this = words_.take_negation();
      if (!rule_.match("addrtype", option, {words_.next()}, not_this)) return false;
      any = true;
    }
    while (words_.word() == "limit-in" || words_.word() == "limit-out")
      rule_.match("addrtype", words_.next() == "limit-in" ? "--limit-iface-in" : "--limit-iface-out", {});
    return any;
  }

  bool dice() {
    if (words_.take({"limit:", "avg"})) {
      if (!rule_.match("limit", "--limit", {words_.next()})) return false;
      return !words_.take({"burst"}) || rule_.match("limit", "--limit-burst", {words_.next()});
    }
    if (words_.take({"rpfilter"})) {
      rule_.match_options("rpfilter");
      while (rule_.match("rpfilter", "--" + std::string(words_.word()), {})) words_.skip();
      return true;
    }
    if (!words_.take({"statistic", "mode"})) return false;
    const std::string_view mode = words_.next();
    if (!rule_.match("statistic", "--mode", {mode})) return false;
    if (words_.take({"probability"})) return rule_.match("statistic", "--probability", {words_.next()});
    bool fits = true;
    if (words_.take({"every"})) fits = rule_.match("statistic", "--every", {words_.next()});
    if (words_.take({"packet"})) fits = rule_.match("statistic", "--packet", {words_.next()}) && fits;
    return fits;
  }

  bool owner() {
    if (words_.take({"PHYSDEV", "match"})) {
      bool any = false;
      for (bool again = true; again;) {
        const std::size_t from = words_.place();
        const bool negate = words_.take_negation();
        const std::string_view option = words_.next();
        again = rule_.match("physdev", option, {}, negate) || rule_.match("physdev", option, {words_.next()}, negate);
        if (!again) words_.go_back(from);
        any = any || again;
      }
      return any;
    }
    const bool negate = words_.word() == "!" && words_.word(1) == "owner";
    if (negate) words_.skip();
    if (words_.take({"owner", "UID", "match"})) return rule_.match("owner", "--uid-owner", {words_.next()}, negate);
    return words_.take({"owner", "GID", "match"}) && rule_.match("owner", "--gid-owner", {words_.next()}, negate);
  }

  bool target_phrase() {
    if (!rule_.target()) return false;
    const std::string& name = rule_.target()->name;
    if (words_.take({"[goto]"})) {
      rule_.target()->go_to = true;
      return true;
    }
    if (name == "MARK" || name == "CONNMARK") return mark_target(name);
    if (name == "CT" && words_.take({"CT"})) return ct_target();
    if (name == "TPROXY" && words_.take({"TPROXY", "redirect"})) return tproxy_target();
    if (words_.take({"reject-with"})) return rule_.target("--reject-with", {words_.next()});
    if (words_.take({"redir", "ports"}) || words_.take({"masq", "ports:"})) return rule_.target("--to-ports", {words_.next()});
    if (words_.word().starts_with("to:")) {
      const std::string_view value = words_.next().substr(3);
      return rule_.target(name == "NETMAP" ? "--to" : name == "SNAT" ? "--to-source" : "--to-destination", {value});
    }
    if (words_.word() == "random" || words_.word() == "random-fully" || words_.word() == "persistent")
      return rule_.target("--" + std::string(words_.next()), {});
    return false;
  }

  bool mark_target(const std::string& name) {
    if (!words_.take({name})) return false;
    const std::string_view verb = words_.next();
    if (verb == "set" || verb == "xset" || verb == "and" || verb == "or" || verb == "xor") {
      const std::string_view value = words_.next();
      const std::string option = verb == "xset" ? "--set-xmark" : "--" + std::string(verb) + "-mark";
      return rule_.target(option, {value});
    }
    if (verb != "save" && verb != "restore") return false;
    if (!rule_.target(verb == "save" ? "--save-mark" : "--restore-mark", {})) return false;
    if (words_.take({"mask"})) {
      const std::string_view mask = words_.next();
      return rule_.target("--nfmask", {mask}) && rule_.target("--ctmask", {mask});
    }
    bool fits = true;
    if (words_.take({"nfmask"})) fits = rule_.target("--nfmask", {words_.next()});
    if (words_.take({"ctmask"}))
      fits = rule_.target("--ctmask", {words_.word().starts_with("~") ? words_.next().substr(1) : words_.next()}) && fits;
    return fits;
  }

  bool ct_target() {
    if (words_.take({"notrack"})) return rule_.target("--notrack", {});
    if (words_.take({"zone"})) return rule_.target("--zone", {words_.next()});
    if (words_.take({"helper"})) return rule_.target("--helper", {words_.next()});
    return false;
  }

  // "TPROXY redirect 0.0.0.0:1234 mark 0x1/0x1"
  bool tproxy_target() {
    const std::string_view to = words_.next();
    const auto colon = to.rfind(':');
    if (colon == std::string_view::npos) return false;
    if (!rule_.target("--on-port", {to.substr(colon + 1)}) || !rule_.target("--on-ip", {to.substr(0, colon)})) return false;
    return !words_.take({"mark"}) || rule_.target("--tproxy-mark", {words_.next()});
  }

  // Targets that only show others of the packet: whatever follows is theirs.
  bool log_phrase() {
    if (!rule_.target()) return false;
    const std::string& name = rule_.target()->name;
    const bool shows = name == "LOG" || name == "NFLOG" || name == "TCPMSS" || name == "TEE" || name == "CLASSIFY" ||
                       name == "AUDIT" || name == "CHECKSUM";
    const std::string_view w = words_.word();
    if (!shows || (w != name && !w.starts_with("nflog-") && w != "gw:")) return false;
    words_.skip_all();
    return true;
  }

  PhraseWords words_;
  DescribedRule rule_;
};

}  // namespace

std::string parse_description(std::string_view description, Family family, Rule& rule) {
  return DescriptionParser(description, family, rule).run();
}

}  // namespace egt::parsers::iptables
