// The packet that a question asks about.
#pragma once

#include "egtrace/explain/explanation.h"

namespace egt::explain {

struct Asked {
  FlowKey packet;
  IpAddr src, dst;  // src unspecified: chosen by the sender's kernel
  bool choose_source = false;
};

// Errors: unknown protocol, no address of the destination's family, a destination without address.
Result<Asked> packet_of(const Question& q, const Resolved& from, const Resolved& to);

}  // namespace egt::explain
