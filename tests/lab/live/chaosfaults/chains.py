"""Chains that are empty or gone, and rules with matches that are seldom seen."""
from .base import *

COMMENTED = re.compile(r'[^\s"]+|"[^"]*"')


def chains_of_users(text):
    """(table, chain) of every chain that is no hook's own, in what iptables-save prints."""
    out, table = [], None
    for line in text.split("\n"):
        if line.startswith("*"):
            table = line[1:]
        elif line.startswith(":") and line.split()[1] == "-":
            out.append((table, line[1:].split()[0]))
    return out


@fault
def chain_lost(ctx, rng):
    """Emptied, or gone with what jumps to it."""
    ns = ctx.node().ns
    tool = rng.choice(["iptables", "iptables", "ip6tables"])
    text = ctx.keep_iptables(ns, tool)
    chains = chains_of_users(text)
    if not chains:
        raise Skip
    table, chain = rng.choice(chains)
    how = rng.choice(["flush", "delete"])
    if how == "delete":
        of_table = text.split("*%s\n" % table)[1].split("COMMIT")[0]
        for line in of_table.split("\n"):
            if re.search(r"-[jg] %s$" % re.escape(chain), line):
                words = [w.strip('"') for w in COMMENTED.findall(line)]
                ctx.lab.nsx(ns, tool, "-t", table, "-D", *words[1:])
    ctx.lab.nsx(ns, tool, "-t", table, "-F", chain)
    if how == "delete":
        ctx.lab.nsx(ns, tool, "-t", table, "-X", chain)
    return "%s %s -t %s %s %s" % (ctx.short(ns), tool, table, how, chain)


@fault
def nft_chain_flushed(ctx, rng):
    n = ctx.node()
    chain = rng.choice(re.findall(r"chain (\S+) \{", ctx.keep_nft(n.ns)))
    ctx.lab.nsx(n.ns, "nft", "flush", "chain", "inet", "ovn-kubernetes", chain)
    return "%s nft flush %s" % (n.name, chain)


def seldom_seen(ctx, rng):
    a, b = rng.sample(ctx.addrs(), 2)
    low, high = sorted([a, b], key=ipaddress.ip_address)
    return rng.choice([
        ["-m", "iprange", "--dst-range", "%s-%s" % (low, high)], ["-m", "iprange", "!", "--src-range", "%s-%s" % (low, high)],
        ["-p", "tcp", "-m", "conntrack", "--ctorigdst", a], ["-m", "conntrack", "--ctreplsrc", a], ["-m", "conntrack", "--ctorigsrc", a],
        ["-m", "conntrack", "--ctstatus", "SEEN_REPLY"], ["-m", "conntrack", "!", "--ctstatus", "CONFIRMED"], ["-m", "conntrack", "--ctexpire", "100:120"],
        ["-p", "tcp", "-m", "conntrack", "--ctorigdstport", "8080"], ["-m", "connmark", "--mark", "0x2"], ["-m", "connmark", "!", "--mark", "0x0/0x2"],
        ["-p", "tcp", "-m", "connlimit", "--connlimit-above", "0"], ["-m", "pkttype", "--pkt-type", "unicast"], ["-m", "tos", "--tos", "0x0/0xff"],
        ["-p", "tcp", "-m", "tcp", "--tcp-option", "8"], ["-p", "tcp", "-m", "tcp", "!", "--tcp-option", "3"], ["-p", "tcp", "-m", "tcpmss", "--mss", "1300:1500"],
        ["-p", "tcp", "--tcp-flags", "ALL", "ACK,PSH"], ["-f"], ["!", "-f", "-d", a], ["-m", "ttl", "--ttl-eq", "62"], ["-m", "ttl", "--ttl-gt", "63"],
        ["-m", "ecn", "--ecn-ip-ect", "0"], ["-m", "addrtype", "--src-type", "LOCAL", "--limit-iface-in"], ["-m", "addrtype", "!", "--dst-type", "LOCAL", "-d", a],
        ["-m", "addrtype", "--src-type", "UNICAST"], ["-m", "u32", "--u32", "6&0xFF=6"], ["-m", "u32", "--u32", "0>>22&0x3C@0&0xFFFF=8080"],
        ["-m", "string", "--string", "m1", "--algo", "bm"], ["-m", "bpf", "--bytecode", "4,48 0 0 9,21 0 1 6,6 0 0 1,6 0 0 0"],
        ["-m", "hashlimit", "--hashlimit-above", "1/min", "--hashlimit-burst", "1", "--hashlimit-name", "chaos", "--hashlimit-mode", "srcip"],
        ["-m", "recent", "--name", "chaos", "--set"], ["-m", "recent", "--name", "chaos", "--update", "--seconds", "60", "--hitcount", "1"],
        ["-m", "quota", "--quota", "100"], ["-m", "statistic", "--mode", "random", "--probability", "0.0"], ["-m", "statistic", "--mode", "random", "--probability", "1.0"],
        ["-m", "time", "--timestart", "00:00", "--timestop", "23:59:59"], ["-m", "time", "--weekdays", "Mon"], ["-m", "owner", "--uid-owner", "0"],
        ["-m", "owner", "--socket-exists"], ["-m", "socket"], ["-m", "socket", "--transparent"], ["-m", "mac", "--mac-source", "0a:58:00:00:00:01"],
        ["-m", "mac", "!", "--mac-source", "0a:58:00:00:00:01"], ["-m", "physdev", "--physdev-is-bridged"], ["-m", "cpu", "--cpu", "0"], ["-m", "realm", "--realm", "0"],
        ["-m", "devgroup", "--src-group", "0"], ["-m", "helper", "--helper", "ftp"], ["-m", "connbytes", "--connbytes", "3:", "--connbytes-dir", "both",
        "--connbytes-mode", "packets"], ["-m", "connlabel", "--label", "1"], ["-p", "icmp", "--icmp-type", "host-unreachable"], ["-p", "all", "-d", a, "-s", b],
        ["-p", "udp", "-m", "multiport", "!", "--ports", "6081,53"], ["-p", "tcp", "-m", "multiport", "--sports", "8000:9999"], ["-m", "rpfilter", "--loose", "--invert"],
        ["-m", "rpfilter", "--accept-local", "--invert"], ["-m", "rpfilter", "--validmark", "--invert"]])


@fault
def iptables_seldom(ctx, rng):
    """Matches that are seldom seen, two of them at times."""
    ns = ctx.host()
    table, chain = rng.choice([("filter", "INPUT"), ("filter", "FORWARD"), ("filter", "OUTPUT"), ("raw", "PREROUTING"), ("mangle", "PREROUTING"),
        ("mangle", "POSTROUTING"), ("mangle", "FORWARD"), ("nat", "PREROUTING"), ("nat", "POSTROUTING"), ("nat", "OUTPUT")])
    target = {"nat": ["ACCEPT"]}.get(table, rng.choice([["DROP"], ["DROP"], ["DROP"], ["REJECT"] if table == "filter" else ["MARK", "--set-mark", "0x3f0"]]))
    if chain == "POSTROUTING" and table == "nat":
        target = ["MASQUERADE"]
    if chain in ("PREROUTING", "OUTPUT") and table == "nat":
        target = ["DNAT", "--to-destination", rng.choice(ctx.addrs())]
    match = seldom_seen(ctx, rng)
    if rng.random() < .25:
        more = seldom_seen(ctx, rng)
        match = match + (more if "-p" not in match or "-p" not in more else [])
    rule = ["-t", table, "%s", chain] + match + ["-j"] + target
    try:
        ctx.x(ns, ["iptables", "-w"] + [w if w != "%s" else "-I" for w in rule], ["iptables", "-w"] + [w if w != "%s" else "-D" for w in rule])
    except RuntimeError:
        ctx.undos.pop()
        raise Skip
    return "%s -t %s -I %s %s -j %s" % (ctx.short(ns), table, chain, " ".join(match), " ".join(target))


# Of each the declarations that it needs, and the expression.
NFT_SELDOM = [("", x) for x in (
    "meta skuid 0", "meta skgid 0", "socket transparent 1", "socket wildcard 1", "rt mtu > 1400", "rt ip nexthop %(a)s", "fib daddr . iif type local",
    "fib daddr . iif type != local", "fib saddr oif 0", "fib saddr . mark oifname \"lo\"", "fib daddr check missing", "ct zone 0", "ct expiration < 1h",
    "ct original packets > 2", "ct reply bytes > 10", "ct packets > 1", "ct direction original", "ct direction reply", "ct original proto-dst 8080", "ct reply ip saddr %(a)s",
    "ct status & snat == snat", "ct status confirmed", "ct status seen-reply", "ct mark & 0x2 == 0x2", "ct label 1", "meta hour \"00:00\"-\"23:59\"", "meta day \"Monday\"",
    "meta time > \"2020-01-01 00:00:00\"", "meta cpu 0", "meta cgroup 0", "meta priority 0", "meta rtclassid 0", "meta iif lo", "meta oifgroup 0", "meta iifkind \"veth\"",
    "meta nfproto ipv4 meta l4proto tcp", "meta protocol ip", "ether type ip", "vlan id 5", "ip id 0", "ip frag-off & 0x4000 != 0", "ip version 4 ip hdrlength 5", "ip option rr exists",
    "@nh,72,8 6", "@th,16,16 8080", "@ll,96,16 0x800", "tcp window > 1000", "tcp option sack-perm exists", "tcp option timestamp missing", "tcp doff > 5", "tcp flags != syn",
    "tcp flags & (fin | syn | rst | ack) == syn", "tcp sequence > 0", "udp length > 20", "udp checksum 0", "th dport { 8080, 80, 9000-9100 }", "icmp type echo-request",
    "icmp id > 0", "icmp code 0", "numgen random mod 100 < 0", "numgen inc mod 3 1", "jhash ip saddr . tcp sport mod 2 0", "symhash mod 2 0", "limit rate 1/minute", "limit rate over 1 bytes/second",
    "quota over 1 bytes", "quota 60 bytes", "ip saddr != { %(a)s, %(b)s }", "ip saddr . ip daddr { %(a)s . %(b)s, %(b)s . %(a)s }", "ip daddr & 255.255.0.0 == 10.0.0.0",
    "ip daddr %(low)s-%(high)s", "tcp dport != 22", "tcp sport > 1024 tcp dport < 9000", "meta l4proto { tcp, udp } th dport vmap { 8080 : drop, 9100 : continue }",
    "ip protocol vmap { tcp : jump e, icmp : accept }", "iifname . ip saddr { lo . %(a)s, br-ex . %(b)s }", "iifname \"e*\"", "oifname != { lo, br-ex }")] + [
    ("set s { type ipv4_addr; flags dynamic; }", "add @s { ip saddr } ip saddr @s"), ("set s { type ipv4_addr; flags interval; elements = { %(low)s-%(high)s } }", "ip daddr @s"),
    ("set s { type ipv4_addr . inet_service; flags interval; elements = { %(a)s . 8000-9000 } }", "ip daddr . tcp dport @s"),
    ("map m { type ipv4_addr : verdict; elements = { %(a)s : drop, %(b)s : jump e } }", "ip daddr vmap @m"),
    ("map m { type ipv4_addr : mark; elements = { %(a)s : 0x3f0 } }", "meta mark set ip saddr map @m"), ("set s { type ipv4_addr; flags dynamic; }", "add @s { ip saddr limit rate over 1/minute }"),
    ("set s { type ipv4_addr; flags dynamic; }", "add @s { ip saddr ct count over 1 }"), ("set s { typeof ip daddr . meta mark; elements = { %(a)s . 0x0 } }", "ip daddr . meta mark @s"),
    ("counter k { }\nquota q { over 10 bytes }", "quota name \"q\""), ("ct helper h { type \"ftp\" protocol tcp; }", "tcp dport 8080 ct helper set \"h\""),
    ("ct timeout t { protocol tcp; l3proto ip; policy = { syn_sent : 1s } }", "tcp dport 8080 ct timeout set \"t\""), ("synproxy y { mss 1400; wscale 7; }", "tcp dport 8080 ct state invalid,untracked synproxy name \"y\"")]


@fault
def nft_seldom(ctx, rng):
    ns = ctx.host()
    a, b = rng.sample(ctx.addrs(), 2)
    low, high = sorted([a, b], key=ipaddress.ip_address)
    declared, match = (x % {"a": a, "b": b, "low": low, "high": high} for x in rng.choice(NFT_SELDOM))
    hook = rng.choice(["prerouting", "input", "forward", "output", "postrouting"])
    priority = rng.choice([-250, -150, 0, 0, 10, 150])
    verdict = rng.choice(["drop", "drop", "drop", "goto e", "reject" if hook in ("input", "forward", "output") else "drop"])
    verdict = "" if re.search(r"\bset (ip|\")|vmap|synproxy", match) else verdict
    body = "%s\nchain e { tcp dport { 80, 8080, 9000 } counter drop; }\nchain c { type filter hook %s priority %d; policy accept; %s counter %s; }" % (declared, hook, priority, match, verdict)
    family = rng.choice(["inet", "inet", "ip"])
    ctx.load_nft(ns, family, body)
    return "%s nft %s %s" % (ctx.short(ns), family, body.replace("\n", " "))
