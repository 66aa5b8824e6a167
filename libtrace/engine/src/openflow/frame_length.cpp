#include "openflow/frame_length.h"

#include <algorithm>
#include <variant>

#include "egtrace/packet/packet.h"
#include "openflow/packet_fields.h"

namespace egt::engine::ofproto {
namespace {

constexpr int kTag = kTagBytes, kLabel = kLabelBytes;
// RFC 8300: base and service path header; the context header of type 1. Those of type 2 are no part of a key.
constexpr int kNshHeader = 8, kFixedContext = 16;

struct AddedBytes {
  int operator()(const dp::PushEthernet&) const { return static_cast<int>(kEthernetHeader); }
  int operator()(const dp::PopEthernet&) const { return -static_cast<int>(kEthernetHeader); }
  int operator()(const dp::PushVlan&) const { return kTag; }
  int operator()(const dp::PopVlan&) const { return -kTag; }
  int operator()(const dp::PushMpls&) const { return kLabel; }
  int operator()(const dp::PopMpls&) const { return -kLabel; }
  int operator()(const dp::PushNsh& a) const {
    return kNshHeader + (has_fixed_context(a.nsh) ? kFixedContext : static_cast<int>(a.metadata.size()));
  }
  int operator()(const dp::PopNsh& a) const { return -kNshHeader - (a.has_fixed_context ? kFixedContext : 0); }
  template <class Other>
  int operator()(const Other&) const {
    return 0;
  }
};

}  // namespace

int added_bytes(const dp::Action& action) { return std::visit(AddedBytes{}, action.kind); }

FrameLength::FrameLength(std::uint32_t bytes, const FlowKey& key, bool is_tag_apart)
    : is_known_(true), is_tag_apart_(is_tag_apart), bytes_(bytes) {
  const bool has_ethernet = get(key, F::packet_type) == packet_type::ethernet;
  packet_ = bytes_ - (has_ethernet ? static_cast<int>(kEthernetHeader) : 0) - kTag * static_cast<int>(vlan_count(key));
}

std::uint32_t FrameLength::beside(const FlowKey& key) const { return is_tag_apart_ && vlan_count(key) > 0 ? kTag : 0; }

std::optional<std::uint32_t> FrameLength::compared(const FlowKey& key) const {
  if (!is_known_) return std::nullopt;
  return static_cast<std::uint32_t>(std::max<std::int64_t>(bytes_ - beside(key), 0));
}

std::uint32_t FrameLength::largest_packet(std::uint32_t limit, const FlowKey& key) const {
  const std::int64_t around = is_known_ ? bytes_ - beside(key) - packet_ : static_cast<int>(kEthernetHeader);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(limit - around, 0));
}

}  // namespace egt::engine::ofproto
