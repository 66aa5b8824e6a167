// Header fields of a packet in the section skb of a retis event: each in a section of its own, or, before 1.5, flat. They show no more
// than the packet's bytes do where an event has these.
#pragma once

#include <cstdint>
#include <string_view>

#include "egtrace/capture/frame.h"
#include "kernel_events/json_line.h"

namespace egt::parsers::kernel_events {

class ParsedPacket {
 public:
  // A member of the section skb; one of another name is skipped.
  void section(JsonLine& json, std::string_view k);
  // Puts the fields together; false where they make no packet.
  bool finish();
  const capture::Frame& frame() const { return frame_; }

 private:
  void ethernet(JsonLine& json, std::string_view k);
  void ip(JsonLine& json, std::string_view k);
  void ports(JsonLine& json);
  void icmp(JsonLine& json);
  void flat(JsonLine& json, std::string_view k);

  capture::Frame frame_;
  std::uint32_t ip_length_ = 0, tcp_words_ = 0;
  bool is_v6_ = false;
};

}  // namespace egt::parsers::kernel_events
