// A gateway translates what leaves by one device, while its default route leaves by another.
#include <algorithm>
#include <set>

#include "common/look.h"
#include "egtrace/host/rule_view.h"
#include "triage/checks.h"

namespace egt::assess {
namespace gateway_default_past_snat {

// The device that a rule with a source translation asks for, and whether it goes by packet mark: the mark of a tenant.
struct MarkedSnat {
  std::string device;
  bool by_mark = false;
};

MarkedSnat marked_snat(const netfilter::Rule& rule) {
  const netfilter::NatTarget* nat = netfilter::translation(rule);
  if (nat == nullptr || nat->kind != netfilter::NatTarget::Kind::snat) return {};
  MarkedSnat found;
  for (const netfilter::Statement& s : rule.statements) {
    if (std::string device = netfilter::asked_device(s, netfilter::Key::oifname); !device.empty()) found.device = device;
    const auto c = netfilter::comparison(s);
    found.by_mark |= c && c->op == netfilter::Op::eq && c->key == netfilter::Key::mark;
  }
  return found;
}

void run(const Facts& f, Findings& out) {
  for (const cluster::Node* node : outside_nodes(f.cluster)) {
    const host::Route* standard = nullptr;
    for (const host::Route& r : dumped_host(*node).routes_v4.value)
      if (r.table == "main" && r.to.length == 0 && (standard == nullptr || r.metric < standard->metric)) standard = &r;
    if (standard == nullptr || standard->next_hops.empty()) continue;
    std::set<std::string> devices;
    Provenance rule_line;
    for (const netfilter::Table& table : dumped_host(*node).iptables_v4.value.tables)
      for (const netfilter::Chain& chain : table.chains)
        for (const netfilter::Rule& rule : chain.rules)
          if (const MarkedSnat snat = marked_snat(rule); snat.by_mark && !snat.device.empty()) {
            devices.insert(snat.device);
            rule_line = rule.from;
          }
    const std::string& leaves_by = standard->next_hops.front().device;
    if (devices.empty() || devices.contains(leaves_by)) continue;
    out.add(Claim::gateway_default_past_snat, node->name, "", {devices, leaves_by, *devices.begin()},
            {standard->from, rule_line});
  }
}

std::optional<Lack> lacks(const Facts& f) { return lack_if(outside_nodes(f.cluster).empty(), Lack::gateway_rules_and_routes); }

}  // namespace gateway_default_past_snat

const Check kGatewayDefaultPastSnat{"gateway-default-past-snat", Severity::warning, gateway_default_past_snat::lacks,
                                    gateway_default_past_snat::run};

}  // namespace egt::assess
