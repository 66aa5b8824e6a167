#include "system/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

#include "support/cursor.h"

namespace egt::parsers::system {
namespace {

constexpr std::uint8_t kIcmp = 1, kTcp = 6, kUdp = 17, kDccp = 33, kIcmp6 = 58, kSctp = 132;

bool is_icmp(std::uint8_t proto) { return proto == kIcmp || proto == kIcmp6; }

// DCCP and UDP-Lite have ports too, but some kernels do not print them.
bool needs_ports(std::uint8_t proto) { return proto == kTcp || proto == kUdp || proto == kSctp; }

bool is_echo(const Tuple& t) {
  return t.proto == kIcmp ? t.icmp_type == 8 || t.icmp_type == 0 : t.icmp_type == 128 || t.icmp_type == 129;
}

bool fail(Problem& problem, std::string message, std::uint32_t column) {
  problem = {std::move(message), column};
  return false;
}

class TupleReader {
 public:
  TupleReader(const std::vector<Item>& items, std::string_view line, Problem& problem)
      : items_(items), line_(line), problem_(problem) {}

  bool read(std::uint8_t proto, Tuple& t) {
    t = {};
    t.proto = proto;
    if (!address("src", t.src) || !address("dst", t.dst)) return false;
    if (t.src.family != t.dst.family) return fail(problem_, "addresses of two families in one tuple", place());
    if (is_icmp(proto)) return icmp(t);
    // A GRE connection is shown by its keys where others have ports.
    const bool keys = find_item(items_, "srckey") != nullptr;
    return number(keys ? "srckey" : "sport", needs_ports(proto), t.sport) &&
           number(keys ? "dstkey" : "dport", needs_ports(proto), t.dport);
  }

 private:
  std::uint32_t place() const { return items_.empty() ? 1 : column_of(items_.front().key, line_); }

  bool address(std::string_view key, IpAddr& out) {
    const Item* item = find_item(items_, key);
    if (item == nullptr) return fail(problem_, fmt::format("a tuple without {}=", key), place());
    if (item->form != Item::Form::address)
      return fail(problem_, fmt::format("`{}` is no address", item->text), column_of(item->text, line_));
    out = item->address;
    return true;
  }

  template <class Number>
  bool number(std::string_view key, bool needed, Number& out) {
    const Item* item = find_item(items_, key);
    if (item == nullptr) return !needed || fail(problem_, fmt::format("a tuple without {}=", key), place());
    const bool numeric = item->form == Item::Form::decimal || item->form == Item::Form::hexadecimal;
    if (!numeric || item->number > Number(~Number(0)))
      return fail(problem_, fmt::format("`{}` is no possible {}", item->text, key), column_of(item->text, line_));
    out = static_cast<Number>(item->number);
    return true;
  }

  bool icmp(Tuple& t) {
    std::uint16_t id = 0;
    if (!number("type", true, t.icmp_type) || !number("code", true, t.icmp_code) || !number("id", false, id)) return false;
    if (is_echo(t)) t.sport = t.dport = id;
    return true;
  }

  const std::vector<Item>& items_;
  std::string_view line_;
  Problem& problem_;
};

bool check_number(const Connection& c, std::string_view key, U128 most, std::string_view line, Problem& problem) {
  const Item* item = find_item(c.rest, key);
  if (item == nullptr) return true;
  const bool numeric = item->form == Item::Form::decimal || item->form == Item::Form::hexadecimal;
  if (numeric && item->number <= most) return true;
  return fail(problem, fmt::format("`{}` is no possible {}", item->text, key), column_of(item->text, line));
}

bool check_repeats(const std::vector<Item>& items, std::string_view line, Problem& problem) {
  if (items.size() > kMostItems) return fail(problem, "more words than a connection has", 1);
  for (std::size_t i = 1; i < items.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (items[k].key == items[i].key)
        return fail(problem, fmt::format("`{}` is said twice", items[i].key), column_of(items[i].key, line));
  return true;
}

std::uint64_t number_of(const std::vector<Item>& items, std::string_view key) {
  const Item* item = find_item(items, key);
  return item == nullptr ? 0 : low64(item->number);
}

bool is_known_attribute(const Item& item) {
  static constexpr std::array<std::string_view, 22> kKnown = {
      "mark",       "zone",       "use",       "id",        "secmark",  "secctx",   "labels", "helper",
      "delta-time", "timeout",    "status",    "protoinfo", "parent",   "start",    "stop",   "ASSURED",
      "OFFLOAD",    "HW_OFFLOAD", "UNREPLIED", "portid",    "progname", "USERSPACE"};
  return std::find(kKnown.begin(), kKnown.end(), item.key) != kKnown.end();
}

const Item* one_way_zone(const Connection& c) {
  for (const auto* items : {&c.original, &c.reply, &c.rest})
    for (const std::string_view key : {"zone-orig", "zone-reply"})
      if (const Item* item = find_item(*items, key)) return item;
  return nullptr;
}

}  // namespace

bool settle(Connection& c, std::string_view line, Problem& problem) {
  if (!check_repeats(c.original, line, problem) || !check_repeats(c.reply, line, problem) ||
      !check_repeats(c.rest, line, problem))
    return false;
  if (!TupleReader(c.original, line, problem).read(c.proto, c.original_tuple)) return false;
  if (!TupleReader(c.reply, line, problem).read(c.proto, c.reply_tuple)) return false;
  if (c.original_tuple.src.family != c.reply_tuple.src.family)
    return fail(problem, "an answer of another family", column_of(c.reply.front().key, line));
  return check_number(c, "zone", 0xffff, line, problem) && check_number(c, "mark", 0xffffffff, line, problem);
}

host::ConntrackEntry entry_of(const Connection& c, Provenance from) {
  host::ConntrackEntry entry;
  entry.original = c.original_tuple;
  entry.reply = c.reply_tuple;
  entry.zone = static_cast<std::uint16_t>(number_of(c.rest, "zone"));
  entry.mark = static_cast<std::uint32_t>(number_of(c.rest, "mark"));
  if (const Item* labels = find_item(c.rest, "labels")) entry.label = labels->number;
  entry.from = from;
  return entry;
}

bool report_attributes(const Connection& c, const Line& line, LineReport& report) {
  for (const Item& item : c.rest) {
    if (is_known_attribute(item) || item.key.starts_with("zone-")) continue;
    report.note(line, column_of(item.key, line.text), fmt::format("`{}` is not known and was not looked at", item.key),
                Diagnostic::Severity::warning);
  }
  const Item* zone = one_way_zone(c);
  if (zone == nullptr) return true;
  report.note(line, column_of(zone->key, line.text), "a zone of one direction only is not modelled: the connection is left out",
              Diagnostic::Severity::warning);
  return false;
}

bool may_be_cut(const Line& line, const Dump& dump) { return line.end.empty() && dump.text.find('\n') != std::string_view::npos; }

void add_entries(std::vector<host::ConntrackEntry> entries, bool partial, const Dump& dump,
                 host::Part<std::vector<host::ConntrackEntry>>& part) {
  if (!part.present) {
    part.present = true;
    part.partial = partial;
    part.from = {dump.source, 0};
    part.value = std::move(entries);
    return;
  }
  part.partial = part.partial && partial;  // one whole table is enough; the others can only add to it
  using Key = std::tuple<std::uint16_t, Tuple, Tuple>;
  std::set<Key> known;
  for (const host::ConntrackEntry& e : part.value) known.emplace(e.zone, e.original, e.reply);
  for (host::ConntrackEntry& e : entries)
    if (known.emplace(e.zone, e.original, e.reply).second) part.value.push_back(std::move(e));
}

}  // namespace egt::parsers::system
