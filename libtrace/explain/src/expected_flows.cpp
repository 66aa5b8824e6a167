#include "expected_flows.h"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>

#include "egtrace/ovn/southbound.h"

namespace egt::explain {
namespace {

using ovn::LogicalFlow;

bool names_ports(std::string_view match) { return match.find_first_of("\"@") != std::string_view::npos; }

bool has_cookie(const LogicalFlow& f) { return f.uuid_prefix && *f.uuid_prefix != 0; }

using Stage = std::tuple<bool, std::uint8_t, std::uint16_t>;
Stage stage_of(const LogicalFlow& f) { return {f.ingress, f.table, f.priority}; }

}  // namespace

ExpectedFlows::ExpectedFlows(const cluster::Node& node, const ovn::FlowReader& reader, const std::set<std::string_view>& datapaths)
    : node_(node), reader_(reader), datapaths_(datapaths) {
  std::set<std::string_view> routers;
  for (const ovn::Datapath& d : node.ovn.datapaths) {
    if (d.is_router) routers.insert(d.name);
    if (d.tunnel_key) keys_.emplace(d.name.empty() ? d.uuid : d.name, static_cast<std::uint32_t>(*d.tunnel_key));
  }
  const ovn::Chassis* own = ovn::own_chassis(node.ovn, node.name);
  std::set<std::string_view> chassis;
  for (const ovn::Chassis& c : node.ovn.chassis) chassis.insert({c.name, c.hostname});
  for (const ovn::LogicalPort& p : node.ovn.ports) {
    const bool is_bound = own != nullptr && !p.chassis.empty() && (p.chassis == own->name || p.chassis == own->hostname);
    if (p.tunnel_key && (is_bound || p.type == "router" || p.type == "patch" || routers.contains(p.datapath)))
      ports_.emplace(p.name, p.datapath);
    if (own != nullptr && !p.chassis.empty() && chassis.contains(p.chassis)) resident_.emplace(p.name, is_bound);
  }
}

std::optional<ovn::NormalForm> ExpectedFlows::form_of(const LogicalFlow& flow, std::string_view datapath) const {
  const auto key = keys_.find(datapath);
  auto match = reader_.read_match(flow.match, key == keys_.end() ? 0 : key->second);
  if (!match) return std::nullopt;
  auto actions = reader_.read_actions(flow.actions, flow.ingress ? ovn::Pipeline::ingress : ovn::Pipeline::egress, flow.table);
  if (!actions) return std::nullopt;
  const auto is_resident = [&](std::string_view port) {
    const auto known = resident_.find(port);
    return known == resident_.end() ? std::nullopt : std::optional(known->second);
  };
  return ovn::normal_form(ovn::simplify(ovn::combine(true, std::move(*match), std::move(actions->prerequisites)), is_resident));
}

bool ExpectedFlows::is_here(std::string_view port, std::string_view datapath) const {
  const auto place = ports_.find(port);
  return place != ports_.end() && place->second == datapath;
}

std::vector<ovn::FlowMatch> ExpectedFlows::matches_in(const ovn::NormalForm& form, std::string_view datapath) const {
  return ovn::flow_matches(form, [&](std::string_view port) { return is_here(port, datapath); });
}

ExpectedFlows::Number ExpectedFlows::number_in(const ovn::NormalForm& form, std::string_view datapath, bool has_sets) const {
  if (form.size() != 1) {
    const std::size_t all = matches_in(form, datapath).size();
    return {all, all};
  }
  // As many as flow_matches() has, which has to look for duplicates.
  std::size_t product = 1, sum = 1, several = 0;
  for (const ovn::Clause& clause : form.front()) {
    const auto size = clause.front().symbol->is_string()
                          ? static_cast<std::size_t>(std::count_if(clause.begin(), clause.end(), [&](const ovn::Comparison& c) { return is_here(c.text, datapath); }))
                          : clause.size();
    product *= size;
    if (clause.size() < 2) continue;
    sum += size;
    ++several;
  }
  if (product == 0) return {};
  if (several < 2) return {product, product};
  return has_sets ? Number{std::min(sum, product), std::max(sum, product)} : Number{sum, sum};
}

std::vector<std::string_view> ExpectedFlows::places_of(const LogicalFlow& flow) const {
  std::vector<std::string_view> places = ovn::datapaths_of(node_.ovn, flow);
  std::erase_if(places, [&](std::string_view d) { return !datapaths_.contains(d); });
  return places;
}

ExpectedFlows::Number ExpectedFlows::number(const LogicalFlow& flow) {
  const std::vector<std::string_view> places = places_of(flow);
  if (places.empty()) return {};
  const bool has_sets = flow.match.find('$') != std::string_view::npos;
  const auto in = [&](std::string_view datapath) {
    const auto form = form_of(flow, datapath);
    return form ? number_in(*form, datapath, has_sets) : Number{};
  };
  Number all;
  if (names_ports(flow.match)) {
    for (const std::string_view datapath : places) {
      const Number here = in(datapath);
      all = {all.least + here.least, all.most + here.most};
    }
    return all;
  }
  const auto [known, is_new] = numbers_.try_emplace({flow.match, flow.actions});
  if (is_new) known->second = in(places.front());
  return {known->second.least * places.size(), known->second.most * places.size()};
}

std::unordered_map<std::uint64_t, std::size_t> ExpectedFlows::shared(const Flows& flows) const {
  using Match = std::pair<std::string_view, ovn::FlowMatch>;
  const auto comes_before = [](const Match& a, const Match& b) { return a.first != b.first ? a.first < b.first : a.second < b.second; };
  std::deque<ovn::NormalForm> forms;   // the matches point into them
  std::map<Match, std::set<std::uint64_t>, decltype(comes_before)> owners(comes_before);
  for (const LogicalFlow* f : flows)
    for (const std::string_view datapath : places_of(*f)) {
      auto form = form_of(*f, datapath);
      if (!form) continue;
      for (ovn::FlowMatch& match : matches_in(forms.emplace_back(std::move(*form)), datapath))
        if (!match.of_conjunction) owners[{datapath, std::move(match)}].insert(*f->uuid_prefix);
    }
  std::unordered_map<std::uint64_t, std::size_t> shared;
  for (const auto& [match, cookies] : owners)
    if (cookies.size() > 1)
      for (const std::uint64_t cookie : cookies) ++shared[cookie];
  return shared;
}

std::vector<Provenance> ExpectedFlows::missing(const std::unordered_map<std::uint64_t, std::size_t>& installed) {
  struct Expected { Number number; const LogicalFlow* flow = nullptr; };
  std::unordered_map<std::uint64_t, Expected> expected;
  for (const LogicalFlow& f : node_.ovn.logical_flows) {
    if (!has_cookie(f)) continue;
    Expected& one = expected[*f.uuid_prefix];
    const Number more = number(f);
    one.number = {one.number.least + more.least, one.number.most + more.most};
    if (one.flow == nullptr) one.flow = &f;
  }
  const auto present = [&](std::uint64_t cookie) {
    const auto found = installed.find(cookie);
    return found == installed.end() ? std::size_t{0} : found->second;
  };
  std::erase_if(expected, [&](const auto& of) { return !of.second.number.lacks_some(present(of.first)); });
  std::map<Stage, Flows> beside;   // flows that may have what another lacks
  for (const auto& [cookie, one] : expected) beside[stage_of(*one.flow)];
  for (const LogicalFlow& f : node_.ovn.logical_flows)
    if (const auto stage = beside.find(stage_of(f)); has_cookie(f) && stage != beside.end()) stage->second.push_back(&f);
  std::unordered_map<std::uint64_t, std::size_t> had_by_others;
  for (const auto& [stage, flows] : beside) had_by_others.merge(shared(flows));
  std::vector<Provenance> missing;
  for (const auto& [cookie, one] : expected)
    if (one.number.lacks_some(present(cookie), had_by_others[cookie])) missing.push_back(one.flow->from);
  std::sort(missing.begin(), missing.end());
  return missing;
}

}  // namespace egt::explain
