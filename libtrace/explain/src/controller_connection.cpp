#include "egtrace/explain/controller_connection.h"

#include <algorithm>

namespace egt::explain {

std::optional<ControllerConnection> controller_connection(const cluster::Node& node) {
  const auto row = std::find_if(node.ovn.rows.begin(), node.ovn.rows.end(), [](const ovn::Row& r) { return r.table == "connection-status"; });
  if (row == node.ovn.rows.end()) return std::nullopt;
  return ControllerConnection{row->columns.at("connected") == "true", row->from};
}

bool is_controller_disconnected(const cluster::Node& node) {
  const auto connection = controller_connection(node);
  return connection && !connection->connected;
}

}  // namespace egt::explain
