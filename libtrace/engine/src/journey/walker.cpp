#include "walker.h"

#include "inner_packet.h"
#include "outer_packet.h"
#include "returned_refusal.h"
#include "start.h"
#include "steps.h"

namespace egt::engine {
namespace {

constexpr int kMostTunnels = 4;  // one within the other

// Best outcome first: what a reader who asks "does it arrive?" wants to see of several copies of one packet.
int rank(Verdict v) {
  switch (v) {
    case Verdict::delivered: return 0;
    case Verdict::rejected: return 1;
    case Verdict::inconclusive: return 2;
    case Verdict::dropped: return 3;
  }
  return 4;
}

std::uint32_t ttl_of(const Position& place) {
  return std::visit([](const auto& at) { return at.packet.u32(FieldId::nw_ttl); }, place);
}

std::size_t nodes_of(const Record& record) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < record.sightings.size(); ++i)
    if (i == 0 || record.sightings[i].node != record.sightings[i - 1].node) ++count;
  return count;
}

bool is_stray(const Arrival& arrival) { return arrival.stop && arrival.stop->why.reason == Reason::mac_not_of_device; }

bool is_taken_by(const Client& client, const Arrival& arrival) {
  return arrival.end.same_place(client.end) && is_answer_to(arrival.packet, client.sent);
}

bool reached_a_host(const Arrival& outer) {
  return outer.verdict == Verdict::delivered && !outer.left_snapshot && outer.end.kind == Endpoint::Kind::process;
}

}  // namespace

Arrival Walker::walk(const Start& start, FlowKey& sent) {
  walk_.sender.from = start.from;
  walk_.sender.client = start.client;
  Next next = begin(walk_, start, sent);
  walk_.sender.sent = sent;
  return or_lost_discovery(follow(std::move(next), kMostPlaces));
}

// A pod that has resolved its next hop before goes on with that for a while: what happens to the packet then is said first.
Arrival Walker::or_lost_discovery(Arrival end) {
  std::optional<LostDiscovery>& lost = walk_.sender.lost_discovery;
  if (!lost || end.verdict == Verdict::dropped || end.verdict == Verdict::rejected) return end;
  walk_.record = std::move(lost->record);
  walk_.log.set_egress({});
  other_receivers_.clear();
  return std::move(lost->end);
}

Arrival Walker::follow(Next next, int budget) {
  if (Position* place = std::get_if<Position>(&next)) return follow_place(std::move(*place), budget);
  if (Copies* places = std::get_if<Copies>(&next)) return follow_copies(std::move(*places), budget);
  if (Refusal* refusal = std::get_if<Refusal>(&next)) return follow_refusal(std::move(*refusal));
  return std::get<Arrival>(std::move(next));
}

// Routers that send a packet to each other end it by its TTL, which is walked to the end; a loop without routers never ends. What
// becomes of copies that are not walked so far is open.
Arrival Walker::follow_place(Position place, int budget) {
  const int full = budget;
  std::uint32_t ttl = ttl_of(place);
  while (true) {
    if (const std::uint32_t now = ttl_of(place); now < ttl) {
      ttl = now;
      budget = full;
    }
    const bool is_endless = budget-- == 0;
    if (is_endless || places_left_-- <= 0)
      return walk_.log.stop(is_endless && full == kMostPlaces ? Verdict::dropped : Verdict::inconclusive,
                            {"", Layer::underlay, {PlaceKind::loop}, {Reason::loop}});
    Next next = std::visit(
        [this]<class At>(At& at) {
          if constexpr (std::is_same_v<At, InTunnel>)
            return cross_tunnel(at);
          else
            return step(walk_, std::move(at));
        },
        place);
    if (!std::holds_alternative<Position>(next)) return follow(std::move(next), budget);
    place = std::get<Position>(std::move(next));
  }
}

// All are walked, the best outcome is the path's.
Arrival Walker::follow_copies(Copies places, int budget) {
  const std::size_t count = places.size();
  Record before = walk_.record;
  const std::optional<Egress> egress_before = walk_.log.egress();
  const PacketSize size_before = walk_.packet.size();
  Arrival best;
  Record best_record;
  std::optional<Egress> best_egress;
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) walk_.record = i + 1 == count ? std::move(before) : before;
    walk_.log.set_egress(egress_before);
    walk_.packet.set_size(size_before);
    Arrival arrival = follow_place(std::move(places[i]), budget / 2);
    const bool counts = i == 0 || counts_before(arrival, walk_.record, best, best_record);
    note_receiver(counts ? best : arrival);
    if (counts) {
      best = std::move(arrival);
      best_record = std::move(walk_.record);
      best_egress = walk_.log.take_egress();
    }
  }
  walk_.record = std::move(best_record);
  walk_.log.set_egress(std::move(best_egress));
  return best;
}

void Walker::note_receiver(const Arrival& copy) {
  if (copy.verdict == Verdict::delivered && !copy.left_snapshot && copy.end.kind != Endpoint::Kind::outside)
    other_receivers_.push_back({copy.end, copy.packet});
}

// Of copies that end alike the one counts that the client takes, then the one that was meant for its receiver, then the one
// that came farthest: a flood shows each frame to devices for which it is not.
bool Walker::counts_before(const Arrival& a, const Record& of_a, const Arrival& b, const Record& of_b) const {
  if (rank(a.verdict) != rank(b.verdict)) return rank(a.verdict) < rank(b.verdict);
  const std::optional<Client>& client = walk_.sender.client;
  if (client && a.verdict == Verdict::delivered) return is_taken_by(*client, a) && !is_taken_by(*client, b);
  if (is_stray(a) != is_stray(b)) return is_stray(b);
  return a.verdict == Verdict::dropped && nodes_of(of_a) > nodes_of(of_b);
}

// The answer is walked back to the sender as a packet of its own.
Arrival Walker::follow_refusal(Refusal refusal) {
  walk_.packet.begin_refusal(std::move(refusal.quoted));
  const Arrival back = follow(send_refusal(walk_, refusal), kMostPlaces);
  walk_.packet.end_refusal();
  return judge_refusal(walk_, std::move(refusal), back);
}

// The outer packet is walked first: whether that arrives decides on the inner one.
Next Walker::cross_tunnel(const InTunnel& at) {
  if (tunnels_ == kMostTunnels)
    return walk_.log.stop(Verdict::dropped, {at.node->name, Layer::underlay, {PlaceKind::loop}, {Reason::loop}});
  const std::uint32_t more = outer_bytes(at);
  JourneyOptions options = walk_.options;
  options.packet_length = walk_.packet.frame_length() + more;
  options.may_fragment = option(*at.port, "df_default") == "false";
  Record aside;
  aside.wants_misses = walk_.record.wants_misses;
  NetworkState network_state =
      walk_.network_state;  // connections of the outer packets are of no interest to those of the inner ones
  Walker carrier(walk_.cluster, walk_.topology, walk_.sessions, options, network_state, aside, walk_.chooser);
  carrier.tunnels_ = tunnels_ + 1;
  OuterPacket outer(carrier.walk_, at);
  Arrival end = outer.or_lost_discovery(carrier.follow(outer.send(), kMostPlaces));
  const Encap encap = outer.encap();
  InnerPacket inner(walk_, at, encap);
  inner.note_encapsulation(!end.left_snapshot && end.verdict != Verdict::inconclusive, outer.presumes_ipsec());
  if (outer.lacks_dumps(end)) end = carrier.follow(outer.carry_on(std::move(end)), kMostPlaces);
  walk_.log.note_undecided(carrier.undecided());
  inner.adopt(aside, reached_a_host(end));
  if (std::optional<SizeLimit> largest = aside.largest; largest && largest->bytes > more) {
    largest->bytes -= more;
    walk_.record.limit(*largest);
  }
  if (!reached_a_host(end)) return inner.lose(end);
  return inner.decapsulate(end);
}

}  // namespace egt::engine
