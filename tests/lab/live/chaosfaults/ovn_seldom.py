"""Rows of the northbound database that few networks have: QoS, health checks, tiers of ACLs, next hops with BFD, groups of multicast."""
from .base import *
from .ovn_rows import *


@fault
def nb_qos(ctx, rng):
    """A rate so small that nothing passes but the first packets, DSCP, a mark."""
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    match = rng.choice(["ip4", "tcp", "udp", "icmp4", "ip4.dst == %s" % rng.choice(ctx.addrs()), "ip4.src == %s" % rng.choice([p["ip"] for p in lab.pods]),
                        "ip4 && tcp.dst == 8080"])
    what = rng.choice(["rate=1", "rate=1 burst=1", "rate=100000 burst=100000", "dscp=46", "dscp=8"])
    n.nb("qos-add", rng.choice([n.name, "join", "ext_" + n.name]), rng.choice(["from-lport", "to-lport"]), "1000", match, *what.split())
    ctx.settle(n)
    return "%s qos %s %s" % (n.name, match, what)


@fault
def nb_health_check(ctx, rng):
    """OVN asks the endpoints itself, and takes those that do not answer out."""
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    balanced = [r for r in rows(n, "Load_Balancer", "name,vips,protocol") if any(mp(r["vips"]).values()) and "udp" not in str(r["protocol"])]
    if not balanced:
        raise Skip
    r = rng.choice(balanced)
    vip, backends = rng.choice([x for x in sorted(mp(r["vips"]).items()) if x[1] and "[" not in x[0]] or [(None, None)])
    if not vip:
        raise Skip
    n.nb("--id=@h", "create", "load_balancer_health_check", 'vip="%s"' % vip, "options:interval=1", "options:timeout=1", "options:success_count=1",
         "options:failure_count=1", "--", "add", "load_balancer", u(r), "health_check", "@h")
    for b in backends.split(","):
        p = next((p for p in lab.pods if p["ip"] == b.rsplit(":", 1)[0]), None)
        if p:
            n.nb("set", "load_balancer", u(r), 'ip_port_mappings:"%s"="%s:%s"' % (p["ip"], p["key"], rng.choice([nth(n.subnet, 1), nth(n.subnet, 99)])))
    ctx.settle(n)
    ctx.wait = 4
    return "%s health check of %s %s" % (n.name, r["name"], vip)


@fault
def nb_acl_seldom(ctx, rng):
    """Tiers, labels, `pass`, ACLs after load balancers, default drop, and matches that few ACLs have."""
    n = ctx.node()
    ctx.save_db(n, "nb")
    direction = rng.choice(["from-lport", "to-lport"])
    sw = rng.choice([n.name] * 4 + ["join", "transit_switch", "ext_" + n.name])
    a, b = rng.sample(ctx.addrs(), 2)
    match = rng.choice(["ip4.src == {%s, %s}" % (a, b), "ip4.dst == %s/24 && tcp" % a, "tcp.dst >= 8000 && tcp.dst <= 9200", "tcp.src != 8080 && tcp",
                        "ip4.dst != %s" % a, "icmp4.type == 8", "icmp4.type == 0", "ip.ttl < 64", "ip.dscp == 0", "tcp.flags == 2", "tcp.flags[4]",
                        "ct.new && !ct.est", "!ct.trk", "ct_mark.natted == 1", "ip.frag", "eth.src == 0a:58:00:00:00:01/ff:ff:00:00:00:00", "ip6", "nd_na",
                        "nd_ns", "arp.op == 1", "arp.tpa == %s" % a, "udp.src == 8080", "ip4.mcast || ip6.mcast", "ip.proto == 6", "ip4 && ct.inv",
                        "ct.rpl && ct.est"])
    action = rng.choice(["drop", "drop", "reject", "allow", "allow-related", "allow-stateless", "pass"])
    more = rng.choice([[], [], ["tier=1"], ["tier=2"], ["label=7"], ["options:apply-after-lb=true"] if direction == "from-lport" else [],
                       ["options:log-related=true", "log=true", "label=3"], ["options:default-drop=true"]])
    try:
        n.nb("--id=@a", "create", "acl", "priority=%d" % rng.choice([1, 1000, 30000, 32767]), "direction=" + direction, "action=" + action,
             'match="%s"' % match, *more, "--", "add", "logical_switch", sw, "acls", "@a")
    except RuntimeError:
        raise Skip
    ctx.settle(n)
    return "%s acl %s %s %s %s %s" % (n.name, sw, direction, match, action, " ".join(more))


@fault
def nb_route_seldom(ctx, rng):
    """Routes of several next hops, of other tables, with BFD; policies of several next hops, with a mark, and by BFD."""
    n = ctx.node()
    lab = ctx.lab
    ctx.save_db(n, "nb")
    router = rng.choice([n.gr, "ovn_cluster_router"])
    dst = rng.choice(ctx.addrs()) + rng.choice(["/32", "/32", "/24"])
    m, k = rng.sample(lab.nodes, 2)
    hops = {n.gr: [n.router_ip, m.ip, k.ip, nth(str(n.underlay), 250)], "ovn_cluster_router": [m.transit, k.transit, n.mgmt, n.join]}[router]
    a, b = rng.sample(hops, 2)
    how = rng.choice(["ecmp", "ecmp", "ecmp symmetric", "policy ecmp", "policy mark", "table", "bfd", "policy jump", "selection"])
    try:
        if how.startswith("ecmp") or how == "selection":
            for h in (a, b):
                n.nb("--ecmp-symmetric-reply" if "symmetric" in how else "--ecmp", "lr-route-add", router, dst, h)
        elif how == "table":
            n.nb("--route-table=chaos", "lr-route-add", router, dst, a)
        elif how == "bfd":
            n.nb("--bfd", "lr-route-add", router, dst, a, *(["rtoe-" + n.gr] if router == n.gr else ["rtots-" + n.name]))
        elif how == "policy ecmp":
            n.nb("lr-policy-add", router, "1500", "ip4.dst == " + dst, "reroute", "%s,%s" % (a, b))
        elif how == "policy mark":
            n.nb("lr-policy-add", router, "1500", "ip4.dst == " + dst, "allow", "pkt_mark=%d" % rng.choice([2, 1008, 42]))
        else:
            raise Skip
    except RuntimeError:
        raise Skip
    ctx.settle(n)
    return "%s %s %s %s: %s, %s" % (n.name, router, how, dst, a, b)


@fault
def nb_switch_seldom(ctx, rng):
    """Snooping of multicast, learned addresses, DHCP, control plane protection, options of ports that are seldom set."""
    n = ctx.node()
    ctx.save_db(n, "nb")
    p = rng.choice([q for q in ctx.lab.pods if q["n"] is n])
    sw = rng.choice([n.name, n.name, "join", "transit_switch"])
    words = rng.choice([
        ["set", "logical_switch", sw, "other_config:mcast_snoop=true", "other_config:mcast_querier=false"], ["set", "logical_switch", sw,
                "other_config:mcast_snoop=true", "other_config:mcast_flood_unregistered=true"],
        ["set", "logical_switch_port", p["key"], "addresses=unknown", "port_security=[]"], ["add", "logical_switch_port", p["key"], "addresses",
                                                                                            "unknown"], ["set", "logical_switch_port", p["key"],
                                                                                                    "addresses=dynamic"],
        ["set", "logical_switch_port", p["key"], "options:mcast_flood=true"], ["set", "logical_switch_port", p["key"],
                                                                               "options:vif-plug-type=representor"], ["set", "logical_switch_port", p["key"],
                                                                                       "options:disable_arp_nd_rsp=true"],
        ["set", "logical_switch_port", p["key"], "options:hostname=x", "options:requested-tnl-key=77"], ["set", "logical_switch_port", p["key"],
                "parent_name=nobody", "tag_request=5"], ["set", "logical_switch_port", p["key"], "options:localnet_learn_fdb=true"],
        ["set", "logical_switch_port", p["key"], "port_security=\"%s\"" % p["mac"]], ["set", "logical_switch_port", p["key"],
                                                                                      "port_security=\"%s %s/24\"" % (p["mac"], p["ip"])], ["set",
                                                                                              "logical_switch_port", p["key"],
                                                                                              "port_security=\"VRRPv3 %s %s\"" % (p["mac"], p["ip"])],
        ["set", "logical_switch", sw, "other_config:vlan-passthru=true"], ["set", "logical_switch", sw, "other_config:requested-tnl-key=99"], ["set",
                "logical_switch", sw, "other_config:broadcast-arps-to-all-routers=false"],
        ["set", "logical_switch_port", "stor-" + n.name, "options:arp_proxy=\"%s\"" % rng.choice(ctx.addrs())], ["set", "logical_switch_port", "stor-" + n.name,
                "options:nat-addresses=router"],
        ["lsp-set-enabled", "stor-" + n.name, "disabled"], ["set", "logical_router_port", "rtos-" + n.name,
                                                            "options:gateway_mtu=%d" % rng.choice([68, 600, 1400])], ["set", "logical_router_port",
                                                                    "rtoe-" + n.gr, "options:gateway_mtu=%d" % rng.choice([68, 600, 1280])],
        ["set", "logical_router", n.gr, "options:lb_force_snat_ip=%s" % nth(str(n.underlay), 71)], ["set", "logical_router", n.gr,
                                                                                                    "options:dynamic_neigh_routers=true"], ["set",
                                                                                                            "logical_router", "ovn_cluster_router",
                                                                                                                    "options:mcast_relay=true"],
        ["set", "logical_router", n.gr, "options:always_learn_from_arp_request=true"], ["set", "logical_router", n.gr,
                                                                                        "options:mac_binding_age_threshold=1"], ["set", "logical_router",
                                                                                                rng.choice([n.gr, "ovn_cluster_router"]), "enabled=false"],
        ["lrp-set-redirect-type", "rtos-" + n.name, rng.choice(["bridged", "overlay"])], ["set", "logical_router_port", "rtoe-" + n.gr,
                                                                                          "options:redirect-type=bridged"], ["set", "logical_router_port",
                                                                                                  "rtos-" + n.name, "enabled=false"],
        ["set", "logical_router_port", "rtoe-" + n.gr, "ipv6_ra_configs:address_mode=slaac", "ipv6_ra_configs:send_periodic=true"], ["set",
                "logical_router_port", "rtots-" + n.name, "options:requested-chassis=nobody"]])
    try:
        n.nb(*words)
    except RuntimeError:
        raise Skip
    ctx.settle(n)
    ctx.wait = 1.2
    return "%s nbctl %s" % (n.name, " ".join(words))
