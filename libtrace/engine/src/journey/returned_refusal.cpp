#include "returned_refusal.h"

#include "egtrace/engine/socket_error.h"
#include "host/refusal.h"

namespace egt::engine {
namespace {

// Errors that a UDP socket does not hear of (icmp_err_convert[] of net/ipv4/icmp.c and tab_unreach[] of net/ipv6/icmp.c: not
// fatal), whatever a rule calls them.
bool is_soft(std::string_view with, Family family) {
  if (with.ends_with("ttl-exceeded") || with.ends_with("time-exceeded")) return true;
  const auto error = icmp_error_named(with, family);
  if (!error) return false;
  constexpr std::uint8_t kUnreachable4 = 3, kNetwork = 0, kHost = 1;
  constexpr std::uint8_t kUnreachable6 = 1, kNoRoute = 0, kBeyondScope = 2, kAddress = 3;
  if (family == Family::v4) return error->type == kUnreachable4 && (error->code == kNetwork || error->code == kHost);
  return error->type == kUnreachable6 && (error->code == kNoRoute || error->code == kBeyondScope || error->code == kAddress);
}

bool is_amid_connection(const FlowKey& sent) {
  constexpr std::uint64_t kSyn = 0x002, kAck = 0x010;
  return sent.u64(FieldId::nw_proto) == ip_proto::tcp && (sent.u64(FieldId::tcp_flags) & (kSyn | kAck)) == kAck;
}

// An answer of ovn-controller is a refusal only if the sender takes it for one.
Arrival judge_of_ovn(const Walk& walk, Refusal refusal, const Arrival& back) {
  const Sender& sender = walk.sender;
  const auto& quoted = walk.packet.quoted();
  Arrival arrival;
  arrival.verdict = back.verdict == Verdict::inconclusive ? Verdict::inconclusive : Verdict::rejected;
  arrival.stop = std::move(refusal.where);
  const bool is_back = back.verdict == Verdict::delivered && back.end.same_place(sender.from);
  if (is_back && (is_answer_to(back.packet, sender.sent) || (quoted && *quoted == tuple_of(sender.sent)))) {
    arrival.refusal_accepted = ends_connection(sender.sent, back.packet, refusal.with);
    arrival.size_learned = refusal.shows_size;
    return arrival;
  }
  if (arrival.verdict != Verdict::inconclusive) arrival.verdict = Verdict::dropped;
  const IpAddr from = src_ip(back.packet), expected = dst_ip(sender.sent);
  arrival.stop->why.then.push_back(is_back && from != expected ? Cause{Reason::refusal_from_other_address, {from, expected}}
                                                               : Cause{Reason::refusal_lost});
  return arrival;
}

// A first packet is rejected where its sender learns of it, else it waits as for one that was dropped. In the middle of a connection
// TCP does not take an ICMP error for its end (RFC 5461), so there the refusal alone counts.
Arrival judge_of_host(const Sender& sender, Refusal refusal, const Arrival& back) {
  Arrival arrival;
  arrival.verdict = Verdict::dropped;
  arrival.stop = std::move(refusal.where);
  const bool reached = back.verdict == Verdict::delivered && back.end.same_place(sender.from);
  arrival.refusal_accepted = reached && ends_connection(sender.sent, back.packet, refusal.with);
  arrival.size_learned = reached && refusal.shows_size;
  if (reached || is_amid_connection(sender.sent)) arrival.verdict = Verdict::rejected;
  if (back.verdict == Verdict::inconclusive) arrival.verdict = Verdict::inconclusive;
  if (!reached) arrival.stop->why.then.push_back({Reason::error_lost});
  return arrival;
}

}  // namespace

// A reset ends any TCP connection, an ICMP error only one that is not established yet (RFC 5461, 1).
bool ends_connection(const FlowKey& sent, const FlowKey& refusal, std::string_view with) {
  if (sent.u64(FieldId::nw_proto) == ip_proto::udp) return !is_soft(with, family_of(sent));
  return !is_amid_connection(sent) || refusal.u64(FieldId::nw_proto) == ip_proto::tcp;
}

bool ends_without_neighbour(const FlowKey& sent) { return ends_connection(sent, sent, "icmp-host-unreachable"); }

Next send_refusal(Walk& walk, Refusal& refusal) {
  if (Position* known = std::get_if<Position>(&refusal.answer)) return std::move(*known);
  const cluster::Node& node = *refusal.node;
  const HostOutcome outcome = host_of(walk, node).send(std::get<LocalSend>(refusal.answer));
  if (outcome.kind == HostOutcome::Kind::transmit) return AtDevice{&node, outcome.device, outcome.packet};
  if (outcome.kind == HostOutcome::Kind::delivered) return AtProcess{&node, outcome.device, outcome.packet};
  Arrival lost;
  lost.verdict = outcome.kind == HostOutcome::Kind::inconclusive ? Verdict::inconclusive : Verdict::dropped;
  return lost;
}

Arrival judge_refusal(const Walk& walk, Refusal refusal, const Arrival& back) {
  const bool of_ovn = std::holds_alternative<Position>(refusal.answer);
  return of_ovn ? judge_of_ovn(walk, std::move(refusal), back) : judge_of_host(walk.sender, std::move(refusal), back);
}

}  // namespace egt::engine
