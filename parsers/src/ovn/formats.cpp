#include "ovn/formats.h"

#include <fmt/format.h>

#include "egtrace/base/text.h"
#include "ovsdb/datum.h"

namespace egt::parsers {
namespace ovn_text {

bool is_blank_dump(const Dump& dump) { return dump.text.size() < 4096 && trim(dump.text).empty(); }

void reprint_lines(const Dump& dump, std::string& out, Report& report,
                   const std::function<bool(const Line&, std::string& canonical, LineReport&)>& parse) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string canonical;
  for (Line line; reader.next(line);) {
    canonical.clear();
    const bool printed = parse(line, canonical, lines);
    if (printed && canonical == line.text) {
      out += canonical;
    } else {
      if (printed) lines.note(line, 1, "understood, but spelt differently from what the tool prints", Diagnostic::Severity::note);
      out += line.text;
    }
    out += line.end;
  }
}

void append_json(const std::string& document, std::string& out) {
  out += document;
  out.push_back('\n');
}

std::string printed(std::string_view text) { return ovsdb::to_text(ovsdb::atom_datum(ovsdb::string_atom(text))); }

std::string printed_set(const std::vector<std::string>& texts) {
  ovsdb::Datum set;
  set.shape = ovsdb::Datum::Shape::set;
  for (const std::string& text : texts) set.keys.push_back(ovsdb::string_atom(text));
  return ovsdb::to_text(set);
}

std::string topic_of(const Dump& dump, std::string_view what, std::string_view verb) {
  if (dump.partial) return fmt::format("{} excerpt {}:{}", what, dump.path, dump.first_line);
  const std::string owner = argument_after(dump, verb);
  // Without the router's name two lists cannot be shown to be the same one.
  return owner.empty() ? fmt::format("{} {}:{}", what, dump.path, dump.first_line) : fmt::format("{} of {}", what, owner);
}

}  // namespace ovn_text

std::span<const Format> ovn_formats() {
  using namespace ovn_text;
  static const Format kFormats[] = {lflow_format(), policy_format(),     route_format(),
                                    nat_format(),   acl_format(),        load_balancer_format(),
                                    zone_format(),  connection_format(), cluster_status_format()};
  return kFormats;
}

}  // namespace egt::parsers
