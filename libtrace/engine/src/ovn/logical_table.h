// One stage of one datapath: its flows in the order in which they are tried, and an index over them.
#pragma once

#include <deque>
#include <unordered_map>

#include "ovn/condition.h"

namespace egt::engine {

class LogicalTable {
 public:
  LogicalTable(const LogicalDatapath& datapath, ovn::Pipeline pipeline, std::uint8_t number)
      : datapath_(datapath), pipeline_(pipeline), number_(number) {}

  void add(const ovn::sb::LogicalFlow& row) { rows_.push_back(&row); }
  LogicalNetwork::FoundFlow lookup(const FlowKey& packet, const LogicalNetwork& network) const;
  std::string_view stage() const { return rows_.empty() ? std::string_view() : std::string_view(rows_.front()->stage); }

 private:
  struct Entry {
    const ovn::sb::LogicalFlow* row = nullptr;
    Condition match;
    // Actions are read when the match first holds.
    bool has_actions = false, usable = false;
    Condition prerequisites;
    ovn::ActionList actions;
    NetworkFlow flow;
  };
  // A flow whose match asks whether a port is resident that no dump tells.
  struct Doubt {
    const ovn::sb::LogicalFlow* row = nullptr;
    std::uint32_t before = 0;                  // the position in entries_ where it stands, or would
    Condition absent, resident;
  };
  // Flows that need a field to have one value, by that value.
  struct Probe {
    FieldId field;
    U128 mask;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> positions;     // by a digest of the value
  };

  void read(const LogicalNetwork& network) const;
  void index(std::uint32_t position) const;
  void add_to_probe(const Condition::Compare& needed, std::uint32_t position) const;
  bool applies(Entry& entry, const FlowKey& packet, const LogicalNetwork& network) const;
  void read_actions(Entry& entry, const LogicalNetwork& network) const;
  // `unknown`: whether ports that nobody tells are taken for resident; set where a match asks for one.
  struct UnknownPorts {
    bool resident = false, asked = false;
  };
  ConditionCompiler compiler(const LogicalNetwork& network, UnknownPorts& unknown) const;
  void note_doubt(const ovn::sb::LogicalFlow& row, const ovn::Expression& match, const Condition& absent,
                  const LogicalNetwork& network) const;
  const ovn::sb::LogicalFlow* doubt_before(std::uint32_t position, const FlowKey& packet) const;

  const LogicalDatapath& datapath_;
  ovn::Pipeline pipeline_;
  std::uint8_t number_;
  mutable std::vector<const ovn::sb::LogicalFlow*> rows_;
  mutable bool is_read_ = false;
  mutable std::deque<Entry> entries_;
  mutable std::vector<Probe> probes_;
  mutable std::vector<std::uint32_t> unindexed_;
  mutable std::vector<Doubt> doubts_;
};

}  // namespace egt::engine
