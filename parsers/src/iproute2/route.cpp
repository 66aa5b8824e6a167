// ip route: "default via 10.0.0.1 dev eth0 proto static metric 100", and lines of "nexthop …" below it (ip-route(8),
// iproute2's ip/iproute.c).
#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "iproute2/lower.h"

namespace egt::parsers::iproute2 {
namespace {

constexpr KeySpec kRouteWords[] = {
    {"from", ValueKind::prefix},
    {"tos", ValueKind::text},
    {"dsfield", ValueKind::text},
    {"nhid", ValueKind::number},
    {"encap", ValueKind::encap},
    {"via", ValueKind::via},
    {"dev", ValueKind::text},
    {"table", ValueKind::text},
    {"proto", ValueKind::text},
    {"scope", ValueKind::text},
    {"src", ValueKind::address},
    {"metric", ValueKind::number},
    {"onlink", ValueKind::flag},
    {"linkdown", ValueKind::flag},
    {"dead", ValueKind::flag},
    {"pervasive", ValueKind::flag},
    {"offload", ValueKind::flag},
    {"rt_offload", ValueKind::flag},
    {"offload_failed", ValueKind::flag},
    {"rt_offload_failed", ValueKind::flag},
    {"trap", ValueKind::flag},
    {"rt_trap", ValueKind::flag},
    {"notify", ValueKind::flag},
    {"unresolved", ValueKind::flag},
    {"realm", ValueKind::text},
    {"realms", ValueKind::text},
    {"mtu", ValueKind::lockable},
    {"advmss", ValueKind::lockable},
    {"window", ValueKind::lockable},
    {"rtt", ValueKind::lockable},
    {"rttvar", ValueKind::lockable},
    {"ssthresh", ValueKind::lockable},
    {"cwnd", ValueKind::lockable},
    {"initcwnd", ValueKind::lockable},
    {"initrwnd", ValueKind::lockable},
    {"reordering", ValueKind::lockable},
    {"hoplimit", ValueKind::lockable},
    {"quickack", ValueKind::lockable},
    {"rto_min", ValueKind::lockable},
    {"congctl", ValueKind::lockable},
    {"features", ValueKind::text},
    {"fastopen_no_cookie", ValueKind::number},
    {"iif", ValueKind::text},
    {"mark", ValueKind::text},
    {"uid", ValueKind::number},
    {"expires", ValueKind::text},
    {"error", ValueKind::text},
    {"users", ValueKind::number},
    {"used", ValueKind::number},
    {"age", ValueKind::text},
    {"pref", ValueKind::text},
    {"ttl-propagate", ValueKind::text},
    {"weight", ValueKind::number},
    {"nexthop", ValueKind::flag},
    {"as", ValueKind::text},
    {"cache", ValueKind::flag},
    // ip -d: the next hop object behind a nhid
    {"nh_info", ValueKind::flag},
    {"id", ValueKind::number},
    {"group", ValueKind::text},
    {"blackhole", ValueKind::flag},
};

// Keys that change where a packet goes and that the model does not hold.
constexpr std::string_view kNotModelled[] = {"encap", "from", "as", "unresolved", "ttl-propagate"};

constexpr std::string_view kTypes[] = {"unicast", "local",       "broadcast", "multicast", "anycast",
                                       "throw",   "unreachable", "prohibit",  "blackhole", "nat"};

bool is_destination(std::string_view word) { return word == "default" || Prefix::parse(word).has_value(); }

bool is_key(std::string_view word) {
  return std::any_of(std::begin(kRouteWords), std::end(kRouteWords), [&](const KeySpec& k) { return k.name == word; });
}

void take_next_hop_word(const Attribute& a, host::NextHop& hop) {
  if (a.key == "via") {
    const auto* marked = std::get_if<words_of::Marked>(&a.value);
    hop.via = IpAddr::parse(marked ? marked->text : words_of::print_value(a.value));
  } else if (a.key == "dev") {
    hop.device = words_of::print_value(a.value);
  } else if (a.key == "weight") {
    hop.weight = static_cast<std::uint32_t>(std::min<std::uint64_t>(parse_u64(words_of::print_value(a.value)).value_or(1), 256));
  } else if (a.key == "onlink") {
    hop.onlink = true;
  } else if (a.key == "linkdown") {
    hop.linkdown = true;
  } else if (a.key == "dead") {
    hop.dead = true;
  }
}

class RouteLowering {
 public:
  RouteLowering(const Entry& entry, host::Route& route) : entry_(entry), r_(route) {}

  void run(std::string_view table) {
    bool in_hops = false;
    host::NextHop hop;
    for (const Attribute& a : entry_.words.list) take(a, in_hops, hop);
    for (const Attributes& line : entry_.more) {
      if (line.has("nh_info") || line.has("cache")) continue;
      for (const Attribute& a : line.list) take(a, in_hops, hop);
    }
    if (in_hops || hop.via || !hop.device.empty()) r_.next_hops.push_back(hop);
    plain(table);
  }

 private:
  // "from fd00::/64" of IPv6; IPv4 has none.
  bool take_sources(const Attribute& a) {
    if (a.key != "from" || r_.family != Family::v6) return false;
    const auto sources = Prefix::parse(words_of::print_value(a.value));
    if (!sources || sources->address.is_v4()) return false;
    if (sources->length > 0) r_.sources = *sources;
    return true;
  }

  void take(const Attribute& a, bool& in_hops, host::NextHop& hop) {
    if (take_sources(a)) return;
    if (!a.known || std::find(std::begin(kNotModelled), std::end(kNotModelled), a.key) != std::end(kNotModelled))
      r_.not_modelled.push_back(a.key + " " + words_of::print_value(a.value));
    if (a.key == "nexthop") {
      if (in_hops) r_.next_hops.push_back(hop);
      in_hops = true;
      hop = {};
    } else {
      take_next_hop_word(a, hop);
      if (a.key == "via" && !hop.via) r_.not_modelled.push_back("via " + words_of::print_value(a.value));
    }
  }

  void plain(std::string_view table) {
    const Attributes& w = entry_.words;
    r_.table = host::canonical_table(w.has("table") ? w.text("table") : std::string(table));
    r_.protocol = w.text("proto");
    r_.scope = w.text("scope");
    r_.source_hint = IpAddr::parse(w.text("src"));
    if (const auto n = w.number("metric")) r_.metric = static_cast<std::uint32_t>(*n);
    if (const auto n = w.number("mtu")) r_.mtu = static_cast<std::uint32_t>(*n);
    if (const auto n = w.number("nhid")) r_.nexthop_id = static_cast<std::uint32_t>(*n);
    if (r_.nexthop_id != 0 && r_.next_hops.empty() && r_.type == host::RouteType::unicast)
      r_.next_hops.emplace_back();  // one that is not shown
    if (!w.has("tos")) return;
    if (const auto n = w.number("tos"))
      r_.tos = static_cast<std::uint8_t>(*n);
    else
      r_.tos = dsfield_value(w.text("tos"));
    if (!r_.tos) r_.not_modelled.push_back("tos " + w.text("tos"));
  }

  const Entry& entry_;
  host::Route& r_;
};

// Type and destination stand in front without a key.
struct RouteHead {
  host::RouteType type = host::RouteType::unicast;
  std::string destination;
};
RouteHead head_of(const Attributes& words) {
  RouteHead head;
  for (const Attribute& a : words.list) {
    if (!a.key.empty()) break;
    const std::string text = words_of::print_value(a.value);
    const auto type = route_type(text);
    if (type && head.destination.empty())
      head.type = *type;
    else
      head.destination = text;
  }
  return head;
}

// IPv6 routes end with their router preference.
bool shows_v6(const Entry& e, const std::string& destination) {
  if (is_v6_text(destination) || is_v6_text(e.words.text("src")) || e.words.has("pref")) return true;
  const Attribute* via = e.words.find("via");
  if (via && is_v6_text(words_of::print_value(via->value))) return true;
  return std::any_of(e.more.begin(), e.more.end(), [](const Attributes& m) { return is_v6_text(m.text("via")); });
}

bool shows_v4(const Entry& e, const std::string& destination) {
  return Prefix::parse(destination).has_value() || IpAddr::parse(e.words.text("src")) || IpAddr::parse(e.words.text("via")) ||
         e.words.text("via").starts_with("inet6 ");
}

}  // namespace

std::optional<host::RouteType> route_type(std::string_view word) {
  const auto* found = std::find(std::begin(kTypes), std::end(kTypes), word);
  if (found == std::end(kTypes)) return std::nullopt;
  return static_cast<host::RouteType>(found - std::begin(kTypes));
}

bool is_v6_text(std::string_view text) {
  const auto prefix = Prefix::parse(text);
  return prefix && !prefix->address.is_v4();
}

bool is_route_line(std::string_view text) {
  words_of::WordReader reader(text);
  std::string gap;
  std::string_view word = reader.next(gap);
  const bool typed = route_type(word).has_value();
  if (typed) word = reader.next(gap);
  if (!is_destination(word)) return false;
  return reader.done() ? typed || word.find('/') != std::string_view::npos || word == "default" : is_key(reader.peek());
}

// "192.0.2.1 ", the head of a route to one host with its next hops in the lines below.
bool is_bare_host(std::string_view text) { return IpAddr::parse(trim(text)).has_value(); }

void parse_route_line(std::string_view text, TextLine& out) {
  words_of::WordReader reader(text);
  const std::string_view first = reader.peek();
  if (first == "nexthop" || first == "nh_info" || first == "cache") {
    out.kind = LineKind::continuation;
  } else if (is_route_line(text) || is_bare_host(text)) {
    out.kind = LineKind::entry;
    if (route_type(first)) words_of::take_positional(reader, ValueKind::text, out.words);
    words_of::take_positional(reader, ValueKind::prefix, out.words);
    if (!out.words.list.empty()) out.words.list.front().gap = std::string(text.substr(0, text.find(first)));
  } else {
    return;
  }
  words_of::parse_attributes(reader, kRouteWords, out.words);
}

// "    cache expires 595sec mtu 1300" below a route.
const Attributes* cache_line(const Entry& e) {
  for (const Attributes& line : e.more)
    if (line.has("cache")) return &line;
  return nullptr;
}

std::optional<host::PathMtu> path_mtu_of(const Entry& e, const Attributes& cache, SourceId source) {
  if (e.words.list.empty()) return std::nullopt;
  host::PathMtu known;
  const auto to = IpAddr::parse(words_of::print_value(e.words.list.front().value));
  for (const Attribute& a : e.words.list)
    if (a.key == "dev") known.device = words_of::print_value(a.value);
  known.mtu = static_cast<std::uint32_t>(cache.number("mtu").value_or(0));
  if (!to || known.mtu == 0) return std::nullopt;
  known.to = *to;
  known.from = {source, e.line};
  return known;
}

host::Route RouteList::lower(const Entry& e) {
  const RouteHead head = head_of(e.words);
  host::Route r;
  const bool is_v6 = shows_v6(e, head.destination);
  after_v6_ |= is_v6;
  r.family = after_v6_ && (v6_ || is_v6 || !shows_v4(e, head.destination)) ? Family::v6 : Family::v4;
  r.type = head.type;
  const auto prefix = Prefix::parse(head.destination);
  r.to = prefix ? *prefix : Prefix::any(r.family);
  if (prefix) r.family = prefix->address.family;
  r.from = {source_, e.line};
  RouteLowering(e, r).run(table_);
  r.next_hops.shrink_to_fit();
  return r;
}

bool RouteList::add(const Entry& e) {
  shows_local |= e.words.text("table") == "local";
  if (const Attributes* cache = cache_line(e)) {
    if (auto known = path_mtu_of(e, *cache, source_)) path_mtus.push_back(std::move(*known));
    return false;
  }
  host::Route r = lower(e);
  std::vector<host::Route>& routes = r.family == Family::v4 ? v4 : v6;
  room_.make(routes, e.line);
  routes.push_back(std::move(r));
  return true;
}

}  // namespace egt::parsers::iproute2
