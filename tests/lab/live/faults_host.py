"""Faults of links and neighbours, host switches, routes, firewalls, and of the rows and flows of OVN and Open vSwitch."""
import re
from faults import *
import topology


# ---- links and neighbours --------------------------------------------------------------------------
STRANGER = "02:00:5e:00:53:02"


@fault("neighbour-wrong-at-router", "the router's permanent neighbour entry of a node has a stranger's MAC", "neighbours", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    neigh(lab, "router", a.ip, STRANGER, a.router_if)
    neigh(lab, "router", a.ip6, STRANGER, a.router_if)
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[2]), p[0], "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[2], "t")


@fault("neighbour-wrong-at-server", "the server's permanent neighbour entry of the router has a stranger's MAC", "neighbours", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    neigh(lab, "server", lab.router["outside_ip"], STRANGER, lab.server["if"])
    neigh(lab, "server", lab.v6["router_out"], STRANGER, lab.server["if"])
    return calls(P(c[0]), "server", "tp") + calls(P(c[2]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("neighbour-wrong-server-at-router", "the router's permanent neighbour entry of the server has a stranger's MAC", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    neigh(lab, "router", lab.server["ip"], STRANGER, lab.router["outside_if"])
    neigh(lab, "router", lab.v6["server"], STRANGER, lab.router["outside_if"])
    return calls(P(c[0]), "server", "t") + calls(P(c[2]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("neighbour-wrong-at-host", "a node's own neighbour entry of the router has a stranger's MAC; OVN has the right one", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    neigh(lab, a, a.router_ip, STRANGER, "br-ex")
    return calls(host(a.name), "server", "t") + calls(P(c[0]), "server", "t") + calls(SERVER, a, "t") + calls(host(a.name), "server", "t", six=True)


@fault("arp-ignore-server", "the server answers no ARP request (arp_ignore 8): the router's neighbour entry fails", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    neigh(lab, "server", lab.router["outside_ip"], lab.mac("router-out"), lab.server["if"])      # or the router would learn from its requests
    switch(lab, "server", "net.ipv4.conf.%s.arp_ignore" % lab.server["if"], 8)
    late(lab, at, lab, "router", "ip neigh flush dev " + lab.router["outside_if"])
    late(lab, lab.nsx, lab.ns_router, "ping", "-n", "-c", "1", "-W", "1", lab.server["ip"], check=False)
    return calls(P(c[0]), "server", "t", timeout=6) + calls(host(a.name), "server", "t", timeout=6) + calls(P(c[2]), "server", "t", six=True)


@fault("nd-blocked-server", "the server's ip6tables drop neighbour solicitations: the router's neighbour entry fails", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    neigh(lab, "server", lab.v6["router_out"], lab.mac("router-out"), lab.server["if"])
    rule(lab, "server", "INPUT -p ipv6-icmp -m icmp6 --icmpv6-type neighbour-solicitation -j DROP", tool="ip6tables")
    late(lab, at, lab, "router", "ip neigh flush dev " + lab.router["outside_if"])
    late(lab, lab.nsx, lab.ns_router, "ping", "-n", "-c", "1", "-W", "1", lab.v6["server"], check=False)
    return calls(P(c[0]), "server", "t", six=True, timeout=6) + calls(P(c[0]), "server", "t")


@fault("duplicate-address-rack", "a stranger in a node's rack has the node's address and the router believes it", "neighbours", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    ns = lab.prefix + "-stray"
    def go():
        lab.add_ns(ns)
        lab.veth(lab.ns_underlay, "p-stray", ns, "eth0", mac_b=STRANGER)
        lab.ip(lab.ns_underlay, "link", "set", "p-stray", "master", w.bridge)
        lab.ip(ns, "addr", "add", "%s/%d" % (w.ip, w.plen), "dev", "eth0")
        lab.undoable("ns", lab.ns_router, ["ip", "neigh", "flush", "dev", w.router_if])
        lab.undoable("ns", lab.ns_underlay, ["ip", "netns", "del", ns])
        for _ in range(4):          # the kernel takes a new MAC for an entry once a second at most
            time.sleep(1.2)
            lab.nsx(ns, "python3", os.path.join(topology.HERE, "peer.py"), "announce", "eth0", w.ip, STRANGER)
            if STRANGER in lab.nsx(lab.ns_router, "ip", "neigh", "show", w.ip):
                break
        else:
            raise RuntimeError("the router does not believe the stranger")
        lab.state["namespaces"].remove(ns)
    late(lab, go)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[2]), "server", "u")


@fault("mac-binding-wrong", "OVN's MAC_Binding of the gateway router's next hop has a stranger's MAC", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        for ip in (a.router_ip, a.router_ip6):
            u = a.sb("--bare", "--columns=_uuid", "find", "mac_binding", "logical_port=rtoe-" + a.gr, 'ip="%s"' % ip).split()[0]
            old = a.sb("--bare", "get", "mac_binding", u, "mac").strip()
            a.sb("set", "mac_binding", u, 'mac="%s"' % STRANGER)
            lab.undoable("node", a.name, ["ovn-sbctl", "destroy", "mac_binding", u])
        time.sleep(1)
    late(lab, go)
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t") + calls(host(a.name), "server", "t")


@fault("static-mac-binding-wrong", "a Static_MAC_Binding of the gateway router's next hop has a stranger's MAC", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    for ip in (b.router_ip, b.router_ip6):
        u = b.nb("create", "static_mac_binding", "logical_port=rtoe-" + b.gr, 'ip="%s"' % ip, 'mac="%s"' % STRANGER, "override_dynamic_mac=true").strip()
        lab.undoable("nb", b.name, ["destroy", "static_mac_binding", u])
    return calls(P(c[1]), "server", "t") + calls(P(c[1]), "server", "t", six=True) + calls(P(c[0]), "server", "t")


@fault("pod-mac-differs", "OVN has another MAC for a pod than its interface: port security drops", "neighbours", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    q = p[0]
    wrong = " ".join(["0a:58:00:00:00:99", q["ip"], q["ip6"]])
    right = " ".join([q["mac"], q["ip"], q["ip6"]])
    a.nb("set", "logical_switch_port", q["key"], 'addresses="%s"' % wrong, 'port_security="%s"' % wrong)
    lab.undoable("nb", a.name, ["set", "logical_switch_port", q["key"], 'addresses="%s"' % right, 'port_security="%s"' % right])
    return calls(P(q), "server", "t") + calls(P(c[1]), q, "t") + calls(P(c[0]), q, "t", six=True)


@fault("port-security-lacks-v6", "a pod's port security lacks its IPv6 address", "wrong rows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    q = p[0]
    a.nb("set", "logical_switch_port", q["key"], 'port_security="%s %s"' % (q["mac"], q["ip"]))
    lab.undoable("nb", a.name, ["set", "logical_switch_port", q["key"], 'port_security="%s %s %s"' % (q["mac"], q["ip"], q["ip6"])])
    return calls(P(q), "server", "t") + calls(P(q), "server", "t", six=True) + calls(P(c[1]), q, "t", six=True)


# ---- host switches -----------------------------------------------------------------------------------
@fault("router-forwarding-off-inside", "the router does not forward what one device receives", "host switches", "request")
def _(lab):
    a, b, w, p, c = begin(lab)
    switch(lab, "router", "net.ipv4.conf.%s.forwarding" % a.router_if, 0)
    return calls(P(c[0]), "server", "t") + calls(P(c[2]), "server", "t") + calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[0]), "server", "t", six=True)


@fault("router-forwarding-off-outside", "the router does not forward what its outside device receives", "host switches", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    switch(lab, "router", "net.ipv4.conf.%s.forwarding" % lab.router["outside_if"], 0)
    return calls(P(c[0]), "server", "tp") + calls(SERVER, b, "t") + calls(P(c[0]), p[2], "t") + calls(P(c[0]), "server", "t", six=True)


@fault("router-forwarding6-off", "the router forwards no IPv6", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        at(lab, "router", "sysctl -qw net.ipv6.conf.all.forwarding=0", "sysctl -qw net.ipv6.conf.all.forwarding=1")
    late(lab, go)
    return calls(P(c[0]), "server", "t", six=True) + calls(P(c[2]), "server", "t", six=True) + calls(P(c[0]), "server", "t") + calls(P(c[0]), p[2], "t", six=True)


@fault("router-forwarding6-off-device", "net.ipv6.conf.DEVICE.forwarding of the router is 0 while all.forwarding is 1", "host switches", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    switch(lab, "router", "net.ipv6.conf.%s.forwarding" % a.router_if, 0)
    return calls(P(c[0]), "server", "t", six=True) + calls(P(c[2]), "server", "t", six=True)


@fault("server-rp-filter-strict", "strict rp_filter at the server: its route back leads elsewhere", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    elsewhere(lab, 1)
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t") + calls(P(c[0]), "server", "t", six=True)


@fault("server-rp-filter-loose", "loose rp_filter at the server: it takes the request and sends the reply elsewhere", "host switches", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    elsewhere(lab, 2)
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t") + calls(P(c[0]), "server", "t", six=True)


def elsewhere(lab, mode):
    """The server's routes to the first node lead into a device behind which nobody is."""
    a = lab.nodes[0]
    spare_device(lab, "server")
    switch(lab, "server", "net.ipv4.conf.%s.rp_filter" % lab.server["if"], mode)
    late(lab, at, lab, "server", "ip route add %s/32 via 198.18.5.77 dev dmz0" % a.ip)
    late(lab, at, lab, "server", "ip neigh replace 198.18.5.77 lladdr %s dev dmz0 nud permanent" % STRANGER)
    late(lab, at, lab, "server", "ip -6 route add %s/128 via fd00:dead::77 dev dmz0" % a.ip6)
    late(lab, at, lab, "server", "ip -6 neigh replace fd00:dead::77 lladdr %s dev dmz0 nud permanent" % STRANGER)


@fault("router-rp-filter-strict", "strict rp_filter at the router: a node's tunnel address is routed elsewhere", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    spare_device(lab, "router")
    switch(lab, "router", "net.ipv4.conf.%s.rp_filter" % a.router_if, 1)
    late(lab, at, lab, "router", "ip route add %s/32 dev dmz0" % a.ip)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[0]), "server", "t") + calls(P(c[1]), p[2], "t")


@fault("node-rp-filter-strict", "strict rp_filter on br-ex: the node's route to the server leads through the management port", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    switch(lab, a, "net.ipv4.conf.br-ex.rp_filter", 1)
    late(lab, at, lab, a, "ip route add %s/32 via %s dev ovn-k8s-mp0" % (lab.server["ip"], a.gw), "ip route del %s/32" % lab.server["ip"])
    return calls(SERVER, a, "t") + calls(SERVER, b, "t") + calls(P(c[0]), "server", "t")


@fault("server-disable-ipv6", "disable_ipv6 on the server's device", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server["if"]
    def go():
        at(lab, "server", "sysctl -qw net.ipv6.conf.%s.disable_ipv6=1" % s)
        lab.undoable("ns", lab.ns_server, ["sh", "-c", "sysctl -qw net.ipv6.conf.%s.disable_ipv6=0; ip -6 addr add %s/64 dev %s nodad; ip -6 route add default via %s" % (
            s, lab.v6["server"], s, lab.v6["router_out"])])
    late(lab, go)
    late(lab, at, lab, "router", "ip -6 neigh flush dev " + lab.router["outside_if"])
    late(lab, lab.nsx, lab.ns_router, "ping", "-n", "-c", "1", "-W", "1", lab.v6["server"], check=False)
    return calls(P(c[0]), "server", "t", six=True, timeout=6) + calls(P(c[0]), "server", "t")


@fault("router-disable-ipv6", "disable_ipv6 on the router's device to a rack", "host switches")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        at(lab, "router", "sysctl -qw net.ipv6.conf.%s.disable_ipv6=1" % w.router_if)
        lab.undoable("ns", lab.ns_router, ["sh", "-c", "sysctl -qw net.ipv6.conf.%s.disable_ipv6=0; ip -6 addr add %s/64 dev %s nodad" % (w.router_if, w.router_ip6, w.router_if)])
    late(lab, go)
    return calls(P(c[2]), "server", "t", six=True) + calls(P(c[2]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[2]), p[0], "t", six=True)


for _name, _kind, _what in (("prohibit", "prohibit", "an ICMP error"), ("unreachable", "unreachable", "an ICMP error"), ("blackhole", "blackhole", "nothing")):
    @fault("router-rule-" + _name, "the router's ip rule for a node's address is of type %s: the sender gets %s" % (_kind, _what), "routes")
    def _(lab, kind=_kind):
        a, b, w, p, c = begin(lab)
        late(lab, at, lab, "router", "ip rule add prio 90 from %s iif %s %s" % (a.ip, a.router_if, kind), "ip rule del prio 90")
        late(lab, at, lab, "router", "ip -6 rule add prio 90 from %s iif %s %s" % (a.ip6, a.router_if, kind), "ip -6 rule del prio 90")
        return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t")

    @fault("server-rule-" + _name, "the server's ip rule for replies to a node is of type %s" % _kind, "routes", "reply")
    def _(lab, kind=_kind):
        a, b, w, p, c = begin(lab)
        late(lab, at, lab, "server", "ip rule add prio 90 to %s %s" % (a.ip, kind), "ip rule del prio 90")
        late(lab, at, lab, "server", "ip -6 rule add prio 90 to %s %s" % (a.ip6, kind), "ip -6 rule del prio 90")
        return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t") + calls(SERVER, a, "t")


@fault("node-rule-unreachable", "a node's ip rule makes the server unreachable", "routes", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ip rule add prio 90 to %s unreachable" % lab.server["ip"], "ip rule del prio 90")
    return calls(host(a.name), "server", "t") + calls(SERVER, a, "t") + calls(P(c[0]), "server", "t")


@fault("router-blackhole-server", "blackhole routes to the server on the router", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip route add blackhole %s/32" % lab.server["ip"], "ip route del blackhole %s/32" % lab.server["ip"])
    late(lab, at, lab, "router", "ip -6 route add blackhole %s/128" % lab.v6["server"], "ip -6 route del blackhole %s/128" % lab.v6["server"])
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("router-prohibit-route", "prohibit routes to the server on the router", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip route add prohibit %s/32" % lab.server["ip"], "ip route del prohibit %s/32" % lab.server["ip"])
    late(lab, at, lab, "router", "ip -6 route add prohibit %s/128" % lab.v6["server"], "ip -6 route del prohibit %s/128" % lab.v6["server"])
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(host(b.name), "server", "t")


@fault("server-no-default-route", "the server has no default route", "routes", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "server", "ip route del default", "ip route add default via " + lab.router["outside_ip"])
    late(lab, at, lab, "server", "ip -6 route del default", "ip -6 route add default via " + lab.v6["router_out"])
    return calls(P(c[0]), "server", "tup") + calls(P(c[2]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("router-no-return-route", "the router lost the network of a rack", "routes", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip route del %s dev %s" % (w.underlay, w.router_if), "ip route add %s dev %s proto kernel scope link src %s" % (w.underlay, w.router_if, w.router_ip))
    return calls(P(c[2]), "server", "tu") + calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[2]), "server", "t", six=True)


# ---- firewalls ----------------------------------------------------------------------------------------
@fault("server-input-drop", "the server's own firewall drops the port", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    both(lab, "server", "INPUT -p tcp -m tcp --dport %d -j DROP" % lab.server["ports"][0])
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), "server", "t", port=lab.server["ports"][1])


@fault("server-input-reject", "the server's own firewall rejects the port", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "server", "INPUT -p tcp -m tcp --dport %d -j REJECT --reject-with tcp-reset" % lab.server["ports"][0])
    rule(lab, "server", "INPUT -p tcp -m tcp --dport %d -j REJECT --reject-with icmp6-adm-prohibited" % lab.server["ports"][0], tool="ip6tables")
    rule(lab, "server", "INPUT -p udp -j REJECT --reject-with icmp-port-unreachable")
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True)


@fault("server-output-drop", "the server's own firewall drops its replies", "firewalls", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    both(lab, "server", "OUTPUT -p tcp -m tcp --sport %d -j DROP" % lab.server["ports"][0])
    nft(lab, "server", "inet", "mute", " chain out { type filter hook output priority 5; policy accept; udp sport %d counter drop; }" % lab.server["ports"][0])
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True)


@fault("server-nft-input", "an nft input chain of the server with policy drop accepts one network", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "server", "inet", "guard", " set friends { type ipv4_addr; flags interval; elements = { %s } }\n chain in { type filter hook input priority 0; policy drop; ct state established,related accept; "
        "iif lo accept; meta l4proto ipv6-icmp accept; ip saddr @friends accept; ip6 saddr %s tcp dport %d accept; }" % (w.underlay, a.ip6, lab.server["ports"][0]))
    return calls(P(c[2]), "server", "tup") + calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[2]), "server", "t", six=True)


@fault("node-input-drop", "iptables INPUT of a node drops a port of the host", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    both(lab, a, "INPUT -p tcp -m tcp --dport 9100 -j DROP")
    return calls(SERVER, a, "tu") + calls(P(c[0]), a, "t") + calls(host(b.name), a, "t") + calls(host(b.name), a, "t", six=True) + calls(P(c[1]), a, "t")


@fault("node-output-drop", "iptables OUTPUT of a node drops the host's replies", "firewalls", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    both(lab, a, "OUTPUT -p tcp -m tcp --sport 9100 -j DROP")
    return calls(SERVER, a, "tu") + calls(P(c[0]), a, "t") + calls(host(b.name), a, "t", six=True)


@fault("node-egress-hook", "nft's egress hook on br-ex drops the host's own packets to the server; those of OVN do not meet it", "firewalls")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, a, "netdev", "guard", " chain out { type filter hook egress device \"br-ex\" priority 0; policy accept; ip daddr %s counter drop; }" % lab.server["ip"])
    return calls(host(a.name), "server", "t") + calls(P(c[0]), "server", "t") + calls(SERVER, a, "t") + calls(host(a.name), "server", "t", six=True)


@fault("router-forward-input-healthy", "the router has many rules, none of which matches", "firewalls", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "INPUT -p udp -m udp --dport 6081 -j DROP")
    rule(lab, "router", "OUTPUT -p udp -m udp --dport 6081 -j DROP")
    both(lab, "router", "FORWARD -p tcp -m tcp --dport 23 -j REJECT")
    rule(lab, "router", "FORWARD -s 100.127.9.0/24 -j DROP")
    nft(lab, "router", "inet", "edge", " chain across { type filter hook forward priority 10; policy accept; tcp dport { 25, 445 } drop; ip saddr 100.127.0.0/16 udp dport 6081 drop; }")
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), p[2], "tup") + calls(P(c[2]), p[1], "t", six=True) + calls(P(c[2]), "server", "t", six=True) + calls(SERVER, w, "t")


# ---- local gateway mode: pods leave through the host stack -------------------------------------------------
def lgw(lab):
    r = begin(lab)
    local_gateway(lab, lab.c["plain_service"])
    return r


@fault("lgw-healthy", "local gateway mode", "local gateway", healthy=True)
def _(lab):
    a, b, w, p, c = lgw(lab)
    return calls(P(c[0]), "server", "tup") + calls(P(c[2]), "server", "t") + calls(P(c[0]), p[1], "t")


@fault("lgw-forward-policy", "local gateway mode: a node's FORWARD rules for the management port are missing under policy DROP", "host switches")
def _(lab):
    a, b, w, p, c = lgw(lab)
    def go():
        for r in ("FORWARD -o ovn-k8s-mp0 -j ACCEPT", "FORWARD -i ovn-k8s-mp0 -j ACCEPT", "FORWARD -s %s -j ACCEPT" % lab.cluster, "FORWARD -d %s -j ACCEPT" % lab.cluster):
            at(lab, a, "iptables -D " + r, "iptables -I " + r)
    late(lab, go)
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("lgw-forward-policy-reply", "local gateway mode: a node's FORWARD chain accepts what leaves and drops what comes back", "host switches", "reply")
def _(lab):
    a, b, w, p, c = lgw(lab)
    rule(lab, a, "FORWARD -i br-ex -o ovn-k8s-mp0 -j DROP")
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("lgw-forwarding-off-mp0", "local gateway mode: the management port of a node does not forward", "host switches")
def _(lab):
    a, b, w, p, c = lgw(lab)
    switch(lab, a, "net.ipv4.conf.ovn-k8s-mp0.forwarding", 0)
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t") + calls(P(c[0]), a, "t")


@fault("lgw-forwarding-off-brex", "local gateway mode: br-ex of a node does not forward", "host switches", "reply")
def _(lab):
    a, b, w, p, c = lgw(lab)
    switch(lab, a, "net.ipv4.conf.br-ex.forwarding", 0)
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("lgw-masquerade-missing", "local gateway mode: a node lacks the masquerade rule of its pods", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = lgw(lab)
    late(lab, at, lab, a, "iptables -t nat -D POSTROUTING -s %s -j MASQUERADE" % a.subnet, "iptables -t nat -A POSTROUTING -s %s -j MASQUERADE" % a.subnet)
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("lgw-rp-filter-mp0", "local gateway mode: strict rp_filter on the management port while the pods' network is routed elsewhere", "host switches")
def _(lab):
    a, b, w, p, c = lgw(lab)
    spare_device(lab, a)
    switch(lab, a, "net.ipv4.conf.ovn-k8s-mp0.rp_filter", 1)
    late(lab, at, lab, a, "ip route add %s/32 dev dmz0" % c[0]["ip"])
    return calls(P(c[0]), "server", "t") + calls(P(p[0]), "server", "t")


@fault("lgw-rule-prohibit", "local gateway mode: a node's ip rule prohibits what its pods send to the server", "routes")
def _(lab):
    a, b, w, p, c = lgw(lab)
    late(lab, at, lab, a, "ip rule add prio 90 from %s to %s prohibit" % (a.subnet, lab.server["ip"]), "ip rule del prio 90")
    return calls(P(c[0]), "server", "tup") + calls(host(a.name), "server", "t") + calls(P(c[1]), "server", "t")


@fault("lgw-no-default-route", "local gateway mode: a node has no default route", "routes")
def _(lab):
    a, b, w, p, c = lgw(lab)
    late(lab, at, lab, a, "ip route del default", "ip route add default via %s dev br-ex proto static metric 48" % a.router_ip)
    return calls(P(c[0]), "server", "tu") + calls(host(a.name), "server", "t") + calls(P(c[1]), "server", "t")


@fault("lgw-notrack", "local gateway mode: a node does not track its pods' packets, so that they are not masqueraded", "connection state", "reply")
def _(lab):
    a, b, w, p, c = lgw(lab)
    nft(lab, a, "ip", "skip", " chain pre { type filter hook prerouting priority raw; iifname ovn-k8s-mp0 ip daddr %s notrack; }" % lab.server["ip"])
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


# ---- rows and flows ------------------------------------------------------------------------------------------
@fault("gr-snat-missing", "a gateway router lacks the SNAT of a pod: its address leaves the cluster", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    for ip, own in ((c[0]["ip"], a.ip), (c[0]["ip6"], a.ip6)):
        a.nb("lr-nat-del", a.gr, "snat", ip)
        lab.undoable("nb", a.name, ["--may-exist", "lr-nat-add", a.gr, "snat", own, ip])
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True) + calls(P(p[0]), "server", "t")


@fault("gr-snat-wrong-address", "a gateway router translates a pod to an address that nobody has", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.nb("lr-nat-del", a.gr, "snat", c[0]["ip"])
    a.nb("lr-nat-add", a.gr, "snat", "100.127.9.77", c[0]["ip"])
    lab.undoable("nb", a.name, ["--may-exist", "lr-nat-add", a.gr, "snat", a.ip, c[0]["ip"]])
    lab.undoable("nb", a.name, ["lr-nat-del", a.gr, "snat", c[0]["ip"]])
    return calls(P(c[0]), "server", "t") + calls(P(p[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True)


@fault("gr-snat-other-node", "a gateway router translates a pod to another node's address", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.nb("lr-nat-del", a.gr, "snat", c[0]["ip"])
    a.nb("lr-nat-add", a.gr, "snat", w.ip, c[0]["ip"])
    lab.undoable("nb", a.name, ["--may-exist", "lr-nat-add", a.gr, "snat", a.ip, c[0]["ip"]])
    lab.undoable("nb", a.name, ["lr-nat-del", a.gr, "snat", c[0]["ip"]])
    return calls(P(c[0]), "server", "tu") + calls(P(p[0]), "server", "t")


@fault("gr-default-route-missing", "a gateway router has no default route", "missing rows")
def _(lab):
    a, b, w, p, c = begin(lab)
    for pfx, via in (("0.0.0.0/0", a.router_ip), ("::/0", a.router_ip6)):
        a.nb("lr-route-del", a.gr, pfx)
        lab.undoable("nb", a.name, ["--may-exist", "lr-route-add", a.gr, pfx, via, "rtoe-" + a.gr])
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[1], "t")


@fault("gr-cluster-route-missing", "a gateway router has no route to the pods", "missing rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    joingw = nth(lab.join, 1)
    for pfx, via in ((lab.cluster, joingw), (lab.v6["cluster"], nth(lab.v6["join"], 1))):
        a.nb("lr-route-del", a.gr, pfx)
        lab.undoable("nb", a.name, ["--may-exist", "lr-route-add", a.gr, pfx, via])
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t")


@fault("cluster-route-by-source-missing", "the cluster router has no route by source to the gateway router", "missing rows")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.nb("--policy=src-ip", "lr-route-del", CR, lab.cluster, a.join)
    lab.undoable("nb", a.name, ["--policy=src-ip", "--may-exist", "lr-route-add", CR, lab.cluster, a.join])
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[1], "t")


@fault("transit-route-missing", "a zone has no route to another node's pods", "missing rows", "request")
def _(lab):
    a, b, w, p, c = begin(lab)
    transit_route(lab, a, b)
    return calls(P(c[0]), p[1], "tp", loops=True) + calls(P(c[0]), p[1], "t", six=True, loops=True) + calls(P(c[0]), p[2], "t")


@fault("transit-route-missing-reply", "the other node's zone has no route back to the pods", "missing rows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    transit_route(lab, b, a)
    return calls(P(c[0]), p[1], "tp", loops=True) + calls(P(c[0]), p[1], "t", six=True, loops=True) + calls(P(c[2]), p[1], "t")


def transit_route(lab, n, m):
    for pfx, via in ((m.subnet, m.transit), (m.subnet6, m.transit6)):
        n.nb("lr-route-del", CR, pfx)
        lab.undoable("nb", n.name, ["--may-exist", "lr-route-add", CR, pfx, via])


@fault("lrp-join-address-wrong", "the gateway router's join port has another address than the routes to it", "wrong NAT", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    r = "rtoj-" + a.gr
    old = [a.join + "/" + lab.join.split("/")[1], a.join6 + "/64"]
    a.nb("set", "logical_router_port", r, "networks=" + ",".join('"%s"' % x for x in [nth(lab.join, 99) + "/" + lab.join.split("/")[1], old[1]]))
    lab.undoable("nb", a.name, ["set", "logical_router_port", r, "networks=" + ",".join('"%s"' % x for x in old)])
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True)


@fault("lrp-transit-address-wrong", "a zone's own transit port has another address than the other zones' routes to it", "wrong NAT", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    r = "rtots-" + a.name
    nets = lambda x: "networks=" + ",".join('"%s"' % y for y in [x + "/" + lab.transit.split("/")[1], a.transit6 + "/64"])
    a.nb("set", "logical_router_port", r, nets(nth(lab.transit, 99)))
    lab.undoable("nb", a.name, ["set", "logical_router_port", r, nets(a.transit)])
    return calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "t", six=True)


@fault("lsp-disabled", "a pod's logical switch port is disabled", "wrong rows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.nb("lsp-set-enabled", p[0]["key"], "disabled")
    lab.undoable("nb", a.name, ["lsp-set-enabled", p[0]["key"], "enabled"])
    return calls(P(p[0]), "server", "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[0], "t", six=True)


@fault("lsp-missing", "a pod's logical switch port was deleted", "missing rows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    q = p[0]
    a.nb("lsp-del", q["key"])
    addr = " ".join([q["mac"], q["ip"], q["ip6"]])
    lab.undoable("nb", a.name, ["--may-exist", "lsp-add", a.name, q["key"], "--", "set", "logical_switch_port", q["key"], 'addresses="%s"' % addr, 'port_security="%s"' % addr,
                                "options:iface-id-ver=" + q["uid"], "options:requested-chassis=" + a.name, "external_ids:namespace=" + q["ns"], 'external_ids:pod="true"'])
    return calls(P(q), "server", "t") + calls(P(c[1]), q, "t")


@fault("acl-ingress-drop", "an ACL drops what comes to a pod", "policies", "request")
def _(lab):
    a, b, w, p, c = begin(lab)
    acl(lab, b, "to-lport", "drop", 'outport == "%s" && ip' % p[1]["key"])
    return calls(P(c[0]), p[1], "tu") + calls(P(c[0]), p[1], "t", six=True) + calls(P(p[1]), "server", "t")


@fault("acl-ingress-reject", "an ACL rejects what comes to a pod", "policies", "request")
def _(lab):
    a, b, w, p, c = begin(lab)
    acl(lab, b, "to-lport", "reject", 'outport == "%s" && ip' % p[1]["key"])
    return calls(P(c[0]), p[1], "tu") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[1]), p[1], "t")


def acl(lab, n, direction, action, match):
    return lab.nb_row(n, "acl", ["priority=1100", "direction=" + direction, "action=" + action, 'match="%s"' % match.replace('"', '\\"')], [("logical_switch", n.name, "acls")])


@fault("controller-stopped-acl", "ovn-controller stopped before an ACL was added: the flows still allow", "stale flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    stop_controller_first(lab, b)
    acl(lab, b, "to-lport", "drop", 'outport == "%s" && ip' % p[1]["key"])
    b.nb("--wait=sb", "sync")
    return calls(P(c[0]), p[1], "t") + calls(P(c[0]), p[1], "t", six=True)


@fault("controller-stopped-acl-removed", "ovn-controller stopped before an ACL was removed: the flows still drop", "stale flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    u = acl(lab, b, "to-lport", "drop", 'outport == "%s" && ip' % p[1]["key"])
    lab.sync()
    stop_controller_first(lab, b)
    b.nb("--wait=sb", "remove", "logical_switch", b.name, "acls", u)
    return calls(P(c[0]), p[1], "t") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), c[1], "t")


@fault("controller-stopped-snat", "ovn-controller stopped before a pod's SNAT changed: the flows have the old address", "stale flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    stop_controller_first(lab, a)
    a.nb("lr-nat-del", a.gr, "snat", c[0]["ip"])
    a.nb("--wait=sb", "lr-nat-add", a.gr, "snat", "100.127.9.77", c[0]["ip"])
    lab.undoable("nb", a.name, ["--may-exist", "lr-nat-add", a.gr, "snat", a.ip, c[0]["ip"]])
    lab.undoable("nb", a.name, ["lr-nat-del", a.gr, "snat", c[0]["ip"]])
    return calls(P(c[0]), "server", "tp") + calls(P(p[0]), "server", "t")


@fault("controller-stopped-backend", "ovn-controller stopped before a service changed its backend: the flows have the old one, which is gone", "stale flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    vip, port, change = udp_service(lab, [p[1]])
    lab.sync()
    stop_controller_first(lab, a)
    for n in lab.nodes:
        n.nb("--wait=sb", "set", "load_balancer", "Service_%s/meter_UDP_cluster" % lab.c["plain_service"]["namespace"], 'vips:"%s:%d"="%s"' % (vip, port, hostport(p[2]["ip"], p[2]["ports"][0])))
    late(lab, at, lab, b, "ip link set %s down" % p[1]["veth"], "ip link set %s up" % p[1]["veth"])
    return calls(P(c[0]), vip, "u", port=port) + calls(P(c[1]), vip, "u", port=port)


@fault("northd-stopped-route", "ovn-northd stopped before a route was added to the northbound database", "stale flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    for pfx, via in ((b.subnet, b.transit), (b.subnet6, b.transit6)):
        a.nb("lr-route-del", CR, pfx)
        lab.undoable("nb", a.name, ["--may-exist", "lr-route-add", CR, pfx, via])
    lab.sync()
    stop_northd_first(lab, a)
    for pfx, via in ((b.subnet, b.transit), (b.subnet6, b.transit6)):
        a.nb("lr-route-add", CR, pfx, via)
    return calls(P(c[0]), p[1], "t", loops=True) + calls(P(c[1]), p[0], "t", loops=True) + calls(P(c[0]), p[1], "t", six=True, loops=True)


@fault("flows-deleted-tunnel-input", "the flow of br-int that classifies a tunnel's packets was deleted", "missing flows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    del_flows(lab, a, "br-int", "table=0,in_port=" + a.ofport(tunnel_port(lab, a, b)))
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "tp") + calls(P(c[2]), p[0], "t")


@fault("flows-deleted-pod-output", "the flow of br-int that outputs to a pod's port was deleted", "missing flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    dp = lambda n: n.sb("--bare", "--columns=tunnel_key", "find", "datapath_binding", "external_ids:name=" + n.name).strip()
    key = a.sb("--bare", "--columns=tunnel_key", "find", "port_binding", "logical_port=" + p[0]["key"]).strip()
    out = [l for l in a.run("ovs-ofctl", "dump-flows", "br-int", "metadata=%s,reg15=%s" % (dp(a), key)).split("\n") if "actions=output:" in l]
    del_flows(lab, a, "br-int", "table=%s,metadata=%s,reg15=%s" % (re.search(r"table=(\d+)", out[0])[1], dp(a), key))
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[0], "t", six=True) + calls(P(p[0]), "server", "t") + calls(P(c[0]), "server", "t")


@fault("flows-deleted-routes", "the flows of br-int for one route were deleted", "missing flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    del_flows(lab, a, "br-int", "ip,nw_dst=" + b.subnet)
    return calls(P(c[0]), p[1], "t", loops=True) + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[1]), p[0], "t", loops=True)


@fault("flows-deleted-brex-return", "the flows of br-ex that bring replies back to OVN were deleted", "missing flows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    del_flows(lab, a, "br-ex", "table=1,ip,ct_mark=0x1")
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(SERVER, a, "t")


@fault("flows-deleted-brex-all", "br-ex has no flows", "missing flows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, a.run, "ovs-ofctl", "del-flows", "br-ex")
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), p[0], "t") + calls(SERVER, a, "t") + calls(host(a.name), "server", "t")


@fault("bridge-mapping-missing", "ovn-bridge-mappings is missing: no patch ports", "missing flows")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.vs("remove", "open_vswitch", ".", "external_ids", "ovn-bridge-mappings")
    lab.undoable("patch", a.name, [])
    lab.undoable("node", a.name, ["ovs-vsctl", "set", "open_vswitch", ".", "external_ids:ovn-bridge-mappings=physnet:br-ex"])
    time.sleep(1)
    return calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[1], "t") + calls(host(a.name), "server", "t")


# ---- healthy, of several kinds ------------------------------------------------------------------------------------
@fault("healthy-mixed", "every kind of call, nothing wrong", "healthy", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    out = []
    for x, y in ((0, 1), (1, 2), (2, 0)):
        for six in (False, True):
            out += calls(P(c[x]), p[y], "tup", six=six) + calls(P(c[x]), "server", "tup", six=six)
    for n in (a, b, w):
        out += calls(SERVER, n, "t") + calls(SERVER, n, "t", six=True) + calls(host(n.name), "server", "tup") + calls(host(n.name), "server", "t", six=True)
    return out + calls(P(c[0]), b, "t") + calls(P(c[0]), w, "t") + calls(P(c[1]), b, "t") + calls(host(a.name), w, "tup") + calls(host(a.name), p[0], "t") + calls(host(a.name), p[2], "t")


@fault("healthy-old-connections", "connections to everything are dumped and none of them matters", "healthy", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        for i, (who, to) in enumerate(((P(c[0]), p[1]), (P(c[2]), p[0]), (P(c[1]), p[2]))):
            earlier_call(lab, who, "tcp", to["ip"], to["ports"][0], 34000 + i)
            earlier_call(lab, who, "udp", lab.server["ip"], lab.server["ports"][0], 34010 + i)
        conntrack_dumps(lab)
    late(lab, go)
    return calls(P(c[0]), p[1], "tu", conntrack=True) + calls(P(c[2]), p[0], "t", conntrack=True) + calls(P(c[0]), "server", "tu", conntrack=True) + calls(host(a.name), "server", "t", conntrack=True)


@fault("healthy-service-udp", "a UDP service with backends on two nodes", "healthy", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    vip, port, _ = udp_service(lab, [p[1], p[2]])
    return [k for _ in range(3) for k in calls(P(c[0]), vip, "u", port=port)] + calls(P(c[0]), p[1], "u")


# ---- more of the reply's side ----------------------------------------------------------------------------------------
@fault("underlay-mtu-route-reply", "the router's route to the caller's rack has an MTU too small for tunnelled packets", "packet size", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip route change %s dev %s proto kernel scope link src %s mtu 1400" % (a.underlay, a.router_if, a.router_ip),
         "ip route change %s dev %s proto kernel scope link src %s" % (a.underlay, a.router_if, a.router_ip))
    return (calls(P(c[0]), p[2], "p", size=1372) + calls(P(c[0]), p[2], "p", six=True, size=1320) + calls(P(c[0]), p[2], "t") + calls(P(c[0]), p[2], "p", size=1200) +
            calls(P(c[2]), p[0], "p", size=1372) + calls(P(c[0]), "server", "p", size=1372))


@fault("server-reply-link-no-carrier", "the server's route back leads over a device without carrier", "ports and links", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    spare_device(lab, "server")
    late(lab, at, lab, "server", "ip link set dmz0-peer down")
    late(lab, at, lab, "server", "ip route add %s/32 dev dmz0" % a.ip)
    late(lab, at, lab, "server", "ip -6 route add %s/128 dev dmz0" % a.ip6)
    return calls(P(c[0]), "server", "tup") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t")


@fault("flows-deleted-brex-return6", "the flows of br-ex that bring IPv6 replies back to OVN were deleted", "missing flows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    del_flows(lab, a, "br-ex", "table=1,ipv6,ct_mark=0x1")
    return calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), "server", "p", six=True) + calls(P(c[0]), "server", "t")


@fault("controller-stopped-route-reply", "ovn-controller stopped before the route back was added: the flows lack it", "stale flows", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    routes = ((a.subnet, a.transit), (a.subnet6, a.transit6))
    for pfx, via in routes:
        b.nb("lr-route-del", CR, pfx)
        lab.undoable("nb", b.name, ["--may-exist", "lr-route-add", CR, pfx, via])
    lab.sync()
    stop_controller_first(lab, b)
    for pfx, via in routes:
        b.nb("--wait=sb", "lr-route-add", CR, pfx, via)
    return calls(P(c[0]), p[1], "t", loops=True) + calls(P(c[0]), p[1], "t", six=True, loops=True) + calls(P(c[2]), p[1], "t")


@fault("close-reused", "a client uses the port of a refused connection again; the router has it in CLOSE", "connection state", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "FORWARD -m conntrack --ctstate INVALID -j DROP")
    def go():
        r = ["INPUT", "-p", "tcp", "--dport", str(lab.server["ports"][0]), "-j", "REJECT", "--reject-with", "tcp-reset"]
        at(lab, "server", ["iptables", "-I"] + r)
        earlier_call(lab, host(a.name), "tcp", lab.server["ip"], lab.server["ports"][0], 33061)
        at(lab, "server", ["iptables", "-D"] + r)
        conntrack_dumps(lab)
    late(lab, go)
    return calls(host(a.name), "server", "t", sport=33061, conntrack=True) + calls(host(a.name), "server", "t", sport=33062, conntrack=True)
