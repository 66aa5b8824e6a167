#include "datapath/upcalls.h"

#include <utility>

#include "openflow/xlate.h"

namespace egt::engine {

// The switch reads each upcall's packet anew, and of its headers no more than follow so many tags.
void UpcallTranslator::look_behind_tags(const FlowKey& key) {
  const cluster::Node& node = recorder_.node();
  if (node.vlan_limit != 1 || key.u32(FieldId::vlan_tci1) == 0) return;
  recorder_.set_undecided();
  if (!std::exchange(has_too_many_tags_, true)) recorder_.record().add(node.name, Layer::ovs, engine::Remark{Notice::vlan_limit});
}

ofproto::Translation UpcallTranslator::translate(const Upcall& upcall) {
  using ofproto::Xlate;
  const ofproto::FrozenState* frozen = upcall.recirculation ? &recirculations_.state(*upcall.recirculation) : nullptr;
  const openflow::Bridge* bridge = frozen ? frozen->bridge->bridge : upcall.bridge ? upcall.bridge : origin_->bridge;
  policy_.set_frame_length(upcall.packet.length);
  at_.expect(*bridge, frozen ? frozen->table : std::uint8_t{0}, upcall.step);
  FlowKey key = upcall.packet.key;
  look_behind_tags(key);
  if (frozen) key.set(FieldId::recirc_id, *upcall.recirculation);
  ofproto::SwitchBridge& in = upcall.bridge ? *session_.tables.sw.bridge(*upcall.bridge) : *origin_;
  const ofproto::Ofpacts* packet_out = upcall.packet_out ? &session_.tables.actions->of(*upcall.packet_out, *bridge) : nullptr;
  ofproto::Translation t = Xlate(session_.tables, recirculations_, policy_, &observer_, how_).run(in, key, frozen, packet_out);
  at_.translated();
  recirculations_.end_pass();
  recirculations_.queue.clear();
  if (t.error != ofproto::XlateError::ok && !recorder_.end().is_known()) at_.end({Reason::not_translated});
  return t;
}

FlowKey UpcallTranslator::after_field_actions(const FlowKey& key, const openflow::ActionList& nested,
                                              const openflow::Bridge& bridge) {
  struct Silent : ofproto::Policy {
    void missing(Statement<Input>) override {}
  } silent;
  const ofproto::Ofpacts& all = session_.tables.actions->of(nested, bridge);
  ofproto::Ofpacts fields;
  for (const ofproto::Ofpact& o : all) {
    if (!o.action || !ofproto::only_changes_fields(*o.action)) break;
    fields.push_back(o);
  }
  ofproto::Recirculations none;
  ofproto::SwitchBridge& in = *session_.tables.sw.bridge(bridge);
  return ofproto::Xlate(session_.tables, none, silent, nullptr, how_).run(in, key, nullptr, &fields).final_flow;
}

}  // namespace egt::engine
