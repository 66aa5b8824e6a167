#include "agreement.h"

#include <fmt/format.h>

#include <algorithm>

namespace egt::test {
namespace {

using engine::HostOutcome;
using Kind = HostOutcome::Kind;

// Headers and device as the kernel's; what its choice of a port leaves open counts as equal.
bool same_packet(const FlowKey& a, const FlowKey& b, bool open_port) {
  Tuple x = tuple_of(a), y = tuple_of(b);
  if (open_port) x.sport = y.sport = 0;
  if (open_port && !has_ports(a)) x.dport = y.dport = 0;
  return x == y && a.u32(FieldId::nw_ttl) == b.u32(FieldId::nw_ttl);
}

bool same_frame(const HostOutcome& way, const Observation::Item& seen, bool open_port) {
  const FlowKey &a = way.packet, &b = seen.packet.key;
  return way.device == seen.device && same_packet(a, b, open_port) && src_mac(a) == src_mac(b) && dst_mac(a) == dst_mac(b) &&
         a.u32(FieldId::nw_tos) == b.u32(FieldId::nw_tos);
}

// NAT of an error reaches into the packet that it quotes.
bool same_quotation(const Way& w, const Observation::Item& seen) {
  return !w.outcome.quoted || !seen.packet.quoted || w.open_port || *w.outcome.quoted == *seen.packet.quoted;
}

// Takes away what TEE and dup sent besides. False where a copy is not seen that must be; of one that is lost, comes
// round to this host or is refused in OUTPUT less is shown.
bool take_copies(const std::vector<HostOutcome>& copies, const Way& w, Split& s) {
  const auto take = [](std::vector<const Observation::Item*>& list, auto is_it) {
    const auto found = std::find_if(list.begin(), list.end(), is_it);
    if (found == list.end()) return false;
    list.erase(found);
    return true;
  };
  for (const HostOutcome& copy : copies) {
    const bool leaves = copy.kind == Kind::transmit;
    const auto is_copy = [&](const auto* i) { return same_frame(copy, *i, w.open_port); };
    if (leaves && !take(s.packets, is_copy) && !take(s.answers, is_copy)) return false;
    if (!take_copies(copy.copies, w, s)) return false;
    if (copy.kind == Kind::rejected && (!w.answer || w.answer->kind != Kind::transmit || s.answers.size() > 1))
      take(s.answers, [](const auto*) { return true; });
    if (copy.kind == Kind::delivered && s.delivered.size() > (w.outcome.kind == Kind::delivered ? 1 : 0)) {
      const auto looks_so = [&](const auto* i) { return same_packet(copy.packet, i->packet.key, w.open_port); };
      const auto not_own = [&](const auto* i) { return looks_so(i) && i->device != w.outcome.device; };
      if (!take(s.delivered, not_own)) take(s.delivered, looks_so);
    }
  }
  return true;
}

// A socket hears the device of the address instead where the packet came back by lo, and where a bridge that asks
// iptables had routed an IPv6 packet already (ip6_rcv_core(), net/ipv6/ip6_input.c).
bool same_device(const HostOutcome& way, const Observation::Item& shown) {
  const bool by_bridge = way.device.starts_with("br") && family_of(way.packet) == Family::v6;
  return way.device == shown.device || way.device == "lo" || by_bridge;
}

bool any_storms(const std::vector<HostOutcome>& copies) {
  return std::any_of(copies.begin(), copies.end(), [](const HostOutcome& c) {
    return any_storms(c.copies) || (c.stop && c.stop->where.kind == engine::PlaceKind::copies);
  });
}

bool is_open(const std::vector<HostOutcome>& copies) {
  return std::any_of(copies.begin(), copies.end(),
                     [](const HostOutcome& c) { return c.kind == Kind::inconclusive || is_open(c.copies); });
}

// A copy whose path the dumps leave open may be seen anywhere, changed, or copied again: only what the packet itself
// must have caused is left, once.
void leave_own(const Way& w, Split& s) {
  const auto keep_first = [](std::vector<const Observation::Item*>& list, auto is_own) {
    const auto own = std::find_if(list.begin(), list.end(), is_own);
    list = own == list.end() ? std::vector<const Observation::Item*>{} : std::vector<const Observation::Item*>{*own};
  };
  keep_first(s.packets,
             [&](const auto* i) { return w.outcome.kind == Kind::transmit && same_frame(w.outcome, *i, w.open_port); });
  keep_first(s.delivered, [&](const auto* i) {
    return w.outcome.kind == Kind::delivered && same_packet(w.outcome.packet, i->packet.key, w.open_port);
  });
  keep_first(s.answers, [&](const auto* i) {
    return w.answer && w.answer->device == i->device && tuple_of(w.answer->packet) == tuple_of(i->packet.key);
  });
}

void keep_one_each(std::vector<const Observation::Item*>& list) {
  std::vector<const Observation::Item*> kept;
  for (const Observation::Item* i : list)
    if (std::none_of(kept.begin(), kept.end(),
                     [&](const auto* k) { return k->device == i->device && tuple_of(k->packet.key) == tuple_of(i->packet.key); }))
      kept.push_back(i);
  list = std::move(kept);
}

// Under load a process sends its SYN again before everything was seen.
void forget_repeated(std::vector<const Observation::Item*>& list, std::size_t copies) {
  const auto is_syn = [](const Observation::Item* i) {
    return i->packet.key.u64(FieldId::nw_proto) == ip_proto::tcp && i->packet.key.u32(FieldId::tcp_flags) == 0x02u;
  };
  while (list.size() > 1 + copies && is_syn(list.back()) && std::any_of(list.begin(), list.end() - 1, [&](const auto* i) {
           return i->device == list.back()->device && same_packet(i->packet.key, list.back()->packet.key, false);
         }))
    list.pop_back();
}

// Of what goes to everybody on a link a copy comes back to PREROUTING, where rules may copy it once more
// (ip_mc_output(), net/ipv4/ip_output.c).
void forget_elsewhere(std::vector<const Observation::Item*>& list, const std::string& device) {
  std::erase_if(list, [&](const Observation::Item* i) { return i->device != device; });
}

// Of that copy POSTROUTING makes its own copies, too.
void forget_copied_twice(const Way& w, std::vector<const Observation::Item*>& list) {
  for (const HostOutcome& copy : w.outcome.copies)
    std::erase_if(list, [&](const Observation::Item* i) {
      return copy.kind == Kind::transmit && same_frame(copy, *i, w.open_port) && !same_frame(w.outcome, *i, w.open_port);
    });
}

}  // namespace

bool is_redirect(const Seen& s) {
  const auto proto = s.key.u64(FieldId::nw_proto), type = s.key.u64(FieldId::icmp_type);
  return (proto == ip_proto::icmp && type == 5) || (proto == ip_proto::icmp6 && type == 137);
}

bool is_answer(const Seen& s) { return s.is_error || s.is_reset; }

Split split(const Observation& o, bool probe_is_error) {
  Split s;
  for (const auto& i : o.sent)
    if (!is_redirect(i.packet)) (is_answer(i.packet) && !probe_is_error ? s.answers : s.packets).push_back(&i);
  for (const auto& i : o.delivered)
    if (!is_answer(i.packet) || probe_is_error) s.delivered.push_back(&i);
  return s;
}

bool waits_for_neighbour(const Way& w) {
  return w.outcome.kind == Kind::inconclusive && w.outcome.stop && w.outcome.stop->where.kind == engine::PlaceKind::neighbour;
}

// A rule asks for bytes that neither headers nor dumps hold (a checksum): nothing is claimed of the message, which cannot be walked
// both ways.
bool asks_for_bytes(const HostOutcome& o) {
  if (o.kind != Kind::inconclusive || !o.stop) return false;
  const engine::Details& about = o.stop->why.about;
  return std::find(about.begin(), about.end(), engine::Detail(engine::Property::packet_part)) != about.end();
}

bool storms(const Way& w) { return any_storms(w.outcome.copies); }

bool agrees(const Way& w, const Observation& o, const Circumstances& c) {
  Split s = split(o, c.probe_is_error);
  if (storms(w))
    for (auto* list : {&s.packets, &s.answers, &s.delivered}) keep_one_each(*list);
  forget_repeated(s.packets, w.outcome.copies.size());
  forget_repeated(s.delivered, w.outcome.copies.size());
  if (!take_copies(w.outcome.copies, w, s) || (w.answer && !take_copies(w.answer->copies, w, s))) return false;
  if (is_open(w.outcome.copies) || (w.answer && is_open(w.answer->copies))) leave_own(w, s);
  if (c.probe_is_error && (w.outcome.kind == Kind::transmit || w.outcome.kind == Kind::delivered))
    for (const auto* list : {&s.packets, &s.delivered})
      for (const Observation::Item* i : *list)
        if (!same_quotation(w, *i)) return false;
  switch (w.outcome.kind) {
    case Kind::transmit:
      if (dst_mac(w.outcome.packet).is_multicast()) forget_copied_twice(w, s.packets);
      // Of what goes to everybody on a link, processes of this host get a copy (ip_mc_output(), net/ipv4/ip_output.c).
      return s.packets.size() == 1 && (s.delivered.empty() || dst_mac(w.outcome.packet).is_multicast()) &&
             same_frame(w.outcome, *s.packets.front(), w.open_port);
    case Kind::delivered:
      return s.packets.empty() && s.delivered.size() == 1 && same_device(w.outcome, *s.delivered.front()) &&
             same_packet(w.outcome.packet, s.delivered.front()->packet.key, w.open_port);
    case Kind::dropped: return s.packets.empty() && s.delivered.empty() && s.answers.empty() && !c.kernel_said_no;
    case Kind::rejected: {
      if (!s.packets.empty() || !s.delivered.empty()) return false;
      if (!w.answer) return c.kernel_said_no;
      if (asks_for_bytes(*w.answer)) return true;
      if (w.answer->kind != Kind::transmit) return s.answers.empty();
      if (s.answers.empty()) return c.may_be_silent;
      if (dst_mac(w.answer->packet).is_multicast()) forget_elsewhere(s.answers, w.answer->device);
      const FlowKey &a = w.answer->packet, &b = s.answers.front()->packet.key;
      Tuple x = tuple_of(a), y = tuple_of(b);
      return s.answers.size() == 1 && w.answer->device == s.answers.front()->device && x == y &&
             a.u64(FieldId::icmp_code) == b.u64(FieldId::icmp_code);
    }
    case Kind::inconclusive: return waits_for_neighbour(w) && s.packets.empty() && s.delivered.empty() && s.answers.empty();
  }
  return false;
}

std::string describe(const Observation& o) {
  std::string out;
  for (const auto& i : o.sent)
    out += fmt::format("\n    out {}{}", frame_text(i.device, i.packet.key),
                       i.packet.quoted
                           ? fmt::format(" about {}:{} > {}:{}", i.packet.quoted->src.to_string(), i.packet.quoted->sport,
                                         i.packet.quoted->dst.to_string(), i.packet.quoted->dport)
                           : "");
  for (const auto& i : o.delivered) out += fmt::format("\n    process {} {}", i.device, to_text(i.packet.key));
  return out.empty() ? "\n    nothing" : out;
}

}  // namespace egt::test
