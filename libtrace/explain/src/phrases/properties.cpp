#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;

constexpr Phrase<Property> kProperties[] = {
    {Property::none, "none", ""},
    {Property::as_written, "as-written", "whether `{0}` matches"},
    // of the packet
    {Property::packet_part, "packet-part", "a part of the packet"},
    {Property::tcp_flags, "tcp-flags", "TCP flags"},
    {Property::fragment_offset, "fragment-offset", "fragment offset"},
    {Property::translated_port, "translated-port", "the port that the translation took"},
    // of devices and sockets
    {Property::device_kind, "device-kind", "kind of the device"},
    {Property::device_type, "device-type", "type of the device"},
    {Property::device_group, "device-group", "group of the device"},
    {Property::bridge_port, "bridge-port", "port of the bridge"},
    {Property::socket_user, "socket-user", "user of the socket"},
    {Property::socket_group, "socket-group", "group of the socket"},
    {Property::socket_cgroup, "socket-cgroup", "cgroup of the socket"},
    {Property::socket_mark, "socket-mark", "mark of the socket"},
    {Property::transparent_socket, "transparent-socket", "transparent socket"},
    {Property::random_number, "random-number", "a random number"},
    {Property::outside_packet, "outside-packet", "something outside the packet"},
    // of connections
    {Property::connection_expiration, "connection-expiration", "rest of the connection's life"},
    {Property::connection_helper, "connection-helper", "helper of the connection"},
    // of routes
    {Property::address_type, "address-type", "type of an address"},
    {Property::route_device, "route-device", "device of a route"},
    {Property::chosen_next_hop, "chosen-next-hop", "which of several next hops is used"},
    {Property::device_on_lo, "device-on-lo", "which device packets on lo have in INPUT (since Linux 6.16: lo)"},
    {Property::route_realm, "route-realm", "realm of the route"},
    {Property::route_next_hop, "route-next-hop", "next hop of the route"},
    // generators
    {Property::numgen_random, "numgen-random", "numgen random"},
    {Property::numgen_inc, "numgen-inc", "numgen inc"},
    {Property::jhash, "jhash", "jhash"},
    {Property::symhash, "symhash", "symhash"},
    // of expressions, sets and maps
    {Property::unknown_key, "unknown-key", "a value that is not understood"},
    {Property::nested_expression, "nested-expression", "a deeply nested expression"},
    {Property::map_in_test, "map-in-test", "a map inside a test"},
    {Property::constant_range, "constant-range", "a constant range"},
    {Property::empty_expression, "empty-expression", "an empty expression"},
    {Property::set, "set", "a set that the dump does not hold"},
    {Property::set_contents, "set-contents", "contents of set {0}"},
    {Property::anonymous_set_contents, "anonymous-set-contents", "contents of an anonymous set"},
    {Property::map, "map", "a map that the dump does not hold"},
    {Property::verdict_map, "verdict-map", "a verdict map that the dump does not hold"},
    {Property::ipset_members, "ipset-members", "members of ipset {0}"},
    // of statements
    {Property::mark, "mark", "the value of the mark"},
    {Property::connection_mark, "connection-mark", "the value of the connection mark"},
    {Property::header_field, "header-field", "the value of a header field"},
    {Property::conntrack_zone, "conntrack-zone", "the conntrack zone"},
    {Property::nat_address, "nat-address", "a NAT address that is not understood"},
    {Property::nat_port, "nat-port", "the port of a translation"},
};
static_assert(is_complete(kProperties));

}  // namespace

const Phrase<Property>& phrase_of(Property kind) { return kProperties[static_cast<std::size_t>(kind)]; }

}  // namespace egt::explain
