"""Brings up what exists before any egress or ingress feature: underlay, router with FRR,
server, nodes with OVS + OVN (one zone per node), pods, and the rows, flows, routes and
chains that ovn-kubernetes writes for every node in shared gateway mode with interconnect."""
import ipaddress, os, time
import attachments
import networks
import nftonly
from labcore import *

HERE = os.path.dirname(os.path.abspath(__file__))
CTRL = "default-network-controller"
COPP = ["arp", "arp-resolve", "bfd", "event-elb", "icmp4-error", "icmp6-error", "reject", "tcp-reset", "svc-monitor"]
TRANSIT_KEY = 16711683            # base transit switch tunnel key of ovn-kubernetes
CT_OVN, CT_HOST = "0x1", "0x2"
ZONE_DEFAULT, ZONE_HOSTMASQ, ZONE_OVNMASQ, ZONE_NODEPORT, ZONE_REASM = 64000, 64001, 64002, 64003, 64004
COOKIE = "0xdeff105"


def sysctl(lab, ns, **kv):
    for k, v in kv.items():
        lab.nsx(ns, "sysctl", "-qw", k.replace("__", ".").replace("_DOT_", "/") + "=" + str(v), check=False)


def underlay(lab):
    u, br = lab.ns_underlay, lab.c["underlay"]["bridge"]
    lab.add_ns(u)
    lab.ip(u, "link", "add", br, "type", "bridge")
    lab.ip(u, "link", "set", br, "up")
    lab.add_ns(lab.ns_router)
    lab.add_ns(lab.ns_server)
    r, s = lab.router, lab.server
    rn, sn = lab.ns_router, lab.ns_server
    a = lab.c.get("aux_net")
    if a:
        lab.ip(u, "link", "add", a["bridge"], "type", "bridge")
        lab.ip(u, "link", "set", a["bridge"], "up")
        lab.veth(u, "x-router", rn, a["router_if"], mac_b=lab.mac("router-aux"))
        lab.ip(u, "link", "set", "x-router", "master", a["bridge"])
        lab.ip(rn, "addr", "add", "%s/%s" % (a["gw"], a["cidr"].split("/")[1]), "dev", a["router_if"])
        if a.get("gw6"):
            lab.ip(rn, "addr", "add", "%s/64" % a["gw6"], "dev", a["router_if"], "nodad")
    lab.veth(u, "p-router", rn, r["inside_if"], mac_b=lab.mac("router-in"))
    lab.ip(u, "link", "set", "p-router", "master", br)
    lab.veth(rn, r["outside_if"], sn, s["if"], mac_a=lab.mac("router-out"), mac_b=lab.mac("server"))
    lab.ip(rn, "addr", "add", "%s/%d" % (r["inside_ip"], lab.underlay_net.prefixlen), "dev", r["inside_if"])
    for name, k in lab.racks.items():
        lab.ip(u, "link", "add", k["bridge"], "type", "bridge")
        lab.ip(u, "link", "set", k["bridge"], "up")
        port = "p-router-" + name[:6]
        lab.veth(u, port, rn, k["router_if"], mac_b=lab.mac("router-" + name))
        lab.ip(u, "link", "set", port, "master", k["bridge"])
        lab.ip(rn, "addr", "add", "%s/%s" % (k["router_ip"], k["cidr"].split("/")[1]), "dev", k["router_if"])
        if lab.v6:
            lab.ip(rn, "addr", "add", k["router_ip6"] + "/64", "dev", k["router_if"], "nodad")
    olen = r["outside_cidr"].split("/")[1]
    lab.ip(rn, "addr", "add", "%s/%s" % (r["outside_ip"], olen), "dev", r["outside_if"])
    lab.ip(sn, "addr", "add", "%s/%s" % (s["ip"], olen), "dev", s["if"])
    lab.ip(sn, "route", "add", "default", "via", r["outside_ip"])
    sysctl(lab, rn, net__ipv4__ip_forward=1, net__ipv6__conf__all__forwarding=1, net__ipv4__fib_multipath_hash_policy=1)
    if lab.v6:
        v = lab.v6
        lab.ip(rn, "addr", "add", v["router_in"] + "/64", "dev", r["inside_if"], "nodad")
        lab.ip(rn, "addr", "add", v["router_out"] + "/64", "dev", r["outside_if"], "nodad")
        lab.ip(sn, "addr", "add", v["server"] + "/64", "dev", s["if"], "nodad")
        lab.ip(sn, "-6", "route", "add", "default", "via", v["router_out"])


def frr(lab, ns, name, conf, bgp=True):
    """zebra and bgpd of one speaker; -N keeps their sockets apart."""
    space = "%s-%s" % (lab.prefix, name)
    etc, run = "/etc/frr/" + space, "/var/run/frr/" + space
    sh(["install", "-d", "-o", "frr", "-g", "frr", etc, run])
    open(etc + "/frr.conf", "w").write(conf)
    open(etc + "/vtysh.conf", "w").write("service integrated-vtysh-config\n")
    for d in ("zebra", "staticd", "bgpd"):
        open("%s/%s.conf" % (etc, d), "w").write("")
    sh(["chown", "-R", "frr:frr", etc])
    for d in ["zebra", "staticd"] + (["bgpd"] if bgp else []):
        extra = ["-p", "179"] if d == "bgpd" else []
        lab.daemon(ns, ["/usr/lib/frr/" + d, "-d", "-N", space, "-A", "127.0.0.1"] + extra,
                   "%s/%s.pid" % (run, d), "%s -N %s" % (d, space))
    time.sleep(0.3)
    lab.nsx(ns, "vtysh", "-N", space, "-b", check=False)


def bgp_router_conf(lab):
    r = lab.router
    out = ["frr defaults traditional", "hostname router", "log syslog informational"] + ([] if lab.v6 else ["no ipv6 forwarding"]) + [
           "!", "router bgp %d" % r["asn"], " bgp router-id %s" % r["inside_ip"]]
    out += [" neighbor %s remote-as %d" % (n.ip, r["asn"]) for n in lab.nodes]
    out += [" !", " address-family ipv4 unicast", "  network %s" % r["outside_cidr"], "  maximum-paths ibgp %d" % max(4, len(lab.nodes)),
            " exit-address-family", "!", "line vty", "!", ""]
    return "\n".join(out)


def bgp_node_conf(lab, n, prefixes=()):
    r = lab.router
    out = ["frr defaults traditional", "hostname %s" % n.name, "log syslog informational", "!",
           "router bgp %d" % r["asn"], " bgp router-id %s" % n.ip, " no bgp ebgp-requires-policy",
           " no bgp network import-check", " neighbor %s remote-as %d" % (n.router_ip, r["asn"]),
           " address-family ipv4 unicast"]
    out += ["  network %s" % p for p in prefixes]
    out += [" exit-address-family", "!", "line vty", "!", ""]
    return "\n".join(out)


def vtysh(lab, name, ns, *cmds, check=True):
    argv = ["vtysh", "-N", "%s-%s" % (lab.prefix, name)]
    for c in cmds:
        argv += ["-c", c]
    return lab.nsx(ns, *argv, check=check)


def node_base(lab, n):
    lab.add_ns(n.ns)
    for d in ("run", "log", "db", "etc"):
        os.makedirs(os.path.join(n.dir, d), exist_ok=True)
    nic = lab.c["nic"]
    port = "p-" + n.name[:12]
    lab.veth(lab.ns_underlay, port, n.ns, nic, mac_b=n.mac)
    lab.ip(lab.ns_underlay, "link", "set", port, "master", n.bridge)
    # The NIC and the pod ends belong to OVS. A bridge that stays down stands in for the kernel
    # datapath's master device: the kernel drops what arrives there, OVS reads it by AF_PACKET.
    lab.ip(n.ns, "link", "add", "ovs-system", "type", "bridge")
    lab.ip(n.ns, "link", "set", nic, "master", "ovs-system")
    sysctl(lab, n.ns, net__ipv4__ip_forward=1, net__ipv6__conf__all__forwarding=1,
           net__ipv4__conf__all__rp_filter=0, net__ipv4__conf__default__rp_filter=0)
    lab.nsx(n.ns, "sysctl", "-qw", "net/ipv6/conf/%s/disable_ipv6=1" % nic)


def aux_nic(lab, n):
    """A second NIC of the host, on a network of its own that OVN does not know."""
    a = lab.c["aux_net"]
    port = "x-" + n.name[:12]
    lab.veth(lab.ns_underlay, port, n.ns, n.aux_if, mac_b=lab.mac("aux" + n.name))
    lab.ip(lab.ns_underlay, "link", "set", port, "master", a["bridge"])
    lab.ip(n.ns, "addr", "add", n.aux, "brd", "+", "dev", n.aux_if)
    lab.ip(n.ns, "route", "add", "default", "via", a["gw"], "dev", n.aux_if, "proto", "static", "metric", "300")
    if n.__dict__.get("aux6"):
        lab.ip(n.ns, "addr", "add", n.aux6 + "/64", "dev", n.aux_if, "nodad")
        lab.ip(n.ns, "-6", "route", "add", "default", "via", a["gw6"], "dev", n.aux_if, "metric", "300")


def node_ovs(lab, n):
    run, db = n.dir + "/run", n.dir + "/db"
    sh(["ovsdb-tool", "create", db + "/conf.db", schema("vswitch")])
    common = ["--detach", "--no-chdir", "-vconsole:off"]
    def start(exe, args, pid, what):
        lab.daemon(n.ns, [exe] + args + common + ["--pidfile=" + pid, "--log-file=%s/log/%s.log" % (n.dir, what)],
                   pid, "%s (%s)" % (os.path.basename(exe), n.name), n.env)
    start("ovsdb-server", [db + "/conf.db", "--remote=punix:%s/db.sock" % run, "--unixctl=%s/ovsdb-server.ctl" % run],
          run + "/ovsdb-server.pid", "ovsdb-server")
    n.vs("--no-wait", "init")
    vswitchd = os.environ.get("LAB_VSWITCHD", "ovs-vswitchd")
    n.vs("--no-wait", "set", "open_vswitch", ".", "ovs_version=" + sh([vswitchd, "--version"]).split("\n")[0].split()[-1],
         "db_version=" + sh(["ovsdb-tool", "schema-version", schema("vswitch")]).strip(), "system-type=rhcos", "system-version=4.19")
    start(vswitchd, ["unix:%s/db.sock" % run], run + "/ovs-vswitchd.pid", "ovs-vswitchd")
    nic = lab.c["nic"]
    n.vs("--", "add-br", "br-ex", "--", "set", "bridge", "br-ex", "datapath_type=netdev",
         'other-config:hwaddr="%s"' % n.mac, "external-ids:bridge-id=br-ex", "external-ids:bridge-uplink=" + nic,
         "fail_mode=standalone", "--", "add-port", "br-ex", nic, "--", "set", "interface", nic, "ofport_request=1")
    n.vs("--", "add-br", "br-int", "--", "set", "bridge", "br-int", "datapath_type=netdev", "fail_mode=secure")
    n.vs("--", "add-port", "br-int", "ovn-k8s-mp0", "--", "set", "interface", "ovn-k8s-mp0", "type=internal",
         "mtu_request=%d" % lab.c["mtu"], "external-ids:iface-id=k8s-" + n.name, 'mac="%s"' % n.mgmt_mac)
    n.run("ip", "link", "set", "br-ex", "address", n.mac)
    n.run("ip", "link", "set", "br-ex", "up")
    n.run("ip", "link", "set", "ovn-k8s-mp0", "address", n.mgmt_mac)
    n.run("ip", "link", "set", "ovn-k8s-mp0", "up")
    n.run("ip", "addr", "add", "%s/%d" % (n.ip, n.plen), "brd", "+", "dev", "br-ex")
    if n.__dict__.get("aux") and not n.__dict__.get("aux_if"):
        n.run("ip", "addr", "add", n.aux, "brd", "+", "dev", "br-ex")
    n.run("ip", "route", "add", "default", "via", n.router_ip, "dev", "br-ex", "proto", "static", "metric", "48")
    if lab.v6:
        n.run("ip", "addr", "add", n.ip6 + "/64", "dev", "br-ex", "nodad")
        n.run("ip", "-6", "route", "add", "default", "via", n.router_ip6, "dev", "br-ex", "metric", "48")
    n.vs("set", "open_vswitch", ".", "external_ids:system-id=" + n.chassis, "external_ids:hostname=" + n.name,
         "external_ids:rundir=/var/run/openvswitch", "external_ids:ovn-encap-type=geneve",
         "external_ids:ovn-encap-ip=" + n.ip, "external_ids:ovn-is-interconn=true", "external_ids:ovn-monitor-all=true",
         "external_ids:ovn-ofctrl-wait-before-clear=0", "external_ids:ovn-enable-lflow-cache=true",
         'external_ids:ovn-set-local-ip="true"', "external_ids:ovn-bridge-datapath-type=netdev",
         "external_ids:ovn-bridge-mappings=physnet:br-ex", "external_ids:ovn-remote-probe-interval=100000",
         "external_ids:ovn-openflow-probe-interval=180", "external_ids:ovn-remote=unix:/var/run/ovn/ovnsb_db.sock",
         "external_ids:ovn-k8s-mgmt=ovn-k8s-mp0", "other_config:bundle-idle-timeout=180")
    n.vs("remove", "open_vswitch", ".", "external_ids", "ovn-k8s-mgmt")
    for sch, dbf, what in (("ovn-nb", "ovnnb_db", "ovsdb-server-nb"), ("ovn-sb", "ovnsb_db", "ovsdb-server-sb")):
        sh(["ovsdb-tool", "create", "%s/%s.db" % (db, dbf), schema(sch)])
        start("ovsdb-server", ["%s/%s.db" % (db, dbf), "--remote=punix:%s/%s.sock" % (run, dbf),
                               "--unixctl=%s/%s.ctl" % (run, dbf)], "%s/%s.pid" % (run, dbf), what)
    n.nb("init")
    n.sb("init")
    n.nb("set", "nb_global", ".", "name=" + n.name, "options:name=" + n.name, "options:use_logical_dp_groups=true",
         "options:northd_probe_interval=10000", "options:mac_prefix=" + lab.mac(n.name)[:8].replace("52:54:00", "ce:4a:63"),
         "options:svc_monitor_mac=" + lab.mac("svcmon"))
    start("ovn-northd", ["--ovnnb-db=unix:%s/ovnnb_db.sock" % run, "--ovnsb-db=unix:%s/ovnsb_db.sock" % run,
                         "--unixctl=%s/ovn-northd.ctl" % run], run + "/ovn-northd.pid", "ovn-northd")
    start_controller(lab, n)


def start_controller(lab, n):
    run = n.dir + "/run"
    common = ["--detach", "--no-chdir", "-vconsole:off"]
    # `ip netns exec` gives the command its own mount namespace: bind the node's run directory to the
    # place where ovn-remote expects the southbound socket
    os.makedirs("/run/ovn", exist_ok=True)
    pid = run + "/ovn-controller.pid"
    lab.daemon(n.ns, ["sh", "-c", 'mount --bind "$0" /run/ovn && exec ovn-controller "$@"', run, "unix:%s/db.sock" % run] + common +
               ["--pidfile=" + pid, "--log-file=%s/log/ovn-controller.log" % n.dir], pid, "ovn-controller (%s)" % n.name, n.env)


def stop_controller(n):
    """End ovn-controller at once, so that it neither removes its chassis nor its flows."""
    try:
        pid = int(open(n.dir + "/run/ovn-controller.pid").read())
        if "ovn-controller" in open("/proc/%d/cmdline" % pid).read():
            os.kill(pid, 9)
        for _ in range(100):
            if not os.path.exists("/proc/%d" % pid):
                break
            time.sleep(0.05)
        os.unlink(n.dir + "/run/ovn-controller.pid")
    except (OSError, ValueError):
        pass


def wait_patch(n, port=None):
    """Wait until br-ex has its patch port to br-int."""
    port = port or "patch-br-ex_%s-to-br-int" % n.name
    for _ in range(200):
        if n.vs("--if-exists", "get", "interface", port, "ofport", check=False).strip().isdigit():
            return
        time.sleep(0.1)
    raise RuntimeError("no patch port on " + n.name)


def eids(id_, **kv):
    out = ['external_ids:"k8s.ovn.org/id"="%s"' % id_, 'external_ids:"k8s.ovn.org/owner-controller"=' + CTRL]
    return out + ['external_ids:"%s"="%s"' % (k.replace("__", "."), v) for k, v in kv.items()]


def address_set(n, owner_type, name, addrs, fam="v4"):
    """An address set with the ids and the hashed name that ovn-kubernetes gives it."""
    id_ = "%s:%s:%s:%s" % (CTRL, owner_type, name, fam)
    argv = ["create", "address_set", "name=" + hash_for_ovn(id_)] + eids(
        id_, **{"ip-family": fam, "k8s.ovn.org/name": name, "k8s.ovn.org/owner-type": owner_type})
    if addrs:
        argv.append("addresses=" + ",".join('"%s"' % a for a in addrs))
    n.nb(*argv)
    return hash_for_ovn(id_)


def as_name(owner_type, name, fam="v4"):
    return hash_for_ovn("%s:%s:%s:%s" % (CTRL, owner_type, name, fam))


def node_nb(lab, n):
    v6 = lab.v6
    c = []
    def add(*a):
        c.extend(["--"] + [str(x) for x in a])
    # control plane protection and load balancer groups
    argv = ["--id=@band", "create", "meter_band", "action=drop", "rate=25"]
    for m in COPP:
        argv += ["--", "create", "meter", "name=%s-rate-limiter" % m, "unit=pktps", "fair=true", "bands=@band"]
    n.nb(*argv)
    copp = n.nb("create", "copp", "name=ovnkube-default",
                "meters={%s}" % ",".join('"%s"="%s-rate-limiter"' % (m, m) for m in COPP)).strip()
    groups = {g: n.nb("create", "load_balancer_group", "name=" + g).strip()
              for g in ("clusterLBGroup", "clusterSwitchLBGroup", "clusterRouterLBGroup")}
    # cluster router, join switch
    add("lr-add", "ovn_cluster_router")
    add("set", "logical_router", "ovn_cluster_router", "external_ids:k8s-cluster-router=yes", "options:mcast_relay=true")
    add("ls-add", "join")
    joingw = nth(lab.join, 1)
    nets = [joingw + "/" + lab.join.split("/")[1]] + ([nth(v6["join"], 1) + "/64"] if v6 else [])
    add("lrp-add", "ovn_cluster_router", "rtoj-ovn_cluster_router", ip_mac(joingw), *nets)
    add("lsp-add", "join", "jtor-ovn_cluster_router")
    add("set", "logical_switch_port", "jtor-ovn_cluster_router", "type=router", "addresses=router",
        "options:router-port=rtoj-ovn_cluster_router")
    # node switch
    sw = n.name
    add("ls-add", sw)
    add("set", "logical_switch", sw, "other_config:subnet=" + n.subnet, "other_config:exclude_ips=" + n.mgmt,
        "load_balancer_group=[%s,%s]" % (groups["clusterLBGroup"], groups["clusterSwitchLBGroup"]),
        "other_config:mcast_snoop=true", "other_config:mcast_querier=true",
        'other_config:mcast_eth_src="%s"' % ip_mac(n.gw), "other_config:mcast_ip4_src=" + n.gw)
    nets = [n.gw + "/" + n.subnet.split("/")[1]] + ([n.gw6 + "/64"] if v6 else [])
    add("lrp-add", "ovn_cluster_router", "rtos-" + sw, ip_mac(n.gw), *nets)
    add("lrp-set-gateway-chassis", "rtos-" + sw, n.chassis, "1")
    add("lsp-add", sw, "stor-" + sw)
    add("set", "logical_switch_port", "stor-" + sw, "type=router", "addresses=router", "options:router-port=rtos-" + sw,
        'options:arp_proxy="0a:58:a9:fe:01:01 169.254.1.1 fe80::1 %s"' % lab.cluster)
    add("lsp-add", sw, "k8s-" + sw)
    add("lsp-set-addresses", "k8s-" + sw, " ".join([n.mgmt_mac, n.mgmt] + ([n.mgmt6] if v6 else [])))
    # gateway router
    gr = n.gr
    add("lr-add", gr)
    add("set", "logical_router", gr, "options:always_learn_from_arp_request=false", "options:dynamic_neigh_routers=true",
        "options:chassis=" + n.chassis, "options:lb_force_snat_ip=router_ip", "options:snat-ct-zone=0",
        "options:mac_binding_age_threshold=300", "external_ids:physical_ip=" + n.ip,
        'external_ids:physical_ips="%s"' % ",".join([n.ip] + ([n.ip6] if v6 else [])), "copp=" + copp,
        "load_balancer_group=[%s,%s]" % (groups["clusterLBGroup"], groups["clusterRouterLBGroup"]))
    add("lsp-add", "join", "jtor-" + gr)
    add("set", "logical_switch_port", "jtor-" + gr, "type=router", "addresses=router", "options:router-port=rtoj-" + gr)
    nets = [n.join + "/" + lab.join.split("/")[1]] + ([n.join6 + "/64"] if v6 else [])
    add("lrp-add", gr, "rtoj-" + gr, ip_mac(n.join), *nets)
    nets = ["%s/%d" % (n.ip, n.plen)] + ([n.ip6 + "/64"] if v6 else [])
    add("lrp-add", gr, "rtoe-" + gr, n.mac, *nets)
    add("set", "logical_router_port", "rtoe-" + gr, "external_ids:gateway-physical-ip=yes")
    ext = "ext_" + n.name
    add("ls-add", ext)
    add("lsp-add", ext, "br-ex_" + n.name)
    add("set", "logical_switch_port", "br-ex_" + n.name, "type=localnet", "addresses=unknown", "options:network_name=physnet")
    add("lsp-add", ext, "etor-" + gr)
    add("set", "logical_switch_port", "etor-" + gr, "type=router", 'addresses="%s"' % n.mac, "options:router-port=rtoe-" + gr,
        "options:nat-addresses=router", "options:exclude-lb-vips-from-garp=true")
    # routes
    add("lr-route-add", gr, lab.cluster, joingw)
    add("lr-route-add", gr, lab.masq, lab.masq_gw, "rtoe-" + gr)
    add("lr-route-add", gr, "0.0.0.0/0", n.router_ip, "rtoe-" + gr)
    add("lr-route-add", "ovn_cluster_router", n.join, n.join)
    add("--policy=src-ip", "lr-route-add", "ovn_cluster_router", lab.cluster, n.join)
    if v6:
        add("lr-route-add", gr, v6["cluster"], nth(v6["join"], 1))
        add("lr-route-add", gr, v6["masq"], nth(v6["masq"], 4), "rtoe-" + gr)
        add("lr-route-add", gr, "::/0", n.router_ip6, "rtoe-" + gr)
        add("lr-route-add", "ovn_cluster_router", n.join6, n.join6)
        add("--policy=src-ip", "lr-route-add", "ovn_cluster_router", v6["cluster"], n.join6)
    add("create", "static_mac_binding", "logical_port=rtoe-" + gr, "ip=" + lab.masq_host, 'mac="%s"' % n.mac,
        "override_dynamic_mac=true")
    add("create", "static_mac_binding", "logical_port=rtoe-" + gr, "ip=" + lab.masq_gw,
        'mac="%s"' % ip_mac(lab.masq_gw), "override_dynamic_mac=true")
    if v6:
        add("create", "static_mac_binding", "logical_port=rtoe-" + gr, 'ip="%s"' % nth(v6["masq"], 4),
            'mac="%s"' % ip_mac(lab.masq_gw), "override_dynamic_mac=true")
        add("create", "static_mac_binding", "logical_port=rtoe-" + gr, 'ip="%s"' % nth(v6["masq"], 2),
            'mac="%s"' % n.mac, "override_dynamic_mac=true")
    # SNAT of the join address and (disable-snat-multiple-gws, as OpenShift sets it) one per pod
    add("lr-nat-add", gr, "snat", n.ip, n.join)
    if v6:
        add("lr-nat-add", gr, "snat", n.ip6, n.join6)
    for p in lab.default_ports():
        if p["n"] is n:
            add("lr-nat-add", gr, "snat", n.ip, p["ip"])
            if v6:
                add("lr-nat-add", gr, "snat", n.ip6, p["ip6"])
    # transit switch of the interconnect
    add("ls-add", "transit_switch")
    add("set", "logical_switch", "transit_switch", "other_config:interconn-ts=transit_switch",
        "other_config:requested-tnl-key=%d" % TRANSIT_KEY, "other_config:mcast_snoop=true",
        "other_config:mcast_querier=false", "other_config:mcast_flood_unregistered=true")
    for m in lab.nodes:
        port = "tstor-" + m.name
        nets = ["%s/%s" % (m.transit, lab.transit.split("/")[1])] + ([m.transit6 + "/64"] if v6 else [])
        add("lsp-add", "transit_switch", port)
        if m is n:
            add("lrp-add", "ovn_cluster_router", "rtots-" + m.name, ip_mac(m.transit), *nets)
            add("set", "logical_router_port", "rtots-" + m.name, "options:mcast_flood=true")
            add("set", "logical_switch_port", port, "type=router", "addresses=router",
                "options:router-port=rtots-" + m.name, "options:requested-tnl-key=%d" % m.id, "external_ids:node=" + m.name)
        else:
            add("set", "logical_switch_port", port, "type=remote", 'addresses="%s"' % " ".join([ip_mac(m.transit)] + nets),
                "options:requested-tnl-key=%d" % m.id, "options:requested-chassis=" + m.name, "external_ids:node=" + m.name)
            dst = [(m.subnet, m.transit), (m.join, m.transit)]
            if v6:
                dst += [(m.subnet6, m.transit6), (m.join6, m.transit6)]
            for pfx, nh in dst:
                full = pfx if "/" in pfx else pfx + ("/128" if ":" in pfx else "/32")
                add("--id=@r%s" % abs(hash(full)), "create", "logical_router_static_route", 'ip_prefix="%s"' % full,
                    'nexthop="%s"' % nh, "external_ids:ic-node=" + m.name)
                add("add", "logical_router", "ovn_cluster_router", "static_routes", "@r%s" % abs(hash(full)))
    # pods
    for p in lab.default_ports():
        if p["n"] is not n:
            continue
        add("lsp-add", sw, p["key"])
        addr = " ".join([p["mac"], p["ip"]] + ([p["ip6"]] if v6 else []))
        add("set", "logical_switch_port", p["key"], 'addresses="%s"' % addr, 'port_security="%s"' % addr,
            "options:iface-id-ver=" + p["uid"], "options:requested-chassis=" + n.name,
            "external_ids:namespace=" + p["ns"], 'external_ids:pod="true"')
    n.nb(*c[1:])
    # allow-related from the management port (network policy base rule)
    n.nb("--id=@a", "create", "acl", "priority=1001", "direction=to-lport", "action=allow-related",
         'match="ip4.src==%s"' % n.mgmt, *eids("%s:NetpolNode:%s:%s" % (CTRL, sw, n.mgmt),
                                             **{"k8s.ovn.org/owner-type": "NetpolNode", "k8s.ovn.org/name": sw, "ip": n.mgmt}),
         "--", "add", "logical_switch", sw, "acls", "@a")
    # address sets
    for ns_ in sorted({p["ns"] for p in lab.pods}):
        address_set(n, "Namespace", ns_, [p["ip"] for p in lab.default_ports() if p["ns"] == ns_])
    address_set(n, "EgressIP", "node-ips", [m.ip for m in lab.nodes] +
                [m.aux.split("/")[0] for m in lab.nodes if m.__dict__.get("aux")])
    address_set(n, "EgressIP", "egressip-served-pods", [])
    address_set(n, "EgressService", "egresssvc-served-pods", [])
    # policies that exist with the feature enabled
    def policy(prio, match, action, nh=None, opts=None):
        a = ["--id=@p", "create", "logical_router_policy", "priority=%d" % prio, 'match="%s"' % match.replace('"', '\\"'),
             "action=" + action]
        if nh:
            a += ["nexthops=%s" % nh]
        if opts:
            a += ["options:" + opts]
        n.nb(*a, "--", "add", "logical_router", "ovn_cluster_router", "policies", "@p")
    for ip in [n.ip] + ([n.aux.split("/")[0]] if n.__dict__.get("aux") else []):
        policy(1004, 'inport == "rtos-%s" && ip4.dst == %s /* %s */' % (n.name, ip, n.name), "reroute", n.mgmt)
    policy(102, "(ip4.src == $%s || ip4.src == $%s) && ip4.dst == $%s" % (
        as_name("EgressIP", "egressip-served-pods"), as_name("EgressService", "egresssvc-served-pods"),
        as_name("EgressIP", "node-ips")), "allow", None, "pkt_mark=1008")
    policy(102, "ip4.src == %s && ip4.dst == %s" % (lab.cluster, lab.cluster), "allow")
    policy(102, "ip4.src == %s && ip4.dst == %s" % (lab.cluster, lab.join), "allow")
    policy(102, "pkt.mark == 42", "allow")
    # replies of served pods are marked 42; releases before 24.03 know no mark action and refuse the row
    id_ = CTRL + ":EgressIP:103:EgressIPReplyTraffic:ip4"
    n.nb("--id=@q", "create", "qos", "priority=103", "direction=from-lport", "action:mark=42",
         'match="ip4.src == $%s && ct.trk && ct.rpl"' % as_name("EgressIP", "egressip-served-pods"),
         *eids(id_, **{"ip-family": "ip4", "k8s.ovn.org/name": "EgressIPReplyTraffic", "k8s.ovn.org/owner-type": "EgressIP", "priority": "103"}),
         "--", "add", "logical_switch", n.name, "qos_rules", "@q", check=False)


def remote_chassis(lab, n):
    """The SB rows that the zone's chassis handler writes for nodes of other zones."""
    for m in lab.nodes:
        if m is n:
            continue
        n.sb("chassis-add", m.chassis, "geneve", m.ip)
        n.sb("set", "chassis", m.chassis, "hostname=" + m.name, "other_config:is-remote=true")


def bind_remote(lab, n):
    """This OVN release leaves the binding of remote ports to the CMS, so the lab binds them as
    the zone handler of that time did."""
    for m in lab.nodes:
        if m is not n:
            n.sb("wait-until", "port_binding", "tstor-" + m.name, "type=remote")
            n.sb("--may-exist", "lsp-bind", "tstor-" + m.name, m.chassis)


def node_host(lab, n):
    """Addresses, routes, neighbours, iptables chains and nft table that ovnkube-node sets up."""
    v6 = lab.v6
    mtu = lab.c["mtu"]
    run = n.run
    run("ip", "addr", "add", lab.masq_host + "/" + lab.masq.split("/")[1], "brd", "+", "dev", "br-ex")
    run("ip", "route", "add", lab.masq_ovn + "/32", "dev", "br-ex", "src", n.ip, "mtu", str(mtu))
    run("ip", "neigh", "replace", lab.masq_gw, "lladdr", ip_mac(lab.masq_gw), "dev", "br-ex", "nud", "permanent")
    run("ip", "neigh", "replace", lab.masq_ovn, "lladdr", ip_mac(lab.masq_ovn), "dev", "br-ex", "nud", "permanent")
    run("ip", "route", "add", lab.svc, "via", lab.masq_gw, "dev", "br-ex", "src", lab.masq_host, "mtu", str(mtu))
    run("ip", "addr", "add", "%s/%s" % (n.mgmt, n.subnet.split("/")[1]), "brd", "+", "dev", "ovn-k8s-mp0")
    run("ip", "route", "add", lab.cluster, "via", n.gw, "dev", "ovn-k8s-mp0")
    run("ip", "route", "add", lab.masq_etp, "via", n.gw, "dev", "ovn-k8s-mp0")
    run("ip", "neigh", "replace", n.gw, "lladdr", ip_mac(n.gw), "dev", "ovn-k8s-mp0", "nud", "permanent")
    run("sysctl", "-qw", "net/ipv4/conf/ovn-k8s-mp0/forwarding=1")
    run("ip", "rule", "add", "prio", "30", "from", "all", "fwmark", "0x1745ec", "lookup", "7")
    run("ip", "route", "add", "table", "7", lab.svc, "via", n.gw, "dev", "ovn-k8s-mp0")
    if v6:
        run("ip", "addr", "add", n.mgmt6 + "/64", "dev", "ovn-k8s-mp0", "nodad")
        run("ip", "-6", "route", "add", v6["cluster"], "via", n.gw6, "dev", "ovn-k8s-mp0")
        run("ip", "-6", "neigh", "replace", n.gw6, "lladdr", ip_mac(n.gw), "dev", "ovn-k8s-mp0", "nud", "permanent")
        run("ip", "addr", "add", nth(v6["masq"], 2) + "/112", "dev", "br-ex", "nodad", "preferred_lft", "0", "valid_lft", "forever")
        run("ip", "-6", "neigh", "replace", nth(v6["masq"], 4), "lladdr", ip_mac(lab.masq_gw), "dev", "br-ex", "nud", "permanent")
        run("ip", "-6", "route", "add", v6["service"], "via", nth(v6["masq"], 4), "dev", "br-ex", "src", nth(v6["masq"], 2))
    if lab.c.get("nftables"):
        if lab.c.get("disable_forwarding"):
            run("sysctl", "-qw", "net/ipv4/ip_forward=0", "net/ipv4/conf/br-ex/forwarding=1", "net/ipv4/conf/ovn-k8s-mp0/forwarding=1",
                *(["net/ipv4/conf/%s/forwarding=1" % n.aux_if] if n.__dict__.get("aux_if") else []))
        run("nft", "-f", "-", inp=nftonly.base(lab, n))
        return
    for ipt in ("iptables",) + (("ip6tables",) if v6 else ()):
        for ch in ("OVN-KUBE-EGRESS-IP-MULTI-NIC", "OVN-KUBE-EGRESS-SVC", "OVN-KUBE-ETP", "OVN-KUBE-EXTERNALIP",
                   "OVN-KUBE-ITP", "OVN-KUBE-NODEPORT"):
            run(ipt, "-t", "nat", "-N", ch)
        run(ipt, "-t", "mangle", "-N", "OVN-KUBE-ITP")
        run(ipt, "-t", "mangle", "-I", "OUTPUT", "-j", "OVN-KUBE-ITP")
        for ch in ("OVN-KUBE-ITP", "OVN-KUBE-NODEPORT", "OVN-KUBE-EXTERNALIP", "OVN-KUBE-ETP"):
            run(ipt, "-t", "nat", "-I", "PREROUTING", "-j", ch)
            if ch != "OVN-KUBE-ETP":
                run(ipt, "-t", "nat", "-I", "OUTPUT", "-j", ch)
        run(ipt, "-t", "nat", "-I", "POSTROUTING", "-j", "OVN-KUBE-EGRESS-SVC")
        run(ipt, "-t", "nat", "-I", "POSTROUTING", "-j", "OVN-KUBE-EGRESS-IP-MULTI-NIC")
        run(ipt, "-t", "nat", "-A", "OVN-KUBE-EGRESS-SVC", "-m", "mark", "--mark", "0x3f0", "-m", "comment",
            "--comment", "DoNotSNAT", "-j", "RETURN")
        if lab.c.get("disable_forwarding"):
            # forwarding is restricted to what ovn-kubernetes needs (the default of OpenShift)
            m = lab.masq_ovn if ipt == "iptables" else nth(v6["masq"], 1)
            four = ipt == "iptables"
            for net in (lab.cluster if four else v6["cluster"], lab.svc if four else v6["service"], m):
                for flag in ("-s", "-d"):
                    run(ipt, "-I", "FORWARD", flag, net, "-j", "ACCEPT")
            run(ipt, "-P", "FORWARD", "DROP")
            if four:
                run("sysctl", "-qw", "net/ipv4/ip_forward=0", "net/ipv4/conf/br-ex/forwarding=1", "net/ipv4/conf/ovn-k8s-mp0/forwarding=1",
                    *(["net/ipv4/conf/%s/forwarding=1" % n.aux_if] if n.__dict__.get("aux_if") else []))
        else:
            run(ipt, "-P", "FORWARD", "ACCEPT")
    run("nft", "-f", "-", inp=nft_base(lab, n))


def nft_base(lab, n):
    v6rules = ""
    if lab.v6:
        v6rules = """
    ip6 daddr . meta l4proto . th dport @mgmtport-no-snat-services-v6 counter return
    counter snat ip6 to %s""" % n.mgmt6
    return """
table inet ovn-kubernetes {
  set mgmtport-no-snat-nodeports { type inet_proto . inet_service; comment "NodePorts not subject to management port SNAT"; }
  set mgmtport-no-snat-services-v4 { type ipv4_addr . inet_proto . inet_service; comment "eTP:Local short-circuit not subject to management port SNAT (IPv4)"; }
  set mgmtport-no-snat-services-v6 { type ipv6_addr . inet_proto . inet_service; comment "eTP:Local short-circuit not subject to management port SNAT (IPv6)"; }
  map egress-service-snat-v4 { type ipv4_addr : ipv4_addr; }
  map egress-service-snat-v6 { type ipv6_addr : ipv6_addr; }
  chain mgmtport-snat {
    comment "OVN SNAT to Management Port"
    type nat hook postrouting priority srcnat; policy accept;
    oifname != "ovn-k8s-mp0" return
    meta l4proto . th dport @mgmtport-no-snat-nodeports counter return
    ip daddr . meta l4proto . th dport @mgmtport-no-snat-services-v4 counter return
    counter snat ip to %s%s
  }
  chain egress-services {
    type nat hook postrouting priority srcnat; policy accept;
    meta mark 0x000003f0 return comment "DoNotSNAT"
    snat ip to ip saddr map @egress-service-snat-v4
    snat ip6 to ip6 saddr map @egress-service-snat-v6
  }
}
""" % (n.mgmt, v6rules)


def brex_flows(lab, n):
    """The OpenFlow rows that the shared gateway code keeps on br-ex (service rows come with scenarios)."""
    nic = n.ofport(lab.c["nic"])
    patch = n.ofport("patch-br-ex_%s-to-br-int" % n.name)
    m, ip = n.mac, n.ip
    f = []
    a = lambda s: f.append("cookie=%s,%s" % (COOKIE, s))
    fams = [("ip", ip, lab.masq_host, lab.masq_ovn, lab.svc, lab.masq, lab.cluster, n.subnet, "nw", "udp", "tcp")]
    if lab.v6:
        v = lab.v6
        fams.append(("ipv6", n.ip6, nth(v["masq"], 2), nth(v["masq"], 1), v["service"], v["masq"], v["cluster"], n.subnet6, "ipv6", "udp6", "tcp6"))
    for pf, nip, mh, mo, svc, msub, clus, sub, fld, udp, tcp in fams:
        a("priority=205,in_port=%s,dl_dst=%s,%s,udp_dst=6081,actions=output:LOCAL" % (nic, m, udp))
        a("priority=200,in_port=%s,%s,udp_dst=6081,actions=NORMAL" % (nic, udp))
        a("priority=200,in_port=LOCAL,%s,udp_dst=6081,actions=output:%s" % (udp, nic))
        a("priority=500,in_port=%s,%s,%s_dst=%s,%s_src=%s,actions=ct(commit,zone=%d,nat(dst=%s),table=4)" % (
            patch, pf, fld, mh, fld, nip, ZONE_HOSTMASQ, nip))
        if pf == "ip" and n.__dict__.get("aux"):
            a("priority=500,in_port=%s,ip,nw_dst=%s,nw_src=%s,actions=ct(commit,zone=%d,table=4)" % (
                patch, n.aux.split("/")[0], nip, ZONE_HOSTMASQ))
        a("priority=500,in_port=LOCAL,%s,%s_dst=%s,actions=ct(zone=%d,nat,table=5)" % (pf, fld, mo, ZONE_OVNMASQ))
        a("priority=500,in_port=LOCAL,%s,%s_dst=%s,actions=ct(commit,zone=%d,nat(src=%s),table=2)" % (pf, fld, svc, ZONE_HOSTMASQ, mh))
        a("priority=550,in_port=LOCAL,%s,%s_src=%s,%s_dst=%s,actions=ct(commit,zone=%d,table=2)" % (pf, fld, msub, fld, svc, ZONE_HOSTMASQ))
        a("priority=500,in_port=%s,%s,%s_src=%s,%s_dst=%s,actions=ct(zone=%d,nat,table=3)" % (patch, pf, fld, svc, fld, msub, ZONE_HOSTMASQ))
        a("priority=105,in_port=%s,%s,%s_dst=%s,actions=drop" % (patch, pf, fld, svc))
        a("priority=110,in_port=%s,%s,nw_frag=yes,actions=ct(table=0,zone=%d)" % (nic, pf, ZONE_REASM))
        for st in ("+trk+est", "+trk+rel"):
            a("priority=100,table=1,%s,ct_state=%s,ct_mark=%s,actions=output:%s" % (pf, st, CT_OVN, patch))
            a("priority=100,table=1,%s,ct_state=%s,ct_mark=%s,actions=output:LOCAL" % (pf, st, CT_HOST))
        a("table=4,%s,actions=ct(commit,zone=%d,nat(src=%s),table=3)" % (pf, ZONE_OVNMASQ, mo))
        a("table=5,%s,actions=ct(commit,zone=%d,nat,table=2)" % (pf, ZONE_HOSTMASQ))
        a("priority=105,in_port=%s,dl_src=%s,%s,pkt_mark=0x3f0,actions=ct(commit,zone=%d,nat(src=%s),exec(set_field:%s->ct_mark)),output:%s" % (
            patch, m, pf, ZONE_DEFAULT, nip, CT_OVN, nic))
        a("priority=100,in_port=%s,dl_src=%s,%s,actions=ct(commit,zone=%d,exec(set_field:%s->ct_mark)),output:%s" % (patch, m, pf, ZONE_DEFAULT, CT_OVN, nic))
        a("priority=100,in_port=LOCAL,%s,actions=ct(commit,zone=%d,exec(set_field:%s->ct_mark)),output:%s" % (pf, ZONE_DEFAULT, CT_HOST, nic))
        a("priority=50,in_port=%s,%s,actions=ct(zone=%d,nat,table=1)" % (nic, pf, ZONE_DEFAULT))
        a("priority=104,in_port=%s,%s,%s_src=%s,actions=drop" % (patch, pf, fld, clus))
        a("priority=109,in_port=%s,dl_src=%s,%s,%s_src=%s,actions=ct(commit,zone=%d,exec(set_field:%s->ct_mark)),output:%s" % (
            patch, m, pf, fld, sub, ZONE_DEFAULT, CT_OVN, nic))
        a("priority=15,table=1,%s,%s_dst=%s,actions=output:%s" % (pf, fld, clus, patch))
        a("priority=13,table=1,in_port=%s,%s,tp_dst=3784,actions=output:%s,output:LOCAL" % (nic, udp, patch))
    both = "output:%s,output:NORMAL" if lab.c.get("nftables") else "output:LOCAL,output:%s"   # newer OVN-Kubernetes
    a("priority=10,table=0,in_port=%s,dl_dst=%s,actions=%s" % (nic, m, both % patch))
    a("priority=10,table=0,in_port=%s,dl_src=%s,actions=output:NORMAL" % (patch, m))
    a("priority=9,table=0,in_port=%s,actions=drop" % patch)
    a("priority=10,table=1,dl_dst=%s,actions=output:LOCAL" % m)
    if lab.v6:
        for t in (134, 136):
            a("priority=14,table=1,icmp6,icmpv6_type=%d,actions=FLOOD" % t)
    a("priority=100,table=2,actions=set_field:%s->eth_dst,output:%s" % (m, patch))
    a("table=3,actions=move:NXM_OF_ETH_DST[]->NXM_OF_ETH_SRC[],set_field:%s->eth_dst,output:LOCAL" % m)
    a("priority=0,table=1,actions=output:NORMAL")
    f.append("priority=0,table=0,actions=output:NORMAL")
    return f


def write_brex(lab, n, extra=()):
    flows = brex_flows(lab, n) + list(extra)
    for net in lab.udns:
        flows += networks.brex_flows(lab, n, net, n.ofport(lab.c["nic"]), COOKIE)
    if lab.udns:
        flows.append(networks.own_mac_flow(lab, n, n.ofport(lab.c["nic"]), n.ofport("patch-br-ex_%s-to-br-int" % n.name), COOKIE))
    flows = [x.replace("output:NORMAL", "NORMAL").replace("output:LOCAL", "LOCAL") for x in flows]
    n.run("ovs-ofctl", "-O", "OpenFlow13", "--bundle", "replace-flows", "br-ex", "-", inp="\n".join(flows) + "\n")


def attach_pod(lab, p):
    """The veth pair of a pod, its addresses and routes."""
    n = p["n"]
    lab.veth(n.ns, p["veth"], p["netns"], "eth0", mac_b=p["mac"], mtu=lab.c["mtu"])
    lab.ip(n.ns, "link", "set", p["veth"], "master", "ovs-system")
    lab.nsx(n.ns, "sysctl", "-qw", "net/ipv6/conf/%s/disable_ipv6=1" % p["veth"])
    lab.ip(p["netns"], "addr", "add", "%s/%s" % (p["ip"], n.subnet.split("/")[1]), "brd", "+", "dev", "eth0")
    if not p.get("locked"):
        lab.ip(p["netns"], "route", "add", "default", "via", n.gw)
    for d in () if p.get("locked") else (lab.cluster, lab.svc):
        lab.ip(p["netns"], "route", "add", d, "via", n.gw)
    if lab.v6:
        lab.ip(p["netns"], "addr", "add", p["ip6"] + "/64", "dev", "eth0", "nodad")
        lab.ip(p["netns"], "-6", "route", "add", "default", "via", n.gw6)


def reattach_pod(lab, p):
    """Bring back a pod's veth pair that a fault deleted."""
    if p["veth"] in lab.ip(p["n"].ns, "-o", "link"):
        lab.ip(p["n"].ns, "link", "del", p["veth"])
    attach_pod(lab, p)
    for _ in range(100):
        if p["n"].ofport(p["veth"]).isdigit():
            break
        time.sleep(0.05)
    lab.nsx(p["netns"], "python3", os.path.join(HERE, "peer.py"), "announce", "eth0", p["ip"], p["mac"])


def pods(lab):
    for p in lab.pods:
        lab.add_ns(p["netns"])
        if p.get("udn"):
            networks.attach(lab, p, p["net"])
    for p in lab.default_ports():
        n = p["n"]
        attach_pod(lab, p)
        n.vs("--", "add-port", "br-int", p["veth"], "--", "set", "interface", p["veth"],
             'external_ids:attached_mac="%s"' % p["mac"], "external_ids:iface-id=" + p["key"],
             "external_ids:iface-id-ver=" + p["uid"], "external_ids:sandbox=" + p["sandbox"],
             "external_ids:ip_addresses=" + p["ip"] + "/" + n.subnet.split("/")[1], "--", "set", "port", p["veth"],
             "other_config:transient=true")


def servers(lab):
    log = os.path.join(lab.state_dir, "servers.log")
    srv = os.path.join(HERE, "peer.py")
    def start(ns, name, ports):
        out = os.path.join(lab.state_dir, "served-%s.jsonl" % name)
        open(out, "a").close()
        lab.background(ns, ["python3", srv, "serve", name, out] + [str(x) for x in ports], "python3 serve %s" % name, log)
    start(lab.ns_server, "server", lab.server["ports"])
    for p in lab.pods:
        start(p["netns"], p["name"], p["ports"])
    for n in lab.nodes:
        start(n.ns, "host-" + n.name, [9100])


def up(lab, log=print):
    t0 = time.time()
    os.makedirs(lab.state_dir, exist_ok=True)
    underlay(lab)
    for n in lab.nodes:
        node_base(lab, n)
    for a in attachments.of(lab):
        if a.topology != "layer2":
            attachments.segment(lab, a)
    for n in lab.nodes:
        if n.__dict__.get("aux_if"):
            aux_nic(lab, n)
        node_ovs(lab, n)
        log("%6.1f s  %s: OVS and OVN run" % (time.time() - t0, n.name))
    for n in lab.nodes:
        node_nb(lab, n)
        for net in lab.udns:
            networks.node_nb(lab, n, net)
        attachments.node_nb(lab, n)
        remote_chassis(lab, n)
        node_host(lab, n)
        for net in lab.udns:
            if net.local:
                networks.host(lab, n, net)
    for n in lab.nodes:
        bind_remote(lab, n)
        for net in lab.udns:
            networks.bind_remote(lab, n, net)
        attachments.bind_remote(lab, n)
    pods(lab)
    attachments.attach(lab)
    log("%6.1f s  pods attached" % (time.time() - t0))
    for n in lab.nodes:
        wait_patch(n)
        for net in lab.udns:
            wait_patch(n, net.patch(n))
        write_brex(lab, n)
    if lab.router.get("bgp"):
        frr(lab, lab.ns_router, "router", bgp_router_conf(lab))
        for n in lab.nodes:
            frr(lab, n.ns, n.name, bgp_node_conf(lab, n))
    servers(lab)
    lab.sync()
    for p in lab.pods:       # the cluster router learns the pods' addresses, as a cluster's MAC cache flows show
        lab.nsx(p["netns"], "python3", os.path.join(HERE, "peer.py"), "announce", "ovn-udn1" if p.get("udn") else "eth0", p["ip"], p["mac"])
    lab.remember_state()
    log("%6.1f s  up" % (time.time() - t0))
