"""Faults of the underlay, ports, packet size, state, links and host switches: each is put into the running lab, traffic is sent, and the
dumps are taken while it is in force. A fault names its class, the side on which it strikes, and what the dumps show of it.

The nodes are taken by place: `a` and `b` share the first network, `w` is in a rack of its own behind the router."""
import json
from features import *
import observe, scenarios
from scenarios import case, pod, host, SERVER, SCENARIOS

FAULTS = {}


def fault(name, text, kind, side="request", level="lite", healthy=False):
    def put(fn):
        def run(lab):
            lab.plan["fault"] = {} if healthy else {"class": kind, "side": side, "what": text}
            return fn(lab)
        assert name not in FAULTS, name
        FAULTS[name] = kind
        scenarios.faults_of[name] = kind
        SCENARIOS[name] = (run, text)
        return fn
    return put


# ---- ends -----------------------------------------------------------------------------------
def places(lab):
    """The three nodes, and one pod of each of the two applications on each."""
    a, b, w = lab.nodes[:3]
    on = lambda n, k: [p for p in lab.pods if p["n"] is n][k]
    return a, b, w, [on(n, 0) for n in (a, b, w)], [on(n, 1) for n in (a, b, w)]


def short(end):
    return end["name"]


def calls(c, to, protos, port=None, six=False, size=None, **more):
    """Cases of one client to one destination: `t`, `u` and `p` are TCP, UDP and ping. TO is a pod, `server`, a node or an address."""
    out = []
    lab = calls.lab
    if isinstance(to, dict) and "key" in to:
        dst, port, label = to["ip6" if six else "ip"], port or to["ports"][0], to["name"]
    elif to == "server":
        dst, port, label = lab.v6["server"] if six else lab.server["ip"], port or lab.server["ports"][0], "server"
    elif isinstance(to, Node):
        dst, port, label = to.ip6 if six else to.ip, port or 9100, to.name
    else:
        dst, label = to, "service"
    for x in protos:
        proto = {"t": "tcp", "u": "udp", "p": "icmp"}[x]
        id_ = "-".join([c["name"], label, proto] + (["v6"] if six else []) + (["%d" % size] if size else []) + more.get("tag", []))
        k = case(id_, "%s %s to %s, %s" % (c["kind"], c["name"], label, proto), c, proto, dst, port if x != "p" else None)
        if size:
            k["size"] = size
        k.update({m: v for m, v in more.items() if m != "tag"})
        n = sum(1 for o in calls.made if o == id_)
        calls.made.append(id_)
        if n:
            k["id"] += "-%d" % (n + 1)
        out.append(k)
    return out


def begin(lab):
    calls.lab, calls.made = lab, []
    return places(lab)


def P(p):
    return pod(p["name"])


# ---- doing ------------------------------------------------------------------------------------
def space(lab, where):
    return where.ns if isinstance(where, Node) else {"router": lab.ns_router, "server": lab.ns_server, "underlay": lab.ns_underlay}[where]


def at(lab, where, argv, undo=None, check=True):
    """Run a command line on a host, with the one that takes it back."""
    f = lambda s: s.split() if isinstance(s, str) else s
    if isinstance(where, Node):
        return lab.do(where, *f(argv), undo=f(undo) if undo else None, check=check)
    return lab.do_ns(space(lab, where), *f(argv), undo=f(undo) if undo else None, check=check)


def late(lab, fn, *a, **kw):
    """After warming up and with the captures running."""
    lab.plan["late"].append(lambda: fn(*a, **kw))
    lab.plan["nosync"] = True


def rule(lab, where, text, tool="iptables", table="filter", how="-I"):
    chain, rest = text.split(" ", 1)
    late(lab, at, lab, where, [tool, "-w", "-t", table, how, chain] + rest.split(), [tool, "-w", "-t", table, "-D", chain] + rest.split())


def both(lab, where, text, **kw):
    for t in ("iptables", "ip6tables"):
        rule(lab, where, text, tool=t, **kw)


def nft(lab, where, family, name, body):
    """A table of its own, deleted on reset."""
    def add():
        ns = space(lab, where)
        lab.nsx(ns, "nft", "-f", "-", inp="table %s %s {\n%s\n}\n" % (family, name, body))
        lab.undoable("ns", ns, ["nft", "delete", "table", family, name])
    late(lab, add)


def switch(lab, where, key, value):
    """One sysctl, with its old value put back."""
    def put():
        ns = space(lab, where)
        old = lab.nsx(ns, "sysctl", "-n", key).strip()
        lab.nsx(ns, "sysctl", "-qw", "%s=%s" % (key, value))
        lab.undoable("ns", ns, ["sysctl", "-qw", "%s=%s" % (key, old)])
    late(lab, put)


def spare_device(lab, where, name="dmz0", address="198.18.5.1/24", address6="fd00:dead::1/64"):
    """A device that leads nowhere."""
    at(lab, where, "ip link add %s type veth peer name %s-peer" % (name, name), "ip link del " + name)
    for d in (name, name + "-peer"):
        at(lab, where, "ip link set %s up" % d)
    at(lab, where, "ip addr add %s dev %s" % (address, name))
    at(lab, where, "ip -6 addr add %s dev %s nodad" % (address6, name))


def mod_port(lab, n, br, port, flag, back):
    late(lab, at, lab, n, ["ovs-ofctl", "mod-port", br, port, flag], ["ovs-ofctl", "mod-port", br, port, back])


def tunnel_port(lab, n, m):
    """Name of N's tunnel interface to M."""
    for row in json.loads(n.vs("-f", "json", "--columns=name,options", "find", "interface", "type=geneve"))["data"]:
        if ["remote_ip", m.ip] in row[1][1]:
            return row[0]
    raise RuntimeError("no tunnel from %s to %s" % (n.name, m.name))


def del_flows(lab, n, br, text, strict=False):
    def go():
        n.run("ovs-ofctl", *(["--strict"] if strict else []), "del-flows", br, text)
        if br == "br-int":
            lab.undoable("controller", n.name, [])
    late(lab, go)


def stop_controller_first(lab, n):
    import topology
    lab.sync()
    topology.stop_controller(n)
    lab.undoable("controller", n.name, [])
    lab.plan["nosync"] = True


def stop_northd_first(lab, n):
    lab.sync()
    pid = int(open(n.dir + "/run/ovn-northd.pid").read())
    os.kill(pid, 19)
    lab.undoable("northd", n.name, [pid])
    lab.plan["nosync"] = True


def conntrack_dumps(lab):
    """Connection state as it is before the calls that are recorded."""
    for n in lab.nodes:
        lab.plan["before"][n.name, "conntrack -L"] = n.run("conntrack", "-L", check=False)
        lab.plan["before"][n.name, "ovs-appctl dpctl/dump-conntrack"] = n.run("ovs-appctl", "dpctl/dump-conntrack")
    for h, ns in (("router", lab.ns_router), ("server", lab.ns_server)):
        lab.plan["before"][h, "conntrack -L"] = lab.nsx(ns, "conntrack", "-L", check=False)


def earlier_call(lab, client, proto, dst, port, sport, timeout="1.5"):
    return json.loads(lab.nsx(observe.client_ns(lab, client), "python3", os.path.join(observe.HERE, "peer.py"), "call", proto, dst, port, sport,
                              "earlier", timeout, check=False))


def neigh(lab, where, ip, mac, dev):
    ns = space(lab, where)
    def put():
        lab.nsx(ns, "ip", "neigh", "replace", ip, "lladdr", mac, "dev", dev, "nud", "permanent")
        lab.undoable("ns", ns, ["ip", "neigh", "del", ip, "dev", dev])
    late(lab, put)


def no_routers_dev(lab, n):
    return n.router_if


# ---- the underlay ------------------------------------------------------------------------------
@fault("tunnel-egress-hook", "nft's egress hook on the sender's NIC drops geneve", "tunnel blocked", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, a, "netdev", "guard", " chain out { type filter hook egress device \"%s\" priority 0; policy accept; udp dport 6081 counter drop; }" % lab.c["nic"])
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), "server", "t")


@fault("tunnel-egress-hook-reply", "nft's egress hook on the receiver's NIC drops geneve to one node", "tunnel blocked", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, b, "netdev", "guard", " chain out { type filter hook egress device \"%s\" priority 0; policy accept; ip daddr %s udp dport 6081 counter drop; }" % (lab.c["nic"], a.ip))
    return calls(P(c[0]), p[1], "tp") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[2]), p[1], "t")


@fault("tunnel-router-forward-drop", "iptables FORWARD of the router drops geneve between two racks", "tunnel blocked", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "FORWARD -s %s/32 -d %s/32 -p udp -m udp --dport 6081 -j DROP" % (a.ip, w.ip))
    return calls(P(c[0]), p[2], "tup") + calls(P(c[2]), p[0], "t") + calls(P(c[0]), p[2], "t", six=True) + calls(P(c[1]), p[2], "t") + calls(P(c[2]), "server", "t")


@fault("tunnel-router-forward-reject", "iptables FORWARD of the router rejects geneve with an ICMP error", "tunnel blocked")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "FORWARD -d %s/32 -p udp -m udp --dport 6081 -j REJECT --reject-with icmp-admin-prohibited" % w.ip)
    return calls(P(c[0]), p[2], "tu") + calls(P(c[2]), p[1], "t")


@fault("tunnel-router-policy-drop", "FORWARD policy of the router is DROP and only port 80 is accepted", "tunnel blocked")
def _(lab):
    a, b, w, p, c = begin(lab)
    for t in ("iptables", "ip6tables"):
        rule(lab, "router", "FORWARD -m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT", tool=t)
        rule(lab, "router", "FORWARD -p tcp -m tcp --dport 80 -j ACCEPT", tool=t)
        late(lab, at, lab, "router", t + " -P FORWARD DROP", t + " -P FORWARD ACCEPT")
    return (calls(P(c[0]), p[2], "t") + calls(P(c[0]), "server", "tp") + calls(P(c[2]), "server", "t", six=True) + calls(P(c[2]), "server", "t", port=lab.server["ports"][1], six=True) +
            calls(P(c[0]), p[1], "t"))


@fault("tunnel-router-nft-forward", "an nft forward chain of the router drops geneve one way", "tunnel blocked", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", " chain across { type filter hook forward priority 10; policy accept; iifname \"%s\" oifname \"%s\" udp dport 6081 counter drop; }" % (
        w.router_if, a.router_if))
    return calls(P(c[0]), p[2], "tp") + calls(P(c[2]), p[1], "t") + calls(P(c[0]), p[2], "t", six=True)


@fault("tunnel-router-raw-drop", "iptables raw PREROUTING of the router drops geneve from one node", "tunnel blocked")
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "PREROUTING -i %s -s %s/32 -p udp -m udp --dport 6081 -j DROP" % (w.router_if, w.ip), table="raw")
    return calls(P(c[2]), p[0], "t") + calls(P(c[0]), p[2], "tu")


@fault("tunnel-router-ingress-hook", "nft's ingress hook on a router's device drops geneve", "tunnel blocked")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "netdev", "edge", " chain in { type filter hook ingress device \"%s\" priority 0; policy accept; udp dport 6081 counter drop; }" % a.router_if)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[0]), p[1], "t")


@fault("tunnel-router-prohibit", "the router's ip rule prohibits what comes from one node's tunnel address to the other rack", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip rule add prio 90 from %s to %s prohibit" % (a.ip, w.ip), "ip rule del prio 90")
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[1]), p[2], "t")


@fault("tunnel-router-blackhole", "the router has a blackhole route to a node", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip route add blackhole %s/32" % w.ip, "ip route del blackhole %s/32" % w.ip)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[2]), "server", "t") + calls(P(c[2]), "server", "t", six=True)


@fault("tunnel-route-missing", "a node lost its default route: no route to the tunnel's end in the other rack", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ip route del default", "ip route add default via %s dev br-ex proto static metric 48" % a.router_ip)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[0]), p[1], "t") + calls(P(c[0]), "server", "t") + calls(host(a.name), "server", "t")


@fault("tunnel-route-blackhole", "the sender's own blackhole route to the tunnel's end", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ip route add blackhole %s/32" % w.ip, "ip route del blackhole %s/32" % w.ip)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(host(a.name), w, "t")


@fault("tunnel-route-wrong-gateway", "a route to the other rack by a next hop that does not exist", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    gw = nth(str(a.underlay), 250)
    late(lab, at, lab, a, "ip route add %s via %s dev br-ex" % (w.underlay, gw), "ip route del %s via %s dev br-ex" % (w.underlay, gw))
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), p[0], "t") + calls(P(c[0]), p[1], "t")


@fault("tunnel-source-address-missing", "the node's address was changed and the tunnel's source address is on no device", "routes")
def _(lab):
    a, b, w, p, c = begin(lab)
    other = nth(str(a.underlay), 77)
    def go():
        lab.undoable("node", a.name, ["sh", "-c", "ip addr add %s/%d brd + dev br-ex; ip route replace %s/32 dev br-ex src %s mtu %d; ip route replace default via %s dev br-ex proto static metric 48" % (
            a.ip, a.plen, lab.masq_ovn, a.ip, lab.c["mtu"], a.router_ip)])
        at(lab, a, "ip addr del %s/%d dev br-ex" % (a.ip, a.plen))
        at(lab, a, "ip addr add %s/%d brd + dev br-ex" % (other, a.plen), "ip addr del %s/%d dev br-ex" % (other, a.plen))
        at(lab, a, "ip route replace default via %s dev br-ex proto static metric 48" % a.router_ip)
        time.sleep(1)
    late(lab, go)
    return calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), "server", "t")


@fault("tunnel-encap-unused-address", "the southbound Encap row of a node holds an address that nobody has", "wrong rows")
def _(lab):
    a, b, w, p, c = begin(lab)
    wrong_encap(lab, b, a, nth(str(a.underlay), 240))
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "tp") + calls(P(c[2]), p[0], "t")


@fault("tunnel-encap-other-node", "the southbound Encap row of a node holds another node's address", "wrong rows")
def _(lab):
    a, b, w, p, c = begin(lab)
    wrong_encap(lab, b, a, w.ip, gone=w)
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "t") + calls(P(c[0]), p[1], "t", six=True)


def wrong_encap(lab, n, of, ip, gone=None):
    """N's southbound database has another address for the chassis of OF (and no chassis of GONE, whose address it is)."""
    def enc():
        return n.sb("--bare", "--columns=_uuid", "find", "encap", "chassis_name=" + of.chassis).split()[0]
    if gone:
        drop_remote_chassis(lab, n, gone)
    n.sb("set", "encap", enc(), 'ip="%s"' % ip)
    lab.undoable("node", n.name, ["sh", "-c", "ovn-sbctl set encap $(ovn-sbctl --bare --columns=_uuid find encap chassis_name=%s) 'ip=\"%s\"'" % (of.chassis, of.ip)])
    time.sleep(1)


@fault("tunnel-chassis-missing", "a zone has no chassis of the other node", "wrong rows", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    drop_remote_chassis(lab, a, b)
    time.sleep(1)
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "t", six=True) + calls(P(c[0]), p[2], "t")


@fault("tunnel-neighbour-wrong", "the sender's tunnel neighbour cache has a stranger's MAC for the other node", "neighbours")
def _(lab):
    a, b, w, p, c = begin(lab)
    # again and again: each ARP reply that the bridge sees sets the entry right
    keeps = a.dir + "/stranger.pid"
    late(lab, at, lab, a, ["sh", "-c", "(while :; do ovs-appctl tnl/arp/set br-ex %s 02:00:5e:00:53:01; sleep 0.1; done) > /dev/null 2>&1 & echo $! > %s" % (b.ip, keeps)],
         ["sh", "-c", "kill $(cat %s); ovs-appctl tnl/arp/set br-ex %s %s" % (keeps, b.ip, b.mac)])
    return calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[2], "t")


@fault("input-output-rules-without-effect", "INPUT and OUTPUT rules against geneve, which the userspace datapath's tunnels never meet", "tunnel blocked", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, a, "OUTPUT -p udp -m udp --dport 6081 -j DROP")
    nft(lab, b, "inet", "guard", " chain in { type filter hook input priority -10; policy accept; udp dport 6081 counter drop; }")
    return calls(P(c[0]), p[1], "tp") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[1], "t", six=True)


# ---- ports and links ----------------------------------------------------------------------------
def uplink_calls(lab):
    a, b, w, p, c = places(lab)
    return (calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), "server", "tp") + calls(P(c[0]), "server", "t", six=True) +
            calls(host(a.name), "server", "t") + calls(P(c[0]), p[0], "t"))


@fault("uplink-down", "a node's uplink is administratively down", "ports and links", "request and reply")
def _(lab):
    a, *_ = begin(lab)
    nic = lab.c["nic"]
    late(lab, at, lab, a, "ip link set %s down" % nic, "ip link set %s up" % nic)
    return uplink_calls(lab)


@fault("uplink-no-carrier", "a node's uplink has no carrier", "ports and links", "request and reply")
def _(lab):
    a, *_ = begin(lab)
    port = "p-" + a.name[:12]
    late(lab, at, lab, "underlay", "ip link set %s down" % port, "ip link set %s up" % port)
    return uplink_calls(lab)


for _flag, _back, _text, _side in (("no-forward", "forward", "NO_FWD", "request"), ("no-receive", "receive", "NO_RECV", "reply"), ("down", "up", "PORT_DOWN", "request and reply")):
    @fault("uplink-port-" + _flag, "OpenFlow configuration of the uplink's port: %s" % _text, "port flags", _side)
    def _(lab, flag=_flag, back=_back):
        a, *_ = begin(lab)
        mod_port(lab, a, "br-ex", lab.c["nic"], flag, back)
        return uplink_calls(lab)


@fault("uplink-port-no-flood", "OpenFlow configuration of the uplink's port: NO_FLOOD, which FLOOD alone heeds", "port flags", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    mod_port(lab, a, "br-ex", lab.c["nic"], "no-flood", "flood")
    return calls(P(c[0]), p[1], "t") + calls(P(c[0]), "server", "t") + calls(host(a.name), "server", "t") + calls(SERVER, a, "t")


for _flag, _back, _text, _side in (("no-forward", "forward", "NO_FWD", "request"), ("no-receive", "receive", "NO_RECV", "reply")):
    @fault("pod-port-" + _flag, "OpenFlow configuration of a pod's port: %s" % _text, "port flags", _side)
    def _(lab, flag=_flag, back=_back):
        a, b, w, p, c = begin(lab)
        mod_port(lab, a, "br-int", p[0]["veth"], flag, back)
        return calls(P(c[1]), p[0], "tp") + calls(P(p[0]), "server", "t") + calls(P(c[0]), p[0], "t", six=True)


@fault("tunnel-port-no-forward", "OpenFlow configuration of the tunnel's port: NO_FWD", "port flags", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    mod_port(lab, a, "br-int", tunnel_port(lab, a, b), "no-forward", "forward")
    return calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[2], "t")


@fault("tunnel-port-no-receive", "OpenFlow configuration of the tunnel's port: NO_RECV", "port flags", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    mod_port(lab, a, "br-int", tunnel_port(lab, a, b), "no-receive", "receive")
    return calls(P(c[0]), p[1], "t") + calls(P(c[1]), p[0], "t", six=True)


@fault("patch-port-no-forward", "OpenFlow configuration of br-int's patch port: NO_FWD", "port flags")
def _(lab):
    a, b, w, p, c = begin(lab)
    mod_port(lab, a, "br-int", a.ofport("patch-br-int-to-br-ex_" + a.name), "no-forward", "forward")
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[1], "t")


@fault("patch-port-no-receive", "OpenFlow configuration of br-int's patch port: NO_RECV", "port flags", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    mod_port(lab, a, "br-int", a.ofport("patch-br-int-to-br-ex_" + a.name), "no-receive", "receive")
    return calls(P(c[0]), "server", "tp") + calls(P(c[1]), "server", "t")


@fault("local-port-no-forward", "OpenFlow configuration of br-ex's LOCAL port: NO_FWD", "port flags")
def _(lab):
    a, b, w, p, c = begin(lab)
    mod_port(lab, a, "br-ex", "br-ex", "no-forward", "forward")
    return calls(SERVER, a, "t") + calls(host(a.name), "server", "t") + calls(P(c[0]), "server", "t") + calls(P(c[1]), p[0], "t")


@fault("pod-veth-down", "the host's end of a pod's veth is down", "ports and links", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ip link set %s down" % p[0]["veth"], "ip link set %s up" % p[0]["veth"])
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[0], "t") + calls(P(p[0]), "server", "t")


@fault("pod-eth0-down", "the pod's end of its veth is down", "ports and links")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        ns = p[0]["netns"]
        lab.nsx(ns, "ip", "link", "set", "eth0", "down")
        lab.undoable("ns", ns, ["sh", "-c", "ip link set eth0 up; ip addr add %s/64 dev eth0 nodad; ip route replace default via %s; ip -6 route replace default via %s; ip route replace %s via %s; ip route replace %s via %s" % (
            p[0]["ip6"], a.gw, a.gw6, lab.cluster, a.gw, lab.svc, a.gw)])
    late(lab, go)
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[0], "t", six=True)


@fault("pod-veth-gone", "the pod's veth was deleted: the interface has ofport -1", "ports and links")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        lab.ip(a.ns, "link", "del", p[0]["veth"])
        lab.undoable("pod", p[0]["name"], [])
        time.sleep(0.5)
    late(lab, go)
    return calls(P(c[1]), p[0], "t") + calls(P(c[0]), p[0], "t") + calls(P(c[0]), p[1], "t")


@fault("pod-iface-id-missing", "the pod's interface lost its iface-id: OVN no longer binds the port", "ports and links", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    a.vs("remove", "interface", p[0]["veth"], "external_ids", "iface-id")
    lab.undoable("node", a.name, ["ovs-vsctl", "set", "interface", p[0]["veth"], "external_ids:iface-id=" + p[0]["key"]])
    time.sleep(0.5)
    return calls(P(c[1]), p[0], "t") + calls(P(p[0]), "server", "t") + calls(P(c[0]), p[0], "t", six=True)


@fault("management-port-down", "ovn-k8s-mp0 of a node is down", "ports and links")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        at(lab, a, "ip link set ovn-k8s-mp0 down")
        lab.undoable("node", a.name, ["sh", "-c", "ip link set ovn-k8s-mp0 up; ip addr add %s/64 dev ovn-k8s-mp0 nodad; ip route add %s via %s dev ovn-k8s-mp0; ip route add %s via %s dev ovn-k8s-mp0; "
                     "ip neigh replace %s lladdr %s dev ovn-k8s-mp0 nud permanent; ip route add table 7 %s via %s dev ovn-k8s-mp0; ip -6 route add %s via %s dev ovn-k8s-mp0; ip -6 neigh replace %s lladdr %s dev ovn-k8s-mp0 nud permanent" % (
                         a.mgmt6, lab.cluster, a.gw, lab.masq_etp, a.gw, a.gw, ip_mac(a.gw), lab.svc, a.gw, lab.v6["cluster"], a.gw6, a.gw6, ip_mac(a.gw))])
    late(lab, go)
    return calls(P(c[0]), a, "t") + calls(host(a.name), p[0], "t") + calls(P(c[0]), "server", "t") + calls(P(c[0]), p[1], "t")


@fault("router-link-down", "the router's device to a rack is down", "ports and links")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        at(lab, "router", "ip link set %s down" % w.router_if)
        lab.undoable("ns", lab.ns_router, ["sh", "-c", "ip link set %s up; ip -6 addr add %s/64 dev %s nodad" % (w.router_if, w.router_ip6, w.router_if)])
    late(lab, go)
    return calls(P(c[0]), p[2], "t") + calls(P(c[2]), "server", "t") + calls(P(c[0]), "server", "t")


@fault("server-link-down", "the server's link is down", "ports and links")
def _(lab):
    a, b, w, p, c = begin(lab)
    s = lab.server["if"]
    def go():
        at(lab, "server", "ip link set %s down" % s)
        lab.undoable("ns", lab.ns_server, ["sh", "-c", "ip link set %s up; ip -6 addr add %s/64 dev %s nodad; ip route add default via %s; ip -6 route add default via %s" % (
            s, lab.v6["server"], s, lab.router["outside_ip"], lab.v6["router_out"])])
    late(lab, go)
    return calls(P(c[0]), "server", "t", timeout=6) + calls(P(c[0]), "server", "t", six=True, timeout=6) + calls(P(c[0]), p[2], "t")


# ---- packet size -----------------------------------------------------------------------------------
@fault("size-healthy", "packets up to the pod's MTU get through", "packet size", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    return (calls(P(c[0]), p[1], "p", size=1372) + calls(P(c[0]), p[2], "p", size=1300, six=True) + calls(P(c[0]), "server", "pu", size=1372) + calls(P(c[0]), p[2], "t", size=1340) +
            calls(host(a.name), "server", "p", size=1472))


@fault("size-over-pod-mtu", "packets larger than the pod's MTU with DF", "packet size")
def _(lab):
    a, b, w, p, c = begin(lab)
    return calls(P(c[0]), p[1], "p", size=1373) + calls(P(c[0]), "server", "p", size=1400) + calls(P(c[0]), p[1], "p", size=1372)


@fault("underlay-mtu-uplink", "a node's uplink has an MTU too small for tunnelled packets of the pod's MTU", "packet size", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, a, "ip link set %s mtu 1400" % lab.c["nic"], "ip link set %s mtu 1500" % lab.c["nic"])
    return (calls(P(c[0]), p[1], "p", size=1372) + calls(P(c[0]), p[1], "tp") + calls(P(c[0]), p[1], "p", size=1250) + calls(P(c[1]), p[0], "p", size=1372) + calls(P(c[0]), p[1], "p", size=1330, six=True) +
            calls(P(c[0]), p[1], "t", size=1340))


@fault("underlay-mtu-router", "the router's device to a rack has an MTU too small for tunnelled packets", "packet size", "request and reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1400" % w.router_if, "ip link set %s mtu 1500" % w.router_if)
    return (calls(P(c[0]), p[2], "p", size=1372) + calls(P(c[0]), p[2], "t") + calls(P(c[0]), p[2], "p", size=1250) + calls(P(c[0]), p[2], "t", size=1340) + calls(P(c[0]), p[2], "p", size=1300, six=True))


@fault("underlay-mtu-router-reply", "the router's device to the caller's rack has an MTU too small for tunnelled packets", "packet size", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1400" % a.router_if, "ip link set %s mtu 1500" % a.router_if)
    return calls(P(c[0]), p[2], "p", size=1372) + calls(P(c[0]), p[2], "t") + calls(P(c[0]), "server", "p", size=1372)


@fault("path-mtu-server-link", "the link to the server is smaller than the pod's MTU; the router's ICMP errors get back", "packet size")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1300" % lab.router["outside_if"], "ip link set %s mtu 1500" % lab.router["outside_if"])
    return calls(P(c[0]), "server", "t") + calls(P(c[1]), "server", "p", size=1372) + calls(P(c[2]), "server", "p", size=1330, six=True) + calls(P(c[0]), "server", "p", size=1200)


@fault("path-mtu-blackhole", "the link to the server is smaller than the pod's MTU and the router's ICMP errors are dropped", "packet size")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1300" % lab.router["outside_if"], "ip link set %s mtu 1500" % lab.router["outside_if"])
    rule(lab, "router", "OUTPUT -p icmp -m icmp --icmp-type fragmentation-needed -j DROP")
    rule(lab, "router", "OUTPUT -p ipv6-icmp -m icmp6 --icmpv6-type packet-too-big -j DROP", tool="ip6tables")
    return calls(P(c[0]), "server", "p", size=1372) + calls(P(p[0]), "server", "p", size=1330, six=True) + calls(P(p[1]), "server", "t", size=1340) + calls(P(c[0]), "server", "t")


@fault("path-mtu-exception", "a node's kernel has learned a path MTU to the server", "packet size")
def _(lab):
    a, b, w, p, c = begin(lab)
    late(lab, at, lab, "router", "ip link set %s mtu 1300" % lab.router["outside_if"], "ip link set %s mtu 1500" % lab.router["outside_if"])
    def learn():
        lab.nsx(a.ns, "ping", "-n", "-c", "1", "-W", "1", "-M", "do", "-s", "1400", lab.server["ip"], check=False)
        lab.nsx(lab.ns_router, "ip", "link", "set", lab.router["outside_if"], "mtu", "1500")
        lab.undoable("node", a.name, ["ip", "route", "flush", "cache"])
    late(lab, learn)
    return calls(host(a.name), "server", "p", size=1372) + calls(host(a.name), "server", "p", size=1200) + calls(host(a.name), "server", "t") + calls(P(c[0]), "server", "p", size=1372)


# ---- connection state ---------------------------------------------------------------------------------
def udp_service(lab, backends, change_to=None):
    """A ClusterIP for UDP on every node."""
    s = dict(lab.c["plain_service"], name="meter", clusterip=nth(lab.svc, 0x2a09))
    full = "Service_%s/%s_UDP_cluster" % (s["namespace"], s["name"])
    vip = hostport(s["clusterip"], 514)
    eps = [hostport(p["ip"], p["ports"][0]) for p in backends]
    service_lb(lab, s, full, None, None, [(n, full, {vip: eps}, [("load_balancer_group", group(n, "clusterLBGroup"), "load_balancer")], {}) for n in lab.nodes], proto="udp")
    def change(to):
        for n in lab.nodes:
            n.nb("--wait=hv", "set", "load_balancer", full, 'vips:"%s"="%s"' % (vip, ",".join(hostport(p["ip"], p["ports"][0]) for p in to)))
    return s["clusterip"], 514, change


@fault("udp-stale-backend", "a UDP connection stays with the backend that the service no longer has", "connection state")
def _(lab):
    a, b, w, p, c = begin(lab)
    vip, port, change = udp_service(lab, [p[1]])
    def go():
        earlier_call(lab, P(c[0]), "udp", vip, port, 33001)
        change([p[2]])
        conntrack_dumps(lab)
    lab.plan["late"].append(go)
    return calls(P(c[0]), vip, "u", port=port, sport=33001, conntrack=True) + calls(P(c[0]), vip, "u", port=port, sport=33002, conntrack=True)


@fault("udp-stale-backend-gone", "a UDP connection stays with a backend that is gone", "connection state")
def _(lab):
    a, b, w, p, c = begin(lab)
    vip, port, change = udp_service(lab, [p[1]])
    def go():
        earlier_call(lab, P(c[0]), "udp", vip, port, 33003)
        change([p[2]])
        at(lab, b, "ip link set %s down" % p[1]["veth"], "ip link set %s up" % p[1]["veth"])
        conntrack_dumps(lab)
    lab.plan["late"].append(go)
    return calls(P(c[0]), vip, "u", port=port, sport=33003, conntrack=True) + calls(P(c[0]), vip, "u", port=port, sport=33004, conntrack=True)


@fault("router-dnat-changed", "the router's DNAT for UDP was changed; the connection keeps the old translation", "connection state")
def _(lab):
    a, b, w, p, c = begin(lab)
    vip = nth(lab.router["outside_cidr"], 99)
    def r(port):
        return ["iptables", "-w", "-t", "nat", "%s", "PREROUTING", "-d", vip + "/32", "-p", "udp", "-m", "udp", "--dport", "514", "-j", "DNAT", "--to-destination", "%s:%d" % (lab.server["ip"], port)]
    def go():
        new = [x if x != "%s" else "-A" for x in r(lab.server["ports"][0])]
        at(lab, "router", new)
        earlier_call(lab, P(c[0]), "udp", vip, 514, 33011)
        at(lab, "router", [x if x != "-A" else "-D" for x in new])
        at(lab, "router", [x if x != "%s" else "-A" for x in r(515)], [x if x != "%s" else "-D" for x in r(515)])
        conntrack_dumps(lab)
    late(lab, go)
    return calls(P(c[0]), vip, "u", port=514, sport=33011, conntrack=True) + calls(P(c[0]), vip, "u", port=514, sport=33012, conntrack=True)


@fault("router-established-only", "the router drops new connections; an old UDP connection goes on", "connection state")
def _(lab):
    a, b, w, p, c = begin(lab)
    def go():
        for who, six in ((P(c[0]), False), (P(c[0]), True)):
            earlier_call(lab, who, "udp", lab.v6["server"] if six else lab.server["ip"], lab.server["ports"][0], 33021)
        conntrack_dumps(lab)
    late(lab, go)
    both(lab, "router", "FORWARD -p udp -m udp --dport %d -m conntrack --ctstate NEW -j DROP" % lab.server["ports"][0])
    return (calls(P(c[0]), "server", "u", sport=33021, conntrack=True) + calls(P(c[0]), "server", "u", sport=33022, conntrack=True) +
            calls(P(c[0]), "server", "u", six=True, sport=33021, conntrack=True) + calls(P(c[0]), "server", "u", six=True, sport=33022, conntrack=True))


@fault("time-wait-reused", "a client uses the port of a closed connection again; the router has it in TIME_WAIT", "connection state", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)          # not of pods: ovs-vswitchd 3.1.0 may die of a port that is used again
    rule(lab, "router", "FORWARD -m conntrack --ctstate INVALID -j DROP")
    def go():
        earlier_call(lab, host(a.name), "tcp", lab.server["ip"], lab.server["ports"][0], 33032)
        time.sleep(0.3)
        conntrack_dumps(lab)
    late(lab, go)
    return calls(host(a.name), "server", "t", sport=33032, conntrack=True) + calls(host(a.name), "server", "t", sport=33033, conntrack=True)


@fault("router-notrack-invalid", "the router leaves one node's packets untracked and drops what is not tracked", "connection state")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", " chain pre { type filter hook prerouting priority raw; ip saddr %s notrack; ip6 saddr %s notrack; }\n"
        " chain across { type filter hook forward priority 0; policy drop; ct state established,related,new counter accept; }" % (a.ip, a.ip6))
    return calls(P(c[0]), "server", "t") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[1]), "server", "t") + calls(P(c[0]), p[2], "t")


@fault("router-notrack-reply", "the router leaves the server's packets untracked and drops what is not tracked", "connection state", "reply")
def _(lab):
    a, b, w, p, c = begin(lab)
    nft(lab, "router", "inet", "edge", " chain pre { type filter hook prerouting priority raw; ip saddr %s notrack; ip6 saddr %s notrack; }\n"
        " chain across { type filter hook forward priority 0; policy drop; ct state established,related,new counter accept; }" % (lab.server["ip"], lab.v6["server"]))
    return calls(P(c[0]), "server", "tu") + calls(P(c[0]), "server", "t", six=True) + calls(P(c[0]), p[2], "t")


@fault("router-snat-clash", "the router translates two nodes to one address; the port of a dumped connection is taken", "connection state", healthy=True)
def _(lab):
    a, b, w, p, c = begin(lab)
    rule(lab, "router", "POSTROUTING -o %s -j MASQUERADE" % lab.router["outside_if"], table="nat")
    def go():
        earlier_call(lab, P(c[0]), "udp", lab.server["ip"], lab.server["ports"][0], 33041)
        conntrack_dumps(lab)
    late(lab, go)
    return calls(P(c[1]), "server", "u", sport=33041, conntrack=True) + calls(P(c[1]), "server", "u", sport=33042, conntrack=True)
