"""Scenarios of a lab that has a primary user-defined network: its pods reach the server, each other and nobody else."""
import json

import features
import hybrid
import networks
import scenarios
from faults import fault
from networks import bits
from scenarios import case, host, pod, SERVER


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


ADVERTISED, NODES = "a_advertised_v4", "a_cluster_node_ips_v4"


def advertised_objects(lab, net):
    """The objects that make OVN-Kubernetes do this: the network, its attachment to the namespace, the announcement."""
    name = {"name": net.udn, "labels": {"announce": "yes"}}
    config = {"cniVersion": "1.1.0", "name": net.name, "type": "ovn-k8s-cni-overlay", "topology": net.topology, "role": "primary",
              "subnets": "%s/%s" % (net.cluster, bits(net.subnets[lab.nodes[0].name])), "netAttachDefName": net.key}
    put = lab.plan["k8s"]
    put["clusteruserdefinednetworks.yaml"] = {
        "apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": name, "spec": {"network": {
            "topology": "Layer3", "layer3": {"role": "Primary", "subnets": [{"cidr": net.cluster, "hostSubnet": int(bits(net.subnets[lab.nodes[0].name]))}]}}}}
    put["network-attachment-definitions.yaml"] = {
        "apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", "metadata": {"name": net.udn, "namespace": net.namespace},
        "spec": {"config": json.dumps(config)}}
    put["routeadvertisements.yaml"] = {
        "apiVersion": "k8s.ovn.org/v1", "kind": "RouteAdvertisements", "metadata": {"name": "to-the-rack"},
        "spec": {"advertisements": ["PodNetwork"], "nodeSelector": {}, "frrConfigurationSelector": {},
                 "networkSelectors": [{"networkSelectionType": "ClusterUserDefinedNetworks", "clusterUserDefinedNetworkSelector": {
                     "networkSelector": {"matchLabels": {"announce": "yes"}}}}]},
        "status": {"conditions": [{"type": "Accepted", "status": "True", "reason": "Accepted", "message": "ok"}]}}


def isolate_advertised(lab, n, net):
    """udn_isolation.go: what goes between advertised networks is dropped by an ACL behind the load balancers, but for what stays in one. The
    set has another network's subnet, too. Ruled by tiers, which OVN has from 23.06 on."""
    ids = lambda owner, *more: ["external_ids:k8s.ovn.org/owner-type=" + owner, *more]
    n.nb("create", "address_set", "name=" + ADVERTISED, 'addresses="%s","%s"' % (net.cluster, lab.c["advertised_elsewhere"].rsplit(".", 2)[0] + ".0.0/16"),
         *ids("AdvertisedNetwork", "external_ids:k8s.ovn.org/name=advertised-network-subnets"))
    lab.undoable("nb", n.name, ["destroy", "address_set", ADVERTISED])
    own, stor = "((ip4.src == %s) && (ip4.dst == %s))" % (net.cluster, net.cluster), "stor-" + net.switch(n)
    both = "(ip4.src == $%s && ip4.dst == $%s)" % (ADVERTISED, ADVERTISED)
    acl = ["direction=from-lport", "options:apply-after-lb=true", "tier=0"]
    n.nb("--id=@a", "create", "acl", "priority=1100", 'match="%s"' % own, "action=pass", *acl,
         *ids("AdvertisedNetwork", "external_ids:k8s.ovn.org/name=" + net.name, "external_ids:k8s.ovn.org/network=%d" % net.id), "--",
         "add", "logical_switch", net.switch(n), "acls", "@a")
    lab.undoable("nb", n.name, ["--type=switch", "acl-del", net.switch(n), "from-lport", "1100", own])
    n.nb("pg-add", "pg_advertised", stor, "--", "--id=@a", "create", "acl", "priority=1050", 'match="%s"' % both, "action=drop", *acl,
         *ids("AdvertisedNetwork", "external_ids:k8s.ovn.org/name=advertised-network-subnets"), "--", "add", "port_group", "pg_advertised", "acls", "@a")
    lab.undoable("nb", n.name, ["pg-del", "pg_advertised"])


def advertise_network(lab, n, net):
    """Pods keep their address but for what they send to nodes (buildUDNEgressSNAT(), gateway.go); the VRF's rule for replies has the network's
    subnets, and the host itself may open no connections to them (udn-bgp-drop)."""
    nodes = n.nb("create", "address_set", "name=" + NODES, "addresses=" + ",".join('"%s"' % m.ip for m in lab.nodes)).strip()
    lab.undoable("nb", n.name, ["destroy", "address_set", nodes])
    for router, addresses in ((net.distributed_router(), net.management_masquerade), (net.router(n), net.masquerade)):
        for nat in n.nb("--bare", "--columns=_uuid", "find", "nat", "type=snat", 'external_ip="%s"' % addresses).split():
            match = n.nb("--bare", "--columns=match", "list", "nat", nat).strip()
            n.nb("set", "nat", nat, 'match="%sip4.dst == $%s"' % (match + " && " if match else "", NODES))
            lab.undoable("nb", n.name, ["set", "nat", nat, 'match="%s"' % match])
    rule = ["prio", "2000", "to", net.cluster, "lookup", str(net.table)]
    lab.do(n, "ip", "rule", "add", *rule, undo=["ip", "rule", "del"] + rule)
    n.run("nft", "add", "element", "inet", "ovn-kubernetes", "advertised-udn-subnets-v4", "{ %s }" % net.cluster)
    features.advertise(lab, net.subnets[n.name], [n])


@fault("udn-advertised", "a user-defined network is advertised: its pods keep their address, and are isolated from other advertised ones", "user-defined-network", healthy=True)
def udn_advertised(lab):
    return udn_advertised_run(lab)


def within_network(lab):
    return [c for c in healthy(lab) if "into-network" not in c["id"]]


def udn_advertised_run(lab):
    net = lab.udn
    out = within_network(lab)
    advertised_objects(lab, net)
    for n in lab.nodes:
        advertise_network(lab, n, net)
        isolate_advertised(lab, n, net)
    a, b = [p for p in lab.pods if p.get("udn")][:2]
    out.append(case("server-%s" % b["name"], "external server to the pod of the advertised network", SERVER, "tcp", b["ip"], b["ports"][0]))
    out.append(case("%s-node" % a["name"], "pod of the advertised network to another node's address", pod(a["name"]), "tcp", b["n"].ip, 9100))
    out.append(case("%s-advertised-elsewhere" % a["name"], "pod to an address of another advertised network", pod(a["name"]), "tcp", lab.c["advertised_elsewhere"], 80))
    out.append(case("host-%s" % b["name"], "host to a pod of the advertised network", host(a["n"].name), "tcp", b["ip"], b["ports"][0]))
    return out


@fault("udn-advertised-rule-missing", "a node lacks the policy rule for replies to the advertised network's subnets", "user-defined-network", "reply")
def udn_advertised_rule(lab):
    out = udn_advertised_run(lab)
    rule = ["prio", "2000", "to", lab.udn.cluster, "lookup", str(lab.udn.table)]
    lab.do(lab.nodes[0], "ip", "rule", "del", *rule, undo=["ip", "rule", "add"] + rule)
    return out


@fault("udn-advertised-route-missing", "the router has not learned the second node's subnet of the advertised network", "user-defined-network", "reply")
def udn_advertised_route(lab):
    out = udn_advertised_run(lab)
    n = lab.nodes[1]
    lab.do_ns(lab.ns_router, "ip", "route", "del", lab.udn.subnets[n.name], "via", n.ip, undo=["ip", "route", "append", lab.udn.subnets[n.name], "via", n.ip])
    return out


def transport_objects(lab):
    """The networks of which the transport is not OVN's, their attachments and what makes FRR announce them."""
    networks_, attachments = [], []
    for vid, net in enumerate(lab.udns, 11):
        layer2, prefix = net.topology == "layer2", int(bits(net.subnets[lab.nodes[0].name]))
        vrf = {"macVRF": {"vni": 100 + vid}} if layer2 else {"ipVRF": {"vni": 200 + vid}}
        own = {"transport": "EVPN", "evpn": dict(vtep="rack", **vrf)} if net.transport == "evpn" else \
            {"transport": "NoOverlay", "noOverlay": {"outboundSNAT": "Enabled", "routing": "Managed"}}
        layer = {"topology": "Layer2", "layer2": {"role": "Primary", "subnets": [net.cluster]}} if layer2 else \
            {"topology": "Layer3", "layer3": {"role": "Primary", "subnets": [{"cidr": net.cluster, "hostSubnet": prefix}]}}
        networks_.append({"apiVersion": "k8s.ovn.org/v1", "kind": "ClusterUserDefinedNetwork", "metadata": {"name": net.udn, "labels": {"announce": "yes"}},
                          "spec": {"network": dict(layer, **own)},
                          "status": {"conditions": [{"type": "NetworkCreated", "status": "True"}, {"type": "TransportAccepted", "status": "True"}]}})
        config = {"cniVersion": "1.1.0", "name": net.name, "type": "ovn-k8s-cni-overlay", "topology": net.topology, "role": "primary",
                  "subnets": net.cluster if layer2 else "%s/%d" % (net.cluster, prefix), "netAttachDefName": net.key, "transport": net.transport}
        attachments.append({"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition",
                            "metadata": {"name": net.udn, "namespace": net.namespace}, "spec": {"config": json.dumps(config)}})
    put = lab.plan["k8s"]
    of_list = lambda items: {"apiVersion": "v1", "kind": "List", "items": items}
    put["clusteruserdefinednetworks.yaml"], put["network-attachment-definitions.yaml"] = of_list(networks_), of_list(attachments)
    put["routeadvertisements.yaml"] = {
        "apiVersion": "k8s.ovn.org/v1", "kind": "RouteAdvertisements", "metadata": {"name": "between-nodes"},
        "spec": {"advertisements": ["PodNetwork"], "nodeSelector": {}, "frrConfigurationSelector": {},
                 "networkSelectors": [{"networkSelectionType": "ClusterUserDefinedNetworks", "clusterUserDefinedNetworkSelector": {
                     "networkSelector": {"matchLabels": {"announce": "yes"}}}}]},
        "status": {"conditions": [{"type": "Accepted", "status": "True", "reason": "Accepted", "message": "ok"}]}}
    if any(net.transport == "evpn" for net in lab.udns):
        put["vteps.yaml"] = {"apiVersion": "k8s.ovn.org/v1", "kind": "VTEP", "metadata": {"name": "rack"},
                             "spec": {"cidrs": [lab.c["underlay"]["cidr"]], "mode": "Unmanaged"}}


@fault("udn-no-overlay", "primary user-defined network without an overlay, local gateway mode", "user-defined-network", healthy=True)
def udn_no_overlay(lab):
    transport_objects(lab)
    return within_network(lab)


@fault("udn-no-overlay-route-missing", "the first node has not learned the second node's subnet", "user-defined-network")
def udn_no_overlay_route(lab):
    transport_objects(lab)
    out = within_network(lab)
    n, m, net = lab.nodes[0], lab.nodes[1], lab.udn
    route = [net.subnets[m.name], "via", m.ip, "dev", "br-ex", "proto", "bgp", "metric", "20", "table", str(net.table)]
    lab.do(n, "ip", "route", "del", *route, undo=["ip", "route", "add"] + route)
    return out


@fault("udn-evpn", "primary user-defined networks of layers 2 and 3 in EVPN, as far as OVN has them", "user-defined-network", healthy=True)
def udn_evpn(lab):
    transport_objects(lab)
    features.local_gateway(lab, {})
    a, _, b = [p for p in lab.pods if p.get("net") is lab.udn]
    return [case("%s-%s" % (a["name"], b["name"]), "pod to a pod of the same network on its node", pod(a["name"]), "tcp", b["ip"], b["ports"][0])]


@fault("hybrid-overlay", "a node that runs Windows, in the hybrid overlay", "user-defined-network", healthy=True)
def hybrid_overlay(lab):
    hybrid.objects(lab)
    for n in lab.nodes:
        hybrid.of_node(lab, n)
    a, b = lab.pods[0], next(p for p in lab.pods if p["n"] is not lab.pods[0]["n"])
    return [case("%s-%s" % (a["name"], b["name"]), "pod to pod", pod(a["name"]), "tcp", b["ip"], b["ports"][0])]


def connected_calls(lab):
    first, second = lab.udns
    of = lambda net: [p for p in lab.pods if p.get("net") is net]
    a, b, stranger = of(first)[0], of(second), next(p for p in lab.pods if not p.get("udn"))
    out = [case("%s-%s" % (a["name"], p["name"]), "pod to a pod of the connected network", pod(a["name"]), "tcp", p["ip"], p["ports"][0]) for p in b]
    out.append(case("%s-%s" % (b[0]["name"], a["name"]), "pod to a pod of the connected network, ping", pod(b[0]["name"]), "icmp", a["ip"]))
    out.append(case("%s-server" % b[0]["name"], "pod of the second network to the external server", pod(b[0]["name"]), "tcp", lab.server["ip"], lab.server["ports"][0]))
    out.append(case("%s-into-network" % stranger["name"], "pod of the default network to a pod of the second one", pod(stranger["name"]), "tcp", b[0]["ip"], b[0]["ports"][0]))
    return out


def cnc_object(lab):
    lab.plan["k8s"]["clusternetworkconnects.yaml"] = {
        "apiVersion": "k8s.ovn.org/v1", "kind": "ClusterNetworkConnect", "metadata": {"name": lab.c["connect"]["name"]},
        "spec": {"connectSubnets": [{"cidr": lab.c["connect"]["cidr"], "networkPrefix": 24}], "connectivity": ["PodNetwork"],
                 "networkSelectors": [{"networkSelectionType": "PrimaryUserDefinedNetworks"}]}}


@fault("networks-connected", "two user-defined networks behind a connect router (ClusterNetworkConnect)", "user-defined-network", healthy=True)
def networks_connected(lab):
    return networks_connected_again(lab)


@fault("networks-not-connected", "two user-defined networks without a connect router", "user-defined-network", healthy=True)
def networks_not_connected(lab):
    return connected_calls(lab)


@fault("networks-connect-route-missing", "the connect router of the first node has no route to a subnet of the second network", "user-defined-network")
def networks_connect_route(lab):
    out = networks_connected_again(lab)
    n, router = lab.nodes[0], "connect_router_" + lab.c["connect"]["name"]
    n.nb("lr-route-del", router, lab.udns[1].subnets[lab.nodes[1].name] if lab.udns[1].topology == "layer3" else lab.udns[1].cluster)
    return out


def networks_connected_again(lab):
    cnc_object(lab)
    networks.connect(lab, lab.c["connect"], lab.udns)
    return connected_calls(lab)
