// The formats of this folder and what they share.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "egtrace/parsers/format.h"
#include "support/lines.h"

namespace egt::parsers::system {

const Format& sysctl_format();
const Format& hostname_format();
const Format& conntrack_format();
const Format& dpctl_conntrack_format();
const Format& ipset_save_format();
const Format& ipset_list_format();
const Format& sockets_format();
const Format& hosts_format();
const Format& nstat_format();
const Format& netstat_counters_format();
const Format& proc_net_format();
const Format& ethtool_format();
const Format& metrics_format();
const Format& ipsec_policy_format();
const Format& ipsec_state_format();
const Format& ipsec_status_format();
const Format& ipsec_certificates_format();
const Format& qdisc_format();
const Format& filter_format();
const Format& bpf_programs_format();

// The words of the command behind `verb`, in both its forms; up to a '|', which is kept as the last word.
std::vector<std::string_view> words_behind(const Dump& dump, std::string_view verb);
// Whether the command ran in another network namespace than the node's own.
bool is_other_namespace(const Dump& dump);
bool is_blank_dump(const Dump& dump);
// `topic`, or one of the dump's own where it does not mention the same thing as others.
std::string topic_of(const Dump& dump, std::string_view topic, bool own);

void append_json(const nlohmann::ordered_json& document, std::string& out);

// Prints each line from its tree. `parse(text)` gives the tree; `print(tree, out)` appends nothing for lines that are no
// data; `count(line, tree, report)` reports what became of it. A line that prints differently is kept, and a note is added.
template <class Parse, class Print, class Count>
void reprint_lines(const Dump& dump, std::string& out, Report& report, Parse parse, Print print, Count count) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  std::string buffer, printed;
  for (Line line; reader.next(line);) {
    const std::string_view text = without_colour(line.text, buffer);
    const auto tree = parse(text);
    count(line, tree, lines);
    printed.clear();
    print(tree, printed);
    if (!printed.empty() && printed != text)
      lines.note(line, 1, "understood, but spelt differently from what the tool prints", Diagnostic::Severity::note);
    // A line with colours is printed as it stands.
    out += printed == line.text ? std::string_view(printed) : line.text;
    out += line.end;
  }
}

}  // namespace egt::parsers::system
