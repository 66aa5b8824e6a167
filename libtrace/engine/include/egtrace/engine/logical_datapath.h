// A logical switch or router with its ports, multicast groups, flows and what was learned of addresses (ovn-sb(5)).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/ovn/language.h"
#include "egtrace/ovn/southbound.h"

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

// Where addresses are, as it was learned: MAC bindings at the ports of a router, ports behind the MACs of a switch.
class LearnedAddresses {
 public:
  void add_binding(std::uint32_t port, const IpAddr& ip, MacAddr mac);
  void add_port(MacAddr mac, std::uint32_t port) { fdb_[mac.value] = port; }
  std::optional<MacAddr> binding(std::uint32_t port, const IpAddr& ip) const;
  std::optional<std::uint32_t> port(MacAddr mac) const;

 private:
  std::unordered_map<std::string, std::uint64_t> bindings_;  // port key and address → MAC
  std::unordered_map<std::uint64_t, std::uint32_t> fdb_;     // MAC → port key
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
  LearnedAddresses learned;

  LogicalDatapath();
  ~LogicalDatapath();
  const NetworkGroup* group(std::uint32_t key) const;
  const NetworkGroup* group(std::string_view name) const;
  const NetworkPort* port(std::uint32_t key) const;
  LogicalTable* table(ovn::Pipeline pipeline, std::uint32_t number) const;
  // The stage's name, from any flow of the table; empty where the table has none.
  std::string_view stage(ovn::Pipeline pipeline, std::uint32_t table) const;
};

// A logical flow of one datapath.
struct NetworkFlow {
  const ovn::sb::LogicalFlow* row = nullptr;
  const ovn::ActionList* actions = nullptr;
  bool matches_all = false;
};

struct FoundFlow {
  const NetworkFlow* flow = nullptr;  // null where none matches
  // A flow that would match, or would not, were a port known of which is_chassis_resident() asks and no dump shows.
  const ovn::sb::LogicalFlow* undecided = nullptr;
};

}  // namespace egt::engine
