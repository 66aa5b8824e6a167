// The datapaths of a southbound database and what they are found by. They stay where they are.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/engine/logical_datapath.h"

namespace egt::engine {

class LogicalDatapaths {
 public:
  // `rows` must outlive it. Without friendly names traces show UUIDs.
  LogicalDatapaths(const std::vector<ovn::sb::DatapathBinding>& rows, bool friendly_names);

  struct Found {
    const LogicalDatapath* datapath = nullptr;
    bool ambiguous = false;
  };
  // By name, alias, or at least four first digits of its UUID or its northbound UUID.
  Found find(std::string_view name) const;
  const LogicalDatapath* with_key(std::uint32_t tunnel_key) const;
  LogicalDatapath* with_uuid(const ovn::Uuid& uuid) const;
  const std::vector<std::unique_ptr<LogicalDatapath>>& all() const { return all_; }

 private:
  std::vector<std::unique_ptr<LogicalDatapath>> all_;
  std::unordered_map<std::uint64_t, LogicalDatapath*> by_uuid_;  // by both halves of it
};

}  // namespace egt::engine
