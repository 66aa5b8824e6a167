#include "bridge_settings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace egt::testing {
namespace {

constexpr const char* kProtocol = "OpenFlow10";

std::string opposite(const std::string& flag) { return flag == "down" ? "up" : flag.substr(3); }  // "no-flood"

bool has(const std::vector<PortConfig>& all, const PortConfig& one) {
  return std::any_of(all.begin(), all.end(),
                     [&](const PortConfig& p) { return p.bridge == one.bridge && p.port == one.port && p.flag == one.flag; });
}

}  // namespace

void BridgeSettings::configure(const PortConfig& p, const std::string& flag) {
  daemon_.ofctl(kProtocol, {"mod-port", p.bridge, p.port, flag});
}

void BridgeSettings::map_options(const std::string& bridge, const char* map) {
  if (tlv_map_ != 0) {
    // The switch gives deleted flows up a little later.
    for (int tries = 0; tries < 100 && !daemon_.ofctl(kProtocol, {"del-tlv-map", bridge}).empty(); ++tries) ::usleep(1000);
  }
  if (*map == '\0') return;
  EXPECT_EQ(daemon_.ofctl(kProtocol, {"add-tlv-map", bridge, map}), "");
}

void BridgeSettings::apply(const Configuration& c, const std::vector<std::string>& bridges) {
  for (const PortConfig& p : ports_)
    if (!has(c.ports, p)) configure(p, opposite(p.flag));
  for (const PortConfig& p : c.ports)
    if (!has(ports_, p)) configure(p, p.flag);
  ports_ = c.ports;
  std::map<std::string, std::string> fragments;
  for (const std::string& b : bridges) fragments[b] = "normal";
  for (const auto& [bridge, mode] : c.fragments) fragments[bridge] = mode;
  for (const auto& [bridge, mode] : fragments)
    if (std::exchange(fragments_.try_emplace(bridge, "normal").first->second, mode) != mode)
      daemon_.ofctl(kProtocol, {"set-frags", bridge, mode});
  if (tlv_map_ == c.tlv_map) return;
  for (const std::string& b : bridges) map_options(b, tlv_maps()[c.tlv_map]);
  tlv_map_ = c.tlv_map;
}

std::string BridgeSettings::ports_of(const std::string& bridge) const {
  const auto mode = fragments_.find(bridge);
  std::string text = mode == fragments_.end() ? "normal" : mode->second;
  for (const PortConfig& p : ports_)
    if (p.bridge == bridge) text += fmt::format(" {}:{}", p.port, p.flag);
  return text;
}

}  // namespace egt::testing
