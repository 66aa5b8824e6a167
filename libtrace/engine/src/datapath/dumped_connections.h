// The connections that the dumps hold, hashed by zone and tuple. Built once and never changed: the worlds of all paths share it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

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

 private:
  std::span<const Entry> entries_;
  HashChains by_tuple_, by_receiver_;   // of numbers of entries, doubled; odd ones stand for the reply direction
};

class DumpedConnections {
 public:
  void add(const std::string& node, ConntrackSpace space, std::span<const host::ConntrackEntry> entries);
  // Null where no dump has entries of this node and space.
  const DumpedTable* table(const ZoneKey& zone) const;

 private:
  std::map<std::string, std::array<DumpedTable, 2>> tables_;   // of each node, by space
};

// `e` as a packet meets it.
Connection connection_of(const host::ConntrackEntry& e);

}  // namespace egt::engine
