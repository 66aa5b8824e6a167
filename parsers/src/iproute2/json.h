// JSON of ip(8): "ip -j route", read without losing repeated keys or the text of numbers, and printed as ip prints it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "egtrace/host/link.h"
#include "egtrace/parsers/format.h"
#include "iproute2/text.h"

namespace egt::parsers::iproute2 {

struct JsonValue;
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<std::pair<std::string, JsonValue>>;  // in order; ip repeats "dst" with encapsulations
struct JsonNumber {
  std::string text;
};  // "0.00" stays "0.00"

struct JsonValue {
  std::variant<std::nullptr_t, bool, JsonNumber, std::string, JsonArray, JsonObject> node = nullptr;

  const JsonValue* find(std::string_view key) const;  // the first of that name
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string text(std::string_view key) const;  // of a string or number; empty when absent
  const JsonArray* array() const { return std::get_if<JsonArray>(&node); }
};

// Empty when it is no JSON, is cut, or nests deeper than ip ever does.
std::optional<JsonValue> parse_json(std::string_view text);
std::string compact_json(const JsonValue& value);  // ip -j
std::string pretty_json(const JsonValue& value);   // ip -p -j
// The original text where it is neither ip -j nor ip -p -j.
std::string print_json(const JsonValue& value, std::string_view original);

enum class JsonKind { none, rules, routes, neighbours, links, bridge_vlans, vnis, forwarding, next_hops };
// What the objects of an array are; none for an empty array.
JsonKind kind_of(const JsonValue& document);

// The same entries as the text of the command would give.
std::vector<Entry> rule_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source);
std::vector<Entry> route_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source);
std::vector<Entry> neighbour_entries(const JsonValue& document, std::uint32_t line, Report& report, SourceId source);
std::vector<host::Link> json_links(const JsonValue& document, SourceId source, std::uint32_t line);

// Entries and devices as JSON for to_json.
std::string entries_json(std::string_view kind, const std::vector<Entry>& entries);
std::string links_json(std::string_view kind, const std::vector<host::Link>& links);

}  // namespace egt::parsers::iproute2
