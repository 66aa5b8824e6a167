// The reasons that the kernel gives for a packet that it frees instead of passing it on (enum skb_drop_reason of
// include/net/dropreason-core.h, enum ovs_drop_reason of net/openvswitch/drop.h): what they mean, in a line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "egtrace/engine/reason.h"

namespace egt::explain {

// What kind of decision drops the packet.
enum class DropKind : std::uint8_t {
  unspecified,  // the kernel gives none; older ones also for packets that did their work
  harmless,     // a copy or leftover whose loss ends nothing
  netfilter,
  source_check,
  routing,
  listener,  // no process listens for it
  open_vswitch,
  neighbour,
  size,
  ttl,
  damaged,     // checksums, headers
  connection,  // the state of a TCP connection
  device,
  room,     // a queue or memory is full
  program,  // eBPF, tc, XDP, socket filters
};

struct DropReason {
  std::string_view name;  // without SKB_DROP_REASON_ and OVS_DROP_
  DropKind kind = DropKind::unspecified;
  std::string_view meaning;
};

// `subsystem`: "openvswitch", or empty. Of a reason that no table has, the meaning shows that.
const DropReason& drop_reason(std::string_view subsystem, std::string_view name);

// Whether a path that ends for this reason ends by such a decision. Undecided (false) where the kernel gives no reason.
bool is_by(DropKind kind, engine::Reason reason);

}  // namespace egt::explain
