#include "line_remark.h"
#include "phrase.h"

namespace egt::explain {
namespace {

constexpr Phrase<LineRemark> kLineRemarks[] = {
    {LineRemark::flow_differs, "flow-differs", "priority {0} does not match this packet: {1} {2|differs|differ}"},
    {LineRemark::flow_counts_binding, "flow-counts-binding",
     "priority {0} counts the use of a MAC binding; its \"drop\" drops nothing"},
    {LineRemark::flow_does, "flow-does", "priority {0} {1}"},
    {LineRemark::flow_may_do, "flow-may-do", "priority {0} {1}, if the packet has that {2} there"},
    {LineRemark::higher_comes_first, "higher-comes-first", "; a line of higher priority may come first"},
    {LineRemark::reroutes, "reroutes", "reroutes to next hop {0}"},
    {LineRemark::drops, "drops", "drops"},
    {LineRemark::picks_bucket, "picks-bucket", "chooses a bucket of group {0}"},
    {LineRemark::sets_mark, "sets-mark", "sets packet mark {0x}"},
    {LineRemark::passes_port_security, "passes-port-security", "passes the port security check"},
    {LineRemark::continues, "continues", "continues in the next table"},
    {LineRemark::in_transit_subnet, "in-transit-subnet", "in OVN-Kubernetes' transit subnet: a node's transit port"},
    {LineRemark::hop_of_register, "hop-of-register", "{0} = {1}[, {2}]"},
    {LineRemark::hop_named, "hop-named", "{0}[, {1}]"},
    {LineRemark::translates, "translates", "on the node that has this rule the {0|destination|source} becomes {1}"},
    {LineRemark::leaves_by, "leaves-by", ", if the packet leaves by {0}"},
    {LineRemark::address_of_device, "address-of-device", "the address of the device by which it leaves"},
    {LineRemark::address_of_map, "address-of-map", "an address of a map"},
    {LineRemark::address_range, "address-range", "{0} to {1}"},
    {LineRemark::rule_needs_mark, "rule-needs-mark",
     "looks into table {0} only for packets with mark {1x}; no line here sets it on this one"},
    {LineRemark::rule_has_source, "rule-has-source", "this packet's source is looked up in table {0}"},
    {LineRemark::route_covers, "route-covers", "covers the destination, if its table is asked"},
    {LineRemark::route_does_not_cover, "route-does-not-cover", "does not cover the destination"},
    {LineRemark::set_has_address, "set-has-address", "{0} is in it[: the set of {1} {2}]"},
    {LineRemark::stays_in_pod, "stays-in-pod", "{1} is an address of {0}, whose kernel delivers the packet by lo"},
    {LineRemark::namespace_not_shown, "namespace-not-shown", "no dump shows the network namespace of the pod"},
    {LineRemark::only_addresses_shown, "only-addresses-shown", "its addresses are dumped, netfilter's rules there are not"},
    {LineRemark::redirects_nothing, "redirects-nothing",
     "no rule in the network namespace of {0} redirects the connection to another port"},
    {LineRemark::rules_not_shown, "rules-not-shown", "its sockets were looked at, netfilter's rules there were not"},
    {LineRemark::nothing_mentioned, "nothing-mentioned", "no line of the snapshot mentions {0}"},
    {LineRemark::not_whole_path, "not-whole-path",
     "the dumped lines do not show the whole path of {0}[; they prove a reroute to {1}]"},
    {LineRemark::shows_translation, "shows-translation",
     "{0|; they show a| and show a| and a} translation of its {1|destination|source} to {2} on the node that has the rule"},
};
static_assert(is_complete(kLineRemarks));

}  // namespace

std::string phrase(const LineStatement& remark) {
  return fill(kLineRemarks[static_cast<std::size_t>(remark.kind)].words, remark.about);
}

std::vector<Gap> gaps_of_excerpt(bool has_logical_flows) {
  std::vector<Gap> gaps = {
      {"", "the port by which the packet enters Open vSwitch", "ovs-vsctl -f json list interface; ovs-ofctl show br-int"},
      {"", "all flows of br-int, of every node on the path", "ovs-ofctl dump-flows br-int"},
      {"", "all rules and routes of the egress node", "ip rule; ip route show table all; ip addr"},
      {"", "all of its netfilter rules", "iptables-save -c; nft list ruleset"}};
  if (!has_logical_flows) gaps.push_back({"", "the logical flows that name these tables", "ovn-sbctl --uuid lflow-list"});
  return gaps;
}

}  // namespace egt::explain
