#include "resolved_next_hop.h"

#include <algorithm>

namespace egt::engine {
namespace {

// Stages of a router have it in xxreg0 or reg0, the table of MAC bindings of newer releases in xxreg1 (encode_GET_ND() of ovn's
// lib/actions.c).
std::optional<IpAddr> next_hop_asked_for(const openflow::FlowEntry& flow) {
  const openflow::MatchView match = openflow::match_of(flow);
  const auto asks_for = [&](FieldId f, std::uint32_t bits) { return openflow::mask_of(match, f) == ones(bits); };
  for (const FieldId f : {FieldId::xxreg0, FieldId::xxreg1})
    if (asks_for(f, 128)) return IpAddr::v6(openflow::value_of(match, f));
  if (asks_for(FieldId::reg0, 32)) return IpAddr::v4(static_cast<std::uint32_t>(low64(openflow::value_of(match, FieldId::reg0))));
  return std::nullopt;
}

bool writes(const Step& step, const MacAddr& mac) {
  return std::any_of(step.changed.begin(), step.changed.end(),
                     [&](const FieldChange& c) { return c.field == FieldId::eth_dst && low64(c.after) == mac.value; });
}

// By a host's neighbour table, or by the device that answers its request.
const Resolve* resolved_by_host(const Step& step, const MacAddr& mac) {
  const Resolve* resolved = std::get_if<Resolve>(&step.kind);
  return resolved != nullptr && resolved->mac == mac && !step.evidence.empty() ? resolved : nullptr;
}

}  // namespace

std::optional<ResolvedNextHop> resolved_next_hop(const Record& record, const MacAddr& mac) {
  const auto step = std::find_if(record.steps.rbegin(), record.steps.rend(),
                                 [&](const Step& s) { return writes(s, mac) || resolved_by_host(s, mac) != nullptr; });
  if (step != record.steps.rend())
    if (const Resolve* resolved = resolved_by_host(*step, mac)) return ResolvedNextHop{resolved->address, step->evidence.front()};
  const auto* match = step == record.steps.rend() ? nullptr : std::get_if<TableMatch>(&step->kind);
  if (match == nullptr || match->flow == openflow::kNoFlow || match->on == nullptr || !match->on->flows) return std::nullopt;
  const openflow::FlowEntry& flow = match->on->flows->flow(match->flow);
  const auto address = next_hop_asked_for(flow);
  return address ? std::optional(ResolvedNextHop{*address, flow.from}) : std::nullopt;
}

}  // namespace egt::engine
