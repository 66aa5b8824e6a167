#include "iptables/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "egtrace/base/text.h"
#include "support/icmp_words.h"

namespace egt::parsers::iptables {
namespace {

constexpr std::uint64_t kFullMask = 0xffffffff;

bool needs_quotes(std::string_view text) {
  return text.empty() ||
         std::any_of(text.begin(), text.end(), [](char c) { return is_blank(c) || c == '"' || c == '\\' || c == '\''; });
}

std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\'') out += '\\';
    out += c;
  }
  return out + '"';
}

std::optional<std::uint64_t> parse_port_or_number(std::string_view text) {
  if (const auto n = parse_u64(text)) return n;
  if (const auto p = service_port(text)) return *p;
  return std::nullopt;
}

std::optional<PortList> parse_port_list(std::string_view text) {
  PortList list;
  for (const std::string_view part : split(text, ',')) {
    const auto range = parse_range(part, ':', 0xffff);
    if (!range) return std::nullopt;
    list.ranges.push_back(*range);
  }
  return list.ranges.empty() ? std::nullopt : std::optional(list);
}

// As strtoul() without a base: a zero in front makes it octal.
std::optional<std::uint64_t> parse_any_base(std::string_view text) {
  if (text.size() < 2 || text[0] != '0' || !is_digit(text[1])) return parse_u64(text);
  constexpr std::size_t kMostDigits = 22;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '7' || text.size() > kMostDigits) return std::nullopt;
    value = value << 3 | static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::optional<MaskedNumber> parse_masked(std::string_view text, std::uint64_t all) {
  const auto slash = text.find('/');
  const auto value = parse_any_base(text.substr(0, slash));
  if (!value || *value > all) return std::nullopt;
  if (slash == std::string_view::npos) return MaskedNumber{*value, all};
  const auto mask = parse_any_base(text.substr(slash + 1));
  if (!mask || *mask > all) return std::nullopt;
  return MaskedNumber{*value, *mask};
}

std::optional<MaskedNumber> parse_tos(std::string_view text) {
  struct Name {
    std::string_view name;
    std::uint64_t value;
  };
  constexpr Name kNames[] = {{"Minimize-Delay", 0x10},
                             {"Maximize-Throughput", 8},
                             {"Maximize-Reliability", 4},
                             {"Minimize-Cost", 2},
                             {"Normal-Service", 0}};
  const auto same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  for (const Name& n : kNames)
    if (std::equal(n.name.begin(), n.name.end(), text.begin(), text.end(), same)) return MaskedNumber{n.value, 0x3f};
  return parse_masked(text, 0xff);
}

constexpr std::string_view kFlagNames[] = {"FIN", "SYN", "RST", "PSH", "ACK", "URG"};

std::optional<std::uint8_t> parse_tcp_flags(std::string_view text) {
  const auto is = [](std::string_view word, std::string_view name) {  // of any case
    return std::equal(word.begin(), word.end(), name.begin(), name.end(), [](char a, char b) { return (a & ~0x20) == b; });
  };
  if (is(text, "NONE")) return std::uint8_t{0};
  if (is(text, "ALL")) return std::uint8_t{0x3f};
  unsigned bits = 0;
  for (const std::string_view name : split(text, ',')) {
    const auto* found = std::find_if(std::begin(kFlagNames), std::end(kFlagNames), [&](auto f) { return is(name, f); });
    if (found == std::end(kFlagNames)) return std::nullopt;
    bits |= 1u << (found - std::begin(kFlagNames));
  }
  return static_cast<std::uint8_t>(bits);
}

std::string print_tcp_flags(std::uint8_t bits) {
  std::string out;
  for (std::size_t i = 0; i < std::size(kFlagNames); ++i)
    if (bits >> i & 1) out += (out.empty() ? "" : ",") + std::string(kFlagNames[i]);
  return out.empty() ? "NONE" : out;
}

std::optional<IcmpType> parse_icmp(std::string_view text, bool v6) {
  if (const auto name = icmp_word(text, v6)) {
    if (name->type == 255) return IcmpType{true, 0, std::nullopt};
    IcmpType t{false, name->type, std::nullopt};
    if (name->code >= 0) t.code = Range{static_cast<std::uint64_t>(name->code), static_cast<std::uint64_t>(name->code)};
    return t;
  }
  const auto slash = text.find('/');
  const auto type = parse_decimal(text.substr(0, slash));
  if (!type || *type > 255) return std::nullopt;
  IcmpType t{!v6 && *type == 255, static_cast<std::uint8_t>(*type), std::nullopt};
  if (slash == std::string_view::npos) return t;
  const auto code = parse_range(text.substr(slash + 1), ':', 255);
  if (!code || code->last > 255) return std::nullopt;
  if (code->first != 0 || code->last != 255) t.code = code, t.any = false;
  return t;
}

std::string print_icmp(const IcmpType& t) {
  if (t.any) return "any";
  if (!t.code) return std::to_string(t.type);
  if (t.code->first == t.code->last) return fmt::format("{}/{}", t.type, t.code->first);
  return fmt::format("{}/{}:{}", t.type, t.code->first, t.code->last);
}

std::optional<IpRange> parse_address_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto first = IpAddr::parse(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : IpAddr::parse(text.substr(dash + 1));
  if (!first || !last || first->family != last->family) return std::nullopt;
  return IpRange{*first, *last};
}

std::string print_address_range(const IpRange& r) {
  return r.first == r.last ? r.first.to_string() : r.first.to_string() + "-" + r.last.to_string();
}

// "10-20", "10", "10-20/15"
bool parse_nat_ports(std::string_view text, NatAddress& out) {
  const auto slash = text.find('/');
  out.ports = parse_range(text.substr(0, slash), '-', 0xffff);
  if (!out.ports || out.ports->last > 0xffff) return false;
  if (slash == std::string_view::npos) return true;
  const auto base = parse_port_or_number(text.substr(slash + 1));
  if (!base || *base > 0xffff) return false;
  out.base = static_cast<std::uint16_t>(*base);
  return true;
}

// "1.2.3.4-1.2.3.9:1-2", ":80", "fd00::1", "[fd00::1-fd00::2]:80"
std::optional<NatAddress> parse_nat_address(std::string_view text) {
  NatAddress out;
  std::string_view address = text, ports;
  if (text.starts_with("[")) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    address = text.substr(1, end - 1);
    ports = text.substr(end + 1);
  } else if (const auto colon = text.find(':'); colon != std::string_view::npos && colon == text.rfind(':')) {
    address = text.substr(0, colon);
    ports = text.substr(colon);
  }
  if (!address.empty()) {
    out.address = parse_address_range(address);
    if (!out.address) return std::nullopt;
  }
  if (!ports.empty() && (!ports.starts_with(":") || !parse_nat_ports(ports.substr(1), out))) return std::nullopt;
  return out.address || out.ports ? std::optional(out) : std::nullopt;
}

std::string print_nat_address(const NatAddress& n) {
  std::string out;
  if (n.address) {
    out = print_address_range(*n.address);
    if (n.ports && !n.address->first.is_v4()) out = "[" + out + "]";
  }
  if (!n.ports) return out;
  out += fmt::format(":{}", n.ports->first);
  if (n.ports->first != n.ports->last) out += fmt::format("-{}", n.ports->last);
  if (n.base) out += fmt::format("/{}", *n.base);
  return out;
}

template <class T>
std::optional<Value> as_value(const std::optional<T>& v) {
  return v ? std::optional<Value>(*v) : std::nullopt;
}

std::optional<Value> number_within(const std::optional<std::uint64_t>& number, std::uint64_t limit) {
  return number && (limit == 0 || *number <= limit) ? std::optional<Value>(*number) : std::nullopt;
}

std::optional<Value> parse_single(const OptionSpec& spec, const Word& word, Family family) {
  const std::string_view text = word.text;
  switch (spec.shape) {
    case Shape::text: return Value{word};
    case Shape::quoted: return Value{Word{word.text, true}};
    case Shape::number: return number_within(parse_any_base(text), spec.limit);
    case Shape::range: return as_value(parse_range(text, ':', spec.limit));
    case Shape::dash_range: return as_value(parse_range(text, '-', spec.limit));
    case Shape::port_list: return as_value(parse_port_list(text));
    case Shape::mark:
    case Shape::full_mark: return as_value(parse_masked(text, kFullMask));
    case Shape::group: {
      const auto number = parse_masked(text, kFullMask);
      return number ? Value{*number} : Value{word};
    }
    case Shape::tos: return as_value(parse_tos(text));
    case Shape::hex:
    case Shape::long_hex:
    case Shape::dscp: return number_within(parse_any_base(text), spec.limit);
    case Shape::network: return as_value(parse_network(text));
    case Shape::short_network: {  // bits behind the mask stay, and mean nothing
      auto network = parse_network(text);
      if (network) network->address = *IpAddr::parse(text.substr(0, text.find('/')));
      return as_value(network);
    }
    case Shape::address: return as_value(parse_network(text));
    case Shape::address_range: return as_value(parse_address_range(text));
    case Shape::mac: return as_value(MacAddr::parse(text));
    case Shape::word_list: {
      WordList list;
      for (const std::string_view w : split(text, ',')) list.words.emplace_back(w);
      return list.words.empty() ? std::nullopt : std::optional<Value>(list);
    }
    case Shape::icmp_type: return as_value(parse_icmp(text, false));
    case Shape::icmpv6_type: return as_value(parse_icmp(text, true));
    case Shape::nat_address: return as_value(parse_nat_address(text));
    case Shape::protocol_number: {
      const auto n = protocol_number(text);
      return n ? std::optional<Value>(std::uint64_t{*n}) : std::nullopt;
    }
    case Shape::flag:
    case Shape::tcp_flags:
    case Shape::two_words: break;
  }
  static_cast<void>(family);
  return std::nullopt;
}

std::string print_range(const Range& r, char separator) {
  return r.first == r.last ? std::to_string(r.first) : fmt::format("{}{}{}", r.first, separator, r.last);
}

std::string print_masked(const MaskedNumber& m, Shape shape) {
  if (shape == Shape::tos) return fmt::format("0x{:02x}/0x{:02x}", m.value, m.mask);
  if ((shape == Shape::mark || shape == Shape::group) && m.mask == kFullMask) return fmt::format("0x{:x}", m.value);
  return fmt::format("0x{:x}/0x{:x}", m.value, m.mask);
}

std::string print_number(std::uint64_t n, Shape shape) {
  if (shape == Shape::hex) return fmt::format("0x{:x}", n);
  if (shape == Shape::long_hex) return fmt::format("0x{:08x}", n);
  if (shape == Shape::dscp) return fmt::format("0x{:02x}", n);
  return std::to_string(n);
}

struct Printer {
  Shape shape;
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const Word& w) const { return print_word(w); }
  std::string operator()(std::uint64_t n) const { return print_number(n, shape); }
  std::string operator()(const Range& r) const { return print_range(r, shape == Shape::dash_range ? '-' : ':'); }
  std::string operator()(const PortList& l) const {
    std::string out;
    for (const Range& r : l.ranges) out += (out.empty() ? "" : ",") + print_range(r, ':');
    return out;
  }
  std::string operator()(const MaskedNumber& m) const { return print_masked(m, shape); }
  std::string operator()(const Network& n) const { return print_network(n, shape == Shape::network); }
  std::string operator()(const IpRange& r) const { return r.first.to_string() + "-" + r.last.to_string(); }
  std::string operator()(const MacAddr& m) const { return m.to_string(); }
  std::string operator()(const WordList& l) const { return fmt::format("{}", fmt::join(l.words, ",")); }
  std::string operator()(const TcpFlags& f) const { return print_tcp_flags(f.mask) + " " + print_tcp_flags(f.set); }
  std::string operator()(const IcmpType& t) const { return print_icmp(t); }
  std::string operator()(const NatAddress& n) const { return print_nat_address(n); }
  std::string operator()(const Words& w) const {
    std::string out;
    for (const Word& one : w.words) out += (out.empty() ? "" : " ") + print_word(one);
    return out;
  }
};

}  // namespace

bool split_words(std::string_view line, std::vector<Word>& out) {
  std::size_t i = 0;
  while (true) {
    while (i < line.size() && is_blank(line[i])) ++i;
    if (i == line.size()) return true;
    Word word;
    bool open = false;
    while (i < line.size() && (open || !is_blank(line[i]))) {
      std::size_t plain = i;
      while (plain < line.size() && line[plain] != '"' && (open ? line[plain] != '\\' : !is_blank(line[plain]))) ++plain;
      word.text.append(line.substr(i, plain - i));
      i = plain;
      if (i == line.size() || (!open && is_blank(line[i]))) continue;
      if (line[i] == '"') {
        open = !open;
        word.quoted = true;
      } else if (open && line[i] == '\\' && i + 1 < line.size()) {
        word.text += line[++i];
      } else {
        word.text += line[i];
      }
      ++i;
    }
    out.push_back(std::move(word));
    if (open) return false;
  }
}

std::string print_word(const Word& w) { return w.quoted || needs_quotes(w.text) ? in_quotes(w.text) : w.text; }

std::size_t argument_count(Shape shape) {
  if (shape == Shape::flag) return 0;
  return shape == Shape::tcp_flags || shape == Shape::two_words ? 2 : 1;
}

std::optional<Value> parse_value(const OptionSpec& spec, std::span<const Word> arguments, Family family) {
  if (arguments.size() != argument_count(spec.shape)) return std::nullopt;
  if (spec.shape == Shape::flag) return Value{};
  if (spec.shape == Shape::two_words) return Value{Words{{arguments.begin(), arguments.end()}}};
  if (spec.shape == Shape::tcp_flags) {
    const auto mask = parse_tcp_flags(arguments[0].text), set = parse_tcp_flags(arguments[1].text);
    return mask && set ? std::optional<Value>(TcpFlags{*mask, *set}) : std::nullopt;
  }
  return parse_single(spec, arguments[0], family);
}

std::string print_value(const OptionSpec& spec, const Value& value) { return std::visit(Printer{spec.shape}, value); }

std::optional<Network> parse_network(std::string_view text) {
  const auto slash = text.find('/');
  const auto address = IpAddr::parse(text.substr(0, slash));
  if (!address) return std::nullopt;
  U128 mask = ones(address_bits(address->family));
  if (slash != std::string_view::npos) {
    const std::string_view tail = text.substr(slash + 1);
    if (const auto prefix = Prefix::parse(text)) {
      mask = prefix->mask();
    } else if (const auto written = IpAddr::parse(tail); written && written->family == address->family) {
      mask = written->value;
    } else {
      return std::nullopt;
    }
  }
  return Network{{address->family, address->value & mask}, mask};
}

std::string print_network(const Network& n, bool always_length) {
  const unsigned bits = address_bits(n.address.family);
  if (n.mask == ones(bits) && !always_length) return n.address.to_string();
  for (unsigned length = 0; length <= bits; ++length)
    if (n.mask == (length == 0 ? 0 : ones(bits) ^ ones(bits - length)))
      return fmt::format("{}/{}", n.address.to_string(), length);
  return n.address.to_string() + "/" + IpAddr{n.address.family, n.mask}.to_string();
}

std::optional<Range> parse_range(std::string_view text, char separator, std::uint64_t limit) {
  const auto at = service_port(text) ? std::string_view::npos : text.find(separator);  // "ftp-data"
  if (at == std::string_view::npos) {
    const auto n = parse_port_or_number(text);
    return n ? std::optional(Range{*n, *n}) : std::nullopt;
  }
  const std::string_view low = text.substr(0, at), high = text.substr(at + 1);
  const auto first = low.empty() ? std::optional<std::uint64_t>(0) : parse_port_or_number(low);
  const auto last = high.empty() ? std::optional(limit) : parse_port_or_number(high);
  if (!first || !last || *last < *first || (limit != 0 && *last > limit)) return std::nullopt;
  if (separator == '-' && low.empty()) return std::nullopt;  // a negative number
  return Range{*first, *last};
}

}  // namespace egt::parsers::iptables
