// The first look at captured frames: packets with the same headers at the same place become one track.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "egtrace/capture/frame.h"
#include "egtrace/capture/kernel_event.h"

namespace egt::explain::capture_study {

// What makes two frames the same for all that follows. Ports of a quoted packet for ICMP errors.
struct TrackKey {
  IpAddr src, dst, tunnel_src, tunnel_dst;
  std::uint64_t smac = 0, dmac = 0;  // 0: the capture does not show
  std::uint32_t file = 0, interface = 0, ifindex = 0, vni = 0;
  std::uint16_t sport = 0, dport = 0;
  std::uint8_t proto = 0, ttl = 0, icmp_type = 0, icmp_code = 0;
  capture::Direction direction = capture::Direction::unknown;
  std::uint8_t tunnel = 0;  // 0 none, 1 Geneve, 2 VXLAN
  bool inside = false;      // a tracer saw it between devices: tcpdump would not

  friend bool operator==(const TrackKey&, const TrackKey&) = default;
};
// The first packet of one kind.
struct Mark {
  std::uint64_t frame = 0, packets = 0;
  std::int64_t time = 0;
  void add(const capture::Frame& f) {
    if (packets++ == 0) {
      frame = f.number;
      time = f.time;
    }
  }
};

struct Track {
  TrackKey key;
  Mark all, syn, syn_ack, acked, data, fin, reset;  // acked: TCP, neither SYN nor RST
  std::int64_t last = 0;
  std::optional<std::uint32_t> isn;        // of the connection's opener: a SYN's seq, a SYN-ACK's ack - 1
  std::optional<std::uint32_t> maybe_isn;  // a reset's ack - 1: the opener's if it answers a SYN
  std::array<std::uint64_t, 4> prints{};   // of the first packets, what NAT leaves alone
  std::uint8_t print_count = 0;
  std::unique_ptr<capture::Headers> quoted;  // of an ICMP error

  bool is_error() const { return quoted != nullptr; }
};

// Which track has a key: open addressing over the tracks' own keys, which are large.
class TrackIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  // The slot of the key, and where there is none yet, the empty one that it gets.
  std::uint32_t& slot(const std::deque<Track>& tracks, const TrackKey& key);
  void filled();  // an empty slot was

 private:
  struct Slot {
    std::uint32_t hash = 0, track = kNone;
  };
  void grow();

  std::vector<Slot> slots_ = std::vector<Slot>(1024);
  std::size_t used_ = 0;
};

class Tracks {
 public:
  void take(std::uint32_t file, const capture::Frame& frame);
  // Of an event that has a packet: its track; null where too many are kept, or it is no flow's.
  const Track* take(std::uint32_t file, const capture::KernelEvent& event);
  const std::deque<Track>& all() const { return tracks_; }
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t not_flows() const { return not_flows_; }  // packets: multicast, neighbour discovery

 private:
  Track* track_of(const TrackKey& key, const capture::Frame& frame);
  Track* take(const TrackKey& key, const capture::Frame& frame);

  std::deque<Track> tracks_;
  TrackIndex current_;  // the latest of its key: ports are used again
  std::uint64_t left_out_ = 0, not_flows_ = 0;
};

}  // namespace egt::explain::capture_study
