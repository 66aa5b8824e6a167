#include "kernel_stage.h"

namespace egt::explain::capture_study {
namespace {

struct Symbol {
  std::string_view name;
  Stage stage;
};

// Those of whole families are in kFamilies.
constexpr Symbol kSymbols[] = {
    {"__dev_queue_xmit", Stage::device_out},
    {"__ip_local_out", Stage::routing},
    {"__netif_receive_skb", Stage::device_in},
    {"__netif_receive_skb_core", Stage::device_in},
    {"__netif_receive_skb_one_core", Stage::device_in},
    {"dev_hard_start_xmit", Stage::device_out},
    {"dev_queue_xmit", Stage::device_out},
    {"do_execute_actions", Stage::open_vswitch},
    {"fib_validate_source", Stage::routing},
    {"icmp_rcv", Stage::transport},
    {"icmpv6_rcv", Stage::transport},
    {"ipt_do_table", Stage::netfilter},
    {"ip6t_do_table", Stage::netfilter},
    {"napi_gro_receive", Stage::device_in},
    {"neigh_connected_output", Stage::neighbour},
    {"neigh_resolve_output", Stage::neighbour},
    {"net:napi_gro_receive_entry", Stage::device_in},
    {"net:net_dev_queue", Stage::device_out},
    {"net:net_dev_start_xmit", Stage::device_out},
    {"net:net_dev_xmit", Stage::device_out},
    {"net:netif_receive_skb", Stage::device_in},
    {"net:netif_receive_skb_entry", Stage::device_in},
    {"net:netif_rx", Stage::device_in},
    {"net:netif_rx_entry", Stage::device_in},
    {"netif_receive_skb", Stage::device_in},
    {"netif_receive_skb_internal", Stage::device_in},
    {"netif_rx", Stage::device_in},
    {"netif_rx_internal", Stage::device_in},
    {"queue_userspace_packet", Stage::open_vswitch},
    {"raw_local_deliver", Stage::transport},
    {"sk_filter_trim_cap", Stage::transport},
    {"sock_queue_rcv_skb_reason", Stage::transport},
};

struct Family {
  std::string_view prefix;
  Stage stage;
};
// The first one counts.
constexpr Family kFamilies[] = {
    {"openvswitch:", Stage::open_vswitch},
    {"ovs_ct", Stage::open_vswitch},
    {"ovs_", Stage::open_vswitch},
    {"dpif_", Stage::open_vswitch},
    {"nf_conntrack", Stage::conntrack},
    {"__nf_conntrack", Stage::conntrack},
    {"nf_ct", Stage::conntrack},
    {"nf_nat", Stage::conntrack},
    {"nft_", Stage::netfilter},
    {"__nft_", Stage::netfilter},
    {"nf_", Stage::netfilter},
    {"ip_", Stage::routing},
    {"ip6_", Stage::routing},
    {"ipv6_rcv", Stage::routing},
    {"ip6t_", Stage::netfilter},
    {"fib_", Stage::routing},
    {"tcp_", Stage::transport},
    {"__tcp", Stage::transport},
    {"udp", Stage::transport},
    {"__udp", Stage::transport},
    {"sctp_", Stage::transport},
    {"neigh_", Stage::neighbour},
    {"arp_", Stage::neighbour},
    {"ndisc_", Stage::neighbour},
};

}  // namespace

Stage stage_of(std::string_view symbol) {
  for (const Symbol& s : kSymbols)
    if (s.name == symbol) return s.stage;
  for (const Family& f : kFamilies)
    if (symbol.starts_with(f.prefix)) return f.stage;
  return Stage::other;
}

capture::Direction crossing(std::string_view symbol) {
  switch (stage_of(symbol)) {
    case Stage::device_in: return capture::Direction::in;
    case Stage::device_out: return capture::Direction::out;
    default: return capture::Direction::unknown;
  }
}

}  // namespace egt::explain::capture_study
