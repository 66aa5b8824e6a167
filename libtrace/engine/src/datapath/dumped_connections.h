// The connections that the dumps hold, hashed by zone and tuple. Never changed: the worlds of all paths share them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "egtrace/cluster/cluster.h"
#include "egtrace/cluster/per_node.h"
#include "egtrace/engine/datapath/conntrack.h"
#include "egtrace/host/conntrack_entry.h"

namespace egt::engine {

// Numbers in chains, one for each hash; the number that was added last comes first.
class HashChains {
 public:
  static constexpr std::uint32_t kEnd = UINT32_MAX;
  explicit HashChains(std::size_t count);
  void add(std::uint64_t hash, std::uint32_t number);
  std::uint32_t first(std::uint64_t hash) const { return heads_[hash & (heads_.size() - 1)]; }
  std::uint32_t next(std::uint32_t number) const { return next_[number]; }

 private:
  std::vector<std::uint32_t> heads_, next_;
};

// One dump. The entries are those of the cluster, which outlives it.
class DumpedTable {
 public:
  using Entry = host::ConntrackEntry;
  using Entries = std::vector<const Entry*>;
  struct Hit {
    const Entry* entry = nullptr;
    bool reply_direction = false;
    explicit operator bool() const { return entry != nullptr; }
  };

  explicit DumpedTable(std::span<const Entry> entries = {});
  // As ConntrackTables, without the entries in `erased`.
  Hit find(std::uint16_t zone, const Tuple& t, const Entries& erased) const;
  Hit find_by_receiver(std::uint16_t zone, const IpAddr& receiver, const Entries& erased) const;
  std::uint64_t count(std::uint16_t zone) const;

 private:
  std::span<const Entry> entries_;
  std::unordered_map<std::uint16_t, std::uint64_t> counts_;  // by zone
  HashChains by_tuple_, by_receiver_;  // of numbers of entries, doubled; odd ones stand for the reply direction
};

// Of all nodes, each looked at when a packet first comes to it. The cluster outlives it and does not change.
class DumpedConnections {
 public:
  explicit DumpedConnections(const cluster::Cluster& cluster) : cluster_(cluster), tables_(cluster) {}
  // Null where no dump has entries of this node and space.
  const DumpedTable* table(const ZoneKey& zone) const;

 private:
  using Tables = std::array<std::optional<DumpedTable>, 2>;  // by space
  static Tables tables_of(const cluster::Node& node);

  const cluster::Cluster& cluster_;
  cluster::PerNode<Tables> tables_;
};

// `e` as a packet meets it.
Connection connection_of(const host::ConntrackEntry& e);

}  // namespace egt::engine
