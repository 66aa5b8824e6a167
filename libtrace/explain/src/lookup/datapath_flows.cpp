// Flows of the datapath (dpctl/dump-flows) with an address or of a recirculation, and those that packets meet next.
#include <fmt/format.h>

#include "flows/recirculations.h"
#include "lookup/finder.h"

namespace egt::explain {
namespace {

using openflow::Datapath;
using openflow::DatapathFlow;

constexpr unsigned kMostRecirculations = 16;  // one behind the other

std::string name_of(const DatapathFlow& flow) { return fmt::format("recirc_id({:#x})", flow.recirc_id); }

std::string counted(const DatapathFlow& flow) { return fmt::format("{} packets, {} bytes", flow.packets, flow.bytes); }

}  // namespace

void Finder::uses_of_recirculation(const Datapath& datapath, const Recirculations& recirculations, std::size_t flow,
                                   LookupMatch& match, unsigned depth) {
  if (depth == kMostRecirculations) return;
  for (const std::uint32_t id : datapath.flows[flow].recirculates_to)
    for (const std::size_t next : recirculations.behind(flow, id)) {
      const DatapathFlow& found = datapath.flows[next];
      use(match, fmt::format("{}continues in {}: {}", std::string(std::size_t{2} * depth, ' '), name_of(found), counted(found)),
          found.from);
      uses_of_recirculation(datapath, recirculations, next, match, depth + 1);
    }
}

void Finder::datapath_flows(const cluster::Node& node) {
  const std::string address = term_.address ? term_.address->to_string() : "";
  const Recirculations recirculations(node.datapath);
  for (std::size_t i = 0; i < node.datapath.flows.size(); ++i) {
    const DatapathFlow& flow = node.datapath.flows[i];
    const bool by_address = !address.empty() && (mentions(flow.match, address) || mentions(flow.actions, address));
    const bool by_number = term_.text == name_of(flow) || (!term_.field.empty() && is_number("recirc_id", flow.recirc_id));
    if (!by_address && !by_number) continue;
    LookupMatch* match = add("datapath flow", name_of(flow), &node,
                             {{"counted", counted(flow)}, {"actions", std::string(flow.actions)}}, {flow.from});
    uses_of_recirculation(node.datapath, recirculations, i, *match, 0);
  }
}

}  // namespace egt::explain
