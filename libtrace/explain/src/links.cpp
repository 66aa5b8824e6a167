#include "links.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "egtrace/ovn/southbound.h"

namespace egt::explain {
namespace {

using cluster::Node;
using ovn::LogicalFlow;
using ovn::Row;
namespace nb = rows::nb;
namespace sb = rows::sb;

std::string id_of(const Row& row, std::string_view key) { return ovn::RowView(row).external_id(key); }

// ---- rows by what flows match, where no hint shows

bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == ':' || c == '_';
}

bool has_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_char(text[at - 1])) && (end >= text.size() || !is_word_char(text[end]))) return true;
  }
  return false;
}

bool same_owner(const std::string& router, const LogicalFlow& flow) {
  return router.empty() || flow.datapath.empty() || router == flow.datapath;
}

bool made_of_policy(const nb::LogicalRouterPolicy& policy, const LogicalFlow& flow) {
  return policy.priority() == flow.priority && policy.match() == flow.match && same_owner(policy.router(), flow);
}

bool made_of_nat(const nb::Nat& nat, const LogicalFlow& flow) {
  const std::string outside = nat.external_ip(), inside = nat.logical_ip();
  const bool source = flow.stage == "lr_out_snat";
  return source ? has_word(flow.match, inside) && has_word(flow.actions, outside) && same_owner(nat.router(), flow)
                : has_word(flow.match, outside) && has_word(flow.actions, inside) && same_owner(nat.router(), flow);
}

// northd adds 1000 to the priority of an ACL, and may put its own tests around the match (OVN_ACL_PRI_OFFSET).
bool made_of_acl(const nb::Acl& acl, const LogicalFlow& flow) {
  const auto priority = acl.priority();
  const std::string match = acl.match();
  const bool inwards = acl.direction() == "to-lport";
  return priority && *priority + 1000 == flow.priority && !match.empty() && inwards == !flow.ingress &&
         flow.match.find(match) != std::string_view::npos;
}

bool made_of_qos(const nb::QoS& qos, const LogicalFlow& flow) {
  return qos.priority() == flow.priority && qos.match() == flow.match && (qos.direction() == "to-lport") == !flow.ingress;
}

// "10.96.0.1:443" is shown as "ip4.dst == 10.96.0.1 && tcp.dst == 443", the address of IPv6 in brackets.
bool made_of_load_balancer(const nb::LoadBalancer& balancer, const LogicalFlow& flow) {
  if (flow.actions.find("ct_lb") == std::string_view::npos) return false;
  for (const auto& [vip, backends] : balancer.vips()) {
    const std::size_t colon = vip.rfind(':');
    if (colon == std::string::npos) continue;
    const std::string_view port = std::string_view(vip).substr(colon + 1);
    std::string_view address = std::string_view(vip).substr(0, colon);
    if (consume(address, "[") && !address.empty()) address.remove_suffix(1);
    if (has_word(flow.match, address) && has_word(flow.match, port)) return true;
    if (has_word(flow.actions, address) && has_word(flow.match, address)) return true;
  }
  return false;
}

template <class Names>
bool is_among(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <class View>
void add_rows_that_made(const Node& node, const LogicalFlow& flow, bool (*made_of)(const View&, const LogicalFlow&),
                        std::vector<const Row*>& rows) {
  for (const View row : rows_of<View>(node.ovn.rows))
    if (made_of(row, flow)) rows.push_back(&row.row());
}

// By their content.
std::vector<const Row*> rows_that_made(const Node& node, const LogicalFlow& flow) {
  std::vector<const Row*> rows;
  const std::string_view stage = flow.stage;
  if (stage == "lr_in_policy") add_rows_that_made(node, flow, made_of_policy, rows);
  if (stage == "lr_out_snat" || stage == "lr_in_unsnat") add_rows_that_made(node, flow, made_of_nat, rows);
  if (stage == "ls_in_lb" || stage == "lr_in_dnat") add_rows_that_made(node, flow, made_of_load_balancer, rows);
  if (stage.find("_qos") != std::string_view::npos) add_rows_that_made(node, flow, made_of_qos, rows);
  if (stage.find("_acl") != std::string_view::npos) add_rows_that_made(node, flow, made_of_acl, rows);
  return rows;
}

// ---- Kubernetes objects

ObjectRef rule_of(const Row& row, ObjectRef object) {
  object.direction = id_of(row, "direction");
  object.rule = id_of(row, "gress-index");
  if (object.rule.empty()) object.rule = id_of(row, "rule-index");
  object.type = id_of(row, "type");
  // The first rule of an EgressQoS has priority 1000, each further one the next lower.
  if (const auto priority = parse_decimal(id_of(row, "priority")); object.kind == "EgressQoS" && priority && *priority <= 1000)
    object.rule = std::to_string(1000 - *priority);
  return object;
}

// "NAME_NAMESPACE/POD" of EgressIP policies.
ObjectRef egress_ip_object(const std::string& name) {
  const std::size_t slash = name.find('/'), line = name.rfind('_', slash);
  if (slash == std::string::npos || line == std::string::npos) return {.kind = "EgressIP", .name = name};
  return {.kind = "EgressIP", .name = name.substr(0, line), .pod = name.substr(line + 1)};
}

std::string namespaced(std::string name) {
  std::replace(name.begin(), name.end(), ':', '/');
  return name;
}

ObjectRef owner_of(const Row& row, const std::string& type) {
  using Part = ObjectRef::Part;
  const std::string name = id_of(row, "k8s.ovn.org/name");
  if (type == "EgressIP") return egress_ip_object(name);
  if (type == "NetpolNamespace" && id_of(row, "type") == "defaultDeny")
    return {.kind = "NetworkPolicy", .name = name, .part = Part::default_deny, .direction = id_of(row, "direction")};
  if (type == "NetpolNamespace") return rule_of(row, {.kind = "NetworkPolicy", .name = name, .part = Part::defaults});
  if (type == "NetpolNode") return {.kind = "Node", .name = name, .part = Part::own_node};
  if (type == "EgressFirewall" || type == "EgressQoS")
    return rule_of(row, {.kind = type, .name = name, .part = Part::of_namespace});
  return rule_of(row, {.kind = type, .name = namespaced(name)});
}

ObjectRef object_of_nat(const nb::Nat& nat, const cluster::Objects& objects) {
  const auto outside = IpAddr::parse(nat.external_ip());
  const std::string name = nat.external_id("name");
  ObjectRef object{.name = name};
  for (const cluster::EgressIp& e : objects.egress_ips)
    if (e.name == name || (outside && std::find(e.addresses.begin(), e.addresses.end(), *outside) != e.addresses.end()))
      object.kind = "EgressIP", object.name = e.name;
  const auto inside = Prefix::parse(nat.logical_ip());
  if (!inside || inside->length != (inside->address.is_v4() ? 32 : 128)) return object;
  const auto has_it = [&](const Prefix& own) { return own.address == inside->address; };
  for (const cluster::Pod& p : objects.pods)
    if (!p.host_network && std::any_of(p.addresses.begin(), p.addresses.end(), has_it)) {
      object.pod = p.full_name();
      break;
    }
  return object;
}

ObjectRef object_of_port(const Row& row, const std::string& name) {
  const std::string space = id_of(row, "namespace");
  if (space.empty() || id_of(row, "pod") != "true" || !name.starts_with(space + "_")) return {};
  return {.pod = space + "/" + name.substr(space.size() + 1)};
}

// Empty where the dump lacks the column.
std::string shown(const std::optional<std::int64_t>& number) { return number ? std::to_string(*number) : std::string(); }

template <class Binding>
std::string name_of_binding(const Binding& binding) {
  return fmt::format("{} is {} on {}", binding.ip(), binding.mac(), binding.logical_port());
}

std::vector<const Row*> rows_with(const Node& node, std::uint64_t prefix, bool northbound) {
  std::vector<const Row*> rows;
  for (const ovn::Rows::Table& table : node.ovn.rows.tables())
    if ((table.database() == "NB") == northbound)
      for (const ovn::PrefixIndex::PrefixedRow& at : table.rows().with(prefix)) rows.push_back(&table.rows()[at.row]);
  return rows;
}

}  // namespace

bool is_deciding(const Row& row) {
  constexpr std::string_view kTables[] = {
      "ACL", "NAT",         "Logical_Router_Policy", "Load_Balancer", "Logical_Router_Static_Route",
      "QoS", "MAC_Binding", "Static_MAC_Binding"};
  return std::find(std::begin(kTables), std::end(kTables), row.table) != std::end(kTables);
}

std::string row_name(const Row& row) {
  if (const auto nat = as<nb::Nat>(row)) return fmt::format("{} {} to {}", nat->type(), nat->logical_ip(), nat->external_ip());
  if (const auto policy = as<nb::LogicalRouterPolicy>(row))
    return fmt::format("{} {}", shown(policy->priority()), policy->match());
  if (const auto acl = as<nb::Acl>(row))
    return fmt::format("{} {} {} {}", acl->action(), acl->direction(), shown(acl->priority()), acl->match());
  if (const auto qos = as<nb::QoS>(row)) return fmt::format("{} {}", shown(qos->priority()), qos->match());
  if (const auto route = as<nb::LogicalRouterStaticRoute>(row))
    return fmt::format("{} via {}", route->ip_prefix(), route->nexthop());
  if (const auto binding = as<sb::MacBinding>(row)) return name_of_binding(*binding);
  if (const auto binding = as<sb::StaticMacBinding>(row)) return name_of_binding(*binding);
  if (const auto binding = as<nb::StaticMacBinding>(row)) return name_of_binding(*binding);
  for (const char* column : {"name", "logical_port", "hostname", "ip"})
    if (std::string name = text_of(row, column); !name.empty()) return name;
  return row.uuid;
}

std::string_view forcing_option(const LogicalFlow& flow) {
  if (flow.stage != "lr_out_snat") return {};
  if (has_word(flow.match, "flags.force_snat_for_lb")) return "lb_force_snat_ip";
  if (has_word(flow.match, "flags.force_snat_for_dnat")) return "dnat_force_snat_ip";
  return {};
}

std::vector<const Row*> Links::southbound_rows(const Node& node, std::uint64_t cookie) const {
  return rows_with(node, cookie, false);
}

std::vector<const Row*> Links::northbound_rows(const Node& node, const LogicalFlow& flow) const {
  if (const std::uint32_t prefix = ovn::uuid_prefix(flow.origin ? flow.origin->stage_hint : std::string_view{}); prefix != 0)
    return rows_with(node, prefix, true);
  std::vector<const Row*> rows;
  if (const std::string_view option = forcing_option(flow); !option.empty()) {
    const auto routers = ovn::datapaths_of(node.ovn, flow);
    for (const nb::LogicalRouter router : rows_of<nb::LogicalRouter>(node.ovn.rows))
      if (router.options().contains(std::string(option)) && is_among(router.name(), routers)) rows.push_back(&router.row());
    return rows;
  }
  // The database showed all hints: what has none stems from no row.
  return flow.origin ? rows : rows_that_made(node, flow);
}

std::optional<PolicyRef> Links::policy_of(const Row& row) const {
  using Kind = PolicyRef::Kind;
  const std::string type = id_of(row, "k8s.ovn.org/owner-type"), owner = id_of(row, "k8s.ovn.org/name");
  const auto index = parse_decimal(id_of(row, type == "EgressFirewall" ? "rule-index" : "gress-index"));
  const std::optional<std::size_t> rule = index ? std::optional(static_cast<std::size_t>(*index)) : std::nullopt;
  if (type == "NetpolNamespace") return PolicyRef{Kind::network_policy, owner, "", std::nullopt};
  if (type == "EgressFirewall") return PolicyRef{Kind::egress_firewall, owner, "default", rule};
  if (type == "AdminNetworkPolicy") return PolicyRef{Kind::admin_network_policy, "", owner, rule};
  if (type == "BaselineAdminNetworkPolicy") return PolicyRef{Kind::baseline_admin_network_policy, "", owner, rule};
  if (type != "NetworkPolicy") return std::nullopt;
  const std::size_t colon = std::min(owner.find(':'), owner.size());
  return PolicyRef{Kind::network_policy, owner.substr(0, colon), owner.substr(std::min(colon + 1, owner.size())), rule};
}

ObjectRef Links::object_of(const Row& row) const {
  if (const std::string kind = id_of(row, "k8s.ovn.org/kind"); !kind.empty())
    return {.kind = kind, .name = id_of(row, "k8s.ovn.org/owner")};
  if (const std::string type = id_of(row, "k8s.ovn.org/owner-type"); !type.empty()) return owner_of(row, type);
  if (const std::string service = id_of(row, "EgressSVC"); !service.empty()) return {.kind = "EgressService", .name = service};
  if (const std::string peer = id_of(row, "ic-node"); !peer.empty()) return {.kind = "Node", .name = peer};
  if (const auto nat = as<nb::Nat>(row)) return object_of_nat(*nat, cluster_.objects);
  if (const auto port = as<sb::PortBinding>(row)) return object_of_port(row, port->logical_port());
  if (const auto port = as<nb::LogicalSwitchPort>(row)) return object_of_port(row, port->name());
  return {};
}

}  // namespace egt::explain
