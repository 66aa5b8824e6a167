#include "ipset_match.h"

#include <algorithm>

namespace egt::engine {
namespace {

using host::IpSet;
using host::IpSetKey;
using host::IpSetMember;
using host::IpSetPart;

struct SetAnswer {
  // no_match: met by an exception. of_others: the net has members, of other devices.
  enum class Kind : std::uint8_t { no, yes, no_match, of_others, unknown } kind = Kind::no;
  Provenance member{};
};
using Found = SetAnswer::Kind;

// What a packet has for each part of a set. `valid`: it has all of them, or it cannot be in the set.
struct PacketParts {
  IpSetKey key;
  bool valid = true, unknown = false;
};

struct Question {
  const netfilter::InIpset& test;
  const ReadFrom& from;
};

constexpr unsigned kProtocolShift = 16, kTypeShift = 8;

bool by_source(const Question& q, std::size_t dimension) {
  return q.test.dimensions[dimension] == netfilter::InIpset::Dimension::source;
}

IpAddr address_of(const Question& q, bool source) {
  return source ? src_ip(q.from.context.packet) : dst_ip(q.from.context.packet);
}

// ip_set_get_ip4_port(): of ICMP type and code, of protocols without ports 0.
U128 port_of(const FlowKey& p, bool source) {
  const std::uint64_t proto = p.u64(FieldId::nw_proto);
  std::uint64_t port = 0;
  if (has_ports(p))
    port = p.u64(source ? FieldId::tp_src : FieldId::tp_dst);
  else if (proto == ip_proto::icmp || proto == ip_proto::icmp6)
    port = p.u64(FieldId::icmp_type) << kTypeShift | p.u64(FieldId::icmp_code);
  return U128{proto} << kProtocolShift | port;
}

// bitmap:port takes packets of TCP and UDP alone, whatever their protocol (ip_set_get_ip_port()).
void read_plain_port(const FlowKey& p, bool source, std::size_t i, PacketParts& parts) {
  const std::uint64_t proto = p.u64(FieldId::nw_proto);
  parts.valid = parts.valid && (proto == ip_proto::tcp || proto == ip_proto::udp);
  parts.key.value[i] = p.u64(source ? FieldId::tp_src : FieldId::tp_dst);
}

// A packet that this host made has no Ethernet header yet, and an address of zeros is taken for none.
void read_mac(const Question& q, bool source, std::size_t i, PacketParts& parts) {
  const netfilter::Read read{source ? netfilter::Key::ether_saddr : netfilter::Key::ether_daddr, 0, 0};
  const ReadValue v = read_key(read, q.from);
  const auto* n = std::get_if<KnownNumber>(&v);
  if (n == nullptr)
    parts.valid = false;
  else if (n->value == 0)
    parts.unknown = true;
  else
    parts.key.value[i] = n->value;
}

void read_part(const IpSet& set, const Question& q, std::size_t i, PacketParts& parts) {
  const bool source = by_source(q, i);
  const FlowKey& p = q.from.context.packet;
  switch (set.parts[i]) {
    case IpSetPart::ip:
    case IpSetPart::net: parts.key.value[i] = address_of(q, source).value & set.address_mask; break;
    case IpSetPart::port:
      if (set.parts.size() == 1)
        read_plain_port(p, source, i, parts);
      else
        parts.key.value[i] = port_of(p, source);
      break;
    case IpSetPart::mac: read_mac(q, source, i, parts); break;
    case IpSetPart::mark: parts.key.value[i] = p.u32(FieldId::pkt_mark) & set.mark_mask; break;
    case IpSetPart::iface:
      parts.key.device = source ? q.from.context.iif : q.from.context.oif;
      parts.valid = parts.valid && !parts.key.device.empty();
      break;
  }
}

// Keys that differ in the device alone stand beside each other.
bool same_values(const IpSetKey& a, const IpSetKey& b) { return a.value == b.value && a.length == b.length; }

// Rules of iptables never ask for the port of a bridge (IPSET_FLAG_PHYSDEV).
bool meets_device(const IpSetMember& m, const std::string& device) {
  if (m.physical) return false;
  return m.wildcard ? device.starts_with(m.key.device) : device == m.key.device;
}

bool has_part(const IpSet& set, IpSetPart part) { return std::find(set.parts.begin(), set.parts.end(), part) != set.parts.end(); }

// Where the net has members, but of other devices, no shorter net is tried (`multi` in mtype_test_cidrs()).
SetAnswer exact(const IpSet& set, const IpSetKey& key) {
  IpSetKey first = key;
  first.device.clear();
  const bool by_device = has_part(set, IpSetPart::iface);
  auto at = std::lower_bound(set.members.begin(), set.members.end(), first,
                             [](const IpSetMember& m, const IpSetKey& k) { return m.key < k; });
  bool of_others = false;
  for (; at != set.members.end() && same_values(at->key, key); ++at) {
    if (!by_device || meets_device(*at, key.device)) return {at->no_match ? Found::no_match : Found::yes, at->from};
    of_others = of_others || !at->physical;
  }
  return of_others ? SetAnswer{Found::of_others, {}} : SetAnswer{};
}

U128 net_mask(const IpSet& set, const IpAddr& address, std::uint8_t length) {
  return Prefix{address, length}.mask() & set.address_mask;
}

// The longest nets that have members are tried first, of the first net before those of the second (mtype_test_cidrs()).
SetAnswer search(const IpSet& set, const Question& q, const IpSetKey& whole, std::size_t part, IpSetKey key) {
  while (part < set.parts.size() && set.parts[part] != IpSetPart::net) ++part;
  if (part >= set.parts.size()) return exact(set, key);
  const IpAddr address = address_of(q, by_source(q, part));
  SetAnswer open;
  for (const std::uint8_t length : set.lengths[part]) {
    key.value[part] = whole.value[part] & net_mask(set, address, length);
    key.length[part] = length;
    const SetAnswer answer = search(set, q, whole, part + 1, key);
    if (answer.kind == Found::unknown)
      open = answer;
    else if (answer.kind != Found::no)
      return open.kind == Found::unknown ? open : answer;
  }
  return open;
}

// bitmap:ip,mac takes any MAC address where it stores none.
SetAnswer search_bitmap(const IpSet& set, const IpSetKey& key) {
  IpSetKey first = key;
  first.value[1] = 0;
  const auto at = std::lower_bound(set.members.begin(), set.members.end(), first,
                                   [](const IpSetMember& m, const IpSetKey& k) { return m.key < k; });
  if (at != set.members.end() && at->key.value[0] == key.value[0] && at->any_mac) return {Found::yes, at->from};
  return exact(set, key);
}

SetAnswer find_in(const host::IpSets& sets, const std::string& name, const Question& q, bool within_list);

SetAnswer find_in_list(const host::IpSets& sets, const IpSet& list, const Question& q) {
  SetAnswer open;
  for (const IpSet::Named& member : list.sets) {
    const SetAnswer answer = find_in(sets, member.name, q, true);
    if (answer.kind == Found::yes) return open.kind == Found::unknown ? open : SetAnswer{Found::yes, answer.member};
    if (answer.kind == Found::unknown) open = answer;
  }
  return open;
}

// What rules of the host have put in or taken out since the dump.
SetAnswer allow_for_changes(const std::string& name, const IpSet& set, const Question& q, SetAnswer answer) {
  const host::IpSetChanges& changes = q.from.host.ipset_changes;
  const bool exceptions = has_part(set, IpSetPart::net);  // one that is not read may have "nomatch"
  const bool found = answer.kind == Found::yes || answer.kind == Found::no_match;
  const bool open = found ? changes.removed_from.contains(name) || (!set.complete && exceptions)
                          : changes.added_to.contains(name) || !set.complete;
  if (open) answer.kind = Found::unknown;
  return answer;
}

// --return-nomatch turns the answers of sets that may have exceptions around, each for itself within a list.
SetAnswer count_exceptions(const IpSet& set, const Question& q, SetAnswer answer) {
  const bool inverts = q.test.return_nomatch && has_part(set, IpSetPart::net);
  if (answer.kind == Found::yes && inverts) return {};
  if (answer.kind == Found::no_match && !inverts) return {};
  if (answer.kind == Found::no_match) answer.kind = Found::yes;
  return answer;
}

SetAnswer find_in_plain(const std::string& name, const IpSet& set, const Question& q) {
  // A set with more parts than the rule names, or of the other family, holds nothing.
  if (q.test.dimensions.size() < set.parts.size() || (set.family && *set.family != q.from.family)) return {};
  PacketParts parts;
  for (std::size_t i = 0; i < set.parts.size(); ++i) read_part(set, q, i, parts);
  if (!parts.valid) return {};
  if (parts.unknown) return {Found::unknown, {}};
  const bool bitmap = set.parts.size() == 2 && set.type.starts_with("bitmap:");
  const SetAnswer answer = bitmap ? search_bitmap(set, parts.key) : search(set, q, parts.key, 0, parts.key);
  return count_exceptions(set, q, allow_for_changes(name, set, q, answer));
}

SetAnswer find_in(const host::IpSets& sets, const std::string& name, const Question& q, bool within_list) {
  const auto found = sets.find(name);
  if (found == sets.end() || (found->second.is_list && within_list)) return {Found::unknown, {}};  // lists hold no lists
  const IpSet& set = found->second;
  return set.is_list ? allow_for_changes(name, set, q, find_in_list(sets, set, q)) : find_in_plain(name, set, q);
}

}  // namespace

TestResult test_ipset(const netfilter::InIpset& t, const ReadFrom& from) {
  const SetAnswer answer = find_in(from.host.ipsets.value, t.set, {t, from}, false);
  if (answer.kind == Found::unknown) return {Truth::unknown, {Property::ipset_members, t.set}, std::nullopt, {}};
  const bool met = answer.kind == Found::yes;
  TestResult result{met != t.negate ? Truth::yes : Truth::no, {}, std::nullopt, {}};
  if (met) result.member = answer.member;
  return result;
}

}  // namespace egt::engine
