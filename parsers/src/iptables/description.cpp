// What iptables -L writes behind its columns: each module shows its options in words of its own ("tcp dpt:80",
// "mark match 0x3f0", "to:192.168.66.100"). They are turned into the options that iptables-save would print.
#include <fmt/format.h>

#include <vector>

#include "egtrace/base/text.h"
#include "iptables/document.h"
#include "iptables/rule_parser.h"
#include "iptables/schema.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

class DescriptionParser {
 public:
  DescriptionParser(std::string_view text, Family family, Rule& rule) : words_(words(text)), family_(family), rule_(rule) {}

  std::string run() {
    std::string left;
    while (at_ < words_.size()) {
      const std::size_t from = at_;
      if (phrase()) continue;
      at_ = from + 1;
      left += (left.empty() ? "" : " ") + std::string(words_[from]);
    }
    return left;
  }

 private:
  std::string_view word(std::size_t ahead = 0) const { return at_ + ahead < words_.size() ? words_[at_ + ahead] : ""; }

  bool take(std::initializer_list<std::string_view> expected) {
    std::size_t i = 0;
    for (const std::string_view e : expected)
      if (word(i++) != e) return false;
    at_ += expected.size();
    return true;
  }

  std::string_view next() { return at_ < words_.size() ? words_[at_++] : std::string_view{}; }

  // A '!' in front of the value, glued to it or not.
  bool take_negation() {
    if (take({"!"})) return true;
    if (at_ < words_.size() && word().starts_with("!")) {
      words_[at_].remove_prefix(1);
      return true;
    }
    return false;
  }

  std::vector<Option>& match_options(std::string_view module) {
    for (Match& m : rule_.matches)
      if (m.module == module) return m.options;
    rule_.matches.push_back({std::string(module), true, {}});
    return rule_.matches.back().options;
  }

  static std::vector<Word> arguments(std::initializer_list<std::string_view> values) {
    std::vector<Word> out;
    for (const std::string_view v : values) out.push_back({std::string(v), false});
    return out;
  }

  bool match(std::string_view module, std::string_view option, std::initializer_list<std::string_view> values,
             bool negate = false) {
    std::vector<Option> options;
    if (!add_option(module, option, negate, arguments(values), family_, options)) return false;
    auto& all = match_options(module);
    all.insert(all.end(), options.begin(), options.end());
    return true;
  }

  bool target(std::string_view option, std::initializer_list<std::string_view> values) {
    return rule_.target && add_option(rule_.target->name, option, false, arguments(values), family_, rule_.target->options);
  }

  bool phrase() {
    return comment() || ports() || numbered_match() || conntrack() || addresses() || dice() || owner() || target_phrase() ||
           log_phrase();
  }

  bool comment() {
    if (word() != "/*") return false;
    std::string text;
    for (++at_; at_ < words_.size(); ++at_) {
      if (words_[at_] == "*/") {
        ++at_;
        return match("comment", "--comment", {text});
      }
      text += (text.empty() ? "" : " ") + std::string(words_[at_]);
    }
    return false;
  }

  // "tcp dpt:80 spts:1:5 flags:0x17/0x02", "multiport dports 80,443"
  bool ports() {
    if (take({"multiport"})) {
      const std::string option = "--" + std::string(next());
      const bool negate = take_negation();
      return match("multiport", option, {next()}, negate);
    }
    for (const std::string_view module : {"tcp", "udp", "sctp", "dccp", "udplite"})
      if (word() == module) {
        ++at_;
        match_options(module);
        while (port_term(module)) {
        }
        return true;
      }
    return false;
  }

  bool port_term(std::string_view module) {
    std::string_view text = word();
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
    if (!match(module, option, {text}, negate)) return false;
    ++at_;
    return true;
  }

  bool tcp_flags(std::string_view text) {
    const bool negate = consume(text, "!");
    const std::string_view mask = take_until(text, '/');
    const auto m = parse_u64(mask), s = parse_u64(text);
    if (!m || !s || *m > 0xff || *s > 0xff) {  // by name, without -n
      const bool fits = match("tcp", "--tcp-flags", {mask, text}, negate);
      at_ += fits ? 1 : 0;
      return fits;
    }
    match_options("tcp").push_back({find_option("tcp", "--tcp-flags"), "--tcp-flags", negate,
                                    TcpFlags{static_cast<std::uint8_t>(*m), static_cast<std::uint8_t>(*s)}});
    ++at_;
    return true;
  }

  bool numbered_match() {
    if (take({"mark", "match"})) {
      const bool negate = take_negation();
      return match("mark", "--mark", {next()}, negate);
    }
    if (take({"connmark", "match"})) {
      const bool negate = take_negation();
      return match("connmark", "--mark", {next()}, negate);
    }
    if (take({"length"})) {
      const bool negate = take_negation();
      return match("length", "--length", {next()}, negate);
    }
    if (take({"TTL", "match", "TTL"})) return compared("ttl", "--ttl");
    if (take({"HL", "match", "HL"})) return compared("hl", "--hl");
    if (take({"PKTTYPE"})) {
      const std::string_view sign = next();
      return (sign == "=" || sign == "!=") && match("pkttype", "--pkt-type", {next()}, sign == "!=");
    }
    return icmp();
  }

  bool compared(std::string_view module, const std::string& prefix) {
    const std::string_view sign = next(), value = next();
    if (sign == "==") return match(module, prefix + "-eq", {value});
    if (sign == "!=") return match(module, prefix + "-eq", {value}, true);
    if (sign == "<") return match(module, prefix + "-lt", {value});
    return sign == ">" && match(module, prefix + "-gt", {value});
  }

  bool icmp() {
    const bool v4 = word() == "icmptype", v6 = word() == "ipv6-icmptype";
    if (!v4 && !v6) {
      if (word() != "icmp" && word() != "ipv6-icmp") return false;
      const bool six = next() == "ipv6-icmp";
      const bool not_this = take_negation();
      return match(six ? "icmp6" : "icmp", six ? "--icmpv6-type" : "--icmp-type", {next()}, not_this);
    }
    ++at_;
    const bool negate = take_negation();
    std::string type(next());
    if (take({"code"})) type += "/" + std::string(next());
    return match(v6 ? "icmp6" : "icmp", v6 ? "--icmpv6-type" : "--icmp-type", {type}, negate);
  }

  bool conntrack() {
    const bool negate = word() == "!" && (word(1).starts_with("ct") || word(1) == "state");
    if (negate) ++at_;
    if (take({"state"})) return match("state", "--state", {next()}, negate);
    if (!word().starts_with("ct")) return false;
    const std::string option = "--" + std::string(next());
    return match("conntrack", option, {next()}, negate);
  }

  bool addresses() {
    const bool negate = word() == "!" && (word(1) == "source" || word(1) == "destination" || word(1) == "match-set");
    if (negate) ++at_;
    if (take({"source", "IP", "range"})) return match("iprange", "--src-range", {next()}, negate);
    if (take({"destination", "IP", "range"})) return match("iprange", "--dst-range", {next()}, negate);
    if (take({"match-set"})) {
      const std::string_view name = next();
      return match("set", "--match-set", {name, next()}, negate);
    }
    if (take({"MAC"})) {
      const bool not_this = take_negation();
      return match("mac", "--mac-source", {next()}, not_this);
    }
    if (!take({"ADDRTYPE", "match"})) return false;
    bool any = false;
    while (word() == "src-type" || word() == "dst-type") {
      const std::string option = "--" + std::string(next());
      const bool not_this = take_negation();
      if (!match("addrtype", option, {next()}, not_this)) return false;
      any = true;
    }
    while (word() == "limit-in" || word() == "limit-out")
      match("addrtype", next() == "limit-in" ? "--limit-iface-in" : "--limit-iface-out", {});
    return any;
  }

  bool dice() {
    if (take({"limit:", "avg"})) {
      if (!match("limit", "--limit", {next()})) return false;
      return !take({"burst"}) || match("limit", "--limit-burst", {next()});
    }
    if (take({"rpfilter"})) {
      match_options("rpfilter");
      while (match("rpfilter", "--" + std::string(word()), {})) ++at_;
      return true;
    }
    if (!take({"statistic", "mode"})) return false;
    const std::string_view mode = next();
    if (!match("statistic", "--mode", {mode})) return false;
    if (take({"probability"})) return match("statistic", "--probability", {next()});
    bool fits = true;
    if (take({"every"})) fits = match("statistic", "--every", {next()});
    if (take({"packet"})) fits = match("statistic", "--packet", {next()}) && fits;
    return fits;
  }

  bool owner() {
    if (take({"PHYSDEV", "match"})) {
      bool any = false;
      for (bool again = true; again;) {
        const std::size_t from = at_;
        const bool negate = take_negation();
        const std::string_view option = next();
        again = match("physdev", option, {}, negate) || match("physdev", option, {next()}, negate);
        if (!again) at_ = from;
        any = any || again;
      }
      return any;
    }
    const bool negate = word() == "!" && word(1) == "owner";
    if (negate) ++at_;
    if (take({"owner", "UID", "match"})) return match("owner", "--uid-owner", {next()}, negate);
    return take({"owner", "GID", "match"}) && match("owner", "--gid-owner", {next()}, negate);
  }

  bool target_phrase() {
    if (!rule_.target) return false;
    const std::string& name = rule_.target->name;
    if (take({"[goto]"})) {
      rule_.target->go_to = true;
      return true;
    }
    if (name == "MARK" || name == "CONNMARK") return mark_target(name);
    if (name == "CT" && take({"CT"})) return ct_target();
    if (name == "TPROXY" && take({"TPROXY", "redirect"})) return tproxy_target();
    if (take({"reject-with"})) return target("--reject-with", {next()});
    if (take({"redir", "ports"}) || take({"masq", "ports:"})) return target("--to-ports", {next()});
    if (word().starts_with("to:")) {
      const std::string_view value = next().substr(3);
      return target(name == "NETMAP" ? "--to" : name == "SNAT" ? "--to-source" : "--to-destination", {value});
    }
    if (word() == "random" || word() == "random-fully" || word() == "persistent") return target("--" + std::string(next()), {});
    return false;
  }

  bool mark_target(const std::string& name) {
    if (!take({name})) return false;
    const std::string_view verb = next();
    if (verb == "set" || verb == "xset" || verb == "and" || verb == "or" || verb == "xor") {
      const std::string_view value = next();
      const std::string option = verb == "xset" ? "--set-xmark" : "--" + std::string(verb) + "-mark";
      return target(option, {value});
    }
    if (verb != "save" && verb != "restore") return false;
    if (!target(verb == "save" ? "--save-mark" : "--restore-mark", {})) return false;
    if (take({"mask"})) {
      const std::string_view mask = next();
      return target("--nfmask", {mask}) && target("--ctmask", {mask});
    }
    bool fits = true;
    if (take({"nfmask"})) fits = target("--nfmask", {next()});
    if (take({"ctmask"})) fits = target("--ctmask", {word().starts_with("~") ? next().substr(1) : next()}) && fits;
    return fits;
  }

  bool ct_target() {
    if (take({"notrack"})) return target("--notrack", {});
    if (take({"zone"})) return target("--zone", {next()});
    if (take({"helper"})) return target("--helper", {next()});
    return false;
  }

  // "TPROXY redirect 0.0.0.0:1234 mark 0x1/0x1"
  bool tproxy_target() {
    const std::string_view to = next();
    const auto colon = to.rfind(':');
    if (colon == std::string_view::npos) return false;
    if (!target("--on-port", {to.substr(colon + 1)}) || !target("--on-ip", {to.substr(0, colon)})) return false;
    return !take({"mark"}) || target("--tproxy-mark", {next()});
  }

  // Targets that only show others of the packet: whatever follows is theirs.
  bool log_phrase() {
    if (!rule_.target) return false;
    const std::string& name = rule_.target->name;
    const bool shows = name == "LOG" || name == "NFLOG" || name == "TCPMSS" || name == "TEE" || name == "CLASSIFY" ||
                       name == "AUDIT" || name == "CHECKSUM";
    const std::string_view w = word();
    if (!shows || (w != name && !w.starts_with("nflog-") && w != "gw:")) return false;
    at_ = words_.size();
    return true;
  }

  std::vector<std::string_view> words_;
  std::size_t at_ = 0;
  Family family_;
  Rule& rule_;
};

}  // namespace

std::string parse_description(std::string_view description, Family family, Rule& rule) {
  return DescriptionParser(description, family, rule).run();
}

}  // namespace egt::parsers::iptables
