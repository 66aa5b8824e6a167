// A tunnel with options of ovs-monitor-ipsec(8) whose connection the IKE daemon lists, and has not established.
#include <string>

#include "triage/checks.h"

namespace egt::assess {
namespace ipsec_connection_down {

// As ovs-monitor-ipsec names them: the tunnel's port, "-in-" or "-out-", and a number.
bool is_of(const host::IpsecConnection& connection, const std::string& port) {
  return connection.name.starts_with(port + "-in-") || connection.name.starts_with(port + "-out-");
}

void judge(const cluster::Node& node, const openflow::Interface& port, Findings& out) {
  const auto remote = port.options.find("remote_ip");
  if (remote == port.options.end()) return;
  for (const host::IpsecConnection& connection : node.host.ipsec_connections.value)
    if (is_of(connection, port.name) && connection.state != host::IpsecState::established)
      out.add(Claim::ipsec_connection_down, node.name, "", {port.name, remote->second, connection.name},
              {connection.from, port.from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    if (node->host.ipsec_connections.partial) continue;  // of traffic alone, or an excerpt
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces) judge(*node, port, out);
  }
}

}  // namespace ipsec_connection_down

const Check kIpsecConnectionDown{"ipsec-connection-down", Severity::warning, always, ipsec_connection_down::run};

}  // namespace egt::assess
