#include "ovn/tracking.h"

#include "egtrace/packet/packet.h"

namespace egt::engine::logical {
namespace {

// Bits of ct_mark, in older releases of ct_label (include/ovn/logical-fields.h).
constexpr std::uint32_t kNatted = 2, kSkipSnat = 4, kForceSnat = 8;

// A switch tracks what goes through its ports, a router what it translates.
Zone zone_of(const LogicalDatapath& datapath, ovn::CtZone zone) {
  if (!datapath.row->is_router) return Zone::port;
  return zone == ovn::CtZone::dnat ? Zone::dnat : Zone::snat;
}

// The address and port that a load balancer's packet had before (MFF_LOG_LB_ORIG_* of include/ovn/logical-fields.h).
IpAddr balanced_address(const FlowKey& packet) {
  return family_of(packet) == Family::v4 ? IpAddr::v4(packet.u32(FieldId::reg1)) : IpAddr::v6(packet.get(FieldId::xxreg1));
}

}  // namespace

Tracking tracking_of(const ovn::CtNext& a, const LogicalDatapath& datapath) {
  return {zone_of(datapath, a.zone), false, {}, {}, {}};
}

Tracking tracking_of(const ovn::CtNat& a, const LogicalDatapath&) {
  Tracking how{a.in_czone      ? Zone::common
               : a.destination ? Zone::dnat
                               : Zone::snat,
               a.address.has_value(),
               openflow::Nat{},
               {},
               {}};
  if (!a.address) return how;
  how.nat->kind = a.destination ? openflow::Nat::Kind::dst : openflow::Nat::Kind::src;
  how.nat->addresses = IpRange{*a.address, *a.address};
  if (a.ports && a.ports->low != 0) {
    how.nat->port_min = a.ports->low;
    if (a.ports->high != 0) how.nat->port_max = a.ports->high;
    how.nat->random = a.ports->high != 0;
  }
  return how;
}

Tracking tracking_of(const ovn::CtCommitToZone& a, const LogicalDatapath& datapath) {
  Tracking how{zone_of(datapath, a.zone), true, {}, {}, {}};
  if (a.nat) how.nat.emplace();
  return how;
}

Tracking tracking_of(const ovn::CtCommit& a, const LogicalDatapath& datapath, const FlowKey& packet) {
  Tracking how{zone_of(datapath, ovn::CtZone::dnat), true, {}, {}, {}};
  if (a.mark_mask != 0) how.mark = {a.mark, a.mark_mask};
  if (a.label_mask != 0) how.label = {a.label, a.label_mask};
  FlowKey written = packet, mask = packet;
  for (FlowKey* key : {&written, &mask}) {
    key->set(FieldId::ct_mark, 0);
    key->set(FieldId::ct_label, 0);
  }
  for (const ovn::Action& action : a.actions) {
    Subfield to;
    if (const auto* constant = std::get_if<ovn::Load>(&action.kind)) {
      to = constant->to.subfield();
      written.set(to, constant->value.value);
    } else if (const auto* moved = std::get_if<ovn::Move>(&action.kind)) {
      to = moved->to.subfield();
      written.set(to, packet.get(moved->from.subfield()));
    } else {
      continue;
    }
    mask.set(to, ones(to.bits));
  }
  if (mask.u32(FieldId::ct_mark) != 0) how.mark = {written.u32(FieldId::ct_mark), mask.u32(FieldId::ct_mark)};
  if (mask.get(FieldId::ct_label) != 0) how.label = {written.get(FieldId::ct_label), mask.get(FieldId::ct_label)};
  return how;
}

Tracking tracking_of(const ovn::CtLb&, const LogicalDatapath& datapath) {
  return {zone_of(datapath, ovn::CtZone::dnat), false, openflow::Nat{}, {}, {}};
}

Tracking tracking_to(const ovn::LbBackend& backend, const ovn::CtLb& a, const LogicalDatapath& datapath) {
  Tracking how{zone_of(datapath, ovn::CtZone::dnat), true, openflow::Nat{}, {}, {}};
  how.nat->kind = openflow::Nat::Kind::dst;
  how.nat->addresses = IpRange{backend.address, backend.address};
  if (backend.port != 0) how.nat->port_min = backend.port;
  std::uint32_t bits = kNatted;
  if (a.flag == ovn::CtLb::Flag::skip_snat) bits |= kSkipSnat;
  if (a.flag == ovn::CtLb::Flag::force_snat) bits |= kForceSnat;
  if (a.kind == ovn::CtLb::Kind::label)
    how.label = {bits, bits};
  else
    how.mark = {bits, bits};
  return how;
}

Tracking tracking_to_vip(const LogicalNetwork& network, const FlowKey& packet) {
  Tracking how{Zone::snat, true, openflow::Nat{}, {}, {}};
  const IpAddr address = network.vips().hairpin_source(family_of(packet)).value_or(balanced_address(packet));
  how.nat->kind = openflow::Nat::Kind::src;
  how.nat->addresses = IpRange{address, address};
  return how;
}

bool is_balanced(const FlowKey& packet) {
  return (packet.u32(FieldId::ct_mark) & kNatted) || (low64(packet.get(FieldId::ct_label)) & kNatted);
}

}  // namespace egt::engine::logical
