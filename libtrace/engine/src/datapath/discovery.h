// A message of neighbour discovery as it stands in a packet. A key has of it what ovs-vswitchd reads: one address of each kind, and none
// of a message that has two (parse_icmpv6() of lib/flow.c).
#pragma once

#include <vector>

#include "egtrace/packet/flow_key.h"

namespace egt::engine {

class Discovery {
 public:
  explicit Discovery(const FlowKey& key);

  static bool has(FieldId field);
  void write(FieldId field, U128 value, U128 mask);  // packet_set_nd(), packet_set_nd_ext() of lib/packets.c
  void show(FlowKey& key) const;
  static void hide(FlowKey& key);

 private:
  struct Option {
    U128 type, address;
  };

  void write_address(FieldId field, U128 value, U128 mask);

  U128 target_, reserved_;
  std::vector<Option> options_;
};

}  // namespace egt::engine
