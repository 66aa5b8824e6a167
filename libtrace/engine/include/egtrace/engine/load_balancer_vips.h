// The addresses of load balancers, as ovn-trace and ovn-controller look for them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/ovn/southbound.h"

namespace egt::engine {

class LoadBalancerVips {
 public:
  explicit LoadBalancerVips(const std::vector<ovn::sb::LoadBalancer>& rows);  // which must outlive it

  struct Vip {
    IpAddr address;
    std::uint16_t port = 0;
    std::string host;  // the address as written
  };
  // The first VIP with one of these addresses, in the order in which ovn-trace meets them.
  std::optional<Vip> find(std::uint32_t ipv4, U128 ipv6) const;
  // The source that load balancers give to packets which go back to their sender (option hairpin_snat_ip); nothing: the VIP.
  std::optional<IpAddr> hairpin_source(Family family) const;

 private:
  const std::vector<ovn::sb::LoadBalancer>& rows_;
  std::vector<Vip> vips_;
  std::map<IpAddr, std::size_t> first_;  // positions in vips_
};

}  // namespace egt::engine
