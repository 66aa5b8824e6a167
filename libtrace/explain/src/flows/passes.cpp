#include <algorithm>
#include <cstdlib>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "egtrace/explain/flows.h"
#include "egtrace/packet/flow_key.h"

namespace egt::explain {
namespace {

using openflow::FlowClause;
using openflow::FlowFilter;
using openflow::FlowWord;
using openflow::FlowWords;
using Op = FlowClause::Op;

constexpr int kDeepestKey = 8;  // subkeys of "ct.nat.src"

bool same_key(std::string_view asked, std::string_view key) {
  if (asked == key) return true;
  const Field* a = find_field(asked);
  const Field* b = a != nullptr ? find_field(key) : nullptr;
  return b != nullptr && a->id == b->id;
}

// --- parts of values: "ct.zone", "resubmit.table"

std::optional<std::string_view> nth(std::string_view list, std::size_t n, char separator) {
  const auto parts = split(list, separator);
  return n < parts.size() ? std::optional(trim(parts[n])) : std::nullopt;
}

// Actions whose arguments have no keys in the text (python/ovs/flow/ofp_act.py of Open vSwitch names them so).
std::optional<std::string_view> unnamed_part(const FlowWord& word, std::string_view part) {
  if (word.key == "output" && part == "port") return word.value;
  if (word.key == "resubmit" && part == "port") return nth(word.value, 0, ',');
  if (word.key == "resubmit" && part == "table") return nth(word.value, 1, ',');
  if (word.key == "enqueue" && part == "port") return nth(word.value, 0, ':');
  if (word.key == "enqueue" && part == "queue") return nth(word.value, 1, ':');
  if (word.key == "CONTROLLER" && part == "max_len") return word.value;
  const std::size_t arrow = word.value.find("->");
  if (arrow == word.value.npos) return std::nullopt;
  if (part == "value" || part == "src") return word.value.substr(0, arrow);
  if (part == "dst") return word.value.substr(arrow + 2);
  return std::nullopt;
}

std::optional<std::string_view> part_of(const FlowWord& word, std::string_view path, const FlowReader& reader, int depth) {
  const std::size_t dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  if (const auto unnamed = unnamed_part(word, first)) return dot == path.npos ? unnamed : std::nullopt;
  if (depth == 0) return std::nullopt;
  for (const FlowWord& inner : reader.list(word.value, word.section)) {
    if (!same_key(first, inner.key)) continue;
    if (dot == path.npos) return inner.has_value ? inner.value : "true";
    if (const auto found = part_of(inner, path.substr(dot + 1), reader, depth - 1)) return found;
  }
  return std::nullopt;
}

std::optional<std::string_view> value_of(const std::string& key, const FlowWords& flow, const FlowReader& reader) {
  const std::size_t dot = key.find('.');
  const std::string_view first = std::string_view(key).substr(0, dot);
  for (const FlowWord& word : flow.words) {
    if (dot == key.npos && same_key(key, word.key)) return word.has_value ? word.value : "true";
    if (dot == key.npos || !same_key(first, word.key)) continue;
    if (const auto part = part_of(word, std::string_view(key).substr(dot + 1), reader, kDeepestKey)) return part;
  }
  return std::nullopt;
}

// --- comparing

struct Masked {
  U128 value = 0, mask = ~U128{0};
  friend bool operator==(const Masked&, const Masked&) = default;
};

std::optional<U128> bits_of(std::string_view text) {
  if (const auto number = parse_u128(text)) return number;
  if (const auto address = IpAddr::parse(text)) return address->value;
  if (const auto mac = MacAddr::parse(text)) return static_cast<U128>(mac->value);
  return std::nullopt;
}

// A number, an address or a MAC, each with an optional mask; of addresses also with a prefix length.
std::optional<Masked> masked(std::string_view text) {
  if (const auto prefix = Prefix::parse(text); prefix && text.find('/') != text.npos) {
    const unsigned bits = prefix->address.is_v4() ? 32 : 128;
    const U128 mask = prefix->length == 0 ? U128{0} : ~U128{0} << (bits - prefix->length);
    return Masked{prefix->address.value & mask, mask};
  }
  const std::size_t slash = text.find('/');
  const auto value = bits_of(text.substr(0, slash));
  if (!value) return std::nullopt;
  if (slash == text.npos) return Masked{*value};
  const auto mask = bits_of(text.substr(slash + 1));
  return mask ? std::optional(Masked{*value & *mask, *mask}) : std::nullopt;
}

// Numbers with a fraction and a unit, such as durations: "12.3s".
std::optional<double> amount(std::string_view text) {
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  const bool good = end != copy.c_str() && (*end == '\0' || std::string_view(end) == "s");
  return good ? std::optional(value) : std::nullopt;
}

bool is_within(std::string_view asked, std::string_view data) {
  const auto a = masked(asked), d = masked(data);
  if (!a || !d) return data.find(asked) != data.npos;
  return (a->mask & d->mask) == d->mask && (a->value & d->mask) == d->value;
}

bool is_equal(std::string_view asked, std::string_view data) {
  if (asked == data) return true;
  if (const auto a = masked(asked), d = masked(data); a && d) return *a == *d;
  if (const auto a = amount(asked), d = amount(data); a && d) return *a == *d;
  return false;
}

bool is_less(std::string_view a, std::string_view b) {
  if (const auto x = masked(a), y = masked(b); x && y) return x->value < y->value;
  const auto x = amount(a), y = amount(b);
  return x && y && *x < *y;
}

bool holds(const FlowClause& clause, const FlowWords& flow, const FlowReader& reader) {
  const auto data = value_of(clause.key, flow, reader);
  if (!data) return false;
  switch (clause.op) {
    case Op::exists: return true;
    case Op::equal: return is_equal(clause.value, *data);
    case Op::differs: return !is_equal(clause.value, *data);
    case Op::less: return is_less(*data, clause.value);
    case Op::more: return is_less(clause.value, *data);
    case Op::within: return is_within(clause.value, *data);
  }
  return false;
}

}  // namespace

bool passes(const FlowFilter& filter, const FlowWords& flow, const FlowReader& reader) {
  const auto part_passes = [&](const FlowFilter& part) { return passes(part, flow, reader); };
  switch (filter.kind) {
    case FlowFilter::Kind::clause: return holds(filter.clause, flow, reader);
    case FlowFilter::Kind::all: return std::all_of(filter.parts.begin(), filter.parts.end(), part_passes);
    case FlowFilter::Kind::any: return std::any_of(filter.parts.begin(), filter.parts.end(), part_passes);
    case FlowFilter::Kind::none: return std::none_of(filter.parts.begin(), filter.parts.end(), part_passes);
  }
  return false;
}

}  // namespace egt::explain
