// Logical datapaths, ports and flows of a southbound database, ready to be walked (ovn-sb(5)).
//
// Flows are read when a packet first comes to their table: a database has a hundred thousand of them, a packet meets some
// thousand. A table then finds its flow by hashed fields, not by trying all matches.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/published.h"
#include "egtrace/ovn/language.h"
#include "egtrace/ovn/southbound.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine {

struct LogicalDatapath;
class LogicalTable;

// Addresses that port security lets a port use.
struct PortSecurity {
  MacAddr mac;
  std::vector<IpAddr> ipv4, ipv6;
};

struct NetworkPort {
  const ovn::sb::PortBinding* row = nullptr;
  LogicalDatapath* datapath = nullptr;
  std::string name, alias;  // alias: external_ids:name, or empty
  std::string friendly;     // what traces call it
  std::uint32_t key = 0;
  NetworkPort* peer = nullptr;         // of patch and l3gateway ports
  NetworkPort* distributed = nullptr;  // of chassisredirect ports
  std::vector<PortSecurity> security;
};

struct NetworkGroup {
  std::string name;
  std::uint32_t key = 0;
  std::vector<const NetworkPort*> ports;  // by name
  bool lacks_ports = false;               // no dump shows some that the row names
};

struct LogicalDatapath {
  const ovn::sb::DatapathBinding* row = nullptr;
  ovn::Uuid northbound;
  std::string name, alias, friendly;
  std::uint32_t key = 0;
  bool has_gateway = false;  // an l3gateway port
  std::unordered_map<std::uint32_t, NetworkPort*> ports_by_key;
  std::vector<NetworkGroup> groups;
  std::vector<std::unique_ptr<LogicalTable>> ingress, egress;
  std::unordered_map<std::string, std::uint64_t> bindings;  // see LogicalNetwork::binding()
  std::unordered_map<std::uint64_t, std::uint32_t> fdb;     // MAC → port key

  LogicalDatapath();
  ~LogicalDatapath();
  const NetworkGroup* group(std::uint32_t key) const;
  const NetworkGroup* group(std::string_view name) const;
  const NetworkPort* port(std::uint32_t key) const;
  LogicalTable* table(ovn::Pipeline pipeline, std::uint32_t number) const;
};

// A logical flow of one datapath.
struct NetworkFlow {
  const ovn::sb::LogicalFlow* row = nullptr;
  const ovn::ActionList* actions = nullptr;
  bool matches_all = false;
};

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
  ~LogicalNetwork();

  struct FoundDatapath {
    const LogicalDatapath* datapath = nullptr;
    bool ambiguous = false;
  };
  // By name, alias, or at least four first digits of its UUID or its northbound UUID.
  FoundDatapath find_datapath(std::string_view name) const;
  const LogicalDatapath* datapath_with_key(std::uint32_t tunnel_key) const;
  // By its exact name.
  const NetworkPort* find_port(std::string_view name) const;
  // The key that a port's or multicast group's name stands for in matches of a datapath; nothing for unknown names and
  // ports of other datapaths.
  std::optional<std::uint32_t> port_key(const LogicalDatapath& datapath, std::string_view name) const;
  bool is_known_port(std::string_view name) const { return name.empty() || find_port(name) != nullptr; }
  bool is_resident(std::string_view name) const { return resides_ ? resides_(name) : is_known_port(name); }

  struct FoundFlow {
    const NetworkFlow* flow = nullptr;  // null where none matches
    // A flow that would match, or would not, were a port known of which is_chassis_resident() asks and no dump shows.
    const ovn::sb::LogicalFlow* undecided = nullptr;
  };
  // The flow that a packet meets.
  FoundFlow lookup(const LogicalDatapath& datapath, const FlowKey& packet, ovn::Pipeline pipeline, std::uint32_t table) const;
  // The stage's name, from any flow of the table; empty where the table has none.
  std::string_view stage(const LogicalDatapath& datapath, ovn::Pipeline pipeline, std::uint32_t table) const;
  std::optional<MacAddr> binding(const LogicalDatapath& datapath, std::uint32_t port, const IpAddr& ip) const;
  std::optional<std::uint32_t> learned_port(const LogicalDatapath& datapath, MacAddr mac) const;

  // The first VIP with this address, in the order in which ovn-trace meets them.
  struct Vip {
    IpAddr address;
    std::uint16_t port = 0;
    std::string host;  // the address as written
  };
  std::optional<Vip> find_vip(std::uint32_t ipv4, U128 ipv6) const;
  // The source that load balancers give to packets which go back to their sender (option hairpin_snat_ip); nothing: the VIP.
  std::optional<IpAddr> hairpin_source(Family family) const;

  const ovn::Southbound& southbound() const { return southbound_; }
  // Whether the whole table of the southbound database ("FDB") was read: what is not in it does not exist.
  bool knows_all_of(std::string_view table) const { return southbound_.complete.contains(table); }
  // Flows whose text was not understood, of the tables that packets met so far.
  std::vector<const ovn::sb::LogicalFlow*> unread() const { return unread_.all(); }

 private:
  friend class LogicalTable;
  void add_datapaths(bool friendly_names);
  void add_ports(bool friendly_names);
  void add_groups();
  void add_flows();
  void add_bindings();
  void add_vips();
  LogicalDatapath* datapath(const ovn::Uuid& uuid) const;
  const NetworkPort* find_port_loosely(std::string_view name) const;
  const std::vector<std::uint32_t>& group_keys(const LogicalDatapath& datapath, const ovn::ValueSet& set) const;

  const ovn::Southbound& southbound_;
  const ovn::FlowReader& reader_;
  Resides resides_;
  std::vector<std::unique_ptr<LogicalDatapath>> datapaths_;
  std::unordered_map<std::uint64_t, LogicalDatapath*> datapaths_by_uuid_;  // by Uuid::low
  std::vector<std::unique_ptr<NetworkPort>> ports_;
  std::unordered_map<std::string_view, NetworkPort*> ports_by_name_;
  std::unordered_map<std::string_view, std::vector<NetworkPort*>> ports_by_alias_;
  std::vector<Vip> vips_;
  std::map<IpAddr, std::size_t> first_vips_;  // positions in vips_
  Memo<std::pair<const LogicalDatapath*, const ovn::ValueSet*>, std::vector<std::uint32_t>> group_keys_;
  UnreadFlows unread_;
};

}  // namespace egt::engine
