"""Scenarios: what each applies, and the calls that are made in it."""
from features import *
import observe, subprocess


def pod(n): return {"kind": "pod", "name": n}
def host(n): return {"kind": "host", "name": n}
SERVER = {"kind": "server", "name": "server"}


def case(id_, desc, client, proto, dst, dport=None):
    return {"id": id_, "description": desc, "client": client, "proto": proto, "dst": dst, "dport": dport}


def to_server(lab, names, label, udp=True):
    out = []
    s = lab.server
    for role, n in names:
        d = "%s pod %s (%s) to the external server, %s" % (role, n, lab.pod(n)["node"], label)
        for port in s["ports"]:
            out.append(case("%s-tcp%d" % (n, port), d + ", TCP %d" % port, pod(n), "tcp", s["ip"], port))
        if udp:
            out.append(case("%s-udp%d" % (n, s["ports"][0]), d + ", UDP", pod(n), "udp", s["ip"], s["ports"][0]))
        out.append(case("%s-ping" % n, d + ", ping", pod(n), "icmp", s["ip"]))
    return out


def eip_sec_cases(lab, few=False):
    e = lab.c["egressip_secondary"]
    c = to_server(lab, [("local", e["local"]), ("remote", e["remote"])], "EgressIP %s on %s" % (e["ip"], e["node"]))
    if few:
        return [x for x in c if "udp" not in x["id"] and "tcp%d" % lab.server["ports"][-1] not in x["id"]]
    w = lab.node(e["wrong_node"])
    c.append(case("remote-to-node", "remote pod to a node address (no egress IP expected by the no-reroute policy)",
                  pod(e["remote"]), "tcp", w.ip, 9100))
    c.append(case("local-to-node", "pod on the egress node to another node's address", pod(e["local"]), "tcp", w.ip, 9100))
    c.append(case("unselected", "pod of another namespace to the external server", pod(next(p["name"] for p in lab.pods if p["ns"] == lab.c.get("other_namespace", "other"))), "tcp", lab.server["ip"], lab.server["ports"][0]))
    return c


def s_egressip_secondary(lab):
    egressip_secondary(lab)
    return eip_sec_cases(lab)


def s_egressip_primary(lab):
    e = lab.c["egressip_primary"]
    egressip_primary(lab)
    out = []
    for n in e["pods"]:
        for i in range(5):
            out.append(case("%s-tcp-%d" % (n, i + 1), "pod %s (%s) to the external server, EgressIP %s, connection %d" % (
                n, lab.pod(n)["node"], "/".join(x["ip"] for x in e["items"]), i + 1), pod(n), "tcp", lab.server["ip"], lab.server["ports"][0]))
        out.append(case("%s-ping" % n, "pod %s to the external server, ping" % n, pod(n), "icmp", lab.server["ip"]))
        out.append(case("%s-udp" % n, "pod %s to the external server, UDP" % n, pod(n), "udp", lab.server["ip"], lab.server["ports"][0]))
        out.append(case("%s-to-other-node" % n, "pod %s to the address of node %s (mark 1008, node SNAT)" % (n, e["other_node"]),
                        pod(n), "tcp", lab.node(e["other_node"]).ip, 9100))
    a, b = e["pods"][0], e["pods"][-1]
    out.append(case("east-west", "selected pod to selected pod (102 policy, no egress IP)", pod(a), "tcp", lab.pod(b)["ip"], lab.pod(b)["ports"][0]))
    return out


def s_neg_primary_nat(lab):
    egressip_primary(lab, nat=False)
    e = lab.c["egressip_primary"]
    return [case("%s-tcp-%d" % (n, i), "pod %s (%s) to the external server, no SNAT row on the egress nodes, connection %d" % (n, lab.pod(n)["node"], i),
                 pod(n), "tcp", lab.server["ip"], lab.server["ports"][0]) for n in e["pods"] for i in (1, 2, 3)]


def s_egressservice(lab):
    e = lab.c["egressservice"]
    egressservice(lab)
    out = to_server(lab, [("backend", n) for n in e["pods"]], "EgressService %s on %s" % (e["vip"], e["host"]))
    out.append(case("ingress-vip", "external server to the service VIP", SERVER, "tcp", e["vip"], e["port"]))
    return out


def s_external_gateway(lab):
    external_gateway(lab)
    out = []
    for t in lab.c["apb"]:
        ps = [p["name"] for p in lab.pods if p["ns"] == t["namespace"]]
        out += to_server(lab, [(t["namespace"], n) for n in ps], "via gateway %s" % t["gw"], udp=False)
    return out


def s_external_gateway_leak(lab):
    out = s_external_gateway(lab)
    stale_arp(lab)
    return [c for c in out if "tcp%d" % lab.server["ports"][0] in c["id"] or "ping" in c["id"]]


def s_external_gateway_failclosed(lab):
    out = s_external_gateway_leak(lab)
    fail_closed(lab)
    return out


def vip_cases(lab, s, n, label):
    return [case("vip-%d" % (i + 1), "external server to %s:%d, %s, connection %d" % (s["vip"], s["port"], label, i + 1),
                 SERVER, "tcp", s["vip"], s["port"]) for i in range(n)]


def s_metallb_cluster(lab):
    s = lab.c["lb_service"]
    local_gateway(lab, s)
    service(lab, s, gateway="local")
    return vip_cases(lab, s, 6, "externalTrafficPolicy Cluster, through the host's iptables") + [
        case("nodeport", "external server to a NodePort", SERVER, "tcp", lab.nodes[0].ip, s["nodeport"])]


def s_metallb_cluster_sgw(lab):
    s = lab.c["lb_service"]
    service(lab, s, gateway="shared")
    return vip_cases(lab, s, 6, "externalTrafficPolicy Cluster, through br-ex service flows") + [
        case("nodeport", "external server to a NodePort", SERVER, "tcp", lab.nodes[0].ip, s["nodeport"])]


def force_route(lab, prefix, node):
    if lab.router.get("bgp"):
        vtysh(lab, "router", lab.ns_router, "conf t", "ip route %s %s" % (prefix, node.ip))
        lab.undoable("ns", lab.ns_router, ["vtysh", "-N", lab.prefix + "-router", "-c", "conf t", "-c", "no ip route %s %s" % (prefix, node.ip)])
    else:
        lab.do_ns(lab.ns_router, "ip", "route", "flush", prefix)
        lab.do_ns(lab.ns_router, "ip", "route", "add", prefix, "via", node.ip, undo=["ip", "route", "del", prefix])
    wait_route(lab, prefix, [node.ip])


def s_metallb_local(lab):
    s = lab.c["lb_service"]
    local_gateway(lab, s)
    service(lab, s, etp_local=True, gateway="local")
    return vip_cases(lab, s, 6, "externalTrafficPolicy Local, through the host's iptables")


def s_metallb_local_sgw(lab):
    s = lab.c["lb_service"]
    service(lab, s, etp_local=True, gateway="shared")
    return vip_cases(lab, s, 6, "externalTrafficPolicy Local, through br-ex service flows")


def s_metallb_local_bypass(lab):
    s = lab.c["lb_service"]
    s_metallb_local(lab)
    force_route(lab, s["vip"] + "/32", lab.node(s["no_endpoint_node"]))
    return vip_cases(lab, s, 2, "forced to %s which has no local endpoint" % s["no_endpoint_node"])


def s_metallb_local_sgw_bypass(lab):
    s = lab.c["lb_service"]
    s_metallb_local_sgw(lab)
    force_route(lab, s["vip"] + "/32", lab.node(s["no_endpoint_node"]))
    return vip_cases(lab, s, 2, "forced to %s which has no local endpoint" % s["no_endpoint_node"])


def s_neg_wrong_upstream(lab):
    e = lab.c["egressip_secondary"]
    egressip_secondary(lab)
    force_route(lab, e["ip"] + "/32", lab.node(e["wrong_node"]))
    return eip_sec_cases(lab, few=True)


def neg(*skip):
    def f(lab):
        egressip_secondary(lab, skip=skip)
        c = eip_sec_cases(lab, few=True)
        if set(skip) & {"address-set", "policy"}:
            e = lab.c["egressip_secondary"]
            w = lab.node(e["wrong_node"])
            c.append(case("remote-to-node", "remote pod to a node address", pod(e["remote"]), "tcp", w.ip, 9100))
            c.append(case("local-to-node", "pod on the egress node to another node's address", pod(e["local"]), "tcp", w.ip, 9100))
        return c
    return f


def s_neg_transit(lab):
    e = lab.c["egressip_secondary"]
    egressip_secondary(lab)
    lab.sync()
    drop_remote_chassis(lab, lab.pod(e["remote"])["n"], lab.node(e["node"]))
    time.sleep(1)
    return eip_sec_cases(lab, few=True)


def s_neg_netpol(lab):
    e = lab.c["egressip_secondary"]
    egressip_secondary(lab)
    deny_egress(lab, e["namespace"])
    return eip_sec_cases(lab, few=True)


def s_plain(lab):
    s = lab.c["plain_service"]
    service(lab, s)
    a, b = [lab.pod(x) for x in s["pods"]][:2]
    others = [p for p in lab.pods if p["ns"] == lab.c.get("other_namespace", "other")]
    same = next(p for p in lab.pods if p["n"] is a["n"] and p["ns"] == lab.c.get("other_namespace", "other"))
    far = next(p for p in others if p["n"] is not a["n"] and p["n"] is not b["n"])
    port = a["ports"][0]
    out = [case("pod-pod-same-node", "pod to pod on the same node", pod(same["name"]), "tcp", a["ip"], port),
           case("pod-pod-same-node-udp", "pod to pod on the same node, UDP", pod(same["name"]), "udp", a["ip"], port),
           case("pod-pod-same-node-ping", "pod to pod on the same node, ping", pod(same["name"]), "icmp", a["ip"]),
           case("pod-pod-other-node", "pod to pod on another node", pod(far["name"]), "tcp", a["ip"], port),
           case("pod-pod-other-node-udp", "pod to pod on another node, UDP", pod(far["name"]), "udp", a["ip"], port),
           case("pod-pod-other-node-ping", "pod to pod on another node, ping", pod(far["name"]), "icmp", a["ip"]),
           case("pod-closed-port", "pod to a closed port of a pod", pod(far["name"]), "tcp", a["ip"], 7),
           case("hairpin", "backend pod to its own service", pod(a["name"]), "tcp", s["clusterip"], s["port"])]
    for i in range(4):
        out.append(case("pod-clusterip-%d" % (i + 1), "pod to ClusterIP, connection %d" % (i + 1), pod(far["name"]), "tcp", s["clusterip"], s["port"]))
    for i in range(4):
        n = lab.nodes[i % len(lab.nodes)]
        out.append(case("host-clusterip-%d" % (i + 1), "host network of %s to ClusterIP" % n.name, host(n.name), "tcp", s["clusterip"], s["port"]))
    out.append(case("clusterip-wrong-port", "pod to a port of the ClusterIP that has no load balancer entry", pod(far["name"]), "tcp", s["clusterip"], s["port"] + 1))
    e = lab.c.get("empty_service")
    if e:
        service(lab, e)
        out.append(case("clusterip-no-endpoints", "pod to a service without endpoints", pod(far["name"]), "tcp", e["clusterip"], e["port"]))
        out.append(case("host-clusterip-no-endpoints", "host network to a service without endpoints", host(far["node"]), "tcp", e["clusterip"], e["port"]))
    for p in (far, same):
        out.append(case("external-tcp-" + p["name"], "pod to the external server without any egress feature", pod(p["name"]), "tcp", lab.server["ip"], lab.server["ports"][0]))
        out.append(case("external-ping-" + p["name"], "pod to the external server, ping", pod(p["name"]), "icmp", lab.server["ip"]))
        out.append(case("external-udp-" + p["name"], "pod to the external server, UDP", pod(p["name"]), "udp", lab.server["ip"], lab.server["ports"][0]))
    out.append(case("pod-own-node", "pod to its own node's address", pod(same["name"]), "tcp", same["n"].ip, 9100))
    out.append(case("pod-other-node-host", "pod to another node's address", pod(far["name"]), "tcp", same["n"].ip, 9100))
    out.append(case("host-pod-local", "host network to a pod on the same node", host(a["node"]), "tcp", a["ip"], port))
    out.append(case("host-pod-remote", "host network to a pod on another node", host(far["node"]), "tcp", a["ip"], port))
    out.append(case("host-external", "host network to the external server", host(a["node"]), "tcp", lab.server["ip"], lab.server["ports"][0]))
    out.append(case("external-closed-port", "pod to a closed port of the external server", pod(far["name"]), "tcp", lab.server["ip"], 9))
    return out


def s_plain_v6(lab):
    s = dict(lab.c["plain_service"])
    a = lab.pod(s["pods"][0])
    b = lab.pod(s["pods"][1])
    v = lab.v6
    full = "Service_%s/%s_TCP_cluster" % (s["namespace"], s["name"])
    eps = [hostport(lab.pod(x)["ip6"], s["target_port"]) for x in s["pods"]]
    service_lb(lab, s, full, None, None, [(n, full, {hostport(v["clusterip"], s["port"]): eps},
               [("load_balancer_group", group(n, "clusterLBGroup"), "load_balancer")], {}) for n in lab.nodes])
    others = [p for p in lab.pods if p["ns"] == lab.c.get("other_namespace", "other")]
    same = next(p for p in lab.pods if p["n"] is a["n"] and p["ns"] == lab.c.get("other_namespace", "other"))
    far = next(p for p in others if p["n"] is not a["n"] and p["n"] is not b["n"])
    port = a["ports"][0]
    return [case("v6-same-node", "IPv6 pod to pod on the same node", pod(same["name"]), "tcp", a["ip6"], port),
            case("v6-same-node-ping", "IPv6 ping on the same node", pod(same["name"]), "icmp", a["ip6"]),
            case("v6-other-node", "IPv6 pod to pod on another node", pod(far["name"]), "tcp", a["ip6"], port),
            case("v6-other-node-ping", "IPv6 ping to another node", pod(far["name"]), "icmp", a["ip6"]),
            case("v6-clusterip-1", "IPv6 pod to ClusterIP", pod(far["name"]), "tcp", v["clusterip"], s["port"]),
            case("v6-clusterip-2", "IPv6 pod to ClusterIP", pod(far["name"]), "tcp", v["clusterip"], s["port"]),
            case("v6-external", "IPv6 pod to the external server", pod(far["name"]), "tcp", v["server"], lab.server["ports"][0]),
            case("v6-external-ping", "IPv6 ping to the external server", pod(same["name"]), "icmp", v["server"]),
            case("v6-host-clusterip", "host network to IPv6 ClusterIP", host(a["node"]), "tcp", v["clusterip"], s["port"])]


SCENARIOS = {
    "egressip-secondary": (s_egressip_secondary, "EgressIP on a network not managed by OVN, hosted by one node; local and tromboned traffic"),
    "egressservice": (s_egressservice, "EgressService with the LoadBalancer address as source, on one host"),
    "metallb-cluster": (s_metallb_cluster, "LoadBalancer VIP, externalTrafficPolicy Cluster, local gateway mode (iptables DNAT)"),
    "metallb-cluster-sgw": (s_metallb_cluster_sgw, "LoadBalancer VIP, externalTrafficPolicy Cluster, shared gateway mode (br-ex service flows)"),
    "metallb-local": (s_metallb_local, "LoadBalancer VIP, externalTrafficPolicy Local, local gateway mode (169.254.x.3 masquerade VIP)"),
    "metallb-local-sgw": (s_metallb_local_sgw, "LoadBalancer VIP, externalTrafficPolicy Local, shared gateway mode"),
    "metallb-local-bypass": (s_metallb_local_bypass, "as metallb-local, traffic forced to a node without local endpoint"),
    "metallb-local-sgw-bypass": (s_metallb_local_sgw_bypass, "as metallb-local-sgw, traffic forced to a node without local endpoint"),
    "egressip-primary": (s_egressip_primary, "EgressIP on the OVN managed network, two egress nodes, ECMP"),
    "external-gateway-vm": (s_external_gateway, "AdminPolicyBasedExternalRoute to a gateway VM with one macvlan per tenant"),
    "external-gateway-vm-stale-arp": (s_external_gateway_leak, "first tenant's gateway still resolves to the primary NIC: pod address leaks"),
    "external-gateway-vm-fail-closed": (s_external_gateway_failclosed, "stale resolution with the FORWARD reject rule"),
    "plain": (s_plain, "no egress feature: pod, service, host and external traffic"),
    "plain-v6": (s_plain_v6, "no egress feature, IPv6"),
    "neg-wrong-upstream-node": (s_neg_wrong_upstream, "egressip-secondary, upstream router points at a node that does not host the address"),
    "neg-missing-ip-rule": (neg("rule"), "egressip-secondary without ip rule 6000 on the egress node"),
    "neg-missing-snat": (neg("snat"), "egressip-secondary without the SNAT rules"),
    "neg-missing-transit-port": (s_neg_transit, "egressip-secondary, the source zone lost the chassis of the egress node"),
    "neg-address-set-lacks-pod": (neg("address-set"), "egressip-secondary, remote pod missing in the served-pods address set"),
    "neg-reroute-policy-missing": (neg("policy"), "egressip-secondary, remote pod has no reroute policy in its zone"),
    "neg-primary-missing-nat": (s_neg_primary_nat, "egressip-primary without the SNAT rows on the gateway routers of the egress nodes"),
    "neg-networkpolicy-drop": (s_neg_netpol, "egressip-secondary with a default deny egress NetworkPolicy"),
}
FULL = {"egressip-secondary"}


def level(name):
    """How much `corpus` keeps: full has every dump variant, lite compresses the long dumps, min also drops the southbound database."""
    return "full" if name in FULL else "std" if name in STD else "min" if name.startswith("neg-") or name.endswith("-bypass") else "lite"


STD = set()


faults_of = {}          # name -> fault; filled by faults.py


def available(lab):
    return [k for k in SCENARIOS if not (k.endswith("v6") and not lab.v6)]


def run(lab, name, log=print):
    """Apply NAME, make its calls under capture, leave the scenario applied for `collect`."""
    fn, desc = SCENARIOS[name]
    lab.reset()
    for _ in range(20):
        left = lab.differences()
        if not left:
            break
        time.sleep(0.2)
    else:
        lab.state["undo"] = []
        raise RuntimeError("not as after `up`:\n  " + "\n  ".join(left))
    for n in lab.nodes:                  # counters of the bridge's flows start at nought in every scenario
        n.run("ovs-ofctl", "del-flows", "br-ex")
        write_brex(lab, n)
    lab.plan = {"late": [], "nosync": False, "nowarm": False, "k8s": {}, "fault": {}, "before": {}}
    lab.sync()
    warm(lab, routers=True)
    for n in lab.nodes:
        n.run("conntrack", "-F", check=False)
        n.run("ovs-appctl", "dpctl/flush-conntrack", check=False)
    lab.nsx(lab.ns_router, "conntrack", "-F", check=False)
    t0 = time.time()
    cases = fn(lab)
    lab.state["scenario"] = name
    lab.save()
    if not lab.plan["nosync"]:
        lab.sync()
    time.sleep(0.5)
    if not lab.plan["nowarm"]:
        warm(lab)
    lab.state["k8s"] = lab.plan["k8s"]
    lab.save()
    d = os.path.join(lab.state_dir, "run", name)
    sh(["rm", "-rf", d])
    cap = observe.Capture(lab, d + "/pcap")
    runs, limits = [], []
    try:
        for f in lab.plan["late"]:       # what the warming up would undo
            f()
        for n in lab.nodes:              # cached datapath flows outlive a change of the host's routes
            n.run("ovs-appctl", "revalidator/purge", check=False)
        for c in cases:
            lab.state["serial"] = lab.state.get("serial", 0) + 1
            before = recirculation_drops(lab)
            for f in c.get("before", []):
                f()
            runs.append(observe.run_case(lab, c, lab.state["serial"]))
            if recirculation_drops(lab) != before and not c.get("loops"):      # between two routers: lost by TTL anyway
                limits.append(c["id"])
    finally:
        cap.stop()
        lab.save()
    for n in lab.nodes:
        n.run("ovs-appctl", "version")   # fails where ovs-vswitchd has died: nothing that was seen is a truth then
    recs = observe.truth(lab, d + "/pcap", cases, runs)
    for i in limits:                     # a limit of the userspace datapath alone: no truth about OVN
        log("%-28s %-26s left out: the userspace datapath dropped it at its limit of recirculations" % (name, i))
    recs = [r for r in recs if r["id"] not in limits]
    seen = {}
    for r in recs:                       # traces of one TCP call per client; in the full scenario also the other kinds
        k = (r["from"]["name"], r["packet"]["proto"], r["packet"]["dst"])
        seen[k] = seen.get(k, 0) + 1
        if seen[k] == 1 and (r["packet"]["proto"] == "tcp" and name not in faults_of or name in FULL):
            observe.traces(lab, r, d + "/trace")
    out = {"lab": lab.name, "scenario": name, "description": desc, "fault": lab.plan["fault"], "cases": recs}
    json.dump(out, open(d + "/truth.json", "w"), indent=1)
    for r in recs:
        o = r.get("observed_at_end", {})
        log("%-28s %-26s %-9s src %-22s at %-28s %s" % (
            name, r["id"], r["verdict"], "%s:%s" % (o.get("src", "-"), o.get("sport", "")), "%s/%s" % (o.get("node", "-"), o.get("pod", o.get("iface", "-"))),
            "egress %s" % r["egress"]["node"] if "egress" in r else (r.get("last_seen") or "")))
    log("%s: %d cases, %.1f s" % (name, len(recs), time.time() - t0))
    return d


def recirculation_drops(lab):
    return [n.run("ovs-appctl", "coverage/read-counter", "datapath_drop_recirc_error", check=False).strip() for n in lab.nodes]


def warm(lab, routers=False):
    """Let neighbour tables and tunnel neighbours fill: one ping between every pair of nodes. With ROUTERS,
    also make every gateway router resolve its two next hops: a packet that waits in ovn-controller for a
    neighbour comes back without its conntrack state, which spoils the first load balanced connection."""
    pings = []
    def ping(ns, dst, *how):
        pings.append(subprocess.Popen(["ip", "netns", "exec", ns, "ping", "-n", *how, dst], stdin=subprocess.DEVNULL,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    def done():
        while pings:
            pings.pop().wait()
    for p in lab.pods:
        ping(p["netns"], p["n"].gw, "-c", "1", "-W", "1")
    done()
    firsts = {}
    for p in lab.pods:
        firsts.setdefault(p["node"], p)
    if routers:
        for p in firsts.values():
            for dst in [lab.server["ip"]] + ([lab.v6["server"]] if lab.v6 else []):
                ping(p["netns"], dst, "-c", "2", "-i", "0.3", "-W", "1")
    for a in firsts.values():
        for b in firsts.values():
            if a is not b:
                ping(a["netns"], b["ip"], "-c", "2", "-i", "0.2", "-W", "0.4")
                if lab.v6:
                    ping(a["netns"], b["ip6"], "-c", "2", "-i", "0.2", "-W", "0.4")
    for n in lab.nodes:
        ping(n.ns, n.router_ip, "-c", "1", "-W", "1")
        if lab.v6:
            ping(n.ns, n.router_ip6, "-c", "1", "-W", "1")
            ping(n.ns, lab.v6["server"], "-c", "1", "-W", "1")
    done()
