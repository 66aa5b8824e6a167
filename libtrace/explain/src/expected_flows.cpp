#include "expected_flows.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "egtrace/base/parallel.h"
#include "egtrace/ovn/southbound.h"
#include "in_pieces.h"
#include "installable.h"
#include "lflow_form.h"

namespace egt::explain {
namespace {

using ovn::LogicalFlow;

bool has_cookie(const LogicalFlow& f) { return f.uuid_prefix && *f.uuid_prefix != 0; }

// northd makes flows of the groups that ovn-controller learned from IGMP and MLD (IGMP_Group): they come and go with who listens, each dump
// has those of its moment.
bool is_of_learned_group(const LogicalFlow& f) {
  constexpr std::string_view kOutput = "outport = \"";
  const std::size_t at = f.actions.find(kOutput);
  if (at == std::string_view::npos) return false;
  const std::string_view name = f.actions.substr(at + kOutput.size());
  const auto group = IpAddr::parse(name.substr(0, name.find('"')));
  return group && group->is_multicast();
}

using Stage = std::tuple<bool, std::uint8_t, std::uint16_t>;
Stage stage_of(const LogicalFlow& f) { return {f.ingress, f.table, f.priority}; }

}  // namespace

ExpectedFlows::ExpectedFlows(const cluster::Node& node, const ovn::FlowReader& reader,
                             const std::set<std::string_view>& datapaths, const ovn::Expansion& expansion)
    : node_(node), reader_(reader), datapaths_(datapaths), expansion_(expansion) {
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
    if (p.tunnel_key)
      ports_.emplace(p.name,
                     Port{p.datapath, is_bound || p.type == "router" || p.type == "patch" || routers.contains(p.datapath)});
    if (own != nullptr && !p.chassis.empty() && chassis.contains(p.chassis)) resident_.emplace(p.name, is_bound);
  }
}

bool ExpectedFlows::lacks_some(const InstalledFlows& installed, const Expected& expected, std::size_t shared) {
  static const InstalledFlows::OfCookie none;
  const auto found = installed.by_cookie.find(*expected.flow->uuid_prefix);
  return expected.number.exceeds(found == installed.by_cookie.end() ? none : found->second, installed, shared);
}

std::optional<ovn::NormalForm> ExpectedFlows::normal_form_of(const LogicalFlow& flow, std::string_view datapath) const {
  const auto key = keys_.find(datapath);
  auto match = reader_.read_match(flow.match, key == keys_.end() ? 0 : key->second);
  if (!match) return std::nullopt;
  auto actions = reader_.read_actions(flow.actions, flow.ingress ? ovn::Pipeline::ingress : ovn::Pipeline::egress, flow.table);
  if (!actions) return std::nullopt;
  const auto is_resident = [&](std::string_view port) {
    const auto known = resident_.find(port);
    return known == resident_.end() ? std::nullopt : std::optional(known->second);
  };
  return ovn::normal_form(
      ovn::simplify(ovn::combine(true, std::move(*match), std::move(actions->prerequisites)), is_resident, expansion_.inequality),
      expansion_.keeps_covered);
}

bool ExpectedFlows::has_port(std::string_view port, std::string_view datapath) const {
  const auto place = ports_.find(port);
  return place != ports_.end() && place->second.datapath == datapath;
}

bool ExpectedFlows::is_here(std::string_view port, std::string_view datapath) const {
  return has_port(port, datapath) && ports_.find(port)->second.is_here;
}

bool ExpectedFlows::is_here(const ovn::Comparison& c, std::string_view datapath) const {
  return !c.symbol->is_string() || is_here(c.text, datapath);
}

std::vector<ovn::FlowMatch> ExpectedFlows::matches_in(const ovn::NormalForm& form, std::string_view datapath) const {
  auto matches = ovn::flow_matches(form, [&](std::string_view port) { return has_port(port, datapath); });
  std::erase_if(matches, [&](const ovn::FlowMatch& m) {
    return std::any_of(m.terms.begin(), m.terms.end(), [&](const ovn::Comparison* c) { return !is_here(*c, datapath); });
  });
  return matches;
}

// Nothing where it never holds, or only for ports of other chassis: of a port group ovn-controller keeps its own ports alone
// (lib/expr.c, expr_const_sets_add_strings()), of what is left one member may make plain flows.
std::optional<ConjunctiveFlows> ExpectedFlows::conjunctive(const ovn::Conjunct& conjunct, std::string_view datapath) const {
  ConjunctiveFlows flows;
  for (const ovn::Clause& clause : conjunct) {
    const bool is_string = clause.front().symbol->is_string();
    const auto has = [&](const ovn::Comparison& c) { return has_port(c.text, datapath); };
    if (is_string && std::none_of(clause.begin(), clause.end(), has)) return std::nullopt;
    const auto here = [&](const ovn::Comparison& c) { return is_here(c, datapath); };
    const auto size = is_string ? static_cast<std::size_t>(std::count_if(clause.begin(), clause.end(), here)) : clause.size();
    if (size == 0) return std::nullopt;
    flows.product *= size;
    flows.may_be_plain |= size < clause.size();
    if (clause.size() > 1) flows.clauses.push_back(size);
  }
  return flows;
}

ExpectedNumber ExpectedFlows::number_in(const ovn::NormalForm& form, std::string_view datapath, bool has_sets) const {
  ExpectedNumber number;
  ovn::NormalForm plain;
  for (const ovn::Conjunct& conjunct : form) {
    auto flows = conjunctive(conjunct, datapath);
    if (!flows) continue;
    const bool is_conjunctive = flows->clauses.size() > 1;
    if (is_conjunctive || (has_sets && form.size() == 1)) {
      flows->may_be_plain |= has_sets;
      number.conjunctive.push_back(std::move(*flows));
    } else if (form.size() == 1) {
      number.plain = flows->product;
    } else {
      plain.push_back(conjunct);
    }
  }
  if (!plain.empty()) number.plain = matches_in(plain, datapath).size();  // which looks for those that are twice there
  return number;
}

std::vector<std::string_view> ExpectedFlows::places_of(const LogicalFlow& flow) const {
  std::vector<std::string_view> places = ovn::datapaths_of(node_.ovn, flow);
  std::erase_if(places, [&](std::string_view d) { return !datapaths_.contains(d); });
  return places;
}

std::optional<ExpectedNumber> ExpectedFlows::number(const FlowForms::Placed& placed) const {
  const auto form = normal_form_of(*placed.flow, placed.datapath);
  if (!form || !is_installable(*form)) return std::nullopt;
  return number_in(*form, placed.datapath, placed.flow->match.find('$') != std::string_view::npos);
}

FlowForms ExpectedFlows::forms() const {
  const auto look = [&](const LogicalFlow& f, FlowForms& forms) {
    if (!has_cookie(f) || is_of_learned_group(f)) return;
    if (const std::vector<std::string_view> places = places_of(f); !places.empty()) forms.add(f, places);
  };
  FlowForms all;
  for (const FlowForms& some : in_pieces_of<FlowForms>(node_.ovn.logical_flows, look)) all.append(some);
  return all;
}

std::vector<std::optional<ExpectedNumber>> ExpectedFlows::numbers(const FlowForms& forms) const {
  constexpr std::size_t kWorthAThread = 500;
  std::vector<std::optional<ExpectedNumber>> numbers(forms.firsts().size());
  for_each_index(numbers.size(), 0, kWorthAThread, [&](std::size_t i) { numbers[i] = number(forms.firsts()[i]); });
  return numbers;
}

std::vector<ExpectedFlows::Expected> ExpectedFlows::lacking(const InstalledFlows& installed) const {
  const FlowForms forms = this->forms();
  const std::vector<std::optional<ExpectedNumber>> numbers = this->numbers(forms);
  std::vector<std::uint64_t> uses;  // cookie and number of each
  uses.reserve(forms.uses().size());
  for (const FlowForms::Use& use : forms.uses()) uses.push_back(std::uint64_t{*use.flow->uuid_prefix} << 32 | uses.size());
  std::sort(uses.begin(), uses.end());
  const auto is_of = [&](std::size_t i, std::size_t before) { return uses[i] >> 32 == uses[before] >> 32; };
  const auto add = [&](const FlowForms::Use& use, Expected& all) {
    const FlowForms::Placed& first = forms.firsts()[use.first];
    const auto& known = numbers[use.first];
    // Where the first flow of a form cannot be counted, others may be.
    const auto own = known || first.flow == use.flow ? std::nullopt : number({use.flow, first.datapath});
    if (!known && !own) return;
    all.number.add(own ? *own : *known, use.times);
    if (all.flow == nullptr) all.flow = use.flow;
  };
  const auto look = [&](std::size_t begin, std::size_t end, std::vector<Expected>& found) {
    while (begin > 0 && begin < end && is_of(begin, begin - 1)) ++begin;
    while (begin < end) {
      Expected all;
      const std::size_t first = begin;
      for (; begin < uses.size() && is_of(begin, first); ++begin) add(forms.uses()[static_cast<std::uint32_t>(uses[begin])], all);
      if (all.flow != nullptr && lacks_some(installed, all, 0)) found.push_back(std::move(all));
    }
  };
  constexpr std::size_t kUses = 4096;
  std::vector<Expected> lacking;
  for (std::vector<Expected>& some : in_pieces<std::vector<Expected>>(uses.size(), kUses, look))
    std::move(some.begin(), some.end(), std::back_inserter(lacking));
  return lacking;
}

std::unordered_map<std::uint64_t, std::size_t> ExpectedFlows::shared(const Flows& flows) const {
  using Match = std::pair<std::string_view, ovn::FlowMatch>;
  const auto comes_before = [](const Match& a, const Match& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  };
  std::deque<ovn::NormalForm> forms;  // the matches point into them
  std::map<Match, std::set<std::uint64_t>, decltype(comes_before)> owners(comes_before);
  for (const LogicalFlow* f : flows)
    for (const std::string_view datapath : places_of(*f)) {
      auto form = normal_form_of(*f, datapath);
      if (!form) continue;
      for (ovn::FlowMatch& match : matches_in(forms.emplace_back(std::move(*form)), datapath))
        if (match.kind != ovn::FlowMatch::Kind::conjunction) owners[{datapath, std::move(match)}].insert(*f->uuid_prefix);
    }
  std::unordered_map<std::uint64_t, std::size_t> shared;
  for (const auto& [match, cookies] : owners)
    if (cookies.size() > 1)
      for (const std::uint64_t cookie : cookies) ++shared[cookie];
  return shared;
}

std::unordered_map<std::uint64_t, std::size_t> ExpectedFlows::had_as_well(const Flows& lacking) const {
  struct Beside {
    std::set<std::string> values;  // of those that lack some
    bool any = false;              // another may share with them whatever its values are
    Flows flows;
  };
  std::map<Stage, Beside> stages;
  for (const LogicalFlow* f : lacking) {
    Beside& beside = stages[stage_of(*f)];
    const auto values = values_left_out(f->match);
    if (values)
      beside.values.insert(*values);
    else
      beside.any = true;
  }
  using Placed = std::pair<Beside*, const LogicalFlow*>;
  const auto look = [&](const LogicalFlow& f, std::vector<Placed>& found) {
    const auto beside = stages.find(stage_of(f));
    if (!has_cookie(f) || beside == stages.end()) return;
    const auto values = beside->second.any ? std::nullopt : values_left_out(f.match);
    if (!values || beside->second.values.contains(*values)) found.emplace_back(&beside->second, &f);
  };
  for (const std::vector<Placed>& some : in_pieces_of<std::vector<Placed>>(node_.ovn.logical_flows, look))
    for (const auto& [beside, flow] : some) beside->flows.push_back(flow);
  std::vector<const Flows*> together;
  for (const auto& [stage, beside] : stages) together.push_back(&beside.flows);
  std::vector<std::unordered_map<std::uint64_t, std::size_t>> counted(together.size());
  for_each_index(together.size(), 0, 1, [&](std::size_t i) { counted[i] = shared(*together[i]); });
  std::unordered_map<std::uint64_t, std::size_t> all;
  for (auto& some : counted) all.merge(some);
  return all;
}

std::vector<Provenance> ExpectedFlows::missing(const InstalledFlows& installed) const {
  const std::vector<Expected> lacking = this->lacking(installed);
  Flows flows;
  for (const Expected& one : lacking) flows.push_back(one.flow);
  const std::unordered_map<std::uint64_t, std::size_t> had_by_others = had_as_well(flows);
  std::vector<Provenance> missing;
  for (const Expected& one : lacking) {
    const auto shared = had_by_others.find(*one.flow->uuid_prefix);
    if (shared == had_by_others.end() || lacks_some(installed, one, shared->second)) missing.push_back(one.flow->from);
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

}  // namespace egt::explain
