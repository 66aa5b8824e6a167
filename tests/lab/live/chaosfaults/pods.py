"""What stands in a pod's own network namespace."""
from .base import *
from .hosts import full


def a_pod(ctx):
    p = ctx.rng.choice(ctx.lab.pods)
    devices = [l["ifname"] for l in json.loads(ctx.lab.ip(p["netns"], "-j", "link")) if l["ifname"] != "lo"]
    full(ctx, p["netns"])
    return p, ctx.rng.choice(devices)


@fault
def pod_device(ctx, rng):
    """Down, without its address, or with another one or another MAC."""
    p, d = a_pod(ctx)
    ns, lab = p["netns"], ctx.lab
    own = ["%s/%d" % (a["local"], a["prefixlen"]) for l in json.loads(lab.ip(ns, "-j", "addr", "show", "dev", d)) for a in l["addr_info"] if a["scope"] == "global"]
    how = rng.choice(["down", "down", "address gone", "address gone", "other address", "mac"])
    if how == "down":
        lab.ip(ns, "link", "set", d, "down")
    elif how == "mac":
        mac = json.loads(lab.ip(ns, "-j", "link", "show", d))[0]["address"]
        ctx.x(ns, ["ip", "link", "set", d, "address", "0a:58:0f:0f:0f:0f"], ["ip", "link", "set", d, "address", mac])
    else:
        if not own:
            raise Skip
        a = rng.choice(own)
        lab.ip(ns, "addr", "del", a, "dev", d)
        if how == "other address":
            other = ipaddress.ip_interface(a) + 40
            ctx.x(ns, ["ip", "addr", "add", str(other), "dev", d], ["ip", "addr", "del", str(other), "dev", d])
    ctx.wait = 1.2
    return "pod %s %s %s" % (p["name"], d, how)


@fault
def pod_route(ctx, rng):
    """A route gone, one of another type, or one by a next hop that nobody or somebody has; a neighbour that was set."""
    p, d = a_pod(ctx)
    ns, lab = p["netns"], ctx.lab
    how = rng.choice(["gone", "gone", "type", "hop", "hop", "neighbour"])
    routes = [r for r in lab.ip(ns, "-4", "route").split("\n") if " via " in r]
    if how == "gone":
        if not routes:
            raise Skip
        r = rng.choice(routes)
        lab.ip(ns, "route", "del", *r.split())
        how += " " + r
    elif how == "type":
        r = "%s %s/32" % (rng.choice(["unreachable", "prohibit", "blackhole"]), rng.choice(ctx.addrs()))
        ctx.x(ns, "ip route add " + r, "ip route del " + r)
        how = r
    elif how == "hop":
        hop = rng.choice([str(ipaddress.ip_address(p["ip"]) + 50)] + [q["ip"] for q in lab.pods if q["n"] is p["n"] and q is not p])
        r = "%s/32 via %s dev %s onlink" % (rng.choice(ctx.addrs()), hop, d)
        ctx.x(ns, "ip route add " + r, "ip route del " + r)
        how = r
    else:
        r = "%s lladdr 0a:58:0f:0f:0f:0e dev %s" % (p["n"].gw, d)
        ctx.x(ns, "ip neigh replace %s nud permanent" % r, "ip neigh del %s dev %s" % (p["n"].gw, d))
        how = r
    return "pod %s %s" % (p["name"], how)
