"""The rows of Open_vSwitch: ports, bridges, interfaces."""
from .base import *


@fault
def ovs_port_flag(ctx, rng):
    n = ctx.node()
    br = rng.choice(["br-int", "br-ex"])
    ports = [p for p in n.vs("list-ports", br).split()] + [br]
    p = rng.choice(ports)
    f = rng.choice(["no-forward", "no-receive", "no-flood", "down", "no-packet-in"])
    back = {"no-forward": "forward", "no-receive": "receive", "no-flood": "flood", "down": "up", "no-packet-in": "packet-in"}[f]
    n.run("ovs-ofctl", "mod-port", br, p, f)
    ctx.on_undo(lambda: n.run("ovs-ofctl", "mod-port", br, p, back))
    return "%s mod-port %s %s %s" % (n.name, br, p, f)


@fault
def ovs_vlan(ctx, rng):
    n = ctx.node()
    br = rng.choice(["br-int", "br-ex", "br-ex"])
    p = rng.choice(n.vs("list-ports", br).split() + [br])
    ctx.save_db(n, "vs")
    s = rng.choice(["tag=77", "trunks=5,6", "vlan_mode=native-untagged tag=9", "vlan_mode=native-tagged tag=9", "tag=9 vlan_mode=access",
            "vlan_mode=dot1q-tunnel tag=12", "protected=true", "other_config:priority-tags=always"])
    n.vs("set", "port", p, *s.split())
    return "%s port %s %s" % (n.name, p, s)


@fault
def ovs_bridge(ctx, rng):
    n = ctx.node()
    br = rng.choice(["br-int", "br-ex", "br-ex"])
    ctx.save_db(n, "vs")
    s = rng.choice(["fail_mode=secure", "fail_mode=standalone", "mcast_snooping_enable=true", "stp_enable=true", "flood_vlans=0,7",
            "other_config:mac-table-size=10", "other_config:mac-aging-time=15", "rstp_enable=true",
                    "other_config:forward-bpdu=true", 'other_config:hwaddr="52:54:00:00:00:99"', "protocols=OpenFlow13"])
    n.vs("set", "bridge", br, s)
    return "%s bridge %s %s" % (n.name, br, s)


@fault
def ovs_interface(ctx, rng):
    n = ctx.node()
    ctx.save_db(n, "vs")
    kind = rng.choice(["tunnel", "tunnel", "pod", "patch", "policing", "iface-id", "mtu", "delete"])
    ctx.wait = 1.5
    if kind == "tunnel":
        t = [l for l in n.vs("--bare", "--columns=name", "find", "interface", "type=geneve").split() if l]
        p = rng.choice(t)
        s = rng.choice(["options:remote_ip=%s" % rng.choice(ctx.addrs()), "options:key=5", "options:dst_port=6082",
                "options:local_ip=%s" % rng.choice(ctx.lab.nodes).ip, "options:tos=184", "options:ttl=1", "options:df_default=false",
                         "type=vxlan", "options:csum=false", "options:egress_pkt_mark=66", "options:in_key=9", "options:out_key=9"])
        ctx.wait = 2
        n.vs("set", "interface", p, s)
        return "%s %s %s" % (n.name, p, s)
    pods = [p for p in ctx.lab.pods if p["n"] is n]
    p = rng.choice(pods)
    if kind == "patch":
        q = rng.choice([x for x in n.vs("--bare", "--columns=name", "find", "interface", "type=patch").split()])
        s = rng.choice(["options:peer=nobody", "delete"])
        if s == "delete":
            n.vs("del-port", q)
        else:
            n.vs("set", "interface", q, s)
        return "%s %s %s" % (n.name, q, s)
    if kind == "policing":
        d = rng.choice([p["veth"], ctx.lab.c["nic"], "br-ex"])
        s = ["ingress_policing_rate=1", "ingress_policing_burst=1"]
        n.vs("set", "interface", d, *s)
        return "%s %s %s" % (n.name, d, s)
    if kind == "iface-id":
        q = rng.choice([x for x in ctx.lab.pods if x is not p])
        v = rng.choice([q["key"], "nobody", ""])
        if v:
            n.vs("set", "interface", p["veth"], "external_ids:iface-id=" + v)
        else:
            n.vs("remove", "interface", p["veth"], "external_ids", "iface-id")
        return "%s %s iface-id %s" % (n.name, p["veth"], v)
    if kind == "mtu":
        d = rng.choice(["br-ex", "ovn-k8s-mp0", ctx.lab.c["nic"], p["veth"]])
        old = json.loads(ctx.lab.ip(n.ns, "-j", "link", "show", d))[0]["mtu"]
        v = rng.choice([68, 600, 1280, 1372, 9000])
        ctx.on_undo(lambda: n.vs("set", "interface", d, "mtu_request=%d" % old))
        n.vs("set", "interface", d, "mtu_request=%d" % v)
        return "%s %s mtu_request %d" % (n.name, d, v)
    if kind == "delete":
        n.vs("del-port", "br-int", p["veth"])
        return "%s del-port %s" % (n.name, p["veth"])
    s = rng.choice(["external_ids:iface-id-ver=abc", "lldp:enable=true", "cfm_mpid=5", "options:x=y", "bfd:enable=true"])
    n.vs("set", "interface", p["veth"], s)
    return "%s %s %s" % (n.name, p["veth"], s)


@fault
def ovs_open(ctx, rng):
    n = ctx.node()
    ctx.save_db(n, "vs")
    s = rng.choice(["external_ids:ovn-bridge-mappings=other:br-ex", "external_ids:ovn-bridge-mappings=physnet:br-int",
            "external_ids:ovn-encap-ip=%s" % rng.choice(ctx.lab.nodes).ip, "external_ids:system-id=someone",
                    "external_ids:ovn-monitor-all=false", "external_ids:ovn-encap-type=vxlan", "external_ids:ovn-encap-csum=false",
                    "external_ids:ovn-remote=unix:/nowhere", "external_ids:ovn-openflow-probe-interval=5", "other_config:vlan-limit=1",
                    "external_ids:ovn-is-interconn=false", "external_ids:ovn-set-local-ip=false", "external_ids:ovn-chassis-mac-mappings=physnet:aa:bb:cc:dd:ee:ff"])
    if "system-id" in s:
        raise Skip
    n.vs("set", "open_vswitch", ".", s)
    ctx.wait = 2
    return "%s %s" % (n.name, s)


@fault
def ovs_mirror(ctx, rng):
    """The output port of a mirror has no other traffic."""
    n = ctx.node()
    br = rng.choice(["br-int", "br-int", "br-ex"])
    ports = n.vs("list-ports", br).split()
    out = rng.choice(ports)
    ctx.save_db(n, "vs")
    select = rng.choice(["select_all=true", "select_src_port=@b", "select_dst_port=@b", "select_all=true select_vlan=7", ""])
    words = ["--id=@a", "get", "port", out, "--", "--id=@m", "create", "mirror", "name=chaos", "output_port=@a"] + select.split()
    if "@b" in select:
        words = ["--id=@b", "get", "port", rng.choice(ports), "--"] + words
    n.vs("--", *words, "--", "set", "bridge", br, "mirrors=@m")
    ctx.wait = 1
    return "%s %s mirror to %s %s" % (n.name, br, out, select)


@fault
def tunnels_removed(ctx, rng):
    """Those to one node or to all. ovn-controller, which would make them anew, is stopped."""
    n = ctx.node()
    tunnels = [l for l in n.vs("--bare", "--columns=name", "find", "interface", "type=geneve").split() if l]
    if not tunnels:
        raise Skip
    topology.stop_controller(n)
    ctx.restart_controller_later(n)
    ctx.save_db(n, "vs")
    ctx.sync_to = "sb"
    gone = tunnels if rng.random() < .5 else [rng.choice(tunnels)]
    for t in gone:
        n.vs("del-port", "br-int", t)
    ctx.wait = 1.5
    return "%s del-port %s" % (n.name, " ".join(gone))
