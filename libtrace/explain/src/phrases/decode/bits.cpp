// Registers, flags and connection marks of OVN: include/ovn/logical-fields.h, and REG* of northd/northd.c.
#include "facts.h"

namespace egt::explain {
namespace {

using enum FieldId;

constexpr BitMeaning kBits[] = {
    {metadata, 0, 64, "", "logical datapath (tunnel key)", ""},
    {reg11, 0, 32, "", "conntrack zone for DNAT", ""},
    {reg12, 0, 32, "", "conntrack zone for SNAT", ""},
    {reg13, 0, 16, "", "conntrack zone of the logical port", ""},
    {reg13, 16, 16, "", "index of the local tunnel address", "24.03 on"},
    {reg14, 0, 32, "", "logical input port (tunnel key)", ""},
    {reg15, 0, 32, "", "logical output port or multicast group (tunnel key)", ""},

    {reg10, 0, 1, "", "flags.loopback: may leave by its input port", ""},
    {reg10, 1, 1, "", "received from a ramp (VTEP) switch", ""},
    {reg10, 2, 1, "", "flags.force_snat_for_dnat", ""},
    {reg10, 3, 1, "", "flags.force_snat_for_lb: load-balanced, must be SNATed", ""},
    {reg10, 4, 1, "", "local only: not to be sent to tunnels", ""},
    {reg10, 5, 1, "", "from a nested container", ""},
    {reg10, 6, 1, "", "result of a MAC lookup", ""},
    {reg10, 7, 1, "", "result of a load balancer hairpin check", ""},
    {reg10, 8, 1, "", "result of an FDB lookup", ""},
    {reg10, 9, 1, "", "flags.skip_snat_for_lb", ""},
    {reg10, 10, 1, "", "from a localport", ""},
    {reg10, 11, 1, "", "flags.use_snat_zone", ""},
    {reg10, 12, 1, "", "result of a port security check: 1 failed", "22.06 on"},
    {reg10, 13, 1, "", "result of an ECMP next hop lookup", "22.06.1 on"},
    {reg10, 14, 1, "", "result of a load balancer affinity check", "22.12 on"},
    {reg10, 15, 1, "", "flags.localnet: leaves by a localnet port", "24.03 on, 23.03.3, 23.06.3, 23.09.1"},
    {reg10, 16, 1, "", "flags.tunnel_rx: came by a tunnel", "24.03 on, 23.09.2"},
    {reg10, 17, 1, "", "flags.icmp_snat", "24.03 on, 23.09.2"},
    {reg10, 18, 1, "", "override local only", "25.03 on, 24.03.5, 24.09.2"},
    {reg10, 19, 1, "", "flags.from_ctrl: injected by ovn-controller", "25.03 on, 24.03.5, 24.09.2"},
    {reg10, 20, 1, "", "flags.unsnat_new", "25.03 on"},
    {reg10, 21, 1, "", "flags.unsnat_not_tracked", "25.03 on"},
    {reg10, 22, 1, "", "flags.igmp_loopback", "25.09 on"},
    {reg10, 23, 1, "", "flags.pkt_sampled", "26.03 on"},
    {reg10, 24, 1, "", "recirculated", "26.03 on"},
    {reg10, 28, 4, "", "flags.network_id: index of the router port's network", "25.09 on, 24.03.6, 24.09.3, 25.03.1"},

    {reg0, 0, 1, "switch", "to be defragmented (ct_next)", ""},
    {reg0, 1, 1, "switch", "to be committed to conntrack", ""},
    {reg0, 2, 1, "switch", "to be load-balanced or un-NATed (ct_lb_mark)", ""},
    {reg0, 3, 1, "switch", "result of DHCP options", ""},
    {reg0, 4, 1, "switch", "result of a DNS lookup", ""},
    {reg0, 5, 1, "switch", "result of router advertisement options", ""},
    {reg0, 6, 1, "switch", "hairpin: the backend is the sender", ""},
    {reg0, 7, 1, "switch", "ACL hint: allow new", ""},
    {reg0, 8, 1, "switch", "ACL hint: allow", ""},
    {reg0, 9, 1, "switch", "ACL hint: drop", ""},
    {reg0, 10, 1, "switch", "ACL hint: block an established connection", ""},
    {reg0, 11, 1, "switch", "result of an FDB lookup", ""},
    {reg0, 12, 1, "switch", "hairpin reply", ""},
    {reg0, 13, 1, "switch", "connection gets an ACL label", ""},
    {reg0, 14, 1, "switch", "came from a ramp (VTEP) switch", ""},
    {reg0, 15, 1, "switch", "port security says drop", ""},
    {reg0, 16, 1, "switch", "ACL: stateless", "22.12.1 on"},
    {reg0, 17, 1, "switch", "ACL hint: allow related", "22.12.1 on"},
    {reg0, 18, 1, "switch", "came from a router port", "24.09 on, 23.06.5, 23.09.5, 24.03.3"},
    {reg0, 19, 1, "switch", "is a fragment", "25.03 on, 24.03.5, 24.09.2"},
    {reg0, 20, 1, "switch", "ACL persists", "25.03 on"},
    {reg0, 21, 1, "switch", "ACL hint: allow persisted", "25.03 on"},
    {reg1, 0, 32, "switch", "destination before load balancing, IPv4", "up to 24.09"},
    {reg2, 0, 16, "switch", "destination port before load balancing", ""},
    {reg2, 16, 16, "switch", "ACL id", "25.03 on"},
    {reg3, 0, 32, "switch", "ACL label or observation point", ""},
    {reg4, 0, 32, "switch", "load balancer address, IPv4", "25.03 on"},
    {reg8, 16, 1, "switch", "ACL verdict: allow", "23.06 on"},
    {reg8, 17, 1, "switch", "ACL verdict: drop", "23.06 on"},
    {reg8, 18, 1, "switch", "ACL verdict: reject", "23.06 on"},
    {reg8, 30, 2, "switch", "ACL tier", "23.06 on"},

    {reg0, 0, 32, "router", "next hop, IPv4", ""},
    {reg1, 0, 32, "router", "address of the output router port, IPv4", "up to 24.09"},
    {reg5, 0, 32, "router", "address of the output router port, IPv4", "25.03 on"},
    {reg7, 0, 32, "router", "routing table id", ""},
    {reg8, 0, 16, "router", "ECMP group id (0: no ECMP)", ""},
    {reg8, 16, 16, "router", "ECMP member id", ""},
    {reg9, 0, 1, "router", "egress loopback", ""},
    {reg9, 1, 1, "router", "packet larger than the output port's MTU", ""},
    {reg9, 2, 1, "router", "result of a neighbour lookup", ""},
    {reg9, 3, 1, "router", "result of a neighbour lookup by address", ""},
    {reg9, 4, 1, "router", "the translated destination is local", ""},
    {reg9, 5, 1, "router", "known ECMP next hop", "up to 23.06.1"},
    {reg9, 6, 1, "", "load balancer session is known", ""},
    {reg9, 7, 1, "router", "DHCP relay: request checked", "24.09 on"},
    {reg9, 8, 1, "router", "DHCP relay: response checked", "24.09 on"},
    {reg9, 9, 1, "router", "next hop is IPv4", "25.03 on"},
    {reg9, 10, 1, "router", "needs an ECMP stateful commit", "25.03.3 on, 25.09.3"},
    {reg9, 16, 16, "router", "router policy chain", "25.03 on"},
    {reg9, 16, 16, "router", "load balancer port", "up to 24.09"},

    {ct_mark, 0, 1, "", "ct_mark.blocked: an ACL no longer allows the connection", ""},
    {ct_mark, 1, 1, "", "ct_mark.natted: a load balancer translated the destination", ""},
    {ct_mark, 2, 1, "", "ct_mark.skip_snat", "22.12 on"},
    {ct_mark, 3, 1, "", "ct_mark.force_snat", "22.12 on"},
    {ct_mark, 4, 2, "", "ct_mark.obs_stage: stage of sampling", "24.09 on"},
    {ct_mark, 6, 1, "", "ct_mark.allow_established: persistent ACL", "25.03 on"},
    {ct_mark, 16, 16, "", "ct_mark.ecmp_reply_port: router port for symmetric replies (tunnel key)", ""},
    {ct_label, 0, 1, "", "ct_label.blocked", "up to 24.09"},
    {ct_label, 1, 1, "", "ct_label.natted", "before 22.03"},
    {ct_label, 32, 48, "", "ct_label.ecmp_reply_eth: MAC for symmetric replies", ""},
    {ct_label, 80, 16, "", "ct_label.acl_id", "25.03 on"},
    {ct_label, 96, 32, "", "ct_label.label: ACL label or observation point", ""},
};

}  // namespace

std::vector<const BitMeaning*> bits_of(FieldId wanted) {
  std::vector<const BitMeaning*> all;
  for (const BitMeaning& b : kBits)
    if (b.field == wanted) all.push_back(&b);
  return all;
}

}  // namespace egt::explain
