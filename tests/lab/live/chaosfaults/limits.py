"""Limits of connection tracking, programs on devices, settings that few know of, and ends that have what is another's."""
from .base import *
from .hosts import full
from .ovn_rows import rows


@fault
def ct_zone_limit(ctx, rng):
    """Connections that a zone of the datapath may hold, or all zones together."""
    n = ctx.node()
    zones = re.findall(r"zone=(\d+)", n.run("ovs-appctl", "dpctl/dump-conntrack"))
    if not zones or rng.random() < .25:
        old = n.run("ovs-appctl", "dpctl/ct-get-maxconns").strip()
        n.run("ovs-appctl", "dpctl/ct-set-maxconns", "1")
        ctx.on_undo(lambda: n.run("ovs-appctl", "dpctl/ct-set-maxconns", old))
        return "%s ct-set-maxconns 1" % n.name
    zone = rng.choice(zones)         # a default limit cannot be taken back in 3.1: 0 lets no connection in
    n.run("ovs-appctl", "dpctl/ct-set-limits", "zone=%s,limit=1" % zone)
    ctx.on_undo(lambda: n.run("ovs-appctl", "dpctl/ct-del-limits", "zone=" + zone))
    return "%s ct-set-limits zone=%s,limit=1" % (n.name, zone)


# Classic BPF that says at once what becomes of the packet: all of them, those of TCP, those to port 8080.
BYTECODE = {"drops all": "1,6 0 0 2", "drops TCP": "4,48 0 0 23,21 0 1 6,6 0 0 2,6 0 0 4294967295", "drops port 8080":
            "4,40 0 0 36,21 0 1 8080,6 0 0 2,6 0 0 4294967295", "passes all": "1,6 0 0 0", "steals all": "1,6 0 0 4"}


@fault
def tc_bpf(ctx, rng):
    ns = ctx.host()
    d, side, how = rng.choice(ctx.links(ns)), rng.choice(["ingress", "egress"]), rng.choice(sorted(BYTECODE))
    kind = rng.choice(["clsact", "clsact", "ingress"]) if side == "ingress" else "clsact"
    try:
        ctx.x(ns, "tc qdisc add dev %s %s" % (d, kind), "tc qdisc del dev %s %s" % (d, kind))
        where = "ingress" if kind == "clsact" and side == "ingress" else "egress" if kind == "clsact" else "parent ffff:"
        ctx.x(ns, ["tc", "filter", "add", "dev", d, *where.split(), "protocol", rng.choice(["ip", "all"]), "bpf", "da", "bytecode", BYTECODE[how]])
    except RuntimeError:
        raise Skip
    return "%s tc %s %s %s bpf %s" % (ctx.short(ns), d, kind, side, how)


SETTINGS = [("ipv4/conf/%s/ignore_routes_with_linkdown", "1"), ("ipv4/conf/%s/drop_gratuitous_arp", "1"), ("ipv4/conf/%s/arp_accept", "1"),
            ("ipv4/conf/%s/accept_source_route", "1"), ("ipv4/conf/%s/shared_media", "0"), ("ipv4/conf/%s/promote_secondaries", "1"),
            ("ipv4/conf/%s/proxy_arp_pvlan", "1"), ("ipv4/conf/%s/medium_id", "7"), ("ipv4/conf/%s/disable_xfrm", "1"), ("ipv4/conf/%s/mc_forwarding", "0"),
            ("ipv4/neigh/%s/mcast_solicit", "0"), ("ipv4/neigh/%s/ucast_solicit", "0"), ("ipv6/neigh/%s/mcast_solicit", "0"), ("ipv6/conf/%s/forwarding", "0"),
            ("ipv6/conf/%s/accept_dad", "2"), ("ipv6/conf/%s/drop_unsolicited_na", "1"), ("ipv6/conf/%s/proxy_ndp", "1"), ("ipv6/conf/%s/mtu", "1280"),
            ("ipv6/conf/%s/drop_unicast_in_l2_multicast", "1"), ("ipv6/conf/%s/addr_gen_mode", "1"), ("ipv6/conf/%s/disable_policy", "1"), ("ipv6/icmp/echo_ignore_all", "1"),
            ("ipv6/icmp/echo_ignore_anycast", "1"), ("ipv6/bindv6only", "1"), ("ipv6/auto_flowlabels", "0"), ("ipv6/ip_nonlocal_bind", "1"), ("ipv6/route/mtu_expires", "1"),
            ("ipv4/fib_multipath_use_neigh", "1"), ("ipv4/fib_multipath_hash_policy", "2"), ("ipv4/fib_sync_mem", "65536"), ("ipv4/ip_forward_use_pmtu", "1"),
            ("ipv4/ip_forward_update_priority", "0"), ("ipv4/ip_unprivileged_port_start", "0"), ("ipv4/icmp_errors_use_inbound_ifaddr", "1"), ("ipv4/icmp_ratemask", "0"),
            ("ipv4/icmp_echo_ignore_broadcasts", "0"), ("ipv4/tcp_ecn", "1"), ("ipv4/tcp_timestamps", "0"), ("ipv4/tcp_sack", "0"), ("ipv4/tcp_l3mdev_accept", "1"),
            ("ipv4/tcp_max_syn_backlog", "1"), ("ipv4/tcp_tw_reuse", "1"), ("ipv4/tcp_abort_on_overflow", "1"), ("ipv4/tcp_syncookies", "2"), ("ipv4/tcp_fastopen", "3"),
            ("ipv4/udp_early_demux", "0"), ("ipv4/tcp_early_demux", "0"), ("ipv4/ip_early_demux", "0"), ("ipv4/min_adv_mss", "1400"), ("ipv4/route/min_pmtu", "1400"),
            ("netfilter/nf_conntrack_checksum", "0"), ("netfilter/nf_conntrack_acct", "0"), ("netfilter/nf_conntrack_tcp_ignore_invalid_rst", "1"),
            ("netfilter/nf_conntrack_tcp_timeout_syn_sent", "1"), ("netfilter/nf_conntrack_tcp_timeout_established", "1"), ("netfilter/nf_conntrack_udp_timeout", "0"),
            ("netfilter/nf_hooks_lwtunnel", "1"), ("netfilter/nf_conntrack_tcp_max_retrans", "0")]


@fault
def sysctl_seldom(ctx, rng):
    ns = ctx.host()
    key, value = rng.choice(SETTINGS)
    per_device = "%s" in key
    key = "net/" + (key % rng.choice(ctx.links(ns) + ([] if "neigh" in key else ["all"])) if per_device else key)
    old = ctx.lab.nsx(ns, "sysctl", "-n", key, check=False).strip()
    if not old or old == value:
        raise Skip
    full(ctx, ns)
    # what is set for all devices is set for each of some settings
    each = [l.split(" = ") for l in ctx.lab.nsx(ns, "sysctl", "-a", "--pattern", key.split("/")[-1] + "$", check=False).split("\n") if " = " in l] if "/all/" in key else [(key, old)]
    ctx.on_undo(lambda: [ctx.lab.nsx(ns, "sysctl", "-qw", "%s=%s" % (k.strip(), v.strip()), check=False) for k, v in each])
    ctx.undos[-1], ctx.undos[-2] = ctx.undos[-2], ctx.undos[-1]
    if "=" not in ctx.lab.nsx(ns, "sysctl", "-w", "%s=%s" % (key, value), check=False):
        raise Skip
    return "%s %s=%s" % (ctx.short(ns), key, value)


@fault
def two_alike(ctx, rng):
    """A pod with the address of another end, a node with the MAC of another, or two ports of pods with one address."""
    lab = ctx.lab
    how = rng.choice(["pod", "node mac", "rows"])
    if how == "pod":
        p = rng.choice(lab.pods)
        other = rng.choice([a for a in ctx.addrs() if a != p["ip"]])
        d = json.loads(lab.ip(p["netns"], "-j", "link"))[-1]["ifname"]
        ctx.x(p["netns"], ["ip", "addr", "add", other + "/32", "dev", d], ["ip", "addr", "del", other + "/32", "dev", d])
        return "pod %s has %s too" % (p["name"], other)
    n = ctx.node()
    if how == "node mac":
        m = rng.choice([x for x in lab.nodes if x is not n])
        mac = lambda x: json.loads(lab.ip(x.ns, "-j", "link", "show", "br-ex"))[0]["address"]
        full(ctx, n.ns)
        ctx.x(n.ns, ["ip", "link", "set", "br-ex", "address", mac(m)], ["ip", "link", "set", "br-ex", "address", mac(n)])
        return "%s has the MAC of %s" % (n.name, m.name)
    mine = [p for p in lab.pods if p["n"] is n and not p.get("udn")]
    if len(mine) < 2:
        raise Skip
    p, q = rng.sample(mine, 2)
    ctx.save_db(n, "nb")
    n.nb("set", "logical_switch_port", p["key"], 'addresses="%s"' % rng.choice(["%s %s" % (p["mac"], q["ip"]), "%s %s" % (q["mac"], p["ip"]), "%s %s" % (q["mac"], q["ip"])]))
    ctx.settle(n)
    return "%s %s has what %s has" % (n.name, p["key"], q["key"])


@fault
def speaker_gone(ctx, rng):
    """bgpd of a node stops: the router loses its routes by that node."""
    lab, n = ctx.lab, ctx.node()
    if lab.c.get("routing") == "static":
        raise Skip
    run = "/var/run/frr/%s-%s" % (lab.prefix, n.name)
    try:
        pid = int(open(run + "/bgpd.pid").read())
    except OSError:
        raise Skip
    os.kill(pid, signal.SIGSTOP)
    ctx.on_undo(lambda: os.kill(pid, signal.SIGCONT))
    lab.nsx(lab.ns_router, "vtysh", "-N", "%s-router" % lab.prefix, "-c", "clear bgp " + n.ip, check=False)
    return "%s bgpd stopped" % n.name


@fault
def nb_global(ctx, rng):
    """Options of all networks of a zone, and of load balancers."""
    n = ctx.node()
    ctx.save_db(n, "nb")
    how = rng.choice(["default_acl_drop=true", "use_ct_inv_match=false", "svc_monitor_mac=0a:58:00:00:00:44", "use_logical_dp_groups=false", "name", "ls_dnat_mod_dl_dst=true",
                      "max_tunid=1000", "northd_trim_timeout=0", "bfd-min-rx=1000", "lb", "lb", "lb"])
    if how == "lb":
        r = rng.choice(rows(n, "Load_Balancer", "name,options"))
        how = "lb %s options:%s" % (r["name"], rng.choice(["skip_snat=true", "hairpin_snat_ip=1.2.3.4", "neighbor_responder=all", "neighbor_responder=none", "add_route=true",
                                                           "template=true", "use_stateless_nat=true", "reject=false"]))
        n.nb("set", "load_balancer", r["_uuid"][1], how.split()[-1])
    elif how == "name":
        n.nb("set", "nb_global", ".", "name=elsewhere")
    else:
        n.nb("set", "nb_global", ".", "options:" + how)
    ctx.settle(n)
    return "%s nb_global %s" % (n.name, how)
