// Rows of databases and OpenFlow flows that match, and what uses them.
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/ovn/southbound.h"
#include "lookup/finder.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

using cluster::Node;
using ovn::Row;

bool refers_to(const Row& row, std::string_view word) {
  return std::any_of(row.columns.begin(), row.columns.end(), [&](const auto& c) { return mentions(c.second, word); });
}

std::string kind_words(const Row& row) { return fmt::format("{} {}", row.table, row.uuid.empty() ? row_name(row) : row.uuid); }

// Where an address stands in a match, and where its port does; ARP and neighbour discovery know no ports.
struct AddressField {
  FieldId address;
  std::optional<FieldId> port;
};

std::vector<AddressField> address_fields(const IpAddr& a) {
  if (a.is_v4())
    return {
        {FieldId::ip_src, FieldId::tp_src}, {FieldId::ip_dst, FieldId::tp_dst}, {FieldId::arp_spa, {}}, {FieldId::arp_tpa, {}}};
  return {{FieldId::ipv6_src, FieldId::tp_src}, {FieldId::ipv6_dst, FieldId::tp_dst}, {FieldId::nd_target, {}}};
}

U128 all_ones(const IpAddr& a) { return a.is_v4() ? U128{0xffffffff} : ~U128{0}; }

bool asks_for(const openflow::MatchView& match, FieldId field, U128 mask, U128 value) {
  return openflow::mask_of(match, field) == mask && openflow::value_of(match, field) == value;
}

// As ct() and set_field have it, and as load: has it.
std::vector<std::string> forms_in_actions(const IpAddr& a) {
  if (a.is_v4()) return {a.to_string(), fmt::format("{:#x}", static_cast<std::uint32_t>(a.value))};
  return {a.to_string(),
          fmt::format("{:#x}{:016x}", static_cast<std::uint64_t>(a.value >> 64), static_cast<std::uint64_t>(a.value))};
}

// Whole, in "load:0xa000001->…", "set_field:10.0.0.1->…", "nat(dst=10.0.0.1:80)".
bool has_value(std::string_view actions, std::string_view value) {
  const auto goes_on = [](char c) { return is_hex_digit(c) || c == '.' || c == 'x'; };
  for (std::size_t at = actions.find(value); at != std::string_view::npos; at = actions.find(value, at + 1)) {
    const std::size_t end = at + value.size();
    if ((at == 0 || !goes_on(actions[at - 1])) && (end == actions.size() || !goes_on(actions[end]))) return true;
  }
  return false;
}

}  // namespace

bool Finder::is_row(const Row& row) const {
  if (!thing_.uuid.empty() && row.uuid.starts_with(thing_.uuid)) return true;
  if (!thing_.field.empty())
    return (thing_.field == "tunnel_key" && text_of(row, "tunnel_key") == thing_.text) ||
           (thing_.field == "tag" && text_of(row, "tag") == thing_.text);
  for (const char* column : {"name", "logical_port", "hostname"})
    if (const std::string name = text_of(row, column); !name.empty() && is_called(name)) return true;
  if (thing_.address) return refers_to(row, thing_.address_text());
  if (thing_.mac) return refers_to(row, thing_.mac->to_string());
  return !thing_.kind &&
         std::any_of(row.external_ids.begin(), row.external_ids.end(), [&](const auto& id) { return id.second == thing_.text; });
}

void Finder::rows(const Node& node) {
  for (const auto* all : {&node.ovn.rows, &node.ovs_rows})
    for (const Row& r : *all)
      if (is_row(r) || is_made_for_subject(r)) row(node, r);
}

void Finder::row(const Node& node, const Row& row) {
  Facts facts = {{"database", row.database}, {"uuid", row.uuid}, {"object", to_text(links_.object_of(row))}};
  for (const auto& [name, value] : row.columns)
    if (value != "[]" && value != "{}" && value != "\"\"") facts.emplace_back(name, value);
  uses_of_row(node, row, *add(row.table, row_name(row), &node, std::move(facts), {row.from}));
}

void Finder::uses_of_row(const Node& node, const Row& row, LookupMatch& match) {
  const std::string set = set_reference(row);
  const References& references = references_.of(node, [&] { return References(node); });
  for (const Row* other : references.rows(row, set))
    use(match, fmt::format("{}: {}", kind_words(*other), row_name(*other)), other->from);
  for (const ovn::LogicalFlow* f : references.logical_flows(row, set))
    use(match, fmt::format("logical flow {} ({}, priority {})", f->uuid, f->stage, f->priority), f->from);
  const auto digits = row.uuid.size() < 8 ? std::nullopt : parse_hex(row.uuid.substr(0, 8));
  if (row.database == "SB" && digits) uses_of_cookie(node, static_cast<std::uint32_t>(*digits), match);
}

void Finder::uses_of_cookie(const Node& node, std::uint32_t cookie, LookupMatch& match) {
  if (cookie == 0) return;
  const auto comes_before = [](const FlowPlace& a, const FlowPlace& b) { return a.cookie < b.cookie; };
  const auto [at, fresh] = by_cookie_.try_emplace(&node);
  std::vector<FlowPlace>& places = at->second;
  if (fresh) {
    for (const openflow::Bridge& b : node.bridges)
      for (openflow::FlowIndex i = 0; b.flows && i < b.flows->size(); ++i)
        if (const std::uint64_t c = b.flows->cookie_of(i); c != 0) places.push_back({c, &b, i});
    std::stable_sort(places.begin(), places.end(), comes_before);
  }
  const auto [begin, end] = std::equal_range(places.begin(), places.end(), FlowPlace{cookie, nullptr, 0}, comes_before);
  for (auto place = begin; place != end; ++place) {
    const openflow::FlowEntry& flow = place->bridge->flows->flow(place->flow);
    use(match, phrase(FoundFact::flow, {place->bridge->name, flow.table, flow.priority}), flow.from);
  }
}

// ---- bridges

void Finder::switches(const Node& node) {
  for (const openflow::Bridge& b : node.bridges) {
    if (is_called(b.name))
      add("bridge", b.name, &node,
          {{"ports", std::to_string(b.interfaces.size())},
           {"flows", b.flows ? std::to_string(b.flows->size()) : ""},
           {"fail mode", b.fail_mode}},
          {b.from});
    for (const openflow::Interface& i : b.interfaces) {
      const auto iface = i.external_ids.find("iface-id");
      const std::string id = iface == i.external_ids.end() ? "" : iface->second;
      if (!is_called(i.name) && !(!id.empty() && is_called(id)) && !(thing_.mac && i.mac == thing_.mac) &&
          !is_number("ofport", i.ofport) && !is_number("in_port", i.ofport) && !is_number("output", i.ofport))
        continue;
      add("interface", i.name, &node,
          {{"bridge", b.name},
           {"ofport", i.ofport ? std::to_string(*i.ofport) : ""},
           {"type", i.type},
           {"iface-id", id},
           {"mac", i.mac ? i.mac->to_string() : ""},
           {"VLAN", i.tag ? std::to_string(*i.tag) : ""}},
          {i.from});
    }
    for (const openflow::FdbEntry& entry : b.fdb)
      if (thing_.mac == entry.mac)
        add(phrase(Found::mac_entry), entry.mac.to_string(), &node,
            {{"bridge", b.name}, {"port", std::to_string(entry.port)}, {"VLAN", std::to_string(entry.vlan)}}, {entry.from});
    groups(node, b);
    if (!b.flows) continue;
    flows_with_cookie(node, b);
    flows_with_address(node, b);
  }
}

// Flows by their cookie where no row and no logical flow has it, and conjunctive flows that have none.
void Finder::flows_with_cookie(const Node& node, const openflow::Bridge& bridge) {
  if (!thing_.number || *thing_.number == 0 || !thing_.may_be("cookie")) return;
  const bool explained = std::any_of(matches.begin(), matches.end(), [&](const LookupMatch& m) {
    return m.node == node.name && !m.used_by.empty() && m.kind == "logical flow";
  });
  LookupMatch* match = nullptr;
  for (openflow::FlowIndex i = 0; !explained && i < bridge.flows->size(); ++i) {
    if (bridge.flows->cookie_of(i) != *thing_.number) continue;
    const openflow::FlowEntry& flow = bridge.flows->flow(i);
    if (!match) match = add("cookie", fmt::format("{:#x}", flow.cookie), &node, {{"bridge", bridge.name}}, {});
    use(*match, phrase(FoundFact::flow, {bridge.name, flow.table, flow.priority}), flow.from);
  }
}

void Finder::flows_with_address(const Node& node, const openflow::Bridge& bridge) {
  if (!thing_.address) return;
  const std::vector<AddressField> fields = address_fields(*thing_.address);
  const U128 ones = all_ones(*thing_.address), value = thing_.address->value;
  std::vector<openflow::MatchWord> words;
  const auto any_field = [&](openflow::FlowIndex i, const auto& is_asked_for) {
    const auto looks_at = [&](const AddressField& f) { return bridge.flows->looks_at(i, f.address); };
    if (std::none_of(fields.begin(), fields.end(), looks_at)) return false;
    bridge.flows->read_match(i, words);
    const openflow::MatchView view = words;
    return std::any_of(fields.begin(), fields.end(), [&](const AddressField& f) {
      return is_asked_for(view, f) && (!thing_.port || (f.port && asks_for(view, *f.port, 0xffff, *thing_.port)));
    });
  };
  flows_that(node, bridge, phrase(Found::flows_matching), [&](openflow::FlowIndex i) {
    return any_field(
        i, [&](const openflow::MatchView& view, const AddressField& f) { return asks_for(view, f.address, ones, value); });
  });
  if (thing_.port) return;  // what follows is about all ports of the address
  flows_that(node, bridge, phrase(Found::flows_matching_prefix), [&](openflow::FlowIndex i) {
    return any_field(i, [&](const openflow::MatchView& view, const AddressField& f) {
      const U128 mask = openflow::mask_of(view, f.address);
      return mask != U128{} && mask != ones && asks_for(view, f.address, mask, value & mask);
    });
  });
  const std::vector<std::string> in_actions = forms_in_actions(*thing_.address);
  std::string buffer;
  flows_that(node, bridge, phrase(Found::flows_naming), [&](openflow::FlowIndex i) {
    const auto in = [&](std::string_view text) {
      return std::any_of(in_actions.begin(), in_actions.end(), [&](const std::string& form) { return has_value(text, form); });
    };
    return in(bridge.flows->line_of(i, buffer)) && in(bridge.flows->actions_text(bridge.flows->flow(i)));
  });
}

std::set<std::uint64_t> Finder::cookies_behind(const openflow::Bridge& bridge, openflow::FlowIndex member) {
  std::set<std::uint64_t> cookies;
  if (!bridge.flows->is_conjunctive(member)) return cookies;
  const auto [known, fresh] = conjunctions_.try_emplace(&bridge);
  for (openflow::FlowIndex i = 0; fresh && i < bridge.flows->size(); ++i)
    if (bridge.flows->looks_at(i, FieldId::conj_id)) {
      const openflow::FlowEntry& flow = bridge.flows->flow(i);
      const auto id = static_cast<std::uint32_t>(openflow::value_of(bridge.flows->match(flow), FieldId::conj_id));
      if (flow.cookie != 0) known->second.emplace(std::pair(flow.table, id), flow.cookie);
    }
  std::vector<openflow::Conjunction> memberships;
  bridge.flows->memberships_of(member, memberships);
  for (const openflow::Conjunction& of : memberships)
    for (auto [one, end] = known->second.equal_range({bridge.flows->table_of(member), of.id}); one != end; ++one)
      cookies.insert(one->second);
  return cookies;
}

std::string Finder::flow_words(const Node& node, const openflow::Bridge& bridge, openflow::FlowIndex i) {
  const openflow::FlowEntry& flow = bridge.flows->flow(i);
  std::string what = phrase(FoundFact::flow_of_table, {flow.table, flow.priority});
  if (flow.cookie == 0)
    for (const std::uint64_t cookie : cookies_behind(bridge, i))
      for (const ovn::LogicalFlow* behind : names_.logical_flows(node, cookie))
        what += phrase(FoundFact::of_conjunction, {behind->uuid, behind->stage});
  for (const ovn::LogicalFlow* behind : names_.logical_flows(node, flow.cookie))
    what += phrase(FoundFact::of_logical_flow, {behind->uuid, behind->stage});
  return what;
}

void Finder::flows_that(const Node& node, const openflow::Bridge& bridge, const std::string& kind,
                        const std::function<bool(openflow::FlowIndex)>& concern_it) {
  LookupMatch* match = nullptr;
  std::size_t count = 0;
  for (openflow::FlowIndex i = 0; i < bridge.flows->size(); ++i) {
    if (!concern_it(i)) continue;
    ++count;
    if (!match) match = add(kind, bridge.name, &node, {}, {});
    use(*match, flow_words(node, bridge, i), bridge.flows->flow(i).from);
  }
  if (match) match->facts.emplace_back("flows", std::to_string(count));
}

}  // namespace egt::explain
