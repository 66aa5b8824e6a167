// How flows of a datapath follow each other: recirc(ID) hands a packet, which keeps its input port, to the flows of recirc_id(ID).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/openflow/datapath.h"

namespace egt::explain {

class Recirculations {
 public:
  explicit Recirculations(const openflow::Datapath& datapath);
  // Of a flow's packets behind recirc(id), as indices of Datapath::flows: the flows of that id, without those of another input port.
  std::vector<std::size_t> behind(std::size_t flow, std::uint32_t id) const;
  // Whether some flow's packets may meet this one by recirculation.
  bool is_reached(std::size_t flow) const;
  // As the dump has it: a name or a number; empty where the flow does not match exactly one.
  std::string_view in_port(std::size_t flow) const { return in_ports_[flow]; }

 private:
  std::vector<std::string_view> in_ports_;
  std::vector<std::uint32_t> ids_;
  std::unordered_map<std::uint32_t, std::unordered_map<std::string_view, std::vector<std::size_t>>> by_id_;  // then by input port
  std::unordered_map<std::uint32_t, std::set<std::string_view>> from_;  // input ports of the flows that recirculate to an id
};

}  // namespace egt::explain
