"""Elements of nft sets and maps, and rules of table inet ovn-kubernetes moved or added."""
from .base import *

TABLE = ("inet", "ovn-kubernetes")


def sets_of(ctx, n):
    return [x[k] for x in json.loads(ctx.lab.nsx(n.ns, "nft", "-j", "list", "table", *TABLE))["nftables"] for k in ("set", "map") if k in x]


def word(x):
    """An element as nft reads it."""
    if isinstance(x, list):
        return "%s : %s" % (word(x[0]), word(x[1]))
    if isinstance(x, dict):
        if "elem" in x:
            return word(x["elem"]["val"])
        if "concat" in x:
            return " . ".join(word(y) for y in x["concat"])
        if "prefix" in x:
            return "%s/%d" % (x["prefix"]["addr"], x["prefix"]["len"])
        if "range" in x:
            return "%s-%s" % tuple(x["range"])
        if "jump" in x or "goto" in x:
            return " ".join([list(x)[0], list(x.values())[0]["target"]])
        return list(x)[0]
    return '"%s"' % x if isinstance(x, str) and re.match(r"[a-z][-\w]*\d$", x) else str(x)


@fault
def nft_element(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    filled = [s for s in sets_of(ctx, n) if s.get("elem")]
    if not filled:
        raise Skip
    s = rng.choice(filled)
    e = rng.choice(s["elem"])
    how = rng.choice(["delete", "delete", "flush", "value"])
    ctx.keep_nft(n.ns)
    run = lambda *a: lab.nsx(n.ns, "nft", *a)
    key = word(e[0] if isinstance(e, list) else e)
    if how == "flush":
        run("flush", "set" if "map" not in s else "map", *TABLE, s["name"])
    else:
        run("delete", "element", *TABLE, s["name"], "{ %s }" % key)
        if how == "value":
            if not isinstance(e, list):
                raise Skip
            v = word(e[1])
            w = re.sub(r"^[\d.]+", rng.choice(ctx.addrs()), v) if "." in v else v
            if " . " in v and rng.random() < .5:
                w = re.sub(r"\d+$", "9000", v)
            if w == v:
                raise Skip
            run("add", "element", *TABLE, s["name"], "{ %s : %s }" % (key, w))
            how += " " + w
    return "%s nft %s %s %s" % (n.name, s["name"], key, how)


@fault
def nft_element_add(ctx, rng):
    """Elements in sets that make rules match what they should not."""
    n = ctx.node()
    lab = ctx.lab
    s = rng.choice(sets_of(ctx, n))
    t = s["type"] if isinstance(s["type"], list) else [s["type"]]
    values = {"ipv4_addr": lambda: rng.choice(ctx.addrs()), "inet_proto": lambda: rng.choice(["tcp", "udp"]),
            "inet_service": lambda: str(rng.choice([80, 8080, 9000, 9100])), "ifname": lambda: '"%s"' % rng.choice(ctx.links(n.ns)),
            "mark": lambda: "0x3f0", "ether_addr": lambda: "52:54:00:0f:0f:0f"}
    if any(x not in values for x in t):
        raise Skip
    key = " . ".join(values[x]() for x in t)
    item = key
    if "map" in s:
        m = s["map"] if isinstance(s["map"], list) else [s["map"]]
        if m == ["verdict"]:
            item += " : drop"
        elif any(x not in values for x in m):
            raise Skip
        else:
            item += " : " + " . ".join(values[x]() for x in m)
    ctx.keep_nft(n.ns)
    try:
        lab.nsx(n.ns, "nft", "add", "element", *TABLE, s["name"], "{ %s }" % item)
    except RuntimeError:
        raise Skip
    return "%s nft add %s { %s }" % (n.name, s["name"], item)


@fault
def nft_rule(ctx, rng):
    """A rule before or after the others of a chain of OVN-Kubernetes."""
    n = ctx.node()
    lab = ctx.lab
    chains = re.findall(r"chain (\S+) \{", lab.nsx(n.ns, "nft", "list", "table", *TABLE))
    c, a = rng.choice(chains), rng.choice(ctx.addrs())
    ctx.keep_nft(n.ns)
    rule = rng.choice(["ip daddr %s" % a, "ip saddr %s" % a, "meta l4proto tcp", "tcp dport { 8080, 9100, 9000 }", "tcp sport 8080",
            "udp dport 6081", "meta mark 0x3f0", "ct state new", "ct direction reply", "oifname br-ex", "iifname br-ex",
            "ip saddr @remote-node-ips-v4" if rng.random() < .3 else "ip daddr != %s" % a])
    verdict = rng.choice(["drop", "return", "accept", "meta mark set 0x1745ec", "ct mark set 0x2", "masquerade", "snat ip to %s" % a, "dnat ip to %s" % a, "reject"])
    op = rng.choice(["insert", "add"])
    try:
        lab.nsx(n.ns, "nft", op, "rule", *TABLE, c, "%s counter %s" % (rule, verdict))
    except RuntimeError:
        raise Skip
    return "%s nft %s %s %s %s" % (n.name, op, c, rule, verdict)


@fault
def iptables_reorder(ctx, rng):
    """Two rules of a chain change places, or one goes to the end or to the start."""
    ns = ctx.host()
    lab = ctx.lab
    tool = rng.choice(["iptables", "iptables", "ip6tables"])
    text = ctx.keep_iptables(ns, tool)
    table, chains = None, {}
    for l in text.split("\n"):
        if l.startswith("*"):
            table = l[1:]
        if l.startswith("-A"):
            chains.setdefault((table, l.split()[1]), []).append(l)
    many = [k for k, v in chains.items() if len(set(v)) > 1]
    if not many:
        raise Skip
    t, c = rng.choice(many)
    old = chains[t, c]
    new = list(old)
    i = rng.randrange(len(new))
    r = new.pop(i)
    new.insert(rng.choice([0, len(new)]), r)
    if new == old:
        raise Skip
    lines = ["*" + t, "-F " + c] + new + ["COMMIT"]
    lab.nsx(ns, tool + "-restore", "--noflush", inp="\n".join(lines) + "\n")
    return "%s %s -t %s %s: %s goes to %d" % (ctx.short(ns), tool, t, c, r, new.index(r) + 1)


@fault
def iptables_in_chain(ctx, rng):
    """A rule in a chain of OVN-Kubernetes."""
    ns = ctx.node().ns
    lab = ctx.lab
    t = rng.choice(["filter", "nat", "mangle"])
    chains = [l[1:].split()[0] for l in lab.nsx(ns, "iptables-save", "-t",
            t).split("\n") if l.startswith(":OVN") or l.startswith(":EGRESS")] + ({"nat": ["PREROUTING", "POSTROUTING", "OUTPUT"],
            "filter": ["FORWARD", "INPUT", "OUTPUT"], "mangle": ["PREROUTING", "OUTPUT"]}[t])
    c, a = rng.choice(chains), rng.choice(ctx.addrs())
    m = rng.choice([["-d", a], ["-s", a], ["-p", "tcp"], ["-p", "tcp", "--dport", "8080"], ["-p", "udp"], ["-m", "mark", "--mark", "0x3f0"],
            ["-m", "conntrack", "--ctstate", "NEW"], ["-m", "conntrack", "--ctdir", "REPLY"], []])
    j = rng.choice({"filter": [["DROP"], ["RETURN"], ["ACCEPT"], ["REJECT"]],
            "nat": [["RETURN"], ["ACCEPT"], ["SNAT", "--to-source", a], ["DNAT", "--to-destination", a], ["MASQUERADE"]],
            "mangle": [["MARK", "--set-mark", "0x1745ec"], ["RETURN"], ["DROP"], ["CONNMARK", "--save-mark"], ["CONNMARK", "--restore-mark"]]}[t])
    op = rng.choice(["-I", "-A"])
    try:
        ctx.x(ns, ["iptables", "-w", "-t", t, op, c] + m + ["-j"] + j, ["iptables", "-w", "-t", t, "-D", c] + m + ["-j"] + j)
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    return "%s -t %s %s %s %s -j %s" % (ctx.short(ns), t, op, c, " ".join(m), " ".join(j))


@fault
def ip6tables(ctx, rng):
    lab = ctx.lab
    if not lab.v6:
        raise Skip
    ns = ctx.host()
    six = [p["ip6"] for p in lab.pods] + [n.ip6 for n in lab.nodes] + [lab.v6["server"]] * 2 + [n.router_ip6 for n in lab.nodes]
    m = rng.choice([["-d", rng.choice(six)], ["-s", rng.choice(six)], ["-p", "tcp"], ["-p", "tcp", "--syn"], ["-p", "udp"],
            ["-p", "icmpv6", "--icmpv6-type", rng.choice(["135", "136", "128", "129", "134"])], ["-m", "hl", "--hl-lt", "64"],
            ["-m", "conntrack", "--ctstate", "NEW"], ["-m", "rpfilter", "--invert"]])
    t, c, j = rng.choice([("filter", "FORWARD", ["DROP"]), ("filter", "INPUT", ["REJECT"]), ("filter", "OUTPUT", ["DROP"]),
            ("filter", "FORWARD", ["REJECT", "--reject-with", "icmp6-adm-prohibited"]), ("raw", "PREROUTING", ["DROP"]),
            ("raw", "PREROUTING", ["CT", "--notrack"]), ("mangle", "PREROUTING", ["HL", "--hl-set", "1"]), ("mangle", "PREROUTING", ["DROP"]),
            ("nat", "POSTROUTING", ["MASQUERADE"]), ("nat", "POSTROUTING", ["SNAT", "--to-source", rng.choice(six)]),
            ("nat", "PREROUTING", ["DNAT", "--to-destination", rng.choice(six)]), ("mangle", "PREROUTING", ["MARK", "--set-mark", "0x3f0"])])
    try:
        ctx.x(ns, ["ip6tables", "-w", "-t", t, "-I", c] + m + ["-j"] + j, ["ip6tables", "-w", "-t", t, "-D", c] + m + ["-j"] + j)
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    return "%s -t %s %s %s -j %s" % (ctx.short(ns), t, c, " ".join(m), " ".join(j))
