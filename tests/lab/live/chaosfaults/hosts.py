"""Links, addresses, routes, rules, neighbours and settings of the hosts."""
from .base import *


@fault
def link(ctx, rng):
    ns = ctx.host()
    d = rng.choice(ctx.links(ns))
    lab = ctx.lab
    how = rng.choice(["down", "mtu", "mac", "arp", "peer_down", "allmulti", "txq"])
    l = json.loads(lab.ip(ns, "-j", "link", "show", d))[0]
    n = ctx.by_ns(ns)
    if how in ("down",):
        r4 = [x for x in lab.ip(ns, "-o", "route", "show", "table", "all", "dev", d).split("\n") if x.strip()]
        full(ctx, ns)
        lab.ip(ns, "link", "set", d, "down")
    elif how == "mtu":
        v = rng.choice([68, 576, 1000, 1280, 1400, 1440, 1450])
        full(ctx, ns)
        ctx.x(ns, ["ip", "link", "set", d, "mtu", v], ["ip", "link", "set", d, "mtu", l["mtu"]])
        how += " %d" % v
    elif how == "mac":
        full(ctx, ns)
        ctx.x(ns, ["ip", "link", "set", d, "address", "52:54:00:0f:0f:0f"], ["ip", "link", "set", d, "address", l["address"]])
    elif how == "arp":
        ctx.x(ns, ["ip", "link", "set", d, "arp", "off"], ["ip", "link", "set", d, "arp", "on"])
    elif how == "allmulti":
        ctx.x(ns, ["ip", "link", "set", d, "promisc", "on"], ["ip", "link", "set", d, "promisc", "off"])
    elif how == "txq":
        raise Skip
    elif how == "peer_down":
        u = lab.ns_underlay
        ports = [x["ifname"] for x in json.loads(lab.ip(u, "-j", "link")) if x["ifname"].startswith("p-")]
        d = rng.choice(ports)
        ctx.x(u, ["ip", "link", "set", d, "down"], ["ip", "link", "set", d, "up"])
        ns = u
    ctx.wait = 1.2
    return "%s %s %s" % (ctx.short(ns), d, how)


def full(ctx, ns):
    """Addresses and routes of a host are put back by a batch, whatever got lost."""
    if (ns, "ip") in ctx.saved:
        return
    ctx.saved.add((ns, "ip"))
    lab = ctx.lab
    flags = {l["ifname"]: "UP" in l["flags"] for l in json.loads(lab.ip(ns, "-j", "link"))}
    addrs = [(l["ifname"], a) for l in json.loads(lab.ip(ns, "-j", "addr")) for a in l.get("addr_info", []) if l["ifname"] != "lo" and not a["local"].startswith("fe80")]
    routes = {f: [x.strip() for x in lab.ip(ns, f, "route", "show", "table",
            "all").split("\n") if x.strip() and "proto kernel" not in x and not x.startswith(("local", "broadcast", "multicast", "anycast", "ff00",
            "fe80", "unreachable")) and "table local" not in x] for f in ("-4", "-6")}
    neighs = [x for f in ("-4", "-6") for x in lab.ip(ns, f, "neigh", "show", "nud", "permanent").split("\n") if x.strip()]
    def back():
        for d, up in flags.items():
            if up:
                lab.ip(ns, "link", "set", d, "up", check=False)
        for d, a in addrs:
            w = ["addr", "replace", "%s/%d" % (a["local"], a["prefixlen"]), "dev",
                    d] + (["nodad"] if a["family"] == "inet6" else []) + (["brd", a["broadcast"]] if a.get("broadcast") else [])
            if a.get("preferred_life_time") == 0:
                w += ["preferred_lft", "0", "valid_lft", "forever"]
            have = lab.ip(ns, "-o", "addr", "show", "dev", d)
            if " %s/%d " % (a["local"], a["prefixlen"]) not in have:
                lab.ip(ns, *w, check=False)
        for f in ("-4", "-6"):
            have = lab.ip(ns, f, "route", "show", "table", "all")
            for r in routes[f]:
                r = re.sub(r" linkdown| dead| nhid \d+|pref medium", "", r)
                if r.strip() not in re.sub(r" linkdown| dead|pref medium", "", have):
                    lab.ip(ns, f, "route", "append", *r.split(), check=False)
        for x in neighs:
            lab.ip(ns, "neigh", "replace", *x.replace("PERMANENT", "nud permanent").replace("router", "").split(), check=False)
    ctx.on_undo(back)


@fault
def address(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    al = [(l["ifname"], a) for l in json.loads(lab.ip(ns, "-j", "addr")) for a in l.get("addr_info", []) if l["ifname"] != "lo" and not a["local"].startswith("fe80")]
    how = rng.choice(["del", "plen", "add", "dup"])
    full(ctx, ns)
    d, a = rng.choice(al)
    s = "%s/%d" % (a["local"], a["prefixlen"])
    if how == "del":
        lab.ip(ns, "addr", "del", s, "dev", d)
    elif how == "plen":
        if a["family"] == "inet6":
            raise Skip
        v = rng.choice([32, 30, 16])
        lab.ip(ns, "addr", "del", s, "dev", d)
        ctx.x(ns, ["ip", "addr", "add", "%s/%d" % (a["local"], v), "dev", d], ["ip", "addr", "del", "%s/%d" % (a["local"], v), "dev", d])
        how += " %d" % v
    else:
        v = rng.choice(ctx.addrs() + ([lab.v6["server"]] if lab.v6 else []))
        pl = "/128" if ":" in v else rng.choice(["/32", "/24"])
        if v in lab.ip(ns, "addr"):
            raise Skip
        dev = rng.choice([d, "lo"])
        ctx.x(ns, ["ip", "addr", "add", v + pl, "dev", dev] + (["nodad"] if ":" in v else []), ["ip", "addr", "del", v + pl, "dev", dev], check=False)
        how = "add %s%s on %s" % (v, pl, dev)
        s = ""
    return "%s %s %s %s" % (ctx.short(ns), d, s, how)


@fault
def route(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    full(ctx, ns)
    how = rng.choice(["del", "type", "via", "src", "dev", "tablelocal", "mtu", "six"])
    rs = [x.strip() for x in lab.ip(ns, "-4" if how != "six" else "-6", "route").split("\n") if x.strip() and not x.startswith("fe80")]
    if how == "six":
        r = rng.choice(rs)
        k = rng.choice(["del", "unreachable"])
        if k == "del":
            lab.ip(ns, "-6", "route", "del", *re.sub("pref medium", "", r).split())
        else:
            ctx.x(ns, ["ip", "-6", "route", "add", k, (lab.v6["server"] if rng.random() < .5 else rng.choice(lab.nodes).ip6) + "/128"],
                    ["ip", "-6", "route", "flush", "type", "unreachable"], check=False)
        return "%s -6 %s %s" % (ctx.short(ns), k, r)
    if how == "del":
        r = rng.choice(rs)
        lab.ip(ns, "route", "del", *re.sub(r" linkdown", "", r).split())
        return "%s del %s" % (ctx.short(ns), r)
    if how == "tablelocal":
        ls = [x for x in lab.ip(ns, "route", "show", "table", "local").split("\n") if x.startswith("local") and " lo " not in x]
        r = rng.choice(ls)
        ctx.x(ns, ["ip", "route", "del", "table", "local"] + r.split(), ["ip", "route", "add", "table", "local"] + r.split())
        return "%s del %s" % (ctx.short(ns), r)
    dst = rng.choice(ctx.addrs())
    plen = rng.choice(["/32", "/32", "/25"])
    net = str(ipaddress.ip_network(dst + plen, strict=False))
    dev = rng.choice(ctx.links(ns))
    neighs = [n.ip for n in lab.nodes] + [n.router_ip for n in lab.nodes]
    gw = rng.choice(neighs + [nth(str(lab.underlay_net), 250)])
    w = {"type": [rng.choice(["blackhole", "unreachable", "prohibit", "throw"]), net], "via": [net, "via", gw, "onlink", "dev", dev],
            "src": [net, "via", gw, "dev", dev, "onlink", "src", None], "dev": [net, "dev", dev, "scope", "link"],
            "mtu": [net, "via", gw, "mtu", "lock", rng.choice([600, 1300])]}[how]
    if how == "src":
        own = [a["local"] for l in json.loads(lab.ip(ns, "-j", "-4", "addr")) for a in l["addr_info"] if l["ifname"] != "lo"]
        w[-1] = rng.choice(own)
    try:
        ctx.x(ns, ["ip", "route", "add"] + w, ["ip", "route", "del"] + w)
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    return "%s add %s" % (ctx.short(ns), " ".join(map(str, w)))


@fault
def rule(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    sel = []
    while not sel:
        if rng.random() < .6:
            sel += [rng.choice(["from", "to"]), rng.choice(ctx.addrs())]
        if rng.random() < .25:
            sel += ["iif", rng.choice(ctx.links(ns) + ["lo"])]
        if rng.random() < .1:
            sel += ["oif", rng.choice(ctx.links(ns))]
        if rng.random() < .2:
            sel += ["ipproto", rng.choice(["tcp", "udp", "icmp"])]
        if rng.random() < .1:
            sel += ["dport", rng.choice([8080, 9000, 9100, 80])] + (["ipproto", "tcp"] if "ipproto" not in sel else [])
        if rng.random() < .1:
            sel += ["fwmark", rng.choice(["0x3f0", "0x2", "0x1745ec"])]
        if rng.random() < .1:
            sel = ["not"] + sel if sel else sel
    if "not" in sel and len(sel) > 3:
        raise Skip
    act = rng.choice([["blackhole"], ["unreachable"], ["prohibit"], ["lookup", "77"], ["lookup", "77"],
            ["lookup", "main", "suppress_prefixlength", "0"], ["lookup", "local"], ["goto", "32767"]])
    fam = []
    if act[-1] == "77":
        dev = rng.choice(ctx.links(ns))
        gw = rng.choice([n.router_ip for n in lab.nodes] + [lab.nodes[0].ip])
        w = rng.choice([["default", "via", gw, "dev", dev, "onlink"], ["blackhole", "default"], ["default", "dev", dev], ["throw", "default"]])
        ctx.x(ns, ["ip", "route", "add", "table", "77"] + w, ["ip", "route", "flush", "table", "77"])
        act = act + ["#", " ".join(w)]
    pr = rng.choice(["90", "90", "29"])
    a = act[:act.index("#")] if "#" in act else act
    if rng.random() < .15: # local after: no local lookups first
        pr = "0"
    s = sel[1:] if sel[0] == "not" else sel
    nt = ["not"] if sel[0] == "not" else []
    try:
        ctx.x(ns, ["ip", "rule", "add", "prio", pr] + nt + s + a, ["ip", "rule", "del", "prio", pr] + nt + s + a)
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    return "%s rule %s: %s %s" % (ctx.short(ns), pr, " ".join(map(str, sel)), " ".join(act))


@fault
def rule_delete(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    r = [x for x in lab.ip(ns, "rule").split("\n") if x.strip()]
    l = rng.choice(r)
    pr, w = l.split(":", 1)
    w = w.split()
    ctx.x(ns, ["ip", "rule", "del", "prio", pr] + w, ["ip", "rule", "add", "prio", pr] + w)
    return "%s del rule %s" % (ctx.short(ns), l)


@fault
def neighbour(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    ns_n = [x for x in json.loads(lab.ip(ns, "-j", "neigh")) if x.get("lladdr")]
    if not ns_n:
        raise Skip
    x = rng.choice(ns_n)
    other = rng.choice(ns_n)["lladdr"] if rng.random() < .4 else "52:54:00:de:ad:01"
    old = x["lladdr"]
    perm = "PERMANENT" in x["state"]
    ctx.x(ns, ["ip", "neigh", "replace", x["dst"], "lladdr", other, "dev", x["dev"], "nud", "permanent"],
            ["ip", "neigh", "replace", x["dst"], "lladdr", old, "dev", x["dev"], "nud", "permanent"] if perm else ["ip", "neigh", "del", x["dst"],
            "dev", x["dev"]])
    return "%s neigh %s -> %s on %s" % (ctx.short(ns), x["dst"], other, x["dev"])


@fault
def sysctl(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    dev = rng.choice(ctx.links(ns) + ["all"])
    key, val = rng.choice([("net/ipv4/conf/%s/rp_filter" % dev, "1"), ("net/ipv4/conf/%s/rp_filter" % dev, "2"),
            ("net/ipv4/conf/%s/forwarding" % dev, "0"), ("net/ipv4/ip_forward", "0"), ("net/ipv6/conf/all/forwarding", "0"),
            ("net/ipv4/conf/%s/arp_ignore" % dev, rng.choice("1238")),
        ("net/ipv4/conf/%s/arp_filter" % dev, "1"), ("net/ipv4/conf/%s/proxy_arp" % dev, "1"), ("net/ipv4/conf/%s/accept_local" % dev, "1"),
        ("net/ipv4/conf/%s/drop_unicast_in_l2_multicast" % dev, "1"), ("net/netfilter/nf_conntrack_tcp_be_liberal", "1"),
        ("net/netfilter/nf_conntrack_tcp_loose", "0"),
        ("net/ipv4/icmp_echo_ignore_all", "1"), ("net/ipv4/ip_default_ttl", rng.choice(["1", "2", "3"])),
        ("net/ipv6/conf/%s/disable_ipv6" % dev, "1"), ("net/ipv6/conf/%s/hop_limit" % dev, "1"), ("net/ipv4/conf/%s/route_localnet" % dev, "1"),
        ("net/ipv4/conf/%s/src_valid_mark" % dev, "1"),
        ("net/ipv4/conf/%s/log_martians" % dev, "1"), ("net/ipv4/fwmark_reflect", "1"), ("net/ipv4/tcp_syncookies", "0"),
        ("net/ipv4/icmp_ratelimit", "0"), ("net/ipv4/conf/%s/send_redirects" % dev, "0"), ("net/netfilter/nf_conntrack_max", "1"),
        ("net/ipv4/tcp_fwmark_accept", "1"), ("net/ipv4/ip_no_pmtu_disc", "1"),
        ("net/ipv6/conf/%s/accept_ra" % dev, "2"), ("net/ipv4/conf/%s/bc_forwarding" % dev, "1"), ("net/ipv4/conf/%s/arp_announce" % dev, "2"),
        ("net/ipv4/conf/%s/disable_policy" % dev, "1"), ("net/ipv4/ip_nonlocal_bind", "1"), ("net/ipv4/fib_multipath_hash_policy", "0")])
    full(ctx, ns)
    if "disable_ipv6" in key and dev in (lab.c["nic"],) and ctx.by_ns(ns):
        raise Skip
    # a switch over all devices changes each: put each back
    allkeys = lab.nsx(ns, "sysctl", "-a", "--pattern", r"(%s|ip_forward|forwarding)$" % key.split("/")[-1], check=False)
    old = [l.split(" = ") for l in allkeys.split("\n") if " = " in l]
    def back():
        for k, v in old:
            lab.nsx(ns, "sysctl", "-qw", "%s=%s" % (k.strip(), v.strip()), check=False)
    ctx.on_undo(back)
    ctx.undos[-1], ctx.undos[-2] = ctx.undos[-2], ctx.undos[-1]
    r = lab.nsx(ns, "sysctl", "-w", "%s=%s" % (key, val), check=False)
    if "=" not in r or "permission" in r:
        raise Skip
    if key.endswith("nf_conntrack_max"):
        raise Skip
    return "%s %s=%s" % (ctx.short(ns), key, val)


@fault
def sysctl_pair(ctx, rng):
    """Settings that work together: of all devices and of one."""
    ns = ctx.host()
    lab = ctx.lab
    dev = rng.choice(ctx.links(ns))
    key = rng.choice(["rp_filter", "rp_filter", "src_valid_mark", "accept_local", "arp_ignore", "arp_filter", "forwarding", "route_localnet",
            "proxy_arp", "arp_announce"])
    if key in ("src_valid_mark", "accept_local"):
        extra = [("net/ipv4/conf/%s/rp_filter" % d, rng.choice("12")) for d in {"all", dev} if rng.random() < .8]
    else:
        extra = []
    top = {"rp_filter": "012", "arp_ignore": "0128", "arp_announce": "012"}.get(key, "01")
    sets = [("net/ipv4/conf/%s/%s" % (d, key), rng.choice(top)) for d in ("all", dev)] + extra
    full(ctx, ns)
    for k in dict(sets):
        text = lab.nsx(ns, "sysctl", "-a", "--pattern", k.split("/")[-1] + "$", check=False)
        old = [l.split(" = ") for l in text.split("\n") if " = " in l]
        def back(old=old):
            for a, v in old:
                lab.nsx(ns, "sysctl", "-qw", "%s=%s" % (a.strip(), v.strip()), check=False)
        ctx.on_undo(back)
    for k, v in sets:
        lab.nsx(ns, "sysctl", "-qw", "%s=%s" % (k, v), check=False)
    return "%s %s" % (ctx.short(ns), " ".join("%s=%s" % (k.replace("net/ipv4/conf/", ""), v) for k, v in sets))


@fault
def rule_change(ctx, rng):
    """A policy rule gets another preference, table or selector: those of user-defined networks and egress IPs."""
    ns = ctx.node().ns
    lab = ctx.lab
    fam = rng.choice(["-4", "-4", "-6"])
    own = [x for x in lab.ip(ns, fam, "rule").split("\n") if x.strip() and not re.search(r"lookup (local|main|default)", x)]
    if not own:
        raise Skip
    pr, w = rng.choice(own).split(":", 1)
    w = w.split()
    how = rng.choice(["delete", "prio", "table", "from", "unreachable"])
    back = [fam, "rule", "add", "prio", pr] + w
    ctx.on_undo(lambda: lab.ip(ns, *back, check=False))
    lab.ip(ns, fam, "rule", "del", "prio", pr, *w)
    if how == "delete":
        return "%s del rule %s: %s" % (ctx.short(ns), pr, " ".join(w))
    new = list(w)
    p = pr
    if how == "prio":
        p = rng.choice(["1", "29999", "32766", "32768"])
    elif how == "table":
        new[-1] = rng.choice(["main", "local", "4242"])
    elif how == "from":
        new = ["from", rng.choice(ctx.addrs()) if fam == "-4" else ctx.server6()] + [x for x in new if x not in ("from", "all")]
    else:
        new = new[:new.index("lookup")] + ["unreachable"] if "lookup" in new else new
    ctx.x(ns, ["ip", fam, "rule", "add", "prio", p] + new, ["ip", fam, "rule", "del", "prio", p] + new, check=False)
    return "%s rule %s: %s -> %s: %s" % (ctx.short(ns), pr, " ".join(w), p, " ".join(new))


@fault
def table_route(ctx, rng):
    """A route of another table than main is deleted or leads elsewhere."""
    ns = ctx.node().ns
    lab = ctx.lab
    rs = [x.strip() for x in lab.ip(ns, "-4", "route", "show", "table", "all").split("\n") if re.search(r"table \d+", x)]
    if not rs:
        raise Skip
    r = rng.choice(rs).replace(" linkdown", "")
    how = rng.choice(["delete", "blackhole", "via"])
    full(ctx, ns)
    lab.ip(ns, "route", "del", *r.split())
    table = re.search(r"table (\d+)", r).group(1)
    if r.startswith("unreachable") or "proto kernel" in r:
        ctx.on_undo(lambda: lab.ip(ns, "route", "add", *r.split(), check=False))
    dst = r.split()[0] if not r.startswith("unreachable") else "default"
    if how == "blackhole":
        ctx.x(ns, ["ip", "route", "add", "blackhole", dst, "table", table], ["ip", "route", "del", "blackhole", dst, "table", table], check=False)
    if how == "via":
        ctx.x(ns, ["ip", "route", "add", dst, "via", rng.choice([n.ip for n in lab.nodes]), "dev", "br-ex", "onlink", "table", table],
                ["ip", "route", "del", dst, "dev", "br-ex", "table", table], check=False)
    return "%s %s: %s" % (ctx.short(ns), r, how)


@fault
def six_address(ctx, rng):
    lab = ctx.lab
    if not lab.v6:
        raise Skip
    ns = ctx.host()
    full(ctx, ns)
    own = [(l["ifname"], a) for l in json.loads(lab.ip(ns, "-j", "-6", "addr")) for a in l["addr_info"] if l["ifname"] != "lo"]
    if not own:
        raise Skip
    d, a = rng.choice(own)
    s = "%s/%d" % (a["local"], a["prefixlen"])
    how = rng.choice(["del", "dup", "neigh"])
    if how == "del":
        ctx.x(ns, ["ip", "addr", "del", s, "dev", d], ["ip", "addr", "add", s, "dev", d, "nodad"])
    elif how == "dup":
        s = rng.choice([p["ip6"] for p in lab.pods] + [lab.v6["server"]] + [n.ip6 for n in lab.nodes]) + "/128"
        if s.split("/")[0] in lab.ip(ns, "-6", "addr"):
            raise Skip
        ctx.x(ns, ["ip", "addr", "add", s, "dev", d, "nodad"], ["ip", "addr", "del", s, "dev", d])
    else:
        s = rng.choice([n.ip6 for n in lab.nodes] + [n.router_ip6 for n in lab.nodes] + [n.gw6 for n in lab.nodes])
        ctx.x(ns, ["ip", "neigh", "replace", s, "lladdr", "52:54:00:de:ad:02", "dev", d, "nud", "permanent"], ["ip", "neigh", "del", s, "dev", d])
    return "%s %s %s %s" % (ctx.short(ns), d, s, how)
