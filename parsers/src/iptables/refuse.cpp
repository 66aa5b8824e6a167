// After the option tables and final checks of libxt_*.c, libipt_*.c and libip6t_*.c of iptables 1.8.
#include "iptables/refuse.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "egtrace/base/text.h"

namespace egt::parsers::iptables {
namespace {

struct OptionsOf {
  std::string_view module, options;
};

// One of the options has to be there; "*" is any.
constexpr OptionsOf kNeeds[] = {
    {"addrtype", "--src-type --dst-type"},
    {"bpf", "--bytecode --object-pinned"},
    {"cgroup", "--cgroup --path"},
    {"cluster", "--cluster-local-node --cluster-local-nodemask"},
    {"cluster", "--cluster-total-nodes"},
    {"cluster", "--cluster-hash-seed"},
    {"comment", "--comment"},
    {"connbytes", "--connbytes"},
    {"connbytes", "--connbytes-dir"},
    {"connbytes", "--connbytes-mode"},
    {"connlabel", "--label"},
    {"connlimit", "--connlimit-above --connlimit-upto"},
    {"connmark", "--mark"},
    {"conntrack", "*"},
    {"cpu", "--cpu"},
    {"devgroup", "--src-group --dst-group"},
    {"dscp", "--dscp"},
    {"ecn", "*"},
    {"hashlimit", "--hashlimit-upto --hashlimit-above"},
    {"hashlimit", "--hashlimit-name"},
    {"helper", "--helper"},
    {"hl", "*"},
    {"icmp", "--icmp-type"},
    {"icmp6", "--icmpv6-type"},
    {"icmpv6", "--icmpv6-type"},
    {"iprange", "*"},
    {"ipv6header", "--header"},
    {"length", "--length"},
    {"mac", "--mac-source"},
    {"mark", "--mark"},
    {"multiport", "*"},
    {"nfacct", "--nfacct-name"},
    {"osf", "--genre"},
    {"owner", "--uid-owner --gid-owner --socket-exists"},
    {"physdev", "*"},
    {"pkttype", "--pkt-type"},
    {"policy", "--dir"},
    {"quota", "--quota"},
    {"realm", "--realm"},
    {"recent", "--set --rcheck --update --remove"},
    {"set", "--match-set"},
    {"state", "--state"},
    {"statistic", "--mode"},
    {"statistic", "--probability --every"},
    {"string", "--string --hex-string"},
    {"string", "--algo"},
    {"tos", "--tos"},
    {"ttl", "*"},
    {"u32", "--u32"},
    {"AUDIT", "--type"},
    {"CHECKSUM", "*"},
    {"CLASSIFY", "--set-class"},
    {"CONNMARK", "--set-xmark --save-mark --restore-mark"},
    {"CONNSECMARK", "*"},
    {"DNAT", "--to-destination"},
    {"DSCP", "--set-dscp"},
    {"ECN", "*"},
    {"HL", "*"},
    {"HMARK", "--hmark-mod"},
    {"IDLETIMER", "--timeout"},
    {"IDLETIMER", "--label"},
    {"MARK", "*"},
    {"NETMAP", "--to"},
    {"SECMARK", "--selctx"},
    {"SET", "--add-set --del-set --map-set"},
    {"SNAT", "--to-source"},
    {"TCPMSS", "*"},
    {"TCPOPTSTRIP", "*"},
    {"TEE", "--gateway"},
    {"TOS", "--set-tos"},
    {"TPROXY", "--on-port"},
    {"TTL", "*"},
};

// One of the options at most.
constexpr OptionsOf kExcluding[] = {
    {"addrtype", "--limit-iface-in --limit-iface-out"},
    {"cluster", "--cluster-local-node --cluster-local-nodemask"},
    {"connlimit", "--connlimit-above --connlimit-upto"},
    {"connlimit", "--connlimit-saddr --connlimit-daddr"},
    {"frag", "--fraglast --fragmore"},
    {"hashlimit", "--hashlimit-upto --hashlimit-above"},
    {"hl", "--hl-eq --hl-gt --hl-lt"},
    {"multiport", "--sports --dports --ports"},
    {"recent", "--set --rcheck --update --remove"},
    {"recent", "--set --rttl"},
    {"statistic", "--probability --every"},
    {"statistic", "--probability --packet"},
    {"string", "--string --hex-string"},
    {"ttl", "--ttl-eq --ttl-gt --ttl-lt"},
    {"CONNMARK", "--set-xmark --save-mark --restore-mark"},
    {"CONNSECMARK", "--save --restore"},
    {"HL", "--hl-set --hl-inc --hl-dec"},
    {"NFQUEUE", "--queue-num --queue-balance"},
    {"TTL", "--ttl-set --ttl-inc --ttl-dec"},
};

// Of matches: a '!' in front is refused. No target takes one.
constexpr OptionsOf kNotNegated[] = {
    {"addrtype", "--limit-iface-in --limit-iface-out"},
    {"ah", "--ahres"},
    {"bpf", "--bytecode --object-pinned"},
    {"cluster", "--cluster-hash-seed --cluster-total-nodes"},
    {"comment", "--comment"},
    {"connbytes", "--connbytes-dir --connbytes-mode"},
    {"connlabel", "--set"},
    {"connlimit", "--connlimit-daddr --connlimit-mask --connlimit-saddr"},
    {"conntrack", "--ctdir"},
    {"dst", "--dst-opts"},
    {"frag", "--fragfirst --fraglast --fragmore --fragres"},
    {"hashlimit",
     "--hashlimit-burst --hashlimit-dstmask --hashlimit-htable-expire --hashlimit-htable-gcinterval --hashlimit-htable-max "
     "--hashlimit-htable-size --hashlimit-mode --hashlimit-name --hashlimit-rate-interval --hashlimit-rate-match "
     "--hashlimit-srcmask"},
    {"hbh", "--hbh-opts"},
    {"hl", "--hl-gt --hl-lt"},
    {"ipv6header", "--soft"},
    {"limit", "--limit --limit-burst"},
    {"nfacct", "--nfacct-name"},
    {"osf", "--log --ttl"},
    {"owner", "--suppl-groups"},
    {"policy", "--dir --pol --strict"},
    {"recent", "--hitcount --mask --name --rdest --reap --rsource --rttl --seconds"},
    {"rpfilter", "--accept-local --invert --loose --validmark"},
    {"rt", "--rt-0-addrs --rt-0-not-strict --rt-0-res"},
    {"set", "--return-nomatch --packets-gt --packets-lt --bytes-gt --bytes-lt"},
    {"socket", "--nowildcard --restore-skmark --transparent"},
    {"statistic", "--mode --packet"},
    {"string", "--algo --from --icase --to"},
    {"time", "--contiguous --datestart --datestop --kerneltz --timestart --timestop --utc"},
    {"ttl", "--ttl-gt --ttl-lt"},
};

using Names = std::vector<std::string_view>;
struct Demands {
  std::vector<Names> needs, excluding;
  Names not_negated;
};

const Demands* demands_of(std::string_view module) {
  static const auto all = [] {
    std::unordered_map<std::string_view, Demands> made;
    for (const OptionsOf& o : kNeeds) made[o.module].needs.push_back(words(o.options));
    for (const OptionsOf& o : kExcluding) made[o.module].excluding.push_back(words(o.options));
    for (const OptionsOf& o : kNotNegated) made[o.module].not_negated = words(o.options);
    return made;
  }();
  const auto found = all.find(module);
  return found == all.end() ? nullptr : &found->second;
}

bool is_among(const Names& names, std::string_view word) { return std::find(names.begin(), names.end(), word) != names.end(); }

std::ptrdiff_t count_among(const Names& names, const std::vector<Option>& options) {
  if (names.front() == "*") return static_cast<std::ptrdiff_t>(options.size());
  return std::count_if(options.begin(), options.end(), [&](const Option& o) { return is_among(names, o.name); });
}

std::string in_words(const Names& names) {
  return names.front() == "*" ? "an option" : fmt::format("{}", fmt::join(names, " or "));
}

std::string refuse_repeated(std::string_view module, const std::vector<Option>& options) {
  if (module == "policy") return {};  // an element each
  for (auto o = options.begin(); o != options.end(); ++o)
    if (std::any_of(options.begin(), o, [&](const Option& before) { return before.name == o->name; }))
      return fmt::format("{} stands twice", o->name);
  return {};
}

std::string refuse_options(std::string_view module, const std::vector<Option>& options) {
  if (const Demands* demands = demands_of(module)) {
    for (const Names& need : demands->needs)
      if (count_among(need, options) == 0) return fmt::format("{} needs {}", module, in_words(need));
    for (const Names& few : demands->excluding)
      if (count_among(few, options) > 1) return fmt::format("{} takes one of {}", module, in_words(few));
    for (const Option& o : options)
      if (o.negate && is_among(demands->not_negated, o.name)) return fmt::format("{} cannot be negated", o.name);
  }
  return refuse_repeated(module, options);
}

}  // namespace

std::string why_refused(const Rule& rule) {
  for (const Match& m : rule.matches)
    if (std::string why = m.known ? refuse_options(m.module, m.options) : std::string{}; !why.empty()) return why;
  if (!rule.target || !rule.target->known) return {};
  for (const Option& o : rule.target->options)
    if (o.negate && rule.target->name != "SET") return fmt::format("{} cannot be negated", o.name);
  return refuse_options(rule.target->name, rule.target->options);
}

}  // namespace egt::parsers::iptables
