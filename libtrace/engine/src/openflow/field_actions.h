// Actions that change the packet and nothing else: fields, tags, labels, headers, its stack and its queue.
#pragma once

#include <cstdint>
#include <optional>

#include "headers.h"
#include "xlate_context.h"

namespace egt::engine::ofproto {

// A visitor of actions, which leaves others alone.
class FieldActions {
 public:
  explicit FieldActions(XlateContext& c) : c_(c) {}

  void operator()(const openflow::SetQueue& a) const;
  void operator()(const openflow::PopQueue& a) const;
  void operator()(const openflow::SetVlanVid& a) const;
  void operator()(const openflow::SetVlanPcp& a) const;
  void operator()(const openflow::PopVlan& a) const;
  void operator()(const openflow::PushVlan& a) const;
  void operator()(const openflow::SetField& a) const;
  void operator()(const openflow::Move& a) const;
  void operator()(const openflow::Load& a) const;
  void operator()(const openflow::Push& a) const;
  void operator()(const openflow::Pop& a) const;
  void operator()(const openflow::PushMpls& a) const { headers().push_mpls(a.ethertype); }
  void operator()(const openflow::PopMpls& a) const { headers().pop_mpls(a.ethertype); }
  void operator()(const openflow::SetMpls& a) const;
  void operator()(const openflow::Multipath& a) const;
  void operator()(const openflow::FinTimeout& a) const;
  void operator()(const openflow::DeleteField& a) const;
  void operator()(const openflow::WriteMetadata& a) const;
  void operator()(const openflow::Encap& a) const { headers().encap(a); }
  template <class Other>
  void operator()(const Other&) const {}

  HeaderActions headers() const { return {c_.packet, c_.out, c_.report, c_.policy}; }

 private:
  FlowKey& flow() const { return c_.packet.flow; }
  FlowKey& wc() const { return *c_.packet.wc; }
  template <class Change>
  void set_tag(const std::string& word, Change change) const;
  bool tunnel_writes_unmasked() const;
  void unmask_protocol(FieldId f) const;
  void modify(const openflow::SetField& a) const;

  XlateContext& c_;
};

// dpif_queue_to_priority: the kernel's queues are classes of a traffic control tree.
std::optional<std::uint32_t> queue_priority(const XlateContext& c, std::uint32_t queue);

}  // namespace egt::engine::ofproto
