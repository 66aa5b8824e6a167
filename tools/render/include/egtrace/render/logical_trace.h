// A walk of logical flows as ovn-trace prints it: detailed, summary, minimal.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "egtrace/engine/logical_trace.h"

namespace egt::render {

struct LogicalTraceOptions {
  bool detailed = true, summary = false, minimal = false;
  bool friendly_names = true;
  // The OpenFlow flows of a cookie, one line each; empty unless they are to be shown.
  std::function<std::vector<std::string>(std::uint32_t cookie)> openflow;
};

class NodeTexts;

// Prints walks of one network. Keeps the texts of flows and actions, which walks have in common.
class LogicalTracePrinter {
 public:
  // `network` must outlive it.
  LogicalTracePrinter(const engine::LogicalNetwork& network, LogicalTraceOptions options);
  ~LogicalTracePrinter();
  // Appends a walk of `packet`.
  void print(const engine::logical::Trace& trace, const FlowKey& packet, std::string& out);

 private:
  LogicalTraceOptions options_;
  std::unique_ptr<NodeTexts> texts_;
};

std::string logical_trace_text(const engine::logical::Trace& trace, const engine::LogicalNetwork& network, const FlowKey& packet,
                               const LogicalTraceOptions& options);
// What becomes of the packet, in one line: where it is put out, or where and why it ends.
std::string logical_verdict_text(const engine::logical::Trace& trace);

}  // namespace egt::render
