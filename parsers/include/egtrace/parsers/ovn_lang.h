// OVN's expression and action language (ovn-sb(5), Logical_Flow:match and :actions; lib/expr.c and lib/actions.c of OVN):
// text to typed trees. Trees print themselves (egtrace/ovn/expression.h, action.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/ovn/action.h"
#include "egtrace/ovn/expression.h"
#include "egtrace/parsers/ovs_ofctl.h"

namespace egt::parsers::ovn_lang {

class SymbolTable;

// In what releases differ. Found out from what a dump holds (dialect_of()), not from a version that is claimed.
struct Dialect {
  bool names_ct_zones = true;            // prints ct_next(dnat), ct_commit_nat(dnat); from 24.03 on
  bool commits_in_parentheses = false;   // knows ct_commit(ct_mark=1); until 24.03
  bool samples_fields = true;            // obs_point may be a field; from 24.09 on
  bool answers_any_family = true;        // arp {} and nd_ns {} are for IPv4 and IPv6 both; from 25.03 on
  bool multicast_by_mac = true;          // igmp and mldv1 ask for a multicast address too; from 24.03.x on
  bool lists_reserved_multicast = true;  // ip6.mcast_rsvd has an address for each scope; from 24.03.7, 25.03.2, 25.09 on
  bool has_blocked_label = false;        // ct_label.blocked and the like; until 24.03
  std::uint16_t ingress_tables = 255, egress_tables = 255;  // `next(T)` beyond is refused
};

// Address sets or port groups by name.
using ValueSets = std::map<std::string, std::shared_ptr<const ovn::ValueSet>, std::less<>>;
// Values that are no numbers are left out, as OVN does.
std::shared_ptr<const ovn::ValueSet> make_address_set(const std::string& name, const std::vector<std::string>& values);
std::shared_ptr<const ovn::ValueSet> make_port_group(const std::string& name, const std::vector<std::string>& ports);

// What the names in an expression mean.
struct Environment {
  const SymbolTable* symbols = nullptr;
  const ValueSets* address_sets = nullptr;
  const ValueSets* port_groups = nullptr;  // under their southbound names, "KEY_NAME"
  std::int64_t datapath_key = 0;           // the KEY of @name
};

Result<ovn::Expression, TextError> parse_expression(std::string_view text, const Environment& environment);
// Puts predicates, parts and prerequisites in.
Result<ovn::Expression, TextError> annotate(ovn::Expression expression);

struct ActionContext {
  ovn::Pipeline pipeline = ovn::Pipeline::ingress;
  std::uint16_t table = 0;
  Dialect dialect;
  // DHCP options by name: their type ("ipv4", "str", "static_routes", …). The southbound database names them.
  const std::map<std::string, std::string, std::less<>>* dhcp_options = nullptr;
  const std::map<std::string, std::string, std::less<>>* dhcpv6_options = nullptr;
};

struct ParsedActions {
  ovn::ActionList actions;
  ovn::Expression prerequisites;  // true where the actions ask for nothing; not annotated
};
Result<ParsedActions, TextError> parse_actions(std::string_view text, const SymbolTable& symbols, const ActionContext& context);

// The packet that an expression describes: exactly one value for each field that it mentions, zero for the others.
// `port_key` gives the key of a port or multicast group of the datapath.
Result<FlowKey, TextError> parse_microflow(std::string_view text, const Environment& environment,
                                           const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key);
// The name that a microflow gives to inport.
Result<std::string, TextError> find_inport(std::string_view text, const Environment& environment);

}  // namespace egt::parsers::ovn_lang
