// What nodes have because of an object: rows of OVN, flows, devices, policy rules, routes and rules of netfilter.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"
#include "in_pieces.h"
#include "lookup/address_words.h"
#include "lookup/finder.h"
#include "lookup/texts.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

using ovn::Row;

// Of the pod that was asked for, with its namespace or without.
bool is_pod(const std::string& pod, const std::string& asked) {
  return !pod.empty() && (pod == asked || (asked.find('/') == std::string::npos && pod.ends_with("/" + asked)));
}

// "EgressIP billing-out for pod shop/cart-1" is about both.
bool is_about(const ObjectRef& object, const AskedObject& s) {
  using Part = ObjectRef::Part;
  if (s.kind == ObjectKind::egress_firewall)
    return object.kind == "EgressFirewall" && object.name == s.name.substr(0, s.name.find('/'));
  if ((!s.kind || s.kind == ObjectKind::pod) && is_pod(object.pod, s.name)) return true;
  if (s.kind == ObjectKind::pod || object.kind.empty() || (s.kind && object.kind != kind_name(*s.kind))) return false;
  return (object.part == Part::whole || object.part == Part::own_node) && object.name == s.name;
}

bool may_be_about(const Row& row, const AskedObject& s) {
  const std::string_view name = std::string_view(s.name).substr(s.name.find('/') + 1);
  if (const auto port = as<rows::sb::PortBinding>(row)) return port->logical_port().ends_with(name);
  if (const auto port = as<rows::nb::LogicalSwitchPort>(row)) return port->name().ends_with(name);
  const std::map<std::string, std::string> ids = external_ids_of(row);
  return std::any_of(ids.begin(), ids.end(), [&](const auto& id) {
    return id.second.find(name) != std::string::npos ||
           (s.kind == ObjectKind::egress_firewall && s.name.starts_with(id.second + "/"));
  });
}

// The address behind "ip4.src == ".
std::optional<IpAddr> only_source(std::string_view match) {
  for (const std::string_view field : {"ip4.src == ", "ip6.src == "})
    if (const std::size_t at = match.find(field); at != std::string_view::npos) {
      std::string_view rest = match.substr(at + field.size());
      return IpAddr::parse(take_until(rest, ' '));
    }
  return std::nullopt;
}

// Policies and translations of its senders, and of its addresses, whatever name the rows bear.
bool concerns(const Row& row, const AskedObject& s) {
  if (const auto policy = as<rows::nb::LogicalRouterPolicy>(row); policy && policy->action() == "reroute") {
    const auto source = only_source(policy->match());
    return source && s.senders.contains(*source);
  }
  const auto nat = as<rows::nb::Nat>(row);
  if (!nat) return false;
  const auto outside = IpAddr::parse(nat->external_ip()), inside = IpAddr::parse(nat->logical_ip());
  if (s.kind == ObjectKind::egress_ip) return outside && s.addresses.contains(*outside);
  return inside && s.senders.contains(*inside);
}

template <class LoadBalancer>
bool has_vip_with_port(const Row& row, std::uint16_t port) {
  const auto balancer = as<LoadBalancer>(row);
  if (!balancer) return false;
  const auto vips = balancer->vips();
  const std::string end = fmt::format(":{}", port);
  return std::any_of(vips.begin(), vips.end(), [&](const auto& vip) { return vip.first.ends_with(end); });
}

constexpr std::array<std::string_view, 6> kHostKinds = {"ip rule",        "ip route",    "iptables-save",
                                                        "ip6tables-save", "iptables -S", "nft list ruleset"};

bool is_of_netfilter(std::string_view kind) {
  return kind.starts_with("ip6tables") || kind.starts_with("iptables") || kind.starts_with("nft");
}

bool is_nft_block(std::string_view line) {
  return (line.starts_with("chain ") || line.starts_with("set ") || line.starts_with("map ")) &&
         line.find(" {") != std::string_view::npos;
}

// The word behind `before`.
std::string_view word_behind(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + before.size());
  return trim(take_until(rest, ' '));
}

// "--dport 31999" of iptables, "dport 31999" of nft.
bool names_port(std::string_view line, const std::set<std::uint16_t>& ports) {
  for (std::size_t at = line.find("dport"); at != std::string_view::npos; at = line.find("dport", at + 1))
    for (const std::string_view word : words(line.substr(at)))
      if (const auto number = parse_decimal(word)) {
        if (*number <= 65535 && ports.contains(static_cast<std::uint16_t>(*number))) return true;
        break;
      }
  return false;
}

bool is_of(const LineWords& wanted, std::string_view line) {
  return (!wanted.addresses.empty() && any_address(line, [&](const IpAddr& a) { return wanted.addresses.contains(a); })) ||
         (!wanted.ports.empty() && names_port(line, wanted.ports)) ||
         std::any_of(wanted.names.begin(), wanted.names.end(), [&](const std::string& name) { return mentions(line, name); });
}

// The table that a policy rule leads to, where that is one of its own.
std::string own_table(std::string_view rule) {
  const std::string_view table = word_behind(rule, " lookup ");
  return table == "main" || table == "local" || table == "default" ? std::string() : std::string(table);
}

std::vector<openflow::FlowIndex> flows_with_mark(const openflow::FlowTables& flows, std::uint32_t mark) {
  const std::vector<bool> of_mark = shapes_that_look_at(flows, FieldId::pkt_mark);
  std::vector<openflow::FlowIndex> found;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    if (!of_mark[flows.shape_of(i)]) continue;
    const openflow::MatchView match = flows.match(flows.flow(i));
    if (openflow::mask_of(match, FieldId::pkt_mark) != U128{} && openflow::value_of(match, FieldId::pkt_mark) == U128{mark})
      found.push_back(i);
  }
  return found;
}

}  // namespace

bool Finder::is_made_for_subject(const Row& row) const {
  if (asked_port_ && (has_vip_with_port<rows::nb::LoadBalancer>(row, *asked_port_) ||
                      has_vip_with_port<rows::sb::LoadBalancer>(row, *asked_port_)))
    return true;
  return std::any_of(subjects_.begin(), subjects_.end(), [&](const AskedObject& s) {
    const bool concerned = concerns(row, s);
    if (!concerned && !may_be_about(row, s)) return false;
    const ObjectRef object = links_.object_of(row);
    return is_about(object, s) || (concerned && (object.empty() || s.kind == ObjectKind::pod));  // else it is another object's
  });
}

void Finder::of_subjects(const cluster::Node& node) {
  for (const AskedObject& s : subjects_) {
    for (const host::Link& link : node.host.links.value)
      for (const host::Address& a : link.addresses)
        if (s.addresses.contains(a.prefix.address))
          add("device", link.name, &node, {{"has", a.prefix.to_string()}, {"state", link.state}, {"master", link.master}},
              {a.from});
    if (s.mark)
      for (const openflow::Bridge& b : node.bridges)
        if (b.flows) list_flows(node, b, phrase(Found::flows_matching_mark), flows_with_mark(*b.flows, *s.mark));
  }
}

void Finder::prepare_lines() {
  for (const AskedObject& s : subjects_) {
    wanted_.addresses.insert(s.addresses.begin(), s.addresses.end());
    wanted_.addresses.insert(s.senders.begin(), s.senders.end());
    wanted_.ports.insert(s.ports.begin(), s.ports.end());
    if (s.kind == ObjectKind::service || s.kind == ObjectKind::egress_service) wanted_.names.insert(s.name);
  }
}

void Finder::tables_of_subjects(const cluster::DumpInfo& dump) {
  if (dump.kind != "ip rule" || !dump.superseded_by.empty()) return;
  for (std::string_view rest = cluster_.sources->at(dump.source).text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (!is_of(wanted_, line)) continue;
    if (std::string table = own_table(line); !table.empty()) own_tables_.insert({dump.node, std::move(table)});
  }
}

void Finder::lines_of_subjects(const cluster::DumpInfo& dump) {
  const bool is_host = std::find(kHostKinds.begin(), kHostKinds.end(), dump.kind) != kHostKinds.end();
  if (!is_host || !dump.superseded_by.empty()) return;
  const std::set<std::uint16_t> asked = asked_port_ ? std::set<std::uint16_t>{*asked_port_} : std::set<std::uint16_t>{};
  const bool is_nft = dump.kind.starts_with("nft"), has_chains = is_of_netfilter(dump.kind), is_routes = dump.kind == "ip route";
  const Source& source = cluster_.sources->at(dump.source);
  std::uint32_t number = source.first_line, found = 0;
  std::string chain;
  LookupMatch* match = nullptr;
  for (std::string_view rest = source.text; !rest.empty(); ++number) {
    const std::string_view line = trim(next_line(rest));
    if (is_nft && is_nft_block(line)) chain = std::string(line.substr(0, line.find(" {")));
    const auto by_table = [&] {
      return is_routes && own_tables_.contains({dump.node, std::string(word_behind(line, " table "))});
    };
    if (!is_of(wanted_, line) && !(has_chains && names_port(line, asked)) && !by_table()) continue;
    if (found++ == 0) match = add(phrase(Found::lines, {lines_of(dump.kind)}), dump.path, cluster_.node(dump.node), {}, {});
    match->has_lines = true;
    use(*match, fmt::format("{}{}{}", chain, chain.empty() ? "" : ": ", line), {dump.source, number});
  }
  if (match != nullptr) match->facts.emplace_back("lines", std::to_string(found));
}

}  // namespace egt::explain
