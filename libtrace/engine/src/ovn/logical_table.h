// One stage of one datapath: its flows in the order in which they are tried, and an index over them.
//
// Most flows are indexed by what their text shows that they need; their matches are read when a packet has it. Threads
// that look into one table wait for each other.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "ovn/condition.h"
#include "ovn/flow_index.h"

namespace egt::engine {

class LogicalTable {
 public:
  LogicalTable(const LogicalDatapath& datapath, ovn::Pipeline pipeline, std::uint8_t number)
      : datapath_(datapath), pipeline_(pipeline), number_(number) {}

  void add(const ovn::sb::LogicalFlow& row) { rows_.push_back(&row); }
  FoundFlow lookup(const FlowKey& packet, const LogicalNetwork& network);
  std::string_view stage() {
    const std::lock_guard<std::mutex> lock(guard_);
    return rows_.empty() ? std::string_view() : std::string_view(rows_.front()->stage);
  }

 private:
  struct Entry {
    Condition match;
    // Actions are read when the match first holds.
    bool has_actions = false, usable = false;
    Condition prerequisites;
    ovn::ActionList actions;
    NetworkFlow flow;
  };
  // A flow whose match asks whether a port is resident that no dump shows.
  struct UndecidedFlow {
    std::uint32_t position = 0;
    Condition absent, resident;
  };

  void read(const LogicalNetwork& network);
  // False where the flow's match must be read to say which packets may match it.
  bool index_by_text(std::uint32_t position, const LogicalNetwork& network);
  void index_by_match(std::uint32_t position, const LogicalNetwork& network);
  Entry& entry_at(std::uint32_t position, const LogicalNetwork& network);
  Condition read_match(std::uint32_t position, const LogicalNetwork& network);
  bool applies(std::uint32_t position, const FlowKey& packet, const LogicalNetwork& network);
  void read_actions(Entry& entry, std::uint32_t position, const LogicalNetwork& network) const;
  // `unknown`: whether ports that nothing shows are taken for resident; set where a match asks for one.
  struct UnknownPorts {
    bool resident = false, asked = false;
  };
  ConditionCompiler compiler(const LogicalNetwork& network, UnknownPorts& unknown) const;
  void note_undecided(std::uint32_t position, const ovn::Expression& match, const Condition& absent,
                      const LogicalNetwork& network);
  const ovn::sb::LogicalFlow* undecided_before(std::uint32_t position, const FlowKey& packet) const;

  std::mutex guard_;  // of all: a lookup reads flows
  const LogicalDatapath& datapath_;
  ovn::Pipeline pipeline_;
  std::uint8_t number_;
  std::vector<const ovn::sb::LogicalFlow*> rows_;  // by priority once it is read
  bool is_read_ = false;
  std::vector<std::unique_ptr<Entry>> entries_;  // of rows_; null until a packet comes near
  FlowIndex index_;                              // of positions in rows_
  std::vector<UndecidedFlow> undecided_;         // by position
};

}  // namespace egt::engine
