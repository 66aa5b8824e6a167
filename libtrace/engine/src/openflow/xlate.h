// The translation of one packet into datapath actions: what xlate_actions() of ofproto/ofproto-dpif-xlate.c does.
//
// Names follow that file, so that the two can be read side by side. Xlate begins and ends the run; the pipeline (pipeline.h) goes through
// tables and actions and hands over to ports (port_output.h). What they share is in xlate_context.h: the packet (xlate_packet.h), what is
// put for the datapath (datapath_output.h, commit.h) and what is reported of it (xlate_report.h). Parts of their own are NORMAL
// (normal.h), the choice of buckets (buckets.h), fields and headers (field_actions.h, headers.h), what is kept for a packet to come back
// with (freezing.h, recirculations.h) and what goes to controllers (controllers.h). Who listens (observer.h) and who answers what the
// dumps leave open (policy.h) is the caller's choice.
#pragma once

#include "pipeline.h"
#include "xlate_context.h"

namespace egt::engine::ofproto {

class Xlate {
 public:
  Xlate(Tables& tables, Recirculations& recirculations, Policy& policy, Observer* observer, const XlateOptions& options)
      : context_(tables, recirculations, policy, observer, options), pipeline_(context_) {}
  // `frozen`: resume there; else the packet enters `bridge`, whose table 0 decides, or `packet_out`, a list of actions.
  Translation run(SwitchBridge& bridge, const FlowKey& packet, const FrozenState* frozen, const Ofpacts* packet_out = nullptr);

 private:
  void start();
  void thaw(const FrozenState& frozen);
  bool execute_all(const Ofpacts* packet_out);

  XlateContext context_;
  Pipeline pipeline_;
};

}  // namespace egt::engine::ofproto
