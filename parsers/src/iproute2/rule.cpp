// ip rule: "100:\tfrom 10.0.0.0/8 fwmark 0x10/0xff lookup 7 suppress_prefixlength 0" (ip-rule(8), iproute2's
// ip/iprule.c).
#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "iproute2/lower.h"
#include "iptables/schema.h"

namespace egt::parsers::iproute2 {
namespace {

constexpr KeySpec kRuleWords[] = {
    {"not", ValueKind::flag},
    {"from", ValueKind::prefix},
    {"to", ValueKind::prefix},
    {"tos", ValueKind::hex},
    {"dsfield", ValueKind::hex},
    {"dscp", ValueKind::text},
    {"fwmark", ValueKind::text},
    {"iif", ValueKind::text},
    {"oif", ValueKind::text},
    {"dev", ValueKind::text},
    {"[detached]", ValueKind::flag},
    {"uidrange", ValueKind::text},
    {"ipproto", ValueKind::text},
    {"sport", ValueKind::text},
    {"dport", ValueKind::text},
    {"tun_id", ValueKind::number},
    {"flowlabel", ValueKind::text},
    {"lookup", ValueKind::text},
    {"table", ValueKind::text},
    {"suppress_prefixlength", ValueKind::number},
    {"suppress_ifgroup", ValueKind::text},
    {"realms", ValueKind::text},
    {"goto", ValueKind::text},
    {"[unresolved]", ValueKind::flag},
    {"blackhole", ValueKind::flag},
    {"unreachable", ValueKind::flag},
    {"prohibit", ValueKind::flag},
    {"nop", ValueKind::flag},
    {"proto", ValueKind::text},
    {"protocol", ValueKind::text},
    {"masquerade", ValueKind::flag},
    {"map-to", ValueKind::text},
};

// "0x10/0xff", "0/0x1"
bool read_mark(std::string_view text, host::PolicyRule& r) {
  const std::size_t slash = text.find('/');
  const auto mark = parse_u64(text.substr(0, slash));
  const auto mask =
      slash == std::string_view::npos ? std::optional<std::uint64_t>(0xffffffff) : parse_u64(text.substr(slash + 1));
  if (!mark || !mask || *mark > 0xffffffff || *mask > 0xffffffff) return false;
  r.fwmark = static_cast<std::uint32_t>(*mark);
  r.fwmask = static_cast<std::uint32_t>(*mask);
  return true;
}

template <class T>
std::optional<std::pair<T, T>> read_pair(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto first = parse_decimal(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_decimal(text.substr(dash + 1));
  constexpr std::uint64_t kMost = static_cast<T>(~T{0});
  if (!first || !last || *first > kMost || *last > kMost) return std::nullopt;
  return std::pair{static_cast<T>(*first), static_cast<T>(*last)};
}

// "0x100/0xff00"
bool read_masked_port(std::string_view value, std::string_view mask, std::optional<host::PortRange>& out) {
  const auto port = parse_u64(value), bits = parse_u64(mask);
  if (!port || !bits || *port > 0xffff || *bits > 0xffff) return false;
  const auto first = static_cast<std::uint16_t>(*port);
  out = host::PortRange{first, first, static_cast<std::uint16_t>(*bits)};
  return true;
}

bool read_ports(std::string_view text, std::optional<host::PortRange>& out) {
  if (const std::size_t slash = text.find('/'); slash != std::string_view::npos)
    return read_masked_port(text.substr(0, slash), text.substr(slash + 1), out);
  const auto pair = read_pair<std::uint16_t>(text);
  if (pair) out = host::PortRange{pair->first, pair->second};
  return pair.has_value();
}

// "10", "EF", "0x2/0x3f": without a mask the number is decimal, or a name of the whole field stands for it.
bool read_dscp(std::string_view text, host::PolicyRule& r) {
  constexpr std::uint8_t kMost = 0x3f, kUnused = 2;
  const std::size_t slash = text.find('/');
  auto dscp = parse_u64(text.substr(0, slash));
  const auto mask = slash == std::string_view::npos ? std::optional<std::uint64_t>(kMost) : parse_u64(text.substr(slash + 1));
  if (!dscp)
    if (const auto field = dsfield_value(text.substr(0, slash))) dscp = *field >> kUnused;
  if (!dscp || !mask || *dscp > kMost || *mask > kMost) return false;
  r.dscp = static_cast<std::uint8_t>(*dscp);
  r.dscp_mask = static_cast<std::uint8_t>(*mask);
  return true;
}

bool read_prefix(std::string_view text, Prefix& out, bool& has) {
  if (text == "all" || text == "default" || text == "any" || text == "0/0") return true;
  const auto prefix = Prefix::parse(text);
  if (!prefix) return false;
  out = *prefix;
  has = prefix->length > 0;
  return true;
}

// Fills a rule from its attributes, in their order: "[detached]" belongs to the device before it.
class RuleLowering {
 public:
  RuleLowering(const Entry& entry, host::PolicyRule& rule) : entry_(entry), r_(rule) {}

  void run() {
    for (const Attribute& a : entry_.words.list) {
      const std::string value = words_of::print_value(a.value);
      if (!a.known || !(selector(a.key, value) || action(a.key, value)))
        r_.not_modelled.push_back(value.empty() ? a.key : a.key + " " + value);
    }
    if (!has_action_) r_.not_modelled.push_back("no action");  // the line was cut
  }

 private:
  bool selector(std::string_view key, const std::string& value) {
    if (key == "not") {
      r_.negate = true;
      return true;
    }
    if (key == "from") return read_prefix(value, r_.from_prefix, r_.has_from);
    if (key == "to") return read_prefix(value, r_.to_prefix, r_.has_to);
    if (key == "fwmark") return read_mark(value, r_);
    if (key == "iif" || key == "dev") return device(value, r_.iif, r_.iif_detached);
    if (key == "oif") return device(value, r_.oif, r_.oif_detached);
    if (key == "[detached]") return detach();
    if (key == "sport") return read_ports(value, r_.sport);
    if (key == "dport") return read_ports(value, r_.dport);
    if (key == "dscp") return read_dscp(value, r_);
    if (key == "uidrange") {
      r_.uid_range = read_pair<std::uint32_t>(value);
      return r_.uid_range.has_value();
    }
    if (key == "ipproto") {
      r_.ip_proto = iptables::protocol_number(value);
      return r_.ip_proto.has_value();
    }
    return (key == "tos" || key == "dsfield") && read_tos(value);
  }

  bool device(const std::string& name, Name& out, bool& detached) {
    out = name;
    last_detached_ = &detached;
    return !name.empty();
  }

  bool detach() {
    if (last_detached_) *last_detached_ = true;
    return last_detached_ != nullptr;
  }

  bool read_tos(const std::string& value) {
    r_.tos = dsfield_value(value);
    return r_.tos.has_value();
  }

  bool action(std::string_view key, const std::string& value) {
    if (key == "lookup" || key == "table") return act(host::RuleAction::lookup) && look_up(value);
    if (key == "goto") return act(host::RuleAction::goto_) && go_to(value);
    if (key == "blackhole") return act(host::RuleAction::blackhole);
    if (key == "unreachable") return act(host::RuleAction::unreachable);
    if (key == "prohibit") return act(host::RuleAction::prohibit);
    if (key == "nop") return act(host::RuleAction::nop);
    if (key == "suppress_prefixlength") {
      const auto n = parse_decimal(value);
      if (n && *n <= 128) r_.suppress_prefix_length = static_cast<int>(*n);
      return r_.suppress_prefix_length.has_value();
    }
    if (key == "suppress_ifgroup") {
      r_.suppress_group = value;
      return !value.empty();
    }
    return key == "[unresolved]" || key == "proto" || key == "protocol" || key == "realms";  // which program made it; for tc
  }

  bool act(host::RuleAction action) {
    r_.action = action;
    return has_action_ = true;
  }

  bool look_up(const std::string& value) {
    r_.l3mdev = value == "[l3mdev-table]";
    r_.table = r_.l3mdev ? "" : host::canonical_table(value);
    return true;
  }

  bool go_to(const std::string& value) {
    const auto n = parse_decimal(value);
    if (n && *n <= 0xffffffff) r_.goto_priority = static_cast<std::uint32_t>(*n);  // else "none"
    return true;
  }

  const Entry& entry_;
  host::PolicyRule& r_;
  bool* last_detached_ = nullptr;  // of the device named last
  bool has_action_ = false;
};

}  // namespace

bool is_rule_line(std::string_view text) {
  text = trim_left(text);
  if (!take_head(text)) return false;
  words_of::WordReader reader(text);
  const std::string_view first = reader.peek();
  return first == "from" || first == "not";
}

void parse_rule_line(std::string_view text, TextLine& out) {
  if (!is_rule_line(text)) return;
  out.kind = LineKind::entry;
  text = trim_left(text);
  out.head = take_head(text);
  words_of::WordReader reader(text);
  words_of::parse_attributes(reader, kRuleWords, out.words);
}

void RuleList::add(const Entry& e) {
  if (is_v6_text(e.words.text("from")) || is_v6_text(e.words.text("to"))) v6_ = true;
  room_.make(rules_, e.line);
  host::PolicyRule& r = rules_.emplace_back();
  r.family = v6_ ? Family::v6 : Family::v4;
  r.from_prefix = r.to_prefix = Prefix::any(r.family);
  r.priority = static_cast<std::uint32_t>(e.head.value_or(0));
  r.from = {source_, e.line};
  RuleLowering(e, r).run();
}

// One dump shows the rules of one version, and only addresses show of which.
std::vector<host::PolicyRule> RuleList::take() {
  for (host::PolicyRule& r : rules_) {
    if (!v6_ || r.family == Family::v6) continue;
    r.family = Family::v6;
    if (!r.has_from) r.from_prefix = Prefix::any(r.family);
    if (!r.has_to) r.to_prefix = Prefix::any(r.family);
  }
  return std::move(rules_);
}

}  // namespace egt::parsers::iproute2
