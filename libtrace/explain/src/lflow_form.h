// What logical flows of one form have in common: "ct.new && ip4.dst == # && tcp.dst == #", "ct_lb_mark(backends=#:#)". A node has
// tens of thousands of logical flows and some hundred forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace egt::explain {

// The match without those values on which it does not depend how many OpenFlow matches there are: of addresses, ports and registers
// that are compared by == alone, and once; and without saying which bit of a register.
void append_match_form(std::string_view match, std::string& out);
// The values that append_match_form() leaves out, with their fields: matches that share an OpenFlow match share them. Nothing where
// there are sets, or values that are compared otherwise.
std::optional<std::string> values_left_out(std::string_view match);
// The actions without numbers, IPv4 addresses and the setting of a register's bit, on which their prerequisites do not depend.
void append_action_form(std::string_view actions, std::string& out);

}  // namespace egt::explain
