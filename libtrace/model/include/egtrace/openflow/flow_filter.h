// Which flows the user wants to see, in the filter language of ovs-flowviz(8): "nw_src~=10.0.0.1 and n_packets>0 and drop".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace egt::openflow {

// What is asked of one key of a flow: of a match, of an action ("output.port"), or of what stands before the match (n_packets).
struct FlowClause {
  enum class Op : std::uint8_t { exists, equal, differs, less, more, within };
  std::string key;
  Op op = Op::exists;
  std::string value;  // as it was written
  friend bool operator==(const FlowClause&, const FlowClause&) = default;
};

struct FlowFilter {
  enum class Kind : std::uint8_t { clause, all, any, none };  // none: not its only part
  Kind kind = Kind::clause;
  FlowClause clause;
  std::vector<FlowFilter> parts;
  friend bool operator==(const FlowFilter&, const FlowFilter&) = default;
};

}  // namespace egt::openflow
