"""Queueing disciplines, nodes that nobody knows of, an odd router."""
from .base import *
from .hosts import full


@fault
def tc(ctx, rng):
    """What the kernel at hand has: token buckets, queues of no length, classes, and u32 filters that redirect."""
    ns = ctx.host()
    d = rng.choice(ctx.links(ns))
    a = rng.choice(ctx.addrs())
    how = rng.choice(["tbf", "small", "htb", "htb", "redirect", "redirect", "ingress"])
    root = lambda s: ctx.x(ns, "tc qdisc add dev %s root %s" % (d, s), "tc qdisc del dev %s root" % d)
    match = rng.choice(["match ip dst %s/32" % a, "match ip src %s/32" % a, "match ip protocol 6 0xff match ip dport 8080 0xffff",
            "match ip protocol 17 0xff match ip dport 6081 0xffff", "match u32 0 0"])
    try:
        if how == "tbf":
            root("tbf rate 8mbit burst 1600 latency 50ms")
        elif how == "small":
            root("tbf rate 8mbit burst 60 limit 60")
        elif how == "htb":
            root("handle 1: htb default 10")
            ctx.x(ns, "tc class add dev %s parent 1: classid 1:10 htb rate 100mbit" % d)
            ctx.x(ns, "tc class add dev %s parent 1: classid 1:20 htb rate 100mbit" % d)
            ctx.x(ns, "tc qdisc add dev %s parent 1:20 pfifo limit 0" % d)
            ctx.x(ns, "tc filter add dev %s parent 1: protocol ip u32 %s flowid 1:20" % (d, match))
            how += " " + match
        else:
            kind = "clsact" if how == "redirect" else "ingress"
            ctx.x(ns, "tc qdisc add dev %s %s" % (d, kind), "tc qdisc del dev %s %s" % (d, kind))
            to = rng.choice([x for x in ctx.links(ns) if x != d] + ["lo"])
            side = rng.choice(["ingress", "egress"]) if how == "redirect" else "ingress"
            act = rng.choice(["redirect", "redirect", "mirror"])
            ctx.x(ns, "tc filter add dev %s %s protocol ip u32 %s action mirred egress %s dev %s" % (d, side, match, act, to))
            how = "%s %s %s %s" % (side, match, act, to)
    except RuntimeError:
        raise Skip
    return "%s tc %s %s" % (ctx.short(ns), d, how)


@fault
def duplicate(ctx, rng):
    """A node that nobody knows of, with an address that is in use."""
    lab = ctx.lab
    n = ctx.node()
    rack = n.bridge
    ip = rng.choice([n.ip, n.router_ip] + ["%s" % i["ip"] for i in lab.c.get("egressip_primary", {}).get("items", [])])
    ns = lab.prefix + "-chaos"
    sh(["ip", "netns", "add", ns])
    ctx.on_undo(lambda: sh(["ip", "netns", "del", ns], check=False))
    lab.veth(lab.ns_underlay, "p-chaos", ns, "eth0", mac_b="52:54:00:aa:aa:aa")
    lab.ip(lab.ns_underlay, "link", "set", "p-chaos", "master", rack)
    lab.ip(ns, "link", "set", "eth0", "up")
    lab.ip(ns, "addr", "add", ip + "/%d" % n.plen, "dev", "eth0")
    lab.nsx(ns, "python3", topology.HERE + "/peer.py", "announce", "eth0", ip, "52:54:00:aa:aa:aa")
    ctx.wait = 1
    return "%s on %s" % (ip, rack)


@fault
def router_odd(ctx, rng):
    lab = ctx.lab
    ns = lab.ns_router
    r = lab.router
    full(ctx, ns)
    n = ctx.node()
    v = lab.c["lb_service"]["vip"]
    how = rng.choice(["masq", "vip_one", "vip_wrong", "vip_none", "rpf", "icmp_redirect", "podroute", "snat_nodes", "second"])
    if how == "masq":
        ctx.x(ns, "iptables -w -t nat -A POSTROUTING -o %s -j MASQUERADE" % r["outside_if"], "iptables -w -t nat -D POSTROUTING -o %s -j MASQUERADE" % r["outside_if"])
    elif how == "snat_nodes":
        ctx.x(ns, "iptables -w -t nat -A POSTROUTING -s %s/32 -j MASQUERADE" % n.ip, "iptables -w -t nat -D POSTROUTING -s %s/32 -j MASQUERADE" % n.ip)
    elif how in ("vip_one", "vip_wrong"):
        gw = n.ip if how == "vip_one" else nth(str(n.underlay), 250)
        lab.ip(ns, "route", "flush", v)
        ctx.x(ns, "ip route add %s via %s" % (v, gw), "ip route flush " + v)
    elif how == "vip_none":
        lab.ip(ns, "route", "flush", v)
    elif how == "rpf":
        for d in ctx.links(ns):
            ctx.x(ns, "sysctl -qw net/ipv4/conf/%s/rp_filter=1" % d, "sysctl -qw net/ipv4/conf/%s/rp_filter=0" % d)
    elif how == "podroute":
        ctx.x(ns, "ip route add %s via %s" % (n.subnet, n.ip), "ip route del %s" % n.subnet)
    elif how == "icmp_redirect":
        ctx.x(ns, "ip route add %s/32 via %s" % (lab.server["ip"], n.ip), "ip route del %s/32" % lab.server["ip"])
    else:
        ctx.x(ns, "ip route add %s/32 via %s" % (n.ip, ctx.node().ip), "ip route del %s/32" % n.ip, check=False)
    return "%s %s" % (how, n.name)
