// The ports of a southbound database by the names that matches and callers use. They stay where they are.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/engine/logical_datapaths.h"

namespace egt::engine {

class LogicalPorts {
 public:
  // `rows` must outlive it; the datapaths get their ports. Without friendly names traces show the names of rows.
  LogicalPorts(const std::vector<ovn::sb::PortBinding>& rows, const LogicalDatapaths& datapaths, bool friendly_names);

  // By its exact name.
  const NetworkPort* find(std::string_view name) const;
  // Or by its alias, or by the first digits of the UUID of its row or in its name, where no other has these.
  const NetworkPort* find_loosely(std::string_view name) const;
  const std::vector<std::unique_ptr<NetworkPort>>& all() const { return all_; }

 private:
  NetworkPort* named_in(const ovn::sb::Map& options, const char* key) const;
  void connect();

  std::vector<std::unique_ptr<NetworkPort>> all_;
  std::unordered_map<std::string_view, NetworkPort*> by_name_;
  std::unordered_map<std::string_view, std::vector<NetworkPort*>> by_alias_;
};

}  // namespace egt::engine
