// Tables, chains, sets and objects as text.
#include <fmt/format.h>

#include <iterator>

#include "nft/print.h"

namespace egt::parsers::nft {
namespace {

void print_handle(const std::optional<std::uint64_t>& handle, std::string& out) {
  if (handle) fmt::format_to(std::back_inserter(out), " # handle {}", *handle);
}

void print_lines(const std::vector<std::string>& lines, std::string_view indent, std::string& out) {
  for (const std::string& l : lines) {
    out += indent;
    out += l;
    out += '\n';
  }
}

void join(const std::vector<std::string>& words, std::string_view separator, std::string_view quote, std::string& out) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += separator;
    out += quote;
    out += words[i];
    out += quote;
  }
}

void print_devices(const BaseHeader& b, std::string& out) {
  if (b.devices.empty()) return;
  out += b.device_list ? " devices = { " : " device ";
  join(b.devices, ", ", b.quoted_devices ? "\"" : "", out);
  if (b.device_list) out += " }";
}

void print_base(const BaseHeader& b, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\t\ttype {} hook {}", b.type, b.hook);
  print_devices(b, out);
  fmt::format_to(std::back_inserter(out), " priority {};", b.priority);
  if (b.policy) fmt::format_to(std::back_inserter(out), " policy {};", *b.policy);
  if (!b.flags.empty()) {
    out += " flags ";
    join(b.flags, ",", "", out);
    out += ';';
  }
  out += '\n';
}

struct ItemPrinter {
  std::string& out;

  void begin(bool empty_line, std::string_view kind, std::string_view name, const std::optional<std::uint64_t>& handle) const {
    if (empty_line) out += '\n';
    fmt::format_to(std::back_inserter(out), "\t{} {} {{", kind, name);
    print_handle(handle, out);
    out += '\n';
  }
  void end(bool closed) const {
    if (closed) out += "\t}\n";
  }

  void operator()(const Chain& c) const {
    begin(c.empty_line_before, "chain", c.name, c.handle);
    if (c.comment) out += "\t\tcomment \"" + *c.comment + "\"\n";
    if (c.base) print_base(*c.base, out);
    for (const auto& item : c.rules) {
      if (const Rule* r = std::get_if<Rule>(&item)) {
        out += "\t\t";
        print(*r, out);
      } else {
        out += std::get<OpaqueLine>(item).text;
      }
      out += '\n';
    }
    end(c.closed);
  }
  void operator()(const Set& s) const {
    begin(s.empty_line_before, s.is_map ? "map" : "set", s.name, s.handle);
    if (!s.type.key.empty()) {
      out += s.type.by_expression ? "\t\ttypeof " : "\t\ttype ";
      join(s.type.key, " . ", "", out);
      if (!s.type.data.empty()) out += s.type.interval_data ? " : interval " : " : ";
      join(s.type.data, " . ", "", out);
      out += '\n';
    }
    print_lines(s.properties, "\t\t", out);
    if (s.elements_present) {
      out += "\t\telements = ";
      print(Expression{SetExpr{s.elements}}, out);
      out += '\n';
    }
    for (const OpaqueLine& l : s.opaque) out += l.text + "\n";
    end(s.closed);
  }
  void operator()(const Object& o) const {
    begin(o.empty_line_before, o.kind, o.name, o.handle);
    print_lines(o.lines, "\t\t", out);
    end(o.closed);
  }
  void operator()(const OpaqueLine& l) const { out += l.text + "\n"; }
};

void print_head(const Table& t, std::string& out) {
  fmt::format_to(std::back_inserter(out), "table {} {} {{", t.family, t.name);
  if (t.handle || !t.program.empty()) out += " #";
  if (t.handle) fmt::format_to(std::back_inserter(out), " handle {}", *t.handle);
  if (!t.program.empty()) out += " progname " + t.program;
  out += '\n';
}

void print_table(const Table& t, std::string& out) {
  if (t.empty_line_before) out += '\n';
  if (t.iptables_warning) {
    fmt::format_to(std::back_inserter(out), "# Warning: table {} {} is managed by iptables-nft, do not touch!\n", t.family,
                   t.name);
  }
  if (!t.headless) print_head(t, out);
  print_lines(t.properties, "\t", out);
  for (const TableItem& item : t.items) std::visit(ItemPrinter{out}, item);
  if (t.closed) out += "}\n";
}

}  // namespace

void print(const Document& d, std::string& out) {
  for (const auto& item : d.items) {
    if (const Table* t = std::get_if<Table>(&item)) {
      print_table(*t, out);
    } else {
      out += std::get<OpaqueLine>(item).text + "\n";
    }
  }
}

}  // namespace egt::parsers::nft
