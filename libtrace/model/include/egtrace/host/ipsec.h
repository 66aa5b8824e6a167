// Policies and security associations of IPsec in the Linux kernel (ip-xfrm(8), net/xfrm/xfrm_policy.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/evidence/evidence.h"

namespace egt::host {

// Which packets a policy is for. Absent: any.
struct IpsecSelector {
  Prefix source, destination;
  std::optional<std::uint8_t> proto;
  std::optional<std::uint16_t> sport, dport;  // of ICMP its type and code
  std::string device;                         // by which they leave; empty: any
};

// How a policy demands that they are protected.
struct IpsecTemplate {
  IpAddr source, destination;  // of the security association; unspecified: the packet's own
  std::string proto;           // "esp", "ah", "comp"
  std::uint32_t reqid = 0;     // 0: any
  bool is_tunnel = false;      // the packet goes into another one
  bool is_optional = false;    // level use: where there is an association
};

enum class IpsecDirection : std::uint8_t { in, out, forward };

struct IpsecPolicy {
  IpsecSelector selector;
  IpsecDirection direction = IpsecDirection::in;
  std::uint64_t priority = 0;  // the smallest decides
  bool blocks = false;         // action block
  std::uint32_t mark = 0, mark_mask = 0;
  std::uint32_t interface_id = 0;  // of an xfrm device, whose packets alone it is for; 0: of all others
  std::vector<IpsecTemplate> templates;
  Provenance from;
};

struct IpsecAssociation {
  IpAddr source, destination;
  std::string proto;
  std::uint32_t reqid = 0;
  Provenance from;
  std::string cipher;                       // as the kernel names it: "rfc4106(gcm(aes))", "cbc(aes)"; empty: none shown
  std::optional<std::uint16_t> check_bits;  // of the integrity check value
  std::uint16_t udp_port = 0;               // its packets go to this port of UDP (4500: RFC 3948); 0: they are plain ESP or AH
};

// A connection of the IKE daemon (libreswan: ipsec-status(8)).
enum class IpsecState : std::uint8_t { loaded, on_demand, established };
struct IpsecConnection {
  std::string name;
  IpAddr local, remote;
  IpsecState state = IpsecState::loaded;
  Provenance from;
};

// A certificate of the IKE daemon. Times in seconds since 1970; 0: not shown.
struct IpsecCertificate {
  std::string name;  // "ovs_certkey_CHASSIS", "ovs_cert_cacert" are those of ovs-monitor-ipsec(8)
  std::int64_t not_before = 0, not_after = 0;
  Provenance from;
};

}  // namespace egt::host
