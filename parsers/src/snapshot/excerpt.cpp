#include "snapshot/excerpt.h"

#include <algorithm>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "snapshot/prompt.h"

namespace egt::parsers {
namespace {

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::size_t count_lines_starting(std::string_view text, std::string_view start) {
  std::size_t count = 0;
  while (!text.empty()) count += next_line(text).starts_with(start) ? 1 : 0;
  return count;
}

// A multi-part reply marks in each header but the last that more follows. A part has at most 64 kB on the wire, as text
// 120 kB where flows are OVN's, so the last header is near the end, or there is a single one at the beginning.
bool more_flows_announced(std::string_view text) {
  constexpr std::size_t kTail = std::size_t{1} << 20, kHead = 4096;
  const std::string_view tail = text.substr(text.size() - std::min(text.size(), kTail));
  std::size_t at = tail.rfind("_FLOW reply");
  const std::string_view part = at != std::string_view::npos ? tail : text.substr(0, kHead);
  if (at == std::string_view::npos) at = part.rfind("_FLOW reply");
  if (at == std::string_view::npos) return false;
  std::string_view rest = part.substr(at);
  return mentions(next_line(rest), "flags=[more]");
}

// sos keeps the end of what is too long: tables come in their order, so the first ones are lost, and half a line begins
// the rest. A reply's header may be missing for other reasons (--names, --no-stats, a terminal), table 0 and the
// beginning of a line may not.
bool flows_lack_their_beginning(std::string_view text) {
  std::string_view rest = text;
  const std::string_view line = next_line(rest);
  const std::string_view head = text.substr(0, 4096);
  if (const std::size_t header = head.find("_FLOW reply"); header != std::string_view::npos)
    return mentions(head.substr(0, header), "actions=");  // the header of a further part
  const std::string_view first = trim(line);
  constexpr std::string_view kBegins[] = {"cookie=", "duration=", "table=", "table_id=", "n_packets=", "priority=", "actions="};
  const bool begins =
      first.empty() || first.starts_with('#') ||
      std::any_of(std::begin(kBegins), std::end(kBegins), [&](std::string_view b) { return first.starts_with(b); });
  const bool several = mentions(rest, "actions=");
  return several && ((!begins && mentions(first, "actions=")) || (mentions(first, " table=") && !mentions(text, " table=0,")));
}

// Whether the first line of `ip route` begins within a route: what stands before it is lost.
bool begins_within_a_route(std::string_view text) {
  const std::string_view whole = next_line(text), line = trim(whole);
  if (line.empty()) return !whole.empty() && mentions(text, " dev ");  // the blank that ends each route
  const std::string_view first = line.substr(0, line.find(' '));
  constexpr std::string_view kWords[] = {"default", "unicast", "local",     "broadcast", "multicast",
                                         "anycast", "throw",   "blackhole", "prohibit",  "unreachable"};  // ip-route(8), TYPE
  const bool known = std::find(std::begin(kWords), std::end(kWords), first) != std::end(kWords);
  return !known && !Prefix::parse(first) && mentions(text, " dev ");
}

bool unbalanced(std::string_view text, char open, char close) {
  return std::count(text.begin(), text.end(), open) != std::count(text.begin(), text.end(), close);
}

bool is_json(std::string_view text) {
  const std::string_view begin = trim_left(text.substr(0, 64));
  return begin.starts_with('{') || begin.starts_with('[');
}

std::string_view last_line(std::string_view text) {
  const std::string_view lines = trim_right(text);
  const std::size_t end = lines.rfind('\n');
  return end == std::string_view::npos ? lines : lines.substr(end + 1);
}

// Rules are printed in the order of their priorities: between the first and the last of IPv4's, those were deleted that do not show.
bool shows_rules_from_first_to_last(std::string_view text) {
  return text.starts_with("0:") && last_line(text).starts_with("32767:");
}

// What shows by the text alone that it was cut; empty: nothing.
std::string why_cut(std::string_view text, std::string_view kind) {
  if (is_json(text)) {
    const std::string_view end = trim_right(text.substr(text.size() - std::min<std::size_t>(text.size(), 64)));
    return end.ends_with('}') || end.ends_with(']') ? "" : "the JSON text ends early";
  }
  if (more_flows_announced(text)) return "its last header announces more flows";
  if (kind == "ovs-ofctl dump-flows" && flows_lack_their_beginning(text)) return "its beginning is missing: the first tables";
  if (kind == "ip route" && begins_within_a_route(text)) return "it begins in the middle of a line";
  if (mentions(kind, "tables") && count_lines_starting(text, "*") > count_lines_starting(text, "COMMIT")) {
    return "a table lacks its COMMIT";
  }
  if (mentions(kind, "nft") && unbalanced(text, '{', '}')) return "a block is not closed";
  if (mentions(kind, "ip rule")) {
    if (!mentions(text, "32766:") && !shows_rules_from_first_to_last(text)) return "the rule 32766 of the main table is missing";
    // Where it is deleted, it is put elsewhere: without it no address of the node is its own.
    if (!mentions(text, "lookup local") && !mentions(text, "lookup 255")) return "the rule of table local is missing";
  }
  return {};
}

// Content that begins as only the whole does, whatever the file is called.
bool begins_as_whole(std::string_view text, std::string_view kind) {
  std::string_view rest = text;
  const std::string_view first = trim(next_line(rest));
  if (is_json(text)) return true;
  if (mentions(kind, "flow")) return mentions(first, "_FLOW reply") || first.starts_with("Datapath: ");
  if (mentions(kind, "group")) return mentions(first, "_GROUP");
  if (mentions(kind, "tables")) return first.starts_with("# Generated by") || first.starts_with("*");
  if (mentions(kind, "nft")) return first.starts_with("table ") || first.starts_with("# Warning");
  if (mentions(kind, "ip rule")) return first.starts_with("0:");
  if (mentions(kind, "addr") || mentions(kind, "link")) return first.starts_with("1:");
  if (mentions(kind, "route") || mentions(kind, "neigh") || mentions(kind, "list") || mentions(kind, "find")) return false;
  return true;
}

}  // namespace

std::string why_partial(const Dump& dump, const Format& format, bool newline_kept, bool may_be_empty) {
  if (dump.partial) return std::string(kAnExcerpt);
  if (trim(dump.text).empty()) return may_be_empty ? "" : "it is empty, and nothing else shows that its command ran";
  const bool cut_line = !dump.text.ends_with('\n') && mentions(trim(dump.text), "\n") && !is_json(dump.text);
  if (newline_kept && cut_line) return std::string(kEndsWithinLine);
  const std::string cut = why_cut(dump.text, format.kind);
  if (!cut.empty()) return cut;
  if (begins_with_tool(dump.command) || begins_as_whole(dump.text, format.kind)) return {};
  return "neither its name nor its beginning shows that it is complete";
}

bool shows_no_netfilter_rule(const Dump& dump, const Format& format) {
  const std::string_view text = dump.text;
  if (trim(text).empty()) return false;
  if (mentions(format.kind, "nft")) return is_json(text) ? mentions(text, "\"nftables\"") && !mentions(text, "\"rule\"") : false;
  if (!mentions(format.kind, "tables")) return false;
  return text.starts_with("-P ") ? !mentions(text, "\n-A ") : false;
}

}  // namespace egt::parsers
