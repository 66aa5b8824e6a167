#include <utility>

#include "egtrace/engine/ovs.h"
#include "translation.h"

namespace egt::engine {

OvsEngine::OvsEngine(const cluster::Node& node, openflow::LookupSession& lookups, World& world, Record& record,
                     Chooser& chooser, OvsOptions options)
    : node_(node), lookups_(lookups), world_(world), record_(record), chooser_(chooser), options_(std::move(options)) {}

OvsResult OvsEngine::run(const openflow::Bridge& bridge, std::uint32_t in_port, const FlowKey& packet) {
  return Translation(node_, lookups_, world_, record_, chooser_, options_).enter(bridge, in_port, packet);
}

OvsResult OvsEngine::resume(const openflow::Bridge& bridge, std::uint8_t table, const FlowKey& packet) {
  return Translation(node_, lookups_, world_, record_, chooser_, options_).resume(bridge, table, packet);
}

}  // namespace egt::engine
