// What a pod takes.
#include <algorithm>

#include "device_checks.h"
#include "device_stack.h"
#include "host/source_validation.h"
#include "inconsistencies.h"
#include "pod_rules.h"
#include "steps.h"

namespace egt::engine {
namespace {

// As a host's: what comes from an address of the pod's own is a martian, and its rp_filter may take only what it would answer by the
// device that it came by.
Validation check_source(const AtPod& at, const PodStack& stack) {
  if (stack.device == nullptr || !src_ip(at.packet).is_v4() || dst_ip(at.packet).is_multicast()) return {};
  Validation v = validate_source(*stack.host, {query_for(at.packet, stack.device->name), {}});
  for (Assumption& a : v.assumptions) {
    if (a.what == Supposition::source_validation) {
      a.what = Supposition::pod_source_validation;
      a.about.insert(a.about.begin(), at.pod.pod.name);
    } else {
      a.node = at.pod.node->name;
    }
  }
  return v;
}

// A stack takes no frame of a VLAN that none of its devices has. A VLAN's device takes the place of the one that it stands on.
std::optional<Arrival> take_tag(Walk& walk, AtPod& at, PodStack& stack) {
  const std::string& node = at.pod.node->name;
  while (pop_priority_tag(at.packet)) {
  }
  const std::vector<VlanTag> tags = tags_of(at.packet);
  if (tags.empty()) return std::nullopt;
  const std::uint64_t vlan = tags.front().id;
  const Above up = stack.device != nullptr ? above(*stack.host, *stack.device, at.packet) : Above{};
  if (up.untagged) {
    if (up.uncertain != nullptr)
      walk.record.assume({Supposition::vlan_of_name, {up.device->name, vlan, node}, {}, {up.device->from}});
    pop_tag(at.packet);
    stack.device = up.device;
    return std::nullopt;
  }
  if (up.uncertain != nullptr)
    return walk.log.gap(*at.pod.node, Layer::host, {Input::device_kind, {up.uncertain->name}}, Reason::device_kind_unknown);
  if (stack.device == nullptr) walk.record.assume({Supposition::pod_without_vlan, {at.pod.pod.name, vlan}});
  Stop end = stop_at_pod(at.pod, {Reason::vlan_without_device, {vlan, at.pod.pod.name}});
  if (stack.device != nullptr) end.evidence = {stack.device->from};
  return walk.log.stop(Verdict::dropped, std::move(end));
}

// Where dumps show the pod's own device, that decides.
Cause not_for_pod(const AtPod& at, const PodStack& stack) {
  if (stack.device != nullptr && !stack.device->is_up()) return {Reason::device_down};
  const MacAddr to = dst_mac(at.packet);
  const auto& mac = stack.device != nullptr && stack.device->mac ? stack.device->mac : at.pod.pod.mac;
  if (mac && to != *mac && !to.is_multicast()) return {Reason::mac_not_of_pod, {to, *mac}};
  const IpAddr address = dst_ip(at.packet);
  const auto& own = at.pod.pod.addresses;
  const bool is_other =
      !own.empty() && std::none_of(own.begin(), own.end(), [&](const Prefix& p) { return p.address == address; });
  const bool is_gone = stack.device != nullptr && !address.is_multicast() && stack.lacks(address);
  return is_other || is_gone ? Cause{Reason::address_not_of_pod, {address}} : Cause{};
}

}  // namespace

Next step(Walk& walk, AtPod at) {
  walk.log.see(*at.pod.node, at.pod.port->name, false, at.packet);
  if (std::optional<Arrival> end = check_size(walk, *at.pod.node, at.pod.port->name)) return std::move(*end);
  if (std::optional<Next> end = pass_hook(walk, *at.pod.node, netfilter::Hook::egress, at.pod.port->name, at.packet))
    return std::move(*end);
  note_inconsistencies(*at.pod.node, cluster::Inconsistency::About::port, at.pod.port->name, walk.record);
  PodStack stack = pod_stack(*at.pod.node, at.pod.pod);
  if (stack.device != nullptr)
    if (std::optional<Arrival> end = enter_veth(walk, *stack.device, stop_at_pod(at.pod, {}))) return std::move(*end);
  if (std::optional<Arrival> end = take_tag(walk, at, stack)) return std::move(*end);
  if (Cause why = not_for_pod(at, stack); why.reason != Reason::none) {
    Stop end = stop_at_pod(at.pod, std::move(why));
    if (stack.device != nullptr) end.evidence = {stack.device->from};
    return walk.log.stop(Verdict::dropped, std::move(end));
  }
  Validation source = check_source(at, stack);
  for (Assumption& a : source.assumptions) walk.record.assume(std::move(a));
  if (!source.accepted)
    return walk.log.stop(Verdict::dropped, stop_at_pod(at.pod, std::move(source.why), std::move(source.evidence)));
  if (std::optional<Arrival> end = PodRules(walk, at.pod, stack, false).pass(at.packet, may_open(walk, at.packet)))
    return std::move(*end);
  walk.record.add(at.pod.node->name, Layer::host, Deliver{at.pod.pod.name, true, false}, {at.pod.port->from});
  Arrival arrival;
  arrival.verdict = Verdict::delivered;
  arrival.end = at.pod;
  arrival.packet = at.packet;
  return arrival;
}

}  // namespace egt::engine
