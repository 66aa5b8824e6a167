#include "ovn_lang/keys.h"

#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "egtrace/base/text.h"
#include "egtrace/openflow/match.h"
#include "egtrace/ovn/rows/nb.h"
#include "egtrace/ovn/rows/sb.h"

namespace egt::parsers::ovn_lang {
namespace {

// "x" of the one `inport == "x"` in a match; nothing where there are several, or alternatives.
std::optional<std::string> only_port(std::string_view match, std::string_view field) {
  const std::string pattern = std::string(field) + " == \"";
  const std::size_t at = match.find(pattern);
  if (at == std::string_view::npos || match.find("||") != std::string_view::npos || match.find('!') != std::string_view::npos)
    return std::nullopt;
  const std::size_t begin = at + pattern.size(), end = match.find('"', begin);
  if (end == std::string_view::npos || match.find(pattern, end) != std::string_view::npos) return std::nullopt;
  return std::string(match.substr(begin, end - begin));
}

std::optional<std::uint32_t> exact(openflow::MatchView match, FieldId field, U128 all) {
  if (openflow::mask_of(match, field) != all) return std::nullopt;
  return static_cast<std::uint32_t>(openflow::value_of(match, field));
}

// Keeps what all flows agree in.
template <class Name>
class Agreement {
 public:
  void add(const Name& name, std::uint32_t key) {
    if (const auto [it, fresh] = keys_.emplace(name, key); !fresh && it->second != key) ambiguous_.insert(name);
  }
  auto take() {
    for (const Name& name : ambiguous_) keys_.erase(name);
    return std::move(keys_);
  }

 private:
  std::map<Name, std::uint32_t, std::less<>> keys_;
  std::set<Name> ambiguous_;
};

// Logical flows of one datapath alone, by the cookie of their flows.
std::unordered_map<std::uint64_t, const ovn::LogicalFlow*> flows_of_one_datapath(const ovn::Ovn& ovn) {
  std::unordered_map<std::uint64_t, const ovn::LogicalFlow*> by_cookie;
  for (const ovn::LogicalFlow& f : ovn.logical_flows) {
    if (!f.uuid_prefix) continue;
    if (const auto [it, fresh] = by_cookie.emplace(*f.uuid_prefix, &f); !fresh) it->second = nullptr;
  }
  return by_cookie;
}

std::optional<std::uint32_t> requested_key(const std::map<std::string, std::string>& settings) {
  const auto found = settings.find("requested-tnl-key");
  const auto key = found == settings.end() ? std::nullopt : parse_decimal(found->second);
  return key && *key != 0 ? std::optional(static_cast<std::uint32_t>(*key)) : std::nullopt;
}

using DatapathOfPort = std::map<std::string, std::string, std::less<>>;

// All ports of such a group are of the datapath with the key.
void add_datapath_of_group(const rows::sb::PortGroup& group, const DatapathOfPort& datapath_of,
                           Agreement<std::string>& datapaths) {
  const std::string name = group.name();
  const auto key = parse_decimal(std::string_view(name).substr(0, name.find('_')));
  if (!key || *key == 0) return;
  for (const std::string& port : group.ports())
    if (const auto found = datapath_of.find(port); found != datapath_of.end() && !found->second.empty())
      datapaths.add(found->second, static_cast<std::uint32_t>(*key));
}

}  // namespace

TunnelKeys keys_in_flows(const ovn::Ovn& ovn, const openflow::FlowTables& flows) {
  constexpr U128 kRegister = 0xffffffff, kMetadata = ~std::uint64_t{0};
  const auto by_cookie = flows_of_one_datapath(ovn);
  Agreement<std::string> datapaths;
  Agreement<std::pair<std::string, std::string>> ports;
  for (openflow::FlowIndex i = 0; i < flows.size(); ++i) {
    const openflow::FlowEntry& flow = flows.flow(i);
    const auto found = by_cookie.find(flow.cookie);
    if (found == by_cookie.end() || found->second == nullptr) continue;
    const openflow::MatchView match = openflow::match_of(flow);
    const std::string datapath(found->second->datapath);
    if (const auto key = exact(match, FieldId::metadata, kMetadata)) datapaths.add(datapath, *key);
    for (const auto& [name, field] : {std::pair("inport", FieldId::reg14), std::pair("outport", FieldId::reg15)})
      if (const auto key = exact(match, field, kRegister))
        if (const auto port = only_port(found->second->match, name)) ports.add({datapath, *port}, *key);
  }
  return {datapaths.take(), ports.take()};
}

TunnelKeys keys_in_rows(const ovn::Ovn& ovn) {
  DatapathOfPort datapath_of;
  for (const ovn::LogicalPort& port : ovn.ports) datapath_of.emplace(port.name, port.datapath);
  Agreement<std::string> datapaths;
  Agreement<std::pair<std::string, std::string>> ports;
  const auto add_port = [&](const auto& port) {
    const auto key = requested_key(port.options());
    const auto datapath = datapath_of.find(port.name());
    if (key && datapath != datapath_of.end()) ports.add({datapath->second, datapath->first}, *key);
  };
  for (const auto group : rows_of<rows::sb::PortGroup>(ovn.rows)) add_datapath_of_group(group, datapath_of, datapaths);
  for (const auto row : rows_of<rows::nb::LogicalSwitch>(ovn.rows))
    if (const auto key = requested_key(row.other_config())) datapaths.add(row.name(), *key);
  for (const auto row : rows_of<rows::nb::LogicalRouter>(ovn.rows))
    if (const auto key = requested_key(row.options())) datapaths.add(row.name(), *key);
  for (const auto port : rows_of<rows::nb::LogicalSwitchPort>(ovn.rows)) add_port(port);
  for (const auto port : rows_of<rows::nb::LogicalRouterPort>(ovn.rows)) add_port(port);
  return {datapaths.take(), ports.take()};
}

void add_keys(TunnelKeys& known, const TunnelKeys& more) {
  known.datapaths.insert(more.datapaths.begin(), more.datapaths.end());
  known.ports.insert(more.ports.begin(), more.ports.end());
}

}  // namespace egt::parsers::ovn_lang
