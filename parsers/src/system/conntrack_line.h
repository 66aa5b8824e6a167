// A line of `conntrack -L` (with -o extended, id, timestamp …), `conntrack -E` and /proc/net/nf_conntrack; see
// conntrack(8).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "system/connection.h"
#include "system/item.h"

namespace egt::parsers::system {

struct ConntrackLine {
  enum class Kind : std::uint8_t {
    blank,
    entry,
    summary,  // "conntrack v1.4.7 (conntrack-tools): 3 flow entries have been shown."
    aside,    // other things that the tool prints
    unknown,
  };
  Kind kind = Kind::unknown;
  Problem problem;  // of unknown

  std::string_view stamp;   // "[1700000000.123456]" of -o timestamp
  std::string_view event;   // NEW, UPDATE or DESTROY: a line of -E, which shows a change
  std::string_view family;  // "ipv4" of -o extended
  std::uint32_t family_number = 0;
  std::string_view proto_name;           // "tcp", "unknown"
  std::optional<std::uint64_t> timeout;  // seconds
  std::vector<Item> info;                // "timeout=0, stream_timeout=0" of GRE in /proc
  std::string_view state;
  Connection connection;

  std::string_view version;  // of a summary
  std::uint64_t shown = 0;
};

ConntrackLine parse_conntrack_line(std::string_view text);
// An entry or a summary as the tool prints it; nothing for other lines.
void print_conntrack_line(const ConntrackLine& line, std::string& out);
nlohmann::ordered_json json_of(const ConntrackLine& line);

}  // namespace egt::parsers::system
