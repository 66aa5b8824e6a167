// One connection of a conntrack dump (conntrack -L, ovs-appctl dpctl/dump-conntrack).
#pragma once

#include <cstdint>
#include <optional>

#include "egtrace/base/name.h"
#include "egtrace/base/u128.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/packet/packet.h"

namespace egt::host {

struct ConntrackEntry {
  Tuple original, reply;
  std::uint16_t zone = 0;
  std::uint32_t mark = 0;
  U128 label = 0;
  Name state;  // ESTABLISHED, SYN_SENT, …; empty for protocols without
  bool unreplied = false, assured = false;
  bool reply_known = true;               // false: the dump does not show whether an answer came (`unreplied` is false)
  bool label_known = true;               // false: the tool does not print labels (`label` is 0)
  std::optional<std::uint32_t> timeout;  // seconds
  Provenance from;
};

}  // namespace egt::host
