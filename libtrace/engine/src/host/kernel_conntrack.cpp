#include "kernel_conntrack.h"

#include <algorithm>
#include <initializer_list>

#include "tcp_tracking.h"

namespace egt::engine {
namespace {

constexpr std::uint16_t kFirstHighPort = 1024;

bool contains(std::initializer_list<std::uint32_t> list, std::uint32_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool is_tcp(const FlowKey& packet) { return packet.u32(FieldId::nw_proto) == ip_proto::tcp; }

// What the packet is to the kernel when no entry knows it (tcp_new(), icmp and icmpv6 in nf_conntrack_proto_*.c).
PacketState first_state(const FlowKey& packet, bool loose) {
  const std::uint32_t proto = packet.u32(FieldId::nw_proto);
  const std::uint32_t type = packet.u32(FieldId::icmp_type);
  if (proto == ip_proto::tcp)
    return open_tcp(packet.u32(FieldId::tcp_flags), loose) ? PacketState::new_ : PacketState::invalid;
  if (proto == ip_proto::icmp)  // echo, timestamp, information and address mask requests
    return contains({8, 13, 15, 17}, type) ? PacketState::new_ : PacketState::invalid;
  if (proto == ip_proto::icmp6) {
    if (contains({130, 131, 132, 133, 134, 135, 136, 137, 143}, type)) return PacketState::untracked;
    return contains({128, 139}, type) ? PacketState::new_ : PacketState::invalid;
  }
  return PacketState::new_;
}

}  // namespace

bool is_icmp_error(const FlowKey& packet) {
  const std::uint32_t proto = packet.u32(FieldId::nw_proto);
  const std::uint32_t type = packet.u32(FieldId::icmp_type);
  if (proto == ip_proto::icmp) return contains({3, 4, 5, 11, 12}, type);
  return proto == ip_proto::icmp6 && type >= 1 && type <= 4;
}

void KernelConntrack::look_up(const FlowKey& packet, std::uint16_t zone, bool made_here,
                              const std::optional<Tuple>& quoted) {
  zone_.space = ConntrackSpace::kernel;
  zone_.zone = zone;
  if (is_icmp_error(packet)) return look_up_error(packet, made_here, quoted);
  const Tuple tuple = tuple_of(packet);
  if (find_known(packet, tuple)) return;
  const bool loose = loose_.value_or(true);
  state_ = first_state(packet, loose);
  if (state_ != PacketState::new_) return;
  fresh_.emplace();
  fresh_->original = tuple;
  fresh_->reply = reversed(tuple);
  if (!is_tcp(packet)) return;
  const std::uint32_t flags = packet.u32(FieldId::tcp_flags);
  fresh_->tcp = open_tcp(flags, loose).value_or(TcpState::unknown);
  fresh_->presumed = !loose_ && !open_tcp(flags, false);
}

// False where there is no entry any more, or none yet.
bool KernelConntrack::find_known(const FlowKey& packet, const Tuple& tuple) {
  const auto hit = world_.conntrack.find(zone_, tuple);
  if (!hit) return false;
  if (is_tcp(packet)) {
    TcpState& tcp = hit.connection->tcp;
    // Open vSwitch shares the table and keeps no states.
    if (tcp == TcpState::syn_sent && hit.connection->seen_reply) tcp = TcpState::syn_recv;
    const TcpStep step = follow_tcp(tcp, hit.reply_direction, packet.u32(FieldId::tcp_flags));
    if (step.kind == TcpStep::Kind::reopens) {
      world_.conntrack.erase(zone_, *hit.connection);
      return false;
    }
    if (step.kind == TcpStep::Kind::invalid) {
      state_ = PacketState::invalid;
      return true;
    }
    tcp = step.next;
  }
  known_ = hit.connection;
  reply_direction_ = hit.reply_direction;
  if (reply_direction_) known_->seen_reply = true;
  state_ = known_->seen_reply ? PacketState::established : PacketState::new_;
  return true;
}

bool KernelConntrack::changes_destination() const {
  const Connection* c = connection();
  if (c == nullptr) return false;
  return reply_direction_ ? c->reply.dst != c->original.src : c->original.dst != c->reply.src;
}

void KernelConntrack::attach(const Attached& about, const FlowKey& packet) {
  zone_.space = ConntrackSpace::kernel;
  zone_.zone = about.zone;
  state_ = PacketState::related;
  reply_direction_ = about.reply_direction;
  known_ = world_.conntrack.find(zone_, about.connection.original).connection;
  if (known_ != nullptr) {
    if (is_tcp(packet)) known_->tcp = TcpState::close;   // nf_conntrack_tcp_set_closing()
    return;
  }
  attached_ = about.connection;
  known_ = &*attached_;
}

void KernelConntrack::forget() {
  if (confirmed()) world_.conntrack.erase(zone_, *known_);
  known_ = nullptr;
  fresh_.reset();
}

// An error that this host makes about a packet that was not tracked may still quote one of a connection that is.
void KernelConntrack::look_up_error(const FlowKey& packet, bool made_here, const std::optional<Tuple>& quoted) {
  state_ = PacketState::invalid;
  if (made_here && !quoted) return;
  // nf_conntrack_inet_error(): an error for somebody else than the sender of what it quotes is about nothing.
  if (quoted && quoted->src != dst_ip(packet)) return;
  const auto hit = quoted ? world_.conntrack.find(zone_, reversed(*quoted))
                          : world_.conntrack.find_by_receiver(zone_, dst_ip(packet));
  known_ = hit.connection;
  reply_direction_ = hit.reply_direction;
  if (known_ != nullptr) state_ = PacketState::related;
}

bool KernelConntrack::bind(bool source, const IpAddr& address, std::optional<std::uint16_t> port, bool only_port) {
  (source ? source_done_ : destination_done_) = true;
  if (!fresh_) return true;
  Tuple& reply = fresh_->reply;
  const bool by_id = reply.sport == reply.dport && (reply.proto == ip_proto::icmp || reply.proto == ip_proto::icmp6);
  if (source) {
    reply.dst = address;
    if (port) reply.dport = *port;
    if (port && by_id) reply.sport = *port;
    if (port) fresh_->sport_by_snat = true;
  } else {
    reply.src = address;
    if (port && !by_id) reply.sport = *port;
  }
  return !source || only_port || find_free_port();
}

bool KernelConntrack::bind_nothing(bool source) {
  (source ? source_done_ : destination_done_) = true;
  return !source || !fresh_ || find_free_port();
}

bool KernelConntrack::find_free_port() {
  Tuple& reply = fresh_->reply;
  if (!world_.conntrack.reply_taken(zone_, reply)) return true;
  fresh_->sport_by_snat = true;
  const bool by_id = reply.proto == ip_proto::icmp || reply.proto == ip_proto::icmp6;
  const std::uint16_t start = std::max(reply.dport, kFirstHighPort);
  std::uint16_t port = start;
  do {
    port = port == 0xffff ? kFirstHighPort : static_cast<std::uint16_t>(port + 1);
    reply.dport = port;
    if (by_id) reply.sport = port;
  } while (port != start && world_.conntrack.reply_taken(zone_, reply));
  return false;
}

std::optional<Applied> KernelConntrack::translate(bool source, FlowKey& packet) {
  const Connection* c = connection();
  if (c == nullptr) return std::nullopt;
  if (is_icmp_error(packet)) return translate_error(*c, source, packet);
  // What is not translated keeps what a rule wrote into it (nf_nat_packet()).
  if (!(source != reply_direction_ ? c->has_snat() : c->has_dnat())) return std::nullopt;
  const Tuple target = reversed(reply_direction_ ? c->original : c->reply);
  Applied applied{source, tuple_of(packet), {}};
  applied.after = applied.before;
  const bool by_id = !has_ports(packet);
  if (source) {
    applied.after.src = target.src;
    applied.after.sport = target.sport;
  } else {
    applied.after.dst = target.dst;
    applied.after.dport = target.dport;
  }
  if (by_id) applied.after.sport = applied.after.dport = target.sport;   // one for both (icmp_manip_pkt())
  if (applied.after == applied.before) return std::nullopt;
  set_tuple(packet, applied.after);
  return applied;
}

// Of an error only the addresses change, and whoever sent it seems to be the one that it is about
// (nf_nat_icmp_reply_translation()).
std::optional<Applied> KernelConntrack::translate_error(const Connection& c, bool source, FlowKey& packet) const {
  const bool translated = source != reply_direction_ ? c.has_snat() : c.has_dnat();
  if (!translated) return std::nullopt;
  const Tuple target = reversed(reply_direction_ ? c.original : c.reply);
  Applied applied{source, tuple_of(packet), {}};
  if (source) set_src_ip(packet, target.src);
  else set_dst_ip(packet, target.dst);
  applied.after = tuple_of(packet);
  if (applied.after == applied.before) return std::nullopt;
  return applied;
}

std::optional<Tuple> KernelConntrack::translate_quoted(const std::optional<Tuple>& quoted) const {
  if (!quoted || known_ == nullptr) return quoted;
  return reply_direction_ ? known_->original : known_->reply;
}

bool KernelConntrack::confirm() {
  if (!fresh_) return true;
  if (world_.conntrack.reply_taken(zone_, fresh_->reply)) return false;
  fresh_->nat_done = true;
  Connection confirmed = *fresh_;
  fresh_.reset();
  known_ = &world_.conntrack.insert(zone_, std::move(confirmed));
  return true;
}

}  // namespace egt::engine
