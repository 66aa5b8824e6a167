// By what some dumps show which node they are of.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

struct NodeSigns {
  std::string name;                 // `hostname`, or what the switch's database says
  std::set<std::string> addresses;  // of `ip addr`, but for those that many nodes have
  bool any() const { return !name.empty() || !addresses.empty(); }
};
NodeSigns signs_of(const std::vector<Candidate*>& dumps);
bool differ(const NodeSigns& a, const NodeSigns& b);

std::string_view short_name_of(std::string_view host);
// What `hostname` printed; empty where no dump has it.
std::string said_hostname(const std::vector<Candidate*>& dumps);
// The host that a switch's database file names in its own words (external_ids:hostname, which ovs-ctl keeps).
std::string host_in_switch_database(const Candidate& c);
// The name that the facts in some dumps show, learnt by loading them for this alone.
std::string name_by_facts(const std::vector<Candidate*>& dumps);

}  // namespace egt::parsers
