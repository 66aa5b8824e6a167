"""Routes, policy rules, addresses and neighbours as few hosts have them."""
from .base import *
from .hosts import full


def somewhere(ctx, rng, ns):
    """A destination that the calls use, a device, and a next hop that may be there."""
    lab = ctx.lab
    dst = rng.choice(ctx.addrs())
    net = str(ipaddress.ip_network(dst + rng.choice(["/32", "/32", "/25"]), strict=False))
    hops = [n.ip for n in lab.nodes] + [n.router_ip for n in lab.nodes] + [nth(str(lab.underlay_net), 250)]
    return net, rng.choice(ctx.links(ns)), rng.choice(hops), rng.choice(hops)


def tried(ctx, ns, words, back):
    """Skip where ip refuses it."""
    try:
        ctx.lab.ip(ns, *words.split())
    except RuntimeError:
        raise Skip
    ctx.on_undo(lambda: ctx.lab.ip(ns, *back.split(), check=False))
    return "%s ip %s" % (ctx.short(ns), words)


ROUTES = ["{net} tos 0x10 via {a} dev {dev} onlink", "{net} tos 0x08 blackhole", "blackhole {net} metric 4000", "unreachable {net} metric 1", "{net} nexthop via {a} dev {dev} onlink nexthop via {b} dev {dev} onlink",
          "{net} nexthop via {a} dev {dev} onlink weight 200 nexthop via {b} dev {dev} onlink weight 1", "{net} via inet6 fe80::1 dev {dev} onlink", "{net} dev {dev} scope host", "{net} dev {dev} metric 5",
          "local {net} dev {dev}", "broadcast {net} dev {dev}", "anycast {net} dev {dev}", "nat {net} dev {dev}", "{net} via {a} dev {dev} onlink advmss 500", "{net} via {a} dev {dev} onlink quickack 1",
          "{net} dev lo", "local {net} dev lo table 255", "throw {net} table local", "unreachable {net} table local", "{net} via {a} dev {dev} onlink realm 7", "prohibit {net} table default",
          "{net} via {a} dev {dev} onlink hoplimit 1", "{net} via {a} dev {dev} onlink ttl-propagate enabled", "{net} via {a} dev {dev} onlink congctl reno", "{net} encap ip id 7 dst {b} via {a} dev {dev} onlink",
          "{net} via {a} dev {dev} onlink features ecn", "{net} via {a} dev {dev} onlink mtu 500"]


@fault
def route_seldom(ctx, rng):
    ns = ctx.host()
    full(ctx, ns)
    net, dev, a, b = somewhere(ctx, rng, ns)
    route = rng.choice(ROUTES).format(net=net, dev=dev, a=a, b=b)
    table = " table " + route.split(" table ")[1].split()[0] if " table " in route else ""
    kind = route.split()[0] if not route[0].isdigit() else ""
    return tried(ctx, ns, "route add " + route, "route del %s %s%s%s" % (kind, net, " tos " + route.split()[2] if " tos " in route else "", table))


@fault
def next_hop_object(ctx, rng):
    """A route by objects of `ip nexthop`: one, a group, a resilient group, a blackhole."""
    ns = ctx.host()
    full(ctx, ns)
    net, dev, a, b = somewhere(ctx, rng, ns)
    ctx.on_undo(lambda: ctx.lab.ip(ns, "nexthop", "flush", check=False))
    how = rng.choice(["one", "group", "weights", "blackhole", "resilient"])
    objects = ["id 71 " + ("blackhole" if how == "blackhole" else "via %s dev %s onlink" % (a, dev)), "id 72 via %s dev %s onlink" % (b, dev)]
    objects.append("id 73 group " + {"weights": "71,200/72", "resilient": "71/72 type resilient buckets 8"}.get(how, "71/72"))
    try:
        for o in objects:
            ctx.lab.ip(ns, "nexthop", "add", *o.split())
    except RuntimeError:
        ctx.lab.ip(ns, "nexthop", "flush", check=False)
        raise Skip
    return tried(ctx, ns, "route add %s nhid %d" % (net, 71 if how in ("one", "blackhole") else 73), "route del " + net) + " " + how


SELECTORS = ["from {x}", "to {x}", "from {x} to {y}", "tos 0x10", "fwmark 0x2/0x2", "fwmark 0/0x3f0", "iif lo", "iif {dev}", "oif {dev}", "uidrange 0-0", "uidrange 1-1000", "ipproto tcp", "ipproto tcp dport 8000-9999",
             "ipproto tcp sport 1000-40000", "ipproto udp dport 80", "ipproto icmp", "not from {x}", "not to {x}", "not iif lo", "not fwmark 0x2", "from {x}/24", "to {x}/24 iif {dev}", "tun_id 7", "l3mdev", "sport 33500-60000"]
ACTIONS = ["lookup 78", "lookup 78 suppress_prefixlength 0", "lookup 78 suppress_ifgroup 0", "lookup main suppress_ifgroup 0", "goto 32766", "goto 31000", "nop", "blackhole", "prohibit", "lookup 79", "lookup 78 realms 3/4",
           "lookup main suppress_prefixlength 16", "lookup default"]


@fault
def rule_seldom(ctx, rng):
    ns = ctx.host()
    _, dev, a, b = somewhere(ctx, rng, ns)
    x, y = rng.sample(ctx.addrs(), 2)
    selector, action = rng.choice(SELECTORS).format(x=x, y=y, dev=dev), rng.choice(ACTIONS)
    if rng.random() < .3:
        selector += " " + rng.choice(["ipproto tcp", "iif lo", "fwmark 0"])
    route = rng.choice(["default via %s dev %s onlink" % (a, dev), "blackhole default", "default dev " + dev, "throw %s/32" % x, "local default dev lo", "default nexthop via %s dev %s onlink nexthop via %s dev %s onlink" % (a, dev, b, dev)])
    ctx.on_undo(lambda: ctx.lab.ip(ns, "route", "flush", "table", "78", check=False))
    try:
        ctx.lab.ip(ns, "route", "add", *route.split(), "table", "78")
    except RuntimeError:
        raise Skip
    preference = rng.choice(["95", "95", "30500", "40000"])
    rule = "prio %s %s %s" % (preference, selector, action)
    return tried(ctx, ns, "rule add " + rule, "rule del " + rule) + " table 78: " + route


@fault
def address_seldom(ctx, rng):
    """Addresses with a peer, of another scope, deprecated, second of their network, without a route, broadcast addresses that are another's."""
    ns = ctx.host()
    lab = ctx.lab
    full(ctx, ns)
    devices = {l["ifname"]: [a for a in l["addr_info"] if a["family"] == "inet"] for l in json.loads(lab.ip(ns, "-j", "addr")) if l["ifname"] != "lo"}
    dev, own = rng.choice([(d, rng.choice(a)) for d, a in devices.items() if a])
    other, mine = rng.choice(ctx.addrs()), ipaddress.ip_interface("%s/%d" % (own["local"], own["prefixlen"]))
    near = str(mine.network[-20])
    how = rng.choice(["{near}/{n} dev {d}", "{near}/32 dev {d}", "{near}/{n} dev {d} noprefixroute", "{near}/{n} dev {d} scope host", "{near}/{n} dev {d} preferred_lft 0", "{near} peer {other} dev {d}", "{near}/{n} dev lo",
                      "{near} peer {other}/24 dev {d}", "{near}/{n} brd {other} dev {d}", "203.0.113.7/24 brd {other} dev {d}", "{near}/{n} dev {d} metric 1", "{near}/{n} dev {d} scope link", "{other}/{n} dev {d} noprefixroute", "{near}/8 dev {d}"])
    words = how.format(near=near, n=mine.network.prefixlen, d=dev, other=other)
    at = words.split()
    return tried(ctx, ns, "addr add " + words, "addr del %s dev %s" % (" ".join(at[:3]) if "peer" in words else at[0], at[at.index("dev") + 1]))


@fault
def neighbour_seldom(ctx, rng):
    """Proxies, entries that need no ARP, of a state that is not usual, or that another program keeps."""
    ns = ctx.host()
    dev, dst = rng.choice(ctx.links(ns)), rng.choice(ctx.addrs())
    full(ctx, ns)
    how = rng.choice(["proxy", "proxy", "lladdr {mac} nud noarp", "lladdr {mac} nud stale", "lladdr {mac} nud permanent", "lladdr {mac} extern_learn", "lladdr {mac} nud reachable", "nud failed", "lladdr ff:ff:ff:ff:ff:ff nud permanent"])
    if how == "proxy":
        return tried(ctx, ns, "neigh add proxy %s dev %s" % (dst, dev), "neigh del proxy %s dev %s" % (dst, dev))
    macs = [x["lladdr"] for x in json.loads(ctx.lab.ip(ns, "-j", "neigh")) if x.get("lladdr")] + ["52:54:00:de:ad:03"]
    return tried(ctx, ns, "neigh replace %s dev %s %s" % (dst, dev, how.format(mac=rng.choice(macs))), "neigh del %s dev %s" % (dst, dev))
