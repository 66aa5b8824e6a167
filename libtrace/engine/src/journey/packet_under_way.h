// What headers do not show of the packet that is walked: its size, whether it refuses the one that was asked about, and which one it
// carries in a tunnel.
#pragma once

#include "position.h"

namespace egt::engine {

// As it was asked about, or of its fragments.
struct PacketSize {
  std::uint32_t frame_length = 0;
  std::optional<EspOverhead> esp;  // it is encrypted
};

class PacketUnderWay {
 public:
  explicit PacketUnderWay(std::uint32_t frame_length) : size_{frame_length, {}} {}

  const PacketSize& size() const { return size_; }
  void set_size(const PacketSize& size) { size_ = size; }
  void set_frame_length(std::uint32_t bytes) { size_.frame_length = bytes; }
  void encrypt(const EspOverhead& overhead) { size_.esp = overhead; }
  void take_size(const HostOutcome& outcome);  // of what a host sends on
  std::uint32_t frame_length() const;          // of the refusal, where it is one
  std::uint32_t ip_length() const { return frame_length() - kEthernetHeader; }

  // The packet is the refusal of the one that was asked about until end_refusal(). `quoted`: as of Refusal.
  void begin_refusal(std::optional<Tuple> quoted);
  void end_refusal() { is_refusal_ = false; }
  bool is_refusal() const { return is_refusal_; }
  void quote(std::optional<Tuple> quoted) { quoted_ = std::move(quoted); }
  const std::optional<Tuple>& quoted() const { return quoted_; }

  // The packet is the outer one of this; null: it is in no tunnel.
  void carry(const InTunnel& inner) { carried_ = &inner; }
  const InTunnel* carried() const { return carried_; }

 private:
  PacketSize size_;
  bool is_refusal_ = false;
  std::optional<Tuple> quoted_;
  const InTunnel* carried_ = nullptr;
};

}  // namespace egt::engine
