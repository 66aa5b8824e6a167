// A trace as ovs-appctl ofproto/trace prints it, byte for byte.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "egtrace/engine/openflow/trace.h"

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
  bool names = false;  // ports by name
  engine::ofproto::OvsVersion version;
};

// Keeps the text of flows and actions, which the next packet meets again: they must stay where they are, and traces
// come from one Tracer.
class OfprotoTraceWriter {
 public:
  OfprotoTraceWriter(OpenFlowText text, OfprotoTraceStyle style) : text_(std::move(text)), style_(style) {}
  // Of a packet that entered `bridge`.
  std::string write(const engine::ofproto::Trace& trace, const openflow::Bridge& bridge);

 private:
  void pass(const engine::ofproto::TracePass& pass);
  void title(const engine::ofproto::TracePass::Resumption& r);
  void nodes(const std::vector<engine::ofproto::TraceNode>& nodes);
  void line(const engine::ofproto::TraceNode& n);
  void table(const engine::ofproto::TableLine& t);
  const std::string& flow(const openflow::Bridge& b, openflow::FlowIndex i);
  std::string match(const FlowKey& value, FlowKey mask) const;
  std::string flow_match(const openflow::Bridge& b, openflow::FlowIndex i) const;
  std::string named(std::string match, const openflow::Bridge& b) const;
  const std::string& known_action(const openflow::Action& a, bool names);
  std::string action_text(const openflow::Action& a, bool names) const;
  std::string action(const engine::ofproto::Ofpact& o, bool names);
  void enter(const engine::ofproto::TraceNode& n);
  std::string list(const engine::ofproto::Ofpacts& list);
  std::string value(const engine::ofproto::Note& n) const;
  std::string learned(const engine::LearnedFlow& f) const;
  std::string note(const engine::ofproto::Note& n);

  template <class Part>
  using OfBridge = std::pair<const openflow::Bridge*, Part>;
  struct PairHash {
    template <class Part>
    std::size_t operator()(const OfBridge<Part>& p) const {
      return std::hash<const void*>()(p.first) ^ std::hash<Part>()(p.second) * std::size_t{0x9e3779b97f4a7c15};
    }
  };

  OpenFlowText text_;
  OfprotoTraceStyle style_;
  std::unordered_map<OfBridge<openflow::FlowIndex>, std::string, PairHash> flows_;
  // With the names of a bridge's ports where the call asks for names; without a bridge by number, as action sets and frozen
  // actions are shown nevertheless. (A state that one bridge froze may be resumed in another.)
  std::unordered_map<OfBridge<const openflow::Action*>, std::string, PairHash> actions_;
  std::shared_ptr<const void> owned_;             // keeps those actions alive
  const openflow::Bridge* bridge_ = nullptr;      // of the trace at hand
  const openflow::Bridge* at_ = nullptr;          // whose actions are executed
  std::vector<const openflow::Bridge*> bridges_;  // by depth: whose actions the nodes there are
  std::string out_;
  std::vector<char> has_sibling_, seen_;  // of nodes(), kept for their memory
  std::vector<unsigned> level_;
};

// One line: what becomes of the packet and where.
std::string ofproto_trace_verdict(const engine::ofproto::Trace& trace);
std::string datapath_actions_text(const engine::ofproto::dp::Actions& actions, bool names);

}  // namespace egt::render
