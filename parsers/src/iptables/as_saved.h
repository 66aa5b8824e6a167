// From a rule as typed to the rule as iptables-save prints it: the order of options, defaults, and values that the tool
// writes otherwise. A rule as saved stays as it is.
#pragma once

#include "egtrace/base/ip.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

void make_as_saved(Rule& rule, Family family);

}  // namespace egt::parsers::iptables
