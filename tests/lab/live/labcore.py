"""Configuration, namespaces, processes and recorded state of one lab.

Everything that `up` creates is recorded in STATE/state.json (namespaces, pids),
and `down` removes exactly that.
"""
import hashlib, ipaddress, json, os, re, signal, subprocess, sys, tempfile, time, uuid


if os.environ.get("LAB_PATH"):
    os.environ["PATH"] = os.environ["LAB_PATH"] + ":" + os.environ["PATH"]


def schema(name):
    """Schema file of a database: from the directories in LAB_SCHEMAS, else where Debian has it."""
    for d in os.environ.get("LAB_SCHEMAS", "").split(":") + ["/usr/share/ovn", "/usr/share/openvswitch"]:
        f = os.path.join(d, name + ".ovsschema")
        if d and os.path.exists(f):
            return f
    raise RuntimeError("no schema " + name)


def sh(argv, check=True, inp=None, env=None, timeout=240):
    r = subprocess.run(argv, input=inp, capture_output=True, text=True, env=env, timeout=timeout)
    if check and r.returncode:
        raise RuntimeError("%s -> %d: %s%s" % (" ".join(argv), r.returncode, r.stdout, r.stderr))
    return r.stdout


def fnv64a(s):
    h = 0xcbf29ce484222325
    for b in s.encode():
        h = ((h ^ b) * 0x100000001b3) & 0xffffffffffffffff
    return h


def hash_for_ovn(s):
    """Name that ovn-kubernetes gives to an address set or port group."""
    return "a%d" % fnv64a(s)


def ip_mac(ip):
    """0a:58 + the four bytes of an IPv4 address; IPv6 uses a hash of the address."""
    a = ipaddress.ip_address(ip)
    b = a.packed if a.version == 4 else hashlib.sha256(str(a).encode()).digest()[:4]
    return "0a:58:" + ":".join("%02x" % x for x in b)


def nth(net, n):
    return str(ipaddress.ip_network(net)[n])


class Node:
    def __init__(self, lab, d):
        self.__dict__.update(d)
        self.lab = lab
        self.ns = "%s-%s" % (lab.prefix, self.name)
        self.dir = os.path.join(lab.state_dir, "nodes", self.name)
        self.mac = d.get("mac") or lab.mac("node" + self.name)
        self.chassis = lab.uuid("chassis-" + self.name)
        self.gr = "GR_" + self.name
        self.gw = nth(self.subnet, 1)
        self.mgmt = nth(self.subnet, 2)
        self.mgmt_mac = ip_mac(self.mgmt)
        self.join = nth(lab.join, self.id)
        self.transit = nth(lab.transit, self.id)
        # a rack is an underlay of its own behind the router; without one, the node is on the router's inside network
        rack = lab.racks.get(d.get("rack"))
        self.rack = d.get("rack")
        self.underlay = ipaddress.ip_network(rack["cidr"]) if rack else lab.underlay_net
        self.bridge = rack["bridge"] if rack else lab.c["underlay"]["bridge"]
        self.router_if = rack["router_if"] if rack else lab.router["inside_if"]
        self.router_ip = rack["router_ip"] if rack else lab.router["inside_ip"]
        self.router_ip6 = (rack["router_ip6"] if rack else lab.v6["router_in"]) if lab.v6 else None
        self.plen = self.underlay.prefixlen
        if lab.v6:
            self.ip6 = lab.v6["node_ips"][self.name]
            self.subnet6 = lab.v6["pod_subnets"][self.name]
            self.gw6, self.mgmt6 = nth(self.subnet6, 1), nth(self.subnet6, 2)
            self.join6, self.transit6 = nth(lab.v6["join"], self.id), nth(lab.v6["transit"], self.id)
        run = os.path.join(self.dir, "run")
        self.env = dict(os.environ, OVS_RUNDIR=run, OVN_RUNDIR=run, OVS_LOGDIR=self.dir + "/log",
                        OVN_LOGDIR=self.dir + "/log", OVS_DBDIR=self.dir + "/db", OVN_DBDIR=self.dir + "/db",
                        OVS_SYSCONFDIR=self.dir + "/etc", OVN_SYSCONFDIR=self.dir + "/etc", LC_ALL="C", TZ="UTC")

    def run(self, *argv, check=True, inp=None, timeout=240):
        return sh(["ip", "netns", "exec", self.ns] + [str(a) for a in argv], check, inp, self.env, timeout)

    def nb(self, *argv, **kw):
        return self.run("ovn-nbctl", "--timeout=200", *argv, **kw)

    def sb(self, *argv, **kw):
        return self.run("ovn-sbctl", "--timeout=200", *argv, **kw)

    def vs(self, *argv, **kw):
        return self.run("ovs-vsctl", "--timeout=200", *argv, **kw)

    def ofport(self, iface):
        return self.vs("get", "interface", iface, "ofport").strip()


class Lab:
    def __init__(self, config_file):
        self.config_file = config_file
        c = self.c = json.load(open(config_file))
        self.name = c["lab"]
        self.prefix = c["prefix"]
        base = os.environ.get("LAB_STATE", os.path.join(tempfile.gettempdir(), "lab-state"))
        self.state_dir = os.path.join(base, self.name)
        self.state_file = os.path.join(self.state_dir, "state.json")
        self.underlay_net = ipaddress.ip_network(c["underlay"]["cidr"])
        self.cluster, self.svc = c["cluster_cidr"], c["service_cidr"]
        self.join, self.transit, self.masq = c["join_cidr"], c["transit_cidr"], c["masq_cidr"]
        self.masq_ovn, self.masq_host, self.masq_etp, self.masq_gw, self.masq_hairpin = \
            (nth(self.masq, i) for i in range(1, 6))
        self.v6 = c.get("v6")
        self.router, self.server = c["router"], c["server"]
        self.racks = c.get("racks", {})
        self.nodes = [Node(self, d) for d in c["nodes"]]
        self.by_name = {n.name: n for n in self.nodes}
        self.ns_underlay = self.prefix + "-underlay"
        self.ns_router = self.prefix + "-router"
        self.ns_server = self.prefix + "-server"
        self.pods = []
        for p in c["pods"]:
            p = dict(p)
            p["key"] = "%s_%s" % (p["ns"], p["name"])
            p["netns"] = "%s-pod-%s" % (self.prefix, p["name"])
            p["mac"] = ip_mac(p["ip"])
            p["uid"] = self.uuid("pod-" + p["key"])
            p["sandbox"] = hashlib.sha256((self.name + p["key"]).encode()).hexdigest()
            p["veth"] = p["sandbox"][:15]
            p["n"] = self.by_name[p["node"]]
            if self.v6:
                p["ip6"] = str(ipaddress.ip_network(p["n"].subnet6)[int(ipaddress.ip_address(p["ip"])) & 0xff])
            self.pods.append(p)
        # a primary user-defined network; what its pods have on the default one is for probes alone
        self.udn, self.udns, self.locked = None, [], []
        if c.get("udn"):
            import networks
            self.udns = [networks.Network(self, x) for x in [c["udn"]] + c.get("more_udns", [])]
            self.udn = self.udns[0]
            for p in self.pods:
                if not p.get("udn"):
                    continue
                p["net"] = next((x for x in self.udns if x.udn == p["udn"]), self.udn)
                q = dict(p, ip=p["locked_ip"], mac=ip_mac(p["locked_ip"]), locked=True)
                self.locked.append(q)
                p["default"] = q
                p["key"] = p["net"].port_prefix + p["key"]
                p["sandbox"] = hashlib.sha256((self.name + p["key"]).encode()).hexdigest()
                p["veth"] = p["sandbox"][:15]
        self.state = json.load(open(self.state_file)) if os.path.exists(self.state_file) else \
            {"namespaces": [], "pids": [], "undo": [], "scenario": None}

    def uuid(self, what):
        return str(uuid.uuid5(uuid.NAMESPACE_DNS, "%s/%s/%s" % (self.c["seed"], self.name, what)))

    def mac(self, what):
        h = hashlib.sha256(("%s/%s" % (self.c["seed"], what)).encode()).digest()
        return "52:54:00:%02x:%02x:%02x" % (h[0], h[1], h[2])

    def default_ports(self):
        """Pods as the default network has them."""
        return [p for p in self.pods if not p.get("udn")] + self.locked

    def pod(self, name):
        return next(p for p in self.pods if p["name"] == name)

    def node(self, name):
        return self.by_name[name]

    def save(self):
        os.makedirs(self.state_dir, exist_ok=True)
        tmp = self.state_file + ".new"
        json.dump(self.state, open(tmp, "w"), indent=1)
        os.replace(tmp, self.state_file)

    # ---- namespaces and processes -------------------------------------------------
    def add_ns(self, ns):
        self.state["namespaces"].append(ns)
        self.save()
        sh(["ip", "netns", "add", ns])
        sh(["ip", "-n", ns, "link", "set", "lo", "up"])

    def nsx(self, ns, *argv, check=True, inp=None, timeout=240):
        return sh(["ip", "netns", "exec", ns] + [str(a) for a in argv], check, inp,
                  dict(os.environ, LC_ALL="C", TZ="UTC"), timeout)

    def ip(self, ns, *argv, check=True):
        return sh(["ip", "-n", ns] + [str(a) for a in argv], check)

    def note_pid(self, pid, what):
        self.state["pids"].append([int(pid), what])
        self.save()

    def daemon(self, ns, argv, pidfile, what, env=None):
        """Start a daemon that detaches itself and writes PIDFILE."""
        sh(["ip", "netns", "exec", ns] + argv, env=env)
        for _ in range(100):
            if os.path.exists(pidfile):
                t = open(pidfile).read().strip()
                if t:
                    self.note_pid(t, what)
                    return
            time.sleep(0.05)
        raise RuntimeError("no pid file %s" % pidfile)

    def background(self, ns, argv, what, log):
        p = subprocess.Popen(["ip", "netns", "exec", ns] + argv, stdin=subprocess.DEVNULL,
                             stdout=open(log, "a"), stderr=subprocess.STDOUT, start_new_session=True)
        self.note_pid(p.pid, what)
        return p

    def veth(self, ns_a, if_a, ns_b, if_b, mac_a=None, mac_b=None, mtu=1500):
        tmp = "%sv%d" % (self.prefix[:4], os.getpid() % 10000)
        a, b = tmp + "a", tmp + "b"
        sh(["ip", "link", "add", a, "type", "veth", "peer", "name", b])
        for tmpn, ns, ifn, mac in ((a, ns_a, if_a, mac_a), (b, ns_b, if_b, mac_b)):
            sh(["ip", "link", "set", tmpn, "netns", ns])
            self.ip(ns, "link", "set", tmpn, "name", ifn)
            if mac:
                self.ip(ns, "link", "set", ifn, "address", mac)
            self.ip(ns, "link", "set", ifn, "mtu", mtu)
            # frames cross AF_PACKET sockets of the userspace datapath: checksums must be complete
            self.nsx(ns, "ethtool", "-K", ifn, "tx", "off", "sg", "off", "tso", "off", "gso", "off", "gro", "off",
                     check=False)
            self.ip(ns, "link", "set", ifn, "up")

    # ---- do / undo -----------------------------------------------------------------
    def undoable(self, kind, target, argv):
        self.state["undo"].append([kind, target, [str(a) for a in argv]])
        self.save()

    def do(self, node, *argv, undo=None, check=True):
        if undo:            # recorded first: what fails halfway is taken back too
            self.undoable("node", node.name, undo)
        return node.run(*argv, check=check)

    def do_ns(self, ns, *argv, undo=None, check=True):
        if undo:
            self.undoable("ns", ns, undo)
        return self.nsx(ns, *argv, check=check)

    def nb_row(self, node, table, cols, parents, root=False):
        """Create an NB row and add it to PARENTS [(table, record, column)]; undo on reset."""
        argv = ["--id=@r", "create", table] + cols
        for t, rec, col in parents:
            argv += ["--", "add", t, rec, col, "@r"]
        u = node.nb(*argv).strip().split("\n")[0]
        for t, rec, col in parents:
            self.undoable("nb", node.name, ["--if-exists", "remove", t, rec, col, u])
        if root:
            self.undoable("nb", node.name, ["--if-exists", "destroy", table, u])
        return u

    def nb_add(self, node, table, rec, col, val):
        node.nb("add", table, rec, col, val)
        self.undoable("nb", node.name, ["remove", table, rec, col, val])

    def reset(self):
        """Take back what the last scenario did, newest first."""
        for kind, target, argv in reversed(self.state["undo"]):
            if kind == "node":
                self.node(target).run(*argv, check=False)
            elif kind == "nb":
                self.node(target).nb(*argv, check=False)
            elif kind == "controller":
                import topology
                topology.stop_controller(self.node(target))
                topology.start_controller(self, self.node(target))
            elif kind == "northd":
                os.kill(int(argv[0]), signal.SIGCONT)
            elif kind == "pod":
                import topology
                topology.reattach_pod(self, self.pod(target))
            elif kind == "patch":
                import topology
                topology.wait_patch(self.node(target))
            elif kind == "killpid":
                try:
                    os.kill(int(target), signal.SIGTERM)
                except OSError:
                    pass
            elif kind == "ns":
                self.nsx(target, *argv, check=False)
        self.state["undo"] = []
        self.state["scenario"] = None
        self.save()

    def host_state(self):
        """What the hosts are configured with, to tell whether everything was taken back."""
        out = {}
        for ns in [n.ns for n in self.nodes] + [self.ns_router, self.ns_server, self.ns_underlay] + [p["netns"] for p in self.pods]:
            lines = []
            for argv in (["ip", "-br", "addr"], ["ip", "-4", "route", "show", "table", "all"], ["ip", "-6", "route", "show", "table", "all"], ["ip", "rule"], ["ip", "-6", "rule"],
                         ["ip", "-br", "link"], ["iptables-save"], ["ip6tables-save"], ["nft", "list", "tables"], ["ip", "neigh", "show", "nud", "permanent"],
                         ["sysctl", "-a", "--pattern", r"(forwarding|rp_filter|arp_ignore|disable_ipv6)$"]):
                for l in self.nsx(ns, *argv, check=False).split("\n"):
                    if not any(x in l for x in ("proto bgp", "#", " fe80::", " cache ", "ff00::/8", "table ip filter", "table ip6 filter", "table ip nat", "table ip6 nat", "table ip raw", "table ip6 raw", "table ip mangle", "table ip6 mangle")) and not l.startswith(("[", ":", "fe80::", "*", "COMMIT")):
                        lines.append(" ".join([argv[0], re.sub(r"pref medium| linkdown|fe80::\S+|@\S+|nhid \d+ ", "", l)]).strip())
            out[ns] = sorted(set(lines))
        return out

    def remember_state(self):
        json.dump(self.host_state(), open(os.path.join(self.state_dir, "base.json"), "w"), indent=1)

    def differences(self):
        """What differs from the state after `up`."""
        base = json.load(open(os.path.join(self.state_dir, "base.json")))
        now = self.host_state()
        return ["%s: %s %s" % (ns, sign, l) for ns in base for sign, x, y in (("lacks", base[ns], now[ns]), ("has", now[ns], base[ns])) for l in x if l not in y]

    def sync(self):
        for n in self.nodes:
            n.nb("--wait=hv", "sync", timeout=240)

    def down(self):
        for pid, what in reversed(self.state["pids"]):
            try:
                cmd = open("/proc/%d/cmdline" % pid).read().replace("\0", " ")
            except OSError:
                continue
            if what.split()[0] not in cmd:      # the pid was reused by something else
                continue
            os.kill(pid, signal.SIGTERM)
        time.sleep(1)
        for pid, what in reversed(self.state["pids"]):
            try:
                if what.split()[0] in open("/proc/%d/cmdline" % pid).read():
                    os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        for ns in reversed(self.state["namespaces"]):
            sh(["ip", "netns", "del", ns], check=False)
        sh(["rm", "-rf", self.state_dir])
        sh(["rm", "-rf"] + ["/var/run/frr/%s-%s" % (self.prefix, x) for x in ["router"] + [n.name for n in self.nodes]] +
           ["/etc/frr/%s-%s" % (self.prefix, x) for x in ["router"] + [n.name for n in self.nodes]])
