// A tunnel with options of ovs-monitor-ipsec(8) whose connection the IKE daemon lists, and has not established; or for which a setting lacks
// that it takes to set one up (IPsecTunnel._is_valid_tunnel_conf() of ovs-monitor-ipsec.in).
#include <algorithm>
#include <optional>
#include <string>

#include "egtrace/ovn/rows/vswitch.h"
#include "triage/checks.h"

namespace egt::assess {
namespace ipsec_connection_down {

using host::IpsecConnection;
using Settings = std::map<std::string, std::string>;

// As ovs-monitor-ipsec names them: the tunnel's port, "-in-" or "-out-", and a number.
bool is_of(const IpsecConnection& connection, const std::string& port) {
  return connection.name.starts_with(port + "-in-") || connection.name.starts_with(port + "-out-");
}

// Of the switch; nothing where no dump shows them.
std::optional<Settings> settings_of(const cluster::Node& node) {
  for (const rows::vswitch::OpenVSwitch row : rows_of<rows::vswitch::OpenVSwitch>(node.ovs_rows))
    if (!ovn::text_of(row.row(), "other_config").empty()) return row.other_config();
  return std::nullopt;
}

// What of certificate, private_key and ca_cert is not set, by number, for tunnels whose other end shows a certificate.
std::optional<std::size_t> missing_setting(const Settings& settings, const openflow::Interface& port) {
  const auto has = [](const auto& map, const char* key) { return map.contains(key); };
  if (has(port.options, "psk") || !(has(port.options, "remote_name") || has(port.options, "remote_cert"))) return std::nullopt;
  if (!has(settings, "certificate")) return 0;
  if (!has(settings, "private_key")) return 1;
  if (!has(settings, "ca_cert") && !has(port.options, "remote_cert")) return 2;
  return std::nullopt;
}

void judge(const cluster::Node& node, const std::optional<Settings>& settings, const openflow::Interface& port, Findings& out) {
  const auto remote = port.options.find("remote_ip");
  if (remote == port.options.end()) return;
  const auto& connections = node.host.ipsec_connections;
  bool any = false;
  for (const IpsecConnection& connection : connections.value) {
    if (!is_of(connection, port.name)) continue;
    any = true;
    if (connection.state != host::IpsecState::established && !connections.partial)  // of traffic alone, or an excerpt
      out.add(Claim::ipsec_connection_down, node.name, "", {port.name, remote->second, connection.name},
              {connection.from, port.from});
  }
  if (any || !settings) return;
  if (const auto missing = missing_setting(*settings, port))
    out.add(Claim::ipsec_tunnel_without_setting, node.name, "", {port.name, remote->second, *missing}, {port.from});
}

void run(const Facts& f, Findings& out) {
  for (const auto& node : f.cluster.nodes) {
    const std::optional<Settings> settings = settings_of(*node);
    for (const openflow::Bridge& bridge : node->bridges)
      for (const openflow::Interface& port : bridge.interfaces) judge(*node, settings, port, out);
  }
}

}  // namespace ipsec_connection_down

const Check kIpsecConnectionDown{"ipsec-connection-down", Severity::warning, always, ipsec_connection_down::run};

}  // namespace egt::assess
