"""Scenarios of a lab whose pods have secondary networks: by a VLAN behind another bridge, by an overlay, by macvlan."""
import attachments
from faults import fault
from scenarios import case, pod


def calls(lab):
    bulk, rope, store = attachments.of(lab)
    a, b = (x.pod for x in bulk.ports)
    stranger = next(p for p in lab.pods if p not in (a, b))
    out = []
    for network, what in ((bulk, "localnet"), (rope, "layer2"), (store, "macvlan")):
        x, y = network.ports
        out.append(case("%s-pod" % what, "pod to a pod of the other node by the secondary network (%s)" % what, pod(a["name"]), "tcp", y.ip, b["ports"][0]))
        out.append(case("%s-ping" % what, "pod to a pod of the other node by the secondary network (%s), ping" % what, pod(b["name"]), "icmp", x.ip))
    out.append(case("localnet-router", "pod to the router in the VLAN", pod(a["name"]), "icmp", bulk.gateway))
    out.append(case("macvlan-router", "pod to the router by macvlan", pod(a["name"]), "icmp", store.gateway))
    out.append(case("server", "pod to the external server by the default network", pod(a["name"]), "tcp", lab.server["ip"], lab.server["ports"][0]))
    out.append(case("stranger", "pod without the secondary network to an address there", pod(stranger["name"]), "tcp", bulk.ports[1].ip, b["ports"][0]))
    return out


@fault("secondary-networks", "secondary networks: localnet in a VLAN, layer 2, macvlan", "secondary-network", healthy=True)
def secondary(lab):
    return calls(lab)


@fault("localnet-mac-only", "a localnet network without subnets: ports of pods have a MAC alone", "secondary-network", healthy=True)
def mac_only(lab):
    bulk = attachments.of(lab)[0]
    a, b = bulk.ports
    return [case("mac-only-pod", "pod to a pod of the other node by the localnet network", pod(a.pod["name"]), "tcp", b.ip, b.pod["ports"][0]),
            case("mac-only-ping", "pod to a pod of the other node by the localnet network, ping", pod(b.pod["name"]), "icmp", a.ip),
            case("mac-only-router", "pod to the router in the VLAN", pod(a.pod["name"]), "icmp", bulk.gateway),
            case("server", "pod to the external server by the default network", pod(a.pod["name"]), "tcp", lab.server["ip"], lab.server["ports"][0])]


@fault("localnet-mapping-missing", "the second node has no bridge mapping of the localnet network", "secondary-network")
def mapping_missing(lab):
    n, network = lab.nodes[1], attachments.of(lab)[0]
    full = n.vs("get", "open_vswitch", ".", "external_ids:ovn-bridge-mappings").strip()
    n.vs("set", "open_vswitch", ".", "external_ids:ovn-bridge-mappings=physnet:br-ex")
    lab.undoable("node", n.name, ["ovs-vsctl", "set", "open_vswitch", ".", "external_ids:ovn-bridge-mappings=" + full])
    return calls(lab)


@fault("localnet-vlan-not-trunked", "the uplink of the localnet network's bridge takes another VLAN only, on the second node", "secondary-network")
def vlan_not_trunked(lab):
    n, network = lab.nodes[1], attachments.of(lab)[0]
    lab.do(n, "ovs-vsctl", "set", "port", network.nic, "trunks=44", undo=["ovs-vsctl", "clear", "port", network.nic, "trunks"])
    return calls(lab)
