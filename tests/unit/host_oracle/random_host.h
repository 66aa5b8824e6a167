// Random configurations of hosts that a person might have written, and packets that meet their rules.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "kernel_host.h"

namespace egt::test {

struct Probe {
  bool local = false;
  unsigned wire = 0;  // of a packet from outside
  FlowKey packet;
  LocalProbe process;
  TcpPlace place;
  std::optional<FlowKey> quoted;  // the packet is an ICMP error about this one
  bool in_fragments = false;      // of UDP from outside
};

bool is_one_of(const std::string& s, std::initializer_list<const char*> of);

class RandomHost {
 public:
  explicit RandomHost(unsigned seed);

  HostSetup setup();
  // The device of the host's stack to which a wire leads: the wire's end itself, a macvlan on it or its bridge.
  std::string device_of(unsigned wire) const { return upper_[wire] + std::to_string(wire); }
  Probe probe();

  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return pick(100) < percent; }

 private:
  std::string one(std::initializer_list<const char*> of) { return *(of.begin() + pick(static_cast<unsigned>(of.size()))); }
  std::string device() { return device_of(pick(kWires)); }

  std::string sets();
  void make_links(HostSetup& s);
  void make_devices(HostSetup& s);
  void make_routes(HostSetup& s, bool v4);
  void make_rules(HostSetup& s, bool v4);
  void make_sysctl(HostSetup& s);
  void make_ipsec(HostSetup& s, bool v4);

  std::string gateway(unsigned wire, bool v4);
  std::string remote_net(bool v4);
  std::string some_net(bool v4);  // of sources or destinations that probes use
  std::string own_address(unsigned wire, bool v4);
  IpAddr destination(bool v4);
  IpAddr source(unsigned wire, bool v4);

  // random_iptables.cpp
  std::string iptables(bool v4);
  std::string iptables_rule(const std::string& table, const std::string& chain, int level, bool v4);
  std::string iptables_match(const std::string& table, const std::string& chain, bool v4, std::string& protocol);
  std::string iptables_target(const std::string& table, const std::string& chain, int level, bool v4,
                              const std::string& protocol);
  std::string rare_iptables_match(const std::string& table, const std::string& chain, bool v4, const std::string& protocol);
  std::string set_match(bool v4);
  // random_nft.cpp
  std::string nft();
  std::string nft_chain(const std::string& family, unsigned number);
  std::string nft_rule(const std::string& family, const std::string& type, const std::string& hook, int level);
  std::string nft_match(const std::string& family, const std::string& hook, bool v4);
  std::string rare_nft_match(const std::string& family, const std::string& hook, bool v4);
  std::string rare_nft_action(const std::string& family, const std::string& hook, bool v4, int level);
  std::string nft_action(const std::string& family, const std::string& type, const std::string& hook, int level, bool v4);

  std::mt19937 random_;
  bool second_[kWires] = {}, single_[kWires] = {};  // subnets; an address of none
  bool peer_[kWires] = {};                          // the second subnet is reached point-to-point
  std::string upper_[kWires] = {"v", "v", "v", "v"};
  unsigned next_port_ = 20000;
};

}  // namespace egt::test
