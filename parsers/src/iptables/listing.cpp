// The lines of iptables -L: a table for eyes, with columns that long names push to the right.
#include <fmt/format.h>

#include <vector>

#include "egtrace/base/text.h"
#include "iptables/document.h"
#include "iptables/rule_parser.h"
#include "iptables/schema.h"
#include "iptables/value.h"

namespace egt::parsers::iptables {
namespace {

// "ACCEPT 0 packets, 0 bytes"
bool parse_policy(std::string_view text, ListedChainLine& c) {
  const auto parts = words(text);
  if (parts.empty()) return false;
  c.policy = std::string(parts[0]);
  if (parts.size() == 1) return true;
  if (parts.size() != 5 || parts[2] != "packets," || parts[4] != "bytes") return false;
  c.packets = std::string(parts[1]);
  c.bytes = std::string(parts[3]);
  return true;
}

// "0", "1029K", "12M"
std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty() && !is_digit(text.back())) {
    constexpr std::string_view kUnits = "KMGT";
    const auto unit = kUnits.find(text.back());
    if (unit == std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i <= unit; ++i) factor *= 1000;
    text.remove_suffix(1);
  }
  const auto n = parse_decimal(text);
  return n && *n <= UINT64_MAX / factor ? std::optional(*n * factor) : std::nullopt;
}

bool is_option_column(std::string_view text) { return text == "--" || text == "-f" || text == "!f"; }

bool is_address_column(std::string_view text) {
  if (text.starts_with("!")) text.remove_prefix(1);
  return text == "anywhere" || parse_network(text).has_value();
}

// Takes words off a row and remembers where it is.
class ColumnReader {
 public:
  explicit ColumnReader(std::string_view text) : rest_(text) {}
  std::string_view next() {
    rest_ = skip_blanks(rest_);
    const std::size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  std::string_view rest() const { return skip_blanks(rest_); }

 private:
  static std::string_view skip_blanks(std::string_view s) {
    while (!s.empty() && is_blank(s[0])) s.remove_prefix(1);
    return s;
  }
  std::string_view rest_;
};

// The columns behind the counters. Target and option may be empty, so both readings are tried.
bool take_columns(std::string_view text, bool with_target, bool with_option, bool with_devices, ListedRuleLine& r) {
  ColumnReader columns(text);
  r.target = with_target ? std::string(columns.next()) : "";
  r.protocol = std::string(columns.next());
  r.option = with_option ? std::string(columns.next()) : "";
  if (with_devices) {
    r.in_device = std::string(columns.next());
    r.out_device = std::string(columns.next());
  }
  r.source = std::string(columns.next());
  r.destination = std::string(columns.next());
  r.description = std::string(trim_right(columns.rest()));
  if (with_option && !is_option_column(r.option)) return false;
  const std::string_view protocol = r.protocol.starts_with("!") ? std::string_view(r.protocol).substr(1) : r.protocol;
  return protocol_number(protocol).has_value() && is_address_column(r.source) && is_address_column(r.destination);
}

std::optional<Selector<Network>> address_of(std::string_view text) {
  const bool negate = text.starts_with("!");
  if (negate) text.remove_prefix(1);
  const auto network = parse_network(text);
  if (!network || (network->mask == 0 && !negate)) return std::nullopt;
  return Selector<Network>{*network, negate};
}

std::optional<Selector<std::string>> device_of(std::string_view text) {
  const bool negate = text.starts_with("!");
  if (negate) text.remove_prefix(1);
  if (text.empty() || text == "*" || text == "any") return std::nullopt;
  return Selector<std::string>{std::string(text), negate};
}

std::optional<Selector<std::string>> protocol_of(std::string_view text) {
  const bool negate = text.starts_with("!");
  if (negate) text.remove_prefix(1);
  if (protocol_number(text) == std::optional<std::uint8_t>(0)) return std::nullopt;
  return Selector<std::string>{std::string(protocol_text(text)), negate};
}

void fill_rule(Family family, const std::string& chain, ListedRule& out) {
  ListedRuleLine& l = out.line;
  Rule& r = l.rule;
  r.chain = chain;
  const auto packets = parse_count(l.packets), bytes = parse_count(l.bytes);
  if (packets && bytes) r.counters = Counters{*packets, *bytes};
  r.source = address_of(l.source);
  r.destination = address_of(l.destination);
  r.in_device = device_of(l.in_device);
  r.out_device = device_of(l.out_device);
  r.protocol = protocol_of(l.protocol);
  if (l.option == "-f") r.fragment = true;
  if (l.option == "!f") r.fragment = false;
  if (!l.target.empty()) r.target = Target{l.target, false, is_known_target(l.target), {}};
  const std::string left = parse_description(l.description, family, r);
  if (left.empty()) return;
  out.problem = fmt::format("'{}' is not understood", left);
  split_words(left, r.not_understood);
}

std::string padded(const std::string& text, std::size_t width) { return fmt::format("{:<{}}", text, width); }

}  // namespace

std::optional<ListedChainLine> parse_listed_chain(std::string_view line) {
  const std::string_view whole = trim_right(line);
  std::string_view text = whole;
  if (!consume(text, "Chain ") || !text.ends_with(")")) return std::nullopt;
  const std::size_t open = text.find(" (");
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  ListedChainLine c;
  c.name = std::string(text.substr(0, open));
  std::string_view inner = text.substr(open + 2, text.size() - open - 3);
  if (consume(inner, "policy ")) return parse_policy(inner, c) ? std::optional(c) : std::nullopt;
  if (!inner.ends_with(" references")) return std::nullopt;
  c.references = parse_decimal(inner.substr(0, inner.size() - 11));
  return c.references ? std::optional(c) : std::nullopt;
}

std::string print_listed_chain(const ListedChainLine& c) {
  if (c.references) return fmt::format("Chain {} ({} references)", c.name, *c.references);
  if (c.packets.empty()) return fmt::format("Chain {} (policy {})", c.name, c.policy);
  return fmt::format("Chain {} (policy {} {} packets, {} bytes)", c.name, c.policy, c.packets, c.bytes);
}

std::optional<ListedColumnsLine> parse_listed_columns(std::string_view line) {
  auto names = words(line);
  ListedColumnsLine c;
  c.text = std::string(line);
  std::size_t i = 0;
  if (i < names.size() && names[i] == "num") c.numbers = true, ++i;
  if (i + 1 < names.size() && names[i] == "pkts" && names[i + 1] == "bytes") c.counters = true, i += 2;
  if (i + 1 >= names.size() || names[i] != "target" || names[i + 1] != "prot") return std::nullopt;
  // -x gives the counters eight columns instead of five.
  c.exact = line.find("    pkts      bytes") != std::string_view::npos;
  return c;
}

std::optional<ListedRule> parse_listed_rule(std::string_view line, const ListedColumnsLine& columns, Family family,
                                            const std::string& chain) {
  ColumnReader reader(line);
  ListedRule out;
  if (columns.numbers) out.line.number = std::string(reader.next());
  if (columns.counters) {
    out.line.packets = std::string(reader.next());
    out.line.bytes = std::string(reader.next());
    if (!parse_count(out.line.packets) || !parse_count(out.line.bytes)) return std::nullopt;
  }
  const std::string_view rest = reader.rest();
  const bool devices = columns.counters;
  const bool fits = take_columns(rest, true, true, devices, out.line) || take_columns(rest, false, true, devices, out.line) ||
                    take_columns(rest, true, false, devices, out.line) || take_columns(rest, false, false, devices, out.line);
  if (!fits) return std::nullopt;
  fill_rule(family, chain, out);
  if (columns.exact) {
    out.line.packets = fmt::format("{:>8}", out.line.packets);
    out.line.bytes = fmt::format("{:>10}", out.line.bytes);
  } else if (columns.counters) {
    out.line.packets = fmt::format("{:>5}", out.line.packets);
    out.line.bytes = fmt::format("{:>5}", out.line.bytes);
  }
  if (print_listed_rule(out.line) != line) out.line.odd_layout = std::string(line);
  return out;
}

std::string print_listed_rule(const ListedRuleLine& r) {
  if (r.odd_layout) return *r.odd_layout;
  std::string out;
  if (!r.number.empty()) out += padded(r.number, 4) + " ";
  if (!r.packets.empty()) out += r.packets + " " + r.bytes + " ";
  out += padded(r.target, 9) + " ";
  out += r.protocol.starts_with("!") ? padded(r.protocol, 5) + " " : " " + padded(r.protocol, 4) + " ";
  out += padded(r.option, 2) + " ";
  if (!r.in_device.empty()) out += " " + padded(r.in_device, 6) + " " + padded(r.out_device, 6) + " ";
  out += (r.source.starts_with("!") ? padded(r.source, 20) : " " + padded(r.source, 19)) + " ";
  out += (r.destination.starts_with("!") ? padded(r.destination, 20) : " " + padded(r.destination, 19)) + " ";
  if (!r.description.empty()) out += " " + r.description;
  return out;
}

}  // namespace egt::parsers::iptables
