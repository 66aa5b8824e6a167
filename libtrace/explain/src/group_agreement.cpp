#include "group_agreement.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "egtrace/base/address_port.h"

namespace egt::explain {
namespace {

using engine::GroupPick;
using engine::TableMatch;
using engine::WalkedPath;
using Backends = std::set<AddressPort>;

// Of "ct_lb_mark(backends=10.132.0.39:8080,10.133.0.4:8080; force_snat);"; nothing where there are none, or others.
std::optional<Backends> backends_of(const ovn::LogicalFlow& flow) {
  constexpr std::string_view kKey = "backends=";
  const std::size_t at = flow.actions.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view list = flow.actions.substr(at + kKey.size());
  list = list.substr(0, list.find_first_of(";)"));
  Backends all;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const auto backend = parse_address_port(list.substr(0, comma));
    if (!backend) return std::nullopt;
    all.insert(*backend);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return all;
}

const openflow::Ct* translation_of(const openflow::Bucket& bucket) {
  for (const openflow::Action& action : bucket.actions)
    if (const auto* ct = std::get_if<openflow::Ct>(&action.kind); ct != nullptr && ct->nat) return ct;
  return nullptr;
}

std::optional<Backends> backends_of(const openflow::Group& group) {
  Backends all;
  for (const openflow::Bucket& bucket : group.buckets) {
    const openflow::Ct* ct = translation_of(bucket);
    if (ct == nullptr || ct->nat->kind != openflow::Nat::Kind::dst || !ct->nat->addresses) return std::nullopt;
    all.emplace(ct->nat->addresses->first, ct->nat->port_min.value_or(0));
  }
  return all;
}

bool has_backends_of_a_logical_flow(const openflow::Group& group, const std::vector<const ovn::LogicalFlow*>& behind) {
  const auto own = backends_of(group);
  if (!own) return true;
  bool differs = false;
  for (const ovn::LogicalFlow* flow : behind) {
    const auto intended = backends_of(*flow);
    if (intended && *intended == *own) return true;
    differs |= intended.has_value();
  }
  return !differs;
}

// The buckets go on in the table behind that of the flow (encode_ct_lb() of OVN's lib/actions.c).
bool goes_on_behind(const openflow::Group& group, const TableMatch& match) {
  return std::all_of(group.buckets.begin(), group.buckets.end(), [&](const openflow::Bucket& bucket) {
    const openflow::Ct* ct = translation_of(bucket);
    return ct == nullptr || !ct->table || *ct->table == match.table + 1;
  });
}

// Of the integration bridge alone: no other bridge has flows of load balancers.
const openflow::Group* group_of(const cluster::Node& node, const GroupPick& pick) {
  const openflow::Bridge* bridge = node.integration_bridge();
  return bridge == nullptr || bridge->name != pick.bridge ? nullptr : bridge->groups.find(pick.group);
}

}  // namespace

void compare_groups(const WalkedPath& walked, const Words& words, PathReport& path) {
  const TableMatch* match = nullptr;  // the last one before the group
  for (const engine::Step& step : walked.record.steps) {
    if (const auto* m = std::get_if<TableMatch>(&step.kind)) match = m;
    const auto* pick = std::get_if<GroupPick>(&step.kind);
    const cluster::Node* node = pick != nullptr && match != nullptr ? words.cluster().node(step.node) : nullptr;
    const openflow::Group* group = node != nullptr ? group_of(*node, *pick) : nullptr;
    if (group == nullptr) continue;
    if (goes_on_behind(*group, *match) &&
        has_backends_of_a_logical_flow(*group, words.logical_flows(*node, match->cookie, match->metadata)))
      continue;
    assume({engine::Supposition::groups_of_flows, {pick->bridge, step.node}, {std::uint64_t{pick->group}}, {group->from}}, words,
           path);
  }
}

}  // namespace egt::explain
