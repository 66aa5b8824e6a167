// Logical datapaths, ports and flows of a southbound database, ready to be walked (ovn-sb(5)).
//
// Flows are read when a packet first comes to their table: a database has a hundred thousand of them, a packet meets some
// thousand. A table then finds its flow by hashed fields, not by trying all matches.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/engine/load_balancer_vips.h"
#include "egtrace/engine/logical_datapaths.h"
#include "egtrace/engine/logical_ports.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine {

// Flows whose text was not understood, in the order in which packets met them.
class UnreadFlows {
 public:
  void add(const ovn::sb::LogicalFlow* row) const {
    const std::lock_guard<std::mutex> lock(guard_);
    rows_.push_back(row);
  }
  std::vector<const ovn::sb::LogicalFlow*> all() const {
    const std::lock_guard<std::mutex> lock(guard_);
    return rows_;
  }

 private:
  mutable std::mutex guard_;
  mutable std::vector<const ovn::sb::LogicalFlow*> rows_;
};

// Any number of threads may read it.
class LogicalNetwork {
 public:
  // Whether a port is of the chassis that asks is_chassis_resident().
  using Resides = std::function<bool(std::string_view port)>;
  // `southbound` and `reader` must outlive it. Without friendly names traces show UUIDs. Without `resides` every port that
  // there is counts as resident, as for ovn-trace.
  LogicalNetwork(const ovn::Southbound& southbound, const ovn::FlowReader& reader, bool friendly_names = true,
                 Resides resides = {});

  const ovn::Southbound& southbound() const { return southbound_; }
  const LogicalDatapaths& datapaths() const { return datapaths_; }
  const LogicalPorts& ports() const { return ports_; }
  const LoadBalancerVips& vips() const { return vips_; }
  // The key that a port's or multicast group's name stands for in matches of a datapath; nothing for unknown names and
  // ports of other datapaths.
  std::optional<std::uint32_t> port_key(const LogicalDatapath& datapath, std::string_view name) const;
  bool is_known_port(std::string_view name) const { return name.empty() || ports_.find(name) != nullptr; }
  bool is_resident(std::string_view name) const { return resides_ ? resides_(name) : is_known_port(name); }

  // The flow that a packet meets.
  FoundFlow lookup(const LogicalDatapath& datapath, const FlowKey& packet, ovn::Pipeline pipeline, std::uint32_t table) const;
  // Whether the whole table of the southbound database ("FDB") was read: what is not in it does not exist.
  bool knows_all_of(std::string_view table) const { return southbound_.complete.contains(table); }
  // Flows whose text was not understood, of the tables that packets met so far.
  std::vector<const ovn::sb::LogicalFlow*> unread() const { return unread_.all(); }

 private:
  friend class LogicalTable;
  const std::vector<std::uint32_t>& group_keys(const LogicalDatapath& datapath, const ovn::ValueSet& set) const;

  const ovn::Southbound& southbound_;
  const ovn::FlowReader& reader_;
  Resides resides_;
  LogicalDatapaths datapaths_;
  LogicalPorts ports_;
  LoadBalancerVips vips_;
  Memo<std::pair<const LogicalDatapath*, const ovn::ValueSet*>, std::vector<std::uint32_t>> group_keys_;
  UnreadFlows unread_;
};

}  // namespace egt::engine
