#include "ovs_ofctl/values.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"

namespace egt::parsers::ofctl {
namespace {

constexpr std::size_t kLongestInteger = 64;  // characters of text

constexpr char kDigits[] = "0123456789abcdef";

constexpr int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool read_hex_digits(std::string_view s, U128& out) {
  if (s.empty()) return false;
  U128 v = 0;
  for (const char c : s) {
    const int d = digit_value(c);
    if (d < 0 || (v >> 124) != 0) return false;
    v = v << 4 | static_cast<unsigned>(d);
  }
  out = v;
  return true;
}

// As strtoull(3) of base 0: digits behind a zero are octal.
bool read_decimal_digits(std::string_view s, U128& out) {
  if (s.empty() || s.size() > 22) return false;
  const unsigned base = s.size() > 1 && s.front() == '0' ? 8 : 10;
  U128 v = 0;
  for (const char c : s) {
    if (!is_digit(c) || static_cast<unsigned>(c - '0') >= base) return false;
    v = v * base + static_cast<unsigned>(c - '0');
  }
  if (v > ~std::uint64_t{0}) return false;
  out = v;
  return true;
}

bool same_letters(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i]))) return false;
  return true;
}

struct ReservedPort {
  std::string_view word;
  std::uint32_t number;
};
// The first word of a number is the one that is printed.
constexpr ReservedPort kReserved[] = {
    {"IN_PORT", openflow::port::in_port}, {"TABLE", openflow::port::table}, {"NORMAL", openflow::port::normal},
    {"FLOOD", openflow::port::flood},     {"ALL", openflow::port::all},     {"CONTROLLER", openflow::port::controller},
    {"LOCAL", openflow::port::local},     {"ANY", openflow::port::none},    {"NONE", openflow::port::none},
    {"UNSET", openflow::port::unset},
};

constexpr std::string_view kCtState[] = {"new", "est", "rel", "rpl", "inv", "trk", "snat", "dnat"};
constexpr std::string_view kTcpFlags[] = {"fin", "syn", "rst", "psh",   "ack",   "urg",
                                          "ece", "cwr", "ns",  "[200]", "[400]", "[800]"};
constexpr std::string_view kTunnelFlags[] = {"oam"};

int flag_index(std::string_view word, std::span<const std::string_view> names) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == word) return static_cast<int>(i);
  return -1;
}

struct FragWord {
  std::string_view word;
  std::uint8_t mask, value;
};
// Order of lib/meta-flow.c: the first row of a word is the one that input means.
constexpr FragWord kFrag[] = {{"no", 3, 0},  {"first", 3, 1},     {"later", 3, 3}, {"no", 1, 0},
                              {"yes", 1, 1}, {"not_later", 2, 0}, {"later", 2, 2}};

bool read_address_mask(const Field& f, std::string_view text, U128& mask) {
  const unsigned bits = f.bits;
  if (const auto length = parse_decimal(text); length && f.format != FieldFormat::ethernet) {
    if (*length > bits) return false;
    mask = ones(bits) ^ ones(bits - static_cast<unsigned>(*length));
    return true;
  }
  if (f.format == FieldFormat::ipv6) return read_ipv6(text, mask);
  std::uint32_t v4 = 0;
  std::uint64_t mac = 0;
  if (f.format == FieldFormat::ipv4) {
    if (!read_ipv4(text, v4)) return false;
    mask = v4;
    return true;
  }
  if (!read_ethernet(text, mac)) return false;
  mask = mac;
  return true;
}

bool read_one_value(const Field& f, std::string_view text, U128& value) {
  std::uint32_t v4 = 0;
  std::uint64_t mac = 0;
  Number n;
  openflow::Port port;
  switch (f.format) {
    case FieldFormat::ipv4:
      if (!read_ipv4(text, v4)) return false;
      value = v4;
      return true;
    case FieldFormat::ipv6: return read_ipv6(text, value);
    case FieldFormat::ethernet:
      if (!read_ethernet(text, mac)) return false;
      value = mac;
      return true;
    case FieldFormat::of10_port:
    case FieldFormat::of11_port:
      if (!read_port(text, port) || !port.name.empty()) return false;
      value = port.number;
      return true;
    case FieldFormat::packet_type: return read_packet_type(text, value);
    default:
      if (!read_number(text, n)) return false;
      value = n.value;
      return true;
  }
}

// Bits that a value of the field may have: vlan_vid carries "a tag is there" above its own twelve.
U128 value_bits(const Field& f) {
  return f.id == FieldId::vlan_vid ? U128{0x1fff} : f.id == FieldId::dl_vlan ? U128{0xffff} : ones(f.bits);
}

}  // namespace

bool read_number(std::string_view text, Number& out) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    out.hexadecimal = true;
    out.width = text.size() > 1 && text[0] == '0' && text.size() < 128 ? static_cast<std::uint8_t>(text.size()) : 0;
    return read_hex_digits(text, out.value);
  }
  out.hexadecimal = false;
  out.width = 0;
  return read_decimal_digits(text, out.value);
}

void write_decimal(std::uint64_t v, std::string& out) {
  char buffer[20];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v).ptr;
  out.append(buffer, end);
}

void write_padded_hex(U128 v, unsigned width, std::string& out) {
  char digits[128];
  unsigned n = 0;
  for (; v != 0 || n == 0; v >>= 4) digits[n++] = kDigits[static_cast<unsigned>(v & 15)];
  while (n < width && n < sizeof digits) digits[n++] = '0';
  out += "0x";
  while (n > 0) out += digits[--n];
}

void write_hex(U128 v, std::string& out) {
  if (v == 0) {
    out += '0';
    return;
  }
  write_padded_hex(v, 1, out);
}

void write_number(const Number& n, std::string& out) {
  if (n.hexadecimal) {
    write_padded_hex(n.value, n.width, out);
  } else {
    write_decimal(low64(n.value), out);
  }
}

std::int32_t leading_integer(std::string_view text) {
  return static_cast<std::int32_t>(std::strtol(std::string(text.substr(0, kLongestInteger)).c_str(), nullptr, 10));
}

bool read_lower_word(std::string_view text, std::uint32_t& out) {
  if (text.empty() || text.size() > kLongestInteger || text.find('\0') != std::string_view::npos) return false;
  const std::string whole(text);
  char* end = nullptr;
  errno = 0;
  const unsigned long value = std::strtoul(whole.c_str(), &end, 0);
  out = static_cast<std::uint32_t>(value);
  return errno == 0 && end == whole.c_str() + whole.size() && end != whole.c_str();
}

bool read_ipv4(std::string_view s, std::uint32_t& out) {
  std::uint32_t v = 0;
  std::size_t i = 0;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (i == s.size() || s[i] != '.') return false;
      ++i;
    }
    const std::size_t from = i;
    unsigned byte = 0;
    while (i < s.size() && i < from + 3 && is_digit(s[i])) byte = byte * 10 + static_cast<unsigned>(s[i++] - '0');
    if (i == from || byte > 255) return false;
    v = v << 8 | byte;
  }
  out = v;
  return i == s.size();
}

bool read_ipv6(std::string_view text, U128& out) {
  if (text.find(':') == std::string_view::npos) return false;
  const auto a = IpAddr::parse(text);
  if (!a) return false;
  out = a->value;
  return true;
}

bool read_ethernet(std::string_view s, std::uint64_t& out) {
  std::uint64_t v = 0;
  std::size_t i = 0;
  for (int octet = 0; octet < 6; ++octet) {
    if (octet > 0) {
      if (i == s.size() || s[i] != ':') return false;
      ++i;
    }
    const int high = i < s.size() ? digit_value(s[i]) : -1;
    if (high < 0) return false;
    ++i;
    const int low = i < s.size() ? digit_value(s[i]) : -1;
    if (low >= 0) ++i;
    v = v << 8 | static_cast<unsigned>(low < 0 ? high : high << 4 | low);
  }
  out = v;
  return i == s.size();
}

void write_ipv4(std::uint32_t v, std::string& out) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (shift != 24) out += '.';
    write_decimal(v >> shift & 255, out);
  }
}

void write_ipv6(U128 v, std::string& out) { out += IpAddr::v6(v).to_string(); }

void write_ethernet(std::uint64_t v, std::string& out) {
  for (int shift = 40; shift >= 0; shift -= 8) {
    if (shift != 40) out += ':';
    out += kDigits[v >> (shift + 4) & 15];
    out += kDigits[v >> shift & 15];
  }
}

int prefix_length(U128 mask, unsigned bits) {
  int n = 0;
  while (n < static_cast<int>(bits) && (mask >> (bits - 1 - static_cast<unsigned>(n)) & 1)) ++n;
  return mask == (ones(bits) ^ ones(bits - static_cast<unsigned>(n))) ? n : -1;
}

std::span<const std::string_view> flag_names(FieldFormat format) {
  switch (format) {
    case FieldFormat::ct_state: return kCtState;
    case FieldFormat::tcp_flags: return kTcpFlags;
    case FieldFormat::tnl_flags: return kTunnelFlags;
    default: return {};
  }
}

bool read_signed_flags(std::string_view s, std::span<const std::string_view> names, U128& value, U128& mask) {
  value = mask = 0;
  while (!s.empty()) {
    const char sign = s.front();
    if (sign != '+' && sign != '-') return false;
    s.remove_prefix(1);
    const std::size_t end = s.find_first_of("+-");
    const int bit = flag_index(s.substr(0, end), names);
    if (bit < 0 || (mask >> bit & 1)) return false;
    mask |= U128{1} << bit;
    if (sign == '+') value |= U128{1} << bit;
    s.remove_prefix(end == std::string_view::npos ? s.size() : end);
  }
  return mask != 0;
}

bool read_named_flags(std::string_view s, std::span<const std::string_view> names, U128& value) {
  value = 0;
  while (!s.empty()) {
    const std::size_t end = s.find('|');
    const int bit = flag_index(s.substr(0, end), names);
    if (bit < 0) return false;
    value |= U128{1} << bit;
    s.remove_prefix(end == std::string_view::npos ? s.size() : end + 1);
  }
  return value != 0;
}

void write_signed_flags(U128 value, U128 mask, std::span<const std::string_view> names, std::string& out) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!(mask >> i & 1)) continue;
    out += value >> i & 1 ? '+' : '-';
    out += names[i];
  }
}

void write_named_flags(U128 value, std::span<const std::string_view> names, std::string& out) {
  bool first = true;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!(value >> i & 1)) continue;
    if (!first) out += '|';
    first = false;
    out += names[i];
  }
  if (first) out += '0';
}

bool read_frag(std::string_view text, U128& value, U128& mask) {
  for (const FragWord& f : kFrag) {
    if (f.word != text) continue;
    value = f.value;
    mask = f.mask;
    return true;
  }
  return false;
}

std::string_view frag_word(U128 value, U128 mask) {
  for (const FragWord& f : kFrag)
    if (f.mask == mask && f.value == value) return f.word;
  return "<error>";
}

std::optional<std::uint32_t> reserved_port(std::string_view word) {
  for (const ReservedPort& p : kReserved)
    if (same_letters(p.word, word)) return p.number;
  return std::nullopt;
}

std::string_view reserved_port_word(std::uint32_t number) {
  for (const ReservedPort& p : kReserved)
    if (p.number == number) return p.word;
  return {};
}

bool read_quoted(std::string_view text, std::string& out) {
  if (text.size() < 2 || text.front() != '"') return false;
  out.clear();
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') return i + 1 == text.size();
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return false;
}

bool read_port(std::string_view text, openflow::Port& out) {
  out = {};
  if (text.empty()) return false;
  if (text.front() == '"') return read_quoted(text, out.name) && !out.name.empty();
  if (text.starts_with("0x")) return false;
  if (const auto n = parse_decimal(text)) {  // never octal
    constexpr std::uint64_t kMost16 = 0xffff, kFirst32 = 0xffffff00,
                            kMost32 = 0xffffffff;  // OpenFlow 1.1 on: reserved ports in 32 bits
    if (*n > kMost32 || (*n > kMost16 && *n < kFirst32)) return false;
    out.number = static_cast<std::uint32_t>(*n);
    if (out.number > kFirst32) out.number &= kMost16;
    return true;
  }
  if (const auto word = reserved_port(text)) {
    out.number = *word;
    return true;
  }
  for (const char c : text)
    if (!std::isalnum(static_cast<unsigned char>(c)) && std::string_view("_-.@:").find(c) == std::string_view::npos) return false;
  // The host's ends of pods' devices are called by the first digits of a hash: "3f2a91c0aa11e2b".
  if (std::all_of(text.begin() + (text.front() == '-'), text.end(), is_digit)) return false;
  out.name = text;
  return true;
}

void write_port_number(std::uint32_t number, std::string& out) {
  if (const auto word = reserved_port_word(number); !word.empty()) {
    out += word;
  } else {
    write_decimal(number, out);
  }
}

void write_name(std::string_view name, std::string& out) {
  bool plain = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front()));
  for (const char c : name) plain = plain && std::isalnum(static_cast<unsigned char>(c));
  if (plain) {
    out += name;
    return;
  }
  out += '"';
  for (const char c : name) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

void write_port(const openflow::Port& p, std::string& out) {
  if (p.name.empty()) {
    write_port_number(p.number, out);
  } else {
    write_name(p.name, out);
  }
}

bool read_packet_type(std::string_view s, U128& value) {
  if (s.size() < 5 || s.front() != '(' || s.back() != ')') return false;
  s = s.substr(1, s.size() - 2);
  const std::size_t comma = s.find(',');
  if (comma == std::string_view::npos) return false;
  Number ns, type;
  if (!read_number(trim(s.substr(0, comma)), ns) || !read_number(trim(s.substr(comma + 1)), type)) return false;
  if (ns.value > 0xffff || type.value > 0xffff) return false;
  value = ns.value << 16 | type.value;
  return true;
}

void write_packet_type(U128 value, std::string& out) {
  out += '(';
  write_decimal(low64(value >> 16), out);
  out += ',';
  write_hex(value & 0xffff, out);
  out += ')';
}

bool read_field_value(const Field& f, std::string_view text, U128& value, std::optional<U128>& mask) {
  mask.reset();
  const auto names = flag_names(f.format);
  if (!names.empty() && !text.empty() && !is_digit(text.front())) {
    if (text.front() != '+' && text.front() != '-') return read_named_flags(text, names, value);
    U128 m = 0;
    if (!read_signed_flags(text, names, value, m)) return false;
    mask = m;
    return true;
  }
  if (f.format == FieldFormat::frag) {
    U128 m = 0;
    if (!read_frag(text, value, m)) return false;
    mask = m;
    return true;
  }
  const std::size_t slash = f.format == FieldFormat::packet_type ? std::string_view::npos : text.find('/');
  if (!read_one_value(f, text.substr(0, slash), value) || (value & ~value_bits(f)) != 0) return false;
  if (slash == std::string_view::npos) return true;
  const std::string_view rest = text.substr(slash + 1);
  U128 m = 0;
  if (f.format == FieldFormat::ipv4 || f.format == FieldFormat::ipv6 || f.format == FieldFormat::ethernet) {
    if (!read_address_mask(f, rest, m)) return false;
  } else {
    Number n;
    if (!read_number(rest, n)) return false;
    m = n.value;
  }
  if ((m & ~value_bits(f)) != 0) return false;
  mask = m;
  return true;
}

void write_field_value(const Field& f, U128 value, const std::optional<U128>& mask, std::string& out) {
  const auto names = flag_names(f.format);
  if (!names.empty()) {
    if (mask && *mask != ones(f.bits)) return write_signed_flags(value, *mask, names, out);
    return write_named_flags(value, names, out);
  }
  switch (f.format) {
    case FieldFormat::frag: out += frag_word(value, mask.value_or(3)); return;
    case FieldFormat::of10_port:
    case FieldFormat::of11_port: write_port_number(static_cast<std::uint32_t>(value), out); return;
    case FieldFormat::packet_type: write_packet_type(value, out); return;
    case FieldFormat::ipv4: write_ipv4(static_cast<std::uint32_t>(value), out); break;
    case FieldFormat::ipv6: write_ipv6(value, out); break;
    case FieldFormat::ethernet: write_ethernet(low64(value), out); break;
    case FieldFormat::hexadecimal: write_hex(value, out); break;
    default: write_decimal(low64(value), out); break;
  }
  if (!mask) return;
  out += '/';
  if (f.format == FieldFormat::ethernet) return write_ethernet(low64(*mask), out);
  if (f.format != FieldFormat::ipv4 && f.format != FieldFormat::ipv6) return write_hex(*mask, out);
  if (const int n = prefix_length(*mask, f.bits); n >= 0) return write_decimal(static_cast<unsigned>(n), out);
  if (f.format == FieldFormat::ipv4) return write_ipv4(static_cast<std::uint32_t>(*mask), out);
  write_ipv6(*mask, out);
}

}  // namespace egt::parsers::ofctl
