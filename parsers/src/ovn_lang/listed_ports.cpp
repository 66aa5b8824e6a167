#include "ovn_lang/listed_ports.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "egtrace/base/text.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::LogicalFlow;
using ovn::LogicalPort;

// "_MC_flood" and its like are groups; ports of northd's own ("cr-…") stand behind those that they are made for.
bool is_port_name(std::string_view name) { return !name.empty() && !name.starts_with("_MC_") && !name.starts_with("cr-"); }

std::string_view quoted(std::string_view& s) {
  s.remove_prefix(1);
  return take_until(s, '"');
}

// Names behind `key` and "==", "!=" or "=": one, or several in braces.
template <class Take>
void names_behind(std::string_view text, std::string_view key, Take take) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    std::string_view rest = text.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" =!"), rest.size()));
    if (rest.starts_with('"')) take(quoted(rest));
    if (!rest.starts_with('{')) continue;
    rest = rest.substr(0, rest.find('}'));
    for (std::size_t quote = rest.find('"'); quote != std::string_view::npos; quote = rest.find('"')) {
      rest.remove_prefix(quote);
      take(quoted(rest));
    }
  }
}

// The addresses of "eth.dst == M" and "eth.dst == {M, N}".
std::vector<MacAddr> destinations(std::string_view match) {
  std::vector<MacAddr> all;
  constexpr std::string_view kKey = "eth.dst == ";
  const std::size_t at = match.find(kKey);
  if (at == std::string_view::npos) return all;
  std::string_view rest = match.substr(at + kKey.size());
  rest = rest.starts_with('{') ? rest.substr(1, rest.find('}') - 1) : rest.substr(0, rest.find(' '));
  for (const std::string_view word : split(rest, ','))
    if (const auto mac = MacAddr::parse(trim(word))) all.push_back(*mac);
  return all;
}

class PortFinder {
 public:
  void look_at(const LogicalFlow& flow) {
    const auto take = [&](std::string_view name) { port(flow, name); };
    for (const std::string_view text : {flow.match, flow.actions})
      for (const std::string_view key : {"inport", "outport"}) names_behind(text, key, take);
    if (flow.stage == "lr_in_admission")
      names_behind(flow.match, "inport", [&](std::string_view name) { note(flow, name, admits_); });
    if (flow.stage == "ls_in_l2_lkup")
      names_behind(flow.actions, "outport", [&](std::string_view name) { note(flow, name, sends_); });
  }

  std::vector<LogicalPort> ports() {
    for (const auto& [mac, router] : admits_)
      if (const auto found = sends_.find(mac); found != sends_.end() && router != nullptr && found->second != nullptr)
        join(*router, *found->second);
    std::vector<LogicalPort> all;
    for (auto& [key, port] : ports_) all.push_back(std::move(port));
    return all;
  }

 private:
  using ByMac = std::map<std::uint64_t, LogicalPort*>;  // null: several ports

  LogicalPort* port(const LogicalFlow& flow, std::string_view name) {
    if (!is_port_name(name)) return nullptr;
    const auto [at, fresh] = ports_.try_emplace({std::string(flow.datapath), std::string(name)});
    if (fresh) {
      at->second.name = std::string(name);
      at->second.datapath = std::string(flow.datapath);
      at->second.on_router = flow.stage.starts_with("lr_");
      at->second.from = flow.from;
    }
    return &at->second;
  }

  void note(const LogicalFlow& flow, std::string_view name, ByMac& by_mac) {
    LogicalPort* of_flow = port(flow, name);
    for (const MacAddr& mac : destinations(flow.match))
      if (const auto [at, fresh] = by_mac.try_emplace(mac.value, of_flow); !fresh && at->second != of_flow) at->second = nullptr;
  }

  static void join(LogicalPort& router, LogicalPort& on_switch) {
    router.peer = on_switch.name;
    on_switch.peer = router.name;
    router.type = on_switch.type = "patch";
  }

  std::map<std::pair<std::string, std::string>, LogicalPort> ports_;  // by datapath and name
  ByMac admits_, sends_;
};

}  // namespace

std::vector<LogicalPort> ports_of_flows(const ovn::RowList<LogicalFlow>& flows) {
  PortFinder finder;
  for (const LogicalFlow& flow : flows) finder.look_at(flow);
  return finder.ports();
}

}  // namespace egt::parsers::ovn_lang
