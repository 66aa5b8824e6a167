#include "presumed/generation.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/ovn_kubernetes/names.h"

namespace egt::parsers::presumed {
namespace {

bool has_chain(const netfilter::Table& table, std::string_view name) {
  return std::any_of(table.chains.begin(), table.chains.end(), [&](const netfilter::Chain& c) { return c.name == name; });
}

bool has_chain(const netfilter::Ruleset& rules, std::string_view name) {
  return std::any_of(rules.tables.begin(), rules.tables.end(), [&](const netfilter::Table& t) { return has_chain(t, name); });
}

}  // namespace

std::optional<HostRules> rules_of_others(const cluster::Cluster& cluster) {
  bool nft = false, iptables = false;
  for (const auto& node : cluster.nodes) {
    const host::Host& host = node->host;
    nft |= has_chain(host.nft.value, ovnk::kServicesChain);
    iptables |= has_chain(host.iptables_v4.value, ovnk::kNodePortChain) ||
                has_chain(host.iptables_v6.value, ovnk::kNodePortChain) ||
                has_chain(host.nft.value, ovnk::kNodePortChain);  // as nft lists tables of iptables-nft
  }
  if (nft == iptables) return std::nullopt;
  return nft ? HostRules::nft : HostRules::iptables;
}

HostRules rules_by_release(const cluster::Node& node) {
  constexpr std::uint64_t kFirstYear = 26, kFirstMonth = 3;
  const std::string version = node.ovn.southbound != nullptr ? node.ovn.southbound->northd_version : std::string();
  const auto parts = split(version, '.');
  if (parts.size() < 2) return HostRules::iptables;
  const auto year = parse_decimal(parts[0]), month = parse_decimal(parts[1]);
  const bool late = year && month && (*year > kFirstYear || (*year == kFirstYear && *month >= kFirstMonth));
  return late ? HostRules::nft : HostRules::iptables;
}

}  // namespace egt::parsers::presumed
