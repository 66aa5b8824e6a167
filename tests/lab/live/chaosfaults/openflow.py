"""Flows, groups and meters of the bridges."""
from .base import *


def hit_flows(ctx, n, br):
    out = []
    for l in n.run("ovs-ofctl", "--no-names", "-O", "OpenFlow15", "dump-flows", br).split("\n"):
        m = re.search(r"n_packets=(\d+)", l)
        if m and int(m.group(1)) > 0:
            out.append(l)
    return out


def match_of(l):
    """The strict match: table, priority and fields."""
    t = re.search(r"table=(\d+)", l).group(1)
    rest = re.search(r"(priority=\d+\S*) actions=(.*)$", l)
    if not rest: 
        rest2 = re.search(r"(\S*) actions=(.*)$", l)
        return "table=%s,priority=32768" % t, rest2.group(2)
    return "table=%s,%s" % (t, rest.group(1)), rest.group(2)


def pick_flow(ctx, rng):
    n = ctx.node()
    br = rng.choice(["br-int", "br-int", "br-ex"])
    fl = hit_flows(ctx, n, br)
    if not fl:
        raise Skip
    l = rng.choice(fl)
    ctx.save_flows(n, br)
    m, a = match_of(l)
    return n, br, m, a


@fault
def of_delete(ctx, rng):
    n, br, m, a = pick_flow(ctx, rng)
    n.run("ovs-ofctl", "-O", "OpenFlow15", "--strict", "del-flows", br, m)
    return "%s %s del %s" % (n.name, br, m)


@fault
def of_change(ctx, rng):
    n, br, m, a = pick_flow(ctx, rng)
    how = rng.choice(["drop", "normal", "inc", "ttl", "table", "local", "noct", "port", "in_port", "flood", "controller", "strip"])
    b = {"drop": "drop", "normal": "NORMAL", "inc": "dec_ttl," + a, "ttl": "set_field:1->nw_ttl," + a, "local": "LOCAL", "in_port": "in_port",
            "flood": "FLOOD", "controller": "controller"}.get(how)
    if how == "table":
        ns = re.findall(r"resubmit\(,(\d+)\)", a)
        if not ns:
            raise Skip
        b = a.replace("resubmit(,%s)" % ns[-1], "resubmit(,%d)" % max(0, int(ns[-1]) + rng.choice([-1, 1, 2])))
    if how == "noct":
        b = re.sub(r"ct\(.*\)", "resubmit(,%s)" % (re.search(r"table=(\d+)[,)]", a).group(1) if re.search(r"ct\(.*table=(\d+)", a) else "40"), a)
    if how == "port":
        o = re.findall(r"output:(\d+)", a)
        if not o:
            raise Skip
        b = a.replace("output:" + o[-1], "output:%d" % (int(o[-1]) + rng.choice([-1, 1])) if int(o[-1]) > 1 else "output:2")
    if how == "strip":
        parts = re.split(r",(?![^(]*\))", a)
        if len(parts) < 2:
            raise Skip
        del parts[rng.randrange(len(parts))]
        b = ",".join(parts)
    if b is None or b == a:
        raise Skip
    if how in ("inc", "ttl") and not re.search(r",(ip|tcp|udp|icmp|ipv6)", m):
        raise Skip
    try:
        n.run("ovs-ofctl", "-O", "OpenFlow15", "--strict", "mod-flows", br, m + " actions=" + b)
    except RuntimeError:
        raise Skip
    return "%s %s %s: %s -> %s (%s)" % (n.name, br, m, a[:80], b[:80], how)


@fault
def of_add(ctx, rng):
    n = ctx.node()
    br = rng.choice(["br-ex", "br-int"])
    ctx.save_flows(n, br)
    a, b = rng.sample(ctx.addrs(), 2)
    proto = rng.choice(["ip", "tcp", "udp", "icmp"])
    m = proto + rng.choice([",nw_dst=%s" % a, ",nw_src=%s" % a, ",nw_src=%s,nw_dst=%s" % (a, b), ",nw_dst=%s/24" % a])
    tabs = [0] if br == "br-ex" else sorted({int(re.search(r"table=(\d+)", l).group(1)) for l in hit_flows(ctx, n, br)})
    t = rng.choice(tabs)
    act = rng.choice(["drop", "drop", "NORMAL", "LOCAL", "set_field:%s->ip_dst,NORMAL" % b, "dec_ttl,NORMAL", "FLOOD",
            "set_field:%s->ip_src,NORMAL" % b, "mod_vlan_vid:77,NORMAL"])
    n.run("ovs-ofctl", "add-flow", br, "table=%d,priority=40000,%s,actions=%s" % (t, m, act))
    return "%s %s add table=%d,%s actions=%s" % (n.name, br, t, m, act)


@fault
def of_group(ctx, rng):
    n = ctx.node()
    t = n.run("ovs-ofctl", "-O", "OpenFlow15", "dump-groups", "br-int").strip().split("\n")[1:]
    if not t:
        raise Skip
    f = ctx.dir + "/groups-" + n.name
    open(f, "w").write("\n".join(l.strip() for l in t) + "\n")
    ctx.save_flows(n, "br-int")
    def back():
        for l in open(f).read().strip().split("\n"):
            n.run("ovs-ofctl", "-O", "OpenFlow15", "--may-create", "mod-group", "br-int", l)
    ctx.on_undo(back)
    ctx.undos[-1], ctx.undos[-2] = ctx.undos[-2], ctx.undos[-1]     # groups before flows
    if len(ctx.undos) >= 2:
        ctx.undos[-1], ctx.undos[-2] = ctx.undos[-2], ctx.undos[-1]
    g = rng.choice(t).strip()
    gid = re.search(r"group_id=(\d+)", g).group(1)
    how = rng.choice(["delete", "weight0", "nobucket", "onebucket", "table"])
    if how == "delete":
        n.run("ovs-ofctl", "-O", "OpenFlow15", "del-groups", "br-int", "group_id=" + gid)
    else:
        parts = g.split(",bucket=")
        if how == "weight0":
            h = re.sub(r"weight:\d+", "weight:0", g, 1)
        elif how == "nobucket":
            h = parts[0]
        elif how == "onebucket":
            if len(parts) < 3:
                raise Skip
            h = parts[0] + ",bucket=" + rng.choice(parts[1:])
        else:
            h = re.sub(r"table=(\d+)", lambda m: "table=%d" % (int(m.group(1)) + 1), g)
        if h == g:
            raise Skip
        n.run("ovs-ofctl", "-O", "OpenFlow15", "mod-group", "br-int", h)
    return "%s group %s %s" % (n.name, gid, how)


@fault
def ovs_meter(ctx, rng):
    n = ctx.node()
    t = n.run("ovs-ofctl", "-O", "OpenFlow15", "dump-meters", "br-int").strip().split("\n")[1:]
    if len(t) < 1 or not t[0].strip():
        raise Skip
    ctx.save_flows(n, "br-int")
    fl = hit_flows(ctx, n, "br-int")
    m, a = match_of(rng.choice(fl))
    n.run("ovs-ofctl", "-O", "OpenFlow15", "add-meter", "br-int", "meter=900,pktps,burst,band=type=drop,rate=1,burst_size=1")
    ctx.on_undo(lambda: n.run("ovs-ofctl", "-O", "OpenFlow15", "del-meter", "br-int", "meter=900", check=False))
    ctx.undos[-1], ctx.undos[-2] = ctx.undos[-2], ctx.undos[-1]
    n.run("ovs-ofctl", "-O", "OpenFlow15", "--strict", "mod-flows", "br-int", m + " actions=meter:900," + a)
    return "%s meter of 1/s on %s" % (n.name, m)


@fault
def of_priority(ctx, rng):
    """A flow gets another priority: it is shadowed, or shadows."""
    n, br, m, a = pick_flow(ctx, rng)
    p = re.search(r"priority=(\d+)", m)
    new = m.replace(p.group(0), "priority=%d" % rng.choice([0, 1, max(0, int(p.group(1)) - 20), int(p.group(1)) + 20, 60000]))
    n.run("ovs-ofctl", "-O", "OpenFlow15", "--strict", "del-flows", br, m)
    n.run("ovs-ofctl", "-O", "OpenFlow15", "add-flow", br, new + " actions=" + a)
    return "%s %s %s -> %s" % (n.name, br, m, new)


@fault
def of_cookie(ctx, rng):
    """All flows of one cookie are deleted, or drop."""
    n = ctx.node()
    br = rng.choice(["br-int", "br-int", "br-ex"])
    cookies = sorted({re.search(r"cookie=(0x[0-9a-f]+)", l).group(1) for l in hit_flows(ctx, n, br)} - {"0x0"})
    if br == "br-ex":
        cookies = [c for c in cookies if c != "0xdeff105"]
    if not cookies:
        raise Skip
    ctx.save_flows(n, br)
    c, how = rng.choice(cookies), rng.choice(["delete", "drop"])
    if how == "delete":
        n.run("ovs-ofctl", "-O", "OpenFlow15", "del-flows", br, "cookie=%s/-1" % c)
    else:
        n.run("ovs-ofctl", "-O", "OpenFlow15", "mod-flows", br, "cookie=%s/-1 actions=drop" % c)
    return "%s %s cookie %s %s" % (n.name, br, c, how)


@fault
def of_match(ctx, rng):
    """A flow matches fewer packets: a value is another, or a field is added."""
    n, br, m, a = pick_flow(ctx, rng)
    how = rng.choice(["field", "field", "value"])
    if how == "field":
        if not re.search(r",(ip|tcp|udp|icmp)(,|$)", m):
            raise Skip
        f = rng.choice(["nw_ttl=64", "nw_tos=0", "nw_src=%s" % rng.choice(ctx.addrs()), "nw_dst=%s" % rng.choice(ctx.addrs()), "ct_state=-trk",
                "ct_state=+trk", "pkt_mark=0", "reg0=0", "nw_frag=no", "tcp_flags=+syn" if ",tcp" in m else "nw_ecn=0", "ct_mark=0"])
        if f.split("=")[0] in m:
            raise Skip
        new = m + "," + f
    else:
        values = re.findall(r"(reg\d+|metadata|nw_dst|nw_src|dl_dst|in_port|ct_mark)=(0x[0-9a-f]+|[\d.]+|[0-9a-f:]{17})(?=,|$)", m)
        if not values:
            raise Skip
        k, v = rng.choice(values)
        w = "52:54:00:0f:0f:0f" if k == "dl_dst" else rng.choice(ctx.addrs()) if k.startswith("nw_") else str(int(v,
                0) + 1) if not v.startswith("0x") else hex(int(v, 16) ^ 1)
        new = m.replace("%s=%s" % (k, v), "%s=%s" % (k, w))
    n.run("ovs-ofctl", "-O", "OpenFlow15", "--strict", "del-flows", br, m)
    try:
        n.run("ovs-ofctl", "-O", "OpenFlow15", "add-flow", br, new + " actions=" + a)
    except RuntimeError:
        raise Skip
    return "%s %s %s -> %s" % (n.name, br, m, new)
