#include "kernel_conntrack.h"

#include <algorithm>

#include "datapath/nat.h"

namespace egt::engine {

void KernelConntrack::look_up(const FlowKey& packet, std::uint16_t zone, bool made_here, const std::optional<Tuple>& quoted) {
  zone_.zone = zone;
  // An error that this host makes about a packet that was not tracked may still quote one of a connection that is.
  if (made_here && !quoted && is_icmp_error(packet)) {
    tracked_.state = PacketState::invalid;
    return;
  }
  tracked_ = Tracker(tables_, zone_, {loose_}).track(packet, quoted);
}

bool KernelConntrack::changes_destination() const {
  const Connection* c = connection();
  if (c == nullptr) return false;
  return reply_direction() ? c->reply.dst != c->original.src : c->original.dst != c->reply.src;
}

void KernelConntrack::attach(const Attached& about, const FlowKey& packet) {
  zone_.zone = about.zone;
  tracked_ = {PacketState::related, tables_.find(zone_, about.connection.original).connection, {}, about.reply_direction};
  if (tracked_.known != nullptr) {
    if (packet.u32(FieldId::nw_proto) == ip_proto::tcp) tracked_.known->tcp = TcpState::close;  // nf_conntrack_tcp_set_closing()
    return;
  }
  attached_ = about.connection;
  tracked_.known = &*attached_;
}

void KernelConntrack::forget() {
  if (confirmed()) tables_.erase(zone_, *tracked_.known);
  tracked_.known = nullptr;
  tracked_.opened.reset();
}

bool KernelConntrack::bind(bool source, const IpAddr& address, std::optional<std::uint16_t> port, bool only_port) {
  (source ? source_done_ : destination_done_) = true;
  if (!tracked_.opened) return true;
  (source ? bind_source : bind_destination)(*tracked_.opened, address, port);
  return !source || only_port || take_free_port();
}

bool KernelConntrack::bind_nothing(bool source) {
  (source ? source_done_ : destination_done_) = true;
  return !source || !tracked_.opened || take_free_port();
}

bool KernelConntrack::take_free_port() {
  Connection& c = *tracked_.opened;
  if (!tables_.reply_taken(zone_, c.reply)) return true;
  c.sport_by_snat = true;
  constexpr PortRange kHighPorts;
  const auto next = static_cast<std::uint16_t>(std::max(c.reply.dport, kHighPorts.first) + 1);
  if (const auto port = free_port(tables_, zone_, c.reply, kHighPorts, next)) set_reply_port(c.reply, *port);
  return false;
}

std::optional<Applied> KernelConntrack::translate(bool source, FlowKey& packet) {
  const Connection* c = connection();
  if (c == nullptr) return std::nullopt;
  const Tuple before = tuple_of(packet);
  const Tuple after = (is_icmp_error(packet) ? translated_error : translated)(*c, reply_direction(), source, before);
  if (after == before) return std::nullopt;
  set_tuple(packet, after);
  return Applied{source, before, after};
}

std::optional<Tuple> KernelConntrack::translate_quoted(const std::optional<Tuple>& quoted) const {
  if (!quoted || tracked_.known == nullptr) return quoted;
  return reply_direction() ? tracked_.known->original : tracked_.known->reply;
}

bool KernelConntrack::confirm() {
  if (!tracked_.opened) return true;
  if (tables_.reply_taken(zone_, tracked_.opened->reply)) return false;
  tracked_.opened->nat_done = true;
  tracked_.known = &tables_.insert(zone_, std::move(*tracked_.opened));
  tracked_.opened.reset();
  return true;
}

}  // namespace egt::engine
