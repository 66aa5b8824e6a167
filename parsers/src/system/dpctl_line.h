// A line of `ovs-appctl dpctl/dump-conntrack` (with -m, -s), as Open vSwitch's lib/ct-dpif.c prints it: "tcp,orig=(src=…,
// dst=…,sport=…,dport=…),reply=(…),zone=9,mark=2,labels=0x1,protoinfo=(state=ESTABLISHED)".
#pragma once

#include <string>
#include <string_view>

#include "system/connection.h"

namespace egt::parsers::system {

struct DpctlLine {
  enum class Kind : std::uint8_t { blank, entry, unknown };
  Kind kind = Kind::unknown;
  Problem problem;              // of unknown
  std::string_view proto_name;  // "tcp", or the number of a protocol that has no name there
  Connection connection;
};

DpctlLine parse_dpctl_line(std::string_view text);
void print_dpctl_line(const DpctlLine& line, std::string& out);  // nothing for other lines than entries
nlohmann::ordered_json json_of(const DpctlLine& line);

// The state that the line without -m would show, which is the later one of both ends; empty for other protocols.
std::string_view state_of(const DpctlLine& line);

}  // namespace egt::parsers::system
