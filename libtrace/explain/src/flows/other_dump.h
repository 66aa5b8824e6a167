// A dump of the same flows, taken at another time: how much time is between the two, and what each flow counted meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "egtrace/explain/flows.h"

namespace egt::explain {

class OtherDump {
 public:
  // `name`: what the other one is called. The listed one, too, is gone through: ages of its flows show the time between. `times`: when the other one and the listed one
  // were printed, seconds since 1970; 0: nothing shows it.
  OtherDump(std::string name, const Source& other, const Source& listed, std::pair<std::int64_t, std::int64_t> times,
            const FlowReader& reader);

  struct Change {
    FlowChange change = FlowChange::here_alone;
    std::optional<FlowRate> rate;
    std::optional<FlowCounters> other;
    std::uint32_t other_line = 0;
  };
  // Of a flow of the listed dump.
  Change of(const openflow::FlowWords& flow) const;
  // With the interval; what was counted is the caller's.
  const ComparedDump& comparison() const { return comparison_; }
  // Flows of it that the listed one does not have, as they were dumped.
  template <class Use>
  void for_each_gone(const Use& use) const;

 private:
  struct Key {
    std::string_view table, cookie, match;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct OtherFlow {
    FlowCounters counters;
    std::optional<double> age;  // seconds
    std::string_view text;
    std::uint32_t line = 0;
    std::uint32_t here = 0, there = 0;  // how many such flows each dump has
  };
  static Key key_of(const openflow::FlowWords& flow);  // of a datapath flow all that stands before its statistics
  void find_interval(const Source& listed, std::pair<std::int64_t, std::int64_t> times, const FlowReader& reader);

  std::unordered_map<Key, OtherFlow, Hash> flows_;
  ComparedDump comparison_;
};

template <class Use>
void OtherDump::for_each_gone(const Use& use) const {
  for (const auto& [key, entry] : flows_)
    if (entry.here == 0) use(GoneFlow{entry.line, entry.text});
}

}  // namespace egt::explain
