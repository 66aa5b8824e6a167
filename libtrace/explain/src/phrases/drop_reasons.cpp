#include "egtrace/explain/drop_reason.h"

namespace egt::explain {
namespace {

using engine::Reason;

constexpr DropReason kCore[] = {
    {"NOT_SPECIFIED", DropKind::unspecified,
     "the kernel gives no reason here; older kernels also free packets so that did their work"},
    {"NO_SOCKET", DropKind::listener,
     "no process has a socket for its destination port; the sender gets a reset or ICMP port unreachable"},
    {"PKT_TOO_SMALL", DropKind::damaged, "shorter than its headers"},
    {"TCP_CSUM", DropKind::damaged, "wrong TCP checksum"},
    {"UDP_CSUM", DropKind::damaged, "wrong UDP checksum"},
    {"ICMP_CSUM", DropKind::damaged, "wrong ICMP checksum"},
    {"IP_CSUM", DropKind::damaged, "wrong IPv4 header checksum"},
    {"SKB_CSUM", DropKind::damaged, "its checksum could not be computed"},
    {"IP_INHDR", DropKind::damaged, "malformed IP header"},
    {"IPV6_BAD_EXTHDR", DropKind::damaged, "malformed IPv6 extension header"},
    {"HDR_TRUNC", DropKind::damaged, "a header is cut"},
    {"SOCKET_FILTER", DropKind::program, "the filter of the socket refuses it"},
    {"SOCKET_BACKLOG", DropKind::room, "the backlog of the socket is full"},
    {"SOCKET_RCVBUFF", DropKind::room, "the receive buffer of the socket is full: the process reads too slowly"},
    {"SOCKET_CLOSE", DropKind::connection, "its socket was closed"},
    {"SOCKET_DESTROYED", DropKind::connection, "its socket was destroyed"},
    {"SOCKET_INVALID_STATE", DropKind::connection, "its socket is in a state that takes no such packet"},
    {"PROTO_MEM", DropKind::room, "the memory for sockets of this protocol is used up (tcp_mem, udp_mem)"},
    {"NOMEM", DropKind::room, "no memory was left"},
    {"OTHERHOST", DropKind::harmless, "the frame is for another node's MAC address; only a promiscuous device saw it"},
    {"NETFILTER_DROP", DropKind::netfilter, "a rule or policy of nftables or iptables drops it"},
    {"NEIGH_CREATEFAIL", DropKind::neighbour, "no neighbour entry could be made for the next hop"},
    {"NEIGH_FAILED", DropKind::neighbour, "the next hop does not answer ARP or neighbour solicitation"},
    {"NEIGH_QUEUEFULL", DropKind::neighbour, "too many packets wait for the next hop to answer ARP or neighbour solicitation"},
    {"NEIGH_DEAD", DropKind::neighbour, "the neighbour entry of the next hop was removed"},
    {"NEIGH_HH_FILLFAIL", DropKind::neighbour, "the link header for the next hop could not be filled"},
    {"UNICAST_IN_L2_MULTICAST", DropKind::source_check, "a unicast IP address in a broadcast or multicast frame"},
    {"XFRM_POLICY", DropKind::program, "an IPsec policy refuses it"},
    {"IP_NOPROTO", DropKind::listener, "the host knows nothing of its IP protocol"},
    {"UNHANDLED_PROTO", DropKind::listener, "nothing on this host handles its protocol"},
    {"IP_RPFILTER", DropKind::source_check,
     "the reverse path filter (rp_filter) finds no route back to its source by the device that it came in by"},
    {"IP_INNOROUTES", DropKind::routing, "no route for it on input"},
    {"IP_OUTNOROUTES", DropKind::routing, "no route for it on output"},
    {"IP_INADDRERRORS", DropKind::routing, "the destination address is not one that this host takes or forwards"},
    {"IP_INVALID_SOURCE", DropKind::source_check, "its source address is one that no packet may have here"},
    {"IP_LOCALNET", DropKind::source_check, "a loopback address outside of the host (route_localnet is off)"},
    {"IP_LOCAL_SOURCE", DropKind::source_check, "it comes in with an address of this very host as source"},
    {"IP_INVALID_DEST", DropKind::source_check, "its destination address is one that no packet may have here"},
    {"INVALID_DEST", DropKind::routing, "its destination is not valid"},
    {"IPV6DISABLED", DropKind::routing, "IPv6 is disabled on the device (disable_ipv6)"},
    {"IPV6_NDISC_NS_OTHERHOST", DropKind::harmless, "a neighbour solicitation for another node"},
    {"IP_TTL_EXCEEDED", DropKind::ttl, "the TTL or hop limit reaches zero"},
    {"PKT_TOO_BIG", DropKind::size, "larger than the MTU, and it must not be fragmented"},
    {"FRAG_REASM_TIMEOUT", DropKind::size, "not all fragments of the packet came in time"},
    {"FRAG_TOO_FAR", DropKind::size, "fragments of too many packets at once"},
    {"DUP_FRAG", DropKind::harmless, "the fragment came twice"},
    {"DEV_HDR", DropKind::device, "the device could not make its header"},
    {"DEV_READY", DropKind::device, "the device is not ready: it is down or not running"},
    {"FULL_RING", DropKind::room, "the ring buffer of the device is full"},
    {"CPU_BACKLOG", DropKind::room, "the backlog of the processor is full (net.core.netdev_max_backlog)"},
    {"QDISC_DROP", DropKind::room, "the queueing discipline of the device drops it: its queue is full or policed"},
    {"QDISC_OVERLIMIT", DropKind::room, "the queue of the queueing discipline is full"},
    {"TC_INGRESS", DropKind::program, "a tc filter on ingress drops it"},
    {"TC_EGRESS", DropKind::program, "a tc filter on egress drops it"},
    {"TC_COOKIE_ERROR", DropKind::program, "tc lost its extension of the packet"},
    {"XDP", DropKind::program, "an XDP program drops it"},
    {"BPF_CGROUP_EGRESS", DropKind::program, "a BPF program of the cgroup drops what the process sends"},
    {"TAP_FILTER", DropKind::program, "the filter of the tap device refuses it"},
    {"TAP_TXFILTER", DropKind::program, "the transmit filter of the tap device refuses it"},
    {"SKB_UCOPY_FAULT", DropKind::room, "its data could not be copied"},
    {"SKB_GSO_SEG", DropKind::size, "it could not be cut into segments"},
    {"VXLAN_INVALID_HDR", DropKind::damaged, "malformed VXLAN header"},
    {"VXLAN_VNI_NOT_FOUND", DropKind::device, "no VXLAN device has its VNI"},
    {"VXLAN_NO_REMOTE", DropKind::device, "the VXLAN device knows no remote end for its MAC"},
    {"VXLAN_ENTRY_EXISTS", DropKind::device, "VXLAN has another entry for its source MAC"},
    {"IP_TUNNEL_ECN", DropKind::damaged, "inner and outer ECN bits of the tunnel are inconsistent"},
    {"TUNNEL_TXINFO", DropKind::device, "it lacks what the tunnel device needs to send it"},
    {"LOCAL_MAC", DropKind::source_check, "its source MAC is an address of this host"},
    {"MAC_INVALID_SOURCE", DropKind::source_check, "its source MAC is no valid one"},
    {"MAC_IEEE_MAC_CONTROL", DropKind::harmless, "a frame of the link's own control"},
    {"BRIDGE_INGRESS_STP_STATE", DropKind::device, "the port of the Linux bridge does not forward (spanning tree)"},
    {"BRIDGE_NO_EGRESS_PORT", DropKind::device, "the Linux bridge has no port to send it out of"},
    {"ARP_PVLAN_DISABLE", DropKind::neighbour, "ARP that private VLAN settings ignore"},
    {"TCP_MD5NOTFOUND", DropKind::connection, "it lacks the TCP MD5 signature that the connection asks for"},
    {"TCP_MD5UNEXPECTED", DropKind::connection, "it has a TCP MD5 signature that the socket does not expect"},
    {"TCP_MD5FAILURE", DropKind::connection, "wrong TCP MD5 signature"},
    {"TCP_FLAGS", DropKind::connection, "TCP flags that make no sense here"},
    {"TCP_ZEROWINDOW", DropKind::harmless, "the receiver's window is closed; TCP sends it again"},
    {"TCP_OLD_DATA", DropKind::harmless, "the data came already"},
    {"TCP_OVERWINDOW", DropKind::connection, "the data is beyond the receive window"},
    {"TCP_OFOMERGE", DropKind::harmless, "the data came already, out of order"},
    {"TCP_RFC7323_PAWS", DropKind::connection, "its TCP timestamp is older than what came before (PAWS)"},
    {"TCP_OLD_SEQUENCE", DropKind::harmless, "an old sequence number: a repetition"},
    {"TCP_INVALID_SEQUENCE", DropKind::connection, "its sequence number is outside of the window"},
    {"TCP_INVALID_ACK_SEQUENCE", DropKind::connection, "it acknowledges what was never sent"},
    {"TCP_RESET", DropKind::connection, "a TCP reset that is not accepted"},
    {"TCP_INVALID_SYN", DropKind::connection, "a SYN where the connection expects none"},
    {"TCP_CLOSE", DropKind::connection, "its TCP socket is in state CLOSE"},
    {"TCP_FASTOPEN", DropKind::connection, "data of TCP Fast Open that is not accepted"},
    {"TCP_OLD_ACK", DropKind::harmless, "an old acknowledgement"},
    {"TCP_TOO_OLD_ACK", DropKind::connection, "an acknowledgement far too old"},
    {"TCP_ACK_UNSENT_DATA", DropKind::connection, "it acknowledges data that was never sent"},
    {"TCP_OFO_QUEUE_PRUNE", DropKind::room, "the queue of data out of order was pruned for lack of memory"},
    {"TCP_OFO_DROP", DropKind::harmless, "data out of order that came already"},
    {"TCP_MINTTL", DropKind::ttl, "its TTL is below what the socket asks for (IP_MINTTL)"},
    {"TCP_LISTEN_OVERFLOW", DropKind::room, "the accept queue of the listening socket is full"},
    {"PACKET_SOCK_ERROR", DropKind::harmless, "a packet socket (tcpdump) could not take its copy"},
    {"DUPLICATE_COPY", DropKind::harmless, "a copy too many"},
};

constexpr DropReason kOvs[] = {
    {"LAST_ACTION", DropKind::open_vswitch, "the datapath flow ends without output: its actions are drop, or lead nowhere"},
    {"ACTION_ERROR", DropKind::open_vswitch, "an action of the datapath flow failed"},
    {"EXPLICIT", DropKind::open_vswitch, "the datapath flow has an explicit drop action"},
    {"EXPLICIT_WITH_ERROR", DropKind::open_vswitch,
     "an explicit drop action, because the translation of the OpenFlow flows failed"},
    {"METER", DropKind::open_vswitch, "a meter's band drops it"},
    {"RECURSION_LIMIT", DropKind::open_vswitch, "the actions recirculate too deep"},
    {"DEFERRED_LIMIT", DropKind::open_vswitch, "the queue of deferred actions is full"},
    {"FRAG_L2_TOO_LONG", DropKind::size, "its link header is too long to fragment it"},
    {"FRAG_INVALID_PROTO", DropKind::size, "of a protocol that cannot be fragmented"},
    {"CONNTRACK", DropKind::open_vswitch, "the ct action failed"},
    {"IP_TTL", DropKind::ttl, "the TTL or hop limit reaches zero"},
};

constexpr DropReason kUnknown = {"", DropKind::unspecified,
                                 "a reason that egtrace has no words for; include/net/dropreason-core.h of the kernel has"};

struct Decision {
  DropKind kind;
  Reason first, last;  // of the enumeration, both included
};
constexpr Decision kDecisions[] = {
    {DropKind::netfilter, Reason::rule_drops, Reason::reply_tuple_taken},
    {DropKind::source_check, Reason::own_source, Reason::reverse_path_other_device},
    {DropKind::source_check, Reason::multicast_source, Reason::loopback_not_sent},
    {DropKind::source_check, Reason::mac_not_of_device, Reason::loopback_from_outside},
    {DropKind::source_check, Reason::broadcast_frame, Reason::link_local_source},
    {DropKind::routing, Reason::forwarding_off, Reason::forwarding_off_v6},
    {DropKind::routing, Reason::route_unknown, Reason::no_source},
    {DropKind::listener, Reason::echo_ignored, Reason::echo_ignored},
    {DropKind::open_vswitch, Reason::flow_drops, Reason::address_on_no_port},
    {DropKind::neighbour, Reason::neighbour_unknown, Reason::arp_off},
    {DropKind::size, Reason::mtu_exceeded, Reason::mtu_exceeded},
    {DropKind::ttl, Reason::ttl_exceeded, Reason::ttl_exceeded},
    {DropKind::ttl, Reason::flow_ttl_exceeded, Reason::flow_ttl_exceeded},
    {DropKind::device, Reason::device_down, Reason::no_carrier},
    {DropKind::device, Reason::dummy_device, Reason::vlan_without_device},
};

}  // namespace

const DropReason& drop_reason(std::string_view subsystem, std::string_view name) {
  if (subsystem == "openvswitch" || name.starts_with("OVS_DROP_")) {
    if (name.starts_with("OVS_DROP_")) name.remove_prefix(9);
    for (const DropReason& r : kOvs)
      if (r.name == name) return r;
    return kUnknown;
  }
  if (!subsystem.empty() && subsystem != "core") return kUnknown;
  for (const DropReason& r : kCore)
    if (r.name == name) return r;
  return kUnknown;
}

bool is_by(DropKind kind, Reason reason) {
  for (const Decision& d : kDecisions)
    if (d.kind == kind && d.first <= reason && reason <= d.last) return true;
  return false;
}

}  // namespace egt::explain
