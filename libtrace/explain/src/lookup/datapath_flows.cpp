// Flows of the datapath (dpctl/dump-flows) with an address or of a recirculation, and those that packets meet next.
#include <fmt/format.h>

#include "flows/recirculations.h"
#include "lookup/parts.h"

namespace egt::explain {
namespace {

using openflow::Datapath;
using openflow::DatapathFlow;

constexpr unsigned kMostRecirculations = 16;  // one behind the other

std::string name_of(const DatapathFlow& flow) { return fmt::format("recirc_id({:#x})", flow.recirc_id); }

std::string counted(const DatapathFlow& flow) { return fmt::format("{} packets, {} bytes", flow.packets, flow.bytes); }

// To `match`, of which `flow` is one.
void add_recirculations(const Datapath& datapath, const Recirculations& recirculations, std::size_t flow, unsigned depth,
                        MatchList& matches, LookupMatch& match) {
  if (depth == kMostRecirculations) return;
  for (const std::uint32_t id : datapath.flows[flow].recirculates_to)
    for (const std::size_t next : recirculations.behind(flow, id)) {
      const DatapathFlow& found = datapath.flows[next];
      matches.use(match,
                  fmt::format("{}continues in {}: {}", std::string(std::size_t{2} * depth, ' '), name_of(found), counted(found)),
                  found.from);
      add_recirculations(datapath, recirculations, next, depth + 1, matches, match);
    }
}

}  // namespace

void find_datapath_flows(const cluster::Node& node, const LookupTerm& term, MatchList& matches) {
  const std::string address = term.address ? term.address->to_string() : "";
  const Recirculations recirculations(node.datapath);
  for (std::size_t i = 0; i < node.datapath.flows.size(); ++i) {
    const DatapathFlow& flow = node.datapath.flows[i];
    const bool by_address = !address.empty() && (mentions(flow.match, address) || mentions(flow.actions, address));
    const bool by_number = term.text == name_of(flow) || (!term.field.empty() && term.is_number("recirc_id", flow.recirc_id));
    if (!by_address && !by_number) continue;
    LookupMatch& match = matches.add("datapath flow", name_of(flow), &node,
                                     {{"counted", counted(flow)}, {"actions", std::string(flow.actions)}}, {flow.from});
    add_recirculations(node.datapath, recirculations, i, 0, matches, match);
  }
}

}  // namespace egt::explain
