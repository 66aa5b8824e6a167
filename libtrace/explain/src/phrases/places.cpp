#include "egtrace/explain/phrases.h"
#include "phrase.h"

namespace egt::explain {
namespace {

using namespace engine;

constexpr Phrase<PlaceKind> kPlaces[] = {
    {PlaceKind::none, "none", ""},
    {PlaceKind::table, "table", "{0} table {1}"},
    {PlaceKind::stage, "stage", "{0} {1}"},
    {PlaceKind::bridge, "bridge", "{0}"},
    {PlaceKind::device, "device", "{0}"},
    {PlaceKind::pod, "pod", "{0}"},
    {PlaceKind::node, "node", "{0}"},
    {PlaceKind::chain, "chain", "{0} {1} {2}"},
    {PlaceKind::routing_table, "routing-table", "routing table {0}"},
    {PlaceKind::policy_routing, "policy-routing", "policy routing"},
    {PlaceKind::input_route, "input-route", "input route"},
    {PlaceKind::output_route, "output-route", "output route"},
    {PlaceKind::gateway_route, "gateway-route", "route to the gateway"},
    {PlaceKind::source_selection, "source-selection", "source address selection"},
    {PlaceKind::connect, "connect", "connect()"},
    {PlaceKind::forwarding, "forwarding", "forwarding"},
    {PlaceKind::source_check, "source-check", "source check"},
    {PlaceKind::rp_filter, "rp-filter", "rp_filter"},
    {PlaceKind::fragments, "fragments", "fragments"},
    {PlaceKind::conntrack, "conntrack", "conntrack"},
    {PlaceKind::postrouting, "postrouting", "netfilter postrouting"},
    {PlaceKind::ipsec, "ipsec", "IPsec"},
    {PlaceKind::neighbour, "neighbour", "neighbour {0} on {1}"},
    {PlaceKind::tunnel_to, "tunnel-to", "tunnel to {0}"},
    {PlaceKind::tunnel_from, "tunnel-from", "{0} from {1}"},
    {PlaceKind::outside, "outside", "outside, towards {0}"},
    {PlaceKind::input, "input", "{0}"},
    {PlaceKind::loop, "loop", "a loop"},
    {PlaceKind::copies, "copies", "copies"},
    {PlaceKind::copy, "copy", "the copy"},
    {PlaceKind::this_host, "this-host", "this host"},
};
static_assert(is_complete(kPlaces));

}  // namespace

std::string phrase(const Place& place) { return fill(kPlaces[static_cast<std::size_t>(place.kind)].words, place.about); }

std::string phrase_in_bridge(const Place& place) {
  if (place.kind == PlaceKind::table) return fill("table {1}", place.about);
  return place.kind == PlaceKind::stage ? fill("{1}", place.about) : std::string();
}

}  // namespace egt::explain
