"""A primary user-defined network of layer 3, as ovn-kubernetes writes it in shared gateway mode
(layer3_user_defined_network_controller.go, gateway.go, node/bridgeconfig/bridgeflows.go): routers, switches and gateway routers
of its own on each node, the masquerade address behind which its pods come to br-ex, and br-ex's flows that make it the node's.
Without the VRF of the management port, which needs a kernel that has VRFs."""
from labcore import *

TRANSIT_KEY = 16711683   # + the network's id (zoneinterconnect: BaseTransitSwitchTunnelKey)
ZONE = 64000


class Network:
    def __init__(self, lab, c):
        self.namespace, self.udn, self.id, self.cluster = c["namespace"], c["name"], c["id"], c["cluster_cidr"]
        self.join = c.get("join_cidr", "100.65.0.0/16")
        self.key = "%s/%s" % (self.namespace, self.udn)            # of the NetworkAttachmentDefinition
        self.name = "%s_%s" % (self.namespace, self.udn)
        self.prefix = self.name.replace("-", ".") + "_"
        self.port_prefix = self.key.replace("-", ".").replace("/", ".") + "_"
        self.masquerade = nth(lab.masq, 10 + 2 * self.id - 1)      # of the gateway router
        self.ct_mark = "0x%x" % (3 + self.id)
        self.subnets = c["subnets"]                                # by node
        self.ids = ["external_ids:k8s.ovn.org/network=" + self.name, "external_ids:k8s.ovn.org/role=primary",
                    "external_ids:k8s.ovn.org/topology=layer3"]

    def gateway(self, n):
        return nth(self.subnets[n.name], 1)

    def join_ip(self, n):
        return nth(self.join, n.id)

    def router(self, n):
        return "GR_" + self.prefix + n.name

    def patch(self, n):
        return "patch-br-ex_%s%s-to-br-int" % (self.prefix, n.name)


def node_nb(lab, n, net):
    c = []

    def add(*a):
        c.extend(["--"] + [str(x) for x in a])
    x = net.prefix
    cluster, join, sw, gr, ext, transit = x + "ovn_cluster_router", x + "join", x + n.name, net.router(n), "ext_" + x + n.name, x + "transit_switch"
    first = nth(net.join, 1)
    add("lr-add", cluster)
    add("ls-add", join)
    add("ls-add", sw)
    add("lr-add", gr)
    add("ls-add", ext)
    add("ls-add", transit)
    for kind, name in (("logical_router", cluster), ("logical_switch", join), ("logical_switch", sw), ("logical_router", gr),
                       ("logical_switch", ext), ("logical_switch", transit)):
        add("set", kind, name, *['%s' % i for i in net.ids])
    add("set", "logical_router", cluster, "external_ids:k8s-cluster-router=yes", "options:mcast_relay=true")
    add("set", "logical_switch", sw, "other_config:subnet=" + net.subnets[n.name])
    bits = net.join.split("/")[1]
    add("lrp-add", cluster, "rtoj-" + cluster, ip_mac(first), "%s/%s" % (first, bits))
    add("lsp-add", join, "jtor-" + cluster)
    add("set", "logical_switch_port", "jtor-" + cluster, "type=router", "addresses=router", "options:router-port=rtoj-" + cluster)
    add("lrp-add", cluster, "rtos-" + sw, ip_mac(net.gateway(n)), "%s/%s" % (net.gateway(n), net.subnets[n.name].split("/")[1]))
    add("lrp-set-gateway-chassis", "rtos-" + sw, n.chassis, "1")
    add("lsp-add", sw, "stor-" + sw)
    add("set", "logical_switch_port", "stor-" + sw, "type=router", "addresses=router", "options:router-port=rtos-" + sw)
    add("set", "logical_router", gr, "options:always_learn_from_arp_request=false", "options:dynamic_neigh_routers=true",
        "options:chassis=" + n.chassis, "options:lb_force_snat_ip=router_ip", "options:mac_binding_age_threshold=300",
        "external_ids:physical_ip=" + n.ip)
    add("lsp-add", join, "jtor-" + gr)
    add("set", "logical_switch_port", "jtor-" + gr, "type=router", "addresses=router", "options:router-port=rtoj-" + gr)
    add("lrp-add", gr, "rtoj-" + gr, ip_mac(net.join_ip(n)), "%s/%s" % (net.join_ip(n), bits))
    add("lrp-add", gr, "rtoe-" + gr, n.mac, "%s/%d" % (n.ip, n.plen), net.masquerade + "/32")
    local = "br-ex_" + x + n.name
    add("lsp-add", ext, local)
    add("set", "logical_switch_port", local, "type=localnet", "addresses=unknown", "options:network_name=physnet")
    add("lsp-add", ext, "etor-" + gr)
    add("set", "logical_switch_port", "etor-" + gr, "type=router", 'addresses="%s"' % n.mac, "options:router-port=rtoe-" + gr)
    add("lr-route-add", gr, net.cluster, first)
    add("lr-route-add", gr, lab.masq, lab.masq_gw, "rtoe-" + gr)
    add("lr-route-add", gr, "0.0.0.0/0", n.__dict__.get("router_ip") or lab.router["inside_ip"], "rtoe-" + gr)
    add("lr-route-add", cluster, net.join_ip(n), net.join_ip(n))
    add("--policy=src-ip", "lr-route-add", cluster, net.subnets[n.name], net.join_ip(n))
    add("create", "static_mac_binding", "logical_port=rtoe-" + gr, "ip=" + lab.masq_gw, 'mac="%s"' % ip_mac(lab.masq_gw), "override_dynamic_mac=true")
    add("lr-nat-add", gr, "snat", net.masquerade, net.join_ip(n))
    add("lr-nat-add", gr, "snat", net.masquerade, net.cluster)
    add("set", "logical_switch", transit, "other_config:interconn-ts=" + transit, "other_config:requested-tnl-key=%d" % (TRANSIT_KEY + net.id))
    for m in lab.nodes:
        port, ip = "tstor-" + x + m.name, "%s/%s" % (m.transit, lab.transit.split("/")[1])
        add("lsp-add", transit, port)
        if m is n:
            add("lrp-add", cluster, "rtots-" + x + m.name, ip_mac(m.transit), ip)
            add("set", "logical_switch_port", port, "type=router", "addresses=router", "options:router-port=rtots-" + x + m.name,
                "options:requested-tnl-key=%d" % m.id, "external_ids:node=" + m.name)
        else:
            add("set", "logical_switch_port", port, "type=remote", 'addresses="%s %s"' % (ip_mac(m.transit), ip),
                "options:requested-tnl-key=%d" % m.id, "options:requested-chassis=" + m.name, "external_ids:node=" + m.name)
            for prefix in (net.subnets[m.name], net.join_ip(m) + "/32"):
                add("lr-route-add", cluster, prefix, m.transit)
    for p in lab.pods:
        if p["n"] is not n or not p.get("udn"):
            continue
        addr = "%s %s" % (p["mac"], p["ip"])
        add("lsp-add", sw, p["key"])
        add("set", "logical_switch_port", p["key"], 'addresses="%s"' % addr, 'port_security="%s"' % addr, "options:iface-id-ver=" + p["uid"],
            "options:requested-chassis=" + n.name, "external_ids:namespace=" + p["ns"], 'external_ids:pod="true"',
            "external_ids:k8s.ovn.org/nad=" + net.key, "external_ids:k8s.ovn.org/network=" + net.name, "external_ids:k8s.ovn.org/topology=layer3")
    n.nb(*c[1:])


def bind_remote(lab, n, net):
    for m in lab.nodes:
        if m is not n:
            port = "tstor-" + net.prefix + m.name
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


def brex_flows(lab, n, net, nic, patch, cookie):
    """Beside those of the default network; `patch`: its port there."""
    own, m = n.ofport(net.patch(n)), n.mac
    f = ["priority=100,in_port=%s,dl_src=%s,ip,nw_src=%s,actions=ct(commit,zone=%d,nat(src=%s),exec(set_field:%s->ct_mark)),output:%s" % (
        own, m, net.masquerade, ZONE, n.ip, net.ct_mark, nic),
        "priority=115,in_port=%s,ip,nw_dst=%s,actions=drop" % (own, lab.svc),
        "priority=10,in_port=%s,dl_src=%s,actions=NORMAL" % (own, m),
        "priority=9,in_port=%s,actions=drop" % own,
        "priority=11,in_port=%s,dl_dst=%s,actions=LOCAL,output:%s,output:%s" % (nic, m, patch, own)]
    for state in ("+trk+est", "+trk+rel"):
        f.append("priority=100,table=1,ip,ct_state=%s,ct_mark=%s,actions=output:%s" % (state, net.ct_mark, own))
    return ["cookie=%s,%s" % (cookie, x) for x in f]
