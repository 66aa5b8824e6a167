#include "egtrace/explain/agreement.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "egtrace/ovn/language.h"
#include "egtrace/ovn/southbound.h"
#include "expected_flows.h"
#include "installed_flows.h"

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

// What the flow tables hold, as far as it matters here.
struct Installed {
  InstalledFlows flows;
  std::set<std::uint64_t> datapaths;  // values of metadata
  std::array<bool, 256> pipeline{};   // tables in which logical flows are
};

// Notes which cookies logical flows have.
Installed look(const Node& node, const Bridge& bridge) {
  Installed seen{installed_flows(*bridge.flows), {}, {}};
  std::set<std::uint64_t> unseen;  // datapaths; once there are none left, no flow has to be read any more
  for (const ovn::Datapath& d : node.ovn.datapaths)
    if (d.tunnel_key) unseen.insert(*d.tunnel_key);
  for (const LogicalFlow& f : node.ovn.logical_flows) {
    const auto found = seen.flows.by_cookie.find(*f.uuid_prefix);
    if (found == seen.flows.by_cookie.end() || found->second.has_row) continue;
    found->second.has_row = true;
    const openflow::FlowIndex first = found->second.first;
    seen.pipeline[bridge.flows->table_of(first)] = true;
    if (unseen.empty() && !seen.datapaths.empty()) continue;
    const openflow::MatchView match = openflow::match_of(bridge.flows->flow(first));
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

std::vector<Provenance> missing_flows(const Node& node, const Installed& seen) {
  if (!node.ovn.language) return {};
  const auto program = node.ovn.language->program_of(node.ovn);
  const std::set<std::string_view> local = local_datapaths(node, seen);
  const auto missing = [&](const ovn::Expansion& expansion) {
    return ExpectedFlows(node, *program->reader, local, expansion).missing(seen.flows);
  };
  if (const auto known = ovn::expansion_of_release(node.ovn.southbound ? node.ovn.southbound->northd_version : std::string()))
    return missing(*known);
  std::vector<Provenance> fewest = missing({});
  for (const ovn::Expansion& older :
       {ovn::Expansion{ovn::Inequality::bits, false}, ovn::Expansion{ovn::Inequality::bits, true}}) {
    if (fewest.empty()) break;
    std::vector<Provenance> found = missing(older);
    if (found.size() < fewest.size()) fewest = std::move(found);
  }
  return fewest;
}

// Where the first flow of each of these cookies is, in the dump's order.
std::vector<Provenance> places(const Bridge& bridge, std::vector<openflow::FlowIndex> flows) {
  std::sort(flows.begin(), flows.end());
  std::vector<Provenance> places;
  for (const openflow::FlowIndex i : flows) places.push_back(bridge.flows->flow(i).from);
  return places;
}

// Of a learned group, whose flows come and go with who listens.
bool is_for_group(const Bridge& bridge, openflow::FlowIndex flow) {
  const openflow::MatchView match = openflow::match_of(bridge.flows->flow(flow));
  const auto names_group = [&](FieldId field, Family family, unsigned bits) {
    return openflow::mask_of(match, field) == ones(bits) && IpAddr{family, openflow::value_of(match, field)}.is_multicast();
  };
  return names_group(FieldId::ip_dst, Family::v4, 32) || names_group(FieldId::ipv6_dst, Family::v6, 128);
}

// Flows in tables of the pipeline whose cookies no row of the database has. All flows of a row are in one of its tables.
std::vector<Provenance> orphaned_flows(const Bridge& bridge, const Installed& seen) {
  std::vector<openflow::FlowIndex> orphaned;
  for (const auto& [cookie, of] : seen.flows.by_cookie)
    if (!of.has_row && seen.pipeline[bridge.flows->table_of(of.first)] && !is_for_group(bridge, of.first))
      orphaned.push_back(of.first);
  return places(bridge, std::move(orphaned));
}

std::vector<Provenance> first_flows(const Bridge& bridge, const InstalledFlows& flows) {
  std::vector<openflow::FlowIndex> first;
  for (const auto& [cookie, of] : flows.by_cookie) first.push_back(of.first);
  return places(bridge, std::move(first));
}

// Notes the cookies of other rows, which may stand beside those of logical flows.
void note_rows(const Node& node, InstalledFlows& flows) {
  for (const ovn::Rows::Table& table : node.ovn.rows.tables()) {
    if (table.database() != "SB") continue;
    for (const std::uint32_t cookie : table.rows().prefixes())
      if (const auto found = flows.by_cookie.find(cookie); found != flows.by_cookie.end()) found->second.has_row = true;
  }
}

// Whether no flow is of a row: each zone's database has UUIDs of its own, so that flows of another node, or of before the database was
// made anew, share none.
bool are_strangers(const Node& node, const InstalledFlows& flows) {
  constexpr std::size_t kNoChance = 20;
  if (flows.by_cookie.size() < kNoChance) return false;
  std::set<std::uint32_t> some;
  for (const LogicalFlow& f : node.ovn.logical_flows) {
    some.insert(*f.uuid_prefix);
    if (some.size() == kNoChance) break;
  }
  return some.size() == kNoChance &&
         std::none_of(flows.by_cookie.begin(), flows.by_cookie.end(), [](const auto& of) { return of.second.has_row; });
}

// A list of some datapaths would make the flows of the others look orphaned.
bool lists_all_datapaths(const Node& node) {
  std::set<std::string_view> listed;
  for (const LogicalFlow& f : node.ovn.logical_flows) listed.insert(f.datapath);
  return std::all_of(node.ovn.datapaths.begin(), node.ovn.datapaths.end(),
                     [&](const ovn::Datapath& d) { return listed.contains(d.name) || listed.contains(d.uuid); });
}

}  // namespace

std::optional<Agreement> agreement_of(const cluster::Cluster& cluster, const Node& node) {
  if (node.agreement) return *node.agreement;
  const Bridge* bridge = node.integration_bridge();
  if (bridge == nullptr || !bridge->flows || bridge->flows_partial || node.ovn.logical_flows.empty() || !is_whole(cluster, node))
    return std::nullopt;
  const auto& listed = node.ovn.logical_flows;
  if (!std::all_of(listed.begin(), listed.end(), [](const LogicalFlow& f) { return f.uuid_prefix.has_value(); }))
    return std::nullopt;
  Installed seen = look(node, *bridge);
  if (seen.datapaths.empty())
    return are_strangers(node, seen.flows) ? std::optional(Agreement{{}, first_flows(*bridge, seen.flows)}) : std::nullopt;
  if (!ovn::has_flow_database(node.ovn) && !lists_all_datapaths(node)) return std::nullopt;
  note_rows(node, seen.flows);
  return Agreement{missing_flows(node, seen), orphaned_flows(*bridge, seen)};
}

}  // namespace egt::explain
