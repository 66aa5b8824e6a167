// The save functions of iptables' extensions (libxt_*.c and libipt_*.c) print options in an order of their own.
#include "iptables/as_saved.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>

#include "egtrace/base/text.h"
#include "iptables/schema.h"

namespace egt::parsers::iptables {
namespace {

struct Order {
  std::string_view module, options;
};
constexpr Order kOrders[] = {
    {"addrtype", "--src-type --dst-type --limit-iface-in --limit-iface-out"},
    {"cluster", "--cluster-local-nodemask --cluster-total-nodes --cluster-hash-seed"},
    {"connbytes", "--connbytes --connbytes-mode --connbytes-dir"},
    {"connlimit", "--connlimit-above --connlimit-upto --connlimit-mask --connlimit-saddr --connlimit-daddr"},
    {"conntrack",
     "--ctstate --ctproto --ctorigsrc --ctorigdst --ctreplsrc --ctrepldst --ctorigsrcport --ctorigdstport "
     "--ctreplsrcport --ctrepldstport --ctstatus --ctexpire --ctdir"},
    {"dccp", "--sport --dport --dccp-types --dccp-option"},
    {"ecn", "--ecn-tcp-ece --ecn-tcp-cwr --ecn-ip-ect"},
    {"iprange", "--src-range --dst-range"},
    {"osf", "--genre --ttl --log"},
    {"owner", "--socket-exists --uid-owner --gid-owner --suppl-groups"},
    {"policy", "--dir --pol --strict"},
    {"set", "--match-set --return-nomatch"},
    {"statistic", "--mode --probability --every --packet"},
    {"CT", "--notrack --helper --timeout --ctevents --expevents --zone --zone-orig --zone-reply"},
    {"IDLETIMER", "--timeout --label --alarm"},
    {"MASQUERADE", "--to-ports --random --random-fully"},
    {"NFLOG", "--nflog-prefix --nflog-group --nflog-range --nflog-size --nflog-threshold"},
    {"REDIRECT", "--to-ports --random"},
    {"SYNPROXY", "--sack-perm --timestamp --wscale --mss --ecn"},
    {"TEE", "--gateway --oif"},
    {"limit", "--limit --limit-burst"},
    {"physdev", "--physdev-is-in --physdev-in --physdev-is-out --physdev-out --physdev-is-bridged"},
    {"recent", "--set --rcheck --update --remove --seconds --reap --hitcount --rttl --name --mask --rsource --rdest"},
    {"rpfilter", "--loose --validmark --accept-local --invert"},
    {"sctp", "--sport --dport --chunk-types"},
    {"socket", "--transparent --nowildcard --restore-skmark"},
    {"string", "--string --hex-string --algo --from --to --icase"},
    {"tcp", "--sport --dport --tcp-option --tcp-flags"},
    {"time", "--timestart --timestop --monthdays --weekdays --datestart --datestop --kerneltz --contiguous"},
    {"udp", "--sport --dport"},
    {"udplite", "--sport --dport"},
    {"DNAT", "--to-destination --random --persistent"},
    {"NFQUEUE", "--queue-num --queue-balance --queue-bypass --queue-cpu-fanout"},
    {"LOG", "--log-prefix --log-level --log-tcp-sequence --log-tcp-options --log-ip-options --log-uid --log-macdecode"},
    {"SNAT", "--to-source --random --random-fully --persistent"},
    {"TPROXY", "--on-port --on-ip --tproxy-mark"},
};

// Lists that the tool keeps as bits, which it prints from the lowest on, in capitals.
struct Bits {
  std::string_view option, names;
};
constexpr std::string_view kAddressTypes =
    "UNSPEC UNICAST LOCAL BROADCAST ANYCAST MULTICAST BLACKHOLE UNREACHABLE PROHIBIT THROW NAT XRESOLVE";
constexpr Bits kBits[] = {
    {"--ctstate", "INVALID NEW RELATED ESTABLISHED UNTRACKED SNAT DNAT"},
    {"--state", "INVALID NEW RELATED ESTABLISHED UNTRACKED SNAT DNAT"},
    {"--ctstatus", "EXPECTED SEEN_REPLY ASSURED CONFIRMED"},
    {"--src-type", kAddressTypes},
    {"--dst-type", kAddressTypes},
    {"--dccp-types", "REQUEST RESPONSE DATA ACK DATAACK CLOSEREQ CLOSE RESET SYNC SYNCACK INVALID"},
};

std::size_t place_in(std::string_view list, std::string_view word) {
  std::size_t place = 0;
  for (const std::string_view w : words(list)) {
    if (w == word) return place;
    ++place;
  }
  return place;
}

Option made(std::string_view module, std::string_view name, Value value, bool negate = false) {
  return {find_option(module, name), std::string(name), negate, std::move(value)};
}

bool has(const std::vector<Option>& options, std::string_view name) {
  return std::any_of(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
}

void put_in_order(std::string_view module, std::vector<Option>& options) {
  if (options.size() < 2) return;
  for (const Order& order : kOrders)
    if (order.module == module)
      std::stable_sort(options.begin(), options.end(), [&](const Option& a, const Option& b) {
        return place_in(order.options, a.name) < place_in(order.options, b.name);
      });
}

// --- values

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// "5/s" is "5/sec"; a rate without a unit is one a second.
std::string rate(std::string_view text) {
  const std::string_view count = text.substr(0, text.find('/'));
  if (!parse_decimal(count)) return std::string(text);  // bytes
  const std::string unit = count.size() == text.size() ? "sec" : lower(text.substr(count.size() + 1));
  for (const auto& [name, saved] : {std::pair{"second", "sec"}, {"minute", "min"}, {"hour", "hour"}, {"day", "day"}})
    if (!unit.empty() && std::string_view(name).starts_with(unit)) return fmt::format("{}/{}", count, saved);
  return std::string(text);
}

// The kernel counts in parts of 2^31.
std::string probability(std::string_view text) {
  double p = 0;
  try {
    std::size_t end = 0;
    p = std::stod(std::string(text), &end);
    if (end != text.size() || p < 0 || p > 1) return std::string(text);
  } catch (const std::exception&) {
    return std::string(text);
  }
  constexpr double kWhole = 0x80000000;
  return fmt::format("{:.11f}", std::round(p * kWhole) / kWhole);
}

// "6&0xFF=1" is "0x6&0xff=0x1".
std::string in_hex(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = std::min(text.find_first_not_of("0123456789abcdefABCDEFxX"), text.size());
    if (const auto number = parse_u64(text.substr(0, n)); n > 0 && number) {
      out += fmt::format("0x{:x}", *number);
    } else if (n > 0) {
      out += text.substr(0, n);
    }
    text.remove_prefix(n);
    if (text.empty()) break;
    if (text.front() != ' ') out += text.front();
    text.remove_prefix(1);
  }
  return out;
}

// "20:5" is "0020:0005", both hexadecimal.
std::string traffic_class(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::string(text);
  const auto major = parse_hex(text.substr(0, colon)), minor = parse_hex(text.substr(colon + 1));
  return major && minor ? fmt::format("{:04x}:{:04x}", *major, *minor) : std::string(text);
}

std::string realm(std::string_view text) {
  const std::size_t slash = text.find('/');
  const auto value = parse_u64(text.substr(0, slash));
  if (!value) return std::string(text);  // a name of rt_realms
  if (slash == std::string_view::npos) return fmt::format("0x{:x}", *value);
  const auto mask = parse_u64(text.substr(slash + 1));
  return mask ? fmt::format("0x{:x}/0x{:x}", *value, *mask) : std::string(text);
}

std::string weekdays(std::string_view text) {
  constexpr std::string_view kDays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
  std::string out;
  for (const std::string_view day : split(text, ',')) {
    const auto n = parse_decimal(day);
    const std::string_view name = n && *n >= 1 && *n <= std::size(kDays) ? kDays[*n - 1] : day;
    (out += out.empty() ? "" : ",") += name;
  }
  return out;
}

// What may be cut short, and older words.
std::string reject_with(std::string_view text) {
  struct Word {
    std::string_view name, other;
  };
  constexpr Word kWords[] = {
      {"icmp-net-unreachable", "net-unreach"},
      {"icmp-host-unreachable", "host-unreach"},
      {"icmp-proto-unreachable", "proto-unreach"},
      {"icmp-port-unreachable", "port-unreach"},
      {"icmp-net-prohibited", "net-prohib"},
      {"icmp-host-prohibited", "host-prohib"},
      {"icmp-admin-prohibited", "admin-prohib"},
      {"tcp-reset", "tcp-rst"},
      {"icmp6-no-route", "no-route"},
      {"icmp6-adm-prohibited", "adm-prohibited"},
      {"icmp6-addr-unreachable", "addr-unreach"},
      {"icmp6-port-unreachable", "port-unreach6"},
      {"icmp6-policy-fail", "policy-fail"},
      {"icmp6-reject-route", "reject-route"},
  };
  const std::string word = lower(text);
  for (const Word& w : kWords)
    if (std::string_view(w.name).starts_with(word) || std::string_view(w.other).starts_with(word)) return std::string(w.name);
  return std::string(text);
}

// Names of TCP options as their numbers.
std::string tcp_option(std::string_view name) {
  constexpr std::pair<std::string_view, int> kNames[] = {{"mss", 2},  {"wscale", 3},    {"sack-permitted", 4},
                                                         {"sack", 5}, {"timestamp", 8}, {"md5", 19}};
  for (const auto& [word, number] : kNames)
    if (word == name) return std::to_string(number);
  return std::string(name);
}

struct Rewrite {
  std::string_view module, option;
  std::string (*text)(std::string_view);
};
constexpr Rewrite kRewrites[] = {
    {"hashlimit", "--hashlimit-upto", rate},
    {"hashlimit", "--hashlimit-above", rate},
    {"limit", "--limit", rate},
    {"realm", "--realm", realm},
    {"statistic", "--probability", probability},
    {"time", "--weekdays", weekdays},
    {"u32", "--u32", in_hex},
    {"CLASSIFY", "--set-class", traffic_class},
    {"REJECT", "--reject-with", reject_with},
};

// The bytes of "foo|0a|".
std::optional<std::string> bytes_of(std::string_view text) {
  std::string out;
  bool hex = false;
  while (!text.empty()) {
    if (text.front() == '|') {
      hex = !hex;
      text.remove_prefix(1);
    } else if (!hex) {
      out += text.front();
      text.remove_prefix(1);
    } else if (is_blank(text.front())) {
      text.remove_prefix(1);
    } else {
      const auto byte = text.size() > 1 ? parse_hex(text.substr(0, 2)) : std::nullopt;
      if (!byte) return std::nullopt;
      out += static_cast<char>(*byte);
      text.remove_prefix(2);
    }
  }
  return hex ? std::nullopt : std::optional(out);
}

// A pattern that can be printed is printed so, whatever it was typed as; any other in hexadecimal.
void rewrite_pattern(Option& o) {
  const auto* word = std::get_if<Word>(&o.value);
  if (word == nullptr || o.name != "--hex-string") return;
  const auto bytes = bytes_of(word->text);
  if (!bytes || bytes->empty()) return;
  const bool printable = std::all_of(bytes->begin(), bytes->end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  std::string hex = "|";
  for (const char c : *bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  o = made("string", printable ? "--string" : "--hex-string", Word{printable ? *bytes : hex + "|", true}, o.negate);
}

void sort_as_bits(const Bits& bits, std::vector<std::string>& list) {
  for (std::string& w : list)
    if (std::any_of(w.begin(), w.end(), [](char c) { return c >= 'a' && c <= 'z'; })) w = upper(w);
  if (list.size() < 2) return;
  std::stable_sort(list.begin(), list.end(),
                   [&](const auto& a, const auto& b) { return place_in(bits.names, a) < place_in(bits.names, b); });
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void rewrite_list(std::string_view option, std::vector<std::string>& list) {
  for (const Bits& bits : kBits)
    if (bits.option == option) sort_as_bits(bits, list);
  if (option != "--strip-options") return;
  for (std::string& w : list) w = tcp_option(w);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return parse_decimal(a).value_or(0) < parse_decimal(b).value_or(0); });
}

// Comments and prefixes are printed in quotes unless they are words.
void quote_text(std::string_view option, Word& word) {
  if (option != "--comment" && option != "--log-prefix" && option != "--nflog-prefix") return;
  const auto is_plain = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  word.quoted = word.quoted || !std::all_of(word.text.begin(), word.text.end(), is_plain);
}

void rewrite_values(std::string_view module, std::vector<Option>& options) {
  for (Option& o : options) {
    if (module == "string") rewrite_pattern(o);
    if (auto* list = std::get_if<WordList>(&o.value)) rewrite_list(o.name, list->words);
    auto* word = std::get_if<Word>(&o.value);
    if (word == nullptr) continue;
    for (const Rewrite& r : kRewrites)
      if (r.module == module && r.option == o.name) word->text = r.text(word->text);
    quote_text(o.name, *word);
    if (o.name == "--ctdir") word->text = upper(word->text);
    if (o.name == "--pkt-type") word->text = lower(word->text);
    if (o.name == "--pkt-type" && word->text == "host") word->text = "unicast";
  }
}

// --- defaults and options of other names

Value whole_mask(Family family) {
  const U128 all = ones(address_bits(family));
  return Network{{family, all}, all};
}

void complete_recent(Match& m, Family family) {
  if (!has(m.options, "--name")) m.options.push_back(made("recent", "--name", Word{"DEFAULT", false}));
  if (!has(m.options, "--mask")) m.options.push_back(made("recent", "--mask", whole_mask(family)));
  if (!has(m.options, "--rsource") && !has(m.options, "--rdest")) m.options.push_back(made("recent", "--rsource", Value{}));
}

void complete_connlimit(Match& m, Family family) {
  for (Option& o : m.options) {
    const bool upto = o.name == "--connlimit-upto";
    if (!o.negate || (!upto && o.name != "--connlimit-above")) continue;
    o = made("connlimit", upto ? "--connlimit-above" : "--connlimit-upto", std::move(o.value));
  }
  if (!has(m.options, "--connlimit-mask"))
    m.options.push_back(made("connlimit", "--connlimit-mask", std::uint64_t{address_bits(family)}));
  if (!has(m.options, "--connlimit-saddr") && !has(m.options, "--connlimit-daddr"))
    m.options.push_back(made("connlimit", "--connlimit-saddr", Value{}));
}

void complete_cluster(Match& m) {
  for (Option& o : m.options) {
    const auto* n = std::get_if<std::uint64_t>(&o.value);
    if (o.name != "--cluster-local-node" || n == nullptr || *n < 1 || *n > 32) continue;
    o = made("cluster", "--cluster-local-nodemask", std::uint64_t{1} << (*n - 1), o.negate);
  }
}

void complete_limit(Match& m) {
  constexpr std::uint64_t kBurst = 5;  // not printed
  if (!has(m.options, "--limit")) m.options.push_back(made("limit", "--limit", Word{"3/hour", false}));
  std::erase_if(m.options, [](const Option& o) {
    const auto* n = std::get_if<std::uint64_t>(&o.value);
    return o.name == "--limit-burst" && n != nullptr && *n == kBurst;
  });
}

void complete_hashlimit(Match& m) {
  const auto counts_packets = [](const Option& o) {
    const auto* word = std::get_if<Word>(&o.value);
    return (o.name == "--hashlimit-upto" || o.name == "--hashlimit-above") && word &&
           parse_decimal(std::string_view(word->text).substr(0, word->text.find('/')));
  };
  const auto rate_at = std::find_if(m.options.begin(), m.options.end(), counts_packets);
  if (rate_at != m.options.end() && !has(m.options, "--hashlimit-burst"))
    m.options.insert(rate_at + 1, made("hashlimit", "--hashlimit-burst", Word{"5", false}));
}

void complete_icmp(Match& m) {
  constexpr std::uint8_t kAny = 255;
  for (Option& o : m.options)
    if (auto* t = std::get_if<IcmpType>(&o.value); t && m.module == "icmp" && t->type == kAny && !t->any)
      *t = {true, 0, std::nullopt};
}

void complete_policy(Match& m) {
  if (!has(m.options, "--pol")) m.options.push_back(made("policy", "--pol", Word{"ipsec", false}));
}

// A search to the end needs no word of it.
void complete_string(Match& m) {
  constexpr std::uint64_t kEnd = 65535;
  std::erase_if(m.options, [](const Option& o) {
    const auto* n = std::get_if<std::uint64_t>(&o.value);
    return o.name == "--to" && n != nullptr && *n == kEnd;
  });
}

void complete(Match& m, Family family) {
  if (m.options.empty()) return;
  if (m.module == "policy") complete_policy(m);
  if (m.module == "string") complete_string(m);
  if (m.module == "recent") complete_recent(m, family);
  if (m.module == "connlimit") complete_connlimit(m, family);
  if (m.module == "cluster") complete_cluster(m);
  if (m.module == "limit") complete_limit(m);
  if (m.module == "hashlimit") complete_hashlimit(m);
  if (m.module == "icmp") complete_icmp(m);
}

void complete_marks(Target& t) {
  for (std::size_t i = 0; i < t.options.size(); ++i) {
    const auto* n = std::get_if<std::uint64_t>(&t.options[i].value);
    if (t.options[i].name != "--mask" || n == nullptr) continue;
    const std::uint64_t mask = *n;
    t.options[i] = made("CONNMARK", "--nfmask", mask);
    t.options.insert(t.options.begin() + static_cast<std::ptrdiff_t>(i) + 1, made("CONNMARK", "--ctmask", mask));
  }
}

void complete_tproxy(Target& t, Family family) {
  const U128 all = ones(address_bits(family));
  if (!has(t.options, "--on-ip")) t.options.push_back(made("TPROXY", "--on-ip", Network{{family, 0}, all}));
  if (!has(t.options, "--tproxy-mark")) t.options.push_back(made("TPROXY", "--tproxy-mark", MaskedNumber{}));
}

void complete(Target& t, Family family) {
  if (t.name == "REJECT" && t.options.empty()) {
    const std::string with = family == Family::v4 ? "icmp-port-unreachable" : "icmp6-port-unreachable";
    t.options.push_back(made("REJECT", "--reject-with", Word{with, false}));
  }
  if (t.name == "REJECT" && family == Family::v6 && t.options.size() == 1)
    if (auto* with = std::get_if<Word>(&t.options[0].value); with && with->text == "port-unreach")
      with->text = "icmp6-port-unreachable";
  if (t.name == "NFQUEUE" && !has(t.options, "--queue-num") && !has(t.options, "--queue-balance"))
    t.options.insert(t.options.begin(), made("NFQUEUE", "--queue-num", std::uint64_t{0}));
  if (t.name == "CONNMARK") complete_marks(t);
  if (t.name == "TPROXY" && has(t.options, "--on-port")) complete_tproxy(t, family);
  if (t.name == "NFLOG")
    std::erase_if(t.options, [](const Option& o) {
      const auto* n = std::get_if<std::uint64_t>(&o.value);
      return o.name == "--nflog-group" && n && *n == 0;
    });
  if (t.name == "LOG")
    std::erase_if(t.options, [](const Option& o) {
      const auto* word = std::get_if<Word>(&o.value);
      return o.name == "--log-level" && word && word->text == "4";
    });
}

}  // namespace

void make_as_saved(Rule& rule, Family family) {
  if (rule.protocol) rule.protocol->value = lower(rule.protocol->value);
  if (rule.protocol && (rule.protocol->value == "icmpv6" || rule.protocol->value == "icmp6")) rule.protocol->value = "ipv6-icmp";
  for (Match& m : rule.matches) {
    complete(m, family);
    rewrite_values(m.module, m.options);
    put_in_order(m.module, m.options);
  }
  if (!rule.target) return;
  complete(*rule.target, family);
  rewrite_values(rule.target->name, rule.target->options);
  put_in_order(rule.target->name, rule.target->options);
}

}  // namespace egt::parsers::iptables
