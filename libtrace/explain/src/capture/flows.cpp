#include "flows.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "egtrace/packet/flow_key.h"

namespace egt::explain::capture_study {
namespace {

// Addresses that every node may have for itself: the same pair on two nodes is not the same flow.
bool is_local_scope(const IpAddr& a) { return a.is_link_local() || a.is_loopback(); }

struct LegKey {
  std::uint8_t proto = 0;
  Ends ends;         // the smaller of both orders
  std::string node;  // of addresses with local scope
  friend bool operator==(const LegKey&, const LegKey&) = default;
};
struct LegHash {
  std::size_t operator()(const LegKey& k) const {
    std::uint64_t h = k.proto;
    const auto mix = [&h](std::uint64_t v) {
      h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
      h ^= h >> 32;
    };
    for (const IpAddr* a : {&k.ends.src, &k.ends.dst}) {
      mix(static_cast<std::uint64_t>(a->value));
      mix(static_cast<std::uint64_t>(a->value >> 64));
    }
    mix(static_cast<std::uint64_t>(k.ends.sport) << 16 | k.ends.dport);
    if (!k.node.empty()) mix(std::hash<std::string>{}(k.node));
    return h;
  }
};

struct Leg {
  std::optional<std::uint32_t> isn;
  std::int64_t first = 0, last = 0;
  Ends ends;
  std::optional<bool> forward_flipped;  // known: whether the opener's direction is the other one than `ends`
  std::vector<FlowPart> parts;          // `reply` holds, for now, whether the part's direction is the other one
};

std::uint8_t plain_proto(const Track& t) { return t.key.proto; }

// The groups of joined legs. A group remembers of each leg whether its order of ends is turned around.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count), turned_(count, false) {
    for (std::size_t i = 0; i < count; ++i) parent_[i] = i;
  }
  struct Root {
    std::size_t leg;
    bool turned;
  };
  Root root(std::size_t leg) const {
    bool turned = false;
    while (parent_[leg] != leg) {
      turned ^= turned_[leg];
      leg = parent_[leg];
    }
    return {leg, turned};
  }
  // `turned`: what is one direction of `a` is the other one of `b`.
  void join(std::size_t a, std::size_t b, bool turned) {
    const Root ra = root(a), rb = root(b);
    if (ra.leg == rb.leg) return;
    const std::size_t child = std::max(ra.leg, rb.leg), top = std::min(ra.leg, rb.leg);
    parent_[child] = top;
    turned_[child] = ra.turned ^ rb.turned ^ turned;
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<bool> turned_;
};

// NAT that turns every address and port at once does not occur; two flows that look alike do.
bool resemble(const Ends& a, const Ends& b) {
  return a.src == b.src || a.dst == b.dst || a.sport == b.sport || a.dport == b.dport;
}

class Finder {
 public:
  Finder(const Tracks& tracks, const Places& places) : tracks_(tracks), places_(places) {}

  Flows find() {
    std::vector<const Track*> errors, middle;
    for (const Track& t : tracks_.all()) {
      if (t.is_error())
        errors.push_back(&t);
      else if (t.key.proto == ip_proto::tcp && !t.isn)
        middle.push_back(&t);
      else
        place_track(t);
    }
    for (const Track* t : middle) place_track(*t);
    for (const Track* t : errors) place_error(*t);
    join_by_isn();
    join_by_prints();
    return collect();
  }

 private:
  LegKey key_of(std::uint8_t proto, const Ends& ends, const std::string& node) const {
    LegKey k{proto, std::min(ends, ends.reversed()), {}};
    if (is_local_scope(ends.src) || is_local_scope(ends.dst)) k.node = node;
    return k;
  }

  void place_track(const Track& t) {
    FlowPart part{&t, places_.of(t), ends_of(t), false};
    const LegKey key = key_of(plain_proto(t), part.ends, part.place.node());
    Leg& leg = legs_[leg_for(key, t)];
    add(leg, std::move(part));
  }

  void add(Leg& leg, FlowPart part) {
    part.reply = part.ends != leg.ends;
    const Track& t = *part.track;
    if (leg.parts.empty() || t.all.time < leg.first) leg.first = t.all.time;
    if (leg.parts.empty() || t.last > leg.last) leg.last = t.last;
    if (t.syn.packets > 0)
      leg.forward_flipped = part.reply;
    else if (t.syn_ack.packets > 0 && !leg.forward_flipped)
      leg.forward_flipped = !part.reply;
    leg.parts.push_back(std::move(part));
  }

  // The connection of these ends that the track belongs to: by its initial sequence number, else the latest before it.
  std::size_t leg_for(const LegKey& key, const Track& t) {
    std::vector<std::size_t>& same = by_key_[key];
    const std::size_t none = legs_.size();
    std::size_t best = none;
    constexpr std::size_t kLatest = 64;  // ports are not used again more often than that while packets are on their path
    for (std::size_t k = same.size() > kLatest ? same.size() - kLatest : 0; k < same.size(); ++k) {
      const std::size_t i = same[k];
      const Leg& leg = legs_[i];
      if (t.isn) {
        if (leg.isn == t.isn) return i;
        continue;
      }
      if (best == none || (leg.first <= t.all.time + kSkew && leg.first > legs_[best].first)) best = i;
    }
    if (best != none) return best;
    same.push_back(none);
    Leg leg;
    leg.isn = t.isn;
    leg.ends = key.ends;
    leg.first = leg.last = t.all.time;
    legs_.push_back(std::move(leg));
    return none;
  }

  // An ICMP error goes to the flow of the packet that it quotes.
  void place_error(const Track& t) {
    const capture::Headers& q = *t.quoted;
    const Ends quoted{q.src, q.dst, q.sport, q.dport};
    FlowPart part{&t, places_.of(t), quoted.reversed(), false};
    const std::size_t none = legs_.size();
    std::size_t best = none;
    const auto consider = [&](std::size_t i) {
      const Leg& leg = legs_[i];
      if (q.has_seq && leg.isn && (q.seq == *leg.isn || q.seq == *leg.isn + 1))
        best = i;
      else if (best == none && leg.first <= t.all.time + kSkew)
        best = i;
    };
    if (q.sport != 0 || q.proto == ip_proto::icmp || q.proto == ip_proto::icmp6) {
      const auto found = by_key_.find(key_of(q.proto, quoted, part.place.node()));
      if (found != by_key_.end())
        for (const std::size_t i : found->second) consider(i);
    } else {
      if (const auto found = destinations().find(quoted); found != destinations_.end()) {
        best = found->second.first;
        part.ends = found->second.second.reversed();
      }
    }
    if (best == none) {
      stray_errors_ += t.all.packets;
      return;
    }
    add(legs_[best], std::move(part));
  }

  // Text of tcpdump shows only the destination of the quoted packet: legs by their ends without the source port.
  using Destinations = std::map<Ends, std::pair<std::size_t, Ends>>;
  const Destinations& destinations() {
    if (destinations_.empty())
      for (std::size_t i = 0; i < legs_.size(); ++i)
        for (const Ends& e : {legs_[i].ends, legs_[i].ends.reversed()})
          destinations_.try_emplace({e.src, e.dst, 0, e.dport}, i, e);
    return destinations_;
  }

  void join_by_isn() {
    groups_.emplace(legs_.size());
    std::unordered_map<std::uint32_t, std::size_t> by_isn;
    for (std::size_t i = 0; i < legs_.size(); ++i) {
      if (!legs_[i].isn || !legs_[i].forward_flipped) continue;
      const auto [found, is_new] = by_isn.try_emplace(*legs_[i].isn, i);
      if (is_new) continue;
      const Leg& other = legs_[found->second];
      if (legs_[i].first > other.last + kRetransmission) {  // the number came up again by chance
        found->second = i;
        continue;
      }
      groups_->join(found->second, i, *other.forward_flipped != *legs_[i].forward_flipped);
    }
    // A reset whose sender gave itself another address than the one that was called.
    for (std::size_t i = 0; i < legs_.size(); ++i)
      for (const FlowPart& part : legs_[i].parts) {
        if (legs_[i].isn || !part.track->maybe_isn) continue;
        const auto found = by_isn.find(*part.track->maybe_isn);
        if (found == by_isn.end() || found->second == i) continue;
        const bool forward_flipped = !part.reply;
        groups_->join(found->second, i, *legs_[found->second].forward_flipped != forward_flipped);
      }
  }

  void join_by_prints() {
    struct PrintOwner {
      std::size_t leg;
      bool flipped;
      Ends ends;
      std::int64_t time;
    };
    std::unordered_map<std::uint64_t, PrintOwner> by_print;
    for (std::size_t i = 0; i < legs_.size(); ++i) {
      if (legs_[i].isn) continue;
      for (const FlowPart& part : legs_[i].parts)
        for (std::size_t k = 0; k < part.track->print_count; ++k) {
          const auto [found, is_new] =
              by_print.try_emplace(part.track->prints[k], PrintOwner{i, part.reply, part.ends, part.track->all.time});
          const PrintOwner& other = found->second;
          if (is_new || other.leg == i || !resemble(other.ends, part.ends)) continue;
          if (std::abs(other.time - part.track->all.time) > kRetransmission) continue;
          groups_->join(other.leg, i, other.flipped != part.reply);
        }
    }
  }

  Flows collect() {
    Flows result;
    // The root of a group is its first leg, so flows come in the order of theirs.
    std::vector<std::size_t> flow_of(legs_.size());
    for (std::size_t i = 0; i < legs_.size(); ++i) {
      const Groups::Root root = groups_->root(i);
      if (root.leg == i) {
        flow_of[i] = result.flows.size();
        result.flows.emplace_back();
      }
      Flow& flow = result.flows[flow_of[root.leg]];
      for (FlowPart& part : legs_[i].parts) {
        part.reply ^= root.turned;
        flow.parts.push_back(std::move(part));
      }
    }
    for (Flow& flow : result.flows) finish(flow);
    std::stable_sort(result.flows.begin(), result.flows.end(), [](const Flow& a, const Flow& b) { return a.start < b.start; });
    result.stray_errors = stray_errors_;
    return result;
  }

  // Which direction is the opener's.
  static void finish(Flow& flow) {
    std::stable_sort(flow.parts.begin(), flow.parts.end(), [](const FlowPart& a, const FlowPart& b) {
      return std::tie(a.track->all.time, a.track->key.file, a.track->all.frame) <
             std::tie(b.track->all.time, b.track->key.file, b.track->all.frame);
    });
    const FlowPart* sure = nullptr;
    bool turn = false;
    for (const FlowPart& part : flow.parts) {
      const Track& t = *part.track;
      if (t.is_error()) continue;
      flow.proto = t.key.proto;
      const bool request = t.syn.packets > 0 || is_echo(t, 8, 128), answer = t.syn_ack.packets > 0 || is_echo(t, 0, 129);
      if (sure == nullptr && (request || answer)) {
        sure = &part;
        turn = part.reply != answer;
      }
      flow.has_opening |= request || (t.key.proto != ip_proto::tcp && !answer);
    }
    if (sure == nullptr) turn = flow.parts.front().track->is_error() ? !flow.parts.front().reply : flow.parts.front().reply;
    flow.start = flow.parts.front().track->all.time;
    if (turn)
      for (FlowPart& part : flow.parts) part.reply = !part.reply;
  }

  static bool is_echo(const Track& t, std::uint8_t v4, std::uint8_t v6) {
    return (t.key.proto == ip_proto::icmp && t.key.icmp_type == v4) || (t.key.proto == ip_proto::icmp6 && t.key.icmp_type == v6);
  }

  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr std::int64_t kSkew = 2 * kSecond;              // of the nodes' clocks
  static constexpr std::int64_t kRetransmission = 130 * kSecond;  // tcp_syn_retries 6: the last one after 63 s, given up at 127 s

  const Tracks& tracks_;
  const Places& places_;
  std::vector<Leg> legs_;
  std::unordered_map<LegKey, std::vector<std::size_t>, LegHash> by_key_;
  std::optional<Groups> groups_;
  Destinations destinations_;
  std::uint64_t stray_errors_ = 0;
};

}  // namespace

Ends ends_of(const Track& track) { return {track.key.src, track.key.dst, track.key.sport, track.key.dport}; }

bool carries_ports(std::uint8_t proto) { return proto == ip_proto::tcp || proto == ip_proto::udp || proto == ip_proto::sctp; }

Flows find_flows(const Tracks& tracks, const Places& places) { return Finder(tracks, places).find(); }

}  // namespace egt::explain::capture_study
