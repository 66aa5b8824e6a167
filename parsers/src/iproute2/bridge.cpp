// bridge vlan, fdb and vni (bridge(8), bridge/vlan.c, fdb.c and vni.c of iproute2), ip nexthop (ip-nexthop(8)).
#include "iproute2/bridge.h"

#include <span>

#include "egtrace/base/text.h"

namespace egt::parsers::iproute2 {
namespace {

constexpr KeySpec kBridgedVlanWords[] = {
    {"PVID", ValueKind::flag},           {"Egress", ValueKind::flag},
    {"Untagged", ValueKind::flag},       {"state", ValueKind::text},
    {"mcast_router", ValueKind::text},   {"neigh_suppress", ValueKind::text},
    {"mcast_n_groups", ValueKind::text}, {"mcast_max_groups", ValueKind::text},
    {"None", ValueKind::flag},           {"RX:", ValueKind::number},
    {"TX:", ValueKind::number},          {"bytes", ValueKind::number},
    {"packets", ValueKind::flag},        {"group", ValueKind::address},
    {"remote", ValueKind::address},
};

constexpr KeySpec kForwardingWords[] = {
    {"dev", ValueKind::text},
    {"dst", ValueKind::address},
    {"port", ValueKind::text},
    {"vni", ValueKind::number},
    {"src_vni", ValueKind::number},
    {"via", ValueKind::text},
    {"nhid", ValueKind::number},
    {"vlan", ValueKind::number},
    {"master", ValueKind::text},
    {"link-netnsid", ValueKind::number},
    {"used", ValueKind::text},
    {"self", ValueKind::flag},
    {"router", ValueKind::flag},
    {"extern_learn", ValueKind::flag},
    {"offload", ValueKind::flag},
    {"sticky", ValueKind::flag},
    {"locked", ValueKind::flag},
    {"permanent", ValueKind::flag},
    {"static", ValueKind::flag},
    {"stale", ValueKind::flag},
    {"activity_notify", ValueKind::flag},
};

constexpr KeySpec kNextHopWords[] = {
    {"id", ValueKind::number},
    {"group", ValueKind::text},
    {"type", ValueKind::text},
    {"via", ValueKind::via},
    {"dev", ValueKind::text},
    {"scope", ValueKind::text},
    {"proto", ValueKind::text},
    {"vrf", ValueKind::text},
    {"encap", ValueKind::encap},
    {"buckets", ValueKind::number},
    {"idle_timer", ValueKind::text},
    {"unbalanced_timer", ValueKind::text},
    {"unbalanced_time", ValueKind::text},
    {"blackhole", ValueKind::flag},
    {"onlink", ValueKind::flag},
    {"fdb", ValueKind::flag},
    {"dead", ValueKind::flag},
    {"linkdown", ValueKind::flag},
    {"offload", ValueKind::flag},
    {"trap", ValueKind::flag},
    {"pervasive", ValueKind::flag},
};

// "12", "2-10": VLANs, VNIs.
bool is_range(std::string_view word) {
  const std::size_t dash = word.find('-');
  return parse_decimal(word.substr(0, dash)) && (dash == word.npos || parse_decimal(word.substr(dash + 1)));
}

// Up to two ranges (of a VLAN and its tunnel) and the address of a VNI stand by their places.
void parse_ranges(words_of::WordReader& reader, TextLine& out) {
  while (!reader.done() && (is_range(reader.peek()) || IpAddr::parse(reader.peek())))
    words_of::take_positional(reader, ValueKind::text, out.words);
  words_of::parse_attributes(reader, kBridgedVlanWords, out.words);
}

void parse_keyed(std::string_view text, std::span<const KeySpec> keys, TextLine& out) {
  words_of::WordReader reader(text);
  out.kind = LineKind::entry;
  if (MacAddr::parse(reader.peek())) words_of::take_positional(reader, ValueKind::mac, out.words);
  words_of::parse_attributes(reader, keys, out.words);
}

Attribute scalar_attribute(const std::string& key, const JsonValue& v) {
  Attribute a;
  a.key = key;
  if (const auto* text = std::get_if<std::string>(&v.node)) a.value = *text;
  if (const auto* number = std::get_if<JsonNumber>(&v.node)) a.value = number->text;
  return a;
}

// What is scalar; members of lists that are words stand alone ("flags").
Attributes words_of_object(const JsonValue& object) {
  Attributes words;
  const auto* members = std::get_if<JsonObject>(&object.node);
  for (const auto& [key, value] : members != nullptr ? *members : JsonObject()) {
    if (const JsonArray* list = value.array()) {
      for (const JsonValue& one : *list)
        if (const auto* word = std::get_if<std::string>(&one.node)) words.list.push_back(scalar_attribute(*word, {}));
    } else if (!std::holds_alternative<JsonObject>(value.node)) {
      words.list.push_back(scalar_attribute(key, value));
    }
  }
  return words;
}

}  // namespace

bool is_bridge_table_head(std::string_view text) {
  const auto all = words(text);
  return all.size() >= 2 && ((all[0] == "port" && all[1].starts_with("vlan")) || (all[0] == "dev" && all[1] == "vni"));
}

bool is_forwarding_line(std::string_view text) {
  const auto all = words(text);
  return all.size() >= 3 && MacAddr::parse(all[0]) && all[1] == "dev";
}

bool is_next_hop_line(std::string_view text) {
  const auto all = words(text);
  return all.size() >= 3 && all[0] == "id" && parse_decimal(all[1]);
}

void parse_bridge_line(std::string_view text, TextLine& out) {
  if (is_forwarding_line(text)) return parse_keyed(text, kForwardingWords, out);
  if (is_next_hop_line(text)) return parse_keyed(text, kNextHopWords, out);
  if (is_bridge_table_head(text)) {
    out.kind = LineKind::ignored;
    out.raw = std::string(text);
    return;
  }
  words_of::WordReader reader(text);
  out.kind = is_blank(text.front()) ? LineKind::continuation : LineKind::entry;
  if (out.kind == LineKind::entry) words_of::take_positional(reader, ValueKind::text, out.words);
  parse_ranges(reader, out);
}

std::vector<Entry> object_entries(const JsonValue& document, std::uint32_t line, Report&, SourceId) {
  std::vector<Entry> entries;
  for (const JsonValue& object : *document.array()) {
    Entry& e = entries.emplace_back();
    e.line = line;
    e.words = words_of_object(object);
    for (const char* list : {"vlans", "tunnels", "vnis", "group"})
      if (const JsonValue* v = object.find(list); v != nullptr && v->array() != nullptr)
        for (const JsonValue& one : *v->array()) e.more.push_back(words_of_object(one));
  }
  return entries;
}

}  // namespace egt::parsers::iproute2
