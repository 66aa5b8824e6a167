// The kernel's routes as they follow from what a routing daemon shows (zebra(8): of the routes to one prefix that with
// the lowest administrative distance is selected; a next hop is looked up in what is selected, the default route
// aside).
#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "egtrace/host/host.h"
#include "next_hop_objects.h"

namespace egt::host {
namespace {

constexpr int kRecursion = 8;           // next hops behind next hops
constexpr std::uint32_t kMetric = 20;   // of the routes that zebra gives the kernel
constexpr std::size_t kMostHops = 256;  // of one route, as zebra is built

struct Key {
  std::string vrf, table;
  Prefix to;
  std::optional<Prefix> sources = {};
  friend auto operator<=>(const Key&, const Key&) = default;
};

class Settling {
 public:
  Settling(const Host& host, Family family) : host_(host), family_(family) {}

  // Routes that the daemon chose already, whatever their distance.
  void chosen(const std::vector<DaemonRoute>& some) { add(some, true); }
  void offered(const std::vector<DaemonRoute>& some) { add(some, false); }
  void connected();
  std::vector<Route> run();

 private:
  struct Choice {
    DaemonRoute offer;
    bool same_source(const DaemonRoute& other) const {
      return offer.distance == other.distance && offer.route.protocol == other.route.protocol &&
             offer.route.type == other.route.type;
    }
  };

  void add(const std::vector<DaemonRoute>& some, bool settled);
  std::string vrf_of(const Link& link) const;
  const Link* vrf_device(const std::string& vrf) const;
  std::optional<std::string> table_of(const DaemonRoute& d) const;
  const Route* route_to(const Key& from, const IpAddr& via) const;
  std::vector<NextHop> resolve(const Key& key, const NextHop& hop) const;
  bool choose(const DaemonRoute& offer);
  void leave_open(const DaemonRoute& offer);

  const Host& host_;
  Family family_;
  std::vector<DaemonRoute> settled_, offers_;
  std::map<Key, Choice> choices_;
};

void Settling::add(const std::vector<DaemonRoute>& some, bool settled) {
  for (const DaemonRoute& d : some) {
    if (d.route.family != family_) continue;
    DaemonRoute one = d;
    if (d.bgp == BgpPeer::external) one.distance = host_.routing_daemon.bgp_external_distance;
    if (d.bgp == BgpPeer::internal) one.distance = host_.routing_daemon.bgp_internal_distance;
    (settled ? settled_ : offers_).push_back(std::move(one));
  }
}

std::string Settling::vrf_of(const Link& link) const {
  const Link* master = link.master.empty() ? nullptr : host_.link(link.master);
  return master != nullptr && master->kind == "vrf" ? master->name : std::string();
}

const Link* Settling::vrf_device(const std::string& vrf) const {
  if (!vrf.starts_with('#')) return host_.link(vrf);
  for (const Link& link : host_.links.value)
    if (vrf == "#" + std::to_string(link.index)) return &link;
  return nullptr;
}

// VRFs are distinguished by the tables of their devices; of one without such a device nothing is known.
std::optional<std::string> Settling::table_of(const DaemonRoute& d) const {
  if (d.vrf.empty()) return canonical_table(d.route.table);
  const Link* device = vrf_device(d.vrf);
  if (device == nullptr || device->vrf_table == 0) return std::nullopt;
  return canonical_table(std::to_string(device->vrf_table));
}

void Settling::connected() {
  for (const Link& link : host_.links.value) {
    if (!link.is_up()) continue;
    for (const Address& a : link.addresses) {
      if (a.prefix.address.family != family_ || (a.prefix.is_host() && !a.peer)) continue;
      DaemonRoute d;
      d.vrf = vrf_of(link);
      d.route.family = family_;
      d.route.to = a.subnet();
      d.route.protocol = "kernel";
      d.route.scope = "link";
      d.route.source_hint = a.prefix.address;
      d.route.next_hops.push_back({std::nullopt, link.name, 1, false, false, false});
      d.route.from = a.from;
      settled_.push_back(std::move(d));
    }
  }
}

// Next hops are looked up in the VRF's own table, also those of routes in other tables.
const Route* Settling::route_to(const Key& from, const IpAddr& via) const {
  DaemonRoute own;
  own.vrf = from.vrf;
  const std::string table = table_of(own).value_or(from.table);
  for (int length = via.is_v4() ? 32 : 128; length > 0; --length) {
    const Key key{from.vrf, table, Prefix{via, static_cast<std::uint8_t>(length)}.network()};
    if (key == from) continue;
    if (const auto found = choices_.find(key); found != choices_.end()) return &found->second.offer.route;
  }
  return nullptr;
}

// The hop with the device that leads to it; empty where nothing chosen so far does. Link-local addresses are behind
// every device, so only what the neighbours show places them.
std::vector<NextHop> Settling::resolve(const Key& key, const NextHop& hop) const {
  if (!hop.via || !hop.device.empty()) return {hop};
  NextHop placed = hop;
  if (hop.via->is_link_local()) {
    for (const Neighbour& n : host_.neighbours.value)
      if (n.address == *hop.via) placed.device = n.device;
    return placed.device.empty() ? std::vector<NextHop>{} : std::vector<NextHop>{placed};
  }
  const Route* route = route_to(key, *hop.via);
  std::vector<NextHop> all;
  if (route == nullptr) return all;
  for (const NextHop& through : route->next_hops) {
    placed.device = through.device;
    placed.via = through.via ? through.via : hop.via;
    placed.onlink = through.onlink;
    all.push_back(placed);
  }
  return all;
}

// Whether it changed what is chosen.
bool Settling::choose(const DaemonRoute& offer) {
  const auto table = table_of(offer);
  if (!table) return false;
  const Key key{offer.vrf, *table, offer.route.to, sources_of(offer.route)};
  const auto known = choices_.find(key);
  if (known != choices_.end() && !known->second.same_source(offer)) return false;
  std::vector<NextHop> hops;
  for (const NextHop& hop : offer.route.next_hops)
    for (NextHop& h : resolve(key, hop)) hops.push_back(std::move(h));
  if (hops.empty() && offer.route.type == RouteType::unicast) return false;
  if (known == choices_.end()) {
    DaemonRoute& chosen = choices_.emplace(key, Choice{offer}).first->second.offer;
    chosen.route.table = *table;
    chosen.route.next_hops = std::move(hops);
    if (chosen.route.protocol != "kernel") chosen.route.metric = kMetric;
    return true;
  }
  // Several static routes to one prefix share the traffic.
  std::vector<NextHop>& shared = known->second.offer.route.next_hops;
  const std::size_t before = shared.size();
  for (NextHop& h : hops)
    if (shared.size() < kMostHops &&
        std::none_of(shared.begin(), shared.end(), [&](const NextHop& s) { return s.via == h.via && s.device == h.device; }))
      shared.push_back(std::move(h));
  return shared.size() != before;
}

// A path that BGP uses has a next hop that its node can reach, and a static route may have one where no dump shows
// the devices: where the dumps do not place it, what happens to the prefix is open, and no wider route is to decide it.
void Settling::leave_open(const DaemonRoute& offer) {
  const auto table = table_of(offer);
  if (!table || (offer.bgp == BgpPeer::none && host_.links.present)) return;
  DaemonRoute& open =
      choices_.try_emplace(Key{offer.vrf, *table, offer.route.to, sources_of(offer.route)}, Choice{offer}).first->second.offer;
  open.route.table = *table;
}

std::vector<Route> Settling::run() {
  std::vector<Route> routes;
  std::set<std::pair<Key, Name>> shown;
  // These have their devices, and several of one prefix may stand side by side (fe80::/64 of each device).
  for (const DaemonRoute& d : settled_) {
    const auto table = table_of(d);
    if (!table) continue;
    Route route = d.route;
    route.table = *table;
    const Key key{d.vrf, *table, route.to, sources_of(route)};
    choices_.emplace(key, Choice{d});
    const Name device = route.next_hops.empty() ? Name() : route.next_hops.front().device;
    if (shown.emplace(key, device).second) routes.push_back(std::move(route));
  }
  std::stable_sort(offers_.begin(), offers_.end(),
                   [](const DaemonRoute& a, const DaemonRoute& b) { return a.distance < b.distance; });
  // A next hop may be behind a route that is chosen later: while something changes, what was left is tried again.
  bool changed = true;
  for (int round = 0; changed && round < kRecursion; ++round) {
    changed = false;
    for (const DaemonRoute& offer : offers_) changed |= choose(offer);
  }
  for (const DaemonRoute& offer : offers_) leave_open(offer);
  for (auto& [key, choice] : choices_) {
    const auto settled = shown.lower_bound({key, ""});
    if (settled != shown.end() && settled->first == key) continue;
    Route& route = choice.offer.route;
    std::stable_sort(route.next_hops.begin(), route.next_hops.end(), [](const NextHop& a, const NextHop& b) {  // as zebra does
      return std::tie(a.via, a.device) < std::tie(b.via, b.device);
    });
    routes.push_back(std::move(route));
  }
  return routes;
}

Provenance dump_of(const std::vector<DaemonRoute>& some, Family family) {
  for (const DaemonRoute& d : some)
    if (d.route.family == family) return {d.route.from.source, 0};
  return {};
}

}  // namespace

void Host::settle_routes() {
  for (const Family family : {Family::v4, Family::v6}) {
    Part<std::vector<Route>>& part = family == Family::v4 ? routes_v4 : routes_v6;
    RouteSource& by = family == Family::v4 ? routes_v4_by : routes_v6_by;
    if (part.present) {  // ip(8) shows what the kernel does
      resolve_next_hops(*this, part.value);
      continue;
    }
    const bool whole = family == Family::v4 ? routing_daemon.whole_v4 : routing_daemon.whole_v6;
    const Provenance table = dump_of(routing_daemon.table, family), offers = dump_of(routing_daemon.offers, family);
    if (table.source == kNoSource && offers.source == kNoSource) continue;
    Settling settling(*this, family);
    settling.chosen(routing_daemon.table);
    if (!whole) {
      settling.connected();
      settling.offered(routing_daemon.offers);
    }
    part.value = settling.run();
    part.present = part.partial = true;  // of tables besides main, and of the node's own addresses, nothing is shown
    part.from = table.source != kNoSource ? table : offers;
    by = whole ? RouteSource::daemon : RouteSource::offers;
  }
}

}  // namespace egt::host
