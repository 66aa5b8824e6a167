#include "datapath/dumped_connections.h"

#include <algorithm>
#include <bit>

#include "datapath/userspace_tcp.h"
#include "egtrace/base/fold.h"

namespace egt::engine {
namespace {

using Entry = host::ConntrackEntry;

constexpr std::uint64_t kOddFactor = 0x9e3779b97f4a7c15;

std::uint64_t add_word(std::uint64_t hash, std::uint64_t word) { return fold_product(hash ^ word ^ kOddFactor, kOddFactor); }

std::uint64_t add_address(std::uint64_t hash, const IpAddr& a) {
  return add_word(add_word(hash, low64(a.value)), high64(a.value));
}

std::uint64_t hash_of(std::uint16_t zone, const Tuple& t) {
  const std::uint64_t rest = std::uint64_t{t.sport} << 48 | std::uint64_t{t.dport} << 32 | std::uint64_t{t.proto} << 16 |
                             std::uint64_t{t.icmp_type} << 8 | t.icmp_code;
  return add_word(add_address(add_address(zone, t.src), t.dst), rest);
}

std::uint64_t hash_of(std::uint16_t zone, const IpAddr& a) { return add_address(zone, a); }

const Tuple& tuple_of_number(std::span<const Entry> entries, std::uint32_t number) {
  const Entry& e = entries[number / 2];
  return number % 2 == 0 ? e.original : e.reply;
}

bool contains(const DumpedTable::Entries& list, const Entry& e) { return std::find(list.begin(), list.end(), &e) != list.end(); }

}  // namespace

HashChains::HashChains(std::size_t count) : heads_(std::bit_ceil(std::max<std::size_t>(count, 1)), kEnd), next_(count, kEnd) {}

void HashChains::add(std::uint64_t hash, std::uint32_t number) {
  std::uint32_t& head = heads_[hash & (heads_.size() - 1)];
  next_[number] = head;
  head = number;
}

DumpedTable::DumpedTable(std::span<const Entry> entries)
    : entries_(entries), by_tuple_(2 * entries.size()), by_receiver_(2 * entries.size()) {
  const auto count = static_cast<std::uint32_t>(2 * entries.size());
  for (std::uint32_t n = 0; n < count; ++n) {
    // Of several entries with one tuple the first counts, of those with one receiver the newest.
    const std::uint32_t back = count - 1 - n;
    by_tuple_.add(hash_of(entries[back / 2].zone, tuple_of_number(entries, back)), back);
    by_receiver_.add(hash_of(entries[n / 2].zone, tuple_of_number(entries, n).dst), n);
  }
  for (const Entry& e : entries) ++counts_[e.zone];
}

std::uint64_t DumpedTable::count(std::uint16_t zone) const {
  const auto counted = counts_.find(zone);
  return counted == counts_.end() ? 0 : counted->second;
}

DumpedTable::Hit DumpedTable::find(std::uint16_t zone, const Tuple& t, const Entries& erased) const {
  Hit of_reply;
  for (auto n = by_tuple_.first(hash_of(zone, t)); n != HashChains::kEnd; n = by_tuple_.next(n)) {
    const Entry& e = entries_[n / 2];
    if (e.zone != zone || tuple_of_number(entries_, n) != t || contains(erased, e)) continue;
    if (n % 2 == 0) return {&e, false};
    if (!of_reply) of_reply = {&e, true};
  }
  return of_reply;
}

DumpedTable::Hit DumpedTable::find_by_receiver(std::uint16_t zone, const IpAddr& receiver, const Entries& erased) const {
  for (auto n = by_receiver_.first(hash_of(zone, receiver)); n != HashChains::kEnd; n = by_receiver_.next(n)) {
    const Entry& e = entries_[n / 2];
    if (e.zone == zone && tuple_of_number(entries_, n).dst == receiver && !contains(erased, e)) return {&e, n % 2 != 0};
  }
  return {};
}

DumpedConnections::Tables DumpedConnections::tables_of(const cluster::Node& node) {
  Tables tables;
  const auto add = [&](ConntrackSpace space, const std::vector<Entry>& entries) {
    if (!entries.empty()) tables[static_cast<std::size_t>(space)].emplace(entries);
  };
  const bool userspace = node.has_userspace_datapath();
  const auto& of_switch = node.host.ovs_conntrack;
  add(userspace ? ConntrackSpace::userspace : ConntrackSpace::kernel, of_switch.value);
  // The kernel datapath's table is the kernel's own: what both dumps hold is taken from the one that knows labels.
  const bool same_table = of_switch.present && !userspace;
  if (!same_table) add(ConntrackSpace::kernel, node.host.conntrack.value);
  return tables;
}

const DumpedTable* DumpedConnections::table(const ZoneKey& zone) const {
  const cluster::Node* node = cluster_.node(zone.node);
  if (node == nullptr) return nullptr;
  const auto& table = tables_.of(*node, [&] { return tables_of(*node); })[static_cast<std::size_t>(zone.space)];
  return table ? &*table : nullptr;
}

Connection connection_of(const Entry& e) {
  Connection c;
  c.original = e.original;
  c.reply = e.reply;
  if (e.original.proto == ip_proto::tcp) c.tcp = tcp_state_named(e.state), c.ends = tcp_ends_named(e.state);
  c.mark = e.mark;
  c.label = e.label;
  c.seen_reply = !e.unreplied;
  c.nat_done = true;
  c.from = e.from;
  c.certain = e.reply_known && e.label_known;
  return c;
}

}  // namespace egt::engine
