// How an engine has matches and actions read: engines know no text, and most logical flows are never looked at.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "egtrace/ovn/action.h"
#include "egtrace/ovn/expression.h"

namespace egt::ovn {

struct ReadActions {
  ActionList actions;
  Expression prerequisites;            // annotated; must hold beside the match
};

class FlowReader {
 public:
  virtual ~FlowReader() = default;
  // Annotated; nothing where the text cannot be understood. Port groups are those of this datapath.
  virtual std::optional<Expression> read_match(std::string_view text, std::uint32_t datapath_key) const = 0;
  virtual std::optional<ReadActions> read_actions(std::string_view text, Pipeline pipeline, std::uint8_t table) const = 0;
};

}  // namespace egt::ovn
