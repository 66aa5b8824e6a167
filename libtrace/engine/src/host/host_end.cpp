#include "host_end.h"

#include <utility>

namespace egt::engine {

HostOutcome stopped(HostOutcome::Kind kind, Place where, Cause why, std::vector<Provenance> evidence) {
  HostOutcome o;
  o.kind = kind;
  o.stop.emplace();
  o.stop->where = std::move(where);
  o.stop->why = std::move(why);
  o.stop->evidence = std::move(evidence);
  return o;
}

HostOutcome dropped(Place where, Cause why, std::vector<Provenance> evidence) {
  return stopped(HostOutcome::Kind::dropped, std::move(where), std::move(why), std::move(evidence));
}

HostOutcome inconclusive(Place where, Cause why, std::vector<Provenance> evidence) {
  return stopped(HostOutcome::Kind::inconclusive, std::move(where), std::move(why), std::move(evidence));
}

HostOutcome failed_in_socket(const char* error, Place where, Cause why, std::vector<Provenance> evidence) {
  HostOutcome o = stopped(HostOutcome::Kind::rejected, std::move(where), std::move(why), std::move(evidence));
  o.reject_with = error;
  return o;
}

HostOutcome transmitted(std::string device) {
  HostOutcome o;
  o.kind = HostOutcome::Kind::transmit;
  o.device = std::move(device);
  return o;
}

bool sends_again(const FlowKey& packet) {
  const std::uint32_t proto = packet.u32(FieldId::nw_proto);
  return proto == ip_proto::tcp || proto == ip_proto::sctp;
}

}  // namespace egt::engine
