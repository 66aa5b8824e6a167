// Flows of the datapath, as dpctl/dump-flows prints them and ofproto/trace takes them:
// "recirc_id(0),in_port(5),eth(),eth_type(0x0800),ipv4(src=10.0.0.1,proto=6,frag=no),tcp(dst=80)" (odp_flow_from_string()
// of lib/odp-util.c).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/result.h"
#include "egtrace/packet/flow_key.h"

namespace egt::parsers {

// An option of a Geneve tunnel; `data` in network byte order.
struct TunnelOption {
  std::uint16_t option_class = 0;
  std::uint8_t type = 0;
  std::vector<std::uint8_t> data;
};

struct DatapathFlow {
  FlowKey key;                          // without in_port: that of a bridge is another number
  std::optional<std::uint32_t> port;    // the datapath's number, or
  std::string port_name;                // its name there
  std::uint16_t tag_types[2] = {0, 0};  // Ethernet types of the tags
  std::uint16_t tunnel_flags = 0;       // DF 2, CSUM 4, KEY 8
  std::vector<TunnelOption> options;
};

// An error where a text has not the form, but that of OpenFlow perhaps. Of masked values what the flow holds is taken. A line of dpctl/dump-flows may be given as a whole. Fields that the
// packet's headers leave no room for are skipped, as the switch does.
// `vlan_limit`: so many tags are taken off; what stands behind another one is left unread, as by the switch.
Result<DatapathFlow> parse_datapath_flow(std::string_view text, unsigned vlan_limit = 1);

}  // namespace egt::parsers
