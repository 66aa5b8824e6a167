// Rows in the order in which ovn-trace goes through them.
#pragma once

#include <vector>

#include "egtrace/ovn/southbound.h"
#include "openflow/hash_order.h"

namespace egt::engine {

template <class Row>
std::vector<const Row*> at_client(const std::vector<Row>& rows) {
  std::vector<ovn::Uuid> uuids;
  for (const Row& row : rows) uuids.push_back(row.uuid);
  std::vector<const Row*> ordered;
  for (const std::uint32_t i : order_at_client(uuids)) ordered.push_back(&rows[i]);
  return ordered;
}

}  // namespace egt::engine
