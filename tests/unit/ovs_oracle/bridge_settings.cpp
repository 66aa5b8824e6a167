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

// As the benches have made them.
void BridgeSettings::set_rows(const std::vector<DatabaseSetting>& settings) {
  Daemon::Words words;
  const auto add = [&](const Daemon::Words& more) {
    if (!words.empty()) words.emplace_back("--");
    words.insert(words.end(), more.begin(), more.end());
  };
  for (const DatabaseSetting& s : settings_) {
    const bool is_port = s.table == "port";
    if (is_port) {
      add({"clear", "port", s.name, "vlan_mode", "tag", "trunks", "cvlans", "other_config"});
      add({"set", "port", s.name, "protected=false"});
    } else {
      add({"clear", "bridge", s.name, "flood_vlans", "mirrors", "other_config"});
      add({"set", "bridge", s.name, "other_config:disable-in-band=true"});
    }
    if (s.name == "q3") add({"set", "port", "q3", "tag=5"});
  }
  for (const DatabaseSetting& s : settings) {
    Daemon::Words set = {"set", s.table, s.name};
    set.insert(set.end(), s.words.begin(), s.words.end());
    add(set);
  }
  daemon_.vsctl(words);
  settings_ = settings;
}

bool BridgeSettings::apply(const Configuration& c, const std::vector<std::string>& bridges) {
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
  if (tlv_map_ != c.tlv_map)
    for (const std::string& b : bridges) map_options(b, tlv_maps()[c.tlv_map]);
  tlv_map_ = c.tlv_map;
  if (settings_ == c.settings) return false;
  set_rows(c.settings);
  return true;
}

std::string BridgeSettings::ports_of(const std::string& bridge) const {
  const auto mode = fragments_.find(bridge);
  std::string text = mode == fragments_.end() ? "normal" : mode->second;
  for (const PortConfig& p : ports_)
    if (p.bridge == bridge) text += fmt::format(" {}:{}", p.port, p.flag);
  return text;
}

}  // namespace egt::testing
