"""What is set up before the faults: services, an egress IP, a network policy, an egress firewall; and the calls that are made."""
import json

import attachments, features, labcore, networks, networks_cases, scenarios, topology
from features import *


def completed(config):
    """A configuration without services is given some, for the pods of the default network."""
    c = json.load(open(config))
    mine = [p for p in c["pods"] if not p.get("udn") and p["ns"] == c["pods"][0]["ns"]]
    if "plain_service" not in c:
        ns, app, at = mine[0]["ns"], mine[0]["app"], lambda i: nth(c["service_cidr"], 10240 + i)
        base = {"namespace": ns, "target_port": mine[0]["ports"][0], "pods": [p["name"] for p in mine]}
        c["plain_service"] = dict(base, name=app, clusterip=at(7), port=80)
        c["lb_service"] = dict(base, name=app + "-lb", clusterip=at(6), port=8080, vip="10.200.7.6", nodeport=31206, no_endpoint_node=c["nodes"][0]["name"])
        c["empty_service"] = dict(base, name="nothing", clusterip=at(8), port=80, target_port=9999, pods=[])
    return c


def policy(lab, n, ns, ports):
    """Default deny of ingress for the pods of the namespace, but for one namespace, another where there is one; an egress firewall."""
    allowed = next((x for x in sorted({p["ns"] for p in lab.pods}) if x != ns), ns)
    port = next(p["ports"][0] for p in lab.pods if p["ns"] == ns)

    def group(kind, name, **more):
        pg = hash_for_ovn("%s:%s:%s" % (CTRL, kind, name))
        n.nb("pg-add", pg, *ports)
        n.nb("set", "port_group", pg, *eids("%s:%s:%s" % (CTRL, kind, name),
                **{"k8s.ovn.org/name": name.replace(":Ingress", ""), "k8s.ovn.org/owner-type": kind}, **more))
        return pg

    def acl(pg, pipeline, priority, action, match, name, id_, *columns, **more):
        n.nb("--id=@a", "create", "acl", "priority=%d" % priority, "direction=" + pipeline, "action=" + action, 'match="%s"' % match, 'name="%s"' % name,
             *columns, *eids("%s:%s" % (CTRL, id_), **more), "--", "add", "port_group", pg, "acls", "@a")

    deny = group("NetpolNamespace", ns + ":Ingress", direction="Ingress")
    of_deny = {"k8s.ovn.org/name": ns, "k8s.ovn.org/owner-type": "NetpolNamespace", "direction": "Ingress"}
    for priority, action, match, kind in ((1000, "drop", "outport == @" + deny, "defaultDeny"), (1001, "allow", "outport == @%s && (arp || nd)" % deny, "arpAllow")):
        acl(deny, "to-lport", priority, action, match, "NP:%s:Ingress" % ns, "NetpolNamespace:%s:Ingress:%s" % (ns, kind), type=kind, **of_deny)
    allow = group("NetworkPolicy", ns + ":allow-in")
    of_allow = {"k8s.ovn.org/name": ns + ":allow-in", "k8s.ovn.org/owner-type": "NetworkPolicy", "direction": "Ingress"}
    source = as_name("Namespace", allowed)
    for k, match in enumerate(["ip4.src == {$%s} && tcp && tcp.dst==%d && outport == @%s" % (source, port, allow), "ip4 && icmp4 && outport == @" + allow]):
        acl(allow, "to-lport", 1001, "allow-related", match, "NP:%s:allow-in:Ingress:%d" % (ns, k), "NetworkPolicy:%s:allow-in:Ingress:%d:None:-1" % (ns, k),
            **{"gress-index": str(k)}, **of_allow)
    firewall = group("Namespace", ns)
    acl(firewall, "from-lport", 10000, "drop", "(ip4.dst == %s/32) && inport == @%s && (tcp && ( tcp.dst == %d ))" % (lab.server["ip"], firewall, lab.server["ports"][1]),
        "EF:%s:0" % ns, "EgressFirewall:%s:10000" % ns, "options:apply-after-lb=true",
        **{"k8s.ovn.org/name": ns, "k8s.ovn.org/owner-type": "EgressFirewall", "rule-index": "0"})


def policies(lab, ns):
    for n in lab.nodes:
        policy(lab, n, ns, [p["key"] for p in lab.pods if p["ns"] == ns and p["n"] is n])
    deny = {"type": "Deny", "to": {"cidrSelector": lab.server["ip"] + "/32"}, "ports": [{"protocol": "TCP", "port": lab.server["ports"][1]}]}
    lab.plan["k8s"]["egressfirewalls.yaml"] = {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressFirewall", "metadata": {"name": "default", "namespace": ns},
                                               "spec": {"egress": [deny]}, "status": {"status": "EgressFirewall Rules applied"}}


def from_elsewhere(lab, net, e):
    """On layer 3 the egress node routes to its gateway router what other nodes' pods send."""
    for n in [lab.node(i["node"]) for i in e["items"]] if net.topology == "layer3" else ():
        for p in [p for p in map(lab.pod, e["pods"]) if p["n"] is not n]:
            n.nb("lr-policy-add", net.distributed_router(), "100", "ip4.src == " + p["ip"], "reroute", net.join_ip(n))
        n.nb("--may-exist", "--policy=src-ip", "lr-route-add", net.distributed_router(), net.cluster, net.join_ip(n))


def egress(lab):
    if lab.udn and (lab.udn.old_nodes or lab.udn.topology == "layer2-join"):
        return          # networks.py has none for the older topology
    if lab.udn and "egressip_primary" in lab.c:
        networks.egress_ip(lab, lab.udn, lab.c["egressip_primary"])
        from_elsewhere(lab, lab.udn, lab.c["egressip_primary"])
        lab.plan["k8s"]["egressip_primary"] = True
    elif "egressip_primary" in lab.c:
        kind = "egressip_secondary" if lab.c.get("aux_net") else "egressip_primary"
        getattr(features, kind)(lab)
        lab.plan["k8s"][kind] = True


def set_up(lab):
    lab.plan = {"late": [], "nosync": False, "nowarm": False, "k8s": {}, "fault": {}, "before": {}}
    lab.sync()
    mode = "local" if lab.udn and lab.udn.local else "shared"
    if lab.udn:
        networks_cases.mark_services(lab)
    if mode == "local":
        features.local_gateway(lab, lab.c["lb_service"])
    for s in ("plain_service", "empty_service", "lb_service"):
        if mode == "shared" or s != "lb_service" or lab.c.get("nftables"):
            features.service(lab, lab.c[s], gateway=mode)
        lab.plan["k8s"][s] = "Cluster"
    egress(lab)
    policies(lab, lab.c["other_namespace"])
    lab.state["k8s"] = lab.plan["k8s"]
    lab.state["scenario"] = "chaos"
    lab.sync()
    for ns in [n.ns for n in lab.nodes] + [lab.ns_router, lab.ns_server]:      # errors to one node come one a second
        topology.sysctl(lab, ns, net__ipv4__icmp_ratelimit=0, net__ipv6__icmp__ratelimit=0)
    sh(["sysctl", "-qw", "net.ipv4.route.error_cost=0"], check=False)         # so do those about packets without a route
    scenarios.warm(lab, routers=True)
    lab.remember_state()
    lab.save()


def neighbours_in(items, i, step=1):
    return items[(i + step) % len(items)]


class Calls:
    def __init__(self, lab):
        self.lab, self.all = lab, []

    def add(self, kind, name, proto, dst, port=None, size=None):
        id_ = "%s>%s%s/%s%s" % (name, dst, ":%d" % port if port else "", proto, size or "")
        if not any(c["id"] == id_ for c in self.all):
            self.all.append({"kind": kind, "name": name, "proto": proto, "dst": dst, "port": port, "size": size, "id": id_})

    def of_pods(self, a, b):
        lab, server = self.lab, self.lab.server
        service, vip = lab.c["plain_service"], lab.c["lb_service"]
        for i, p in enumerate(a):
            q = neighbours_in(a, i)
            for far in ([neighbours_in(b, i), b[i % len(b)]] if b else []):
                self.add("pod", p["name"], "tcp", far["ip"], far["ports"][0])
            for proto in ("tcp", "udp") if q is not p else ():
                self.add("pod", p["name"], proto, q["ip"], q["ports"][0])
            self.add("pod", p["name"], "tcp", server["ip"], server["ports"][1])
            self.add("pod", p["name"], "icmp", server["ip"])
            self.add("pod", p["name"], "tcp", service["clusterip"], service["port"])
            if lab.v6:
                self.add("pod", p["name"], "tcp", q["ip6"], q["ports"][0])
                self.add("pod", p["name"], "icmp", q["ip6"])
                self.add("pod", p["name"], "udp", lab.v6["server"], server["ports"][0])
        for i, p in enumerate(b):
            q = neighbours_in(a, i, 2)
            for proto in ("tcp", "udp"):
                self.add("pod", p["name"], proto, server["ip"], server["ports"][0])
            self.add("pod", p["name"], "tcp", q["ip"], q["ports"][0])
            self.add("pod", p["name"], "icmp", q["ip"])
            self.add("pod", p["name"], "tcp", vip["vip"], vip["port"])
            self.add("pod", p["name"], "tcp", neighbours_in(lab.nodes, i).ip, 9100)
            self.add("pod", p["name"], "tcp", p["n"].ip, 9100)
        for p in b[:1]:
            self.add("pod", p["name"], "tcp", server["ip"], server["ports"][1])
            self.add("pod", p["name"], "tcp", lab.c["empty_service"]["clusterip"], lab.c["empty_service"]["port"])

    def of_sizes(self, pods):
        """Pings as large as the pods' devices allow, which may not be fragmented."""
        lab = self.lab
        for i, p in enumerate(pods):
            for dst in (neighbours_in(pods, i)["ip"], lab.server["ip"]):
                self.add("pod", p["name"], "icmp", dst, size=lab.c["mtu"] - 20)
        for i, n in enumerate(lab.nodes):
            self.add("host", n.name, "icmp", neighbours_in(lab.nodes, i).ip, size=1500)
            self.add("server", "server", "icmp", n.ip, size=1500)

    def of_own_network(self, pods, others):
        """Pods of a user-defined network: each other, the server, nodes, services of their own and of the default network."""
        lab, server = self.lab, self.lab.server
        for i, p in enumerate(pods):
            for q in pods:
                if q is not p:
                    self.add("pod", p["name"], "tcp", q["ip"], q["ports"][0])
            self.add("pod", p["name"], "udp", neighbours_in(pods, i)["ip"], neighbours_in(pods, i)["ports"][0])
            self.add("pod", p["name"], "icmp", neighbours_in(pods, i)["ip"])
            for proto in ("tcp", "udp"):
                self.add("pod", p["name"], proto, server["ip"], server["ports"][0])
            self.add("pod", p["name"], "icmp", server["ip"])
            self.add("pod", p["name"], "tcp", neighbours_in(lab.nodes, i).ip, 9100)
            self.add("pod", p["name"], "tcp", p["n"].ip, 9100)
            self.add("pod", p["name"], "tcp", neighbours_in(others, i)["ip"], neighbours_in(others, i)["ports"][0])
            for s in lab.udn.services:
                if p["name"] not in s["pods"]:
                    self.add("pod", p["name"], "tcp", s["clusterip"], s["port"])
        for p in others:
            self.add("pod", p["name"], "tcp", pods[0]["ip"], pods[0]["ports"][0])

    def by_attachments(self):
        for a in attachments.of(self.lab):
            x, y = a.ports[:2]
            for p, q in ((x, y), (y, x)):
                self.add("pod", p.pod["name"], "tcp", q.ip, q.pod["ports"][0])
                self.add("pod", p.pod["name"], "icmp", q.ip)
            if getattr(a, "gateway", None):
                self.add("pod", x.pod["name"], "icmp", a.gateway)

    def of_hosts(self, a):
        lab, service, vip = self.lab, self.lab.c["plain_service"], self.lab.c["lb_service"]
        for i, n in enumerate(lab.nodes):
            following = neighbours_in(lab.nodes, i)
            self.add("host", n.name, "tcp", service["clusterip"], service["port"])
            for p in [p for p in a if p["n"] is n][:1] + [p for p in a if p["n"] is following][:1]:
                self.add("host", n.name, "tcp", p["ip"], p["ports"][0])
                if lab.v6:
                    self.add("host", n.name, "tcp", p["ip6"], p["ports"][0])
            self.add("host", n.name, "tcp", lab.server["ip"], lab.server["ports"][0])
            self.add("host", n.name, "udp", following.ip, 9100)
            self.add("host", n.name, "tcp", vip["vip"], vip["port"])
            self.add("server", "server", "tcp", n.ip, vip["nodeport"])
            self.add("server", "server", "icmp", n.ip)
            self.add("server", "server", "tcp", n.ip, 9100)
            if lab.v6:
                self.add("host", n.name, "tcp", lab.v6["server"], lab.server["ports"][0])
                self.add("server", "server", "tcp", n.ip6, 9100)
        self.add("server", "server", "tcp", vip["vip"], vip["port"])
        self.add("server", "server", "udp", lab.nodes[0].ip, 9100)

    def kept(self):
        """Without those that need more recirculations than the userspace datapath takes: masqueraded, and a backend on the same node."""
        service, vip = self.lab.c["plain_service"], self.lab.c["lb_service"]
        back = service["pods"] + vip["pods"]
        nodes = {self.lab.pod(x)["node"] for x in back}
        addresses = {self.lab.node(n).ip for n in nodes}
        def deep(c):
            return c["dst"] in (service["clusterip"], vip["vip"]) and (c["name"] in back or c["name"] in nodes) or \
                c["name"] == "server" and c["dst"] in addresses and c["port"] == vip["nodeport"]
        return [c for c in self.all if not deep(c)]


def calls(lab):
    out = Calls(lab)
    default = [p for p in lab.pods if not p.get("udn")]
    other = lab.c["other_namespace"]
    a, b = [p for p in default if p["ns"] != other], [p for p in default if p["ns"] == other]
    if not a:
        a, b = b, []
    out.of_pods(a, b)
    if lab.udn:
        out.of_own_network([p for p in lab.pods if p.get("udn")], default)
    out.by_attachments()
    out.of_hosts(a)
    out.of_sizes(a + b)
    return out.kept()


def fresh(config, completed_config):
    json.dump(completed(config), open(completed_config, "w"))
    lab = labcore.Lab(completed_config)
    if lab.state["namespaces"]:
        lab.down()
        lab = labcore.Lab(completed_config)
    topology.up(lab, log=lambda *a: None)
    set_up(lab)
    return lab
