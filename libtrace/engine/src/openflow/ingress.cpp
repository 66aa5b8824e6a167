#include "egtrace/engine/openflow/ingress.h"

#include <fmt/format.h>

#include "egtrace/openflow/tunnel_type.h"

namespace egt::engine::ofproto {
namespace {

std::optional<IpAddr> tunnel_source(const FlowKey& packet) {
  if (const std::uint32_t v4 = packet.u32(FieldId::tun_src)) return IpAddr::v4(v4);
  if (const U128 v6 = packet.get(FieldId::tun_ipv6_src)) return IpAddr::v6(v6);
  return std::nullopt;
}

bool comes_by(const openflow::Interface& tunnel, const IpAddr& source) {
  const auto remote = tunnel.options.find("remote_ip");
  return remote != tunnel.options.end() && IpAddr::parse(remote->second) == source;
}

Result<Ingress> by_tunnel(const cluster::Node& node, const std::string& type, const FlowKey& packet) {
  const auto source = tunnel_source(packet);
  if (!source) return Error{"no OpenFlow tunnel port for this packet"};
  std::optional<Ingress> found;
  for (const openflow::Bridge& b : node.bridges)
    for (const openflow::Interface& i : b.interfaces) {
      if (i.type != type || !i.ofport || !comes_by(i, *source)) continue;
      if (found) return Error{fmt::format("several tunnel ports have remote_ip {}", source->to_string())};
      found = Ingress{&b, *i.ofport};
    }
  if (!found) return Error{"no OpenFlow tunnel port for this packet"};
  return *found;
}

}  // namespace

Result<Ingress> ingress_of(const cluster::Node& node, const openflow::Datapath& datapath, std::optional<std::uint32_t> number,
                           const std::string& name, const FlowKey& packet) {
  if (number && datapath.ports.empty())
    return Error{"no dump shows the numbers of the datapath's ports: run `ovs-appctl dpctl/show`"};
  const openflow::DatapathPort* port = number ? datapath.port(*number) : datapath.port(name);
  if (port != nullptr && openflow::is_tunnel_type(port->type)) return by_tunnel(node, port->type, packet);
  if (tunnel_source(packet)) return Error{"no OpenFlow tunnel port for this packet"};
  if (!number && name.empty()) return Error{"the flow names no datapath port: in_port(…) is missing"};
  const std::string& device = port == nullptr ? name : port->name;
  if (!device.empty())
    for (const openflow::Bridge& b : node.bridges)
      if (const openflow::Interface* i = b.by_name(device); i != nullptr && i->ofport) return Ingress{&b, *i->ofport};
  return Error{fmt::format("no OpenFlow port for datapath port {}", number ? std::to_string(*number) : name)};
}

}  // namespace egt::engine::ofproto
