#include "ovn/lflow_line.h"

#include <fmt/format.h>

#include <iterator>

#include "egtrace/base/text.h"
#include "support/cursor.h"

namespace egt::parsers::ovn_text {
namespace {

LflowLine unknown(const Cursor& c, const char* problem) {
  LflowLine line;
  line.problem = problem;
  line.column = c.column();
  return line;
}

std::optional<std::string_view> take_quoted(Cursor& c) {
  if (!c.take('"')) return std::nullopt;
  const std::string_view text = c.take_until('"');
  if (!c.take('"')) return std::nullopt;
  return text;
}

LflowLine parse_datapath(Cursor c) {
  LflowLine line;
  DatapathLine& d = line.datapath;
  if (c.peek() == '"') {
    const auto name = take_quoted(c);
    if (!name) return unknown(c, "the datapath's name does not end");
    d.name = *name;
    if (c.take(" aka ")) {
      const auto name2 = take_quoted(c);
      if (!name2) return unknown(c, "the datapath's second name does not end");
      d.name2 = *name2;
    }
  }
  c.skip_blanks();
  if (!c.take('(')) return unknown(c, "\"(UUID)\" is missing");
  d.uuid = c.take_until(')');
  if (!c.take(')')) return unknown(c, "the datapath's UUID does not end");
  c.skip_blanks();
  if (!c.take("Pipeline:")) return unknown(c, "\"Pipeline:\" is missing");
  const std::string_view pipeline = trim(c.rest());
  if (pipeline != "ingress" && pipeline != "egress") return unknown(c, "neither ingress nor egress");
  d.ingress = pipeline == "ingress";
  line.kind = LflowLine::Kind::datapath;
  return line;
}

bool take_table(Cursor& c, FlowLine& flow) {
  if (c.take("??")) return true;
  const auto table = parse_decimal(c.take_while(is_digit));
  if (!table || *table > 255) return false;
  flow.table = static_cast<std::uint8_t>(*table);
  return true;
}

bool take_priority(Cursor& c, FlowLine& flow) {
  const auto priority = parse_decimal(c.take_while(is_digit));
  if (!priority || *priority > 65535) return false;
  flow.priority = static_cast<std::uint16_t>(*priority);
  c.skip_blanks();
  return true;
}

// "match=(…), action=(…)". No OVN expression holds "), action=(".
bool take_match_and_actions(Cursor& c, FlowLine& flow) {
  if (!c.take("match=(")) return false;
  const std::string_view rest = trim_right(c.rest());
  std::size_t at = rest.find("), action=(");
  std::size_t behind = at + 11;
  if (at == std::string_view::npos) {
    at = rest.find("), actions=(");  // as ovn-detrace spells it
    behind = at + 12;
  }
  if (at == std::string_view::npos || !rest.ends_with(')') || rest.size() <= behind) return false;
  flow.match = rest.substr(0, at);
  flow.actions = rest.substr(behind, rest.size() - behind - 1);
  return true;
}

LflowLine parse_flow(Cursor c) {
  LflowLine line;
  FlowLine& flow = line.flow;
  if (c.take("uuid=0x")) {
    flow.uuid = c.take_while(is_hex_digit);
    c.take_until('t');  // "..., " of shortened dumps
  }
  if (!c.take("table=") || !take_table(c, flow)) return unknown(c, "\"table=N\" is missing");
  c.skip_blanks();
  if (!c.take('(')) return unknown(c, "\"(STAGE)\" is missing");
  flow.stage = trim(c.take_until(')'));
  if (!c.take(')')) return unknown(c, "the stage's name does not end");
  c.take(',');
  c.skip_blanks();
  if (!c.take("priority=") || !take_priority(c, flow)) return unknown(c, "\"priority=P\" is missing");
  c.take(',');
  c.skip_blanks();
  if (!take_match_and_actions(c, flow)) return unknown(c, "\"match=(…), action=(…)\" is missing or does not end");
  line.kind = LflowLine::Kind::flow;
  return line;
}

// Flows of --ovs stand four blanks deep; other sections mention rows that are no logical flows.
bool is_aside(std::string_view text) {
  if (text.starts_with("    ") &&
      (text.find("cookie=") != std::string_view::npos || text.find("actions=") != std::string_view::npos))
    return true;
  const std::string_view trimmed = trim(text);
  if (trimmed.front() == '#' || trimmed == "--") return true;
  for (const std::string_view heading : {"Port Bindings:", "MAC Bindings:", "MC Groups:", "Chassis:", "Load Balancers:"})
    if (trimmed == heading) return true;
  for (const std::string_view row : {"logical_port=", "chassis=", "datapath=", "name=", "load_balancer=", "mac_binding="})
    if (text.starts_with("  ") &&
        (trimmed.starts_with(row) || (trimmed.starts_with("uuid=0x") && trimmed.find(", table=") == std::string_view::npos &&
                                      trimmed.find(row) != std::string_view::npos)))
      return true;
  return false;
}

}  // namespace

LflowLine parse_lflow_line(std::string_view text) {
  LflowLine line;
  Cursor c(text);
  c.skip_blanks();
  if (trim(c.rest()).empty()) return line.kind = LflowLine::Kind::blank, line;
  if (c.take("Datapath: ")) return parse_datapath(c);
  const std::string_view start = c.rest();
  if (start.starts_with("table=") || start.starts_with("uuid=0x"))
    line = parse_flow(c);
  else
    line.problem = "neither a datapath nor a logical flow";
  if (line.kind == LflowLine::Kind::unknown && is_aside(text)) line.kind = LflowLine::Kind::aside;
  return line;
}

void print_lflow_line(const LflowLine& line, std::string& out) {
  const auto to = std::back_inserter(out);
  if (line.kind == LflowLine::Kind::datapath) {
    const DatapathLine& d = line.datapath;
    out += "Datapath: ";
    if (!d.name.empty()) fmt::format_to(to, "\"{}\"", d.name);
    if (!d.name2.empty()) fmt::format_to(to, " aka \"{}\"", d.name2);
    fmt::format_to(to, " ({})  Pipeline: {}", d.uuid, d.ingress ? "ingress" : "egress");
  } else if (line.kind == LflowLine::Kind::flow) {
    const FlowLine& f = line.flow;
    out += "  ";
    if (!f.uuid.empty()) fmt::format_to(to, "uuid=0x{}, ", f.uuid);
    if (f.table)
      fmt::format_to(to, "table={:<2}", *f.table);
    else
      out += "table=??";
    fmt::format_to(to, "({:<19}), priority={:<5}, match=({}), action=({})", f.stage, f.priority, f.match, f.actions);
  }
}

}  // namespace egt::parsers::ovn_text
