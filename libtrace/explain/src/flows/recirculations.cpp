#include "flows/recirculations.h"

#include <algorithm>

namespace egt::explain {
namespace {

std::string_view in_port_of(std::string_view match) {
  constexpr std::string_view kKey = "in_port(";
  const std::size_t at = match.find(kKey);
  if (at == match.npos || (at > 0 && match[at - 1] != ',' && match[at - 1] != ' ')) return {};
  match.remove_prefix(at + kKey.size());
  const std::string_view port = match.substr(0, match.find(')'));
  return port.find('/') == port.npos ? port : std::string_view();
}

}  // namespace

Recirculations::Recirculations(const openflow::Datapath& datapath) {
  in_ports_.reserve(datapath.flows.size());
  for (std::size_t i = 0; i < datapath.flows.size(); ++i) {
    in_ports_.push_back(in_port_of(datapath.flows[i].match));
    ids_.push_back(datapath.flows[i].recirc_id);
    if (ids_.back() != 0) by_id_[ids_.back()][in_ports_.back()].push_back(i);
    for (const std::uint32_t id : datapath.flows[i].recirculates_to) from_[id].insert(in_ports_.back());
  }
}

bool Recirculations::is_reached(std::size_t flow) const {
  const auto found = from_.find(ids_[flow]);
  if (ids_[flow] == 0 || found == from_.end()) return false;
  return in_ports_[flow].empty() || found->second.contains(in_ports_[flow]) || found->second.contains(std::string_view());
}

std::vector<std::size_t> Recirculations::behind(std::size_t flow, std::uint32_t id) const {
  std::vector<std::size_t> all;
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return all;
  const auto add = [&](const std::vector<std::size_t>& flows) { all.insert(all.end(), flows.begin(), flows.end()); };
  const std::string_view port = in_ports_[flow];
  if (port.empty()) {
    for (const auto& [of_port, flows] : found->second) add(flows);
  } else {
    for (const std::string_view of_port : {port, std::string_view()})
      if (const auto flows = found->second.find(of_port); flows != found->second.end()) add(flows->second);
  }
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace egt::explain
