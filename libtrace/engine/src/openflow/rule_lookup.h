// Which flow of a table a packet meets: rule_dpif_lookup_from_table() of ofproto/ofproto-dpif.c.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "egtrace/openflow/flow_lookup.h"
#include "ofpacts.h"
#include "policy.h"
#include "switch.h"
#include "wildcards.h"
#include "xlate_packet.h"
#include "xlate_report.h"

namespace egt::engine::ofproto {

// What outlives one packet: the switch, its actions in the switch's form, its tables' wildcards. For one thread.
struct Tables {
  // `logical`: as for Switch.
  Tables(const cluster::Node& node, openflow::Datapath datapath, const openflow::Bridge* logical = nullptr)
      : sw(node, std::move(datapath), logical) {}
  Switch sw;
  openflow::LookupSession lookups;
  std::shared_ptr<OfpactCache> actions = std::make_shared<OfpactCache>();
  std::map<std::tuple<const openflow::Bridge*, std::uint8_t, std::size_t>, std::unique_ptr<TableWildcards>> wildcards;

  TableWildcards& wildcards_of(const openflow::Bridge& b, std::uint8_t table, OvsVersion version);
};

struct XlateOptions {
  OvsVersion version;
  bool megaflow = true;  // collect the bits that decided
};

struct Rule {
  TableLine::Rule kind = TableLine::Rule::no_match;
  const openflow::Bridge* bridge = nullptr;
  openflow::FlowIndex flow = openflow::kNoFlow;
  std::uint64_t cookie = 0;
  std::uint16_t priority = 0;
  bool table_miss = false;  // priority 0, matches everything
  std::vector<openflow::FlowIndex> conjunction;
  const Ofpacts* actions = nullptr;
};

class RuleLookup {
 public:
  RuleLookup(Tables& tables, const openflow::Bridge& bridge, XlatePacket& packet, const XlateReport& report, Policy& policy,
             const XlateOptions& options)
      : tables_(tables), bridge_(bridge), packet_(packet), report_(report), policy_(policy), options_(options) {}
  Rule look_up(std::uint8_t table, std::uint32_t in_port);

 private:
  const FlowKey& key_of_lookup(std::uint32_t in_port, std::optional<FlowKey>& changed) const;
  Rule learned_rule(const LearnedRule& learned) const;
  Rule dumped_rule(openflow::FlowIndex flow, openflow::Lookup hit) const;
  Rule miss() const;  // only controllers of OpenFlow 1.2 or older get a packet-in
  const openflow::Bridge& bridge() const { return bridge_; }

  Tables& tables_;
  const openflow::Bridge& bridge_;
  XlatePacket& packet_;
  const XlateReport& report_;
  Policy& policy_;
  const XlateOptions& options_;
};

// A line whose children are what the rule's actions do. `origin`: the bridge where the trace began.
void report_rule(XlateReport& report, const Rule& rule, std::uint8_t table, const openflow::Bridge& origin,
                 bool shows_conjunctions);

}  // namespace egt::engine::ofproto
