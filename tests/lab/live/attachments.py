"""Secondary networks of pods, which NetworkAttachmentDefinitions define: "localnet" (localnet_user_defined_network_controller.go: a logical
switch with a localnet port, whose network ovn-bridge-mappings puts on another bridge of the node, in a VLAN), "layer2"
(layer2_user_defined_network_controller.go, secondary: an overlay without a router) and "macvlan", which the CNI plugin of that name
makes without OVN."""
import hashlib, json

import networks
from labcore import *

BRIDGE = {"localnet": "br-bulk"}


class Attached:
    """A pod's port on such a network."""
    def __init__(self, lab, network, pod, ip, device):
        self.pod, self.ip, self.device = pod, ip, device
        self.key = network.port_prefix + "%s_%s" % (pod["ns"], pod["name"])
        self.mac = ip_mac(ip)
        self.sandbox = hashlib.sha256((lab.name + self.key).encode()).hexdigest()
        self.veth = self.sandbox[:15]
        self.cidr = "%s/%s" % (ip, network.subnet.split("/")[1])


class Attachment:
    """"mac_only": the definition has no subnets, so OVN-Kubernetes gives ports of pods a MAC alone; the pods have set addresses themselves."""
    def __init__(self, lab, c, number):
        self.__dict__.update({"vlan": 0, "physical": None, "subnet": None, "mac_only": False}, **c)      # nad, network, topology, subnet, pods; nic, router_if
        self.number = number
        self.prefix = self.network.replace("-", ".").replace("/", ".") + "_"
        self.port_prefix = self.nad.replace("-", ".").replace("/", ".") + "_"
        self.switch = self.prefix + "ovn_%s_switch" % self.topology
        self.ports = [Attached(lab, self, lab.pod(p), ip, "net%d" % number) for p, ip in c["pods"].items()]

    def on(self, n):
        return [a for a in self.ports if a.pod["n"] is n]


def of(lab):
    return [Attachment(lab, c, i + 1) for i, c in enumerate(lab.c.get("attachments", []))]


def plain_switch(lab, bridge):
    lab.ip(lab.ns_underlay, "link", "add", bridge, "type", "bridge")
    lab.ip(lab.ns_underlay, "link", "set", bridge, "up")
    return lambda port, tag: lab.ip(lab.ns_underlay, "link", "set", port, "master", bridge)


def vlan_switch(lab, bridge):
    """A switch that knows VLANs: kernels of containers may lack vlan devices and bridges that filter VLANs."""
    d = os.path.join(lab.state_dir, "switch-" + bridge)
    os.makedirs(d)
    env = dict(os.environ, OVS_RUNDIR=d, OVS_LOGDIR=d, OVS_DBDIR=d)
    common = ["--detach", "--no-chdir", "-vconsole:off"]
    sh(["ovsdb-tool", "create", d + "/conf.db", schema("vswitch")])
    for exe, args in (("ovsdb-server", [d + "/conf.db", "--remote=punix:%s/db.sock" % d]), ("ovs-vswitchd", ["unix:%s/db.sock" % d])):
        pid = "%s/%s.pid" % (d, exe)
        lab.daemon(lab.ns_underlay, [exe] + args + common + ["--pidfile=" + pid, "--log-file=%s/%s.log" % (d, exe)], pid, "%s (%s)" % (exe, bridge), env)
    vsctl = lambda *a: sh(["ip", "netns", "exec", lab.ns_underlay, "ovs-vsctl", "--timeout=60", "--db=unix:%s/db.sock" % d, *a])
    vsctl("add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=netdev")
    return lambda port, tag: vsctl("add-port", bridge, port, *(["tag=%d" % tag] if tag else []))


def segment(lab, a):
    """Another segment of the underlay, with the router on it: in the VLAN, if there is one, by an access port of the switch."""
    u, bridge = lab.ns_underlay, "sw-" + a.nic
    plug = (vlan_switch if a.vlan else plain_switch)(lab, bridge)
    lab.veth(u, a.nic + "-router", lab.ns_router, a.router_if, mac_b=lab.mac("router-" + a.nic))
    plug(a.nic + "-router", a.vlan)
    lab.ip(lab.ns_router, "addr", "add", "%s/%s" % (a.gateway, a.subnet.split("/")[1]), "dev", a.router_if)
    for n in lab.nodes:
        port = a.nic + "-" + n.name[:8]
        lab.veth(u, port, n.ns, a.nic, mac_b=lab.mac(a.nic + n.name))
        plug(port, 0)
        lab.nsx(n.ns, "sysctl", "-qw", "net/ipv6/conf/%s/disable_ipv6=1" % a.nic)


def localnet(lab, a, n):
    bridge = BRIDGE["localnet"]
    n.vs("--", "add-br", bridge, "--", "set", "bridge", bridge, "datapath_type=netdev", "fail_mode=standalone", "--", "add-port", bridge, a.nic)
    lab.ip(n.ns, "link", "set", a.nic, "master", "ovs-system")
    lab.ip(n.ns, "link", "set", bridge, "up")
    n.vs("set", "open_vswitch", ".", "external_ids:ovn-bridge-mappings=physnet:br-ex,%s:%s" % (a.physical, bridge))
    ids = ["external_ids:k8s.ovn.org/network=" + a.network, "external_ids:k8s.ovn.org/role=secondary", "external_ids:k8s.ovn.org/topology=localnet"]
    port = a.prefix + "ovn_localnet_port"
    subnet = [] if a.mac_only else ["other_config:subnet=" + a.subnet]
    n.nb("ls-add", a.switch, "--", "set", "logical_switch", a.switch, *subnet, *ids, "--", "lsp-add", a.switch, port, "--",
         "set", "logical_switch_port", port, "type=localnet", "addresses=unknown", "options:network_name=" + a.physical,
         *(["tag_request=%d" % a.vlan] if a.vlan else []))


def layer2(lab, a, n):
    n.nb("ls-add", a.switch, "--", "set", "logical_switch", a.switch, "other_config:subnet=" + a.subnet, "other_config:interconn-ts=" + a.switch,
         "other_config:requested-tnl-key=%d" % (networks.TRANSIT_KEY + a.id), "external_ids:k8s.ovn.org/network=" + a.network,
         "external_ids:k8s.ovn.org/role=secondary", "external_ids:k8s.ovn.org/topology=layer2")


def ports(a, n):
    for number, p in enumerate(a.ports, 1):
        remote = p.pod["n"] is not n
        if remote and a.topology != "layer2":
            continue
        address = p.mac if a.mac_only else "%s %s" % (p.mac, p.ip)
        more = ["type=remote", "options:requested-chassis=" + p.pod["n"].chassis] if remote else \
            ['port_security="%s"' % address, "options:iface-id-ver=" + p.pod["uid"], "options:requested-chassis=" + n.name]
        if a.topology == "layer2":
            more.append("options:requested-tnl-key=%d" % number)
        n.nb("lsp-add", a.switch, p.key, "--", "set", "logical_switch_port", p.key, 'addresses="%s"' % address, *more,
             "external_ids:namespace=" + p.pod["ns"], 'external_ids:pod="true"', "external_ids:k8s.ovn.org/nad=" + a.nad,
             "external_ids:k8s.ovn.org/network=" + a.network, "external_ids:k8s.ovn.org/topology=" + a.topology)


def node_nb(lab, n):
    for a in of(lab):
        if a.topology == "macvlan":
            continue
        {"localnet": localnet, "layer2": layer2}[a.topology](lab, a, n)
        ports(a, n)


def bind_remote(lab, n):
    for a in of(lab):
        for p in a.ports if a.topology == "layer2" else ():
            if p.pod["n"] is not n:
                n.sb("wait-until", "port_binding", p.key, "type=remote")
                n.sb("--may-exist", "lsp-bind", p.key, p.pod["n"].chassis)


def attach(lab):
    for a in of(lab):
        for p in a.ports:
            n, ns = p.pod["n"], p.pod["netns"]
            if a.topology == "macvlan":
                lab.ip(n.ns, "link", "set", a.nic, "up")
                lab.ip(n.ns, "link", "add", "link", a.nic, "name", "mv" + p.veth[:10], "address", p.mac, "type", "macvlan", "mode", "bridge")
                lab.ip(n.ns, "link", "set", "mv" + p.veth[:10], "netns", ns)
                lab.ip(ns, "link", "set", "mv" + p.veth[:10], "name", p.device)
                lab.ip(ns, "link", "set", p.device, "up")
            else:
                lab.veth(n.ns, p.veth, ns, p.device, mac_b=p.mac, mtu=1500 if a.topology == "localnet" else lab.c["mtu"])
                lab.ip(n.ns, "link", "set", p.veth, "master", "ovs-system")
                lab.nsx(n.ns, "sysctl", "-qw", "net/ipv6/conf/%s/disable_ipv6=1" % p.veth)
                n.vs("--", "add-port", "br-int", p.veth, "--", "set", "interface", p.veth, 'external_ids:attached_mac="%s"' % p.mac,
                     "external_ids:iface-id=" + p.key, "external_ids:iface-id-ver=" + p.pod["uid"], "external_ids:sandbox=" + p.sandbox,
                     "external_ids:k8s.ovn.org/nad=" + a.nad, "external_ids:k8s.ovn.org/network=" + a.network, *([] if a.mac_only else ["external_ids:ip_addresses=" + p.cidr]))
            lab.ip(ns, "addr", "add", p.cidr, "brd", "+", "dev", p.device)


def definition(a):
    config = {"cniVersion": "0.3.1", "name": a.network, "type": "macvlan" if a.topology == "macvlan" else "ovn-k8s-cni-overlay"}
    if a.topology == "macvlan":
        config.update(master=a.nic, mode="bridge", ipam={"type": "whereabouts", "range": a.subnet})
    else:
        config.update(topology=a.topology, netAttachDefName=a.nad)
        if not a.mac_only:
            config["subnets"] = a.subnet
    if a.vlan:
        config["vlanID"] = a.vlan
    if a.physical:
        config["physicalNetworkName"] = a.physical
    ns, name = a.nad.split("/")
    return {"apiVersion": "k8s.cni.cncf.io/v1", "kind": "NetworkAttachmentDefinition", "metadata": {"name": name, "namespace": ns},
            "spec": {"config": json.dumps(config)}}


def annotations(lab, p, networks_of_pod):
    """Adds to k8s.ovn.org/pod-networks; gives the annotations of Multus."""
    own = [(a, x) for a in of(lab) for x in a.ports if x.pod is p]
    if not own:
        return {}
    status = [{"name": "ovn-kubernetes", "interface": "eth0", "ips": [p["ip"]], "mac": p["mac"], "default": True, "dns": {}}]
    for a, x in own:
        if a.topology != "macvlan":
            ips = {} if a.mac_only else {"ip_addresses": [x.cidr], "ip_address": x.cidr}
            networks_of_pod[a.nad] = {**ips, "mac_address": x.mac, "role": "secondary"}
        status.append({"name": a.nad, "interface": x.device, **({} if a.mac_only else {"ips": [x.ip]}), "mac": x.mac, "dns": {}})
    return {"k8s.v1.cni.cncf.io/networks": ",".join(a.nad for a, _ in own), "k8s.v1.cni.cncf.io/network-status": json.dumps(status)}
