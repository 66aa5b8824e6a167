#include "datapath/switch_session.h"

#include <string>
#include <utility>

#include "datapath/unprinted_meters.h"

namespace egt::engine {
namespace {

// MAX_RECIRC_DEPTH of lib/dpif-netdev.c. It is a constant of the build, which no dump shows: some builds have a larger one.
unsigned most_recirculations(const std::optional<std::string>& release) {
  constexpr ofproto::OvsVersion kEight{3, 3, 0};
  const auto version = release ? ofproto::parse_ovs_version(*release) : std::nullopt;
  return version >= kEight ? 8 : 6;
}

}  // namespace

SwitchSessions::Session::Session(const cluster::Node& node, bool as_intended)
    : tables(node, {}, as_intended && node.ovn.program != nullptr ? node.integration_bridge() : nullptr) {
  if (node.ovs_version) version = ofproto::parse_ovs_version(*node.ovs_version).value_or(version);
  recirculations = most_recirculations(node.ovs_version);
}

const Userdata* SwitchSessions::Session::userdata_of(const openflow::Controller& action) {
  const auto [at, is_new] = userdata.try_emplace(&action);
  if (is_new && action.userdata) at->second = decode_userdata(*action.userdata);
  return at->second ? &*at->second : nullptr;
}

const openflow::ActionList& SwitchSessions::Session::resubmit_to(std::uint8_t table) {
  const auto [at, is_new] = resubmits.try_emplace(table);
  if (!is_new) return at->second;
  openflow::Resubmit resubmit;
  resubmit.table = table;
  at->second.push_back({std::move(resubmit)});
  return at->second;
}

const openflow::BridgeMeter* SwitchSessions::Session::unprinted_meter_of(const openflow::Bridge& bridge) {
  const auto [at, is_new] = unprinted_meters.try_emplace(&bridge);
  if (is_new) at->second = engine::unprinted_meter(bridge);
  return at->second;
}

const ovn::LogicalFlow* SwitchSessions::Session::metering_flow_of(const ovn::Ovn& ovn, std::uint64_t cookie) {
  const auto [at, is_new] = metering_flows.try_emplace(cookie);
  if (is_new) at->second = engine::metering_flow(ovn, cookie);
  return at->second;
}

struct SwitchSessions::Impl {
  bool as_intended = false;
  std::unordered_map<const cluster::Node*, Session> sessions;
};

SwitchSessions::SwitchSessions(bool as_intended) : impl_(std::make_unique<Impl>()) { impl_->as_intended = as_intended; }
SwitchSessions::~SwitchSessions() = default;
SwitchSessions::SwitchSessions(SwitchSessions&&) noexcept = default;
SwitchSessions::Session& SwitchSessions::of(const cluster::Node& node) {
  return impl_->sessions.try_emplace(&node, node, impl_->as_intended).first->second;
}
const openflow::BridgeMeter* SwitchSessions::unprinted_meter(const cluster::Node& node, const openflow::Bridge& bridge) {
  return of(node).unprinted_meter_of(bridge);
}
const ovn::LogicalFlow* SwitchSessions::metering_flow(const cluster::Node& node, std::uint64_t cookie) {
  return of(node).metering_flow_of(node.ovn, cookie);
}

}  // namespace egt::engine
