"""A primary user-defined network of layer 3 or 2, as ovn-kubernetes writes it in shared gateway mode
(layer3_user_defined_network_controller.go, layer2_user_defined_network_controller.go, gateway.go, egressip.go,
node/bridgeconfig/bridgeflows.go): routers, switches and gateway routers of its own on each node, the masquerade address behind
which its pods come to br-ex, and br-ex's flows that make it the node's, or an egress IP's. Topologies: "layer3"; "layer2", whose
switch hangs on a transit router (OVN 25.03 and later); "layer2-join", whose switch hangs on the gateway routers themselves (before
OVN-Kubernetes 1.2); "old_nodes" have the latter beside nodes with "layer2", as while a cluster is upgraded. With "gateway": "local" (not of the older layer 2) what leaves goes by the network's management port and the host, as
node/gateway_udn.go sets it up. The VRF of that port needs a kernel that has VRFs: a policy rule by its device, with the preference of
the kernel's rule for VRFs, stands in for it. With "transport": "no-overlay" (layer 3) or "evpn" no tunnels of OVN join the nodes: of the
one the routes that FRR would learn are written by hand, of the other only what OVN has of it is here, for want of VXLAN with VLANs in the kernel at hand."""
import ipaddress

from labcore import *

TRANSIT_KEY = 16711683          # + the network's id (zoneinterconnect: BaseTransitSwitchTunnelKey)
TRANSIT_ROUTER_KEY = 16715779   # + the network's id: the second key that a layer-2 network is given
TRANSIT_PORT_KEY = 4            # + the node's id (transit_router.go: transitRouterPortFirstTunnelKey)
ZONE = 64000


class Network:
    def __init__(self, lab, c):
        self.lab = lab
        self.namespace, self.udn, self.id, self.cluster = c["namespace"], c["name"], c["id"], c["cluster_cidr"]
        self.join = c.get("join_cidr", "100.65.0.0/16")
        self.key = "%s/%s" % (self.namespace, self.udn)            # of the NetworkAttachmentDefinition
        self.name = "cluster_udn_" + self.udn if c.get("cluster") else "%s_%s" % (self.namespace, self.udn)
        self.prefix = self.name.replace("-", ".") + "_"
        self.port_prefix = self.key.replace("-", ".").replace("/", ".") + "_"
        self.masquerade = nth(lab.masq, 10 + 2 * self.id - 1)      # of the gateway router
        self.management_masquerade = nth(lab.masq, 10 + 2 * self.id)
        self.management = "ovn-k8s-mp%d" % self.id
        self.local = c.get("gateway") == "local"
        self.table = 1000 + c.get("vrf_index", 10)                 # of its VRF: 1000 + the number of the management port's device
        self.pkt_mark = "0x%x" % (4096 + self.id)
        self.ct_mark = "0x%x" % (3 + self.id)
        self.topology = c.get("topology", "layer3")
        self.old_nodes = c.get("old_nodes", [])
        self.subnets = c.get("subnets") or {n.name: self.cluster for n in lab.nodes}     # by node
        self.transit = c.get("transit_cidr", "100.88.0.0/16")
        self.services = c.get("services", [])
        self.transport = c.get("transport")
        self.connect = c.get("connect_subnet")                     # of a ClusterNetworkConnect
        self.ids = ["external_ids:k8s.ovn.org/network=" + self.name, "external_ids:k8s.ovn.org/role=primary",
                    "external_ids:k8s.ovn.org/topology=" + self.topology[:6]]

    def gateway(self, n):
        return nth(self.subnets[n.name], 1)

    def join_ip(self, n):
        return nth(self.join, n.id)

    def router(self, n):
        return "GR_" + self.prefix + n.name

    def distributed_router(self):
        return self.prefix + ("ovn_cluster_router" if self.topology == "layer3" else "transit_router")

    def switch(self, n):
        return self.prefix + (n.name if self.topology == "layer3" else "ovn_layer2_switch")

    def transit_pair(self, n):
        """Addresses of the transit router and of the node's gateway router on the link between them."""
        first = int(ipaddress.ip_network(self.transit).network_address) + 2 * n.id
        return str(ipaddress.ip_address(first)), str(ipaddress.ip_address(first + 1))

    def topology_on(self, n):
        return "layer2-join" if n.name in self.old_nodes else self.topology

    def next_hop(self, at, to):
        """Where the distributed router at one node sends what is to leave by the gateway router of another (getGatewayNextHop())."""
        if self.topology == "layer2":
            return self.transit_pair(to)[1]
        return self.join_ip(to) if at is to else to.transit

    def management_ip(self, n):
        return nth(self.subnets[n.name], 2)

    def has_match(self, n):
        return "match" in n.run("ovsdb-client", "list-columns", "unix:%s/run/ovnnb_db.sock" % n.dir, "OVN_Northbound", "NAT")

    def management_port(self, n):
        return "k8s-" + self.prefix + n.name

    def patch(self, n):
        return "patch-br-ex_%s%s-to-br-int" % (self.prefix, n.name)


class Rows:
    """Commands of ovn-nbctl, run at once."""
    def __init__(self):
        self.words = []

    def __call__(self, *a):
        self.words.extend(["--"] + [str(x) for x in a])

    def run(self, n):
        n.nb(*self.words[1:])


def bits(cidr):
    return cidr.split("/")[1]


def owned(add, net, kind, name):
    add("set", kind, name, *net.ids)


def router_port(add, switch, port, peer, *more):
    add("lsp-add", switch, port)
    add("set", "logical_switch_port", port, "type=router", "addresses=router", "options:router-port=" + peer, *more)


def gateway_router(add, lab, n, net):
    """The gateway router with its external switch, NAT and routes, but for what joins it to the rest of the network."""
    gr, ext = net.router(n), "ext_" + net.prefix + n.name
    add("lr-add", gr)
    add("ls-add", ext)
    owned(add, net, "logical_router", gr)
    owned(add, net, "logical_switch", ext)
    add("set", "logical_router", gr, "options:always_learn_from_arp_request=false", "options:dynamic_neigh_routers=true",
        "options:chassis=" + n.chassis, "options:lb_force_snat_ip=" + (net.join_ip(n) if net.topology != "layer3" else "router_ip"), "options:mac_binding_age_threshold=300",
        "external_ids:physical_ip=" + n.ip)
    add("lrp-add", gr, "rtoe-" + gr, n.mac, "%s/%d" % (n.ip, n.plen), net.masquerade + "/32")
    local = "br-ex_" + net.prefix + n.name
    add("lsp-add", ext, local)
    add("set", "logical_switch_port", local, "type=localnet", "addresses=unknown", "options:network_name=physnet")
    add("lsp-add", ext, "etor-" + gr)
    add("set", "logical_switch_port", "etor-" + gr, "type=router", 'addresses="%s"' % n.mac, "options:router-port=rtoe-" + gr)
    add("lr-route-add", gr, lab.masq, lab.masq_gw, "rtoe-" + gr)
    add("lr-route-add", gr, "0.0.0.0/0", n.__dict__.get("router_ip") or lab.router["inside_ip"], "rtoe-" + gr)
    add("create", "static_mac_binding", "logical_port=rtoe-" + gr, "ip=" + lab.masq_gw, 'mac="%s"' % ip_mac(lab.masq_gw), "override_dynamic_mac=true")
    add("lr-nat-add", gr, "snat", net.masquerade, net.join_ip(n))
    # the older layer 2 has one router for both: only what leaves by it is translated (GetNetworkScopedClusterSubnetSNATMatch())
    leaving = net.topology_on(n) == "layer2-join" and net.has_match(n)
    add(*(["--match=outport == \"rtoe-%s\"" % gr] if leaving else []), "lr-nat-add", gr, "snat", net.masquerade, net.cluster)


def pod_ports(add, lab, n, net):
    """On layer 2 each node knows the pods of the others too."""
    own = [p for p in lab.pods if p.get("net") is net]
    for key, p in enumerate(own, 10):
        remote = p["n"] is not n
        if remote and (net.topology == "layer3" or net.transport):
            continue
        addr = "%s %s" % (p["mac"], p["ip"])
        more = ["type=remote", "options:requested-chassis=" + p["n"].chassis] if remote else \
            ['port_security="%s"' % addr, "options:iface-id-ver=" + p["uid"], "options:requested-chassis=" + n.name]
        if net.topology != "layer3" and not net.transport:
            more.append("options:requested-tnl-key=%d" % key)
        add("lsp-add", net.switch(n), p["key"])
        add("set", "logical_switch_port", p["key"], 'addresses="%s"' % addr, *more, "external_ids:namespace=" + p["ns"], 'external_ids:pod="true"',
            "external_ids:k8s.ovn.org/nad=" + net.key, "external_ids:k8s.ovn.org/network=" + net.name,
            "external_ids:k8s.ovn.org/topology=" + net.topology[:6])


def layer3(add, lab, n, net):
    x, gr, sw, cluster = net.prefix, net.router(n), net.switch(n), net.distributed_router()
    join, transit, first = x + "join", x + "transit_switch", nth(net.join, 1)
    add("lr-add", cluster)
    owned(add, net, "logical_router", cluster)
    for switch in (join, sw) if net.transport else (join, sw, transit):
        add("ls-add", switch)
        owned(add, net, "logical_switch", switch)
    add("set", "logical_router", cluster, "external_ids:k8s-cluster-router=yes", "options:mcast_relay=true")
    add("set", "logical_switch", sw, "other_config:subnet=" + net.subnets[n.name])
    add("lrp-add", cluster, "rtoj-" + cluster, ip_mac(first), "%s/%s" % (first, bits(net.join)))
    router_port(add, join, "jtor-" + cluster, "rtoj-" + cluster)
    add("lrp-add", cluster, "rtos-" + sw, ip_mac(net.gateway(n)), "%s/%s" % (net.gateway(n), bits(net.subnets[n.name])))
    add("lrp-set-gateway-chassis", "rtos-" + sw, n.chassis, "1")
    router_port(add, sw, "stor-" + sw, "rtos-" + sw)
    router_port(add, join, "jtor-" + gr, "rtoj-" + gr)
    add("lrp-add", gr, "rtoj-" + gr, ip_mac(net.join_ip(n)), "%s/%s" % (net.join_ip(n), bits(net.join)))
    add("lr-route-add", gr, net.cluster, first)
    add("lr-route-add", cluster, net.join_ip(n), net.join_ip(n))
    if net.local:
        management(add, n, net)
    else:
        add("--policy=src-ip", "lr-route-add", cluster, net.subnets[n.name], net.join_ip(n))
    if net.transport:                                              # hasInterconnectTransport()
        return
    add("set", "logical_switch", transit, "other_config:interconn-ts=" + transit, "other_config:requested-tnl-key=%d" % (TRANSIT_KEY + net.id))
    for m in lab.nodes:
        port, ip = x + "tstor-" + m.name, "%s/%s" % (m.transit, bits(lab.transit))
        more = "options:requested-tnl-key=%d" % m.id, "external_ids:node=" + m.name
        if m is n:
            add("lrp-add", cluster, x + "rtots-" + m.name, ip_mac(m.transit), ip)
            router_port(add, transit, port, x + "rtots-" + m.name, *more)
        else:
            add("lsp-add", transit, port)
            add("set", "logical_switch_port", port, "type=remote", 'addresses="%s %s"' % (ip_mac(m.transit), ip),
                "options:requested-chassis=" + m.name, *more)
            for prefix in (net.subnets[m.name], net.join_ip(m) + "/32"):
                add("lr-route-add", cluster, prefix, m.transit)


def management(add, n, net):
    """The management port, by which the node's pods leave with a masquerade address (buildUDNEgressSNAT()). Rows of NAT have `match` from
    OVN 24.09 on; without it the row is asked for the same packets, for no others leave the router by its gateway port there."""
    ip, sw, cluster = net.management_ip(n), net.switch(n), net.distributed_router()
    add("lsp-add", sw, net.management_port(n))
    add("lsp-set-addresses", net.management_port(n), "%s %s" % (ip_mac(ip), ip))
    add("--policy=src-ip", "lr-route-add", cluster, net.subnets[n.name], ip)
    add("--id=@snat", "create", "nat", "type=snat", "external_ip=" + net.management_masquerade, 'logical_ip="%s"' % net.subnets[n.name],
        "logical_port=%srtos-%s" % ("t" if net.topology == "layer2" else "", sw), *(['match="eth.dst == %s"' % ip_mac(ip)] if net.has_match(n) else []),
        *limits(add, n, net), *net.ids[::2])
    add("add", "logical_router", cluster, "nat", "@snat")


def limits(add, n, net):
    """Without tunnels of OVN, pods keep their address where peers have routes to them: of no-overlay with outboundSNAT towards the network
    (no_overlay_snat_exemption.go), of EVPN everywhere but to nodes, which newer releases write into `match`."""
    if not net.transport:
        return []
    kind, column, addresses = ("NoOverlaySNATExemption", "exempted_ext_ips", [net.cluster, n.ip]) if net.transport == "no-overlay" else \
        ("EgressIP", "allowed_ext_ips", [m.ip for m in net.lab.nodes])
    name = "no-overlay-snat-exemption" if net.transport == "no-overlay" else "cluster-node-ips"
    add("--id=@limit", "create", "address_set", "name=a_%s_%d" % (name.replace("-", "_"), net.id), "addresses=" + ",".join('"%s"' % a for a in addresses),
        "external_ids:k8s.ovn.org/owner-type=" + kind, "external_ids:k8s.ovn.org/name=" + name, "external_ids:network=" + net.name)
    return [column + "=@limit"]


def host(lab, n, net):
    """What the node sets up for the network (computeRoutesForUDN(), constructUDNVRFIPRules())."""
    dev, ip, table, gw, mtu = net.management, net.management_ip(n), str(net.table), net.gateway(n), str(lab.c["mtu"])
    n.vs("--", "add-port", "br-int", dev, "--", "set", "interface", dev, "type=internal", "mtu_request=" + mtu,
         "external_ids:iface-id=" + net.management_port(n), "external_ids:k8s.ovn.org/network=" + net.name, 'mac="%s"' % ip_mac(ip))
    n.run("ip", "link", "set", dev, "address", ip_mac(ip))
    n.run("ip", "link", "set", dev, "up")
    n.run("sysctl", "-qw", "net/ipv4/conf/%s/forwarding=1" % dev, "net/ipv4/conf/%s/rp_filter=2" % dev, "net/ipv6/conf/%s/disable_ipv6=1" % dev)
    n.run("ip", "addr", "add", "%s/%s" % (ip, bits(net.subnets[n.name])), "dev", dev, "noprefixroute")
    route = lambda *a: n.run("ip", "route", "add", "table", table, *a)
    if net.transport == "no-overlay":                              # what comes for pods goes through OVN (useNoPrefixRouteManagementPortIPs())
        route(gw, "dev", dev, "scope", "link")
        route(net.subnets[n.name], "via", gw, "dev", dev)
    else:
        route(net.subnets[n.name], "dev", dev, "proto", "kernel", "scope", "link", "src", ip)
    route(lab.svc, "via", lab.masq_gw, "dev", "br-ex", "mtu", mtu, "src", lab.masq_host)
    route("default", "via", n.router_ip, "dev", "br-ex", "mtu", mtu)
    route(net.management_masquerade, "dev", dev, "mtu", mtu)
    route(lab.masq_etp, "via", gw, "dev", dev)
    if net.topology == "layer3" and not net.transport:
        route(net.cluster, "via", gw, "dev", dev)
    for m in lab.nodes if net.transport == "no-overlay" else []:   # as FRR learns them, and as the others learn from it
        if m is not n:
            route(net.subnets[m.name], "via", m.ip, "dev", "br-ex", "proto", "bgp", "metric", "20")
    route("unreachable", "default", "metric", "4278198272")
    rule = lambda *a: n.run("ip", "rule", "add", *a, "lookup", table)
    rule("prio", "1000", "iif", dev)
    rule("prio", "2000", "fwmark", net.pkt_mark)
    rule("prio", "2000", "to", net.management_masquerade)
    if net.transport:                                              # advertised, always
        rule("prio", "2000", "to", net.cluster)
    if net.transport == "evpn" and net.topology == "layer2":       # a port of the bridge evbr-VTEP, were there one
        n.vs("--", "add-port", "br-int", "ovl2-" + net.udn, "--", "set", "interface", "ovl2-" + net.udn, "type=internal",
             "external_ids:iface-id=macvrf-" + net.switch(n))


def layer2_switch(add, net, n):
    sw = net.switch(n)
    add("ls-add", sw)
    owned(add, net, "logical_switch", sw)
    add("set", "logical_switch", sw, "other_config:subnet=" + net.cluster)
    if net.transport == "evpn":
        return mac_vrf(add, net, sw)
    add("set", "logical_switch", sw, "other_config:interconn-ts=" + sw, "other_config:requested-tnl-key=%d" % (TRANSIT_KEY + net.id))


def mac_vrf(add, net, sw):
    """The port towards the host's bridge of EVPN, which has the MACs of other nodes (base_secondary_layer2_network_controller.go)."""
    gw, port = nth(net.cluster, 1), "macvrf-" + sw
    add("set", "logical_switch", sw, "other_config:mcast_snoop=true", "other_config:mcast_flood_unregistered=true", "other_config:mcast_querier=false")
    add("lsp-add", sw, port)
    add("set", "logical_switch_port", port, "addresses=unknown", *net.ids[::2])
    add("acl-add", sw, "to-lport", "1000", 'outport=="%s" && eth.dst==%s && arp && arp.op==1 && arp.tpa==%s' % (port, ip_mac(gw), gw), "drop")


def layer2(add, lab, n, net):
    gr, sw, router = net.router(n), net.switch(n), net.distributed_router()
    layer2_switch(add, net, n)
    add("lr-add", router)
    owned(add, net, "logical_router", router)
    add("set", "logical_router", router, "options:requested-tnl-key=%d" % (TRANSIT_ROUTER_KEY + net.id))
    add("lrp-add", router, "trtos-" + sw, ip_mac(net.gateway(n)), "%s/%s" % (net.gateway(n), bits(net.cluster)))
    add("set", "logical_router_port", "trtos-" + sw, "options:requested-tnl-key=1")
    add("lrp-set-gateway-chassis", "trtos-" + sw, n.chassis, "1")
    router_port(add, sw, "stotr-" + sw, "trtos-" + sw)
    if net.old_nodes:
        upgrade_ports(add, lab, n, net)
    for m in [n] if net.transport else lab.nodes:
        if m.name in net.old_nodes:
            continue
        near, far = net.transit_pair(m)
        port = "trtor-" + net.router(m)
        add("lrp-add", router, port, ip_mac(near), near + "/31")
        add("set", "logical_router_port", port, "options:requested-tnl-key=%d" % (TRANSIT_PORT_KEY + m.id),
            *(["peer=rtotr-" + gr] if m is n else ["options:requested-chassis=" + m.chassis, "external_ids:node=" + m.name]))
        add("lr-route-add", router, net.join_ip(m), far)
    near, far = net.transit_pair(n)
    add("lrp-add", gr, "rtotr-" + gr, ip_mac(net.join_ip(n)), "%s/%s" % (net.join_ip(n), bits(net.join)), far + "/31")
    add("set", "logical_router_port", "rtotr-" + gr, "peer=trtor-" + gr)
    if net.local:
        management(add, n, net)
    else:
        add("--policy=src-ip", "lr-route-add", router, net.cluster, far)
    add("lr-route-add", gr, net.cluster, near, "rtotr-" + gr)


def upgrade_ports(add, lab, n, net):
    """Towards nodes of the older topology (ensureUpgradeTopology(), addRouterSetupForRemoteNodeGR()): a second port of the transit router on
    the switch, with the MAC and key that those know of this node's gateway router and an address of nobody; and their routers' ports."""
    sw, router = net.switch(n), net.distributed_router()
    last = str(ipaddress.ip_network(net.join)[-2])
    add("lrp-add", router, "trtos-%s-upgrade" % sw, ip_mac(net.join_ip(n)), "%s/%s" % (last, bits(net.join)))
    router_port(add, sw, "stotr-%s-upgrade" % sw, "trtos-%s-upgrade" % sw, "options:requested-tnl-key=%d" % m_key(n))
    for m in lab.nodes:
        if m.name in net.old_nodes:
            remote_router(add, net, sw, m)
            add("lr-route-add", router, net.join_ip(m), net.join_ip(m))


def remote_router(add, net, sw, m):
    port = "stor-%s_%s" % (sw, m.name)
    add("lsp-add", sw, port)
    add("set", "logical_switch_port", port, "type=remote", 'addresses="%s %s"' % (ip_mac(net.join_ip(m)), net.join_ip(m)),
        "options:requested-tnl-key=%d" % m_key(m), "options:requested-chassis=" + m.name, "external_ids:node=" + m.name)


def layer2_join(add, lab, n, net):
    gr, sw = net.router(n), net.switch(n)
    layer2_switch(add, net, n)
    add("lrp-add", gr, "rtos-" + sw, ip_mac(net.join_ip(n)), "%s/%s" % (net.join_ip(n), bits(net.join)), "%s/%s" % (net.gateway(n), bits(net.cluster)))
    router_port(add, sw, "stor-" + sw, "rtos-" + sw, "options:requested-tnl-key=%d" % m_key(n))
    for m in lab.nodes:
        if m is not n:
            remote_router(add, net, sw, m)


def m_key(n):
    return 100 + n.id   # of a node's gateway router on the switch


def load_balancers(lab, n, net):
    for s in net.services:
        backends = ",".join("%s:%d" % (lab.pod(x)["ip"], s["target_port"]) for x in s["pods"])
        name = "Service_%s/%s_TCP_cluster" % (s["namespace"], s["name"])
        n.nb("lb-add", name, "%s:%d" % (s["clusterip"], s["port"]), backends, "tcp")
        row = n.nb("--bare", "--columns=_uuid", "find", "load_balancer", "name=" + '"%s"' % name).strip()
        n.nb("set", "load_balancer", row, "options:event=false", "options:reject=true", "options:skip_snat=false", "options:neighbor_responder=none",
             'external_ids:"k8s.ovn.org/kind"=Service', 'external_ids:"k8s.ovn.org/owner"="%s/%s"' % (s["namespace"], s["name"]),
             'external_ids:"k8s.ovn.org/network"=' + net.name, 'external_ids:"k8s.ovn.org/role"=primary')
        n.nb("ls-lb-add", net.switch(n), name, "--", "lr-lb-add", net.router(n), name)


def node_nb(lab, n, net):
    add = Rows()
    gateway_router(add, lab, n, net)
    {"layer3": layer3, "layer2": layer2, "layer2-join": layer2_join}[net.topology_on(n)](add, lab, n, net)
    pod_ports(add, lab, n, net)
    add.run(n)
    load_balancers(lab, n, net)


def remote_ports(lab, n, net):
    """Ports of the southbound database that another node's chassis holds, with that node."""
    others = [m for m in lab.nodes if m is not n]
    if net.transport:
        return []
    if net.topology == "layer3":
        return [(net.prefix + "tstor-" + m.name, m) for m in others]
    pods = [(p["key"], p["n"]) for p in lab.pods if p.get("net") is net and p["n"] is not n]
    old = net.topology_on(n) == "layer2-join"
    return pods + [("stor-%s_%s" % (net.switch(n), m.name), m) for m in others if old or m.name in net.old_nodes]


def egress_ip(lab, net, e, skip=()):
    """Reroutes to the gateway router of the egress node, which marks; br-ex there makes packets with the mark the egress IP's, and
    has the address so that it is answered for (node/egressip: bridgeEIPAddrManager)."""
    mark = e["mark"]
    pods_to_pods = "ip4.src == %s && ip4.dst == %s" % (net.cluster, net.cluster)
    for n in lab.nodes:
        n.nb("lr-policy-add", net.distributed_router(), "102", pods_to_pods, "allow")
        lab.undoable("nb", n.name, ["lr-policy-del", net.distributed_router(), "102", pods_to_pods])
        for p in (lab.pod(x) for x in e["pods"]):
            hops = [net.next_hop(n, lab.node(i["node"])) for i in e["items"]]
            match = "ip4.src == " + p["ip"]
            if p["n"] is n:
                n.nb("lr-policy-add", net.distributed_router(), "100", match, "reroute", ",".join(hops))
                lab.undoable("nb", n.name, ["lr-policy-del", net.distributed_router(), "100", match])
            if "mark" not in skip and any(i["node"] == n.name for i in e["items"]):
                match += " && pkt.mark == 0"
                n.nb("lr-policy-add", net.router(n), "95", match, "allow", "pkt_mark=%d" % mark)
                lab.undoable("nb", n.name, ["lr-policy-del", net.router(n), "95", match])
        for i in e["items"]:
            if i["node"] == n.name:
                lab.do(n, "ip", "addr", "add", i["ip"] + "/32", "dev", "br-ex", undo=["ip", "addr", "del", i["ip"] + "/32", "dev", "br-ex"])
                if "bridge-flow" not in skip:
                    bridge_flow(lab, n, net, mark, i["ip"])


def bridge_flow(lab, n, net, mark, address):
    match = "priority=105,in_port=%s,dl_src=%s,ip,pkt_mark=%d" % (n.ofport(net.patch(n)), n.mac, mark)
    actions = "ct(commit,zone=%d,nat(src=%s),exec(set_field:%s->ct_mark)),output:%s" % (ZONE, address, net.ct_mark, n.ofport(lab.c["nic"]))
    n.run("ovs-ofctl", "add-flow", "br-ex", "cookie=0xdeff105,%s,actions=%s" % (match, actions))
    lab.undoable("node", n.name, ["ovs-ofctl", "--strict", "del-flows", "br-ex", match])


def bind_remote(lab, n, net):
    for port, m in remote_ports(lab, n, net):
        n.sb("wait-until", "port_binding", port, "type=remote")
        n.sb("--may-exist", "lsp-bind", port, m.chassis)


def attach(lab, p, net):
    """The pod's second device, by which it sends."""
    n = p["n"]
    lab.veth(n.ns, p["veth"], p["netns"], "ovn-udn1", mac_b=p["mac"], mtu=lab.c["mtu"])
    lab.ip(n.ns, "link", "set", p["veth"], "master", "ovs-system")
    lab.nsx(n.ns, "sysctl", "-qw", "net/ipv6/conf/%s/disable_ipv6=1" % p["veth"])
    lab.ip(p["netns"], "addr", "add", "%s/%s" % (p["ip"], net.subnets[n.name].split("/")[1]), "brd", "+", "dev", "ovn-udn1")
    lab.ip(p["netns"], "route", "add", "default", "via", net.gateway(n))
    n.vs("--", "add-port", "br-int", p["veth"], "--", "set", "interface", p["veth"], 'external_ids:attached_mac="%s"' % p["mac"],
         "external_ids:iface-id=" + p["key"], "external_ids:iface-id-ver=" + p["uid"], "external_ids:sandbox=" + p["sandbox"],
         "external_ids:k8s.ovn.org/nad=" + net.key, "external_ids:k8s.ovn.org/network=" + net.name,
         "external_ids:ip_addresses=%s/%s" % (p["ip"], net.subnets[n.name].split("/")[1]))


def own_mac_flow(lab, n, nic, patch, cookie):
    """`patch`: the port of the default network."""
    outputs = "".join(",output:%s" % port for port in [patch] + [n.ofport(net.patch(n)) for net in lab.udns])
    return "cookie=%s,priority=11,in_port=%s,dl_dst=%s,actions=LOCAL%s" % (cookie, nic, n.mac, outputs)


def brex_flows(lab, n, net, nic, cookie):
    """Beside those of the default network."""
    own, m = n.ofport(net.patch(n)), n.mac
    f = ["priority=100,in_port=%s,dl_src=%s,ip,nw_src=%s,actions=ct(commit,zone=%d,nat(src=%s),exec(set_field:%s->ct_mark)),output:%s" % (
        own, m, net.masquerade, ZONE, n.ip, net.ct_mark, nic),
        "priority=115,in_port=%s,ip,nw_dst=%s,actions=drop" % (own, lab.svc),
        "priority=10,in_port=%s,dl_src=%s,actions=NORMAL" % (own, m),
        "priority=9,in_port=%s,actions=drop" % own]
    for state in ("+trk+est", "+trk+rel"):
        f.append("priority=100,table=1,ip,ct_state=%s,ct_mark=%s,actions=output:%s" % (state, net.ct_mark, own))
    return ["cookie=%s,%s" % (cookie, x) for x in f]


def connect_pair(net, node):
    """Addresses of the connect router and of the network's router on the link between them at a node (GetP2PAddresses())."""
    first = int(ipaddress.ip_network(net.connect).network_address) + 2 * node.id
    return str(ipaddress.ip_address(first)), str(ipaddress.ip_address(first + 1))


def connect_layer2(add, cnc, net, number, ids):
    """A network of layer 2 has one port on each side, at every node the same: its transit router is there, too."""
    router, port, peer = "connect_router_" + cnc["name"], "crtor-%s_%s" % (cnc["name"], net.name), "rtocr-%s_%s" % (net.name, cnc["name"])
    there, own = (str(x) for x in ipaddress.ip_network(net.connect))
    add("lrp-add", router, port, ip_mac(there), there + "/31")
    add("set", "logical_router_port", port, "options:requested-tnl-key=%d" % (1 + 100 * number), "peer=" + peer, *ids)
    add("lrp-add", net.distributed_router(), peer, ip_mac(own), own + "/31")
    add("set", "logical_router_port", peer, "peer=" + port, *ids)
    add("lr-route-add", router, net.cluster, own)


def connect_layer3(lab, add, n, cnc, net, number, ids):
    """One of layer 3 has a port for each node, of which the others' are remote."""
    router = "connect_router_" + cnc["name"]
    for m in lab.nodes:
        there, own = connect_pair(net, m)
        port, peer = "crtor-%s_%s_%s" % (cnc["name"], net.name, m.name), "rtocr-%s_%s_%s" % (net.name, m.name, cnc["name"])
        add("lrp-add", router, port, ip_mac(there), there + "/31")
        add("set", "logical_router_port", port, "options:requested-tnl-key=%d" % (1 + 100 * number + m.id), *ids,
            *(["peer=" + peer] if m is n else ["options:requested-chassis=" + m.chassis]))
        if m is n:
            add("lrp-add", net.distributed_router(), peer, ip_mac(own), own + "/31")
            add("set", "logical_router_port", peer, "peer=" + port, *ids)
        add("lr-route-add", router, net.subnets[m.name], own)


def connect_policy(net, other, n):
    """What leads to another network's subnet (createRoutingPoliciesOps()): the words of lr-policy-add behind the router."""
    port = ("rtos-%s" if net.topology == "layer3" else "trtos-%s") % net.switch(n)
    hop = connect_pair(net, n)[0] if net.topology == "layer3" else str(ipaddress.ip_network(net.connect)[0])
    return ["9001", 'inport == "%s" && ip4.dst == %s' % (port, other.cluster)], hop


def connect(lab, cnc, nets):
    """ClusterNetworkConnect between networks (ovn/controller/networkconnect/topology.go): a router of all nodes, with ports for each network,
    and policies of the networks' routers that lead there what is for another of the networks."""
    router = "connect_router_" + cnc["name"]
    ids = ["external_ids:k8s.ovn.org/owner-type=ClusterNetworkConnect", "external_ids:k8s.ovn.org/name=" + cnc["name"]]
    for n in lab.nodes:
        add = Rows()
        add("lr-add", router)
        add("set", "logical_router", router, "options:requested-tnl-key=%d" % cnc["key"], *ids)
        for number, net in enumerate(nets):
            if net.topology == "layer3":
                connect_layer3(lab, add, n, cnc, net, number, ids)
            else:
                connect_layer2(add, cnc, net, number, ids)
            for other in nets:
                if other is not net:
                    policy, hop = connect_policy(net, other, n)
                    add("lr-policy-add", net.distributed_router(), *policy, "reroute", hop)
        add.run(n)
        lab.undoable("nb", n.name, ["lr-del", router])
        for net in nets:
            end = "%s_%s_%s" % (net.name, n.name, cnc["name"]) if net.topology == "layer3" else "%s_%s" % (net.name, cnc["name"])
            lab.undoable("nb", n.name, ["lrp-del", "rtocr-" + end])
            for other in nets:
                if other is not net:
                    lab.undoable("nb", n.name, ["lr-policy-del", net.distributed_router(), *connect_policy(net, other, n)[0]])
    for n in lab.nodes:
        for net in nets:
            for m in lab.nodes:
                if m is not n and net.topology == "layer3":
                    port = "crtor-%s_%s_%s" % (cnc["name"], net.name, m.name)
                    n.sb("wait-until", "port_binding", port, "type=remote")
                    n.sb("--may-exist", "lsp-bind", port, m.chassis)
