"""The registry of faults, and what takes them back: databases, flow tables, and hosts are put back as they were."""
import json, os, re, signal, subprocess, time, ipaddress
import topology
from labcore import *


class Skip(Exception):
    pass

FAULTS = {}


def fault(fn):
    FAULTS[fn.__name__.replace("_", "-")] = fn
    return fn

VOLATILE = {"_version", "nb_cfg", "sb_cfg", "hv_cfg", "nb_cfg_timestamp", "sb_cfg_timestamp", "hv_cfg_timestamp", "up", "statistics", "status",
        "ofport", "link_state", "mac_in_use", "cur_cfg", "next_cfg", "admin_state", "error", "ifindex", "duplex", "link_speed", "lacp_current",
            "link_resets", "datapath_id", "dp_key", "bfd_status", "cfm_fault", "cfm_fault_status", "cfm_remote_opstate", "cfm_health", "cfm_mpid_",
            "rstp_status", "rstp_statistics", "bond_active_slave", "is_connected", "role", "idle_age", "mtu", "cpu_usage", "manager_options"}


def snapshot_db(sock, name):
    out = {}
    for l in subprocess.run(["ovsdb-client", "-f", "json", "dump", sock, name], capture_output=True, text=True).stdout.split("\n"):
        if not l.strip():
            continue
        j = json.loads(l)
        h = j["headings"]
        out[j["caption"].split()[0]] = {r[h.index("_uuid")][1]: {k: v for k, v in zip(h, r) if k != "_uuid" and k not in VOLATILE} for r in j["data"]}
    return out


def canon(v):
    return [v[0], sorted(map(json.dumps, v[1]))] if isinstance(v, list) and v and v[0] in ("set", "map") else ["set", [json.dumps(v)]]


def ops_between(now, want):
    ops = []
    for t in want:
        if t in ("Logical_Flow", "Logical_DP_Group", "Connection", "SSL", "Chassis_Private", "Service_Monitor", "IGMP_Group", "FDB"):
            continue
        for u_, r in want[t].items():
            if u_ not in now[t]:
                ops.append({"op": "insert", "table": t, "uuid": u_, "row": r})
            else:
                d = {k: v for k, v in r.items() if canon(v) != canon(now[t][u_][k])}
                if d:
                    ops.append({"op": "update", "table": t, "where": [["_uuid", "==", ["uuid", u_]]], "row": d})
        for u_ in now[t]:
            if u_ not in want[t]:
                ops.append({"op": "delete", "table": t, "where": [["_uuid", "==", ["uuid", u_]]]})
    return ops


class Ctx:
    def __init__(self, lab, rng, dir):
        self.lab, self.rng, self.undos, self.wait, self.saved, self.dir, self.before_calls, self.sync_to = lab, rng, [], 0.3, set(), dir, [], "hv"
    def on_undo(self, f):
        self.undos.append(f)
    def undo(self):
        for f in reversed(self.undos):
            try:
                f()
            except Exception as e:
                print("   undo:", str(e)[:200], flush=True)
    def x(self, ns, argv, undo=None, check=True):
        argv = argv.split() if isinstance(argv, str) else [str(a) for a in argv]
        if undo:
            u = undo.split() if isinstance(undo, str) else [str(a) for a in undo]
            self.on_undo(lambda: self.lab.nsx(ns, *u, check=False))
        return self.lab.nsx(ns, *argv, check=check)
    # whole databases and flow tables are put back
    def save_db(self, n, db):
        sock, name = {"nb": ("ovnnb_db.sock", "OVN_Northbound"), "sb": ("ovnsb_db.sock", "OVN_Southbound"), "vs": ("db.sock", "Open_vSwitch")}[db]
        if (n.name, db) in self.saved:
            return
        self.saved.add((n.name, db))
        s = "unix:%s/run/%s" % (n.dir, sock)
        before = snapshot_db(s, name)
        def back():
            for _ in range(3):
                ops = ops_between(snapshot_db(s, name), before)
                if not ops:
                    break
                r = subprocess.run(["ovsdb-client", "transact", s, json.dumps([name] + ops)], capture_output=True, text=True)
                if r.returncode or '"error"' in r.stdout:
                    print("   restore", db, r.stderr[:200], r.stdout[-300:])
            if db == "nb" and not getattr(n, "northd_stopped", False):
                n.nb("--wait=hv", "--timeout=10", "sync", check=False)
            if db == "sb":
                time.sleep(0.5)
            if db == "vs":
                time.sleep(1)
        self.on_undo(back)
    def save_flows(self, n, br):
        if (n.name, br) in self.saved:
            return
        self.saved.add((n.name, br))
        t = n.run("ovs-ofctl", "-O", "OpenFlow15", "--no-stats", "--no-names", "dump-flows", br)
        f = "%s/flows-%s-%s" % (self.dir, n.name, br)
        open(f, "w").write("\n".join(l for l in t.split("\n") if "table" in l or "actions" in l))
        self.on_undo(lambda: n.run("ovs-ofctl", "-O", "OpenFlow15", "--bundle", "replace-flows", br, f, check=True))
    def keep_iptables(self, ns, tool="iptables"):
        """All rules, which are put back."""
        text = self.lab.nsx(ns, tool + "-save")
        self.on_undo(lambda: self.lab.nsx(ns, tool + "-restore", inp=text))
        return text
    def keep_nft(self, ns):
        """The table of OVN-Kubernetes, which is put back."""
        text = self.lab.nsx(ns, "nft", "list", "table", "inet", "ovn-kubernetes")
        self.on_undo(lambda: self.lab.nsx(ns, "nft", "-f", "-", inp="delete table inet ovn-kubernetes\n" + text))
        return text
    def load_nft(self, ns, family, body):
        """A table of its own, which is taken away again; Skip where the kernel or nft refuses it."""
        try:
            self.lab.nsx(ns, "nft", "-f", "-", inp="table %s chaos {\n%s\n}\n" % (family, body))
        except RuntimeError:
            raise Skip
        self.on_undo(lambda: self.lab.nsx(ns, "nft", "delete", "table", family, "chaos"))
    def restart_controller_later(self, n, seconds=20):
        def back():
            topology.stop_controller(n)
            topology.start_controller(self.lab, n)
            n.nb("--wait=hv", "--timeout=%d" % seconds, "sync", check=False)
        self.on_undo(back)
    def hosts(self):
        return [n.ns for n in self.lab.nodes] + [self.lab.ns_router, self.lab.ns_server]
    def host(self, nodes=3):
        """A node mostly, else the router or the server."""
        return self.rng.choice([n.ns for n in self.lab.nodes] * nodes + [self.lab.ns_router] * 3 + [self.lab.ns_server])
    def node(self):
        return self.rng.choice(self.lab.nodes)
    def by_ns(self, ns):
        return next((n for n in self.lab.nodes if n.ns == ns), None)
    def links(self, ns):
        l = json.loads(self.lab.ip(ns, "-j", "link"))
        return [x["ifname"] for x in l if x["ifname"] not in ("lo", "ovs-system", "ovs-netdev", "br-int") and "tap" not in x["ifname"][:3]]
    def short(self, ns):
        return ns.split("-", 1)[1]
    def server6(self):
        return self.lab.v6["server"] if self.lab.v6 else "2001:db8::40"

    def addrs(self, six=False):
        """Addresses that the calls use."""
        lab = self.lab
        a = [p["ip"] for p in lab.pods] + [n.ip for n in lab.nodes] * 2 + [lab.server["ip"]] * 2 + [lab.c["lb_service"]["vip"],
                lab.c["plain_service"]["clusterip"]] + [n.mgmt for n in lab.nodes] + [n.router_ip for n in lab.nodes]
        return a
    def settle(self, n):
        """Until flows follow the northbound rows: or only until the daemon that a fault stopped."""
        if self.sync_to == "hv":
            n.nb("--wait=hv", "--timeout=15", "sync", check=False)
        else:
            n.nb("--wait=sb", "--timeout=3", "sync", check=False)
            time.sleep(0.3)
