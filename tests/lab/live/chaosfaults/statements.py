"""Statements of nft and targets of iptables that are seldom seen."""
from .base import *

# Where they may stand, and the statement.
FILTER = [("prerouting -300", "notrack"), ("prerouting -300", "ct zone set 5"), ("output -300", "ct zone set 5"), ("prerouting -150", "ct mark set 0x2"),
          ("output -150", "ct mark set meta mark"), ("prerouting -150", "meta mark set ct mark or 0x2"),
          ("prerouting -300", "ip saddr set %(a)s"), ("prerouting -300", "ip daddr set %(a)s"), ("forward 0", "ip ttl set 1"), ("postrouting 0",
                  "ip ttl set 1"), ("output 0", "ip daddr set %(a)s"), ("prerouting -300", "tcp dport set 9100"),
          ("prerouting -150", "ether daddr set 0a:58:00:00:00:01"), ("prerouting -150", "meta pkttype set other"), ("prerouting -150",
                  "meta pkttype set host"), ("input 0", "log prefix \"chaos\" drop"), ("prerouting -150", "meta nftrace set 1"),
          ("input 0", "queue num 5 bypass"), ("forward 0", "queue num 5"), ("input 0", "reject with icmpx port-unreachable"), ("forward 0",
                  "reject with icmpx host-unreachable"), ("output 0", "reject with icmpx no-route"),
          ("input 0", "reject with tcp reset"), ("forward 0", "reject with icmp type net-prohibited"), ("prerouting -150", "reject"), ("forward 0",
                  "meta priority set 1:2"), ("postrouting 0", "tcp option maxseg size set rt mtu"),
          ("prerouting -150", "ip dscp set cs1"), ("output -150", "meta mark set 0x3f0"), ("output 0", "meta mark set jhash ip saddr mod 2"), ("forward 0",
                  "ct status dnat accept"), ("prerouting -150", "limit rate over 1/second burst 1 packets drop"),
          ("prerouting -150", "meta l4proto tcp tproxy to :9100 accept"), ("prerouting -150",
                                                                           "meta l4proto tcp tproxy to 127.0.0.1:9100 meta mark set 1 accept"), ("input 0",
                                                                                   "continue"), ("prerouting -150", "ct helper set \"none\""),
          ("prerouting -150", "tcp flags set 0"), ("forward -150", "ip protocol set 17"), ("postrouting 300", "drop"), ("input 300",
                  "ct state established accept"), ("prerouting -401", "drop"), ("forward -500", "drop")]
NAT = [("prerouting -110", "dnat %(ip)sto %(a)s:8080"), ("prerouting -110", "dnat %(ip)sto %(a)s random"), ("prerouting -110", "redirect"), ("prerouting -110",
        "redirect to :9100"), ("prerouting -110", "dnat %(ip)sto ip daddr map { %(a)s : %(b)s, %(b)s : %(a)s }"),
       ("prerouting -110", "dnat %(ip)sto numgen inc mod 2 map { 0 : %(a)s, 1 : %(b)s }"), ("prerouting -110",
                                                                                            "dnat %(ip)sto tcp dport map { 80 : %(a)s, 8080 : %(b)s }"), ("output -110", "dnat %(ip)sto %(a)s"), ("output -110", "redirect to :9100"),
       ("postrouting 90", "masquerade"), ("postrouting 90", "masquerade random"), ("postrouting 90", "masquerade fully-random"), ("postrouting 90",
               "masquerade to :40000-40010"), ("postrouting 90", "snat %(ip)sto %(a)s"),
       ("postrouting 90", "snat %(ip)sto %(a)s:40000-40100"), ("postrouting 90", "snat %(ip)sto %(low)s-%(high)s"), ("postrouting 90",
               "snat %(ip)sto %(a)s persistent"), ("postrouting 90", "snat %(ip)sto ip saddr map { %(a)s : %(b)s }"),
       ("postrouting 90", "return"), ("postrouting 90", "accept"), ("input 90", "snat %(ip)sto %(a)s"), ("prerouting -110", "accept"), ("postrouting 90",
               "snat %(ip)sto %(a)s/24"), ("prerouting -110", "dnat %(ip)sto %(low)s-%(high)s")]
WHICH = ["", "ip daddr %(x)s", "ip saddr %(x)s", "tcp dport { 80, 8080, 9100 }", "meta l4proto udp", "ct state new", "iifname %(dev)s", "oifname %(dev)s",
         "ip protocol icmp"]


@fault
def nft_statement(ctx, rng):
    ns = ctx.host()
    a, b, x = rng.sample(sorted(set(ctx.addrs())), 3)
    low, high = sorted([a, b], key=ipaddress.ip_address)
    kind, (where, statement) = rng.choice([("filter", rng.choice(FILTER)), ("nat", rng.choice(NAT))])
    hook, priority = where.split()
    family = rng.choice(["inet", "ip"])
    words = {"a": a, "b": b, "x": x, "low": low, "high": high, "ip": "ip " if family == "inet" else "", "dev": rng.choice(ctx.links(ns))}
    which = rng.choice([w for w in WHICH if not (hook in ("prerouting", "input") and "oif" in w or hook in ("output", "postrouting") and "iif" in w)]) % words
    statement = statement % words
    if kind == "nat" and "meta" not in which and re.search(r":\d|redirect|tcp dport", statement):
        which += " meta l4proto tcp"
    body = "chain c { type %s hook %s priority %s; policy accept; %s counter %s; }" % (kind, hook, priority, which, statement)
    ctx.load_nft(ns, family, body)
    return "%s nft %s { %s }" % (ctx.short(ns), family, body)


@fault
def nft_netdev(ctx, rng):
    """Statements of the device's own hooks: to another device, twice, or with another address."""
    ns = ctx.host()
    dev, to = rng.sample(ctx.links(ns), 2) if len(ctx.links(ns)) > 1 else ctx.links(ns) * 2
    a, x = rng.sample(ctx.addrs(), 2)
    which = rng.choice(["ip daddr %s" % x, "ip saddr %s" % x, "tcp dport 8080", "ip protocol icmp", "udp dport 6081", "arp operation request", "ether type arp",
                        "ip6 nexthdr icmpv6", "meta protocol ip", "vlan id 5"])
    statement = rng.choice(["fwd to %s" % to, "dup to %s" % to, "ip daddr set %s" % a, "ip saddr set %s" % a, "ip ttl set 1", "drop", "meta mark set 0x3f0",
                            "fwd ip to %s device %s" % (a, to), "ether daddr set 0a:58:00:00:00:01", "limit rate 1/minute accept"])
    body = 'chain c { type filter hook %s device "%s" priority 0; policy accept; %s counter %s; }' % (rng.choice(["ingress", "ingress", "egress"]), dev, which,
            statement)
    ctx.load_nft(ns, "netdev", body)
    return "%s nft netdev { %s }" % (ctx.short(ns), body)


TARGETS = [("raw PREROUTING", "CT --notrack"), ("raw PREROUTING", "TRACE"), ("mangle PREROUTING", "TOS --set-tos 0x10"), ("mangle PREROUTING",
        "HMARK --hmark-tuple src --hmark-mod 5 --hmark-offset 1 --hmark-rnd 7"), ("mangle PREROUTING", "CONNMARK --set-xmark 0x2/0x2"),
           ("mangle PREROUTING", "MARK --xor-mark 0x2"), ("mangle PREROUTING", "MARK --or-mark 0x3f0"), ("mangle OUTPUT",
                   "MARK --and-mark 0x0"), ("filter INPUT", "NFQUEUE --queue-num 3 --queue-bypass"), ("filter FORWARD", "NFQUEUE --queue-num 3"),
           ("filter INPUT", "NFLOG"), ("filter INPUT", "LOG --log-prefix chaos"), ("filter INPUT",
                                                                                   "REJECT --reject-with icmp-port-unreachable"), ("filter FORWARD",
                                                                                           "REJECT --reject-with icmp-net-unreachable"), ("filter OUTPUT",
                                                                                                   "REJECT --reject-with icmp-admin-prohibited"),
           ("filter FORWARD", "REJECT --reject-with icmp-proto-unreachable"), ("nat PREROUTING", "DNAT --to-destination %(low)s-%(high)s"), ("nat PREROUTING",
                   "DNAT --to-destination %(a)s --persistent"), ("nat POSTROUTING", "SNAT --to-source %(low)s-%(high)s"),
           ("nat POSTROUTING", "SNAT --to-source %(a)s --random-fully"), ("nat POSTROUTING", "MASQUERADE --random-fully"), ("nat POSTROUTING",
                   "NETMAP --to %(a)s/32"), ("nat OUTPUT", "NETMAP --to %(a)s/32"), ("nat OUTPUT", "DNAT --to-destination %(a)s"), ("nat INPUT",
                           "SNAT --to-source %(a)s"),
           ("mangle POSTROUTING", "CHECKSUM --checksum-fill"), ("mangle FORWARD", "TTL --ttl-inc 5"), ("mangle POSTROUTING",
                   "TTL --ttl-set 1"), ("mangle PREROUTING", "TTL --ttl-dec 62"), ("mangle PREROUTING", "DSCP --set-dscp-class EF"),
           ("filter INPUT", "AUDIT --type drop"), ("filter INPUT", "IDLETIMER --timeout 5 --label x"), ("mangle FORWARD",
                   "TEE --gateway %(a)s"), ("mangle FORWARD", "CLASSIFY --set-class 1:1"), ("raw OUTPUT", "CT --zone 9"), ("security INPUT",
                           "DROP"), ("security OUTPUT", "DROP")]


@fault
def iptables_target(ctx, rng):
    ns = ctx.host()
    a, b, x = rng.sample(sorted(set(ctx.addrs())), 3)
    low, high = sorted([a, b], key=ipaddress.ip_address)
    where, target = rng.choice(TARGETS)
    match = rng.choice([[], ["-d", x], ["-s", x], ["-p", "tcp"], ["-p", "udp"], ["-p", "tcp", "--dport", "8080"], ["-d", x + "/24"], ["-p", "icmp"]])
    table, chain = where.split()
    rule = match + ["-j"] + (target % {"a": a, "low": low, "high": high}).split()
    try:
        ctx.x(ns, ["iptables", "-w", "-t", table, "-I", chain] + rule, ["iptables", "-w", "-t", table, "-D", chain] + rule)
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    if table == "security":
        ctx.undos.insert(-1, lambda: ctx.lab.nsx(ns, "nft", "delete", "table", "ip", "security", check=False))
    return "%s -t %s -I %s %s" % (ctx.short(ns), table, chain, " ".join(rule))
