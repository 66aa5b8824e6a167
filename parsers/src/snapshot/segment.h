// Cuts a file into which the output of several commands was pasted into one piece for each command.
//
// Borders are prompt lines and places where consecutive lines change their kind. A piece keeps the number of its first
// line, so that evidence shows the line of the real file. Prose between pieces is left out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace egt::parsers {

// What a line of a dump looks like at first sight; `none` shows nothing (prose, blank lines, inner lines of blocks).
enum class LineKind : std::uint8_t {
  none,
  flow,
  group,
  logical_flow,
  policy_rule,
  route,
  neighbour,
  link,
  iptables,
  iptables_list,
  nft,
  record,
  sysctl,
  conntrack,
  ovs_show,
  ovn_show,
  object
};
LineKind classify_line(std::string_view line);

struct Segment {
  std::vector<std::string_view> lines;  // without comment signs and indentation of the document
  std::uint32_t first_line = 1;
  LineKind kind = LineKind::none;         // of its lines; none: only a prompt shows what it is
  std::string command, host, pod, netns;  // from its prompt

  std::string text() const;
};

struct Segments {
  std::vector<Segment> pieces;
  std::size_t prompts = 0;                // prompts with a dump's command
  std::size_t kinds = 0;                  // different kinds of pieces
  std::size_t classified = 0, lines = 0;  // lines of a known kind; all lines that are not blank
};
Segments split_pasted(std::string_view text);

}  // namespace egt::parsers
