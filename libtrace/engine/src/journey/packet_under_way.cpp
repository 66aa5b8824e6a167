#include "packet_under_way.h"

#include <algorithm>

namespace egt::engine {

void PacketUnderWay::take_size(const HostOutcome& outcome) { size_ = {outcome.packet_length + kEthernetHeader, outcome.esp}; }

std::uint32_t PacketUnderWay::frame_length() const {
  constexpr std::uint32_t kLongestError = kEthernetHeader + 576;  // RFC 1812, 4.3.2.3; of IPv6 no device takes less than 1280
  return is_refusal_ ? std::min(size_.frame_length, kLongestError) : size_.frame_length;
}

void PacketUnderWay::begin_refusal(std::optional<Tuple> quoted) {
  is_refusal_ = true;
  size_.esp.reset();
  quoted_ = std::move(quoted);
}

}  // namespace egt::engine
