// Connection tracking as a packet and its answer leave it behind, of the kernel and of Open vSwitch alike.
//
// A zone belongs to one node and to one space: the kernel's table (also used by the kernel datapath of Open vSwitch) or
// the table of the userspace datapath. NAT is in the tuples: a packet of the original direction leaves as
// reversed(reply), one of the reply direction as reversed(original). See conntrack(8), ovs-actions(7).
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "egtrace/evidence/evidence.h"
#include "egtrace/packet/packet.h"

namespace egt::host {
struct ConntrackEntry;
}

namespace egt::engine {

enum class ConntrackSpace : std::uint8_t { kernel, userspace };

struct ZoneKey {
  std::string node;
  ConntrackSpace space = ConntrackSpace::kernel;
  std::uint16_t zone = 0;
  friend bool operator==(const ZoneKey&, const ZoneKey&) = default;
};

// The state that conntrack gives a packet. `none`: not looked up yet, which rules of netfilter see as invalid.
enum class PacketState : std::uint8_t { none, new_, established, related, invalid, untracked };

// Where a TCP connection is, in the words of the kernel (enum tcp_conntrack). unknown: not TCP, or nothing shows.
enum class TcpState : std::uint8_t {
  unknown,
  syn_sent,
  syn_recv,
  established,
  fin_wait,
  close_wait,
  last_ack,
  time_wait,
  close,
  syn_sent2
};

// As conntrack(8) and ovs-appctl dpctl/dump-conntrack name it ("SYN_RECV"); `unknown` for other words.
TcpState tcp_state_named(std::string_view name);

// Where each end of a TCP connection is, for the userspace datapath: the one that opened it, and the other (enum ct_dpif_tcp_state of
// lib/ct-dpif.h, those that lib/conntrack-tcp.c sets).
enum class TcpEnd : std::uint8_t { closed, listen, syn_sent, established, closing, fin_wait_2, time_wait };
using TcpEnds = std::array<TcpEnd, 2>;

struct Connection {
  Tuple original, reply;
  TcpState tcp = TcpState::unknown;                   // for the kernel
  TcpEnds ends = {TcpEnd::syn_sent, TcpEnd::closed};  // for the userspace datapath; as tcp_new_conn() makes them
  std::uint32_t mark = 0;
  U128 label = 0;
  bool seen_reply = false;
  bool nat_done = false;         // first packet passed NAT, with or without a translation
  Provenance from;               // known when it was read from a dump
  bool presumed = false;         // opened in the midst of TCP, which a setting that no dump shows may forbid
  bool certain = true;           // false: the dump does not show whether an answer came, or what the label is
  std::string snat_by, dnat_by;  // which rules translated it ("iptables", "nft"); empty where that is not known
  std::string masqueraded_on;    // the device for which MASQUERADE chose the source; empty: no such rule was seen to
  bool random_sport = false;     // translated to a port taken at random, for which the sender's own stands here

  bool sport_by_snat = false;  // the translation of the source changed the port or identifier

  bool has_snat() const { return reply.dst != original.src || (reply.dport != original.sport && !id_by_dnat()) || random_sport; }
  // An echo has one identifier, which is the source's affair.
  bool has_dnat() const { return reply.src != original.dst || (!is_echo() && reply.sport != original.dport); }

 private:
  // But DNAT --random takes another one, too.
  bool id_by_dnat() const { return is_echo() && reply.src != original.dst && !sport_by_snat; }
  bool is_echo() const { return original.proto == ip_proto::icmp || original.proto == ip_proto::icmp6; }
};

class DumpedConnections;

// The connections that a path meets: those of the dumps, which all paths share, under those that this path opened, changed or
// took out of the table. A copy costs as much as the path has connections of its own, which are few.
class ConntrackTables {
 public:
  struct Hit {
    Connection* connection = nullptr;
    bool reply_direction = false;
    explicit operator bool() const { return connection != nullptr; }
  };
  ConntrackTables() = default;
  explicit ConntrackTables(std::shared_ptr<const DumpedConnections> dumped) : dumped_(std::move(dumped)) {}

  // By the original tuple, else by that of the reply. What is found may be changed, but for its tuples. It stays where it is
  // until it is erased.
  Hit find(const ZoneKey& zone, const Tuple& t);
  Connection& insert(const ZoneKey& zone, Connection c);
  void erase(const ZoneKey& zone, const Connection& c);  // by its original tuple
  // The connection that an error message to `receiver` is most likely about: the newest one that sends packets from there.
  // What the message quotes would show for certain. reply_direction: the message travels like an answer.
  Hit find_by_receiver(const ZoneKey& zone, const IpAddr& receiver);
  // Whether an answer with this tuple would be taken for another connection's: the port must then change.
  bool reply_taken(const ZoneKey& zone, const Tuple& reply) const;
  // How many connections the dumps have in a zone; empty: no dump has any of the zone's node.
  std::optional<std::uint64_t> count(const ZoneKey& zone) const;

 private:
  struct OwnConnection {
    ZoneKey zone;
    Connection connection;
    const host::ConntrackEntry* dumped = nullptr;  // of which it is a copy
  };
  Connection& copy_of(const ZoneKey& zone, const host::ConntrackEntry& dumped);

  std::shared_ptr<const DumpedConnections> dumped_;
  std::list<OwnConnection> own_;  // in the order in which the path met them
  std::vector<const host::ConntrackEntry*> erased_;
};

}  // namespace egt::engine
