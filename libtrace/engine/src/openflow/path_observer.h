// The steps of a path: what a translation looks up, changes and outputs, as a Record. Where a packet ends in the
// bridges it knows why.
#pragma once

#include <cstdint>

#include "field_changes.h"
#include "observer.h"
#include "path_position.h"

namespace egt::engine {

class PathObserver : public ofproto::Observer {
 public:
  explicit PathObserver(PathPosition& at) : at_(at) {}

  void begin(const FlowKey& flow) override { at_.begin(flow); }
  void line(ofproto::TraceNode&& node) override;
  void looked_up(const ofproto::TableLookup& lookup) override;
  void before(const openflow::Action& action) override;
  void after(const openflow::Action& action) override;
  void crosses(const ofproto::SwitchPort& from, const ofproto::SwitchPort& to) override;
  void lacks_peer(const ofproto::SwitchPort& port, const ofproto::SwitchPort& named) override;
  void no_live_member(const openflow::Bundle& bundle) override;
  void not_received(const ofproto::SwitchPort& port) override;
  void in_spanning_tree(const ofproto::SwitchPort& port) override;
  void mirrored(const ofproto::Mirror& mirror) override;
  void mirrors_unknown(const ofproto::SwitchBridge& bridge) override;
  std::size_t origin_of(const ofproto::dp::Action& action) override;

 private:
  void enter_next(std::uint32_t level);
  void enter_bucket(const ofproto::BucketLine& bucket, std::uint32_t level);
  std::size_t record_match(const ofproto::TableLookup& lookup, std::uint8_t depth);
  void record_miss(const ofproto::TableLookup& lookup, std::uint8_t depth);
  std::size_t output_step(const ofproto::dp::Output& output);
  std::size_t ct_step(const ofproto::dp::Conntrack& ct);
  std::size_t controller_step(const ofproto::dp::ToController& c);
  const cluster::Node& node() const { return at_.node(); }
  Record& record() { return at_.recorder().record(); }

  PathPosition& at_;
  FieldChanges changes_;
  ActionList next_;                   // of the table whose line comes next
  const openflow::Ct* ct_ = nullptr;  // the ct action under execution
};

}  // namespace egt::engine
