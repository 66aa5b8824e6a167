#include "connection_table.h"

#include "egtrace/engine/datapath/zone_limit.h"

namespace egt::engine {

void note_full_connection_table(const cluster::Node& node, Record& record) {
  const auto limit = limit_of_kernel(node);
  if (limit && limit->is_reached())
    record.assume({Supposition::connection_table_has_room, {node.name}, {*limit->count, limit->most}, limit->evidence});
}

}  // namespace egt::engine
