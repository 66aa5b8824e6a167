// What single numbers and bits mean, as rows of data and the functions that look them up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/mac.h"
#include "egtrace/base/u128.h"
#include "egtrace/explain/decode.h"
#include "egtrace/packet/flow_key.h"

namespace egt::explain {

// Bits of a field to which OVN gives a name. `in`: "switch", "router", or empty where it is the same in both.
struct BitMeaning {
  FieldId field;
  std::uint16_t first, bits;
  std::string_view in;
  std::string_view name;
  std::string_view releases;  // empty: all
};
std::vector<const BitMeaning*> bits_of(FieldId field);

// Packet marks (pkt_mark, skb mark, fwmark) of OVN-Kubernetes and kube-proxy; empty when unknown.
std::string mark_meaning(std::uint32_t mark);
// Connection marks that OVN-Kubernetes sets on the external bridge; empty when unknown.
std::string bridge_ct_mark_meaning(std::uint32_t mark);
std::string zone_meaning(std::uint32_t zone);
// Keys that OVN-Kubernetes gives datapaths of all zones; empty for those of a zone's own.
std::string tunnel_key_meaning(std::uint32_t key);
std::string cookie_meaning(std::uint64_t cookie);
// Key of a multicast group in reg15 or a tunnel; empty below 0x8000.
std::string multicast_group_meaning(std::uint32_t key);

// "+new+trk": the names of the bits set, with what they mean together.
std::string ct_state_names(std::uint32_t value, std::uint32_t mask);
std::string ct_state_sentence(std::uint32_t value);
// "+trk-new", "trk|est", "new,trk"; empty when some word is no state.
struct StateBits {
  std::uint32_t value = 0, mask = 0;
};
std::optional<StateBits> parse_ct_state(std::string_view text);

// Addresses that OVN-Kubernetes uses by default (masquerade, join and transit subnets); empty for others.
std::string default_address_meaning(const IpAddr& address);
// Of these subnets those of links between two routers: of a transit router, in its default subnet; empty for others.
std::string transit_link_meaning(const IpAddr& address);
// What an address with a length of 31 (127) is.
std::string link_of_two_meaning(const IpAddr& address);
// The address in a MAC that OVN-Kubernetes made of it (0a:58 and four octets).
std::optional<IpAddr> address_of_mac(const MacAddr& mac);
// "broadcast", "locally administered"
std::string_view mac_kind(const MacAddr& mac);
std::string mac_of_address_meaning(const IpAddr& address);
// What a cookie has to do with the rows of the Southbound database.
std::string row_of_cookie_meaning(std::uint64_t cookie);
std::string cookie_of_row_meaning(std::uint64_t cookie);
constexpr std::string_view kTableOfIntegrationBridge = "OpenFlow table of br-int";

// The data of the Geneve option: input and output port keys.
std::string tunnel_ports(std::uint32_t option);

}  // namespace egt::explain
