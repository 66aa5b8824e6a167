// The objects of ip -j as the words that ip prints without -j, so that one place gives both their meaning.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "iproute2/json.h"
#include "iproute2/lower.h"

namespace egt::parsers::iproute2 {
namespace {

void add(Attributes& words, std::string key, const std::string& value, ValueKind kind = ValueKind::text) {
  Attribute a;
  a.key = std::move(key);
  a.value = kind == ValueKind::flag ? words_of::Value{} : words_of::typed_value(value, kind);
  words.list.push_back(std::move(a));
}

void add_unknown(Attributes& words, const std::string& key, Report& report, Provenance at) {
  Attribute a;
  a.key = key;
  a.known = false;
  words.list.push_back(std::move(a));
  report.diagnostics.push_back({Diagnostic::Severity::warning, at, 0, fmt::format("'{}' is not known here", key), {}});
}

std::string scalar(const JsonValue& v) {
  if (const auto* s = std::get_if<std::string>(&v.node)) return *s;
  if (const auto* n = std::get_if<JsonNumber>(&v.node)) return n->text;
  return {};
}

// Keys that mean the same under another name, and those that decide nothing.
struct Rename {
  std::string_view json, text;
  ValueKind kind;
};

const Rename* find_rename(std::span<const Rename> renames, std::string_view key) {
  const auto found = std::find_if(renames.begin(), renames.end(), [&](const Rename& r) { return r.json == key; });
  return found == renames.end() ? nullptr : &*found;
}

constexpr Rename kRuleKeys[] = {
    {"not", "not", ValueKind::flag},
    {"iif", "iif", ValueKind::text},
    {"iif_detached", "[detached]", ValueKind::flag},
    {"oif", "oif", ValueKind::text},
    {"oif_detached", "[detached]", ValueKind::flag},
    {"tos", "tos", ValueKind::hex},
    {"ipproto", "ipproto", ValueKind::text},
    {"tun_id", "tun_id", ValueKind::number},
    {"table", "lookup", ValueKind::text},
    {"goto", "goto", ValueKind::text},
    {"unresolved", "[unresolved]", ValueKind::flag},
    {"nop", "nop", ValueKind::flag},
    {"suppress_prefixlen", "suppress_prefixlength", ValueKind::number},
    {"suppress_ifgroup", "suppress_ifgroup", ValueKind::text},
    {"protocol", "proto", ValueKind::text},
    {"flow_from", "realms", ValueKind::text},
    {"flow_to", "realms", ValueKind::text},
    {"flow", "realms", ValueKind::text},
};
constexpr std::string_view kRuleKeysElsewhere[] = {
    "priority", "src",    "srclen",      "dst",       "dstlen",      "fwmark",    "fwmask",
    "l3mdev",   "action", "sport_start", "sport_end", "dport_start", "dport_end", "uid_start",
    "uid_end",  "sport",  "sport_mask",  "dport",     "dport_mask",  "dscp",      "dscp_mask"};

std::string with_length(const JsonValue& v, std::string_view address, std::string_view length) {
  return v.has(length) ? v.text(address) + "/" + v.text(length) : v.text(address);
}

Attributes rule_words(const JsonValue& v, Report& report, Provenance at) {
  Attributes words;
  add(words, "from", v.has("src") ? with_length(v, "src", "srclen") : "all", ValueKind::prefix);
  if (v.has("dst")) add(words, "to", with_length(v, "dst", "dstlen"), ValueKind::prefix);
  if (v.has("fwmark")) add(words, "fwmark", v.has("fwmask") ? v.text("fwmark") + "/" + v.text("fwmask") : v.text("fwmark"));
  for (const auto& [key, value] : *std::get_if<JsonObject>(&v.node)) {
    if (const Rename* r = find_rename(kRuleKeys, key))
      add(words, std::string(r->text), scalar(value), r->kind);
    else if (std::find(std::begin(kRuleKeysElsewhere), std::end(kRuleKeysElsewhere), key) == std::end(kRuleKeysElsewhere))
      add_unknown(words, key, report, at);
  }
  for (const std::string name : {"sport", "dport", "dscp"})
    if (v.has(name)) add(words, name, v.has(name + "_mask") ? v.text(name) + "/" + v.text(name + "_mask") : v.text(name));
  for (const std::string name : {"sport", "dport"})
    if (v.has(name + "_start")) add(words, name, v.text(name + "_start") + "-" + v.text(name + "_end"));
  if (v.has("uid_start")) add(words, "uidrange", v.text("uid_start") + "-" + v.text("uid_end"));
  if (v.has("l3mdev")) add(words, "lookup", "[l3mdev-table]");
  if (v.has("action")) add(words, v.text("action"), "", ValueKind::flag);
  return words;
}

constexpr Rename kRouteKeys[] = {
    {"from", "from", ValueKind::prefix},
    {"tos", "tos", ValueKind::text},
    {"nhid", "nhid", ValueKind::number},
    {"gateway", "via", ValueKind::via},
    {"dev", "dev", ValueKind::text},
    {"table", "table", ValueKind::text},
    {"protocol", "proto", ValueKind::text},
    {"scope", "scope", ValueKind::text},
    {"prefsrc", "src", ValueKind::address},
    {"metric", "metric", ValueKind::number},
    {"pref", "pref", ValueKind::text},
    {"weight", "weight", ValueKind::number},
    {"expires", "expires", ValueKind::text},
    {"error", "error", ValueKind::text},
    {"ttl-propogate", "ttl-propagate", ValueKind::text},
};
constexpr std::string_view kRouteKeysIgnored[] = {"type",    "dst",   "flags", "metrics", "nexthops", "via", "flow",
                                                  "nh_info", "cache", "used",  "age",     "users",    "uid", "encap"};

void add_flags(const JsonValue& v, Attributes& words) {
  const JsonValue* flags = v.find("flags");
  if (!flags || !flags->array()) return;
  for (const JsonValue& f : *flags->array()) add(words, scalar(f), "", ValueKind::flag);
}

void add_via(const JsonValue& v, Attributes& words) {
  const JsonValue* via = v.find("via");
  if (!via) return;
  Attribute a;
  a.key = "via";
  a.value = words_of::Marked{via->text("family"), via->text("host")};
  words.list.push_back(std::move(a));
}

void add_metrics(const JsonValue& v, Attributes& words) {
  const JsonValue* metrics = v.find("metrics");
  if (!metrics || !metrics->array()) return;
  for (const JsonValue& m : *metrics->array())
    if (m.has("mtu")) add(words, "mtu", m.text("mtu"), ValueKind::number);
}

Attributes route_words(const JsonValue& v, bool next_hop, Report& report, Provenance at) {
  Attributes words;
  if (next_hop) add(words, "nexthop", "", ValueKind::flag);
  if (v.has("type")) add(words, "", v.text("type"));
  if (!next_hop) add(words, "", v.text("dst"), ValueKind::prefix);
  const bool encapsulated = v.has("encap");
  if (encapsulated) add(words, "encap", v.text("encap"));
  for (const auto& [key, value] : *std::get_if<JsonObject>(&v.node)) {
    if (const Rename* r = find_rename(kRouteKeys, key)) add(words, std::string(r->text), scalar(value), r->kind);
    // The encapsulation's own members stand among the route's.
    else if (!encapsulated &&
             std::find(std::begin(kRouteKeysIgnored), std::end(kRouteKeysIgnored), key) == std::end(kRouteKeysIgnored))
      add_unknown(words, key, report, at);
  }
  add_via(v, words);
  add_metrics(v, words);
  add_flags(v, words);
  return words;
}

constexpr Rename kNeighbourKeys[] = {
    {"dev", "dev", ValueKind::text},
    {"lladdr", "lladdr", ValueKind::mac},
    {"router", "router", ValueKind::flag},
    {"proxy", "proxy", ValueKind::flag},
    {"extern_learn", "extern_learn", ValueKind::flag},
    {"offload", "offload", ValueKind::flag},
    {"managed", "managed", ValueKind::flag},
    {"protocol", "proto", ValueKind::text},
};

Attributes neighbour_words(const JsonValue& v) {
  Attributes words;
  add(words, "", v.text("dst"), ValueKind::address);
  for (const auto& [key, value] : *std::get_if<JsonObject>(&v.node))
    if (const Rename* r = find_rename(kNeighbourKeys, key)) add(words, std::string(r->text), scalar(value), r->kind);
  if (const JsonValue* states = v.find("state"); states && states->array())
    for (const JsonValue& s : *states->array()) add(words, scalar(s), "", ValueKind::flag);
  return words;
}

// What can be an entry at all: an object with the key that each one has.
template <class Make>
std::vector<Entry> entries_with(const JsonValue& document, std::string_view key, std::uint32_t line, Make make) {
  std::vector<Entry> entries;
  const JsonArray* array = document.array();
  if (!array) return entries;
  for (const JsonValue& v : *array)
    if (v.has(key)) {
      Entry e;
      e.line = line;
      make(v, e);
      entries.push_back(std::move(e));
    }
  return entries;
}

std::uint32_t small(const std::string& text) {
  const auto n = parse_u64(text);
  return n && *n <= UINT32_MAX ? static_cast<std::uint32_t>(*n) : 0;
}

host::Address json_address(const JsonValue& v, Provenance at) {
  host::Address a;
  if (const auto prefix = Prefix::parse(v.text("local") + "/" + v.text("prefixlen"))) a.prefix = *prefix;
  a.peer = IpAddr::parse(v.text("address"));
  a.scope = v.text("scope");
  a.secondary = v.has("secondary") || v.has("temporary");
  a.deprecated = v.has("deprecated");
  a.tentative = v.has("tentative") || v.has("dadfailed");
  a.noprefixroute = v.has("noprefixroute");
  a.from = at;
  return a;
}

void take_link_info(const JsonValue& v, host::Link& link) {
  const JsonValue* info = v.find("linkinfo");
  if (!info) return;
  link.kind = info->text("info_kind");
  if (const JsonValue* port = info->find("info_slave_data")) {
    if (info->text("info_slave_kind") == "bridge") link.port_state = port->text("state");
    if (info->text("info_slave_kind") == "bond") link.leg_state = leg_state_named(port->text("state"));
  }
  const JsonValue* data = info->find("info_data");
  if (!data) return;
  if (has_mode(link.kind)) link.mode = data->text("mode");
  if (link.kind == "bridge" && data->text("vlan_filtering") == "1") link.filters_vlans = true;
  if (link.kind == "bridge") link.vlan_protocol = vlan_protocol(data->text("vlan_protocol"));
  if (link.kind == "bond") link.active_leg = data->text("active_slave");
  if (link.kind == "vlan" && data->has("id")) link.vlan_id = static_cast<std::uint16_t>(small(data->text("id")));
  if (link.kind == "vlan") link.vlan_protocol = vlan_protocol(data->text("protocol"));
  if (link.kind == "vrf" && data->has("table")) link.vrf_table = small(data->text("table"));
}

host::LinkFlags listed_flags(const std::vector<JsonValue>& flags) {
  std::string list;
  for (const JsonValue& flag : flags) list += (list.empty() ? "" : ",") + scalar(flag);
  return {list};
}

host::Link json_link(const JsonValue& v, Provenance at) {
  host::Link link;
  link.index = small(v.text("ifindex"));
  link.name = v.text("ifname");
  link.peer = v.has("link") ? v.text("link") : v.has("link_index") ? "if" + v.text("link_index") : "";
  if (const JsonValue* flags = v.find("flags"); flags && flags->array()) link.flags = listed_flags(*flags->array());
  link.mtu = small(v.text("mtu"));
  link.master = v.text("master");
  link.state = v.text("operstate");
  link.queue = v.text("qdisc");
  link.has_program = v.has("xdp");
  link.group = v.text("group");
  link.link_type = v.text("link_type");
  link.mac = MacAddr::parse(v.text("address"));
  take_link_info(v, link);
  if (const JsonValue* addresses = v.find("addr_info"); addresses && addresses->array())
    for (const JsonValue& a : *addresses->array())
      if (a.has("local") && IpAddr::parse(a.text("local"))) link.addresses.push_back(json_address(a, at));
  link.from = at;
  return link;
}

using Json = nlohmann::ordered_json;

Json words_json(const Attributes& words) {
  Json out = Json::array();
  for (const Attribute& a : words.list) {
    Json one = Json::object();
    if (!a.key.empty()) one["key"] = a.key;
    if (const auto* n = std::get_if<std::uint64_t>(&a.value))
      one["value"] = *n;
    else if (!std::holds_alternative<std::monostate>(a.value))
      one["value"] = words_of::print_value(a.value);
    if (!a.known) one["understood"] = false;
    out.push_back(std::move(one));
  }
  return out;
}

std::string dumped(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::vector<Entry> rule_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source) {
  return entries_with(document, "priority", line, [&](const JsonValue& v, Entry& e) {
    e.head = parse_u64(v.text("priority"));
    e.words = rule_words(v, report, {source, line});
  });
}

std::vector<Entry> route_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source) {
  return entries_with(document, "dst", line, [&](const JsonValue& v, Entry& e) {
    e.words = route_words(v, false, report, {source, line});
    if (const JsonValue* hops = v.find("nexthops"); hops && hops->array())
      for (const JsonValue& hop : *hops->array())
        if (std::holds_alternative<JsonObject>(hop.node)) e.more.push_back(route_words(hop, true, report, {source, line}));
  });
}

std::vector<Entry> neighbour_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source) {
  static_cast<void>(report);
  static_cast<void>(source);
  return entries_with(document, "dst", line, [](const JsonValue& v, Entry& e) { e.words = neighbour_words(v); });
}

std::vector<host::Link> json_links(const JsonValue& document, SourceId source, std::uint32_t line) {
  std::vector<host::Link> links;
  const JsonArray* array = document.array();
  if (!array) return links;
  for (const JsonValue& v : *array)
    if (v.has("ifname")) links.push_back(json_link(v, {source, line}));
  return links;
}

std::string entries_json(std::string_view kind, const std::vector<Entry>& entries) {
  Json root{{"kind", kind}, {"entries", Json::array()}};
  for (const Entry& e : entries) {
    Json one{{"line", e.line}};
    if (e.head) one["number"] = *e.head;
    one["words"] = words_json(e.words);
    if (!e.more.empty()) one["more"] = Json::array();
    for (const Attributes& m : e.more) one["more"].push_back(words_json(m));
    root["entries"].push_back(std::move(one));
  }
  return dumped(root);
}

std::string links_json(std::string_view kind, const std::vector<host::Link>& links) {
  Json root{{"kind", kind}, {"links", Json::array()}};
  for (const host::Link& l : links) {
    Json one{{"line", l.from.line},
             {"index", l.index},
             {"name", l.name},
             {"peer", l.peer},
             {"flags", split(l.flags.list, ',')},
             {"mtu", l.mtu},
             {"master", l.master},
             {"state", l.state},
             {"type", l.link_type},
             {"kind", l.kind}};
    if (l.mac) one["mac"] = l.mac->to_string();
    if (l.vlan_id) one["vlan"] = *l.vlan_id;
    if (l.vrf_table != 0) one["vrf_table"] = l.vrf_table;
    if (!l.mode.empty()) one["mode"] = l.mode;
    if (!l.queue.empty()) one["queue"] = l.queue;
    if (l.has_program) one["has_program"] = true;
    if (!l.port_state.empty()) one["port_state"] = l.port_state;
    if (l.leg_state != host::LegState::unknown) one["leg_state"] = l.leg_state == host::LegState::active ? "ACTIVE" : "BACKUP";
    if (!l.active_leg.empty()) one["active_leg"] = l.active_leg;
    one["addresses"] = Json::array();
    for (const host::Address& a : l.addresses) {
      Json address{{"line", a.from.line}, {"address", a.prefix.to_string()}, {"scope", a.scope}, {"secondary", a.secondary}};
      if (a.peer) address["peer"] = a.peer->to_string();
      one["addresses"].push_back(std::move(address));
    }
    root["links"].push_back(std::move(one));
  }
  return dumped(root);
}

}  // namespace egt::parsers::iproute2
