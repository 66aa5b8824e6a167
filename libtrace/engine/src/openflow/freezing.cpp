#include "freezing.h"

#include "controllers.h"
#include "packet_fields.h"

namespace egt::engine::ofproto {
namespace {

using namespace openflow;

// Actions that remember in which table and flow they stood when they are frozen.
struct NeedsPlace {
  bool operator()(const OutputReg&) const { return true; }
  bool operator()(const OutputTruncated&) const { return true; }
  bool operator()(const GroupRef&) const { return true; }
  bool operator()(const Output&) const { return true; }
  bool operator()(const Controller&) const { return true; }
  bool operator()(const DecMplsTtl&) const { return true; }
  bool operator()(const DecNshTtl&) const { return true; }
  bool operator()(const DecTtl&) const { return true; }
  bool operator()(const Resubmit& a) const { return !a.table || *a.table == 255; }
  template <class Other>
  bool operator()(const Other&) const {
    return false;
  }
};

}  // namespace

FrozenState frozen_state(const XlateContext& c, std::uint8_t table) {
  const XlatePacket& packet = c.packet;
  FrozenState s;
  s.bridge = c.at.bridge;
  s.table = table;
  copy_tunnel(packet.flow, s.metadata);
  copy_registers(packet.flow, s.metadata);
  s.metadata.set(F::metadata, packet.flow.get(F::metadata));
  s.metadata.set(F::in_port, packet.flow.get(F::in_port));
  s.stack = packet.stack;
  s.conntracked = packet.conntracked;
  s.was_mpls = packet.was_mpls;
  s.mirrored = packet.mirrored;
  return s;
}

void Freezing::keep(const Ofpacts& list, std::size_t from, const PipelinePlace& at, OfpactCache& cache) {
  for (std::size_t i = from; i < list.size(); ++i) {
    Ofpact o = list[i];
    if (o.action) {
      const auto& kind = o.action->kind;
      if (std::holds_alternative<openflow::Note>(kind) || std::holds_alternative<Conjunction>(kind)) continue;
      if (const auto* go = std::get_if<GotoTable>(&kind)) {
        Resubmit r;
        r.table = go->table;
        r.table_name = go->table_name;
        o.action = &cache.instead_of(*o.action, {r});
      } else if (const auto* metadata = std::get_if<WriteMetadata>(&kind)) {
        SetField set{F::metadata, metadata->value, std::nullopt, "set_field"};
        if (metadata->mask && *metadata->mask != ~std::uint64_t{0}) set.mask = *metadata->mask;
        o.action = &cache.instead_of(*o.action, {set});
      } else if (std::visit(NeedsPlace{}, kind)) {
        const Ofpact* known = unroll_ ? &actions_[*unroll_] : nullptr;
        if (!known || known->table != at.table || known->cookie != at.cookie) {
          actions_.push_back({nullptr, nullptr, at.table, at.cookie});
          unroll_ = actions_.size() - 1;
        }
      }
    }
    actions_.push_back(o);
  }
}

std::uint32_t Freezing::finish(XlateContext& c, std::uint8_t table, const Ofpacts& action_set) {
  FrozenState s = frozen_state(c, table);
  s.first_port = c.arrival.first_port();
  s.actions = actions_;
  s.action_set = action_set;
  s.userdata = userdata_of(pause_);
  const std::uint32_t id = c.recirculations.hold(s);
  if (pause_) {
    // A trace sends nothing to the controller, so nothing comes back.
    if (!c.packet.is_encapsulated() && !c.policy.has_controller()) return 0;
    put_controller_action(c, PacketIn(*pause_), true, id);
  } else {
    if (hash_) c.out.put({dp::Hash{hash_->symmetric_l4, hash_->basis}});
    c.out.put({dp::Recirculate{id}});
  }
  *this = {};
  return id;
}

}  // namespace egt::engine::ofproto
