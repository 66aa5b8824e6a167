"""Egress IPs of both families, on the network of OVN and on a second NIC, beside services, pods over nodes and policies: what a release of OVN should do
as any other ("egress-families"), and what is seen where the part of IPv6 is missing."""
import json

import features
import k8s
from faults import fault
from faults_host import acl
from features import CR, as_name
from scenarios import case, host, pod
from topology import CTRL, address_set, eids, hash_for_ovn


class Family:
    def __init__(self, lab, six):
        self.six, self.ip = six, "ip6" if six else "ip4"
        self.key = "ip6" if six else "ip"
        self.set = "v6" if six else "v4"
        self.bits = "/128" if six else "/32"
        self.cluster = lab.v6["cluster"] if six else lab.cluster
        self.server = lab.v6["server"] if six else lab.server["ip"]

    def of(self, thing, what):
        """An address of a node: of, say, its transit port."""
        return getattr(thing, what + ("6" if self.six else ""))


def families(lab):
    return [Family(lab, six) for six in (False, True)]


def policy(lab, n, f, prio, match, hops=None, ids=None, opts=None):
    return features.lrp(lab, n, prio, match, hops, ids or {}, opts, "reroute" if hops else "allow")


def ids(f, e, p):
    name = "%s_%s/%s" % (e["name"], p["ns"], p["name"])
    return {"k8s.ovn.org/id": "%s:EgressIP:100:%s:%s:default" % (CTRL, name, f.ip), "k8s.ovn.org/name": name, "k8s.ovn.org/owner-controller": CTRL,
            "k8s.ovn.org/owner-type": "EgressIP", "ip-family": f.ip, "priority": "100", "network": "default"}


def base_of_six(lab):
    """What the base lab has for IPv4 alone: address sets and the policies that keep traffic inside the cluster off egress IPs."""
    f = Family(lab, True)
    served, nodes = (as_name("EgressIP", x, "v6") for x in ("egressip-served-pods", "node-ips"))
    for n in lab.nodes:
        for owner, name, addresses in (("EgressIP", "node-ips", [m.ip6 for m in lab.nodes] + [m.aux6 for m in lab.nodes]), ("EgressIP", "egressip-served-pods", [])):
            made = address_set(n, owner, name, addresses, "v6")
            lab.undoable("nb", n.name, ["--if-exists", "destroy", "address_set", made])
        policy(lab, n, f, 102, "ip6.src == $%s && ip6.dst == $%s" % (served, nodes), opts={"pkt_mark": "1008"})
        policy(lab, n, f, 102, "ip6.src == %s && ip6.dst == %s" % (f.cluster, f.cluster))
        policy(lab, n, f, 102, "ip6.src == %s && ip6.dst == %s" % (f.cluster, lab.v6["join"]))
        for ip in (n.ip6, n.aux6):
            policy(lab, n, f, 1004, 'inport == "rtos-%s" && ip6.dst == %s /* %s */' % (n.name, ip, n.name), [n.mgmt6])


def serve(lab, f, e):
    for n in lab.nodes:
        for p in e["pods"]:
            lab.nb_add(n, "address_set", as_name("EgressIP", "egressip-served-pods", f.set), "addresses", '"%s"' % lab.pod(p)[f.key])


def primary(lab, f, nat=True):
    """SNAT at the gateway router of the node that has the address; other nodes send there over the transit switch."""
    e = lab.c["egressip_primary"]
    at = lab.node(e["node"])
    serve(lab, f, e)
    for p in (lab.pod(x) for x in e["pods"]):
        policy(lab, p["n"], f, 100, "%s.src == %s" % (f.ip, p[f.key]), [f.of(at, "join" if p["n"] is at else "transit")], ids(f, e, p))
        if p["n"] is at:
            at.nb("--if-exists", "lr-nat-del", at.gr, "snat", p[f.key])
            lab.undoable("nb", at.name, ["--may-exist", "lr-nat-add", at.gr, "snat", f.of(at, "ip"), p[f.key]])
        if nat:
            lab.nb_row(at, "nat", ["type=snat", 'external_ip="%s"' % e[f.key], 'logical_ip="%s"' % p[f.key], "logical_port=k8s-" + at.name,
                                   "options:stateless=false", "external_ids:name=" + e["name"]], [("logical_router", at.gr, "nat")])


def secondary_host(lab, f, e, at, snat):
    """The address, its table of routes, a rule for each pod and its SNAT, on the node that has the address."""
    dev, four, tool = at.aux_if, "-6" if f.six else "-4", "ip6tables" if f.six else "iptables"
    lab.do(at, "ip", "addr", "add", e[f.key] + f.bits, "dev", dev, *(["nodad"] if f.six else []), undo=["ip", "addr", "del", e[f.key] + f.bits, "dev", dev])
    table = str(1000 + json.loads(at.run("ip", "-j", "link", "show", dev))[0]["ifindex"])
    net, gw = (lab.c["aux_net"]["cidr"], lab.c["aux_net"]["gw"]) if not f.six else (at.aux6.rsplit(":", 1)[0] + ":/64", lab.c["aux_net"]["gw6"])
    lab.undoable("node", at.name, ["ip", four, "route", "flush", "table", table])
    lab.do(at, "ip", four, "route", "add", "table", table, net, "dev", dev)
    lab.do(at, "ip", four, "route", "add", "table", table, "default", "via", gw, "dev", dev)
    for p in (lab.pod(x) for x in e["pods"]):
        rule = ["prio", "6000", "from", p[f.key] + f.bits, "lookup", table]
        lab.do(at, "ip", four, "rule", "add", *rule, undo=["ip", four, "rule", "del", *rule])
        nat = ["OVN-KUBE-EGRESS-IP-MULTI-NIC", "-s", p[f.key] + f.bits, "-o", dev, "-j", "SNAT", "--to-source", e[f.key]]
        if snat:
            lab.do(at, tool, "-t", "nat", "-A", *nat, undo=[tool, "-t", "nat", "-D", *nat])


def secondary(lab, f, snat=True):
    """Pods are sent to the management port of the node that has the address; its host does the rest."""
    e = lab.c["egressip_secondary"]
    at = lab.node(e["node"])
    serve(lab, f, e)
    for p in (lab.pod(x) for x in e["pods"]):
        if p["n"] is not at:
            policy(lab, p["n"], f, 100, "%s.src == %s" % (f.ip, p[f.key]), [f.of(at, "transit")], ids(f, e, p))
        policy(lab, at, f, 100, "%s.src == %s" % (f.ip, p[f.key]), [f.of(at, "mgmt")], ids(f, e, p))
    secondary_host(lab, f, e, at, snat)


def service(lab):
    s = lab.c["plain_service"]
    features.service(lab, s)
    name = "Service_%s/%s_TCP_cluster_v6" % (s["namespace"], s["name"])
    ends = [features.hostport(lab.pod(x)["ip6"], s["target_port"]) for x in s["pods"]]
    features.service_lb(lab, s, name, None, None, [(n, name, {features.hostport(s["clusterip6"], s["port"]): ends},
                        [("load_balancer_group", features.group(n, "clusterLBGroup"), "load_balancer")], {}) for n in lab.nodes])


def objects(lab):
    c, o = lab.c, lab.plan["k8s"]
    eips = [k8s.eip(e["name"], e["namespace"], e["mark"], [{"ip": e[f.key], "node": e["node"]} for f in families(lab)])
            for e in (c["egressip_primary"], c["egressip_secondary"])]
    o["egressips.yaml"] = k8s.lst(eips)
    s = c["plain_service"]
    four, slice4 = k8s.svc(lab, s)
    four["spec"].update(clusterIPs=[s["clusterip"], s["clusterip6"]], ipFamilies=["IPv4", "IPv6"], ipFamilyPolicy="RequireDualStack")
    slice6 = json.loads(json.dumps(slice4))
    slice6["addressType"], slice6["metadata"]["name"] = "IPv6", s["name"] + "-v6q8t"
    for end, x in zip(slice6["endpoints"], s["pods"]):
        end["addresses"] = [lab.pod(x)["ip6"]]
    o["services.yaml"], o["endpointslices.yaml"] = k8s.lst([four]), k8s.lst([slice4, slice6])
    o["networkpolicies.yaml"] = {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": k8s.meta("keep-in", "loom"),
                                 "spec": {"podSelector": {}, "policyTypes": ["Egress"]}}


def set_up(lab, nat6=True, snat6=True):
    objects(lab)
    base_of_six(lab)
    for f in families(lab):
        primary(lab, f, nat6 or not f.six)
        secondary(lab, f, snat6 or not f.six)
    service(lab)
    features.deny_egress(lab, "loom")
    m, warp = lab.nodes[1], lab.pod("warp-f")
    acl(lab, m, "to-lport", "reject", 'outport == "%s" && tcp' % warp["key"])


def to_server(lab, f, names):
    return [case("%s-server-v%s" % (x, "6" if f.six else "4"), "pod %s to the server" % x, pod(x), "tcp", f.server, lab.server["ports"][0]) for x in names]


def between(lab, f):
    s, v = lab.c["plain_service"], "-v6" if f.six else "-v4"
    far, near, warp = lab.pod("spin-f"), lab.pod("spin-m"), lab.pod("warp-f")
    ip = s["clusterip6"] if f.six else s["clusterip"]
    return [case("pod-pod-other-node" + v, "pod to pod on another node", pod("spin-m"), "tcp", far[f.key], 9000),
            case("ping-other-node" + v, "ping of a pod on another node", pod("spin-m"), "icmp", far[f.key]),
            case("pod-service" + v, "pod to a service", pod("vat-m"), "tcp", ip, s["port"]),
            case("host-service" + v, "host to a service", host(lab.nodes[0].name), "tcp", ip, s["port"]),
            case("served-pod-pod" + v, "pod with an egress IP to a pod on another node", pod("vat-m"), "tcp", far[f.key], 9000),
            case("served-pod-node" + v, "pod with an egress IP to another node", pod("vat-m"), "tcp", f.of(lab.nodes[1], "ip"), 9100),
            case("rejected" + v, "pod to a pod that rejects what comes", pod("spin-m"), "tcp", warp[f.key], 9000),
            case("rejected-same-node" + v, "pod to a pod that rejects what comes, on the same node", pod("spin-f"), "tcp", warp[f.key], 9000),
            case("kept-in" + v, "pod that its policy keeps from sending, to a pod", pod("warp-m"), "tcp", near[f.key], 9000)]


def all_calls(lab):
    out = []
    for f in families(lab):
        out += between(lab, f) + to_server(lab, f, ["vat-m", "vat-f", "card-m", "card-f", "spin-m", "spin-f", "warp-m"])
    return out


@fault("egress-families", "egress IPs of both families on both kinds of networks, services, pods and policies", "families", healthy=True, level="min")
def _(lab):
    set_up(lab)
    return all_calls(lab)


def served_calls(lab):
    return [c for f in families(lab) for c in to_server(lab, f, ["vat-m", "vat-f", "card-m", "card-f"])]


@fault("egress-families-no-nat6", "an egress IP of IPv6 lacks its rows of NAT; that of IPv4 has them", "families")
def _(lab):
    set_up(lab, nat6=False)
    return served_calls(lab)


@fault("egress-families-no-snat6", "an egress IP of IPv6 on a second NIC lacks its rules of ip6tables; that of IPv4 has them", "families")
def _(lab):
    set_up(lab, snat6=False)
    return served_calls(lab)
