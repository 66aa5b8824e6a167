"""Logical routers: routes, policies, NAT, ports, options, static MAC bindings."""
from .base import *
from .ovn_rows import *


@fault
def nb_route(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    r = rng.choice(rows(n, "Logical_Router_Static_Route", "ip_prefix,nexthop,policy"))
    how = rng.choice(["delete", "nexthop", "prefix", "policy", "discard", "port"])
    six = ":" in r["ip_prefix"]
    if how == "delete":
        for x in rows(n, "Logical_Router", "name,static_routes"):
            if ["uuid", u(r)] in lst(x["static_routes"]) or x["static_routes"] == ["uuid", u(r)]:
                n.nb("remove", "logical_router", u(x), "static_routes", u(r))
    elif how == "nexthop":
        if six:
            raise Skip
        m = rng.choice(lab.nodes)
        v = rng.choice([m.transit, m.join, m.mgmt, nth(lab.join, 99), m.ip, m.router_ip])
        n.nb("set", "logical_router_static_route", u(r), 'nexthop="%s"' % v)
        how += " " + v
    elif how == "prefix":
        if six:
            raise Skip
        v = rng.choice(["10.200.0.0/16", lab.server["ip"] + "/32", rng.choice(lab.pods)["ip"] + "/32"])
        n.nb("set", "logical_router_static_route", u(r), 'ip_prefix="%s"' % v)
        how += " " + v
    elif how == "policy":
        n.nb("set", "logical_router_static_route", u(r), "policy=" + ("dst-ip" if r["policy"] == "src-ip" else "src-ip"))
    elif how == "discard":
        n.nb("set", "logical_router_static_route", u(r), "nexthop=discard")
    else:
        pn = rng.choice(rows(n, "Logical_Router_Port", "name"))["name"]
        n.nb("set", "logical_router_static_route", u(r), 'output_port="%s"' % pn)
        how += " " + pn
    ctx.settle(n)
    return "%s route %s via %s: %s" % (n.name, r["ip_prefix"], r["nexthop"], how)


@fault
def nb_route_add(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    gr = rng.choice([n.gr, "ovn_cluster_router"])
    dst = rng.choice(ctx.addrs())
    m = rng.choice(lab.nodes)
    via = rng.choice([n.router_ip, m.transit, m.join, m.mgmt, m.ip, "discard", nth(lab.join, 1)])
    opt = rng.choice([[], ["--policy=src-ip"], ["--ecmp"], ["--ecmp-symmetric-reply"]])
    n.nb(*opt, "lr-route-add", gr, dst + rng.choice(["/32", "/24"]), via, check=False)
    ctx.settle(n)
    return "%s %s add route %s via %s %s" % (n.name, gr, dst, via, opt)


@fault
def nb_policy(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    r = rng.choice(rows(n, "Logical_Router_Policy", "priority,match,action,nexthops"))
    how = rng.choice(["delete", "drop", "allow", "nexthop", "nonexthop", "prio", "match", "new"])
    if how == "delete":
        n.nb("remove", "logical_router", owner(n, "Logical_Router", "policies", u(r)), "policies", u(r))
    elif how in ("drop", "allow"):
        n.nb("set", "logical_router_policy", u(r), "action=" + how)
    elif how == "nexthop":
        m = rng.choice(lab.nodes)
        v = rng.choice([m.transit, m.join, m.mgmt])
        n.nb("set", "logical_router_policy", u(r), 'nexthops="%s"' % v, "action=reroute")
        how += " " + v
    elif how == "nonexthop":
        v = lst(r["nexthops"])
        if len(v) < 2:
            raise Skip
        n.nb("set", "logical_router_policy", u(r), 'nexthops="%s"' % v[0])
    elif how == "prio":
        n.nb("set", "logical_router_policy", u(r), "priority=%d" % rng.choice([1, 500, 2000]))
    elif how == "match":
        n.nb("set", "logical_router_policy", u(r), 'match="ip4.src == %s"' % rng.choice(ctx.addrs()))
    else:
        n.nb("lr-policy-add", "ovn_cluster_router", "150", "ip4.%s == %s" % (rng.choice(["src", "dst"]), rng.choice(ctx.addrs())),
                *rng.choice([["drop"], ["reroute", rng.choice(lab.nodes).transit], ["allow"], ["reroute", n.join]]))
        r = {"match": n.nb("lr-policy-list", "ovn_cluster_router").split("150")[-1][:80], "priority": 150}
    ctx.settle(n)
    return "%s policy %s %s: %s" % (n.name, r["priority"], r["match"][:80], how)


@fault
def nb_nat(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    rs = [r for r in rows(n, "NAT", "type,external_ip,logical_ip") if ":" not in r["external_ip"]]
    r = rng.choice(rs)
    how = rng.choice(["delete", "external_ip", "type", "logical_ip", "stateless", "exempted", "ports", "new"])
    if how == "delete":
        n.nb("remove", "logical_router", owner(n, "Logical_Router", "nat", u(r)), "nat", u(r))
    elif how == "external_ip":
        v = rng.choice([nth(str(n.underlay), 66), "203.0.113.9", rng.choice(lab.nodes).ip, n.join])
        n.nb("set", "nat", u(r), 'external_ip="%s"' % v)
        how += " " + v
    elif how == "type":
        n.nb("set", "nat", u(r), "type=" + rng.choice(["dnat_and_snat", "dnat"]))
    elif how == "logical_ip":
        v = rng.choice([p["ip"] for p in lab.pods] + [n.subnet])
        n.nb("set", "nat", u(r), 'logical_ip="%s"' % v)
        how += " " + v
    elif how == "stateless":
        n.nb("set", "nat", u(r), "type=dnat_and_snat", "options:stateless=true")
    elif how == "ports":
        n.nb("set", "nat", u(r), 'external_port_range="40000-40010"')
    elif how == "exempted":
        a = n.nb("create", "address_set", "name=exempt", 'addresses="%s"' % lab.server["ip"]).strip()
        n.nb("set", "nat", u(r), rng.choice(["exempted_ext_ips=", "allowed_ext_ips="]) + a)
    else:
        n.nb("--may-exist", "lr-nat-add", n.gr, rng.choice(["snat", "dnat_and_snat"]), nth(str(n.underlay), 67),
                rng.choice([p["ip"] for p in lab.pods if p["n"] is n]), check=False)
    ctx.settle(n)
    return "%s nat %s %s %s: %s" % (n.name, r["type"], r["external_ip"], r["logical_ip"], how)


@fault
def nb_lrp(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    r = rng.choice(rows(n, "Logical_Router_Port", "name,mac,networks"))
    how = rng.choice(["mac", "networks", "no4", "disabled", "mtu", "delete", "gwchassis", "plen", "redirect"])
    s = lambda *a: n.nb("set", "logical_router_port", u(r), *a)
    if how == "mac":
        s('mac="0a:58:00:00:00:88"')
    elif how == "networks":
        s("networks=10.199.0.1/24")
    elif how == "no4":
        v = [x for x in lst(r["networks"]) if ":" in x]
        if not v:
            raise Skip
        s("networks=" + ",".join('"%s"' % x for x in v))
    elif how == "plen":
        s("networks=" + ",".join('"%s"' % (re.sub(r"/\d+$", "/30", x) if ":" not in x else x) for x in lst(r["networks"])))
    elif how == "disabled":
        s("enabled=false")
    elif how == "mtu":
        s("options:gateway_mtu=%d" % rng.choice([600, 1300]))
    elif how == "delete":
        n.nb("lrp-del", u(r))
    elif how == "gwchassis":
        n.nb("lrp-set-gateway-chassis", r["name"], rng.choice(lab.nodes).chassis, "20")
    else:
        s("options:redirect-type=bridged")
    ctx.settle(n)
    ctx.wait = 1
    return "%s lrp %s: %s" % (n.name, r["name"], how)


@fault
def nb_router_options(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    r = rng.choice([n.gr, "ovn_cluster_router"])
    how = rng.choice(["options:lb_force_snat_ip=%s" % n.join, "remove lb_force_snat_ip", "options:snat-ct-zone=7", "options:chassis=nobody",
            "remove chassis", "options:dnat_force_snat_ip=%s" % n.join, "enabled=false", "options:mac_binding_age_threshold=1",
                      "options:dynamic_neigh_routers=false", "options:always_learn_from_arp_request=true", "nb:use_ct_inv_match=false",
                      "nb:mac_prefix", "nb:lb_hairpin_use_ct_mark=false", "ls:vlan-passthru=true", "ls:exclude", "nb:ignore_lsp_down=true",
                      "ls:mcast_snoop=false"])
    if how.startswith("remove"):
        n.nb("remove", "logical_router", r, "options", how.split()[1])
    elif how.startswith("nb:"):
        n.nb("set", "nb_global", ".", "options:" + (how[3:] if "=" in how else "mac_prefix=aa:bb:cc"))
    elif how.startswith("ls:"):
        n.nb("set", "logical_switch", rng.choice([n.name, "join", "transit_switch", "ext_" + n.name]),
                "other_config:" + (how[3:] if "=" in how else "exclude_ips=%s" % n.mgmt))
    else:
        n.nb("set", "logical_router", r, how)
    ctx.settle(n)
    return "%s %s %s" % (n.name, r, how)


@fault
def nb_static_mac(ctx, rng):
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    how = rng.choice(["delete", "mac", "new", "new"])
    if how == "new":
        port = rng.choice(["rtoe-" + n.gr, "rtos-" + n.name, "rtots-" + n.name, "rtoj-" + n.gr])
        ip = rng.choice({"rtoe": [n.router_ip, n.router_ip, lab.nodes[0].ip], "rtos": [p["ip"] for p in lab.pods if p["n"] is n] + [n.mgmt],
                "rtot": [m.transit for m in lab.nodes], "rtoj": [nth(lab.join, 1)]}[port[:4]])
        n.nb("create", "static_mac_binding", "logical_port=" + port, 'ip="%s"' % ip, 'mac="0a:58:00:00:00:77"', "override_dynamic_mac=" + rng.choice(["true", "false"]))
        how += " %s %s" % (port, ip)
    else:
        r = rng.choice(rows(n, "Static_MAC_Binding", "ip,mac"))
        n.nb("destroy", "static_mac_binding", u(r)) if how == "delete" else n.nb("set", "static_mac_binding", u(r), 'mac="0a:58:00:00:00:77"')
        how += " " + r["ip"]
    ctx.settle(n)
    return "%s static mac %s" % (n.name, how)
