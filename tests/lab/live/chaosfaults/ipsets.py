"""Sets of ipset, and rules that ask them."""
from .base import *

# Of each what `ipset create` is told, its members, and the directions of a rule that asks it.
KINDS = [
    ("hash:ip", ["{a}", "{b}"], ["src", "dst"]), ("hash:ip timeout 600", ["{a} timeout 300"], ["src", "dst"]), ("hash:ip counters skbinfo",
            ["{a} skbmark 0x7/0xff"], ["dst"]),
    ("hash:net", ["{a}/24", "{a} nomatch"], ["src", "dst"]), ("hash:net", ["0.0.0.0/1", "128.0.0.0/1", "{b}/24 nomatch"], ["dst"]),
    ("hash:ip,port", ["{a},tcp:8080", "{b},udp:80-9100"], ["dst,dst", "src,dst", "dst,src"]), ("hash:net,port", ["{a}/24,tcp:8000-9999"], ["dst,dst", "src,src"]),
    ("hash:net,iface", ["{a}/24,{dev}", "{b}/16,{dev}"], ["src,src", "dst,dst", "dst,src"]), ("hash:ip,port,ip", ["{a},tcp:8080,{b}"], ["dst,dst,src",
            "src,dst,dst"]),
    ("hash:net,net", ["{a}/24,{b}/24"], ["src,dst", "dst,src"]), ("hash:ip,mark", ["{a},0x0", "{b},0x3f0"], ["src,src", "dst,dst"]),
    ("hash:mac", ["0a:58:00:00:00:01"], ["src"]), ("bitmap:port range 0-10000", ["8080", "9000-9100"], ["dst", "src"]),
    ("bitmap:ip range {a}/24", ["{a}"], ["src", "dst"]), ("hash:ip netmask 24", ["{a}"], ["src", "dst"]), ("hash:net,port,net", ["{a}/24,tcp:8080,{b}/24"],
            ["dst,dst,src"])]


def create(ctx, ns, name, kind, members):
    run = lambda *a: ctx.lab.nsx(ns, "ipset", *a)
    run("create", name, *kind.split())
    ctx.on_undo(lambda: ctx.lab.nsx(ns, "ipset", "destroy", name, check=False))
    for m in members:
        run("add", name, *m.split())


@fault
def ipset(ctx, rng):
    ns = ctx.host()
    a, b = rng.sample(ctx.addrs(), 2)
    kind, members, directions = rng.choice(KINDS)
    words = {"a": a, "b": b, "dev": rng.choice(ctx.links(ns))}
    kind, members = kind.format(**words), [m.format(**words) for m in members]
    name, asked = "chaos", rng.choice(directions)
    chain = rng.choice(["INPUT", "FORWARD", "OUTPUT"])
    match = ["-m", "set"] + rng.choice([[], [], ["!"]]) + ["--match-set", name, asked] + rng.choice([[], [],
            ["--return-nomatch"]] if "nomatch" in " ".join(members) else [[]])
    if rng.random() < .2:
        match += ["-p", "tcp"]
    try:
        create(ctx, ns, name, kind, members)
        if rng.random() < .2:        # by a list of sets
            create(ctx, ns, "list", "list:set", [name])
            match[match.index(name)] = "list"
        rule = [chain] + match + ["-j", rng.choice(["DROP", "DROP", "REJECT"])]
        ctx.x(ns, ["iptables", "-w", "-I"] + rule, ["iptables", "-w", "-D"] + rule)
    except RuntimeError:
        raise Skip
    return "%s ipset %s { %s }, %s" % (ctx.short(ns), kind, ", ".join(members), " ".join(rule))


@fault
def xfrm_policy(ctx, rng):
    """A policy of IPsec that blocks, allows, or asks for an association that is not there."""
    ns = ctx.host()
    a, b = rng.sample(ctx.addrs(), 2)
    direction = rng.choice(["in", "out", "fwd"])
    selector = rng.choice(["src %s/32 dst %s/32" % (a, b), "dst %s/32" % a, "src %s/32" % a, "dst %s/24 proto tcp" % a, "dst %s/32 proto tcp dport 8080" % a,
                           "src %s/24 proto udp" % a,
                           "dst 0.0.0.0/0 proto icmp"])
    how = rng.choice(["action block", "action block", "action allow", "tmpl proto esp mode transport", "tmpl proto esp mode transport level use",
                      "action block priority 5"])
    if "src" not in selector:
        selector = "src 0.0.0.0/0 " + selector
    if "dst" not in selector:
        selector = selector.replace("/32", "/32 dst 0.0.0.0/0").replace("/24", "/24 dst 0.0.0.0/0")
    try:
        ctx.x(ns, "ip xfrm policy add %s dir %s %s" % (selector, direction, how), "ip xfrm policy delete %s dir %s" % (selector, direction))
    except RuntimeError:
        raise Skip
    return "%s xfrm %s dir %s %s" % (ctx.short(ns), selector, direction, how)
