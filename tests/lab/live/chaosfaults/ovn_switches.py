"""Logical switches: load balancers, ACLs, ports, sets; and daemons that do not follow."""
from .base import *
from .ovn_rows import *


@fault
def nb_lb(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    rs = rows(n, "Load_Balancer", "name,vips,options")
    r = rng.choice(rs)
    vips = mp(r["vips"])
    v = rng.choice(sorted(vips))
    tg = vips[v].split(",") if vips[v] else []
    how = rng.choice(["delvip", "one", "port", "wrongip", "none", "noreject", "skip_snat", "affinity", "proto", "detach", "hairpin", "event",
            "fields", "vipport", "add_stale"])
    def setv(x):
        n.nb("set", "load_balancer", u(r), 'vips:"%s"="%s"' % (v, x))
    if how == "delvip":
        n.nb("lb-del", u(r), v)
    elif how == "one":
        setv(tg[0] if tg else "")
    elif how == "port":
        setv(",".join(re.sub(r":\d+$", ":7", x) for x in tg))
    elif how == "wrongip":
        setv(",".join([rng.choice([nth(n.subnet, 200), rng.choice(lab.pods)["ip"], rng.choice(lab.nodes).ip]) + ":" + tg[0].rsplit(":", 1)[1]] + tg[1:])) if tg else None
    elif how == "none":
        setv("")
    elif how == "noreject":
        setv("")
        n.nb("set", "load_balancer", u(r), "options:reject=false")
    elif how == "skip_snat":
        n.nb("set", "load_balancer", u(r), "options:skip_snat=true")
    elif how == "affinity":
        n.nb("set", "load_balancer", u(r), "options:affinity_timeout=100")
    elif how == "proto":
        n.nb("set", "load_balancer", u(r), "protocol=udp")
    elif how == "detach":
        t = rng.choice(["ls-lb-del", "group"])
        for g in ("clusterLBGroup", "clusterSwitchLBGroup", "clusterRouterLBGroup"):
            n.nb("--if-exists", "remove", "load_balancer_group", n.nb("--bare", "--columns=_uuid", "find", "load_balancer_group",
                    "name=" + g).strip(), "load_balancer", u(r), check=False)
        n.nb("--if-exists", "ls-lb-del", n.name, u(r), check=False)
        if rng.random() < 0.5:
            n.nb("--if-exists", "lr-lb-del", n.gr, u(r), check=False)
    elif how == "hairpin":
        n.nb("remove", "load_balancer", u(r), "options", "hairpin_snat_ip")
    elif how == "event":
        n.nb("set", "load_balancer", u(r), "options:event=true", 'vips:"%s"=""' % v)
    elif how == "fields":
        n.nb("set", "load_balancer", u(r), "selection_fields=ip_src,ip_dst")
    elif how == "vipport":
        n.nb("lb-del", u(r), v)
        n.nb("set", "load_balancer", u(r), 'vips:"%s"="%s"' % (re.sub(r":\d+$", ":81", v), ",".join(tg)))
    else:
        setv(",".join(tg + [nth(n.subnet, 222) + ":8080"]))
    ctx.settle(n)
    return "%s lb %s %s: %s" % (n.name, r["name"], v, how)


@fault
def nb_acl(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    r = rng.choice(rows(n, "ACL", "match,action,priority,direction"))
    how = rng.choice(["action", "delete", "direction", "match", "prio", "new", "new", "log"])
    if how == "action":
        v = rng.choice([x for x in ("drop", "reject", "allow", "allow-related", "allow-stateless") if x != r["action"]])
        n.nb("set", "acl", u(r), "action=" + v)
        how += " " + v
    elif how == "delete":
        for t in ("Port_Group", "Logical_Switch"):
            for x in rows(n, t, "name,acls"):
                if ["uuid", u(r)] in lst(x["acls"]) or x["acls"] == ["uuid", u(r)]:
                    n.nb("remove", t, u(x), "acls", u(r))
    elif how == "direction":
        n.nb("set", "acl", u(r), "direction=" + ("to-lport" if r["direction"] == "from-lport" else "from-lport"), "options={}")
    elif how == "match":
        v = rng.choice(["ip4", "tcp", "ip4.dst == %s" % rng.choice(ctx.addrs()), "ip4.src == %s" % rng.choice(ctx.addrs()), "ip4 && tcp.dst == 80",
                "icmp4", "ct.est", "tcp.flags == 0x2", "ip.ttl == 64"])
        n.nb("set", "acl", u(r), 'match="%s"' % v)
        how += " " + v
    elif how == "prio":
        n.nb("set", "acl", u(r), "priority=%d" % rng.choice([1, 999, 1002, 20000]))
    elif how == "log":
        n.nb("set", "acl", u(r), "log=true", "severity=info", "meter=acl-logging")
    else:
        d = rng.choice(["from-lport", "to-lport"])
        pr = rng.choice(["ip4", "ip", "tcp", "udp", "icmp4", "tcp.dst == 8080", "tcp.dst == 9000", "tcp.src == 8080", "arp", "nd", "ip6",
                "tcp && tcp.flags == 0x12", "ip4.src == %s" % rng.choice(ctx.addrs()), "ct.est", "ct.rpl"])
        act = rng.choice(["drop", "reject", "allow", "allow-stateless", "allow-related"])
        sw = rng.choice([n.name, n.name, n.name, "join", "transit_switch", "ext_" + n.name])
        n.nb("acl-add", sw, d, "30000", pr, act, check=False)
        how += " %s %s %s %s" % (sw, d, pr, act)
    ctx.settle(n)
    return "%s acl %s %s %s: %s" % (n.name, r["priority"], r["match"][:60], r["action"], how)


@fault
def nb_lsp(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    r = rng.choice(rows(n, "Logical_Switch_Port", "name,addresses,type,port_security,options"))
    how = rng.choice(["addr_mac", "addr_ip", "noaddr", "unknown", "security", "nosecurity", "disabled", "chassis", "delete", "type", "peer", "tag", "qos"])
    s = lambda *a: n.nb("set", "logical_switch_port", u(r), *a)
    if how == "addr_mac":
        s('addresses="0a:58:00:00:00:99 %s"' % (rng.choice([p["ip"] for p in lab.pods if p["n"] is n])))
    elif how == "addr_ip":
        s('addresses="%s %s"' % ((lst(r["addresses"])[0].split() or ["0a:58:00:00:00:01"])[0], nth(n.subnet, 77)))
    elif how == "noaddr":
        s("addresses=[]")
    elif how == "unknown":
        s("addresses=unknown")
    elif how == "security":
        s('port_security="%s"' % rng.choice(["0a:58:00:00:00:99 10.9.9.9", (lst(r["addresses"]) or ["x"])[0].split(" ")[0] + " 10.9.9.9"]))
    elif how == "nosecurity":
        s("port_security=[]")
    elif how == "disabled":
        s("enabled=false")
    elif how == "chassis":
        s("options:requested-chassis=" + rng.choice([m.name for m in lab.nodes if m is not n] + ["nobody"]))
    elif how == "delete":
        n.nb("lsp-del", u(r))
    elif how == "type":
        s("type=" + rng.choice(["localport", "virtual", "external"]))
    elif how == "peer":
        if r["type"] != "router":
            raise Skip
        s("options:router-port=nobody")
    elif how == "tag":
        s("tag=55")
    else:
        s("options:qos_max_rate=1000")
    ctx.settle(n)
    ctx.wait = 1
    return "%s lsp %s (%s): %s" % (n.name, r["name"], r["type"], how)


@fault
def nb_sets(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    how = rng.choice(["as_remove", "as_clear", "as_add", "pg_ports", "pg_delete", "as_delete"])
    if how.startswith("as"):
        r = rng.choice([x for x in rows(n, "Address_Set", "name,addresses") if how == "as_add" or lst(x["addresses"])])
        if how == "as_remove":
            n.nb("remove", "address_set", u(r), "addresses", '"%s"' % rng.choice(lst(r["addresses"])))
        elif how == "as_clear":
            n.nb("clear", "address_set", u(r), "addresses")
        elif how == "as_add":
            n.nb("add", "address_set", u(r), "addresses", '"%s"' % rng.choice(ctx.addrs()))
        else:
            n.nb("destroy", "address_set", u(r))
    else:
        r = rng.choice(rows(n, "Port_Group", "name,ports"))
        if how == "pg_ports":
            if not lst(r["ports"]):
                raise Skip
            p = rng.choice(lst(r["ports"]))
            n.nb("remove", "port_group", u(r), "ports", p[1])
        else:
            n.nb("pg-del", r["name"])
    ctx.settle(n)
    return "%s %s %s" % (n.name, how, r["name"])
