// What FlowTables hold.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "egtrace/base/published.h"
#include "egtrace/openflow/flow_table.h"
#include "openflow/flow_index.h"

namespace egt::openflow {

constexpr std::size_t kNeverIndexed = 16;  // flows

// The index of one table, which copies of it share: the first thread that needs it builds it.
class SharedIndex {
 public:
  SharedIndex() = default;
  // One that was made before, and is checked before its first use.
  SharedIndex(const TableIndex& made, std::function<void(const TableIndex&)> check)
      : given_(true), made_(made), check_(std::move(check)) {}

  bool ready() const { return given_ || index_.get() != nullptr; }
  const TableIndex& get(const FlowStore& store, std::span<const FlowRun> runs) const {
    return index_.get_or([&] { return given_ ? check() : Index{build_index(store, runs)}; }).view;
  }

 private:
  struct Index {
    Index(const TableIndex& made) : view(made) {}
    Index(OwnedIndex built) : own(std::move(built)), view(own.view()) {}
    Index(Index&&) = default;  // arrays stay where they are
    OwnedIndex own;
    TableIndex view;
  };
  Index check() const {
    if (check_) check_(made_);
    return made_;
  }

  bool given_ = false;
  TableIndex made_;
  std::function<void(const TableIndex&)> check_;
  MadeOnce<Index> index_;
};

// One table of the bridge.
struct Table {
  std::vector<FlowRun> runs;
  std::size_t flows = 0;
  std::shared_ptr<const SharedIndex> index = std::make_shared<SharedIndex>();

  const TableIndex& ensure_index(const FlowStore& store) const { return index->get(store, runs); }
};

struct FlowTables::Impl {
  explicit Impl(ActionParser parser) : store(std::move(parser)) {}

  FlowStore store;
  std::array<Table, 256> tables;

  void append(std::uint8_t table, FlowIndex begin, FlowIndex end);
};

}  // namespace egt::openflow
