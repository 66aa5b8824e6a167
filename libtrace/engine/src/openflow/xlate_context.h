// What the parts of a translation share (struct xlate_ctx of ofproto/ofproto-dpif-xlate.c): the packet, where it is, how it came, and what
// is put and reported for it.
#pragma once

#include <cstdint>
#include <optional>

#include "datapath_output.h"
#include "policy.h"
#include "recirculations.h"
#include "rule_lookup.h"
#include "switch.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

// How the packet came; this stays as it is.
struct Arrival {
  SwitchBridge* bridge = nullptr;       // where the trace was asked for
  const FlowKey* packet = nullptr;      // upcall_flow
  const FrozenState* frozen = nullptr;  // it was brought back
  SwitchPort* port = nullptr;           // of `bridge`; null: none that is known

  std::optional<std::uint32_t> first_port() const { return port && !port->is_patch ? std::optional(port->number) : std::nullopt; }
};

// Where in the pipelines of the bridges the translation is.
struct PipelinePlace {
  SwitchBridge* bridge = nullptr;
  std::uint8_t table = 0;
  std::uint64_t cookie = ~std::uint64_t{0};
  bool is_table_miss = false;  // of the rule whose actions are executed
  bool in_action_set = false;
};

struct XlateContext {
  XlateContext(Tables& tables, Recirculations& recirculations, Policy& policy, Observer* observer, const XlateOptions& options)
      : tables(tables), recirculations(recirculations), policy(policy), options(options), report(observer) {}

  const openflow::Bridge& bridge() const { return *at.bridge->bridge; }
  OvsVersion version() const { return options.version; }
  // Whether a fix that was made in `release` of its branch, and in all later ones, is there.
  bool fixed_in(OvsVersion release) const;
  void gap(Input input, Details about = {}) { policy.missing({input, std::move(about)}); }
  dp::Meter meter(std::uint32_t id) const { return {recirculations.meter_of(bridge(), id)}; }

  Tables& tables;
  Recirculations& recirculations;
  Policy& policy;
  const XlateOptions& options;
  XlateReport report;
  DatapathOutput out{report};
  XlatePacket packet;
  Arrival arrival;
  PipelinePlace at;
};

}  // namespace egt::engine::ofproto
