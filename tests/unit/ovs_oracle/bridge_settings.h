// What is set of the bridges beside tables: flags of ports, fragments, the map of tunnel options, rows of the database.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemon.h"
#include "generator.h"

namespace egt::testing {

class BridgeSettings {
 public:
  explicit BridgeSettings(Daemon& daemon) : daemon_(daemon) {}
  // Whether the bridges have to be empty before that is applied: flows keep the map of tunnel options that they were made with.
  bool wants_empty_bridges(const Configuration& c) const { return tlv_map_ != c.tlv_map; }
  // Asks the daemon for what has changed only. Whether rows of the database changed: the switch forgets MAC addresses then.
  bool apply(const Configuration& c, const std::vector<std::string>& bridges);
  // Two equal ones: `ovs-ofctl show` says the same of the bridge.
  std::string ports_of(const std::string& bridge) const;
  unsigned tlv_map() const { return tlv_map_; }

 private:
  void configure(const PortConfig& p, const std::string& flag);
  void map_options(const std::string& bridge, const char* map);
  void set_rows(const std::vector<DatabaseSetting>& settings);

  Daemon& daemon_;
  std::vector<PortConfig> ports_;
  std::vector<DatabaseSetting> settings_;
  std::map<std::string, std::string> fragments_;
  unsigned tlv_map_ = 0;
};

}  // namespace egt::testing
