"""Scenarios of a lab that has a primary user-defined network: its pods reach the server, each other and nobody else."""
import features
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
    if lab.udn.local:
        features.local_gateway(lab, {})
    return calls(lab)


@fault("udn-local-gateway", "primary user-defined network of layer 3, local gateway mode", "user-defined-network", healthy=True)
def udn_local(lab):
    return healthy(lab)


@fault("udn-layer2-local-gateway", "primary user-defined network of layer 2, local gateway mode", "user-defined-network", healthy=True)
def udn_layer2_local(lab):
    return healthy(lab)


@fault("udn-layer2-mixed", "primary user-defined network of layer 2, of which one node has the older topology", "user-defined-network", healthy=True)
def udn_layer2_mixed(lab):
    return healthy(lab)


@fault("udn-local-rule-missing", "a node lacks the policy rule for replies to the network's masquerade address", "user-defined-network", "reply")
def udn_local_rule(lab):
    out = healthy(lab)
    n, net = lab.nodes[0], lab.udn
    rule = ["prio", "2000", "to", net.management_masquerade, "lookup", str(net.table)]
    lab.do(n, "ip", "rule", "del", *rule, undo=["ip", "rule", "add"] + rule)
    return out


@fault("udn-local-masquerade-missing", "a node does not masquerade the network's masquerade address", "user-defined-network", "reply")
def udn_local_masquerade(lab):
    out = healthy(lab)
    lab.nodes[0].run("nft", "flush", "chain", "inet", "ovn-kubernetes", "ovn-kube-udn-masq")
    return out


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


@fault("advertised-default", "the default network is advertised: pods keep their address, but for what they send to nodes", "user-defined-network", healthy=True)
def advertised_default(lab):
    """RouteAdvertisements of the default network (NAT rows with allowed_ext_ips); the router has the routes as from BGP."""
    for n in lab.nodes:
        nodes = "a_cluster_node_ips_v4"
        row = n.nb("create", "address_set", "name=" + nodes, "addresses=" + ",".join('"%s"' % m.ip for m in lab.nodes)).strip()
        for nat in n.nb("--bare", "--columns=_uuid", "find", "nat", "type=snat", "external_ip=" + '"%s"' % n.ip).split():
            n.nb("set", "nat", nat, "allowed_ext_ips=" + row)
            lab.undoable("nb", n.name, ["clear", "nat", nat, "allowed_ext_ips"])
        lab.undoable("nb", n.name, ["destroy", "address_set", row])
        features.advertise(lab, n.subnet, [n])
    a, b = lab.pods[0], next(p for p in lab.pods if p["n"] is not lab.pods[0]["n"])
    out = []
    for p in (a, b):
        for proto, port in (("tcp", lab.server["ports"][0]), ("icmp", None)):
            out.append(case("%s-server-%s" % (p["name"], proto), "pod to the external server with its own address", pod(p["name"]), proto, lab.server["ip"], port))
        out.append(case("server-%s" % p["name"], "external server to the pod", SERVER, "tcp", p["ip"], p["ports"][0]))
    out.append(case("%s-node" % a["name"], "pod to another node's address", pod(a["name"]), "tcp", b["n"].ip, 9100))
    out.append(case("%s-%s" % (a["name"], b["name"]), "pod to pod", pod(a["name"]), "tcp", b["ip"], b["ports"][0]))
    return out
