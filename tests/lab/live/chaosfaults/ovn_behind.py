"""Daemons of OVN that do not follow, and rows of the southbound database."""
from .base import *
from .ovn_rows import *
from .openflow import hit_flows


@fault
def stale(ctx, rng):
    """ovn-controller or ovn-northd does not follow what another fault changes."""
    n = ctx.node()
    which = rng.choice(["controller", "northd"])
    if which == "controller":
        topology.stop_controller(n)
        ctx.restart_controller_later(n)
    else:
        pid = int(open(n.dir + "/run/ovn-northd.pid").read())
        os.kill(pid, signal.SIGSTOP)
        n.northd_stopped = True
        def back():
            os.kill(pid, signal.SIGCONT)
            n.northd_stopped = False
            n.run("ovs-appctl", "-t", n.dir + "/run/ovn-northd.ctl", "inc-engine/recompute", check=False)
            n.nb("--wait=hv", "--timeout=20", "sync", check=False)
        ctx.on_undo(back)
    old = ctx.node
    ctx.node = lambda: n
    try:
        f = rng.choice(["nb-route", "nb-policy", "nb-nat", "nb-lb", "nb-acl", "nb-lsp", "nb-sets", "nb-static-mac"])
        ctx.sync_to = "sb"
        for _ in range(20):
            try:
                t = FAULTS[f](ctx, rng)
                break
            except Skip:
                continue
        else:
            raise Skip
    finally:
        ctx.node, ctx.sync_to = old, "hv"
    # undo: rows first, then the daemon: its entry is older, so it comes last
    return "%s stopped; %s" % (which, t)


@fault
def sb_lflow(ctx, rng):
    n = ctx.node()
    pid = int(open(n.dir + "/run/ovn-northd.pid").read())
    fl = hit_flows(ctx, n, "br-int")
    cookies = {re.search(r"cookie=0x([0-9a-f]+)", l).group(1).zfill(8) for l in fl}
    j = json.loads(n.sb("-f", "json", "--columns=_uuid,pipeline,table_id,match,actions,external_ids", "list", "Logical_Flow"))
    rs = [dict(zip(j["headings"], r)) for r in j["data"]]
    rs = [r for r in rs if r["_uuid"][1][:8] in cookies]
    if not rs:
        raise Skip
    r = rng.choice(rs)
    os.kill(pid, signal.SIGSTOP)
    def back():
        os.kill(pid, signal.SIGCONT)
        n.run("ovs-appctl", "-t", n.dir + "/run/ovn-northd.ctl", "inc-engine/recompute", check=False)
        n.run("ovs-appctl", "-t", n.dir + "/run/ovn-northd.ctl", "recompute", check=False)
        n.nb("--wait=hv", "--timeout=20", "sync", check=False)
    ctx.on_undo(back)
    how = rng.choice(["delete", "delete", "drop"])
    if how == "delete":
        n.sb("destroy", "logical_flow", r["_uuid"][1])
    else:
        n.sb("set", "logical_flow", r["_uuid"][1], 'actions="drop;"')
    time.sleep(0.7)
    return "%s lflow %s %s %s: %s" % (n.name, r["pipeline"], r["table_id"], r["match"][:80], how)


@fault
def sb_binding(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "sb")
    how = rng.choice(["mac_binding", "mac_binding_del", "remote_chassis", "encap_ip", "encap_type", "tunnel_key", "up", "pb_mac", "chassis_del"])
    m = rng.choice([x for x in lab.nodes if x is not n])
    if how.startswith("mac_binding"):
        l = n.sb("--bare", "--columns=_uuid", "list", "mac_binding").split()
        if not l:
            raise Skip
        b = rng.choice(l)
        t = n.sb("--bare", "--columns=logical_port,ip", "list", "mac_binding", b)
        n.sb("destroy", "mac_binding", b) if how.endswith("del") else n.sb("set", "mac_binding", b, 'mac="0a:58:00:00:00:66"')
        how += " " + t.replace("\n", " ")
    elif how == "remote_chassis":
        o = rng.choice([x.chassis for x in lab.nodes])
        n.sb("set", "port_binding", "tstor-" + m.name, "chassis=" + n.sb("--bare", "--columns=_uuid", "find", "chassis", "name=" + o).strip())
        how += " tstor-%s %s" % (m.name, o)
    elif how.startswith("encap"):
        e = n.sb("--bare", "--columns=_uuid", "find", "encap", "chassis_name=" + m.chassis).split()[0]
        v = 'ip="%s"' % rng.choice([x.ip for x in lab.nodes] + [nth(str(m.underlay), 240), lab.server["ip"], m.router_ip]) if how == "encap_ip" else "type=vxlan"
        n.sb("set", "encap", e, v, check=False)
        how += " %s %s" % (m.name, v)
    elif how == "tunnel_key":
        p = rng.choice([q["key"] for q in lab.pods if q["n"] is n] + ["tstor-" + x.name for x in lab.nodes])
        n.sb("set", "port_binding", p, "tunnel_key=200")
        how += " " + p
    elif how == "up":
        p = rng.choice([q["key"] for q in lab.pods if q["n"] is n])
        n.sb("set", "port_binding", p, "up=false")
        how += " " + p
    elif how == "pb_mac":
        p = rng.choice([q["key"] for q in lab.pods if q["n"] is n])
        n.sb("set", "port_binding", p, 'mac="0a:58:00:00:00:55 10.9.9.9"')
        how += " " + p
    else:
        n.sb("chassis-del", m.chassis)
        how += " " + m.name
    time.sleep(0.7)
    return "%s sb %s" % (n.name, how)


@fault
def controller_exits(ctx, rng):
    """By its own will: it takes its chassis and its flows along, unless it is to restart."""
    n = ctx.node()
    how = rng.choice([[], ["--restart"]])
    ctx.sync_to = "sb"
    ctx.restart_controller_later(n, 30)
    ctx.save_db(n, "vs")
    n.run("ovs-appctl", "-t", n.dir + "/run/ovn-controller.%d.ctl" % int(open(n.dir + "/run/ovn-controller.pid").read()), "exit", *how)
    ctx.wait = 2
    return "%s ovn-controller exit %s" % (n.name, " ".join(how))


@fault
def zone_stale(ctx, rng):
    """Two logical ports in one conntrack zone, as what an earlier ovn-controller left in Open vSwitch may have them."""
    n = ctx.node()
    ids = dict(re.findall(r'"?(ct-zone-[^"=, ]+)"?="?(\d+)"?', n.vs("get", "bridge", "br-int", "external_ids")))
    if len(ids) < 2:
        raise Skip
    topology.stop_controller(n)
    ctx.restart_controller_later(n)
    ctx.save_db(n, "vs")
    ctx.on_undo(lambda: topology.stop_controller(n))
    a, b = rng.sample(sorted(ids), 2)
    n.vs("set", "bridge", "br-int", "external_ids:%s=%s" % (a, ids[b]))
    topology.start_controller(ctx.lab, n)
    n.nb("--wait=hv", "--timeout=20", "sync", check=False)
    return "%s %s in the zone of %s" % (n.name, a, b)
