#include "journey/bridge_vlans.h"

#include <algorithm>

#include "journey/device_stack.h"

namespace egt::engine {
namespace {

using host::BridgedVlans;
using host::Link;
using Fate = BridgedFrame::Fate;

class Filter {
 public:
  Filter(const host::Host& host, const Link& bridge, const FlowKey& frame) : vlans_(host.bridged_vlans), bridge_(bridge) {
    out_.frame = frame;
  }

  BridgedFrame run(const Link& from, const Link* to) {
    if (enter(from) && to != nullptr) leave(*to);
    return std::move(out_);
  }

 private:
  // __allowed_ingress(): a tag of another protocol is payload, VLAN 0 is a priority without a VLAN.
  bool enter(const Link& port) {
    const std::vector<VlanTag> tags = tags_of(out_.frame);
    const bool tagged = !tags.empty() && tags.front().protocol == bridge_.vlan_protocol;
    if (tagged) pop_tag(out_.frame);
    out_.vlan = tagged ? tags.front().id : std::uint16_t{0};
    const BridgedVlans* row = out_.vlan != 0 ? find(port, [&](const BridgedVlans& v) { return has_vlan(v); })
                                             : find(port, [](const BridgedVlans& v) { return v.takes_untagged; });
    if (row == nullptr) return lacks(port);
    if (out_.vlan == 0) out_.vlan = row->first;
    push_tag({out_.vlan, bridge_.vlan_protocol}, out_.frame);
    return passes(port, *row);
  }

  // br_allowed_egress(), br_handle_vlan().
  void leave(const Link& port) {
    const BridgedVlans* row = find(port, [&](const BridgedVlans& v) { return has_vlan(v); });
    if (row == nullptr) {
      if (port.name != bridge_.name || !is_promiscuous(port)) lacks(port);  // br_pass_frame_up()
      return;
    }
    if (passes(port, *row) && row->sends_untagged) pop_tag(out_.frame);
  }

  bool has_vlan(const BridgedVlans& v) const { return v.first <= out_.vlan && out_.vlan <= v.last; }

  template <class Test>
  const BridgedVlans* find(const Link& port, Test fits) const {
    const auto found = std::find_if(vlans_.value.begin(), vlans_.value.end(),
                                    [&](const BridgedVlans& v) { return v.device == port.name && fits(v); });
    return found == vlans_.value.end() ? nullptr : &*found;
  }

  // A list of all devices leaves those out that have no VLAN.
  bool lacks(const Link& port) {
    if (!vlans_.present || vlans_.partial) return end(Fate::open, port, {}, {});
    std::vector<Provenance> rows;
    for (const BridgedVlans& v : vlans_.value)
      if (v.device == port.name) rows.push_back(v.from);
    if (rows.empty()) rows.push_back(vlans_.from);
    if (out_.vlan == 0) return end(Fate::dropped, port, {Reason::bridge_without_pvid, {port.name, bridge_.name}}, rows);
    return end(Fate::dropped, port, {Reason::bridge_vlan_missing, {port.name, bridge_.name, std::uint64_t{out_.vlan}}}, rows);
  }

  bool passes(const Link& port, const BridgedVlans& row) {
    out_.evidence.push_back(row.from);
    if (row.forwards) return true;
    return end(Fate::dropped, port, {Reason::bridge_vlan_blocked, {port.name, bridge_.name, std::uint64_t{out_.vlan}}},
               {row.from});
  }

  bool end(Fate fate, const Link& port, Cause why, std::vector<Provenance> evidence) {
    out_.fate = fate;
    out_.where = port.name;
    out_.why = std::move(why);
    out_.evidence.insert(out_.evidence.end(), evidence.begin(), evidence.end());
    return false;
  }

  static bool is_promiscuous(const Link& device) { return device.flags.has("PROMISC"); }

  const host::Part<std::vector<BridgedVlans>>& vlans_;
  const Link& bridge_;
  BridgedFrame out_;
};

}  // namespace

BridgedFrame carry_in_vlan(const host::Host& host, const Link& bridge, const Link& from, const Link* to, const FlowKey& frame) {
  if (!bridge.filters_vlans) return {Fate::carried, frame, 0, {}, {}, {}};
  BridgedFrame out = Filter(host, bridge, frame).run(from, to);
  if (out.fate == Fate::open || to == nullptr) out.frame = frame;
  return out;
}

}  // namespace egt::engine
