#include "links.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"

namespace egt::explain {
namespace {

using cluster::Node;
using ovn::LogicalFlow;
using ovn::Row;

std::string id_of(const Row& row, const std::string& key) {
  const auto it = row.external_ids.find(key);
  return it == row.external_ids.end() ? std::string() : it->second;
}

std::optional<std::uint32_t> prefix_of(std::string_view uuid) {
  const auto n = uuid.size() < 8 ? std::nullopt : parse_hex(uuid.substr(0, 8));
  if (!n) return std::nullopt;
  return static_cast<std::uint32_t>(*n);
}

// ---- rows by what flows say, where no hint shows

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

bool same_owner(const Row& row, const LogicalFlow& flow) {
  const std::string router = text_of(row, "router");
  return router.empty() || flow.datapath.empty() || router == flow.datapath;
}

bool made_of_policy(const Row& row, const LogicalFlow& flow) {
  return text_of(row, "priority") == std::to_string(flow.priority) && text_of(row, "match") == flow.match &&
         same_owner(row, flow);
}

bool made_of_nat(const Row& row, const LogicalFlow& flow) {
  const std::string outside = text_of(row, "external_ip"), inside = text_of(row, "logical_ip");
  const bool source = flow.stage == "lr_out_snat";
  return source ? has_word(flow.match, inside) && has_word(flow.actions, outside) && same_owner(row, flow)
                : has_word(flow.match, outside) && has_word(flow.actions, inside) && same_owner(row, flow);
}

// northd adds 1000 to the priority of an ACL, and may put its own tests around the match (OVN_ACL_PRI_OFFSET).
bool made_of_acl(const Row& row, const LogicalFlow& flow) {
  const auto priority = parse_decimal(text_of(row, "priority"));
  const std::string match = text_of(row, "match");
  const bool inwards = text_of(row, "direction") == "to-lport";
  return priority && *priority + 1000 == flow.priority && !match.empty() && inwards == !flow.ingress &&
         flow.match.find(match) != std::string_view::npos;
}

// "10.96.0.1:443" is shown as "ip4.dst == 10.96.0.1 && tcp.dst == 443", the address of IPv6 in brackets.
bool made_of_load_balancer(const Row& row, const LogicalFlow& flow) {
  const auto it = row.columns.find("vips");
  if (it == row.columns.end() || flow.actions.find("ct_lb") == std::string_view::npos) return false;
  for (std::string_view rest = it->second; !rest.empty();) {
    const std::size_t open = rest.find('"');
    if (open == std::string_view::npos) return false;
    rest.remove_prefix(open + 1);
    std::string_view vip = take_until(rest, '"');
    const std::size_t colon = vip.rfind(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view port = vip.substr(colon + 1);
    std::string_view address = vip.substr(0, colon);
    if (consume(address, "[") && !address.empty()) address.remove_suffix(1);
    if (has_word(flow.match, address) && has_word(flow.match, port)) return true;
    if (has_word(flow.actions, address) && has_word(flow.match, address)) return true;
  }
  return false;
}

bool has_option(const Row& router, std::string_view option) {
  const auto it = router.columns.find("options");
  return router.table == "Logical_Router" && it != router.columns.end() && has_word(it->second, option);
}

template <class Names>
bool is_among(const std::string& name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

using Test = bool (*)(const Row&, const LogicalFlow&);
struct Kind {
  std::string_view table;
  Test made_of;
};
std::optional<Kind> kind_of(std::string_view stage) {
  if (stage == "lr_in_policy") return Kind{"Logical_Router_Policy", made_of_policy};
  if (stage == "lr_out_snat" || stage == "lr_in_unsnat") return Kind{"NAT", made_of_nat};
  if (stage == "ls_in_lb" || stage == "lr_in_dnat") return Kind{"Load_Balancer", made_of_load_balancer};
  if (stage.find("_acl") != std::string_view::npos) return Kind{"ACL", made_of_acl};
  return std::nullopt;
}

// ---- Kubernetes objects

ObjectRef rule_of(const Row& row, ObjectRef object) {
  object.direction = id_of(row, "direction");
  object.rule = id_of(row, "gress-index");
  if (object.rule.empty()) object.rule = id_of(row, "rule-index");
  object.type = id_of(row, "type");
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

ObjectRef object_of_nat(const Row& row, const cluster::Objects& objects) {
  const auto outside = IpAddr::parse(text_of(row, "external_ip"));
  const std::string name = id_of(row, "name");
  ObjectRef object{.name = name};
  for (const cluster::EgressIp& e : objects.egress_ips)
    if (e.name == name || (outside && std::find(e.addresses.begin(), e.addresses.end(), *outside) != e.addresses.end()))
      object.kind = "EgressIP", object.name = e.name;
  const auto inside = Prefix::parse(text_of(row, "logical_ip"));
  if (!inside || inside->length != (inside->address.is_v4() ? 32 : 128)) return object;
  const auto has_it = [&](const Prefix& own) { return own.address == inside->address; };
  for (const cluster::Pod& p : objects.pods)
    if (!p.host_network && std::any_of(p.addresses.begin(), p.addresses.end(), has_it)) {
      object.pod = p.full_name();
      break;
    }
  return object;
}

ObjectRef object_of_port(const Row& row) {
  const std::string space = id_of(row, "namespace");
  std::string name = text_of(row, row.table == "Port_Binding" ? "logical_port" : "name");
  if (space.empty() || id_of(row, "pod") != "true" || !name.starts_with(space + "_")) return {};
  return {.pod = space + "/" + name.substr(space.size() + 1)};
}

}  // namespace

bool is_deciding(const Row& row) {
  constexpr std::string_view kTables[] = {
      "ACL", "NAT",         "Logical_Router_Policy", "Load_Balancer", "Logical_Router_Static_Route",
      "QoS", "MAC_Binding", "Static_MAC_Binding"};
  return std::find(std::begin(kTables), std::end(kTables), row.table) != std::end(kTables);
}

std::string row_name(const Row& row) {
  const auto text = [&](const char* column) { return text_of(row, column); };
  if (row.table == "NAT") return fmt::format("{} {} to {}", text("type"), text("logical_ip"), text("external_ip"));
  if (row.table == "Logical_Router_Policy") return fmt::format("{} {}", text("priority"), text("match"));
  if (row.table == "ACL") return fmt::format("{} {} {} {}", text("action"), text("direction"), text("priority"), text("match"));
  if (row.table == "QoS") return fmt::format("{} {}", text("priority"), text("match"));
  if (row.table == "Logical_Router_Static_Route") return fmt::format("{} via {}", text("ip_prefix"), text("nexthop"));
  if (row.table == "MAC_Binding" || row.table == "Static_MAC_Binding")
    return fmt::format("{} is {} on {}", text("ip"), text("mac"), text("logical_port"));
  for (const char* column : {"name", "logical_port", "hostname", "ip"})
    if (std::string name = text(column); !name.empty()) return name;
  return row.uuid;
}

std::string_view forcing_option(const LogicalFlow& flow) {
  if (flow.stage != "lr_out_snat") return {};
  if (has_word(flow.match, "flags.force_snat_for_lb")) return "lb_force_snat_ip";
  if (has_word(flow.match, "flags.force_snat_for_dnat")) return "dnat_force_snat_ip";
  return {};
}

const Links::Index& Links::of(const Node& node) const {
  return per_node_.of(node, [&] {
    Index index;
    for (const Row& row : node.ovn.rows)
      if (const auto prefix = prefix_of(row.uuid))
        (row.database == "NB" ? index.northbound : index.southbound)[*prefix].push_back(&row);
    return index;
  });
}

std::vector<const Row*> Links::southbound_rows(const Node& node, std::uint64_t cookie) const {
  if (cookie == 0 || cookie > 0xffffffff) return {};
  const ByPrefix& index = of(node).southbound;
  const auto found = index.find(static_cast<std::uint32_t>(cookie));
  return found == index.end() ? std::vector<const Row*>{} : found->second;
}

std::vector<const Row*> Links::northbound_rows(const Node& node, const LogicalFlow& flow) const {
  const ByPrefix& index = of(node).northbound;
  const ovn::FlowOrigin* origin = ovn::origin_of(node.ovn, flow);
  if (const auto prefix = prefix_of(origin ? origin->stage_hint : std::string_view{})) {
    const auto found = index.find(*prefix);
    return found == index.end() ? std::vector<const Row*>{} : found->second;
  }
  std::vector<const Row*> rows;
  if (const std::string_view option = forcing_option(flow); !option.empty()) {
    const auto routers = ovn::datapaths_of(node.ovn, flow);
    for (const Row& row : node.ovn.rows)
      if (row.database == "NB" && has_option(row, option) && is_among(text_of(row, "name"), routers)) rows.push_back(&row);
    return rows;
  }
  // The database showed all hints: what has none stems from no row.
  if (origin != nullptr) return rows;
  const auto kind = kind_of(flow.stage);
  if (!kind) return rows;
  for (const Row& row : node.ovn.rows)
    if (row.database == "NB" && row.table == kind->table && kind->made_of(row, flow)) rows.push_back(&row);
  return rows;
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
  if (row.table == "NAT") return object_of_nat(row, cluster_.objects);
  if (row.table == "Port_Binding" || row.table == "Logical_Switch_Port") return object_of_port(row);
  return {};
}

}  // namespace egt::explain
