// A trace as ovs-appctl ofproto/trace prints it, byte for byte.
#pragma once

#include <functional>
#include <string>

#include "egtrace/engine/ofproto_trace.h"

namespace egt::render {

// How Open vSwitch writes matches, actions and ports: handed in, because the formats' printers are the parsers'.
struct OpenFlowText {
  std::function<std::string(openflow::MatchView)> match;
  std::function<std::string(const openflow::Action&)> action;
  std::function<std::string(const openflow::ActionList&)> actions;
  std::function<std::string(const Subfield&)> subfield;
  std::function<std::string(const openflow::Port&)> port;
};

struct OfprotoTraceStyle {
  bool names = false;                    // ports by name
  engine::ofproto::OvsVersion version;
};

std::string ofproto_trace_text(const engine::ofproto::Trace& trace, const openflow::Bridge& bridge, const OpenFlowText& text,
                               const OfprotoTraceStyle& style);
// One line: what becomes of the packet and where.
std::string ofproto_trace_verdict(const engine::ofproto::Trace& trace);
std::string datapath_actions_text(const engine::ofproto::dp::Actions& actions, bool names);

}  // namespace egt::render
