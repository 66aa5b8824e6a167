"""Sends the calls, and tells what the wire did with each."""
import json, os, subprocess, threading, time

AGENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agent.py")
WIRE = {"answered": "answered", "closed": "answered", "error": "refused", "timeout": "unanswered"}
serial = [int(time.time()) % 20000]
run = int(time.time())


def namespace(lab, c):
    return lab.pod(c["name"])["netns"] if c["kind"] == "pod" else lab.node(c["name"]).ns if c["kind"] == "host" else lab.ns_server


def with_ports(calls):
    """Each call gets a port of its own and a marker by which the servers' logs know it."""
    out = []
    for c in calls:
        serial[0] = (serial[0] + 1) % 26000
        out.append(dict(c, sport=33500 + serial[0], marker="m%d-%05d" % (run, serial[0])))
    return out


def served(lab):
    out = {}
    for f in os.listdir(lab.state_dir):
        if f.startswith("served-"):
            for line in open(os.path.join(lab.state_dir, f)).read()[-300000:].split("\n"):
                try:
                    s = json.loads(line)
                except ValueError:
                    continue
                out.setdefault(s["marker"], s)
    return out


def send(lab, calls, timeout):
    """All at the same time, an agent for each namespace."""
    prepared = calls if calls and "sport" in calls[0] else with_ports(calls)
    by = {}
    for c in prepared:
        by.setdefault(namespace(lab, c), []).append(dict(c, timeout=timeout))
    agents = []
    for ns, cs in by.items():
        p = subprocess.Popen(["ip", "netns", "exec", ns, "/usr/bin/python3", AGENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        p.stdin.write(json.dumps(cs))
        p.stdin.close()
        agents.append((p, cs))
    out = {}
    for p, cs in agents:
        results = json.loads(p.stdout.read())
        p.wait()
        for c in cs:
            out[c["id"]] = dict(results[c["id"]], sport=c["sport"], marker=c["marker"])
    logs = served(lab)
    for r in out.values():
        if r["marker"] in logs:
            r["saw"], r["who"] = logs[r["marker"]]["peer"][0], logs[r["marker"]]["who"]
        r["wire"] = WIRE[r["result"]]
    return out


def all_at_once(functions):
    threads = [threading.Thread(target=f) for f in functions]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def flush(lab):
    """Forgets connections, so that each call is a new one."""
    time.sleep(0.6)

    def of(ns, env=None):
        inside = lambda *a: subprocess.run(["ip", "netns", "exec", ns, *a], capture_output=True, env=env)
        inside("conntrack", "-F")
        for family in ("-4", "-6"):
            inside("ip", family, "route", "flush", "cache")       # sizes that ICMP errors have told
        if env:
            inside("ovs-appctl", "dpctl/flush-conntrack")
            inside("ovs-appctl", "revalidator/purge")

    others = [lab.ns_router, lab.ns_server] + [p["netns"] for p in lab.pods]
    all_at_once([lambda n=n: of(n.ns, n.env) for n in lab.nodes] + [lambda x=x: of(x) for x in others])


def forget_neighbours(lab):
    for ns in [n.ns for n in lab.nodes] + [lab.ns_router, lab.ns_server] + [p["netns"] for p in lab.pods]:
        subprocess.run(["ip", "-n", ns, "neigh", "flush", "all"], capture_output=True)
    for n in lab.nodes:
        n.run("ovs-appctl", "tnl/arp/flush", check=False)
        n.run("ovs-appctl", "revalidator/purge", check=False)     # an answer that meets a datapath flow teaches the tunnels nothing


def recirculated_too_often(lab):
    """Packets that the datapaths dropped for it (MAX_RECIRC_DEPTH of lib/dpif-netdev.c)."""
    return sum(int(n.run("ovs-appctl", "coverage/read-counter", "datapath_drop_recirc_error", check=False).strip() or 0) for n in lab.nodes)
