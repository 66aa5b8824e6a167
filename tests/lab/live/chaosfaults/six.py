"""Routes, policy rules and rules of nft for IPv6."""
from .base import *
from .hosts import full
from .hosts_seldom import tried


def sixes(ctx):
    lab = ctx.lab
    if not lab.v6:
        raise Skip
    return [p["ip6"] for p in lab.pods] + [n.ip6 for n in lab.nodes] * 2 + [lab.v6["server"]] * 2


def place(ctx, rng, ns):
    all_ends = sixes(ctx)
    hops = [n.ip6 for n in ctx.lab.nodes] + [n.router_ip6 for n in ctx.lab.nodes]
    net = str(ipaddress.ip_network(rng.choice(all_ends) + rng.choice(["/128", "/128", "/64"]), strict=False))
    return {"net": net, "dev": rng.choice(ctx.links(ns)), "a": rng.choice(hops), "b": rng.choice(hops), "s": rng.choice(all_ends)}


ROUTES = ["{net} via {a} dev {dev}", "{net} via {a} dev {dev} onlink", "blackhole {net}", "unreachable {net}", "prohibit {net}", "throw {net}",
          "{net} dev {dev}", "{net} dev {dev} metric 1", "local {net} dev lo",
          "{net} nexthop via {a} dev {dev} nexthop via {b} dev {dev}", "{net} from {s} via {a} dev {dev}", "{net} from {s} dev {dev} metric 1",
          "{net} via fe80::1 dev {dev}", "{net} via {a} dev {dev} metric 4000",
          "anycast {net} dev {dev}", "unreachable {net} metric 1", "{net} via {a} dev {dev} hoplimit 1", "{net} via {a} dev {dev} mtu lock 1280",
          "{net} via {a} dev {dev} pref high", "{net} dev lo", "multicast {net} dev {dev}",
          "{net} via {a} dev {dev} expires 600", "{net} via {a} dev {dev} src {s}"]


@fault
def six_route(ctx, rng):
    ns = ctx.host()
    at = place(ctx, rng, ns)
    full(ctx, ns)
    route = rng.choice(ROUTES).format(**at)
    kind = route.split()[0] if ":" not in route.split()[0] else ""
    return tried(ctx, ns, "-6 route add " + route, "-6 route del %s %s%s" % (kind, at["net"], " from " + at["s"] if " from " in route else ""))


SELECTORS = ["from {s}", "to {s}", "from {s}/64", "to {net}", "iif lo to {s}", "iif {dev}", "oif {dev}", "ipproto tcp", "ipproto tcp dport 8080",
             "ipproto ipv6-icmp", "not from {s}", "tos 0x10", "fwmark 0x2/0x2", "uidrange 0-0", "sport 33500-60000 ipproto tcp"]
ACTIONS = ["lookup 88", "lookup 88", "blackhole", "unreachable", "prohibit", "lookup 88 suppress_prefixlength 0", "lookup main suppress_prefixlength 64",
           "goto 32766"]


@fault
def six_rule(ctx, rng):
    ns = ctx.host()
    at = place(ctx, rng, ns)
    route = rng.choice(["default via {a} dev {dev}", "blackhole default", "default dev {dev}", "throw {s}/128", "unreachable default metric 1",
                        "{net} via {b} dev {dev}"]).format(**at)
    ctx.on_undo(lambda: ctx.lab.ip(ns, "-6", "route", "flush", "table", "88", check=False))
    try:
        ctx.lab.ip(ns, "-6", "route", "add", *route.split(), "table", "88")
    except RuntimeError:
        raise Skip
    rule = "prio %s %s %s" % (rng.choice(["95", "95", "30500", "0"]), rng.choice(SELECTORS).format(**at), rng.choice(ACTIONS))
    return tried(ctx, ns, "-6 rule add " + rule, "-6 rule del " + rule) + " table 88: " + route


@fault
def six_neighbour(ctx, rng):
    """Proxies with and without proxy_ndp, entries of a state that is not usual."""
    ns = ctx.host()
    at = place(ctx, rng, ns)
    full(ctx, ns)
    how = rng.choice(["proxy", "proxy off", "lladdr 52:54:00:de:ad:06 nud permanent", "lladdr 52:54:00:de:ad:06 nud stale", "nud failed",
                      "lladdr 52:54:00:de:ad:06 nud noarp router"])
    if not how.startswith("proxy"):
        return tried(ctx, ns, "neigh replace %s dev %s %s" % (at["s"], at["dev"], how), "neigh del %s dev %s" % (at["s"], at["dev"]))
    key = "net/ipv6/conf/%s/proxy_ndp" % at["dev"]
    if how == "proxy":
        ctx.x(ns, "sysctl -qw %s=1" % key, "sysctl -qw %s=0" % key)
    return tried(ctx, ns, "neigh add proxy %s dev %s" % (at["s"], at["dev"]), "neigh del proxy %s dev %s" % (at["s"], at["dev"])) + " " + how


@fault
def six_nft(ctx, rng):
    ns = ctx.host()
    at = place(ctx, rng, ns)
    t = rng.choice(sixes(ctx))
    hook = rng.choice(["prerouting", "input", "forward", "output", "postrouting"])
    match = rng.choice(["ip6 saddr {s}", "ip6 daddr {s}", "ip6 daddr {net}", "ip6 saddr . ip6 daddr {{ {s} . {t} }}", "ip6 nexthdr tcp", "ip6 hoplimit < 64",
                        "icmpv6 type {{ nd-neighbor-advert }}", "icmpv6 type nd-neighbor-solicit",
                        "icmpv6 type {{ echo-request, nd-router-advert }}", "meta l4proto tcp ct state new", "fib saddr . iif oif 0", "ip6 flowlabel 0",
                        "exthdr frag exists", "ip6 length < 60", "rt type 0", "tcp dport {{ 8080, 80 }}", "ct state invalid",
                        "fib daddr type local", "ip6 dscp 0"]).format(t=t, **at)
    if rng.random() < .3:
        kind = rng.choice(["prerouting", "output", "postrouting"])
        verdict = "masquerade" if kind == "postrouting" and rng.random() < .5 else "%s ip6 to %s" % ("snat" if kind == "postrouting" else "dnat", t)
        body = "chain c { type nat hook %s priority %d; policy accept; meta l4proto { tcp, udp } %s counter %s; }" % (kind,
                90 if kind == "postrouting" else -110, match, verdict)
    else:
        body = "chain c { type filter hook %s priority %d; policy accept; meta nfproto ipv6 %s counter %s; }" % (hook, rng.choice([-250, -150, 0, 10]), match,
                rng.choice(["drop", "drop", "reject" if hook in ("input", "forward", "output") else "drop", "ip6 hoplimit set 1", "meta mark set 0x3f0"]))
    ctx.load_nft(ns, "inet", body)
    return "%s nft inet { %s }" % (ctx.short(ns), body)
