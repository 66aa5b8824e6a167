// Statements and rules as text.
#include <fmt/format.h>

#include <iterator>

#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

void write_words(const std::vector<std::string>& list, std::string_view separator, std::string& out) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += separator;
    out += list[i];
  }
}

void named(const std::vector<Expression>& name, std::string& out) {
  out += " name ";
  print(name.front(), out);
}

// An address of a NAT statement; `bracketed` puts each IPv6 address into brackets.
void print_address(const Expression& e, bool bracketed, std::string& out) {
  if (!bracketed) return print(e, out);
  if (const auto* range = std::get_if<RangeExpr>(&e.node)) {
    out += '[' + text_of(range->ends.front()) + "]-[" + text_of(range->ends.back()) + ']';
  } else {
    out += '[' + text_of(e) + ']';
  }
}

void print_target(const std::vector<Expression>& address, const std::vector<Expression>& port, bool bracketed, std::string& out) {
  if (!address.empty() || !port.empty()) out += " to ";
  if (!address.empty()) print_address(address.front(), bracketed, out);
  if (!port.empty()) {
    out += ':';
    print(port.front(), out);
  }
}

struct StatementPrinter {
  std::string& out;
  unsigned depth;

  void operator()(const Match& m) const {
    print(m.left, out);
    out += ' ';
    if (!m.op.empty()) out += m.op + " ";
    print(m.right, out);
  }
  void operator()(const VerdictMap& m) const {
    print(m.key, out);
    out += " vmap ";
    print(m.map, out);
  }
  void operator()(const VerdictStatement& v) const { print(Expression{v.verdict}, out); }
  void operator()(const BlockVerdict& b) const {
    out += b.kind + " {\n";
    for (const Rule& r : b.rules) {
      out.append(depth + 1, '\t');
      print(r, out, depth + 1);
      out += '\n';
    }
    out.append(depth, '\t');
    out += '}';
  }
  void operator()(const Counter& c) const {
    out += "counter";
    if (!c.name.empty()) named(c.name, out);
    if (c.values) fmt::format_to(std::back_inserter(out), " packets {} bytes {}", c.values->first, c.values->second);
  }
  void operator()(const Quota& q) const {
    out += "quota";
    if (!q.name.empty()) return named(q.name, out);
    if (q.over) out += " over";
    out += " " + q.amount;
    if (!q.used.empty()) out += " used " + q.used;
  }
  void operator()(const Limit& l) const {
    out += "limit";
    if (!l.name.empty()) return named(l.name, out);
    out += " rate ";
    if (l.over) out += "over ";
    out += l.rate;
    if (!l.burst.empty()) out += " burst " + l.burst;
  }
  void operator()(const Last& l) const {
    out += "last";
    if (!l.used.empty()) out += " used " + l.used;
  }
  void operator()(const Log& l) const {
    out += "log";
    for (const auto& [key, value] : l.options) out += " " + key + " " + value;
  }
  void operator()(const Reject& r) const {
    out += "reject";
    if (!r.with.empty()) out += " with " + r.with;
  }
  void operator()(const Nat& n) const {
    out += n.kind;
    if (!n.family.empty()) out += " " + n.family;
    if (n.concatenated) out += " addr . port";
    if (n.interval) out += " interval";
    if (n.prefix) out += " prefix";
    print_target(n.address, n.port, n.bracketed, out);
    if (!n.flags.empty()) out += ' ';
    write_words(n.flags, ",", out);
  }
  void operator()(const Assign& a) const {
    print(a.left, out);
    out += " set ";
    print(a.right, out);
  }
  void operator()(const Notrack&) const { out += "notrack"; }
  void operator()(const FlowAdd& f) const { out += "flow " + f.word + " @" + f.table; }
  void operator()(const Queue& q) const {
    out += "queue";
    if (!q.flags.empty()) out += " flags ";
    write_words(q.flags, ",", out);
    if (!q.to.empty()) {
      out += " " + q.word + " ";
      print(q.to.front(), out);
    }
  }
  void operator()(const Tproxy& t) const {
    out += "tproxy";
    if (!t.family.empty()) out += " " + t.family;
    print_target(t.address, t.port, t.bracketed, out);
  }
  void device(const std::vector<Expression>& d) const {
    if (d.empty()) return;
    out += " device ";
    print(d.front(), out);
  }
  void operator()(const Dup& d) const {
    out += "dup to ";
    print(d.to.front(), out);
    device(d.device);
  }
  void operator()(const Fwd& f) const {
    out += "fwd ";
    if (!f.family.empty()) out += f.family + " ";
    out += "to ";
    print(f.to.front(), out);
    device(f.device);
  }
  void operator()(const SetUpdate& u) const {
    out += u.op + " @" + u.set + " { ";
    print(u.element.front(), out);
    out += " }";
  }
  void operator()(const Meter& m) const {
    out += "meter " + m.name;
    if (m.size) fmt::format_to(std::back_inserter(out), " size {}", *m.size);
    out += " { ";
    print(m.element.front(), out);
    out += " }";
  }
  void operator()(const Synproxy& s) const {
    out += "synproxy";
    if (!s.name.empty()) return named(s.name, out);
    for (const std::string& o : s.options) out += " " + o;
  }
  void operator()(const Xt& x) const { out += "xt " + x.kind + " " + x.name; }
  void operator()(const CtCount& c) const {
    fmt::format_to(std::back_inserter(out), "ct count {}{}", c.over ? "over " : "", c.count);
  }
  void operator()(const ResetOption& r) const { out += "reset " + r.option; }
  void operator()(const HiddenMatch&) const {}
  void operator()(const OpaqueStatement& o) const { out += o.text; }
};

}  // namespace

void print(const Statement& s, std::string& out) { std::visit(StatementPrinter{out, 0}, s.node); }

void print(const Rule& r, std::string& out, unsigned depth) {
  bool first = true;
  for (const Statement& s : r.statements) {
    if (!first) out += ' ';
    first = false;
    std::visit(StatementPrinter{out, depth}, s.node);
  }
  if (r.comment) {
    if (!first) out += ' ';
    out += "comment \"" + *r.comment + "\"";
  }
  if (r.handle) fmt::format_to(std::back_inserter(out), " # handle {}", *r.handle);
}

}  // namespace egt::parsers::nft
