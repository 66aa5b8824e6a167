#include <algorithm>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/ovn_reader.h"
#include "ovn_lang/annotate.h"
#include "ovn_lang/needed_term.h"
#include "ovn_lang/symbols.h"

namespace egt::parsers::ovn_lang {
namespace {

bool any_action(const ovn::Southbound& southbound, std::string_view text) {
  const auto& flows = southbound.logical_flows.get();
  return std::any_of(flows.begin(), flows.end(),
                     [&](const auto& row) { return row.actions.find(text) != std::string_view::npos; });
}

}  // namespace

std::optional<Release> release_of(const ovn::Southbound& southbound) {
  std::string_view rest = southbound.northd_version;
  const auto year = parse_decimal(take_until(rest, '.'));
  const auto month = parse_decimal(take_until(rest, '.').substr(0, 2));
  if (!year || !month || *year > 99 || *month > 12) return std::nullopt;
  return Release{static_cast<unsigned>(*year), static_cast<unsigned>(*month)};
}

Dialect dialect_of(const ovn::Southbound& southbound) {
  Dialect dialect;
  dialect.commits_in_parentheses = true;  // no release means anything else by it
  if (const auto release = release_of(southbound)) {
    dialect.names_ct_zones = *release >= Release{24, 3};
    dialect.has_blocked_label = *release < Release{24, 9};
    dialect.multicast_by_mac = *release >= Release{24, 9};
    // Earlier ones have it by their patches. The packets are the same; the list makes more flows.
    dialect.lists_reserved_multicast = *release >= Release{25, 9};
    dialect.answers_any_family = *release >= Release{25, 3};
    return dialect;
  }
  const bool old = !any_action(southbound, "ct_next(") && any_action(southbound, "ct_next;");
  dialect.names_ct_zones = dialect.multicast_by_mac = dialect.lists_reserved_multicast = dialect.answers_any_family = !old;
  dialect.has_blocked_label = old;
  return dialect;
}

DatabaseReader::DatabaseReader(const ovn::Southbound& southbound)
    : dialect_(dialect_of(southbound)), symbols_(std::make_unique<SymbolTable>()) {
  add_symbols(*symbols_, dialect_);
  symbols_->finish();
  const auto& sets = southbound.address_sets;
  std::vector<std::shared_ptr<const ovn::ValueSet>> read(sets.size());
  constexpr std::size_t kWorthAThread = 100;
  for_each_index(read.size(), 0, kWorthAThread,
                 [&](std::size_t i) { read[i] = make_address_set(sets[i].name, sets[i].addresses); });
  for (std::size_t i = 0; i < read.size(); ++i) address_sets_.insert_or_assign(sets[i].name, std::move(read[i]));
  for (const ovn::sb::PortGroup& row : southbound.port_groups)
    port_groups_.insert_or_assign(row.name, make_port_group(row.name, row.ports));
  for (const ovn::sb::DhcpOption& row : southbound.dhcp_options) dhcp_options_.insert_or_assign(row.name, row.type);
  for (const ovn::sb::DhcpOption& row : southbound.dhcpv6_options) dhcpv6_options_.insert_or_assign(row.name, row.type);
}

DatabaseReader::~DatabaseReader() = default;

Environment DatabaseReader::environment(std::uint32_t datapath_key) const {
  return {symbols_.get(), &address_sets_, &port_groups_, datapath_key};
}

std::optional<ovn::NeededTerms> DatabaseReader::needed_terms(std::string_view match, std::uint32_t datapath_key) const {
  return find_needed_terms(match, environment(datapath_key));
}

std::optional<ovn::Expression> DatabaseReader::read_match(std::string_view text, std::uint32_t datapath_key) const {
  if (text == "1") return ovn::Expression{true};
  auto parsed = parse_expression(text, environment(datapath_key));
  if (!parsed) return std::nullopt;
  Annotator annotator;
  if (!annotator.annotate(*parsed)) return std::nullopt;
  return std::move(*parsed);
}

std::optional<ovn::ReadActions> DatabaseReader::read_actions(std::string_view text, ovn::Pipeline pipeline,
                                                             std::uint8_t table) const {
  const ActionContext context{pipeline, table, dialect_, &dhcp_options_, &dhcpv6_options_};
  auto parsed = parse_actions(text, *symbols_, context);
  if (!parsed) return std::nullopt;
  Annotator annotator;
  if (!annotator.annotate(parsed->prerequisites)) return std::nullopt;
  return ovn::ReadActions{std::move(parsed->actions), std::move(parsed->prerequisites)};
}

Result<FlowKey, TextError> DatabaseReader::read_microflow(
    std::string_view text, const std::function<std::optional<std::uint32_t>(std::string_view)>& port_key) const {
  return parse_microflow(text, environment(0), port_key);
}

Result<std::string, TextError> DatabaseReader::inport_of(std::string_view text) const {
  return find_inport(text, environment(0));
}

}  // namespace egt::parsers::ovn_lang
