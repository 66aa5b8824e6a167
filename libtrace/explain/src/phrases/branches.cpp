#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;

constexpr Phrase<Branch> kBranches[] = {
    {Branch::equal_priority, "equal-priority", "flows of equal priority in {0} table {1}",
     "OpenFlow does not define which of them is used"},
    {Branch::group, "group", "group {0}"},
    {Branch::bundle, "bundle", "bundle"},
    {Branch::multipath, "multipath", "multipath"},
    {Branch::backend, "backend", "backend of the load balancer"},
    {Branch::logical_member, "logical-member", "member of the ECMP group in {0}"},
    {Branch::frame_taker, "frame-taker", "which device receives frames to {0}", "several devices have this address"},
    {Branch::ecmp_route, "ecmp-route", "ECMP route {0}{1||, routed anew}"},
    {Branch::udp_connected, "udp-connected", "the UDP socket is connected",
     "policy rules on the source address count for connected sockets only"},
    {Branch::udp_bound, "udp-bound", "the UDP socket sends from {0}",
     "one that listens on all addresses, and does not name that one, has its source chosen by the route"},
    {Branch::transparent, "transparent", "the socket that has {0} is transparent",
     "IPv4 sends from an address that the local table lacks for sockets with IP_TRANSPARENT alone"},
    {Branch::icmpv6_source, "icmpv6-source", "source of the ICMPv6 error",
     "since Linux 4.20 it is an address of the inbound device, and rules on the source count; before, the route "
     "back gave it"},
    {Branch::masquerade, "masquerade", "whether SNAT or MASQUERADE made {0} the source",
     "{1} has that address, the packet leaves by {2}, and a masqueraded connection does not outlive the change"},
    {Branch::chain_order, "chain-order", "order of {0} {1} {2} and {3} {4} {5}",
     "both chains have the same priority, and the dumps do not prove which was registered later"},
    // of rules: front end, table, chain, then
    {Branch::test, "test", "{3} in {0} {1} {2}", "{3}"},
    {Branch::statement, "statement", "\"{3}\" in {0} {1} {2}", "a statement that is not understood"},
    {Branch::queue, "queue", "queue in {0} {1} {2}", "what the process behind the queue decides"},
    {Branch::proxy, "proxy", "a proxy listens for TPROXY in {0} {1} {2}",
     "whether a socket with IP_TRANSPARENT receives the packet"},
    {Branch::address_of_range, "address-of-range", "address of the range {3}-{4} in {0} {1} {2}",
     "the kernel's hash of source and destination"},
};
static_assert(is_complete(kBranches));

constexpr Phrase<Alternative> kAlternatives[] = {
    {Alternative::name, "name", "{0}"},
    {Alternative::yes, "yes", "yes"},
    {Alternative::no, "no", "no"},
    {Alternative::matches, "matches", "matches"},
    {Alternative::does_not_match, "does-not-match", "does not match"},
    {Alternative::has_no_effect, "has-no-effect", "has no effect"},
    {Alternative::applies, "applies", "applies"},
    {Alternative::accepts, "accepts", "accepts"},
    {Alternative::drops, "drops", "drops"},
    {Alternative::connected, "connected", "connected"},
    {Alternative::not_connected, "not-connected", "not connected"},
    {Alternative::snat, "snat", "SNAT"},
    {Alternative::masquerade, "masquerade", "MASQUERADE"},
    {Alternative::cookie, "cookie", "cookie {0x}"},
    {Alternative::bucket, "bucket", "bucket {0}"},
    {Alternative::backend, "backend", "{0} port {1}"},
    {Alternative::port, "port", "port {0}"},
    {Alternative::link, "link", "link {0}"},
    {Alternative::device_of_node, "device-of-node", "{0}/{1}"},
    {Alternative::device, "device", "dev {0}"},
    {Alternative::next_hop, "next-hop", "{0} dev {1}"},
    {Alternative::address, "address", "{0}"},
    {Alternative::address_of_device, "address-of-device", "{0}, of {1}"},
    {Alternative::address_by_route, "address-by-route", "{0}, by route"},
    {Alternative::chain, "chain", "{0} {1} {2}"},
    {Alternative::number, "number", "{0}"},
    {Alternative::element, "element", "element {0} of {1}"},
    {Alternative::catch_all, "catch-all", "the catch-all element"},
    {Alternative::no_element, "no-element", "no element"},
};
static_assert(is_complete(kAlternatives));

}  // namespace

const Phrase<Branch>& phrase_of(Branch kind) { return kBranches[static_cast<std::size_t>(kind)]; }

std::string what_of(const ChoicePoint& point) { return fill(phrase_of(point.what).words, point.about); }

std::string why_of(const ChoicePoint& point) {
  return point.kind == ChoicePoint::Kind::unknown ? fill(phrase_of(point.what).why, point.about) : std::string();
}

std::string phrase(const Statement<Alternative>& option) {
  return fill(kAlternatives[static_cast<std::size_t>(option.kind)].words, option.about);
}

}  // namespace egt::explain
