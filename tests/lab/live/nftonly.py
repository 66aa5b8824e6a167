"""Netfilter as OVN-Kubernetes writes it since August 2026: nothing of iptables, all in table inet ovn-kubernetes ("nftables": true
in a configuration)."""
from labcore import nth

TABLE = ("inet", "ovn-kubernetes")


def families(lab):
    return (("4", "ip"), ("6", "ip6")) if lab.v6 else (("4", "ip"),)


def mark_of_secondary(lab):
    """What the cluster router gives packets that the host is to translate to an egress IP."""
    return {"pkt_mark": "1009"} if lab.c.get("nftables") else None


def base(lab, n):
    """The whole table, without elements."""
    out, sets = [], []

    def objects(kind, name, key, comment, flags=""):
        sets.append(" %s %s { type %s; %scomment \"%s\"; }" % (kind, name, key, flags, comment))

    def chain(name, head, *rules):
        out.append(" chain %s {\n%s%s\n }" % (name, "  " + head + "\n" if head else "", "\n".join("  " + r for r in rules)))

    objects("set", "mgmtport-no-snat-nodeports", "inet_proto . inet_service", "NodePorts not subject to management port SNAT")
    management = ["oifname != ovn-k8s-mp0 return", "meta l4proto . th dport @mgmtport-no-snat-nodeports return"]
    etp, services, itp, marks, egress, services_out, pmtud, isolation, bgp, udn_marks, late = ([] for _ in range(11))
    for v, ip in families(lab):
        addr, mgmt = "ipv%s_addr" % v, n.mgmt if v == "4" else n.mgmt6
        objects("set", "mgmtport-no-snat-services-v" + v, addr + " . inet_proto . inet_service",
                "eTP:Local short-circuit not subject to management port SNAT (IPv%s)" % v)
        objects("set", "mgmtport-no-snat-subnets-v" + v, addr, "subnets not subject to management port SNAT (IPv%s)" % v, "flags interval; ")
        management += ["meta nfproto ipv%s %s saddr %s return" % (v, ip, mgmt),
                       "%s daddr . meta l4proto . th dport @mgmtport-no-snat-services-v%s return" % (ip, v),
                       "%s saddr @mgmtport-no-snat-subnets-v%s return" % (ip, v), "snat %s to %s" % (ip, mgmt)]
        for kind, text, into in (("-etp-local", "%s traffic with ExternalTrafficPolicy: Local", etp), ("", "%s traffic", services)):
            ordinary = "" if kind else "ordinary "
            objects("map", "external-ips%s-v%s" % (kind, v), "%s . inet_proto . inet_service : %s . inet_service" % (addr, addr),
                    "DNAT mappings for %sIPv%s %s" % (ordinary, v, text % "ExternalIP/LB"))
            objects("map", "nodeports%s-v%s" % (kind, v), "inet_proto . inet_service : %s . inet_service" % addr,
                    "DNAT mappings for %sIPv%s %s" % (ordinary, v, text % "NodePort"))
            into.append("dnat %s addr . port to %s daddr . meta l4proto . th dport map @external-ips%s-v%s" % (ip, ip, kind, v))
        etp.append("fib daddr type local dnat %s addr . port to meta l4proto . th dport map @nodeports-etp-local-v%s" % (ip, v))
        services.append("fib daddr type local dnat %s addr . port to meta l4proto . th dport map @nodeports-v%s" % (ip, v))
        objects("map", "itp-services-to-redirect-v" + v, addr + " . inet_proto . inet_service : inet_service",
                "Port redirections for ordinary InternalTrafficPolicy: Local traffic")
        objects("set", "itp-services-to-mark-v" + v, addr + " . inet_proto . inet_service", "InternalTrafficPolicy: Local traffic to mark for special routing")
        itp.append("meta l4proto { tcp, udp, sctp } redirect to %s daddr . meta l4proto . th dport map @itp-services-to-redirect-v%s" % (ip, v))
        marks.append("%s daddr . meta l4proto . th dport @itp-services-to-mark-v%s meta mark set 0x1745ec" % (ip, v))
        objects("map", "egress-ip-snat-v" + v, "%s . ifname : %s" % (addr, addr), "")
        egress.append("snat %s to %s saddr . meta oifname map @egress-ip-snat-v%s" % (ip, ip, v))
        objects("map", "egress-service-snat-v" + v, "%s : %s" % (addr, addr), "")
        services_out.append("snat %s to %s saddr map @egress-service-snat-v%s" % (ip, ip, v))
        late.append("%s saddr %s meta mark 1009 drop comment \"Drop egress IP pod traffic from %s\"" % ((ip,) + 2 * (lab.cluster if v == "4" else lab.v6["cluster"],)))
        objects("set", "remote-node-ips-v" + v, addr, "Block egress ICMP needs frag to remote Kubernetes nodes")
        icmp = "meta l4proto icmp icmp type 3 icmp code 4" if v == "4" else "meta l4proto icmpv6 icmpv6 type 2 icmpv6 code 0"
        pmtud.append("%s daddr @remote-node-ips-v%s %s drop" % (ip, v, icmp))
        for s, key in (("open-ports", addr + " . inet_proto . inet_service"), ("open-ports-icmp", addr), ("pod-default-ips", addr)):
            objects("set", "udn-%s-v%s" % (s, v), key, "of pods in user defined networks (IPv%s)" % v)
        isolation += ["%s daddr . meta l4proto . th dport @udn-open-ports-v%s accept" % (ip, v),
                      "%s daddr @udn-open-ports-icmp-v%s meta l4proto %s accept" % (ip, v, "icmp" if v == "4" else "icmpv6"),
                      "%s daddr @udn-pod-default-ips-v%s drop" % (ip, v)]
        objects("set", "advertised-udn-subnets-v" + v, addr, "advertised UDN V%s subnets" % v, "flags interval; ")
        bgp.append("ct state new %s daddr @advertised-udn-subnets-v%s drop" % (ip, v))
        objects("map", "udn-mark-external-ips-v" + v, addr + " . inet_proto . inet_service : verdict", "UDN services External IPs mark (IPv%s)" % v)
        udn_marks.append("%s daddr . meta l4proto . th dport vmap @udn-mark-external-ips-v%s" % (ip, v))
    objects("map", "udn-mark-nodeports", "inet_proto . inet_service : verdict", "UDN services NodePorts mark")
    base_chain = lambda kind, hook, priority: "type %s hook %s priority %s; policy accept;" % (kind, hook, priority)
    chain("services", "comment \"DNAT for ordinary NodePort/ExternalIP/LB traffic\"", *services)
    chain("services-etp", "comment \"Special DNAT for NodePort/ExternalIP/LB traffic with ExternalTrafficPolicy: Local\"", *etp)
    chain("services-etp-no-nodeport", "comment \"Special DNAT for ExternalIP/LB traffic with ExternalTrafficPolicy: Local and no NodePorts\"")
    chain("services-itp", "comment \"Redirects for traffic with InternalTrafficPolicy: Local\"", *itp)
    chain("services-prerouting", base_chain("nat", "prerouting", "dstnat"), "jump services-etp", "jump services-etp-no-nodeport", "jump services")
    chain("services-output", base_chain("nat", "output", "-100"), "jump services-itp", "jump services")
    chain("services-itp-mark", "comment \"Chain to mark InternalTrafficPolicy: Local traffic for special routing\"\n  " + base_chain("route", "output", "mangle"), *marks)
    chain("mgmtport-snat", "comment \"OVN SNAT to Management Port\"\n  " + base_chain("nat", "postrouting", "srcnat"), *management)
    chain("egress-services", base_chain("nat", "postrouting", "srcnat"), "meta mark 0x3f0 return comment \"DoNotSNAT\"", *services_out)
    chain("egress-ip-snat", base_chain("nat", "postrouting", "srcnat"), *egress)
    chain("egress-ip-sec-filter", "comment \"Egress IP on secondary interfaces filtering\"\n  " + base_chain("filter", "postrouting", "srcnat + 1"), *late)
    chain("no-pmtud", "comment \"Block egress needs frag/packet too big to remote k8s nodes\"\n  " + base_chain("filter", "output", "filter"), *pmtud)
    chain("udn-service-mark", "comment \"UDN services packet mark\"", "fib daddr type local meta l4proto . th dport vmap @udn-mark-nodeports", *udn_marks)
    chain("udn-service-prerouting", "comment \"UDN services packet mark - Prerouting\"\n  " + base_chain("filter", "prerouting", "mangle"),
          "iifname != ovn-k8s-mp0 jump udn-service-mark")
    chain("udn-service-output", "comment \"UDN services packet mark - Output\"\n  " + base_chain("filter", "output", "mangle"), "jump udn-service-mark")
    chain("udn-isolation", "comment \"Host isolation for user defined networks\"\n  " + base_chain("filter", "output", "filter"), *isolation)
    chain("udn-bgp-drop", "comment \"Drop traffic generated locally towards advertised UDN subnets\"\n  " + base_chain("filter", "output", "filter"), *bgp)
    text = "table inet ovn-kubernetes {\n%s\n%s\n}\n" % ("\n".join(sets), "\n".join(out))
    others = [m.ip for m in lab.nodes if m is not n]
    if others:
        text += "add element inet ovn-kubernetes remote-node-ips-v4 { %s }\n" % ", ".join(others)
    return text.replace(" comment \"\";", "")


def element(lab, n, name, key, value=None):
    """An element of a set or map, removed when the scenario ends."""
    lab.do(n, "nft", "add", "element", *TABLE, name, "{ %s%s }" % (key, " : " + value if value else ""),
           undo=["nft", "delete", "element", *TABLE, name, "{ %s }" % key])


def service(lab, n, s, etp_local, gateway):
    """The elements of a service's ports (getGatewayNFTRules)."""
    if s.get("nodeport"):
        if etp_local:
            if gateway == "local":
                element(lab, n, "nodeports-etp-local-v4", "tcp . %d" % s["nodeport"], "%s . %d" % (lab.masq_etp, s["nodeport"]))
            element(lab, n, "mgmtport-no-snat-nodeports", "tcp . %d" % s["nodeport"])
        element(lab, n, "nodeports-v4", "tcp . %d" % s["nodeport"], "%s . %d" % (s["clusterip"], s["port"]))
    if s.get("vip"):
        key = "%s . tcp . %d" % (s["vip"], s["port"])
        if etp_local and s.get("nodeport"):
            element(lab, n, "external-ips-etp-local-v4", key, "%s . %d" % (lab.masq_etp, s["nodeport"]))
        element(lab, n, "external-ips-v4", key, "%s . %d" % (s["clusterip"], s["port"]))


def no_nodeport(lab, n, s, endpoints):
    """A LoadBalancer with externalTrafficPolicy Local and without NodePorts: straight to the endpoints of the node."""
    if not endpoints:
        return
    text = "ip daddr %s meta l4proto tcp th dport %d dnat ip addr . port to numgen random mod %d map { %s } comment \"%s/%s:\"" % (
        s["vip"], s["port"], len(endpoints), ", ".join("%d : %s . %d" % (i, ip, s["target_port"]) for i, ip in enumerate(endpoints)), s["namespace"], s["name"])
    lab.do(n, "nft", "add", "rule", *TABLE, "services-etp-no-nodeport", text, undo=["nft", "flush", "chain", *TABLE, "services-etp-no-nodeport"])
    for ip in endpoints:
        element(lab, n, "mgmtport-no-snat-services-v4", "%s . tcp . %d" % (ip, s["target_port"]))


def local_gateway(lab, n):
    """Masquerading and the marks of connections that local gateway mode adds."""
    text = """table inet ovn-kubernetes {
 chain ovn-kube-pod-subnet-masq {
  ip saddr %s masquerade
 }
 chain ovn-kube-udn-masq {
  comment "OVN UDN masquerade"
  ip saddr != 169.254.0.0/29 ip daddr != %s ip saddr %s masquerade
 }
 chain ovn-kube-local-gw-masq {
  comment "OVN local gateway masquerade"
  type nat hook postrouting priority 101; policy accept;
  ip saddr %s masquerade
  jump ovn-kube-pod-subnet-masq
  jump ovn-kube-udn-masq
 }
 chain egress-ip-connmark {
  type filter hook prerouting priority mangle; policy accept;
  meta mark 0 meta mark set ct mark
  meta mark 1008 ct mark set meta mark
 }
}
""" % (n.subnet, lab.svc, lab.masq, lab.masq_ovn)
    n.run("nft", "-f", "-", inp=text)
    for name in ("ovn-kube-pod-subnet-masq", "ovn-kube-udn-masq", "egress-ip-connmark", "ovn-kube-local-gw-masq"):   # undone in reverse order
        lab.undoable("node", n.name, ["nft", "delete", "chain", *TABLE, name])


def left_over_iptables(lab, n, s):
    """What an upgrade that stopped half-way leaves behind: the chains of services that earlier releases wrote with iptables."""
    ipt = lambda *a: n.run("iptables", "-w", "-t", "nat", *a)
    for chain, dst, to in (("OVN-KUBE-NODEPORT", ["-m", "addrtype", "--dst-type", "LOCAL", "-p", "tcp", "-m", "tcp", "--dport", str(s["nodeport"])], s),
                           ("OVN-KUBE-EXTERNALIP", ["-d", s["vip"] + "/32", "-p", "tcp", "-m", "tcp", "--dport", str(s["port"])], s)):
        ipt("-N", chain)
        ipt("-A", "PREROUTING", "-j", chain)
        ipt("-A", chain, *dst, "-j", "DNAT", "--to-destination", "%s:%d" % (to["clusterip"], to["port"]))
    lab.undoable("node", n.name, ["sh", "-c", "nft delete table ip nat"])
