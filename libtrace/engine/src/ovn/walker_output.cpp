// Where packets go: ports, multicast groups, the pipelines behind them.
#include <fmt/format.h>

#include "egtrace/packet/packet.h"
#include "openflow/packet_fields.h"
#include "ovn/walker.h"

namespace egt::engine::logical {
namespace {

using ovn::Pipeline;
using Kind = Remark::Kind;

constexpr std::string_view kPortTable = "Port_Binding";
constexpr std::uint32_t kAllowLoopback = 1;  // flags.loopback
constexpr auto kFirstRegister = static_cast<unsigned>(FieldId::reg0);
constexpr unsigned kRegisters = 16, kLogicalRegisters = 10;  // MFF_N_LOG_REGS

// ovn-controller's flows of patch ports clear what the packet has beside its headers (controller/physical.c); ovn-trace
// lets it be.
FlowKey packet_at_peer(const NetworkPort& peer, const FlowKey& packet, bool clears) {
  FlowKey out = packet;
  if (clears) {
    ofproto::clear_registers(out);
    clear_conntrack(out);
  }
  out.set(FieldId::reg14, peer.key);
  out.set(FieldId::reg15, 0);
  return out;
}

}  // namespace

void Walker::output_egress(const ActionPlace& at, const FlowKey& packet, const NetworkPort* port, std::string name) {
  at.show(NodeType::output, Remark{Kind::output_to, name, {}, port ? port->row->type : "", 0, {}, nullptr});
  if (port == nullptr || port->peer == nullptr) {
    if (port && port->row->type == "patch") southbound_.note({kPortTable, port->friendly, {}, {}, nullptr});  // where its peer is
    if (port && environment_) environment_->output(at.at(), *port, packet);
    at.show(NodeType::modify, Delivered{std::move(name)});
    return;
  }
  const NetworkPort& peer = *port->peer;
  FlowKey out = packet_at_peer(peer, packet, environment_ != nullptr);
  at.nodes.push_back(enter_pipeline({peer.datapath, Pipeline::ingress, nullptr, true, false, peer.friendly, {}}, 0, out));
}

void Walker::output_group(const ActionPlace& at, const FlowKey& packet, const NetworkGroup& group, FlowKey out) {
  const std::uint32_t in_key = packet.u32(FieldId::reg14);
  const bool loops = packet.u32(FieldId::reg10) & kAllowLoopback;
  const std::string inport = port_name(at.datapath, in_key);
  Node node{NodeType::pipeline, false, Entered{&at.datapath, at.pipeline, &group, false, false, {}, {}}, {}};
  if (group.lacks_ports) southbound_.note({kPortTable, group.name, {}, {}, nullptr});
  for (const NetworkPort* p : group.ports) {
    Node branch{NodeType::pipeline, false, Entered{&at.datapath, Pipeline::egress, nullptr, true, true, inport, p->friendly}, {}};
    if (environment_ && p->key != in_key && environment_->leaves(at.at(), *p, packet)) continue;
    if (p->key != in_key || loops) {
      branch.always_indent = true;
      out.set(FieldId::reg15, p->key);
      // One packet goes on from branch to branch, as in ovn-trace.
      enter_table(at.datapath, out, 0, Pipeline::egress, branch.children);
    } else {
      branch.children.push_back({NodeType::output, false, remark_of(Kind::omitted_loopback), {}});
    }
    node.children.push_back(std::move(branch));
  }
  at.nodes.push_back(std::move(node));
}

void Walker::output(const ActionPlace& at, FlowKey& packet) {
  const std::uint32_t key = packet.u32(FieldId::reg15) & 0xffff;
  if (environment_ && at.datapath.port(key) == nullptr && at.datapath.group(key) == nullptr)
    return environment_->has_no_port(at.at());
  if (key == 0) return at.show(NodeType::error, remark_of(Kind::null_port));
  const NetworkPort* port = at.datapath.port(key);
  const NetworkGroup* group = at.datapath.group(key);
  std::string name = port ? port->friendly : group ? group->name : "(unnamed)";
  if (!port && !group) {
    at.show(NodeType::error, Remark{Kind::unknown_port, {}, {}, {}, key, {}, nullptr});
    southbound_.note({kPortTable, fmt::format("tunnel key {} of {}", key, at.datapath.friendly), {}, {}, nullptr});
  }
  if (at.pipeline == Pipeline::egress) return output_egress(at, packet, port, std::move(name));
  FlowKey out = packet;
  // Of the switch's tables only registers that logical flows write themselves are cleared: flags and zones stay.
  for (unsigned i = 0; i < (environment_ ? kLogicalRegisters : kRegisters); ++i) {
    const auto id = static_cast<FieldId>(kFirstRegister + i);
    if (id != FieldId::reg14 && id != FieldId::reg15) out.set(id, 0);
  }
  if (group) return output_group(at, packet, *group, out);
  if (port && port->row->type == "chassisredirect") {
    if (port->distributed == nullptr)
      return at.show(NodeType::error, Remark{Kind::no_distributed_port, name, {}, port->row->type, 0, {}, nullptr});
    at.show(NodeType::output,
            Remark{Kind::replaced_chassisredirect, port->friendly, port->distributed->friendly, port->row->type, 0, {}, nullptr});
    port = port->distributed;
    name = port->friendly;
    out.set(FieldId::reg15, port->key);
  }
  if (port && environment_ && environment_->leaves(at.at(), *port, packet)) return;
  const std::uint32_t in_key = packet.u32(FieldId::reg14) & 0xffff;
  const bool loops = packet.u32(FieldId::reg10) & kAllowLoopback;
  if (!(port && port->key != in_key) && !loops) return at.show(NodeType::output, remark_of(Kind::omitted_loopback));
  Entered entered{&at.datapath, Pipeline::egress, nullptr, true, true, port_name(at.datapath, in_key), std::move(name)};
  at.nodes.push_back(enter_pipeline(std::move(entered), 0, out));
}

void Walker::mirror(const ovn::Mirror& mirror, const ActionPlace& at, const FlowKey& packet) {
  const NetworkPort* port = southbound_.network().ports().find(mirror.port);
  if (port == nullptr || port->datapath != &at.datapath) return at.show(NodeType::error, remark_of(Kind::no_mirror_port));
  FlowKey copy = packet;
  copy.set(FieldId::reg14, 0);
  copy.set(FieldId::reg15, port->key);
  Node node{NodeType::transformation, false, Transformed{}, {}};
  enter_table(at.datapath, copy, 0, Pipeline::egress, node.children);
  at.nodes.push_back(std::move(node));
}

}  // namespace egt::engine::logical
