// NORMAL: the learning switch (xlate_normal of ofproto/ofproto-dpif-xlate.c), without bonds, multicast snooping and
// spanning tree, of which dumps of these clusters tell nothing.
#include <fmt/format.h>

#include <algorithm>

#include "translation.h"

namespace egt::engine {
namespace {

using namespace openflow;
using F = FieldId;

constexpr std::uint32_t kTagPresent = 0x1000, kVidMask = 0xfff;
constexpr std::uint64_t kReservedGroup = 0x0180c2000000, kReservedMask = 0xfffffffffff0;

std::uint16_t tag_of(const FlowKey& k) {
  const std::uint32_t tci = k.u32(F::vlan_tci);
  return tci & kTagPresent ? static_cast<std::uint16_t>(tci & kVidMask) : std::uint16_t{0};
}

bool carries(const Interface& port, std::uint16_t vlan) { return !port.tag || *port.tag == vlan; }

void remember(std::vector<FdbEntry>& fdb, const FdbEntry& entry) {
  std::erase_if(fdb, [&](const FdbEntry& e) { return e.mac == entry.mac && e.vlan == entry.vlan; });
  fdb.push_back(entry);
}

}  // namespace

std::optional<std::uint32_t> Translation::learned_port(MacAddr mac, std::uint16_t vlan, Provenance* from) const {
  const auto look = [&](const std::vector<FdbEntry>& fdb) -> const FdbEntry* {
    const auto it =
        std::find_if(fdb.begin(), fdb.end(), [&](const FdbEntry& e) { return e.mac == mac && e.vlan == vlan; });
    return it == fdb.end() ? nullptr : &*it;
  };
  const FdbEntry* e = nullptr;
  if (const auto it = world_.fdb.find({node_.name, bridge().name}); it != world_.fdb.end()) e = look(it->second);
  if (!e) e = look(bridge().fdb);
  if (!e) return std::nullopt;
  *from = e->from;
  return e->port;
}

void Translation::output_normal(const Interface& port, std::uint16_t vlan, Place place) {
  isolated([&] {
    if (port.tag || vlan == 0) {
      key().set(F::vlan_tci, 0);
    } else {
      key().set(F::dl_vlan, vlan);
    }
    output_to(port, place);
  });
}

void Translation::normal(Place place) {
  const Bridge& b = bridge();
  const std::uint32_t in_number = key().u32(F::in_port);
  const Interface* in = b.by_ofport(in_number);
  const bool from_controller = in_number == port::none || in_number == port::controller;
  if (!in && !from_controller) return reason("NORMAL drops what came in by no known port", 0, here());
  if (in && in->tag && tag_of(key()) != 0)
    return reason(fmt::format("a tagged frame on access port {}", in->name), 0, here());
  const std::uint16_t vlan = in && in->tag ? *in->tag : tag_of(key());
  const MacAddr source = src_mac(key()), dest = dst_mac(key());
  if ((dest.value & kReservedMask) == kReservedGroup) return reason("NORMAL drops reserved multicast", 0, here());
  if (in && !source.is_multicast()) remember(world_.fdb[{node_.name, b.name}], {in_number, vlan, source, {}});

  Provenance from;
  const auto learned = dest.is_multicast() ? std::nullopt : learned_port(dest, vlan, &from);
  std::vector<Provenance> evidence = here();
  if (from.known()) evidence.push_back(from);
  if (learned) {
    if (*learned == in_number) return reason("its destination MAC was learned on the port it came in by", 0, evidence);
    remark(fmt::format("NORMAL: {} was learned on port {}", dest.to_string(), *learned), evidence);
    if (const Interface* out = b.by_ofport(*learned)) return output_normal(*out, vlan, place);
    return unknown_port(*learned, "");
  }
  const auto owner = std::find_if(b.interfaces.begin(), b.interfaces.end(),
                                  [&](const Interface& i) { return i.mac == dest && i.type != "patch"; });
  if (!b.has_fdb && !dest.is_multicast() && owner != b.interfaces.end()) {
    gap("MAC table of " + b.name, "ovs-appctl fdb/show " + b.name);
    record_.assume(fmt::format("{} has learned {} on port {}", b.name, dest.to_string(), owner->name),
                   "its MAC table is not in the snapshot, and that port has this address", evidence);
    return output_normal(*owner, vlan, place);
  }
  if (!dest.is_multicast()) {
    remark(fmt::format("NORMAL floods: {} is not in the MAC table of {}", dest.to_string(), b.name), evidence);
    if (!b.has_fdb) gap("MAC table of " + b.name, "ovs-appctl fdb/show " + b.name);
  }
  std::vector<const Interface*> ports;
  for (const Interface& i : b.interfaces)
    if (&i != in && carries(i, vlan) && (!i.ofport || *i.ofport != in_number)) ports.push_back(&i);
  std::stable_sort(ports.begin(), ports.end(), [](const Interface* x, const Interface* y) {
    return x->ofport.value_or(port::none) < y->ofport.value_or(port::none);
  });
  for (const Interface* p : ports) output_normal(*p, vlan, {place.nested(), false});
}

}  // namespace egt::engine
