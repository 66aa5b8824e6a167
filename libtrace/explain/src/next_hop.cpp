#include "next_hop.h"

#include <variant>

namespace egt::explain {
namespace {

struct Write {
  Subfield dest;
  U128 value = 0;
};

// A masked write of dumps as of OpenFlow 1.5 is the write of the part that older dumps show.
Write write_of(const openflow::SetField& set) {
  if (set.mask && set.field == FieldId::xxreg0)
    for (std::uint16_t first = 0; first < 128; first += 32)
      for (std::uint16_t bits = 32; bits < 128; bits += 32)
        if (first + bits <= 128 && *set.mask == ones(bits) << first)
          return {{FieldId::xxreg0, first, bits}, set.value >> first & ones(bits)};
  return {whole(set.field), set.value};
}

// REG_NEXT_HOP_IPV4 and REG_SRC_IPV4 are the upper half of REG_NEXT_HOP_IPV6.
constexpr unsigned kOnlyIpv6 = 64;

// Where in xxreg0 a write begins.
std::optional<unsigned> place_in_xxreg0(const Subfield& s) {
  switch (s.field) {
    case FieldId::xxreg0: return s.first;
    case FieldId::reg0: return 96 + s.first;
    case FieldId::reg1: return 64 + s.first;
    case FieldId::reg2: return 32 + s.first;
    case FieldId::reg3: return s.first;
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<IpAddr> next_hop(const openflow::ActionList& actions) {
  bool leaves = false, v4 = false, v6 = false;
  FlowKey scratch;
  for (const openflow::Action& a : actions) {
    Write w;
    if (const auto* load = std::get_if<openflow::Load>(&a.kind))
      w = {load->dest, load->value};
    else if (const auto* set = std::get_if<openflow::SetField>(&a.kind))
      w = write_of(*set);
    else
      continue;
    leaves |= w.dest.field == FieldId::eth_src;
    const auto place = place_in_xxreg0(w.dest);
    if (!place) continue;
    v6 |= *place < kOnlyIpv6;
    v4 |= *place + w.dest.bits > 96;
    scratch.set(w.dest, w.value);
  }
  if (!leaves) return std::nullopt;
  if (v6) return IpAddr::v6(scratch.get(FieldId::xxreg0));
  if (v4) return IpAddr::v4(scratch.u32(FieldId::reg0));
  return std::nullopt;
}

}  // namespace egt::explain
