// Positions of a table's flows by a value that a packet must have in a field for the flow to match.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "egtrace/ovn/expression.h"
#include "egtrace/packet/flow_key.h"

namespace egt::engine {

// A multimap that is filled once: chains of entries in flat arrays, because a table has ten thousand of them.
class PositionMap {
 public:
  void add(std::uint64_t key, std::uint32_t position);
  // Appends the positions under a key, in any order.
  void find(std::uint64_t key, std::vector<std::uint32_t>& found) const;

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t position = 0, next = kNone;
  };
  std::size_t bucket_of(std::uint64_t key) const;
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> first_;  // entry of each bucket; a power of two of them
};

// What a flow needs: the value of a field under a mask.
struct FieldNeed {
  FieldId field = FieldId::count_;  // count_: nothing
  U128 mask = 0, value = 0;
};

class FlowIndex {
 public:
  // The flow needs both.
  void add_value(const FieldNeed& first, std::uint32_t position, const FieldNeed& second = {});
  // The flow needs a port of a group in a field; `keys` are those of the group's ports, and stay.
  void add_group(FieldId field, const std::vector<std::uint32_t>& keys, std::uint32_t position);
  // Flows that any packet may match.
  void add_other(std::uint32_t position) { others_.push_back(position); }

  // Flows that the packet may match, ascending: those that have the values it has, and those that any packet may match.
  // The former are good until the next call.
  const std::vector<std::uint32_t>& hits(const FlowKey& packet);
  const std::vector<std::uint32_t>& others() const { return others_; }

 private:
  struct ByValue {
    FieldNeed first, second;  // without their values
    PositionMap positions;
  };
  // Port → groups → flows: a policy's group has hundreds of ports and dozens of flows.
  struct ByGroup {
    FieldId field;
    PositionMap groups;                                                // of each port's key
    std::vector<std::vector<std::uint32_t>> positions;                 // of each group
    std::map<const std::vector<std::uint32_t>*, std::uint32_t> known;  // number of each group
  };
  ByGroup& by_group(FieldId field);

  std::vector<ByValue> by_value_;
  std::vector<ByGroup> by_group_;
  std::vector<std::uint32_t> others_;
  std::vector<std::uint32_t> hits_, groups_;
};

}  // namespace egt::engine
