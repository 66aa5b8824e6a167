// Sets of ipset(8), which rules of iptables ask with `-m set`.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/u128.h"
#include "egtrace/evidence/evidence.h"

namespace egt::host {

// One dimension of a set's type: "hash:net,port,ip" has three.
enum class IpSetPart : std::uint8_t { ip, net, port, mac, mark, iface };
constexpr std::size_t kMostIpSetParts = 3;

// A member's parts as numbers in host order: an address, a net's first address, protocol << 16 | port (of ICMP and
// ICMPv6 type << 8 | code; of bitmap:port the port alone), a MAC address, a mark.
struct IpSetKey {
  std::array<U128, kMostIpSetParts> value{};
  std::array<std::uint8_t, kMostIpSetParts> length{};  // of nets, in bits; 0 elsewhere
  std::string device;                                  // of iface
  friend auto operator<=>(const IpSetKey&, const IpSetKey&) = default;
};

struct IpSetMember {
  IpSetKey key;
  bool no_match = false;  // "nomatch": an exception from wider nets
  bool wildcard = false;  // iface: every name that begins so
  bool physical = false;  // iface: "physdev:", the port of a bridge
  bool any_mac = false;   // bitmap:ip,mac: no MAC address is stored
  Provenance from;
};

struct IpSet {
  struct Named {
    std::string name;
    Provenance from;
  };

  std::string type;              // "hash:ip,port"
  std::vector<IpSetPart> parts;  // empty for list:set
  bool is_list = false;          // of sets, in the order in which they are asked
  std::optional<Family> family;  // empty: packets of both
  U128 address_mask = ~U128{0};  // "netmask", "bitmask": what of addresses counts
  std::uint32_t mark_mask = 0xffffffff;
  std::vector<IpSetMember> members;                                // sorted by key once settle() has run
  std::array<std::vector<std::uint8_t>, kMostIpSetParts> lengths;  // of the nets that are members, longest first
  std::vector<Named> sets;                                         // of a list
  bool complete = true;                                            // false: members may be missing here
  Provenance from;

  // Sorts what was filled in; to be called once all members are there.
  void settle();
};

using IpSets = std::map<std::string, IpSet>;

// Sets that rules of iptables write into (-j SET): what a dump shows of them may be out of date.
struct IpSetChanges {
  std::set<std::string> added_to, removed_from;
};

}  // namespace egt::host
