// Canonical text of matches, fields and constants (expr_format() in lib/expr.c, lex_token_format() in lib/lex.c of
// OVN).
#include <fmt/format.h>

#include <bit>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/ovn/expression.h"

namespace egt::ovn {
namespace {

// The one run of set bits; none where there are several or no set bits at all.
struct BitRun {
  unsigned first = 0, bits = 0;
};

BitRun only_run(U128 mask) {
  if (mask == 0) return {};
  const unsigned first = low64(mask) ? static_cast<unsigned>(std::countr_zero(low64(mask)))
                                     : 64u + static_cast<unsigned>(std::countr_zero(high64(mask)));
  const U128 rest = ~(mask >> first);
  const unsigned bits = rest == 0     ? 128
                        : low64(rest) ? static_cast<unsigned>(std::countr_zero(low64(rest)))
                                      : 64u + static_cast<unsigned>(std::countr_zero(high64(rest)));
  if (mask >> first != ones(bits)) return {};
  return {first, bits};
}

void print_comparison(const Comparison& c, std::string& out) {
  const Symbol& s = *c.symbol;
  if (s.is_string()) {
    out += fmt::format("{} {} {}", s.name, to_string(c.relop), quoted(c.text));
    return;
  }
  const BitRun run = only_run(c.mask & ones(s.bits));
  const bool equality = c.relop == Relop::eq || c.relop == Relop::ne;
  if (run.bits == 1 && equality) {
    const bool positive = ((c.value >> run.first) & 1) == (c.relop == Relop::eq);
    if (!positive) out += '!';
    out += s.name;
    if (s.bits > 1) out += fmt::format("[{}]", run.first);
    return;
  }
  out += s.name;
  if (run.bits > 1 && run.bits < s.bits)
    out += fmt::format("[{}..{}]", run.first, run.first + run.bits - 1);
  else if (run.bits == 1 && s.bits > 1)
    out += fmt::format("[{}]", run.first);
  out += fmt::format(" {} ", to_string(c.relop));
  if (run.bits > 0)
    out += hex((c.value >> run.first) & ones(run.bits), true);
  else
    out += fmt::format("{}/{}", hex(c.value, true), hex(c.mask, true));
}

Comparison member(const Membership& m, const Constant& c) {
  Comparison comparison{m.symbol, m.negated ? Relop::ne : Relop::eq, 0, 0, c.text};
  if (m.symbol->is_string()) return comparison;
  comparison.value = (c.value & ones(m.bits)) << m.shift;
  comparison.mask = ((c.masked ? c.mask : ones(m.bits)) & ones(m.bits)) << m.shift;
  return comparison;
}

void print(const Expression& e, std::string& out);

// A set counts as the junction that it stands for: alternatives, or with != exclusions.
bool is_junction(const Expression& e) {
  if (const auto* m = std::get_if<Membership>(&e.node)) return m->set->constants().values.size() > 1;
  return std::holds_alternative<Junction>(e.node);
}

void print_members(const Membership& m, std::string& out) {
  const char* between = "";
  for (const Constant& c : m.set->constants().values) {
    out += between;
    print_comparison(member(m, c), out);
    between = m.negated ? " && " : " || ";
  }
}

void print_junction(const Junction& junction, std::string& out) {
  const char* between = "";
  for (const Expression& term : junction.terms) {
    out += between;
    between = junction.conjunction ? " && " : " || ";
    const auto* m = std::get_if<Membership>(&term.node);
    const bool flows_in = m != nullptr && m->negated == junction.conjunction;
    const bool parentheses = is_junction(term) && !flows_in;
    if (parentheses) out += '(';
    print(term, out);
    if (parentheses) out += ')';
  }
}

void print(const Expression& e, std::string& out) {
  if (const auto* value = std::get_if<bool>(&e.node))
    out += *value ? '1' : '0';
  else if (const auto* comparison = std::get_if<Comparison>(&e.node))
    print_comparison(*comparison, out);
  else if (const auto* membership = std::get_if<Membership>(&e.node))
    print_members(*membership, out);
  else if (const auto* resident = std::get_if<ChassisResident>(&e.node))
    out += fmt::format("{}is_chassis_resident({})", resident->negated ? "!" : "", quoted(resident->port));
  else
    print_junction(std::get<Junction>(e.node), out);
}

unsigned format_bits(ConstantFormat f) {
  switch (f) {
    case ConstantFormat::decimal: return 64;
    case ConstantFormat::hexadecimal:
    case ConstantFormat::ipv6: return 128;
    case ConstantFormat::ipv4: return 32;
    case ConstantFormat::ethernet: return 48;
  }
  return 128;
}

std::string number(U128 value, ConstantFormat format) {
  switch (format) {
    case ConstantFormat::decimal: return fmt::format("{}", low64(value));
    case ConstantFormat::hexadecimal: return hex(value, true);
    case ConstantFormat::ipv4: return ipv4_text(static_cast<std::uint32_t>(value));
    case ConstantFormat::ipv6: return IpAddr::v6(value).to_string();
    case ConstantFormat::ethernet: return MacAddr{low64(value)}.to_string();
  }
  return {};
}

// The length of a mask that is a prefix of `bits` bits; none where it is not.
std::optional<unsigned> prefix_length(U128 mask, unsigned bits) {
  const U128 host = ~mask & ones(bits);
  if (host & (host + 1)) return std::nullopt;
  unsigned length = bits;
  for (U128 h = host; h; h >>= 1) --length;
  return length;
}

}  // namespace

std::string_view to_string(Relop relop) {
  switch (relop) {
    case Relop::eq: return "==";
    case Relop::ne: return "!=";
    case Relop::lt: return "<";
    case Relop::le: return "<=";
    case Relop::gt: return ">";
    case Relop::ge: return ">=";
  }
  return {};
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) >= 32)
          out += c;
        else
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    }
  return out + '"';
}

std::string ipv4_text(std::uint32_t address) { return IpAddr::v4(address).to_string(); }

std::string to_string(const Expression& e) {
  std::string out;
  print(e, out);
  return out;
}

std::string to_string(const FieldRef& f) {
  if (f.is_whole()) return f.symbol->name;
  if (f.bits == 1) return fmt::format("{}[{}]", f.symbol->name, f.first);
  return fmt::format("{}[{}..{}]", f.symbol->name, f.first, f.first + f.bits - 1);
}

// A value that does not fit its format (an address moved into a wider field) prints as hexadecimal.
std::string to_string(const Constant& c, bool is_string) {
  if (is_string) return quoted(c.text);
  const U128 excess = (c.value | (c.masked ? c.mask : 0)) & ~ones(format_bits(c.format));
  const ConstantFormat format = excess ? ConstantFormat::hexadecimal : c.format;
  std::string out = number(c.value, format);
  if (!c.masked) return out;
  std::optional<unsigned> length;
  if (format == ConstantFormat::ipv4) length = prefix_length(c.mask, 32);
  if (format == ConstantFormat::ipv6) length = prefix_length(c.mask, 128);
  out += '/';
  out += length ? fmt::format("{}", *length) : number(c.mask, format);
  return out;
}

std::string to_string(const ConstantSet& set) {
  const bool curlies = set.in_curlies || set.values.size() != 1;
  std::string out = curlies ? "{" : "";
  for (std::size_t i = 0; i < set.values.size(); ++i) {
    if (i > 0) out += ", ";
    out += to_string(set.values[i], set.strings);
  }
  if (curlies) out += '}';
  return out;
}

}  // namespace egt::ovn
