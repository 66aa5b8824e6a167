"""What every layer lets pass at most. Large packets are among the calls (network.py)."""
from .base import *
from .hosts import full
from .ovn_rows import *


@fault
def mtu(ctx, rng):
    lab = ctx.lab
    value = rng.choice([1280, 1280, 1300, 1340, 1400, 1000, 600])
    how = rng.choice(["host", "host", "pod", "pod end", "route", "router port", "pod route", "patch"])
    n = ctx.node()
    def change(ns, d):
        old = json.loads(lab.ip(ns, "-j", "link", "show", d))[0]["mtu"]
        full(ctx, ns)
        ctx.x(ns, ["ip", "link", "set", d, "mtu", value], ["ip", "link", "set", d, "mtu", old])
        return "%s %s mtu %d" % (ctx.short(ns), d, value)
    p = rng.choice(lab.pods)
    if how == "host":
        ns = ctx.host()
        return change(ns, rng.choice(ctx.links(ns)))
    if how == "pod":
        return change(p["netns"], rng.choice([l["ifname"] for l in json.loads(lab.ip(p["netns"], "-j", "link")) if l["ifname"] != "lo"]))
    if how == "pod end":
        return change(p["n"].ns, p["veth"])
    if how in ("route", "pod route"):
        ns = ctx.host() if how == "route" else p["netns"]
        routes = [r.strip().replace(" linkdown", "") for r in lab.ip(ns,
                                                                     "route").split("\n") if " dev " in r and "proto kernel" not in r and "nexthop" not in r and " mtu " not in r]
        if not routes:
            raise Skip
        full(ctx, ns)
        r = rng.choice(routes).split()
        lock = rng.choice([["mtu", value], ["mtu", "lock", value]])
        ctx.x(ns, ["ip", "route", "change"] + r + lock, ["ip", "route", "change"] + r)
        return "%s route %s %s" % (ctx.short(ns), " ".join(r), " ".join(map(str, lock)))
    ctx.save_db(n, "nb")
    if how == "router port":
        port = rng.choice(["rtos-" + n.name, "rtoe-" + n.gr, "rtots-" + n.name, "rtoj-" + n.gr])
        n.nb("set", "logical_router_port", port, "options:gateway_mtu=%d" % value)
        ctx.settle(n)
        return "%s %s gateway_mtu %d" % (n.name, port, value)
    ctx.save_db(n, "vs")
    t = rng.choice([l for l in n.vs("--bare", "--columns=name", "find", "interface", "type=geneve").split() if l] or [""])
    if not t:
        raise Skip
    n.vs("set", "interface", t, rng.choice(["options:df_default=false", "options:pmtud=true", "mtu_request=%d" % value]))
    return "%s %s tunnel" % (n.name, t)


@fault
def pod_netfilter(ctx, rng):
    """Rules in a pod's own network namespace."""
    p = rng.choice(ctx.lab.pods)
    a = rng.choice(ctx.addrs())
    if rng.random() < .6:
        table, chain, target = rng.choice([("filter", "INPUT", "DROP"), ("filter", "OUTPUT", "DROP"), ("filter", "OUTPUT", "REJECT"), ("filter", "INPUT",
                "REJECT"), ("nat", "OUTPUT", "REDIRECT --to-ports 8080"), ("nat", "OUTPUT", "DNAT --to-destination " + a), ("nat", "PREROUTING",
                        "REDIRECT --to-ports 8080"),
                                           ("mangle", "OUTPUT", "TTL --ttl-set 1"), ("raw", "OUTPUT", "DROP"), ("raw", "PREROUTING", "DROP"), ("mangle",
                                                   "OUTPUT", "MARK --set-mark 7"), ("nat", "POSTROUTING", "SNAT --to-source " + a), ("nat", "POSTROUTING",
                                                           "MASQUERADE")])
        match = rng.choice([["-p", "tcp"], ["-p", "tcp", "--dport", "8080"], ["-d", a, "-p", "tcp"], ["-s", a, "-p", "tcp"], ["-p", "tcp", "-m", "owner", "!",
                "--uid-owner", "1337"], ["-p", "udp"], ["-p", "tcp", "-m", "conntrack", "--ctstate", "NEW"], ["-p", "tcp", "--tcp-flags", "SYN,ACK", "SYN,ACK"]])
        rule = match + ["-j"] + target.split()
        try:
            ctx.x(p["netns"], ["iptables", "-w", "-t", table, "-A", chain] + rule, ["iptables", "-w", "-t", table, "-D", chain] + rule)
        except RuntimeError:
            ctx.undos.pop()
            raise Skip
        return "pod %s -t %s -A %s %s" % (p["name"], table, chain, " ".join(rule))
    hook = rng.choice(["input", "output", "prerouting", "postrouting"])
    body = "chain c { type filter hook %s priority 0; policy accept; %s counter %s; }" % (hook,
                                                                                          rng.choice(["tcp dport 8080", "ip daddr %s" % a, "ip saddr %s" % a,
                                                                                                  "meta l4proto icmp", "ct state new", "ct state established",
                                                                                                  "udp sport 80", "ip6 nexthdr tcp"]),
                                                                                         rng.choice(["drop", "drop", "ip ttl set 1",
                                                                                                 "reject" if hook in ("input", "output") else "drop"]))
    ctx.load_nft(p["netns"], "inet", body)
    return "pod %s nft { %s }" % (p["name"], body)
