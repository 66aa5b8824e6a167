#include "egtrace/explain/agreement.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "egtrace/ovn/southbound.h"

namespace egt::explain {
namespace {

using cluster::Node;
using openflow::Bridge;
using ovn::LogicalFlow;

bool is_whole(const cluster::Cluster& cluster, const Node& node) {
  const auto is_list = [](const cluster::DumpInfo& d) { return d.kind == "ovn-sbctl lflow-list"; };
  if (ovn::has_flow_database(node.ovn)) return node.ovn.southbound->complete.contains("Logical_Flow");
  return std::none_of(node.dumps.begin(), node.dumps.end(), [&](std::size_t i) {
    return i < cluster.dumps.size() && is_list(cluster.dumps[i]) && cluster.dumps[i].superseded_by.empty() &&
           cluster.dumps[i].partial;
  });
}

bool may_come_to_nothing(const LogicalFlow& f) {
  return std::any_of(f.match.begin(), f.match.end(), [](char c) { return c == '$' || c == '@'; }) ||
         f.match.find("inport") != std::string_view::npos || f.match.find("outport") != std::string_view::npos ||
         f.match.find("is_chassis_resident") != std::string_view::npos;
}

// Ports that an OpenFlow flow can be asked for here: by name, the logical datapath. ovn-controller leaves out only flows of logical
// switches that match ports which are neither bound here nor lead to routers (add_matches_to_flow_table() of
// controller/lflow.c), and those of ports that its datapath lacks.
class PortsHere {
 public:
  explicit PortsHere(const Node& node) {
    std::set<std::string_view> routers;
    for (const ovn::Datapath& d : node.ovn.datapaths)
      if (d.is_router) routers.insert(d.name);
    const ovn::Chassis* own = ovn::own_chassis(node.ovn, node.name);
    for (const ovn::LogicalPort& p : node.ovn.ports) {
      const bool bound = own != nullptr && !p.chassis.empty() && (p.chassis == own->name || p.chassis == own->hostname);
      if (p.tunnel_key && (bound || p.type == "router" || p.type == "patch" || routers.contains(p.datapath)))
        datapaths_.emplace(p.name, p.datapath);
    }
  }

  // Of a match that names ports and nothing else that depends on the machine: whether one of the datapaths has all of them.
  bool has_all_of(std::string_view match, const std::vector<std::string_view>& datapaths, const std::set<std::string_view>& local) const {
    if (match.find_first_of("$@") != std::string_view::npos || match.find("is_chassis_resident") != std::string_view::npos) return false;
    std::string_view at;
    for (std::size_t begin = match.find('"'); begin != std::string_view::npos; begin = match.find('"', begin)) {
      const std::size_t end = match.find('"', begin + 1);
      if (end == std::string_view::npos) return false;
      const auto port = datapaths_.find(match.substr(begin + 1, end - begin - 1));
      if (port == datapaths_.end() || (!at.empty() && at != port->second)) return false;
      at = port->second;
      begin = end + 1;
    }
    return local.contains(at) && std::find(datapaths.begin(), datapaths.end(), at) != datapaths.end();
  }

 private:
  std::unordered_map<std::string_view, std::string_view> datapaths_;
};

// What the flow tables hold, as far as it matters here.
struct Installed {
  std::unordered_map<std::uint64_t, std::size_t> cookies;   // how many flows have each
  std::set<std::uint64_t> datapaths;  // values of metadata
  std::array<bool, 256> pipeline{};   // tables in which logical flows are
};

Installed look(const Node& node, const Bridge& bridge, const std::unordered_set<std::uint64_t>& known) {
  Installed seen;
  seen.cookies.reserve(known.size());
  std::set<std::uint64_t> unseen;  // datapaths; once there are none left, no flow has to be read any more
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (d.tunnel_key) unseen.insert(*d.tunnel_key);
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i) {
    const std::uint64_t cookie = bridge.flows->cookie_of(i);
    if (cookie == 0 || ++seen.cookies[cookie] != 1 || !known.contains(cookie)) continue;
    seen.pipeline[bridge.flows->table_of(i)] = true;
    if (unseen.empty() && !seen.datapaths.empty()) continue;
    const openflow::MatchView match = bridge.flows->match(bridge.flows->flow(i));
    if (openflow::mask_of(match, FieldId::metadata) == 0) continue;
    const auto datapath = static_cast<std::uint64_t>(openflow::value_of(match, FieldId::metadata));
    seen.datapaths.insert(datapath);
    unseen.erase(datapath);
  }
  return seen;
}

std::set<std::string_view> local_datapaths(const Node& node, const Installed& seen) {
  std::set<std::string_view> names;
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (d.tunnel_key && seen.datapaths.contains(*d.tunnel_key)) names.insert(d.name.empty() ? d.uuid : d.name);
  return names;
}

bool is_local(const Node& node, const LogicalFlow& f, const std::set<std::string_view>& local) {
  const auto all = ovn::datapaths_of(node.ovn, f);
  return std::any_of(all.begin(), all.end(), [&](std::string_view d) { return local.contains(d); });
}

// A logical flow has as many OpenFlow flows in one of its datapaths as in another: where their number cannot be shared out,
// one is missing.
std::vector<Provenance> uneven_flows(const Node& node, const Installed& seen, const std::set<std::string_view>& local) {
  struct Spread { std::set<std::string_view> datapaths; Provenance from; };
  std::unordered_map<std::uint64_t, Spread> spreads;
  for (const LogicalFlow& f : node.ovn.logical_flows) {
    if (!f.uuid_prefix || !seen.cookies.contains(*f.uuid_prefix) || may_come_to_nothing(f)) continue;
    Spread& spread = spreads[*f.uuid_prefix];
    spread.from = f.from;
    for (const std::string_view d : ovn::datapaths_of(node.ovn, f))
      if (local.contains(d)) spread.datapaths.insert(d);
  }
  std::vector<Provenance> uneven;
  for (const auto& [cookie, spread] : spreads)
    if (spread.datapaths.size() > 1 && seen.cookies.at(cookie) % spread.datapaths.size() != 0) uneven.push_back(spread.from);
  std::sort(uneven.begin(), uneven.end());
  return uneven;
}

std::vector<Provenance> missing_flows(const Node& node, const Installed& seen) {
  const std::set<std::string_view> local = local_datapaths(node, seen);
  // Of two logical flows that ask for the same OpenFlow flow one is installed.
  using Key = std::tuple<bool, std::uint8_t, std::uint16_t, std::string_view>;
  const auto key_of = [](const LogicalFlow& f) { return Key{f.ingress, f.table, f.priority, f.match}; };
  const PortsHere ports(node);
  const auto has_to_be_there = [&](const LogicalFlow& f) {
    return may_come_to_nothing(f) ? ports.has_all_of(f.match, ovn::datapaths_of(node.ovn, f), local) : is_local(node, f, local);
  };
  std::vector<const LogicalFlow*> absent;
  for (const LogicalFlow& f : node.ovn.logical_flows)
    if (f.uuid_prefix && *f.uuid_prefix != 0 && !seen.cookies.contains(*f.uuid_prefix) && has_to_be_there(f)) absent.push_back(&f);
  std::vector<Provenance> missing = uneven_flows(node, seen, local);
  if (absent.empty()) return missing;
  std::set<Key> asked_for, installed;
  for (const LogicalFlow* f : absent) asked_for.insert(key_of(*f));
  for (const LogicalFlow& f : node.ovn.logical_flows)
    if (f.uuid_prefix && seen.cookies.contains(*f.uuid_prefix))
      if (const auto same = asked_for.find(key_of(f)); same != asked_for.end()) installed.insert(*same);
  for (const LogicalFlow* f : absent)
    if (!installed.contains(key_of(*f))) missing.push_back(f->from);
  return missing;
}

std::vector<Provenance> orphaned_flows(const Bridge& bridge, const Installed& seen,
                                       const std::unordered_set<std::uint64_t>& known) {
  std::vector<Provenance> orphaned;
  std::unordered_set<std::uint64_t> told;
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i) {
    if (!seen.pipeline[bridge.flows->table_of(i)]) continue;
    const std::uint64_t cookie = bridge.flows->cookie_of(i);
    if (cookie == 0 || known.contains(cookie)) continue;
    if (told.insert(cookie).second) orphaned.push_back(bridge.flows->flow(i).from);
  }
  return orphaned;
}

// One OpenFlow flow for each cookie.
std::vector<Provenance> flows_by_cookie(const Bridge& bridge) {
  std::vector<Provenance> flows;
  std::unordered_set<std::uint64_t> told;
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i)
    if (const std::uint64_t cookie = bridge.flows->cookie_of(i); cookie != 0 && told.insert(cookie).second)
      flows.push_back(bridge.flows->flow(i).from);
  return flows;
}

// Rows whose cookies may stand beside those of logical flows.
void add_rows(const Node& node, std::unordered_set<std::uint64_t>& known) {
  for (const ovn::Row& row : node.ovn.rows) {
    if (row.database != "SB" || row.uuid.size() < 8) continue;
    std::uint64_t cookie = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      const char c = row.uuid[i];
      cookie = cookie << 4 | static_cast<std::uint64_t>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    known.insert(cookie);
  }
}

}  // namespace

std::optional<Agreement> agreement_of(const cluster::Cluster& cluster, const Node& node) {
  const Bridge* bridge = node.integration_bridge();
  if (bridge == nullptr || !bridge->flows || bridge->flows_partial || node.ovn.logical_flows.empty() || !is_whole(cluster, node))
    return std::nullopt;
  std::unordered_set<std::uint64_t> known;
  std::set<std::string_view> listed;
  for (const LogicalFlow& f : node.ovn.logical_flows) {
    if (!f.uuid_prefix) return std::nullopt;
    known.insert(*f.uuid_prefix);
    listed.insert(f.datapath);
  }
  const Installed seen = look(node, *bridge, known);
  if (seen.datapaths.empty()) {
    // Each zone's database has UUIDs of its own: flows of another machine, or of before the database was made anew,
    // share none.
    constexpr std::size_t kNoChance = 20;
    const bool strangers =
        seen.cookies.size() >= kNoChance && known.size() >= kNoChance &&
        std::none_of(known.begin(), known.end(), [&](std::uint64_t c) { return seen.cookies.contains(c); });
    return strangers ? std::optional(Agreement{{}, flows_by_cookie(*bridge)}) : std::nullopt;
  }
  // A list of some datapaths would make the flows of the others look orphaned.
  if (!ovn::has_flow_database(node.ovn))
    for (const ovn::Datapath& d : node.ovn.datapaths)
      if (!listed.contains(d.name) && !listed.contains(d.uuid)) return std::nullopt;
  add_rows(node, known);
  return Agreement{missing_flows(node, seen), orphaned_flows(*bridge, seen, known)};
}

}  // namespace egt::explain
