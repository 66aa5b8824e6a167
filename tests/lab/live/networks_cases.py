"""Scenarios of a lab that has a primary user-defined network: its pods reach the server, each other and nobody else."""
import networks
import scenarios
from faults import fault
from scenarios import case, pod, SERVER


def calls(lab):
    own = [p for p in lab.pods if p.get("udn")]
    others = [p for p in lab.pods if not p.get("udn")]
    out = []
    for p in own[:2]:
        for proto in ("tcp", "udp"):
            out.append(case("%s-server-%s" % (p["name"], proto), "pod on the user-defined network to the external server", pod(p["name"]), proto,
                            lab.server["ip"], lab.server["ports"][0]))
        out.append(case("%s-server-ping" % p["name"], "pod on the user-defined network to the external server, ping", pod(p["name"]), "icmp", lab.server["ip"]))
    a, b, c = own[:3]
    for p, q, what in ((a, b, "another node"), (a, c, "its node"), (b, c, "another node")):
        out.append(case("%s-%s" % (p["name"], q["name"]), "pod to a pod of the same network on " + what, pod(p["name"]), "tcp", q["ip"], q["ports"][0]))
    out.append(case("%s-other-network" % a["name"], "pod to a pod of the default network", pod(a["name"]), "tcp", others[1]["ip"], others[1]["ports"][0]))
    out.append(case("%s-server" % others[0]["name"], "pod of the default network to the external server", pod(others[0]["name"]), "tcp",
                    lab.server["ip"], lab.server["ports"][0]))
    out.append(case("%s-into-network" % others[0]["name"], "pod of the default network to the address of a pod on the user-defined one",
                    pod(others[0]["name"]), "tcp", b["ip"], b["ports"][0]))
    for s in lab.udn.services:
        out.append(case("%s-%s" % (c["name"], s["name"]), "pod to a service of its network", pod(c["name"]), "tcp", s["clusterip"], s["port"]))
    return out


@fault("udn-layer3", "primary user-defined network of layer 3", "user-defined-network", healthy=True)
def udn_layer3(lab):
    return healthy(lab)


@fault("udn-layer2", "primary user-defined network of layer 2", "user-defined-network", healthy=True)
def udn_layer2(lab):
    return healthy(lab)


def healthy(lab):
    mark_services(lab)
    return calls(lab)


def mark_services(lab):
    for i, s in enumerate(lab.udn.services):
        lab.c["udn%d_service" % i] = s
        lab.plan["k8s"]["udn%d_service" % i] = True


def egress(lab, skip=()):
    mark_services(lab)
    lab.plan["k8s"]["egressip_primary"] = True
    networks.egress_ip(lab, lab.udn, lab.c["egressip_primary"], skip)
    return calls(lab)


@fault("udn-egressip", "an egress IP of a user-defined network", "user-defined-network", healthy=True)
def udn_egressip(lab):
    return egress(lab)


@fault("udn-egressip-mark-missing", "the gateway router of the egress node does not mark what is to leave as the egress IP", "user-defined-network")
def udn_egressip_mark_missing(lab):
    return egress(lab, ["mark"])


@fault("udn-egressip-bridge-flow-missing", "br-ex of the egress node lacks the flow that makes marked packets the egress IP's", "user-defined-network")
def udn_egressip_bridge_flow_missing(lab):
    return egress(lab, ["bridge-flow"])


@fault("udn-pod-port-disabled", "the port of a pod of the second node is disabled there", "user-defined-network")
def udn_pod_port_disabled(lab):
    p = next(p for p in lab.pods if p.get("udn") and p["n"] is lab.nodes[1])
    n = p["n"]
    n.nb("set", "logical_switch_port", p["key"], "enabled=false")
    lab.undoable("nb", n.name, ["remove", "logical_switch_port", p["key"], "enabled", "false"])
    return healthy(lab)


@fault("udn-snat-missing", "the gateway router of the user-defined network on the first node lacks its SNAT", "user-defined-network")
def udn_snat_missing(lab):
    n, net = lab.nodes[0], lab.udn
    n.nb("lr-nat-del", net.router(n), "snat", net.cluster)
    lab.undoable("nb", n.name, ["lr-nat-add", net.router(n), "snat", net.masquerade, net.cluster])
    return calls(lab)


@fault("udn-bridge-flow-missing", "br-ex of the first node lacks the flow that takes the network's packets out", "user-defined-network")
def udn_bridge_flow_missing(lab):
    n, net = lab.nodes[0], lab.udn
    n.run("ovs-ofctl", "--strict", "del-flows", "br-ex", "priority=100,in_port=%s,dl_src=%s,ip,nw_src=%s" % (n.ofport(net.patch(n)), n.mac, net.masquerade))
    return calls(lab)
