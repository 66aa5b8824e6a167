// ip addr and ip link: a header line per device, indented lines of details and addresses below (ip-address(8),
// ip-link(8)).
#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "iproute2/lower.h"
#include "support/room.h"

namespace egt::parsers::iproute2 {
namespace {

constexpr KeySpec kHeaderKeys[] = {
    {"mtu", ValueKind::number},      {"qdisc", ValueKind::text},      {"master", ValueKind::text},   {"state", ValueKind::text},
    {"mode", ValueKind::text},       {"group", ValueKind::text},      {"qlen", ValueKind::number},   {"xdp", ValueKind::flag},
    {"xdpgeneric", ValueKind::flag}, {"xdpoffload", ValueKind::flag}, {"xdpmulti", ValueKind::flag},
};

constexpr KeySpec kAddressKeys[] = {
    {"inet", ValueKind::prefix},         {"inet6", ValueKind::prefix},    {"peer", ValueKind::prefix},
    {"brd", ValueKind::address},         {"any", ValueKind::address},     {"metric", ValueKind::number},
    {"scope", ValueKind::text},          {"proto", ValueKind::text},      {"flags", ValueKind::text},
    {"secondary", ValueKind::flag},      {"temporary", ValueKind::flag},  {"tentative", ValueKind::flag},
    {"dadfailed", ValueKind::flag},      {"deprecated", ValueKind::flag}, {"home", ValueKind::flag},
    {"mngtmpaddr", ValueKind::flag},     {"nodad", ValueKind::flag},      {"optimistic", ValueKind::flag},
    {"noprefixroute", ValueKind::flag},  {"autojoin", ValueKind::flag},   {"dynamic", ValueKind::flag},
    {"stable-privacy", ValueKind::flag},
};

constexpr KeySpec kLifetimeKeys[] = {{"valid_lft", ValueKind::text}, {"preferred_lft", ValueKind::text}};

// First words of ip -d link's lines about the kind of a device, and of its place in a bridge, bond or VRF.
constexpr std::string_view kKinds[] = {
    "veth",          "bridge",       "bond",       "vlan",        "macvlan",    "macvtap",
    "vrf",           "vxlan",        "geneve",     "gre",         "gretap",     "ip6gre",
    "ip6gretap",     "erspan",       "ip6erspan",  "tun",         "dummy",      "ifb",
    "ipip",          "ip6tnl",       "sit",        "openvswitch", "wireguard",  "ipvlan",
    "ipvtap",        "team",         "nlmon",      "vcan",        "can",        "xfrm",
    "vti",           "vti6",         "netdevsim",  "bareudp",     "macsec",     "hsr",
    "batadv",        "vrrp",         "rmnet",      "amt",         "gtp",        "ipoib",
    "nic",           "vsockmon",     "vxcan",      "virt_wifi",   "lowpan",     "netkit",
    "dsa",           "bridge_slave", "bond_slave", "vrf_slave",   "team_slave", "openvswitch_slave",
    "macvlan_slave", "xstats"};

constexpr std::string_view kOperStates[] = {"UP", "DOWN", "UNKNOWN", "LOWERLAYERDOWN", "DORMANT", "NOTPRESENT", "TESTING"};

template <class List>
bool is_one_of(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_kind(std::string_view word) { return is_one_of(kKinds, word); }

std::string value_of(const Attribute& a) { return words_of::print_value(a.value); }

// All words of a line as they stand: details that nothing is decided by, or that are read by place.
void take_all(words_of::WordReader& reader, TextLine& out) {
  while (!reader.done()) words_of::take_positional(reader, ValueKind::text, out.words);
  out.words.tail = std::string(reader.rest());
}

bool is_counter_line(std::string_view text) {
  const auto parts = words(text);
  return parts.size() >= 3 && std::all_of(parts.begin(), parts.end(), [](std::string_view w) {
           return is_digit(w[0]) && w.find_first_not_of("0123456789.KMGTPEi") == std::string_view::npos;
         });
}

// Lines that no packet's path depends on.
bool is_detail(std::string_view first, std::string_view text) {
  return is_kind(first) || first == "RX:" || first == "TX:" || first == "RX" || first == "TX" || first == "altname" ||
         first == "alias" || first == "vf" || first == "parentbus" || first == "prog/xdp" || first == "port" ||
         first == "tunnel" || is_counter_line(text);
}

// A label may stand at the end of an IPv4 address.
void accept_label(Attributes& words) {
  if (words.list.empty() || words.list.back().known || !words.has("inet")) return;
  Attribute& last = words.list.back();
  last.value = last.key;
  last.key.clear();
  last.known = true;
}

void parse_link_layer(words_of::WordReader& reader, TextLine& out) {
  words_of::take_positional(reader, ValueKind::text, out.words);  // "link/ether"
  if (!reader.done() && (MacAddr::parse(reader.peek()) || IpAddr::parse(reader.peek())))
    words_of::take_positional(reader, ValueKind::mac, out.words);
  take_all(reader, out);
}

void parse_indented(std::string_view text, TextLine& out) {
  words_of::WordReader reader(text);
  const std::string_view first = reader.peek();
  out.kind = LineKind::continuation;
  if (first.starts_with("link/")) {
    parse_link_layer(reader, out);
  } else if (first == "inet" || first == "inet6") {
    words_of::parse_attributes(reader, kAddressKeys, out.words);
    accept_label(out.words);
  } else if (first == "valid_lft") {
    words_of::parse_attributes(reader, kLifetimeKeys, out.words);
  } else if (is_detail(first, text)) {
    take_all(reader, out);
  } else {
    out.kind = LineKind::unknown;
  }
}

// "xdp", or with the number of the program "xdpgeneric/id:17".
bool names_program(const Attribute& a) { return a.key.starts_with("xdp") || (a.key.empty() && value_of(a).starts_with("xdp")); }

void accept_programs(Attributes& words) {
  for (Attribute& a : words.list) a.known |= names_program(a) && (a.key + value_of(a)).find("/id:") != std::string::npos;
}

void parse_header(std::string_view text, TextLine& out) {
  out.kind = LineKind::entry;
  out.head = take_head(text);
  words_of::WordReader reader(text);
  words_of::take_positional(reader, ValueKind::text, out.words);  // "eth0@if7:"
  if (reader.peek().starts_with("<")) {
    if (!reader.peek().ends_with(">")) out.kind = LineKind::unknown;  // cut: UP may be in what is lost
    words_of::take_positional(reader, ValueKind::text, out.words);
    words_of::parse_attributes(reader, kHeaderKeys, out.words);
    accept_programs(out.words);
  } else {
    words_of::parse_attributes(reader, kAddressKeys, out.words);
    accept_label(out.words);
  }
}

// ---- model

void set_name(host::Link& link, std::string_view text) {
  if (text.ends_with(":")) text.remove_suffix(1);
  const std::size_t at = text.find('@');
  link.name = std::string(text.substr(0, at));
  if (at != std::string_view::npos) link.peer = std::string(text.substr(at + 1));
}

void set_flags(host::Link& link, std::string_view text) {
  if (text.starts_with("<")) text.remove_prefix(1);
  if (text.ends_with(">")) text.remove_suffix(1);
  link.flags.list = text;
}

class LinkLowering {
 public:
  explicit LinkLowering(const Dump& dump) : source_(dump.source), room_(dump.text, dump.first_line) {}

  void add(const TextLine& line) {
    if (line.kind == LineKind::entry) take_entry(line);
    if (line.kind == LineKind::continuation && !links_.empty()) take_more(line.words, line.number);
  }
  std::vector<host::Link> take() { return std::move(links_); }

 private:
  // ip -o addr shows one device in several lines, one behind the other.
  host::Link& link_named(std::string_view text, std::uint32_t line) {
    host::Link fresh;
    set_name(fresh, text);
    if (!links_.empty() && links_.back().name == fresh.name) return links_.back();
    fresh.from = {source_, line};
    room_.make(links_, line);
    return links_.emplace_back(std::move(fresh));
  }

  void take_entry(const TextLine& line) {
    const auto& list = line.words.list;
    if (list.empty()) return;
    host::Link& link = link_named(value_of(list[0]), line.number);
    if (!line.head) return take_brief(list, link, line.number);
    link.index = static_cast<std::uint32_t>(std::min<std::uint64_t>(*line.head, UINT32_MAX));
    if (list.size() > 1 && value_of(list[1]).starts_with("<")) set_flags(link, value_of(list[1]));
    if (const auto mtu = line.words.number("mtu")) link.mtu = static_cast<std::uint32_t>(*mtu);
    if (line.words.has("master")) link.master = line.words.text("master");
    if (line.words.has("group")) link.group = line.words.text("group");
    if (line.words.has("state")) link.state = line.words.text("state");
    if (line.words.has("qdisc")) link.queue = line.words.text("qdisc");
    link.has_program |= std::any_of(list.begin(), list.end(), names_program);
    if (line.words.has("inet") || line.words.has("inet6")) take_address(line.words, line.number);
  }

  void take_brief(const std::vector<Attribute>& list, host::Link& link, std::uint32_t line) {
    if (list.size() > 1) link.state = value_of(list[1]);
    for (std::size_t i = 2; i < list.size(); ++i) {
      const std::string word = value_of(list[i]);
      if (word.starts_with("<"))
        set_flags(link, word);
      else if (const auto mac = MacAddr::parse(word))
        link.mac = mac;
      else if (word == "peer" && i + 1 < list.size())
        set_peer(link, value_of(list[++i]));
      else if (const auto prefix = Prefix::parse(word))
        link.addresses.push_back(address(*prefix, line));
    }
  }

  host::Address address(const Prefix& prefix, std::uint32_t line) const {
    host::Address a;
    a.prefix = prefix;
    a.from = {source_, line};
    return a;
  }

  // "10.9.0.1 peer 10.9.0.2/32": the length is the peer's.
  static void set_peer(host::Link& link, std::string_view text) {
    if (const auto peer = Prefix::parse(text); peer && !link.addresses.empty()) set_peer(link.addresses.back(), *peer);
  }

  static void set_peer(host::Address& own, const Prefix& peer) {
    own.peer = peer.address;
    own.prefix.length = peer.length;
  }

  void take_address(const Attributes& words, std::uint32_t line) {
    const auto prefix = Prefix::parse(words.text(words.has("inet") ? "inet" : "inet6"));
    if (!prefix) return;
    host::Address a = address(*prefix, line);
    if (const auto peer = Prefix::parse(words.text("peer"))) set_peer(a, *peer);
    a.scope = words.text("scope");
    a.secondary = words.has("secondary") || words.has("temporary");
    a.deprecated = words.has("deprecated");
    a.tentative = words.has("tentative") || words.has("dadfailed");
    a.noprefixroute = words.has("noprefixroute");
    links_.back().addresses.push_back(std::move(a));
  }

  void take_more(const Attributes& words, std::uint32_t line) {
    if (words.has("inet") || words.has("inet6")) return take_address(words, line);
    if (words.list.empty() || !words.list[0].key.empty()) return;
    const std::string first = value_of(words.list[0]);
    host::Link& link = links_.back();
    if (first.starts_with("link/"))
      take_link_layer(words, link);
    else if (first == "bridge_slave")
      link.port_state = behind(words, "state");
    else if (first == "bond_slave")
      link.leg_state = leg_state_named(behind(words, "state"));
    else if (is_kind(first) && !first.ends_with("_slave") && first != "xstats" && link.kind.empty())
      take_kind(words, link);
  }

  static std::string behind(const Attributes& words, std::string_view name) {
    for (std::size_t i = 1; i + 1 < words.list.size(); ++i)
      if (value_of(words.list[i]) == name) return value_of(words.list[i + 1]);
    return {};
  }

  static void take_link_layer(const Attributes& words, host::Link& link) {
    link.link_type = value_of(words.list[0]).substr(5);
    if (words.list.size() > 1) link.mac = MacAddr::parse(value_of(words.list[1]));
  }

  static void take_kind(const Attributes& words, host::Link& link) {
    link.kind = value_of(words.list[0]);
    if (has_mode(link.kind)) link.mode = behind(words, "mode");
    if (link.kind == "bridge") {
      link.filters_vlans = behind(words, "vlan_filtering") == "1";
      link.vlan_protocol = vlan_protocol(behind(words, "vlan_protocol"));
    }
    if (link.kind == "bond") link.active_leg = behind(words, "active_slave");
    if (link.kind == "vlan") {
      if (const auto id = parse_decimal(behind(words, "id")); id && *id <= 4095) link.vlan_id = static_cast<std::uint16_t>(*id);
      link.vlan_protocol = vlan_protocol(behind(words, "protocol"));
    }
    if (link.kind != "vrf") return;
    static constexpr std::pair<std::string_view, std::uint32_t> kNamed[] = {{"local", 255}, {"main", 254}, {"default", 253}};
    const std::string table = behind(words, "table");
    if (const auto n = parse_u64(table); n && *n <= UINT32_MAX) link.vrf_table = static_cast<std::uint32_t>(*n);
    for (const auto& [name, number] : kNamed)
      if (table == name) link.vrf_table = number;
  }

  SourceId source_;
  Room room_;
  std::vector<host::Link> links_;
};

}  // namespace

bool has_mode(std::string_view kind) {
  static constexpr std::string_view kWithMode[] = {"macvlan", "macvtap", "ipvlan", "ipvtap", "bond"};
  return is_one_of(kWithMode, kind);
}

host::LegState leg_state_named(std::string_view word) {
  if (word == "ACTIVE") return host::LegState::active;
  return word == "BACKUP" ? host::LegState::backup : host::LegState::unknown;
}

std::uint16_t vlan_protocol(std::string_view word) { return word == "802.1ad" ? 0x88a8 : 0x8100; }

bool is_link_header(std::string_view text) {
  if (!take_head(text) || !text.starts_with(" ")) return false;
  words_of::WordReader reader(text);
  std::string gap;
  const std::string_view name = reader.next(gap);
  const std::string_view second = reader.peek();
  return (name.ends_with(":") && second.starts_with("<")) || second == "inet" || second == "inet6";
}

bool is_brief_link_line(std::string_view text) {
  const auto parts = words(text);
  if (text.empty() || is_blank(text[0]) || parts.size() < 2 || !is_one_of(kOperStates, parts[1])) return false;
  return parts.size() == 2 || MacAddr::parse(parts[2]) || Prefix::parse(parts[2]) || parts[2].starts_with("<");
}

void parse_link_line(std::string_view text, TextLine& out) {
  if (is_link_header(text)) return parse_header(text, out);
  if (!text.empty() && is_blank(text[0])) return parse_indented(text, out);
  if (!is_brief_link_line(text)) return;
  out.kind = LineKind::entry;
  words_of::WordReader reader(text);
  take_all(reader, out);
}

bool is_link_line(std::string_view text) {
  if (is_link_header(text)) {
    take_head(text);
    words_of::WordReader reader(text);
    std::string gap;
    reader.next(gap);
    return !reader.peek().starts_with("<") || reader.peek().ends_with(">");
  }
  if (text.empty() || !is_blank(text[0])) return is_brief_link_line(text);
  const std::string_view first = words_of::WordReader(text).peek();
  return first.starts_with("link/") || first == "inet" || first == "inet6" || first == "valid_lft" || is_detail(first, text);
}

std::vector<host::Link> read_link_lines(const Dump& dump, Report& report) {
  LinkLowering links(dump);
  read_lines(dump, parse_link_line, true, Purpose::loading, report, [&](TextLine&& line) { links.add(line); });
  return links.take();
}

}  // namespace egt::parsers::iproute2
