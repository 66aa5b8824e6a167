#include "ovn/southbound_lookups.h"

#include <algorithm>

namespace egt::engine::logical {
namespace {

// Northd's multicast groups, "_MC_flood" and the like.
bool is_group_name(std::string_view name) { return name.starts_with("_MC_"); }

}  // namespace

void SouthboundLookups::note(Unanswered question) {
  if (network_.knows_all_of(question.table)) return;
  if (std::find(unanswered_.begin(), unanswered_.end(), question) == unanswered_.end())
    unanswered_.push_back(std::move(question));
}

const NetworkFlow* SouthboundLookups::flow(const LogicalDatapath& datapath, const FlowKey& packet, ovn::Pipeline pipeline,
                                           std::uint32_t table) {
  const FoundFlow found = network_.lookup(datapath, packet, pipeline, table);
  if (found.undecided) note({"Port_Binding", {}, {}, {}, found.undecided});
  // northd gives flows to the last stage of every datapath: where none is listed, the list is of other datapaths or cut.
  const auto& listed = pipeline == ovn::Pipeline::ingress ? datapath.ingress : datapath.egress;
  if (!found.flow && table >= listed.size()) note({"Logical_Flow", datapath.friendly, {}, {}, nullptr});
  return found.flow;
}

std::uint32_t SouthboundLookups::port_key(const LogicalDatapath& datapath, std::string_view name) {
  const auto key = network_.port_key(datapath, name);
  if (!key) note({is_group_name(name) ? "Multicast_Group" : "Port_Binding", std::string(name), {}, {}, nullptr});
  return key.value_or(0);
}

const NetworkPort* SouthboundLookups::secured_port(const LogicalDatapath& datapath, std::uint32_t key) {
  const NetworkPort* port = datapath.port(key);
  if (port != nullptr && !port->row->shows_security) note({"Port_Binding", port->friendly, {}, {}, nullptr});
  return port;
}

std::optional<std::uint32_t> SouthboundLookups::learned_port(const LogicalDatapath& datapath, MacAddr mac) {
  const auto port = datapath.learned.port(mac);
  if (!port) note({"FDB", datapath.friendly, {}, mac, nullptr});
  return port;
}

std::optional<LoadBalancerVips::Vip> SouthboundLookups::vip(const FlowKey& packet) const {
  return network_.vips().find(packet.u32(FieldId::ct_nw_dst), packet.get(FieldId::ct_ipv6_dst));
}

}  // namespace egt::engine::logical
