"""Entries of connection tracking that are there before the calls: with other NAT, or in another state."""
from .base import *


def insert(ctx, ns, c, src, nat):
    dst = c["dst"]
    words = ["conntrack", "-I", "-s", src, "-d", dst, "-p", c["proto"], "--sport", str(c["sport"]), "--dport", str(c["port"]), "--timeout", "300"] + nat
    if c["proto"] == "tcp":
        words += ["--state", "ESTABLISHED" if "established" in nat else "SYN_SENT"]
    return ctx.lab.nsx(ns, *[w for w in words if w != "established"], check=False)


@fault
def conntrack_entry(ctx, rng):
    """Host conntrack has the connection already: with NAT of old, or as established."""
    ns = ctx.node().ns          # NAT is at work where chains of NAT are
    lab = ctx.lab
    how = rng.choice([["--dst-nat"], ["--src-nat"], ["established"], ["--mark"]])
    value = rng.choice(ctx.addrs())
    nat = ["--mark", rng.choice(["2", "0x3f0", "0x1745ec"])] if how == ["--mark"] else how if how == ["established"] else how + [value]
    def before(calls):
        for c in calls:
            if not c["port"] or ":" in c["dst"]:
                continue
            sources = [lab.pod(c["name"])["ip"], lab.pod(c["name"])["n"].ip] if c["kind"] == "pod" else [lab.node(c["name"]).ip,
                    lab.node(c["name"]).mgmt] if c["kind"] == "host" else [lab.server["ip"]]
            for s in sources:
                insert(ctx, ns, c, s, nat)
    ctx.before_calls.append(before)
    return "%s has entries with %s" % (ctx.short(ns), " ".join(nat))
