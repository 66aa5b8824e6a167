#include "tracks.h"

#include "egtrace/packet/flow_key.h"
#include "kernel_stage.h"

namespace egt::explain::capture_study {
namespace {

namespace tcp_flag = capture::tcp_flag;

constexpr std::size_t kMostTracks = 400'000;  // some 200 MB; a scan of all ports of a network ends here

std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6) + (h >> 2);
  return h;
}

std::uint64_t mix(std::uint64_t h, const IpAddr& a) {
  return mix(mix(h, static_cast<std::uint64_t>(a.value >> 64)), static_cast<std::uint64_t>(a.value));
}

TrackKey key_of(std::uint32_t file, const capture::Frame& f) {
  const capture::Headers& ports = f.quoted ? *f.quoted : f.ip;
  TrackKey k;
  k.src = f.ip.src;
  k.dst = f.ip.dst;
  k.file = file;
  k.interface = f.interface;
  k.ifindex = f.ifindex;
  k.sport = ports.sport;
  k.dport = ports.dport;
  k.proto = f.ip.proto;
  k.ttl = f.ip.ttl;
  k.icmp_type = f.ip.icmp_type;
  k.icmp_code = f.ip.icmp_code;
  k.direction = f.direction;
  if (f.smac) k.smac = f.smac->value;
  if (f.dmac) k.dmac = f.dmac->value;
  if (f.tunnel) {
    k.tunnel = f.tunnel->type == "vxlan" ? 2 : 1;
    k.tunnel_src = f.tunnel->src;
    k.tunnel_dst = f.tunnel->dst;
    k.vni = f.tunnel->vni;
  }
  return k;
}

// The opener's initial sequence number, where this packet shows it.
std::optional<std::uint32_t> isn_of(const capture::Headers& h) {
  if (h.proto != ip_proto::tcp || !h.has_seq || !(h.tcp_flags & tcp_flag::syn)) return std::nullopt;
  return h.tcp_flags & tcp_flag::ack ? h.ack - 1 : h.seq;
}

std::uint64_t print_of(const capture::Headers& h) {
  if (h.proto != ip_proto::tcp) return h.fingerprint;
  if (!h.has_seq || h.payload_bytes == 0) return 0;
  return mix(mix(mix(h.seq, h.ack), h.payload_bytes), 0x7c90) | 1;
}

void count_tcp(Track& t, const capture::Frame& f) {
  const std::uint8_t flags = f.ip.tcp_flags;
  if (flags == 0) return;  // the tracer does not show them
  if (flags & tcp_flag::rst) {
    t.reset.add(f);
    if (!t.isn && (flags & tcp_flag::ack) && f.ip.has_seq) t.maybe_isn = f.ip.ack - 1;
    return;
  }
  if (flags & tcp_flag::syn) return (flags & tcp_flag::ack ? t.syn_ack : t.syn).add(f);
  t.acked.add(f);
  if (f.ip.payload_bytes > 0) t.data.add(f);
  if (flags & tcp_flag::fin) t.fin.add(f);
}

// Messages by which neighbours and routers find each other: no flow of a client.
bool is_neighbour_discovery(const capture::Headers& h) {
  return h.proto == ip_proto::icmp6 && h.icmp_type >= 130 && h.icmp_type <= 137;
}

std::uint32_t hash_of(const TrackKey& k) {
  std::uint64_t h = mix(mix(0, k.src), k.dst);
  h = mix(h, static_cast<std::uint64_t>(k.sport) << 48 | static_cast<std::uint64_t>(k.dport) << 32 |
                 static_cast<std::uint64_t>(k.proto) << 24 | static_cast<std::uint64_t>(k.ttl) << 16 |
                 static_cast<std::uint64_t>(k.icmp_type) << 8 | k.icmp_code);
  h = mix(mix(h, k.smac), k.dmac);
  h = mix(h, static_cast<std::uint64_t>(k.file) << 32 | k.interface);
  h = mix(h, static_cast<std::uint64_t>(k.ifindex) << 32 | k.vni);
  h = mix(h, static_cast<std::uint64_t>(k.inside) << 16 | static_cast<std::uint64_t>(k.direction) << 8 | k.tunnel);
  if (k.tunnel != 0) h = mix(mix(h, k.tunnel_src), k.tunnel_dst);
  return static_cast<std::uint32_t>((h ^ h >> 29) * 0xbf58476d1ce4e5b9ULL >> 32);
}

}  // namespace

std::uint32_t& TrackIndex::slot(const std::deque<Track>& tracks, const TrackKey& key) {
  const std::uint32_t hash = hash_of(key);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& s = slots_[at];
    if (s.track != kNone && (s.hash != hash || !(tracks[s.track].key == key))) continue;
    s.hash = hash;
    return s.track;
  }
}

void TrackIndex::filled() {
  if (++used_ * 2 > slots_.size()) grow();
}

void TrackIndex::grow() {
  std::vector<Slot> old(slots_.size() * 4);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& s : old) {
    if (s.track == kNone) continue;
    std::size_t at = s.hash & mask;
    while (slots_[at].track != kNone) at = (at + 1) & mask;
    slots_[at] = s;
  }
}

Track* Tracks::track_of(const TrackKey& key, const capture::Frame& frame) {
  std::uint32_t& slot = current_.slot(tracks_, key);
  const bool is_new = slot == TrackIndex::kNone;
  if (!is_new) {
    Track& track = tracks_[slot];
    const auto isn = isn_of(frame.ip);
    if (!isn || !track.isn || *isn == *track.isn) return &track;
  }
  if (tracks_.size() == kMostTracks) return nullptr;
  slot = static_cast<std::uint32_t>(tracks_.size());  // the first, or the next connection of these ports
  tracks_.emplace_back().key = key;
  if (is_new) current_.filled();
  return &tracks_.back();
}

Track* Tracks::take(const TrackKey& key, const capture::Frame& frame) {
  if (is_neighbour_discovery(frame.ip) || frame.ip.dst.is_multicast() ||
      (frame.ip.dst.is_v4() && frame.ip.dst.as_v4() == 0xffffffff)) {
    ++not_flows_;
    return nullptr;
  }
  Track* track = track_of(key, frame);
  if (track == nullptr) {
    ++left_out_;
    return nullptr;
  }
  track->all.add(frame);
  track->last = frame.time;
  if (const auto isn = isn_of(frame.ip)) track->isn = isn;
  if (frame.quoted)
    track->quoted = std::make_unique<capture::Headers>(*frame.quoted);
  else if (frame.ip.proto == ip_proto::tcp)
    count_tcp(*track, frame);
  if (const std::uint64_t print = print_of(frame.ip); print != 0 && track->print_count < track->prints.size())
    track->prints[track->print_count++] = print;
  return track;
}

void Tracks::take(std::uint32_t file, const capture::Frame& frame) { take(key_of(file, frame), frame); }

const Track* Tracks::take(std::uint32_t file, const capture::KernelEvent& event) {
  capture::Frame frame = event.frame;
  frame.direction = crossing(event.facts.symbol);
  TrackKey key = key_of(file, frame);
  if (frame.direction == capture::Direction::unknown || event.facts.probe == capture::Probe::function_return) {
    key.inside = true;
    key.interface = 0;
    key.ttl = 0;
    key.smac = key.dmac = 0;
    key.direction = capture::Direction::unknown;
  }
  Track* track = take(key, frame);
  // What the tracer calls one packet is one, whatever NAT made of it.
  if (track != nullptr && event.packet != 0 && print_of(frame.ip) == 0 && track->print_count < track->prints.size())
    track->prints[track->print_count++] = event.packet;
  return track;
}

}  // namespace egt::explain::capture_study
