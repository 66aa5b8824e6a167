#include "walks.h"

#include "egtrace/base/fill.h"
#include "egtrace/base/term.h"

namespace egt::explain {

using engine::WalkedPath;

std::string request_name(const std::string& sender) { return "the packet from " + sender; }

std::string reply_name(const WalkedPath& reply) {
  if (!is_ip(reply.sent)) return "the reply";
  return egt::fill("the reply from {0} to {1}", Terms{src_ip(reply.sent), dst_ip(reply.sent)});
}

std::string later_name(const WalkedPath& next, bool is_answer) {
  if (is_answer) return "the reply to the packet after the handshake";
  const bool has_handshake = next.sent.u64(FieldId::nw_proto) == ip_proto::tcp;
  return has_handshake ? "the packet after the handshake" : "the next packet";
}

}  // namespace egt::explain
