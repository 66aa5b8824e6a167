// The text of one node of a logical trace.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "egtrace/render/logical_trace.h"

namespace egt::render {

// Names of ports inside quotes as traces show them.
std::string with_friendly_names(std::string_view text, const engine::LogicalNetwork& network, bool friendly);

class NodeTexts {
 public:
  NodeTexts(const engine::LogicalNetwork& network, bool friendly) : network_(network), friendly_(friendly) {}
  // Good until the next call.
  const std::string& of(const engine::logical::Node& node);

 private:
  const engine::LogicalNetwork& network_;
  const bool friendly_;
  std::unordered_map<const engine::NetworkFlow*, std::string> of_flows_;
  std::unordered_map<const ovn::Action*, std::string> of_actions_;
  std::string other_;
};

}  // namespace egt::render
