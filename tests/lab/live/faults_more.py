"""More faults: policies and rows on the reply's side, policy routing, sets and states of nft, sizes of IPv6 replies, switches of devices, and what a
bridge is configured with."""
from faults import *
from faults_host import acl, STRANGER, elsewhere, lgw, spare_device
import topology


def both_ip(lab, where, six, text, undo):
    late(lab, at, lab, where, "ip %s%s" % ("-6 " if six else "", text), "ip %s%s" % ("-6 " if six else "", undo))


# ---- policies -------------------------------------------------------------------------------------------------
@fault("acl-egress-drop-client", "an ACL drops what a pod sends", "policies")
def _(lab):
    a, b, w, p, c = begin(lab)
    acl(lab, a, "from-lport", "drop", 'inport == "%s" && ip' % c[0]["key"])
    return calls(P(c[0]), p[1], "tu") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), "server", "t") + calls(P(c[1]), c[0], "t") + calls(P(c[1]), c[0], "t", six=True)


@fault("acl-egress-reject-client", "an ACL rejects what a pod sends", "policies")
def _(lab):
    a, b, w, p, c = begin(lab)
    acl(lab, a, "from-lport", "reject", 'inport == "%s" && ip' % c[0]["key"])
    return calls(P(c[0]), p[1], "tu") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), "server", "tp") + calls(P(c[1]), c[0], "t")


@fault("acl-stateless-reply-drop", "a stateless ACL accepts the request; the reply matches a drop", "policies", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    q = p[1]
    lab.nb_row(b, "acl", ["priority=1200", "direction=to-lport", "action=allow-stateless", 'match="outport == \\"%s\\" && ip"' % q["key"]], [("logical_switch", b.name, "acls")])
    lab.nb_row(b, "acl", ["priority=1100", "direction=from-lport", "action=drop", 'match="inport == \\"%s\\" && ip"' % q["key"]], [("logical_switch", b.name, "acls")])
    return calls(P(c[0]), q, "tup") + calls(P(c[0]), q, "t", six=True) + calls(P(c[2]), q, "t") + calls(P(c[0]), c[1], "t")


@fault("acl-stateless-both-healthy", "stateless ACLs accept both directions", "policies", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    q = p[1]
    lab.nb_row(b, "acl", ["priority=1200", "direction=to-lport", "action=allow-stateless", 'match="outport == \\"%s\\" && ip"' % q["key"]], [("logical_switch", b.name, "acls")])
    lab.nb_row(b, "acl", ["priority=1200", "direction=from-lport", "action=allow-stateless", 'match="inport == \\"%s\\" && ip"' % q["key"]], [("logical_switch", b.name, "acls")])
    return calls(P(c[0]), q, "tup") + calls(P(c[0]), q, "t", six=True) + calls(P(c[0]), c[1], "t")


@fault("acl-client-ingress-drop-reply", "an ACL at the client's port drops what the server's port answers; nothing is tracked", "policies", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    lab.nb_row(a, "acl", ["priority=1200", "direction=from-lport", "action=allow-stateless", 'match="inport == \\"%s\\" && ip"' % c[0]["key"]], [("logical_switch", a.name, "acls")])
    lab.nb_row(a, "acl", ["priority=1100", "direction=to-lport", "action=drop", 'match="outport == \\"%s\\" && ip"' % c[0]["key"]], [("logical_switch", a.name, "acls")])
    return calls(P(c[0]), p[1], "tup") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True)


@fault("acl-allow-related-healthy", "ACLs drop what comes to the client and allow with state what it sends", "policies", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    lab.nb_row(a, "acl", ["priority=1200", "direction=from-lport", "action=allow-related", 'match="inport == \\"%s\\" && ip"' % c[0]["key"]], [("logical_switch", a.name, "acls")])
    lab.nb_row(a, "acl", ["priority=1100", "direction=to-lport", "action=drop", 'match="outport == \\"%s\\" && ip"' % c[0]["key"]], [("logical_switch", a.name, "acls")])
    return calls(P(c[0]), p[1], "tup") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), "server", "tp") + calls(P(c[1]), c[0], "t") + calls(P(c[1]), c[0], "t", six=True)


@fault("acl-router-policy-drop-reply", "a policy of the cluster router drops what comes back from the server's pod", "policies", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    lrp(lab, b, 1500, "ip4.src == %s && ip4.dst == %s" % (p[1]["ip"], c[0]["ip"]), [], {"x": "y"}, action="drop")
    lrp(lab, b, 1500, "ip6.src == %s && ip6.dst == %s" % (p[1]["ip6"], c[0]["ip6"]), [], {"x": "y"}, action="drop")
    return calls(P(c[0]), p[1], "tup") + calls(P(c[0]), p[1], "t", six=True) + calls(P(p[0]), p[1], "t") + calls(P(c[2]), p[1], "t", six=True)


@fault("router-policy-reroute-nowhere", "a policy of the cluster router reroutes a pod to an address that nobody has", "wrong rows")
def _(lab):
    a, b, w, p, c = begin(lab)
    lrp(lab, a, 1400, "ip4.src == %s" % c[0]["ip"], [nth(lab.transit, 77)], {"x": "y"})
    lrp(lab, a, 1400, "ip6.src == %s" % c[0]["ip6"], [nth(lab.v6["transit"], 77)], {"x": "y"})
    return calls(P(c[0]), p[1], "t") + calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), c[0], "t") + calls(P(p[0]), "server", "t")


@fault("router-policy-reroute-reply", "a policy of the cluster router reroutes what a server's pod answers to another node", "wrong rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    lrp(lab, b, 1400, "ip4.src == %s && ip4.dst == %s" % (p[1]["ip"], a.subnet), [w.transit], {"x": "y"})
    lrp(lab, b, 1400, "ip6.src == %s && ip6.dst == %s" % (p[1]["ip6"], a.subnet6), [nth(lab.v6["transit"], 77)], {"x": "y"})
    return calls(P(c[0]), p[1], "tup") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[2]), p[1], "t")


# ---- rows -------------------------------------------------------------------------------------------------------
@fault("transit-route-wrong-reply", "the other node's zone routes the pods' network to the third node", "wrong rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for pfx, via, wrong in ((a.subnet, a.transit, w.transit), (a.subnet6, a.transit6, w.transit6)):
        b.nb("lr-route-del", CR, pfx)
        lab.undoable("nb", b.name, ["--may-exist", "lr-route-add", CR, pfx, via])
        b.nb("lr-route-add", CR, pfx, wrong)
        lab.undoable("nb", b.name, ["lr-route-del", CR, pfx])
    return calls(P(c[0]), p[1], "tp") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[2]), p[1], "t")


@fault("transit-route-blackhole-reply", "the other node's zone discards what goes to the pods' network", "wrong rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for pfx, via in ((a.subnet, a.transit), (a.subnet6, a.transit6)):
        b.nb("lr-route-del", CR, pfx)
        lab.undoable("nb", b.name, ["--may-exist", "lr-route-add", CR, pfx, via])
        b.nb("lr-route-add", CR, pfx, "discard")
        lab.undoable("nb", b.name, ["lr-route-del", CR, pfx])
    return calls(P(c[0]), p[1], "tu") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[2]), p[1], "t")


@fault("gr-return-route-wrong", "a gateway router routes the pods to an address of the join network that nobody has", "wrong rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for pfx, via, wrong in ((lab.cluster, nth(lab.join, 1), nth(lab.join, 99)), (lab.v6["cluster"], nth(lab.v6["join"], 1), nth(lab.v6["join"], 99))):
        a.nb("lr-route-del", a.gr, pfx)
        lab.undoable("nb", a.name, ["--may-exist", "lr-route-add", a.gr, pfx, via])
        a.nb("lr-route-add", a.gr, pfx, wrong)
        lab.undoable("nb", a.name, ["lr-route-del", a.gr, pfx])
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t")


@fault("lsp-address-other-reply", "OVN has another MAC for the client's port than its interface, without port security", "wrong rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    q = c[0]
    wrong, right = (" ".join([m, q["ip"], q["ip6"]]) for m in ("0a:58:00:00:00:99", q["mac"]))
    a.nb("set", "logical_switch_port", q["key"], 'addresses="%s"' % wrong, "port_security=[]")
    lab.undoable("ns", p[0]["netns"], ["ip", "neigh", "flush", "dev", "eth0"])      # it has learned the wrong MAC
    lab.undoable("nb", a.name, ["set", "logical_switch_port", q["key"], 'addresses="%s"' % right, 'port_security="%s"' % right])
    return calls(P(q), p[1], "tp") + calls(P(q), p[1], "t", six=True) + calls(P(q), "server", "t") + calls(P(q), p[0], "t")


@fault("cluster-port-disabled", "the cluster router's port to a node's switch is disabled", "wrong rows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.nb("set", "logical_router_port", "rtos-" + a.name, "enabled=false")
    lab.undoable("nb", a.name, ["clear", "logical_router_port", "rtos-" + a.name, "enabled"])
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[0], "t") + calls(P(c[0]), p[1], "t", six=True)


@fault("gateway-mtu", "the gateway router's port has a gateway_mtu", "packet size")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.nb("set", "logical_router_port", "rtoe-" + a.gr, "options:gateway_mtu=1200")
    lab.undoable("nb", a.name, ["remove", "logical_router_port", "rtoe-" + a.gr, "options", "gateway_mtu"])
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "p", size=1300) + calls(P(p[0]), "server", "p", size=1300, six=True) + calls(P(c[0]), "server", "p", size=1100)


@fault("nat-exempted", "a pod's SNAT of its gateway router exempts the server", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = a.nb("create", "address_set", "name=spared", 'addresses="%s"' % lab.server["ip"]).strip()
    lab.undoable("nb", a.name, ["destroy", "address_set", s])
    u = a.nb("--bare", "--columns=_uuid", "find", "nat", 'logical_ip="%s"' % c[0]["ip"], "type=snat").split()[0]
    a.nb("set", "nat", u, "exempted_ext_ips=" + s)
    lab.undoable("nb", a.name, ["clear", "nat", u, "exempted_ext_ips"])
    return calls(P(c[0]), "server", "tu") + calls(P(p[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True)


@fault("service-dead-backend", "a service's backends: one is a port that no pod has, one lives", "services")
def _(lab):
    from faults import udp_service
    a, b, w, p, c = begin(lab)
    vip, port, change = udp_service(lab, [dict(p[1], ip=nth(b.subnet, 177))])
    return calls(P(c[0]), vip, "u", port=port) + calls(P(c[1]), vip, "u", port=port) + calls(host(a.name), vip, "u", port=port)


@fault("service-v6-empty", "an IPv6 service without backends is refused", "services")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.c["plain_service"]
    vip = str(ipaddress.ip_address(lab.v6["clusterip"]) + 9)
    full = "Service_%s/hollow_TCP_cluster" % s["namespace"]
    service_lb(lab, dict(s, name="hollow"), full, None, None, [(n, full, {hostport(vip, 80): []}, [("load_balancer_group", group(n, "clusterLBGroup"), "load_balancer")], {}) for n in lab.nodes])
    full2 = "Service_%s/full6_TCP_cluster" % s["namespace"]
    vip2 = str(ipaddress.ip_address(lab.v6["clusterip"]) + 10)
    service_lb(lab, dict(s, name="full6"), full2, None, None, [(n, full2, {hostport(vip2, 80): [hostport(p[1]["ip6"], 8080)]}, [("load_balancer_group", group(n, "clusterLBGroup"), "load_balancer")], {}) for n in lab.nodes])
    return calls(P(c[0]), vip, "t", port=80, six=True) + calls(P(c[0]), vip2, "t", port=80, six=True)


# ---- bridges ---------------------------------------------------------------------------------------------------------
@fault("uplink-vlan-tag", "the uplink of br-ex is in a VLAN of its own (tag)", "bridges", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    nic = lab.c["nic"]
    late(lab, at, lab, a, "ovs-vsctl set port %s tag=77" % nic, "ovs-vsctl clear port %s tag" % nic)
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t") + calls(host(a.name), "server", "t") + calls(SERVER, a, "t")


@fault("local-vlan-tag", "the LOCAL port of br-ex is in a VLAN of its own (tag)", "bridges", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ovs-vsctl set port br-ex tag=77", "ovs-vsctl clear port br-ex tag")
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), p[0], "t") + calls(host(a.name), "server", "t") + calls(SERVER, a, "t")


@fault("fdb-static-wrong", "br-ex has a static FDB entry of the router's MAC at the wrong port", "bridges")
def _(lab):
    a, b, w, p, c = begin(lab)
    mac = lambda: json.loads(lab.ip(lab.ns_router, "-j", "link", "show", a.router_if))[0]["address"]
    late(lab, lambda: at(lab, a, ["ovs-appctl", "fdb/add", "br-ex", "br-ex", "0", mac()], ["ovs-appctl", "fdb/del", "br-ex", "0", mac()]))
    return calls(P(c[0]), "server", "t") + calls(host(a.name), "server", "t") + calls(P(c[0]), p[2], "t") + calls(SERVER, a, "t")


@fault("bridge-secure-no-flows", "br-ex is fail_mode secure and has no flows", "bridges")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ovs-vsctl set-fail-mode br-ex secure", "ovs-vsctl set-fail-mode br-ex standalone")
    late(lab, a.run, "ovs-ofctl", "del-flows", "br-ex")
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), p[0], "t") + calls(host(a.name), "server", "t", six=True)


@fault("tunnel-port-other-udp", "a node's tunnel port sends to another UDP port", "tunnel blocked")
def _(lab):
    a, b, w, p, c = begin(lab)
    stop_controller_first(lab, a)
    t = tunnel_port(lab, a, b)
    late(lab, at, lab, a, "ovs-vsctl set interface %s options:dst_port=6082" % t, "ovs-vsctl remove interface %s options dst_port" % t)
    late(lab, time.sleep, 0.5)
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[2], "t") + calls(P(c[0]), p[1], "t", six=True)


@fault("tunnel-local-ip-wrong", "a node's tunnel port has a local_ip that no device has", "tunnel blocked")
def _(lab):
    a, b, w, p, c = begin(lab)
    stop_controller_first(lab, a)
    t = tunnel_port(lab, a, b)
    late(lab, at, lab, a, "ovs-vsctl set interface %s options:local_ip=%s" % (t, nth(str(a.underlay), 222)), "ovs-vsctl remove interface %s options local_ip" % t)
    late(lab, time.sleep, 0.5)
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[2], "t")


@fault("tunnel-csum-healthy", "a node's tunnel port has csum=false and the other true", "tunnel blocked", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    stop_controller_first(lab, a)
    t = tunnel_port(lab, a, b)
    late(lab, at, lab, a, "ovs-vsctl set interface %s options:csum=false" % t, "ovs-vsctl set interface %s options:csum=true" % t)
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t")


@fault("tunnel-vni-key-wrong", "a zone has another tunnel key for the transit switch than the others", "wrong rows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for n, k in ((a, 4077),):
        n.nb("set", "logical_switch", "transit_switch", "other_config:requested-tnl-key=%d" % k)
        lab.undoable("nb", n.name, ["set", "logical_switch", "transit_switch", "other_config:requested-tnl-key=%d" % topology.TRANSIT_KEY])
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[1]), p[2], "t")


# ---- devices --------------------------------------------------------------------------------------------------------
@fault("server-arp-off", "the server's device has ARP off: it neither asks nor answers", "neighbours", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server["if"]
    late(lab, at, lab, "server", "ip link set %s arp off" % s, "ip link set %s arp on" % s)
    late(lab, at, lab, "server", "ip neigh flush dev " + s)
    late(lab, at, lab, "router", "ip neigh flush dev " + lab.router["outside_if"])
    late(lab, lab.nsx, lab.ns_router, "ping", "-n", "-c", "1", "-W", "1", lab.server["ip"], check=False)
    late(lab, lab.nsx, lab.ns_router, "ping", "-n", "-c", "1", "-W", "1", lab.v6["server"], check=False)
    return calls(P(c[0]), "server", "t", timeout=6) + calls(P(c[0]), "server", "t", six=True, timeout=6) + calls(SERVER, a, "t")


@fault("server-mac-changed", "the server's MAC changed; the router's neighbour entry is permanent and has the old one", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server["if"]
    old = json.loads(lab.ip(lab.ns_server, "-j", "link", "show", s))[0]["address"]
    neigh(lab, "router", lab.server["ip"], old, lab.router["outside_if"])
    neigh(lab, "router", lab.v6["server"], old, lab.router["outside_if"])
    late(lab, at, lab, "server", "ip link set %s address 52:54:00:77:77:77" % s, "ip link set %s address %s" % (s, old))
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("node-mac-changed", "br-ex of a node has another MAC than its gateway router", "neighbours", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ip link set br-ex address 52:54:00:77:77:78", "ip link set br-ex address " + a.mac)
    return calls(host(a.name), "server", "t") + calls(SERVER, a, "t") + calls(P(c[0]), "server", "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), a, "t")


@fault("server-wrong-netmask", "the server has an address with a netmask that covers the nodes", "routes", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server
    def go():
        lab.undoable("ns", lab.ns_server, ["sh", "-c", "ip addr flush dev %s scope global; ip addr add %s/24 brd + dev %s; ip -6 addr add %s/64 dev %s nodad; ip route replace default via %s; ip -6 route replace default via %s" % (
            s["if"], s["ip"], s["if"], lab.v6["server"], s["if"], lab.router["outside_ip"], lab.v6["router_out"])])
        at(lab, "server", "ip addr add %s/8 dev %s" % (nth(str(a.underlay), 240), s["if"]))
    late(lab, go)
    return calls(P(c[0]), "server", "t", timeout=6) + calls(P(c[2]), "server", "t", timeout=6) + calls(P(c[0]), "server", "t", six=True)


@fault("server-address-deprecated", "the server's IPv6 address is deprecated: taken all the same", "host switches", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server["if"]
    late(lab, at, lab, "server", "ip -6 addr change %s/64 dev %s preferred_lft 0 valid_lft forever" % (lab.v6["server"], s),
         "ip -6 addr change %s/64 dev %s preferred_lft forever valid_lft forever" % (lab.v6["server"], s))
    return calls(P(c[0]), "server", "tp", six=True) + calls(P(c[0]), "server", "t")


@fault("server-address-duplicate", "duplicate address detection failed for the server's IPv6 address", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    s, o, ip6 = lab.server["if"], lab.router["outside_if"], lab.v6["server"]
    def go():
        lab.undoable("ns", lab.ns_server, ["sh", "-c", "ip -6 addr del %s/64 dev %s; ip -6 addr add %s/64 dev %s nodad; ip -6 route replace default via %s" % (ip6, s, ip6, s, lab.v6["router_out"])])
        lab.nsx(lab.ns_server, "ip", "-6", "addr", "del", ip6 + "/64", "dev", s)
        lab.nsx(lab.ns_router, "ip", "-6", "addr", "add", ip6 + "/128", "dev", o, "nodad")
        lab.nsx(lab.ns_server, "ip", "-6", "addr", "add", ip6 + "/64", "dev", s)
        time.sleep(2.5)
        lab.nsx(lab.ns_router, "ip", "-6", "addr", "del", ip6 + "/128", "dev", o)
    late(lab, go)
    late(lab, at, lab, "router", "ip -6 neigh flush dev " + o)
    late(lab, lab.nsx, lab.ns_router, "ping", "-n", "-c", "1", "-W", "1", ip6, check=False)
    return calls(P(c[0]), "server", "t", six=True, timeout=6) + calls(P(c[0]), "server", "t")


@fault("server-echo-ignored", "the server ignores echo requests", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    switch(lab, "server", "net.ipv4.icmp_echo_ignore_all", 1)
    switch(lab, "server", "net.ipv6.icmp.echo_ignore_all", 1)
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "p", six=True)


@fault("node-ttl-small", "the server's default TTL is 1", "host switches", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    switch(lab, "server", "net.ipv4.ip_default_ttl", 1)
    return calls(P(c[0]), "server", "tu") + calls(host(a.name), "server", "t") + calls(P(c[0]), "server", "t", six=True)


# ---- policy routing ------------------------------------------------------------------------------------------------------
@fault("router-rule-hijack", "a rule of lower preference takes one node's packets to a table with a gateway that nobody is", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    gw, gw6 = nth(lab.router["outside_cidr"], 250), str(ipaddress.ip_network(lab.v6["outside"])[250])
    for six, ip, g in ((0, a.ip, gw), (1, a.ip6, gw6)):
        both_ip(lab, "router", six, "rule add prio 50 from %s lookup 99" % ip, "rule del prio 50")
        both_ip(lab, "router", six, "route add default via %s dev %s table 99" % (g, lab.router["outside_if"]), "route flush table 99")
        late(lab, at, lab, "router", ["ip", "neigh", "replace", g, "lladdr", STRANGER, "dev", lab.router["outside_if"], "nud", "permanent"], ["ip", "neigh", "del", g, "dev", lab.router["outside_if"]])
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t") + calls(P(c[0]), p[2], "t")


@fault("router-mark-hijack", "the router marks what the server answers and routes the mark into a blackhole", "routes", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for t, six in (("iptables", 0), ("ip6tables", 1)):
        rule(lab, "router", "PREROUTING -i %s -p tcp -j MARK --set-mark 0x5" % lab.router["outside_if"], tool=t, table="mangle")
        both_ip(lab, "router", six, "rule add prio 60 fwmark 0x5/0xf lookup 98", "rule del prio 60")
        both_ip(lab, "router", six, "route add blackhole default table 98", "route flush table 98")
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[2], "t")


@fault("router-throw-healthy", "a table with a throw route goes on to main", "routes", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    for six, net, dst in ((0, lab.router["outside_cidr"], "0.0.0.0/0"), (1, lab.v6["outside"], "::/0")):
        both_ip(lab, "router", six, "rule add prio 50 lookup 97", "rule del prio 50")
        both_ip(lab, "router", six, "route add throw default table 97", "route flush table 97")
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[2], "t")


@fault("router-suppress", "rules with suppress_prefixlength: the default route alone is suppressed, then a table without routes prohibits", "routes", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for six in (0, 1):
        both_ip(lab, "router", six, "rule add prio 40 iif %s lookup main suppress_prefixlength 24" % lab.router["outside_if"] if not six else
                "rule add prio 40 iif %s lookup main suppress_prefixlength 64" % lab.router["outside_if"], "rule del prio 40")
        both_ip(lab, "router", six, "rule add prio 41 iif %s prohibit" % lab.router["outside_if"], "rule del prio 41")
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True)


@fault("server-source-rule", "the server's rule for what it sends from its address leads to a table with an unreachable default", "routes", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for six, ip in ((0, lab.server["ip"]), (1, lab.v6["server"])):
        both_ip(lab, "server", six, "rule add prio 70 from %s lookup 96" % ip, "rule del prio 70")
        both_ip(lab, "server", six, "route add unreachable default table 96", "route flush table 96")
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("server-sport-rule", "the server's rule for the source port leads into a blackhole", "routes", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    port = lab.server["ports"][0]
    for six in (0, 1):
        both_ip(lab, "server", six, "rule add prio 70 ipproto tcp sport %d blackhole" % port, "rule del prio 70")
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), "server", "t", port=lab.server["ports"][1])


@fault("router-ecmp-half-dead", "the router has two next hops to the server's network; one is nobody", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    s, o = lab.server["ip"], lab.router["outside_if"]
    gw = nth(lab.router["outside_cidr"], 250)
    late(lab, at, lab, "router", "ip route add %s/32 nexthop via %s dev %s nexthop via %s dev %s" % (s, s, o, gw, o), "ip route del %s/32" % s)
    late(lab, at, lab, "router", ["ip", "neigh", "replace", gw, "lladdr", STRANGER, "dev", o, "nud", "permanent"], ["ip", "neigh", "del", gw, "dev", o])
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), "server", "t") + calls(P(c[2]), "server", "t") + calls(P(p[0]), "server", "u")


@fault("router-metric-wins", "a route of better metric to the server leads to nobody", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    gw6 = str(ipaddress.ip_network(lab.v6["outside"])[250])
    o = lab.router["outside_if"]
    late(lab, at, lab, "router", "ip -6 route add %s via %s dev %s metric 10" % (lab.v6["outside"], gw6, o), "ip -6 route del %s via %s dev %s metric 10" % (lab.v6["outside"], gw6, o))
    late(lab, at, lab, "router", ["ip", "neigh", "replace", gw6, "lladdr", STRANGER, "dev", o, "nud", "permanent"], ["ip", "neigh", "del", gw6, "dev", o])
    return calls(P(c[0]), "server", "tp", six=True) + calls(P(c[0]), "server", "t")


# ---- netfilter ---------------------------------------------------------------------------------------------------------
@fault("router-set-missing-element", "the router's set of friends lacks one node", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", """ set friends { type ipv4_addr; flags interval; elements = { %s, %s } }
 set friends6 { type ipv6_addr; elements = { %s, %s } }
 chain across { type filter hook forward priority 0; policy drop; ct state established,related accept; ip saddr @friends accept; ip6 saddr @friends6 accept; oifname != "%s" iifname != "%s" accept; ip saddr %s accept; ip6 saddr %s accept; }""" % (
        b.ip, w.ip, b.ip6, w.ip6, lab.router["outside_if"], lab.router["outside_if"], lab.server["ip"], lab.v6["server"]))
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t") + calls(P(c[2]), "server", "t", six=True) + calls(SERVER, a, "t") + calls(P(c[0]), p[2], "t")


@fault("router-set-timeout", "the router's set has an element with a timeout that drops one node", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", """ set banned { type ipv4_addr; flags timeout; elements = { %s timeout 1h } }
 chain across { type filter hook forward priority 0; policy accept; ip saddr @banned tcp dport %d counter drop; }""" % (a.ip, lab.server["ports"][0]))
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("router-set-dynamic", "the router's rule adds what it saw to a set and drops the second connection", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", """ set seen { type ipv4_addr; size 128; flags dynamic,timeout; timeout 1m; }
 chain across { type filter hook forward priority 0; policy accept; ip saddr %s tcp dport %d ct state new add @seen { ip saddr limit rate over 1/hour burst 1 packets } counter drop; }""" % (a.ip, lab.server["ports"][1]))
    return calls(P(c[1]), "server", "t", port=lab.server["ports"][1]) + calls(P(c[0]), "server", "t")


@fault("router-vmap", "the router decides by a verdict map of ports and protocols", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server["ports"]
    nft(lab, "router", "inet", "edge", """ map fate { type inet_proto . inet_service : verdict; elements = { tcp . %d : drop, udp . %d : accept, tcp . %d : jump say_no } }
 chain say_no { reject with tcp reset; }
 chain across { type filter hook forward priority 0; policy accept; meta l4proto . th dport vmap @fate; }""" % (s[0], s[0], s[1]))
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", port=s[1]) + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), "server", "t", port=s[1], six=True) + calls(P(c[0]), p[2], "t")


@fault("router-invalid-asymmetric", "the router drops invalid packets and sees only the replies of one node", "connection state", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", """ chain pre { type filter hook prerouting priority raw; ip saddr %s tcp dport %d notrack; ip6 saddr %s tcp dport %d notrack; }
 chain across { type filter hook forward priority 0; policy accept; iifname "%s" ct state invalid counter drop; iifname "%s" ct state new tcp flags & (syn|ack) == syn|ack counter drop; }""" % (
        a.ip, lab.server["ports"][0], a.ip6, lab.server["ports"][0], lab.router["outside_if"], lab.router["outside_if"]))
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t") + calls(P(c[0]), "server", "t", port=lab.server["ports"][1])


@fault("server-output-drop6", "the server's firewall drops its IPv6 replies alone", "firewalls", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "server", "OUTPUT -p tcp -m tcp --sport %d -m conntrack --ctstate ESTABLISHED -j DROP" % lab.server["ports"][0], tool="ip6tables")
    return calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), "server", "t") + calls(P(c[2]), "server", "tu", six=True)


@fault("server-tproxy", "the server's TPROXY rule sends a port to a socket that nobody has", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "server", "PREROUTING -p tcp -m tcp --dport %d -j TPROXY --on-port 15001 --tproxy-mark 0x1/0x1" % lab.server["ports"][0], table="mangle")
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", port=lab.server["ports"][1])


@fault("router-connlimit", "the router drops by length, TTL and owner of packets", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "FORWARD -p tcp -s %s -m ttl --ttl-gt 10 -m length --length 40:100 -m tcp --syn -j DROP" % a.ip)
    rule(lab, "router", "FORWARD -p tcp -s %s -m hl --hl-lt 10 -j DROP" % a.ip6, tool="ip6tables")
    rule(lab, "router", "FORWARD -p udp -s %s -m iprange --dst-range %s-%s -j DROP" % (b.ip, lab.server["ip"], lab.server["ip"]))
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "tu")


@fault("router-tcp-mss", "the router drops by TCP options and clamps", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "FORWARD -s %s -p tcp -m tcp --tcp-flags SYN,RST SYN -m tcpmss --mss 1000:1400 -j DROP" % a.ip)
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), "server", "t")


@fault("router-statistic", "the router drops every second packet by the statistic match", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "FORWARD -s %s -p tcp -m tcp --syn -m statistic --mode nth --every 2 --packet 0 -j REJECT" % a.ip)
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), "server", "t")


@fault("router-postrouting-drop-reply", "mangle POSTROUTING of the router drops replies", "firewalls", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for t, ip in (("iptables", a.ip), ("ip6tables", a.ip6)):
        rule(lab, "router", "POSTROUTING -d %s -p tcp -m conntrack --ctdir REPLY -j DROP" % ip, table="mangle", tool=t)
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(SERVER, a, "t") + calls(P(c[1]), "server", "t", six=True)


@fault("router-snat-reply-elsewhere", "the router translates what a node sends to an address that is routed elsewhere", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "POSTROUTING -s %s -o %s -j SNAT --to-source %s" % (a.ip, lab.router["outside_if"], "203.0.113.77"), table="nat")
    rule(lab, "router", "POSTROUTING -s %s -o %s -j SNAT --to-source %s" % (a.ip6, lab.router["outside_if"], "2001:db8:77::1"), table="nat", tool="ip6tables")
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t")


# ---- sizes of replies ------------------------------------------------------------------------------------------------------
@fault("path-mtu-reply", "the link from the router to a rack is smaller: replies of the server do not fit", "packet size", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1300" % a.router_if, "ip link set %s mtu 1500" % a.router_if)
    return calls(P(c[0]), "server", "p", size=1340) + calls(P(c[1]), "server", "p", size=1340, six=True) + calls(P(c[0]), "server", "t") + calls(P(c[0]), p[2], "p", size=1240, six=True)


@fault("path-mtu-reply-blackhole", "the link from the router to a rack is smaller, and its errors to the server are dropped", "packet size", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1300" % a.router_if, "ip link set %s mtu 1500" % a.router_if)
    rule(lab, "router", "OUTPUT -p icmp -m icmp --icmp-type fragmentation-needed -j DROP")
    rule(lab, "router", "OUTPUT -p ipv6-icmp -m icmp6 --icmpv6-type packet-too-big -j DROP", tool="ip6tables")
    return calls(P(c[0]), "server", "p", size=1340) + calls(P(c[1]), "server", "p", size=1340, six=True) + calls(P(c[0]), "server", "t", six=True)


# ---- local gateway mode, IPv6 and reply ------------------------------------------------------------------------------------------
@fault("lgw-notrack-reply", "local gateway mode: a node does not track what the server answers", "connection state", "reply")
def _(lab):
    a, b, w, p, c = lgw(lab)
    nft(lab, a, "ip", "skip", " chain pre { type filter hook prerouting priority raw; iifname br-ex ip saddr %s notrack; }" % lab.server["ip"])
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("lgw-rule-hijack-reply", "local gateway mode: a rule takes what goes to a node's pods to another device", "routes", "reply")
def _(lab):
    a, b, w, p, c = lgw(lab)
    spare_device(lab, a)
    late(lab, at, lab, a, "ip rule add prio 20 to %s iif br-ex lookup 95" % a.subnet, "ip rule del prio 20")
    late(lab, at, lab, a, "ip route add default dev dmz0 table 95", "ip route flush table 95")
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t") + calls(host(a.name), p[0], "t")


# ---- what no dump may say ---------------------------------------------------------------------------------------------------------
@fault("node-policing", "the pod's interface polices what the pod sends", "bridges", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ovs-vsctl set interface %s ingress_policing_rate=100000 ingress_policing_burst=10000" % c[0]["veth"], "ovs-vsctl set interface %s ingress_policing_rate=0 ingress_policing_burst=0" % c[0]["veth"])
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), p[1], "t")


@fault("qos-meter", "a QoS rule of OVN limits a pod to almost nothing", "bridges")
def _(lab):
    a, b, w, p, c = begin(lab)
    lab.nb_row(a, "qos", ["priority=100", "direction=from-lport", 'match="inport == \\"%s\\""' % c[0]["key"], "bandwidth:rate=1", "bandwidth:burst=1"], [("logical_switch", a.name, "qos_rules")])
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), p[1], "p", size=1000) + calls(P(p[0]), "server", "t")
