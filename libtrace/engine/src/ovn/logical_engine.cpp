#include "ovn/logical_engine.h"

#include <algorithm>
#include <utility>

#include "egtrace/openflow/tunnel_type.h"
#include "inconsistencies.h"
#include "openflow/packet_fields.h"
#include "ovn/chassis_environment.h"
#include "ovn/physical_ports.h"
#include "ovn/walker.h"

namespace egt::engine {
namespace {

using F = FieldId;
using openflow::Interface;

// One packet on its way into the pipelines.
class LogicalRun {
 public:
  LogicalRun(const LogicalWalk& walk, const openflow::Bridge& bridge)
      : walk_(walk), bridge_(bridge), path_(walk.node, bridge, walk.record), environment_(walk, bridge, path_) {}
  OvsResult run(std::uint32_t in_port, const FlowKey& packet);

 private:
  void enter(const Interface& in, FlowKey packet);
  void come_from_tunnel(logical::Walker& walker, FlowKey packet);
  void check_tables(const logical::Trace& trace);

  const LogicalWalk& walk_;
  const openflow::Bridge& bridge_;
  LogicalPath path_;
  ChassisEnvironment environment_;
};

OvsResult LogicalRun::run(std::uint32_t in_port, const FlowKey& packet) {
  const Interface* port = bridge_.by_ofport(in_port);
  path_.add(EnterBridge{bridge_.name, in_port, port ? port->name : std::string()});
  walk_.record.assume({Supposition::logical_flows_realised, {walk_.node.name}});
  note_inconsistencies(walk_.node, cluster::Inconsistency::About::node, "", walk_.record);
  FlowKey key = packet;
  clear_conntrack(key);
  if (port == nullptr)
    path_.end_in_bridge({Reason::port_missing, {std::uint64_t{in_port}}});
  else
    enter(*port, std::move(key));
  return path_.take_result();
}

void LogicalRun::enter(const Interface& in, FlowKey packet) {
  const LogicalNetwork& network = walk_.logical.network();
  const logical::Options options;
  logical::Walker walker(network, options, &environment_);
  if (openflow::is_tunnel_type(in.type)) return come_from_tunnel(walker, std::move(packet));
  const NetworkPort* port = network.ports().find(logical_port_of(in));
  if (port == nullptr || !enter_localnet(*port->row, packet)) return path_.end_in_bridge({Reason::no_flow_matches});
  packet.set(F::metadata, port->datapath->key);
  packet.set(F::reg14, port->key);
  check_tables(walker.run(*port->datapath, packet));
}

void LogicalRun::come_from_tunnel(logical::Walker& walker, FlowKey packet) {
  const LogicalNetwork& network = walk_.logical.network();
  const LogicalDatapath* datapath = network.datapaths().with_key(packet.u32(F::tun_id));
  const TunnelKeys keys = tunnel_keys_of(packet);
  const auto& rows = network.southbound().datapaths;
  const bool open = std::any_of(rows.begin(), rows.end(), [](const ovn::sb::DatapathBinding& d) { return d.made_up_key; });
  if (datapath == nullptr ? open : carries_made_up_keys(*datapath, keys)) {
    path_.lack_table(datapath == nullptr || datapath->row->made_up_key ? "Datapath_Binding" : "Port_Binding");
    return path_.end_in_bridge({Reason::tunnel_keys_unknown});
  }
  ofproto::clear_tunnel(packet);
  if (datapath == nullptr) return path_.end_in_bridge({Reason::no_flow_matches});
  packet.set(F::metadata, datapath->key);
  packet.set(F::reg14, keys.inport);
  packet.set(F::reg15, keys.outport);
  check_tables(walker.run_behind_tunnel(*datapath, packet));
}

// What the walk asked of tables that no dump has whole, and flows that were not understood, may change its path.
void LogicalRun::check_tables(const logical::Trace& trace) {
  // Routers that send it to each other; the switch gives up, or its TTL ends.
  if (trace.cut) path_.end_in_bridge({Reason::loop});
  for (const logical::Unanswered& question : trace.unanswered)
    if (question.table != "MAC_Binding" && question.table != "FDB")
      path_.lack(Input::southbound_table, {std::string(question.table)});
  // One shows enough.
  if (const auto unread = walk_.logical.network().unread(); !unread.empty()) path_.note_unread(*unread.front());
}

}  // namespace

OvsResult run_logical_flows(const LogicalWalk& walk, const openflow::Bridge& bridge, std::uint32_t in_port,
                            const FlowKey& packet) {
  return LogicalRun(walk, bridge).run(in_port, packet);
}

}  // namespace egt::engine
