"""What ovn-kubernetes writes for each feature: NB rows, br-ex flows, iptables, nft, rules, routes."""
import json
import nftonly
from labcore import *
from topology import *

CR = "ovn_cluster_router"


def lrp(lab, n, prio, match, nexthops, ids, opts=None, action="reroute"):
    cols = ["priority=%d" % prio, 'match="%s"' % match.replace('"', '\\"'), "action=" + action]
    if nexthops:
        cols.append("nexthops=[%s]" % ",".join('"%s"' % x for x in nexthops))
    cols += ['external_ids:"%s"="%s"' % kv for kv in ids.items()]
    cols += ["options:%s=%s" % kv for kv in (opts or {}).items()]
    return lab.nb_row(n, "logical_router_policy", cols, [("logical_router", CR, "policies")])


def advertise(lab, prefix, nodes):
    if not lab.router.get("bgp"):
        for n in nodes:
            lab.do_ns(lab.ns_router, "ip", "route", "append", prefix, "via", n.ip,
                      undo=["ip", "route", "del", prefix, "via", n.ip])
        return
    r = lab.router
    for n in nodes:
        cmd = ["conf t", "router bgp %d" % r["asn"], "address-family ipv4 unicast"]
        vtysh(lab, n.name, n.ns, *(cmd + ["network " + prefix]))
        lab.undoable("ns", n.ns, ["vtysh", "-N", "%s-%s" % (lab.prefix, n.name)] +
                     sum((["-c", c] for c in cmd + ["no network " + prefix]), []))


def wait_route(lab, prefix, nexthops, seconds=40):
    """Wait until the router's kernel has exactly these next hops (BGP convergence)."""
    for _ in range(seconds * 5):
        t = json.loads(lab.ip(lab.ns_router, "-j", "route", "show", prefix) or "[]")
        have = set()
        for r in t:
            if "gateway" in r:
                have.add(r["gateway"])
            have |= {x["gateway"] for x in r.get("nexthops", [])}
        if have == set(nexthops):
            return True
        time.sleep(0.2)
    raise RuntimeError("route %s: have %s want %s" % (prefix, have, nexthops))


def served(lab, kind, name, ips):
    for n in lab.nodes:
        for ip in ips:
            lab.nb_add(n, "address_set", as_name(kind, name), "addresses", '"%s"' % ip)


def eip_ids(name, pod, prio=100):
    obj = "%s_%s/%s" % (name, pod["ns"], pod["name"])
    return {"k8s.ovn.org/id": "%s:EgressIP:%d:%s:ip4:default" % (CTRL, prio, obj), "k8s.ovn.org/name": obj,
            "k8s.ovn.org/owner-controller": CTRL, "k8s.ovn.org/owner-type": "EgressIP", "ip-family": "ip4",
            "priority": str(prio), "network": "default"}


def egressip_secondary(lab, skip=()):
    """EgressIP on a network that OVN does not manage: reroute to the management port of the egress
    node, then the host's rule 6000, table 1000+ifindex and the SNAT chain."""
    e = lab.c["egressip_secondary"]
    eg, ip = lab.node(e["node"]), e["ip"]
    pods_ = [lab.pod(x) for x in e["pods"]]
    if "address-set" not in skip:
        served(lab, "EgressIP", "egressip-served-pods", [p["ip"] for p in pods_])
    else:
        served(lab, "EgressIP", "egressip-served-pods", [p["ip"] for p in pods_ if p["name"] != e["remote"]])
    for n in lab.nodes:
        for p in pods_:
            if p["n"] is n:
                if "policy" in skip and p["name"] == e["remote"]:
                    continue
                lrp(lab, n, 100, "ip4.src == " + p["ip"], [eg.mgmt if n is eg else eg.transit], eip_ids(e["name"], p),
                    nftonly.mark_of_secondary(lab) if n is eg else None)
            elif n is eg:
                lrp(lab, n, 100, "ip4.src == " + p["ip"], [eg.mgmt], eip_ids(e["name"], p), nftonly.mark_of_secondary(lab))
    dev = eg.__dict__.get("aux_if") or "br-ex"
    lab.do(eg, "ip", "addr", "add", ip + "/32", "dev", dev, undo=["ip", "addr", "del", ip + "/32", "dev", dev])
    ifx = json.loads(eg.run("ip", "-j", "link", "show", dev))[0]["ifindex"]
    table = str(1000 + ifx)
    for r in eg.run("ip", "-4", "route", "show", "table", "main", "dev", dev).strip().split("\n"):
        words = r.split()
        for drop in ("src",):
            if drop in words:
                i = words.index(drop)
                del words[i:i + 2]
        words = [w for w in words if w not in ("linkdown",)]
        if "nhid" in words:
            i = words.index("nhid")
            del words[i:i + 2]
        lab.do(eg, "ip", "route", "add", "table", table, *words, "dev", dev, check=False)
    lab.undoable("node", eg.name, ["ip", "route", "flush", "table", table])
    for p in pods_:
        if "rule" not in skip:
            lab.do(eg, "ip", "rule", "add", "prio", "6000", "from", p["ip"] + "/32", "lookup", table,
                   undo=["ip", "rule", "del", "prio", "6000", "from", p["ip"] + "/32", "lookup", table])
        if "snat" not in skip and lab.c.get("nftables"):
            nftonly.element(lab, eg, "egress-ip-snat-v4", '%s . "%s"' % (p["ip"], dev), ip)
        elif "snat" not in skip:
            rule = ["OVN-KUBE-EGRESS-IP-MULTI-NIC", "-s", p["ip"] + "/32", "-o", dev, "-j", "SNAT", "--to-source", ip]
            lab.do(eg, "iptables", "-t", "nat", "-A", *rule, undo=["iptables", "-t", "nat", "-D"] + rule)
    if dev == "br-ex":           # on another NIC the router finds the address by ARP
        advertise(lab, ip + "/32", [eg])
        wait_route(lab, ip + "/32", [eg.ip])


def egressip_primary(lab, nat=True):
    """EgressIP on the OVN managed network: SNAT on the gateway routers of the egress nodes, reroute
    to join addresses (local) and transit addresses (remote), with ECMP over the egress nodes."""
    e = lab.c["egressip_primary"]
    pods_ = [lab.pod(x) for x in e["pods"]]
    served(lab, "EgressIP", "egressip-served-pods", [p["ip"] for p in pods_])
    for n in lab.nodes:
        mine = [i for i in e["items"] if i["node"] == n.name]
        for p in pods_:
            if p["n"] is n and mine and nat:       # the pod's own node hosts an address: that SNAT replaces the node's
                n.nb("--if-exists", "lr-nat-del", n.gr, "snat", p["ip"])
                lab.undoable("nb", n.name, ["--may-exist", "lr-nat-add", n.gr, "snat", n.ip, p["ip"]])
            for i in mine if nat else []:
                lab.nb_row(n, "nat", ["type=snat", 'external_ip="%s"' % i["ip"], 'logical_ip="%s"' % p["ip"],
                                      "logical_port=k8s-" + n.name, "options:stateless=false", "external_ids:name=" + e["name"]],
                           [("logical_router", n.gr, "nat")])
            if p["n"] is n:
                hops = [n.join if i["node"] == n.name else lab.node(i["node"]).transit for i in e["items"]]
                lrp(lab, n, 100, "ip4.src == " + p["ip"], hops, eip_ids(e["name"], p))


def service_lb(lab, s, name, vips, targets_of, lbs, proto="tcp"):
    """One Load_Balancer row per (node, scope); LBS is a list of (node, name, vips dict, attach, extra options)."""
    for n, nm, v, attach, opts in lbs:
        o = {"event": "false", "reject": "true", "skip_snat": "false", "neighbor_responder": "none",
             "hairpin_snat_ip": '"%s fd69::5"' % lab.masq_hairpin}
        o.update(opts)
        cols = ["name=" + '"%s"' % nm, "protocol=" + proto]
        cols += ["options:%s=%s" % kv for kv in o.items()]
        for vip, tg in v.items():
            cols.append('vips:"%s"="%s"' % (vip.replace(":", "\\:") if False else vip, ",".join(tg)))
        cols += ["external_ids:k8s.ovn.org/kind=Service", "external_ids:k8s.ovn.org/owner=%s/%s" % (s["namespace"], s["name"])]
        cols = [c.replace("external_ids:k8s.ovn.org/kind", 'external_ids:"k8s.ovn.org/kind"')
                 .replace("external_ids:k8s.ovn.org/owner", 'external_ids:"k8s.ovn.org/owner"') for c in cols]
        lab.nb_row(n, "load_balancer", cols, attach, root=True)


def group(n, name):
    return n.nb("--bare", "--columns=_uuid", "find", "load_balancer_group", "name=" + name).strip()


def hostport(ip, port):
    return "[%s]:%d" % (ip, port) if ":" in ip else "%s:%d" % (ip, port)


def svc_cookie(s, token, port):
    return "0x%x" % fnv64a("%s%s%s%d" % (s["namespace"], s["name"], token, port))


def svc_brex_flows(lab, n, s, etp_local=False):
    """Shared gateway mode: service rows on br-ex that send NodePort and VIP traffic into OVN."""
    nic, patch = n.ofport(lab.c["nic"]), n.ofport("patch-br-ex_%s-to-br-int" % n.name)
    out = []
    if s.get("nodeport"):
        c = svc_cookie(s, "tcp", s["nodeport"])
        out += ["cookie=%s,priority=110,in_port=%s,tcp,tp_dst=%d,actions=output:%s" % (c, nic, s["nodeport"], patch),
                "cookie=%s,priority=110,in_port=%s,dl_src=%s,tcp,tp_src=%d,actions=output:%s" % (c, patch, n.mac, s["nodeport"], nic)]
    if s.get("vip"):
        c, v = svc_cookie(s, s["vip"], s["port"]), s["vip"]
        out += ["cookie=%s,priority=110,in_port=%s,arp,arp_op=1,arp_tpa=%s,actions=LOCAL" % (c, nic, v),
                "cookie=%s,priority=110,in_port=%s,icmp,nw_dst=%s,icmp_type=3,icmp_code=4,actions=output:%s" % (c, nic, v, patch),
                "cookie=%s,priority=110,in_port=%s,tcp,nw_dst=%s,tp_dst=%d,actions=output:%s" % (c, nic, v, s["port"], patch),
                "cookie=%s,priority=110,in_port=%s,dl_src=%s,tcp,nw_src=%s,tp_src=%d,actions=output:%s" % (c, patch, n.mac, v, s["port"], nic)]
    return out


def svc_arp_flow(lab, n, s):
    nic = n.ofport(lab.c["nic"])
    return ["cookie=%s,priority=110,in_port=%s,arp,arp_op=1,arp_tpa=%s,actions=LOCAL" % (svc_cookie(s, s["vip"], s["port"]), nic, s["vip"])]


def brex(lab, extra):
    """Replace the br-ex flows of all nodes; EXTRA(node) gives the added rows. Undone on reset."""
    for n in lab.nodes:
        write_brex(lab, n, extra(n))
        base = [x.replace("output:NORMAL", "NORMAL").replace("output:LOCAL", "LOCAL") for x in brex_flows(lab, n)]
        f = os.path.join(n.dir, "brex-base.flows")
        open(f, "w").write("\n".join(base) + "\n")
        lab.undoable("node", n.name, ["ovs-ofctl", "-O", "OpenFlow13", "--bundle", "replace-flows", "br-ex", f])


def service(lab, s, etp_local=False, gateway="shared", advertise_on=None, skip_lb=False):
    """Service of type LoadBalancer (or ClusterIP when it has no vip) with pod endpoints."""
    pods_ = [lab.pod(x) for x in s["pods"]]
    all_eps = [hostport(p["ip"], s["target_port"]) for p in pods_]
    full = "Service_%s/%s_TCP" % (s["namespace"], s["name"])
    lbs = []
    for n in lab.nodes:
        local = [hostport(p["ip"], s["target_port"]) for p in pods_ if p["n"] is n]
        sw, gr = ("logical_switch", n.name, "load_balancer"), ("logical_router", n.gr, "load_balancer")
        cl = {hostport(s["clusterip"], s["port"]): all_eps}
        if s.get("vip") and not etp_local:
            cl[hostport(s["vip"], s["port"])] = all_eps
        lbs.append((n, full + "_cluster", cl, [("load_balancer_group", group(n, "clusterLBGroup"), "load_balancer")], {}))
        if s.get("nodeport") and not etp_local:
            np = {hostport(ip, s["nodeport"]): all_eps for ip in node_ips(n)}
            lbs.append((n, full + "_node_router+switch_" + n.name, np, [sw, gr], {}))
        if etp_local:
            swv, grv = {}, {}
            if local:
                swv[hostport(lab.masq_etp, s["nodeport"])] = local
            for ip in node_ips(n):
                swv[hostport(ip, s["nodeport"])] = all_eps
                grv[hostport(ip, s["nodeport"])] = local
            swv[hostport(s["vip"], s["port"])] = all_eps
            grv[hostport(s["vip"], s["port"])] = local
            lbs.append((n, full + "_node_switch_" + n.name, swv, [sw], {}))
            if local:
                lbs.append((n, full + "_node_local_router_" + n.name, grv, [gr], {"skip_snat": "true"}))
            else:
                lbs.append((n, full + "_node_router_" + n.name, grv, [gr], {}))
    service_lb(lab, s, full, None, None, lbs)
    for n in lab.nodes:
        if lab.c.get("nftables"):
            nftonly.service(lab, n, s, etp_local, gateway)
            continue
        def ipt(*rule):
            lab.do(n, "iptables", "-t", "nat", "-I", *rule, undo=["iptables", "-t", "nat", "-D"] + list(rule))
        if s.get("nodeport"):
            if etp_local:
                ipt("OVN-KUBE-ETP", "-p", "tcp", "-m", "addrtype", "--dst-type", "LOCAL", "-m", "tcp", "--dport", str(s["nodeport"]),
                    "-j", "DNAT", "--to-destination", hostport(lab.masq_etp, s["nodeport"]))
                lab.do(n, "nft", "add", "element", "inet", "ovn-kubernetes", "mgmtport-no-snat-nodeports", "{ tcp . %d }" % s["nodeport"],
                       undo=["nft", "delete", "element", "inet", "ovn-kubernetes", "mgmtport-no-snat-nodeports", "{ tcp . %d }" % s["nodeport"]])
            ipt("OVN-KUBE-NODEPORT", "-p", "tcp", "-m", "addrtype", "--dst-type", "LOCAL", "-m", "tcp", "--dport", str(s["nodeport"]),
                "-j", "DNAT", "--to-destination", hostport(s["clusterip"], s["port"]))
        if s.get("vip"):
            if etp_local:
                ipt("OVN-KUBE-ETP", "-d", s["vip"] + "/32", "-p", "tcp", "-m", "tcp", "--dport", str(s["port"]),
                    "-j", "DNAT", "--to-destination", hostport(lab.masq_etp, s["nodeport"]))
            ipt("OVN-KUBE-EXTERNALIP", "-d", s["vip"] + "/32", "-p", "tcp", "-m", "tcp", "--dport", str(s["port"]),
                "-j", "DNAT", "--to-destination", hostport(s["clusterip"], s["port"]))
    if gateway == "shared":
        if s.get("vip") or s.get("nodeport"):
            brex(lab, lambda n: svc_brex_flows(lab, n, s, etp_local))
    if s.get("vip"):
        on = advertise_on if advertise_on is not None else (
            [n for n in lab.nodes if not etp_local or any(p["n"] is n for p in pods_)])
        advertise(lab, s["vip"] + "/32", on)
        wait_route(lab, s["vip"] + "/32", [n.ip for n in on])


def node_ips(n):
    return [n.ip] + ([n.aux.split("/")[0]] if n.__dict__.get("aux") else [])


def local_gateway(lab, s):
    """Local gateway mode: pod traffic leaves by the management port, service traffic from outside
    reaches the host's iptables instead of br-ex service rows."""
    if lab.c.get("nftables"):
        lab.plan["k8s"]["mode"] = "local"
    for n in lab.nodes:
        n.nb("--policy=src-ip", "lr-route-del", CR, lab.cluster, n.join)
        n.nb("--policy=src-ip", "lr-route-add", CR, lab.cluster, n.mgmt)
        lab.undoable("nb", n.name, ["--policy=src-ip", "lr-route-add", CR, lab.cluster, n.join])
        lab.undoable("nb", n.name, ["--policy=src-ip", "lr-route-del", CR, lab.cluster, n.mgmt])
        rules = [("filter", "-I", ["FORWARD", "-o", "ovn-k8s-mp0", "-j", "ACCEPT"]),
                 ("filter", "-I", ["FORWARD", "-i", "ovn-k8s-mp0", "-j", "ACCEPT"]),
                 ("filter", "-I", ["INPUT", "-i", "ovn-k8s-mp0", "-m", "comment", "--comment", "from OVN to localhost", "-j", "ACCEPT"]),
                 ("nat", "-A", ["POSTROUTING", "-s", lab.masq_ovn + "/32", "-j", "MASQUERADE"]),
                 ("nat", "-A", ["POSTROUTING", "-s", n.subnet, "-j", "MASQUERADE"])]
        if lab.c.get("nftables"):
            nftonly.local_gateway(lab, n)
            rules = []
        for t, op, r in rules:
            lab.do(n, "iptables", "-t", t, op, *r, undo=["iptables", "-t", t, "-D"] + r)
    def extra(n):
        nic, patch = n.ofport(lab.c["nic"]), n.ofport("patch-br-ex_%s-to-br-int" % n.name)
        out = ["cookie=%s,priority=175,in_port=%s,%s,nw_src=%s,actions=ct(table=4,zone=%d)" % (COOKIE, patch, pr, n.ip, ZONE_HOSTMASQ)
               for pr in ("tcp", "udp", "sctp")]
        out += ["cookie=%s,priority=650,in_port=%s,dl_src=%s,udp,tp_dst=3784,actions=output:%s" % (COOKIE, patch, n.mac, nic),
                "cookie=%s,priority=10,table=11,reg0=0x1,actions=LOCAL" % COOKIE,
                "cookie=%s,priority=1,table=11,actions=output:%s" % (COOKIE, patch)]
        for st in ("+trk+est", "+trk+rel"):
            out.append("cookie=%s,priority=100,table=1,ip,ct_state=%s,ct_mark=%s,actions=check_pkt_larger(%d)->NXM_NX_REG0[0],resubmit(,11)" % (
                COOKIE, st, CT_OVN, lab.c["mtu"] + 14))
        return out + (svc_arp_flow(lab, n, s) if s.get("vip") else [])
    brex(lab, extra)


def egressservice(lab):
    e = lab.c["egressservice"]
    host = lab.node(e["host"])
    service(lab, e, advertise_on=[host])
    pods_ = [lab.pod(x) for x in e["pods"]]
    key = "%s/%s" % (e["namespace"], e["name"])
    served(lab, "EgressService", "egresssvc-served-pods", [p["ip"] for p in pods_])
    for n in lab.nodes:
        for p in pods_:
            if p["n"] is n:
                lrp(lab, n, 101, "ip4.src == " + p["ip"], [host.mgmt if n is host else host.transit], {"EgressSVC": key})
            elif n is host:
                lrp(lab, n, 101, "ip4.src == " + p["ip"], [host.mgmt], {"EgressSVC": key + "-interconnect"})
    for p in pods_:
        el = '{ %s comment "%s" : %s }' % (p["ip"], key, e["vip"])
        lab.do(host, "nft", "add", "element", "inet", "ovn-kubernetes", "egress-service-snat-v4", el,
               undo=["nft", "delete", "element", "inet", "ovn-kubernetes", "egress-service-snat-v4", "{ %s }" % p["ip"]])


def external_gateway(lab):
    """AdminPolicyBasedExternalRoute: a src-ip ECMP route per pod on its gateway router, no SNAT there;
    and the gateway VM (the router namespace) with one macvlan, mark and SNAT rule per tenant."""
    r = lab.router
    ns, inif, outif = lab.ns_router, r["inside_if"], r["outside_if"]
    for k, v in (("all/arp_ignore", 1), ("all/arp_announce", 2), (inif + "/arp_ignore", 1), (inif + "/arp_announce", 2)):
        lab.do_ns(ns, "sysctl", "-qw", "net/ipv4/conf/%s=%d" % (k, v), undo=["sysctl", "-qw", "net/ipv4/conf/%s=0" % k])
    for n in lab.nodes:
        lab.do_ns(ns, "ip", "route", "replace", n.subnet, "via", n.ip, "dev", inif, undo=["ip", "route", "del", n.subnet])
    for t in lab.c["apb"]:
        mv = ("macvlan-" + t["namespace"])[:15]       # the kernel's limit
        lab.do_ns(ns, "ip", "link", "add", mv, "link", inif, "address", t.get("mac") or lab.mac(mv), "type", "macvlan", "mode", "bridge", undo=["ip", "link", "del", mv])
        lab.do_ns(ns, "ip", "addr", "add", t["gw"] + "/32", "dev", mv)
        lab.do_ns(ns, "ip", "link", "set", mv, "up")
        lab.do_ns(ns, "ip", "addr", "add", t["egress_ip"] + "/32", "dev", outif, undo=["ip", "addr", "del", t["egress_ip"] + "/32", "dev", outif])
        rule = ["PREROUTING", "-i", mv, "-j", "MARK", "--set-mark", "0x%x" % t["mark"]]
        lab.do_ns(ns, "iptables", "-t", "mangle", "-A", *rule, undo=["iptables", "-t", "mangle", "-D"] + rule)
        rule = ["POSTROUTING", "-o", outif, "-m", "mark", "--mark", "0x%x" % t["mark"], "-j", "SNAT", "--to-source", t["egress_ip"]]
        lab.do_ns(ns, "iptables", "-t", "nat", "-A", *rule, undo=["iptables", "-t", "nat", "-D"] + rule)
        for p in lab.pods:
            if p["ns"] != t["namespace"]:
                continue
            n = p["n"]
            n.nb("--if-exists", "lr-nat-del", n.gr, "snat", p["ip"])
            lab.undoable("nb", n.name, ["--may-exist", "lr-nat-add", n.gr, "snat", n.ip, p["ip"]])
            lab.nb_row(n, "logical_router_static_route",
                       ['ip_prefix="%s/32"' % p["ip"], 'nexthop="%s"' % t["gw"], "policy=src-ip", "output_port=rtoe-" + n.gr,
                        "options:ecmp_symmetric_reply=true"], [("logical_router", n.gr, "static_routes")])


def stale_arp(lab):
    """The nodes still resolve the first tenant's gateway to the primary NIC of the gateway VM."""
    t = lab.c["apb"][0]
    mac = json.loads(lab.ip(lab.ns_router, "-j", "link", "show", lab.router["inside_if"]))[0]["address"]
    for n in lab.nodes:
        u = n.nb("create", "static_mac_binding", "logical_port=rtoe-" + n.gr, 'ip="%s"' % t["gw"], 'mac="%s"' % mac,
                 "override_dynamic_mac=true").strip()
        lab.undoable("nb", n.name, ["destroy", "static_mac_binding", u])


def fail_closed(lab):
    r = lab.router
    rule = ["FORWARD", "-i", r["inside_if"], "-o", r["outside_if"], "-s", lab.cluster, "-m", "mark", "--mark", "0",
            "-j", "REJECT", "--reject-with", "icmp-port-unreachable"]
    lab.do_ns(lab.ns_router, "iptables", "-I", *rule, undo=["iptables", "-D"] + rule)


def deny_egress(lab, namespace):
    """Default deny of a NetworkPolicy with policyTypes: [Egress] and no rules."""
    for n in lab.nodes:
        pg = hash_for_ovn("%s:NetpolNamespace:%s:Egress" % (CTRL, namespace))
        ports = [p["key"] for p in lab.pods if p["ns"] == namespace and p["n"] is n]
        n.nb("pg-add", pg, *ports)
        lab.undoable("nb", n.name, ["pg-del", pg])
        n.nb("set", "port_group", pg, *eids("%s:NetpolNamespace:%s:Egress" % (CTRL, namespace),
             **{"k8s.ovn.org/name": namespace, "k8s.ovn.org/owner-type": "NetpolNamespace", "direction": "Egress"}))
        for prio, act, match, typ in ((1000, "drop", "inport == @%s" % pg, "defaultDeny"),
                                      (1001, "allow", "inport == @%s && (arp || nd)" % pg, "arpAllow")):
            n.nb("--id=@a", "create", "acl", "priority=%d" % prio, "direction=from-lport", "action=" + act,
                 'match="%s"' % match, "options:apply-after-lb=true", 'name="NP:%s:Egress"' % namespace,
                 *eids("%s:NetpolNamespace:%s:Egress:%s" % (CTRL, namespace, typ),
                       **{"k8s.ovn.org/name": namespace, "k8s.ovn.org/owner-type": "NetpolNamespace", "direction": "Egress", "type": typ}),
                 "--", "add", "port_group", pg, "acls", "@a")


def drop_remote_chassis(lab, n, m):
    """Zone of N loses the chassis row of M, so N has no tunnel port to it."""
    n.sb("chassis-del", m.chassis)
    lab.undoable("node", n.name, ["sh", "-c",
        "ovn-sbctl --timeout=200 chassis-add %s geneve %s && ovn-sbctl --timeout=200 set chassis %s hostname=%s other_config:is-remote=true && "
        "ovn-sbctl --timeout=200 lsp-bind tstor-%s %s" % (m.chassis, m.ip, m.chassis, m.name, m.name, m.chassis)])
