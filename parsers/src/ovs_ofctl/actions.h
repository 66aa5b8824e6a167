// Actions as Open vSwitch prints them, and the bytes in them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/openflow/action.h"

namespace egt::parsers::ofctl {

bool read_hex_bytes(std::string_view text, std::vector<std::uint8_t>& out);  // "aa.bb.cc"
void write_action(const openflow::Action& a, std::string& out);
void write_actions(const openflow::ActionList& list, std::string& out);  // "drop" when empty
void write_subfield(const Subfield& s, std::string& out);

}  // namespace egt::parsers::ofctl
