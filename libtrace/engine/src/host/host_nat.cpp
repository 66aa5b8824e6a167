#include "host_nat.h"

#include <algorithm>

#include "source_address.h"

namespace egt::engine {
namespace {

using netfilter::Hook;
using netfilter::NatTarget;

std::string by_name(const NatDecision& d) { return d.front_end == "nft" ? "nft" : "iptables"; }

}  // namespace

void HostNat::translate_by_connection(Hook hook) {
  const bool source = translates_source(hook);
  const Tuple before = tuple_of(skb_.packet);
  const auto applied = conntrack_.translate(source, skb_.packet);
  if (!applied) return;
  const Connection* c = conntrack_.connection();
  const bool by_source_rule = source != conntrack_.reply_direction();
  const std::string& by = by_source_rule ? c->snat_by : c->dnat_by;
  std::vector<Provenance> lines;
  if (c->from.known()) lines.push_back(c->from);
  note_translation(*applied, by.empty() ? "conntrack" : by, true, std::move(lines));
  route_lost_ = skb_.looped && hook == Hook::prerouting && tuple_of(skb_.packet).dst != before.dst;
}

// The kernel forgets a connection that MASQUERADE translated for one device when a packet of it is to leave by another
// one, and drops the packet (nf_nat_oif_changed()). A translation by SNAT stays.
Ended HostNat::check_masquerade(const NetfilterEngine& rules) {
  const Connection* c = conntrack_.connection();
  if (c == nullptr || conntrack_.reply_direction() || is_icmp_error(skb_.packet)) return std::nullopt;
  const std::string device = c->masqueraded_on.empty() ? device_of_masquerade(*c, rules) : c->masqueraded_on;
  if (device.empty() || device == skb_.out) return std::nullopt;
  std::vector<Provenance> lines;
  if (c->from.known()) lines.push_back(c->from);
  conntrack_.forget();
  return dropped({PlaceKind::conntrack}, {Reason::masquerade_moved, {device, skb_.out}}, std::move(lines));
}

// Of a connection that a dump mentions. That dump does not say what translated it: where the new source is an address of
// another device than the packet's, that makes the difference.
std::string HostNat::device_of_masquerade(const Connection& c, const NetfilterEngine& rules) {
  if (!c.from.known() || !c.has_snat() || !rules.may_masquerade()) return {};
  const auto has_it = [&](const host::Link& link) {
    return std::any_of(link.addresses.begin(), link.addresses.end(),
                       [&](const host::Address& a) { return a.prefix.address == c.reply.dst; });
  };
  const host::Link* out = record_.host().link(skb_.out);
  const host::Link* owner = record_.host().owner_of(c.reply.dst);
  if (owner == nullptr || (out != nullptr && has_it(*out))) return {};
  ChoicePoint point;
  point.kind = ChoicePoint::Kind::unknown;
  point.what = Branch::masquerade;
  point.about = {c.reply.dst, owner->name, skb_.out};
  point.options = {{{Alternative::snat}}, {{Alternative::masquerade}}};
  point.evidence = {c.from};
  return record_.choose(point) == 0 ? std::string() : owner->name;
}

// Said only where it decides something: what the rules do with a packet, or what it is translated to.
void HostNat::assume_pick_up() {
  if (conntrack_.presumed()) record_.know(tcp_loose_setting(record_.host()), true, Supposition::tcp_loose);
}

void HostNat::assume_another_port(const std::vector<Provenance>& evidence) {
  record_.assume({Supposition::other_source_port, {record_.node().name}, {}, evidence});
}

// __nf_conntrack_confirm(): of two connections whose answers would look the same the second is lost.
Ended HostNat::confirm() {
  if (conntrack_.confirm()) return std::nullopt;
  assume_pick_up();
  const Tuple& reply = conntrack_.connection()->reply;
  return dropped({PlaceKind::conntrack}, {Reason::reply_tuple_taken, {reply.src, reply.dst, std::uint64_t{reply.dport}}});
}

// No rule translates; two connections of which the answers would look the same still get different ports.
void HostNat::keep_addresses(bool source) {
  if (conntrack_.bind_nothing(source)) return;
  assume_another_port({});
  const auto applied = conntrack_.translate(source, skb_.packet);
  network_state_.leave_port_open(tuple_of(skb_.packet), source);
  if (applied) note_translation(*applied, "conntrack", false, {});
}

Ended HostNat::bind(const NatDecision& decision, Hook hook) {
  std::vector<Provenance> lines = decision.evidence;
  const auto address = translation_address(decision, hook, lines);
  if (!address) {
    const Place where{PlaceKind::chain, {decision.front_end, decision.table, decision.chain}};
    if (record_.host().links.present && !record_.host().links.partial)
      return dropped(where, {Reason::no_translation_address}, lines);
    record_.gap(Input::addresses);
    return inconclusive(where, {Reason::translation_address_unknown}, lines);
  }
  const std::uint16_t own = decision.source ? tuple_of(skb_.packet).sport : tuple_of(skb_.packet).dport;
  if (decision.port_uncertain)
    record_.assume(
        {Supposition::random_port, {record_.node().name, std::uint64_t{decision.port.value_or(own)}}, {}, decision.evidence});
  const bool keeps_port = conntrack_.bind(decision.source, *address, decision.port, decision.only_port);
  if (!keeps_port) assume_another_port(decision.evidence);
  if (Connection* c = conntrack_.connection()) {
    (decision.source ? c->snat_by : c->dnat_by) = by_name(decision);
    if (decision.kind == NatTarget::Kind::masquerade) c->masqueraded_on = skb_.out;
    if (decision.source && decision.port_uncertain) c->random_sport = true;
  }
  const auto applied = conntrack_.translate(decision.source, skb_.packet);
  if (decision.port_uncertain || !keeps_port) network_state_.leave_port_open(tuple_of(skb_.packet), decision.source);
  if (applied) note_translation(*applied, by_name(decision), false, std::move(lines));
  return std::nullopt;
}

std::optional<IpAddr> HostNat::translation_address(const NatDecision& decision, Hook hook,
                                                   std::vector<Provenance>& evidence) const {
  if (decision.address) return decision.address;
  std::optional<OwnAddress> own;
  if (decision.kind == NatTarget::Kind::masquerade) {
    own = masquerade_address(record_.host(), skb_.out, skb_.next_hop, dst_ip(skb_.packet));
  } else if (decision.kind == NatTarget::Kind::redirect && hook == Hook::output) {
    return skb_.family() == Family::v4 ? IpAddr::v4(0x7f000001) : IpAddr::v6(1);
  } else if (decision.kind == NatTarget::Kind::redirect) {
    own = redirect_address(record_.host(), skb_.in, dst_ip(skb_.packet));
  } else {
    return decision.source ? src_ip(skb_.packet) : dst_ip(skb_.packet);  // only the port changes
  }
  if (!own) return std::nullopt;
  if (own->entry != nullptr) evidence.push_back(own->entry->from);
  return own->address;
}

void HostNat::note_translation(const Applied& applied, const std::string& by, bool by_connection,
                               std::vector<Provenance> evidence) {
  if (!skb_.looped) (applied.source ? source_ : destination_) = true;
  assume_pick_up();
  const bool open = network_state_.is_port_open(applied.after, applied.source);
  record_.walk().nat.push_back({record_.node().name, by, applied.source, applied.before, applied.after, evidence, open});
  record_.add(Translate{applied.source, by, applied.before, applied.after, by_connection, open}, std::move(evidence));
}

}  // namespace egt::engine
