// Expressions and elements as text.
#include <fmt/format.h>

#include <iterator>

#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

void join(const std::vector<Expression>& parts, std::string_view separator, std::string& out) {
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    print(parts[i], out);
  }
}

void word(std::string_view w, std::string& out) {
  if (w.empty()) return;
  out += ' ';
  out += w;
}

struct ExpressionPrinter {
  std::string& out;

  void operator()(const Literal& l) const {
    if (l.kind == Literal::Kind::string) {
      out += '"';
      out += l.text;
      out += '"';
    } else {
      out += l.text;
    }
  }
  void operator()(const RangeExpr& r) const { join(r.ends, r.spaced ? " - " : "-", out); }
  void operator()(const SetReference& r) const {
    out += '@';
    out += r.name;
  }
  void operator()(const Meta& m) const {
    if (!m.bare) out += "meta ";
    out += m.key;
  }
  void operator()(const Payload& p) const {
    if (!p.tunnel.empty()) {
      out += p.tunnel;
      out += ' ';
    }
    out += p.protocol;
    word(p.field, out);
  }
  void operator()(const RawPayload& p) const { fmt::format_to(std::back_inserter(out), "@{},{},{}", p.base, p.offset, p.length); }
  void operator()(const Ct& c) const {
    out += "ct";
    word(c.direction, out);
    word(c.family, out);
    word(c.key, out);
  }
  void operator()(const Fib& f) const {
    out += "fib ";
    for (std::size_t i = 0; i < f.inputs.size(); ++i) {
      if (i > 0) out += " . ";
      out += f.inputs[i];
    }
    word(f.result, out);
  }
  void operator()(const Rt& r) const {
    out += "rt";
    word(r.family, out);
    word(r.key, out);
  }
  void operator()(const Socket& s) const {
    out += "socket";
    word(s.key, out);
    if (s.level) fmt::format_to(std::back_inserter(out), " level {}", *s.level);
  }
  void operator()(const Numgen& n) const {
    fmt::format_to(std::back_inserter(out), "numgen {} mod {}", n.mode, n.modulus);
    if (n.offset) fmt::format_to(std::back_inserter(out), " offset {}", *n.offset);
  }
  void operator()(const Hash& h) const {
    out += h.operand.empty() ? "symhash" : "jhash ";
    join(h.operand, " . ", out);
    fmt::format_to(std::back_inserter(out), " mod {}", h.modulus);
    if (!h.seed.empty()) fmt::format_to(std::back_inserter(out), " seed {}", h.seed);
    if (h.offset) fmt::format_to(std::back_inserter(out), " offset {}", *h.offset);
  }
  void operator()(const HeaderOption& o) const {
    out += o.protocol;
    word(o.word, out);
    word(o.option, out);
    word(o.field, out);
  }
  void operator()(const Osf& o) const {
    out += "osf";
    if (!o.ttl.empty()) out += " ttl";
    word(o.ttl, out);
    word(o.key, out);
  }
  void operator()(const Ipsec& i) const {
    out += "ipsec";
    word(i.direction, out);
    if (i.spnum) fmt::format_to(std::back_inserter(out), " spnum {}", *i.spnum);
    word(i.family, out);
    word(i.key, out);
  }
  void operator()(const ConcatExpr& c) const { join(c.parts, " . ", out); }
  void operator()(const ListExpr& l) const { join(l.parts, ",", out); }
  void operator()(const BinaryExpr& b) const {
    if (b.in_parentheses) out += '(';
    join(b.operands, " " + b.op + " ", out);
    if (b.in_parentheses) out += ')';
  }
  void operator()(const SetExpr& s) const {
    out += "{ ";
    for (std::size_t i = 0; i < s.elements.size(); ++i) {
      print(s.elements[i], out);
      if (i + 1 < s.elements.size()) out += s.elements[i].ends_line ? ",\n\t\t\t     " : ", ";
    }
    out += " }";
  }
  void operator()(const MapExpr& m) const { join(m.key_and_map, " map ", out); }
  void operator()(const VerdictExpr& v) const {
    out += v.kind;
    word(v.chain, out);
  }
};

void print_times(const Element& e, std::string& out) {
  if (!e.timeout.empty()) out += " timeout " + e.timeout;
  if (!e.expires.empty()) out += " expires " + e.expires;
}

void print_statements(const Element& e, std::string& out) {
  for (const Statement& s : e.statements) {
    out += ' ';
    print(s, out);
  }
}

}  // namespace

void print(const Expression& e, std::string& out) { std::visit(ExpressionPrinter{out}, e.node); }

void print(const Element& e, std::string& out) {
  print(e.key, out);
  if (e.statements_first) print_statements(e, out);
  print_times(e, out);
  if (!e.statements_first) print_statements(e, out);
  if (e.has_comment) out += " comment \"" + e.comment + "\"";
  if (!e.data.empty()) {
    out += " : ";
    print(e.data.front(), out);
  }
}

std::string text_of(const Expression& e) {
  std::string out;
  print(e, out);
  return out;
}

}  // namespace egt::parsers::nft
