"""Rules of iptables and nft."""
from .base import *


def some_match(ctx, rng, ns, chain, six=False):
    m = []
    while not m:
        if rng.random() < .45:
            m += ["-d", rng.choice(ctx.addrs()) + rng.choice(["/32", "/24"])]
        if rng.random() < .35:
            m += ["-s", rng.choice(ctx.addrs()) + rng.choice(["/32", "/24"])]
        if rng.random() < .5:
            p = rng.choice(["tcp", "udp", "icmp"])
            m += ["-p", p]
            if p == "tcp":
                k = rng.random()
                if k < .4:
                    m += ["--dport", str(rng.choice([8080, 9000, 9100, 80, 8443, 31206]))]
                elif k < .5:
                    m += ["--sport", str(rng.choice([8080, 9000, 9100, 80, 8443, 31206]))]
                elif k < .6:
                    m += rng.choice([["--syn"], ["--tcp-flags", "SYN,ACK", "SYN,ACK"], ["!", "--syn"]])
                elif k < .7:
                    m += ["-m", "multiport", "--dports", "8080,80"]
            if p == "udp" and rng.random() < .6:
                m += ["--dport", str(rng.choice([6081, 6081, 8080, 80, 9100]))]
            if p == "icmp" and rng.random() < .5:
                m += ["--icmp-type", rng.choice(["echo-request", "echo-reply", "3"])]
        if rng.random() < .25 and chain in ("PREROUTING", "INPUT", "FORWARD"):
            m += ["-i", rng.choice(ctx.links(ns))]
        if rng.random() < .25 and chain in ("OUTPUT", "POSTROUTING", "FORWARD"):
            m += ["-o", rng.choice(ctx.links(ns))]
        if rng.random() < .15:
            m += ["-m", "conntrack", "--ctstate", rng.choice(["NEW", "ESTABLISHED", "INVALID", "RELATED,ESTABLISHED", "DNAT", "UNTRACKED"])]
        if rng.random() < .06:
            m += ["-m", "mark", "--mark", rng.choice(["0x3f0", "0x2", "0x1745ec"])]
        if rng.random() < .05:
            m += ["-m", "ttl", "--ttl-lt", "64"]
        if rng.random() < .05:
            m += ["-m", "addrtype", "--dst-type", rng.choice(["LOCAL", "UNICAST"])]
        if rng.random() < .04:
            m += ["-m", "limit", "--limit", "1/min", "--limit-burst", "1"]
        if rng.random() < .04 and chain == "PREROUTING":
            m += ["-m", "rpfilter"] + rng.choice([["--invert"], []])
        if rng.random() < .04:
            m += ["-m", "length", "--length", "0:70"]
        if rng.random() < .03:
            m += ["-m", "statistic", "--mode", "nth", "--every", "2", "--packet", "0"]
        if rng.random() < .03:
            m += ["-m", "dscp", "--dscp", "0"]
    return m


@fault
def iptables(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    table, chains, targets = rng.choice([
        ("filter", ["INPUT", "FORWARD", "OUTPUT"], [["DROP"], ["REJECT"], ["REJECT", "--reject-with", "tcp-reset"],
        ["REJECT", "--reject-with", "icmp-host-prohibited"], ["ACCEPT"]]),
        ("filter", ["INPUT", "FORWARD", "OUTPUT"], [["DROP"], ["REJECT"]]),
        ("nat", ["PREROUTING", "OUTPUT"], [["DNAT", "--to-destination", None], ["REDIRECT", "--to-ports", "9100"], ["ACCEPT"], ["RETURN"],
        ["DNAT", "--to-destination", ":9000"], ["NETMAP", "--to", lab.nodes[-1].subnet]]),
        ("nat", ["POSTROUTING", "INPUT"], [["SNAT", "--to-source", None], ["MASQUERADE"], ["ACCEPT"], ["MASQUERADE", "--to-ports", "50000-50010"],
        ["SNAT", "--to-source", None, "--random"]]),
        ("raw", ["PREROUTING", "OUTPUT"], [["DROP"], ["CT", "--notrack"], ["NOTRACK"], ["CT", "--zone", "5"]]),
        ("mangle", ["PREROUTING", "INPUT", "FORWARD", "OUTPUT", "POSTROUTING"],
        [["DROP"], ["MARK", "--set-mark", "0x1745ec"], ["MARK", "--set-xmark", "0x3f0/0x3f0"], ["TTL", "--ttl-set", "1"], ["TTL", "--ttl-dec", "1"],
        ["CONNMARK", "--set-mark", "5"], ["DSCP", "--set-dscp", "46"], ["TCPMSS", "--set-mss", "500"], ["TEE", "--gateway", lab.router["inside_ip"]],
        ["TPROXY", "--on-port", "9100"], ["CLASSIFY", "--set-class", "1:1"]])])
    chain = rng.choice(chains)
    t = list(rng.choice(targets))
    if t[0] in ("MASQUERADE", "TCPMSS", "TPROXY") and chain == "INPUT":
        raise Skip
    t = [x if x is not None else rng.choice(ctx.addrs() + ([] if t[0] == "SNAT" else [lab.pods[0]["ip"] + ":8080"])) for x in t]
    m = some_match(ctx, rng, ns, chain)
    if t[:3] == ["REJECT", "--reject-with", "tcp-reset"] and "tcp" not in m:
        raise Skip
    if t[0] == "TCPMSS":
        m = ["-p", "tcp", "--tcp-flags", "SYN,RST", "SYN"]
    if "--to-ports" in t or (t[0] == "DNAT" and ":" in t[-1]) or t[0] == "TPROXY":
        if not ("tcp" in m or "udp" in m):
            raise Skip
    ins = rng.choice(["-I", "-I", "-A"])
    try:
        ctx.x(ns, ["iptables", "-w", "-t", table, ins, chain] + m + ["-j"] + t, ["iptables", "-w", "-t", table, "-D", chain] + m + ["-j"] + t)
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    return "%s -t %s %s %s %s -j %s" % (ctx.short(ns), table, ins, chain, " ".join(m), " ".join(t))


@fault
def iptables_delete(ctx, rng):
    ns = ctx.node().ns
    lab = ctx.lab
    tool = rng.choice(["iptables", "ip6tables"])
    t = None
    rs = []
    for l in lab.nsx(ns, tool + "-save").split("\n"):
        if l.startswith("*"):
            t = l[1:]
        if l.startswith("-A"):
            rs.append((t, l))
    if not rs:
        raise Skip
    how = rng.choice(["rule", "rule", "policy"])
    if how == "policy":
        ch = rng.choice(["INPUT", "OUTPUT", "FORWARD"])
        pol = [l for l in lab.nsx(ns, tool, "-S").split("\n") if l.startswith("-P " + ch)][0].split()[2]
        new = "ACCEPT" if pol == "DROP" else "DROP"
        ctx.x(ns, [tool, "-P", ch, new], [tool, "-P", ch, pol])
        return "%s %s policy %s %s" % (ctx.short(ns), tool, ch, new)
    t, l = rng.choice(rs)
    ctx.keep_iptables(ns, tool)
    lab.nsx(ns, "sh", "-c", "%s -t %s %s" % (tool, t, l.replace("-A ", "-D ", 1)))
    return "%s %s -t %s del %s" % (ctx.short(ns), tool, t, l)


@fault
def nft(ctx, rng):
    ns = ctx.host()
    lab = ctx.lab
    fam = rng.choice(["ip", "inet", "inet", "netdev", "arp", "ip6"])
    dev = rng.choice(ctx.links(ns))
    a, b = rng.sample(ctx.addrs(), 2)
    ms = ["ip daddr %s" % a, "ip saddr %s" % a, "ip saddr %s ip daddr %s" % (a, b), "tcp dport { 8080, 9000, 9100 }", "tcp dport 80",
            "tcp sport 8080", "udp dport 6081", "meta l4proto icmp", "ip ttl < 64", "ct state new", "ct state established", "ct state invalid",
            "tcp flags syn / syn,ack", "ip protocol tcp", "fib saddr . iif oif 0", "fib daddr type local",
          "meta mark 0x3f0", "ip daddr %s/24" % a, "tcp flags & (syn|ack) == (syn|ack)", "ip daddr . tcp dport { %s . 8080, %s . 80 }" % (a, b),
          "ct original ip daddr %s" % a, "iifname \"%s\"" % dev, "meta pkttype host", "ether saddr 52:54:00:00:00:01", "ip length < 70",
          "tcp option maxseg exists", "ct status dnat", "meta length < 90", "ip dscp 0", "numgen inc mod 2 == 0", "ct count over 1"]
    if fam == "arp":
        hook = rng.choice(["input", "output"])
        body = "chain c { type filter hook %s priority 0; policy accept; %s drop; }" % (hook,
                rng.choice(["arp operation request", "arp operation reply", "arp saddr ip %s" % a]))
    elif fam == "netdev":
        hook = rng.choice(["ingress", "egress"])
        m = rng.choice([x for x in ms if not x.startswith(("ct", "fib", "meta mark"))])
        body = 'chain c { type filter hook %s device "%s" priority 0; policy accept; %s counter %s; }' % (hook, dev, m,
                rng.choice(["drop", "drop", "ip ttl set 1 accept", "accept"]))
    elif fam == "ip6":
        body = "chain c { type filter hook %s priority 0; policy accept; %s; }" % (rng.choice(["input", "forward", "output", "prerouting"]),
                rng.choice(["meta l4proto tcp drop", "udp dport 80 drop", "icmpv6 type { nd-neighbor-solicit } drop", "ip6 daddr %s drop" % ctx.server6(),
                "tcp dport 8080 reject"]))
    else:
        typ = rng.choice(["filter", "filter", "filter", "nat", "route"])
        if typ == "filter":
            hook = rng.choice(["prerouting", "input", "forward", "output", "postrouting"])
            pri = rng.choice([-350, -300, -150, 0, 10, 200])
            verdict = rng.choice(["drop", "drop", "reject" if hook not in ("prerouting", "postrouting") else "drop", "accept",
                    "notrack" if hook in ("prerouting", "output") and pri <= -300 else "drop", "meta mark set 0x1745ec", "ip ttl set 2",
                    "ct mark set 7", "limit rate over 1/minute drop", "tcp option maxseg size set 536", "ip dscp set ef",
                    "reject with tcp reset" if hook not in ("prerouting", "postrouting") else "drop", "jump d", "goto d", "return"])
            body = "chain d { %s counter drop; }\nchain c { type filter hook %s priority %d; policy accept; %s counter %s; }" % (rng.choice(["ip protocol tcp", "ip protocol udp", "tcp dport 8080"]), hook, pri, rng.choice(ms), verdict)
            if rng.random() < .1:
                body = body.replace("policy accept; ", "policy drop; ct state established,related accept; ip protocol udp accept; ")
        elif typ == "nat":
            hook = rng.choice(["prerouting", "output", "postrouting", "input"])
            pri = rng.choice([-150, -100, 100, 50])
            ipx = "ip " if fam == "inet" else ""
            v = {"prerouting": ["dnat %sto %s" % (ipx, a), "redirect to :9100", "dnat %sto %s:8080" % (ipx, a), "accept"],
                    "output": ["dnat %sto %s" % (ipx, b), "redirect to :9100"], "postrouting": ["masquerade", "snat %sto %s" % (ipx, b), "accept"],
                    "input": ["snat %sto %s" % (ipx, b)]}[hook]
            body = "chain c { type nat hook %s priority %d; policy accept; ip protocol tcp %s counter %s; }" % (hook, pri, rng.choice(ms), rng.choice(v))
        else:
            body = "chain c { type route hook output priority -150; policy accept; %s counter meta mark set %s; }" % (rng.choice(ms), rng.choice(["0x1745ec", "0x3f0"]))
    ctx.load_nft(ns, fam, body)
    return "%s nft %s { %s }" % (ctx.short(ns), fam, body)


@fault
def nft_delete(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    t = lab.nsx(n.ns, "nft", "-a", "list", "table", "inet", "ovn-kubernetes")
    cur, rs = None, []
    for l in t.split("\n"):
        m = re.match(r"\s+chain (\S+) ", l)
        if m:
            cur = m.group(1)
        m = re.search(r"# handle (\d+)$", l)
        if m and cur and "chain" not in l and "type nat" not in l:
            rs.append((cur, m.group(1), l.strip()))
    ctx.keep_nft(n.ns)
    c, h, l = rng.choice(rs)
    lab.nsx(n.ns, "nft", "delete", "rule", "inet", "ovn-kubernetes", c, "handle", h)
    return "%s nft delete %s %s" % (n.name, c, l)


# As firewalld writes it: zones by device, what is established or has its destination translated passes, the rest is rejected or dropped.
FIREWALLD = """ chain filter_INPUT { type filter hook input priority filter + 10; policy accept;
  ct state { established, related } accept
  ct status dnat accept
  iifname "lo" accept
  ct state invalid drop
  jump zones
  %(last)s;
 }
 chain filter_FORWARD { type filter hook forward priority filter + 10; policy accept;
  ct state { established, related } accept
  ct status dnat accept
  iifname "lo" accept
  %(forward)s
  %(last)s;
 }
 chain filter_OUTPUT { type filter hook output priority filter + 10; policy accept; ct state { established, related } accept; oifname "lo" accept; }
 chain zones { iifname "%(device)s" goto public; iifname { %(trusted)s } accept; goto public; }
 chain public { tcp dport %(open)s ct state { new, untracked } accept; meta l4proto { icmp, ipv6-icmp } accept; }
"""


@fault
def firewalld(ctx, rng):
    """A host's own firewall that came beside the rules of OVN-Kubernetes."""
    ns = ctx.host()
    links = ctx.links(ns)
    words = {"last": rng.choice(["reject with icmpx admin-prohibited", "reject with icmpx admin-prohibited", "drop"]),
             "device": rng.choice(links), "open": rng.choice(["22", "{ 22, 8080 }", "{ 22, 9000, 9100 }"]),
             "trusted": ", ".join('"%s"' % d for d in rng.sample(links, min(len(links), rng.choice([1, 2])))),
             "forward": rng.choice(["", 'iifname "%s" accept' % rng.choice(links), 'oifname "%s" accept' % rng.choice(links)])}
    ctx.load_nft(ns, "inet", FIREWALLD % words)
    return "%s firewalld %s" % (ctx.short(ns), words)
