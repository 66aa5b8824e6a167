#include "egtrace/engine/logical_datapath.h"

#include <fmt/format.h>

#include <algorithm>

#include "ovn/logical_table.h"

namespace egt::engine {
namespace {

std::string binding_key(std::uint32_t port, const IpAddr& ip) { return fmt::format("{}/{}", port, ip.to_string()); }

}  // namespace

void LearnedAddresses::add_binding(std::uint32_t port, const IpAddr& ip, MacAddr mac) {
  bindings_[binding_key(port, ip)] = mac.value;
}

std::optional<MacAddr> LearnedAddresses::binding(std::uint32_t port, const IpAddr& ip) const {
  const auto it = bindings_.find(binding_key(port, ip));
  return it == bindings_.end() ? std::nullopt : std::optional(MacAddr{it->second});
}

std::optional<std::uint32_t> LearnedAddresses::port(MacAddr mac) const {
  const auto it = fdb_.find(mac.value);
  return it == fdb_.end() ? std::nullopt : std::optional(it->second);
}

LogicalDatapath::LogicalDatapath() = default;
LogicalDatapath::~LogicalDatapath() = default;

const NetworkGroup* LogicalDatapath::group(std::uint32_t wanted) const {
  const auto it = std::find_if(groups.begin(), groups.end(), [&](const NetworkGroup& g) { return g.key == wanted; });
  return it == groups.end() ? nullptr : &*it;
}

const NetworkGroup* LogicalDatapath::group(std::string_view wanted) const {
  const auto it = std::find_if(groups.begin(), groups.end(), [&](const NetworkGroup& g) { return g.name == wanted; });
  return it == groups.end() ? nullptr : &*it;
}

const NetworkPort* LogicalDatapath::port(std::uint32_t wanted) const {
  const auto it = ports_by_key.find(wanted);
  return it == ports_by_key.end() ? nullptr : it->second;
}

LogicalTable* LogicalDatapath::table(ovn::Pipeline pipeline, std::uint32_t number) const {
  const auto& tables = pipeline == ovn::Pipeline::ingress ? ingress : egress;
  return number < tables.size() ? tables[number].get() : nullptr;
}

std::string_view LogicalDatapath::stage(ovn::Pipeline pipeline, std::uint32_t number) const {
  LogicalTable* t = table(pipeline, number);
  return t ? t->stage() : std::string_view();
}

}  // namespace egt::engine
