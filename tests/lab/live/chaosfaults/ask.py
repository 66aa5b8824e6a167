"""Takes the dumps, asks egtrace, and compares what it says with the wire."""
import json, os, shutil, subprocess, threading, time, traceback

import capture, k8s
from . import wire

# what takes long to dump and is in the databases too
LEFT_OUT = capture.LITE_SKIPS | {
    "nft -j list ruleset", "ip -j route show table all", "ip -j rule", "ip a", "ip -4 rule list", "ip route", "iptables -t nat -S", "iptables -vnxL",
    "ovs-ofctl -O OpenFlow13 dump-groups br-int", "ovs-ofctl -O OpenFlow15 dump-group-stats br-int", "ovs-ofctl -O OpenFlow15 meter-stats br-int",
    "ovs-ofctl -O OpenFlow15 dump-flows br-ex", "ovs-ofctl --no-stats dump-flows br-ex", "ovs-ofctl --names dump-flows br-ex",
    "ovs-appctl dpctl/dump-flows -m", "ovs-vsctl list interface", "ovs-vsctl list port", "ovs-vsctl list bridge",
    "ovn-sbctl list Port_Binding", "ovn-sbctl list Datapath_Binding", "ovn-sbctl list Address_Set", "ovn-sbctl list Port_Group", "ovn-sbctl list Load_Balancer",
    *("ovn-nbctl list " + t for t in ("acl", "qos", "logical_router_static_route", "logical_router_policy", "nat", "port_group", "load_balancer", "address_set"))}
LEFT_OUT -= {"ip -d addr"}


def without_slow_dumps():
    for name in ("node_cmds", "host_cmds"):
        full = getattr(capture, name)
        setattr(capture, name, lambda *a, full=full: [c for c in full(*a) if c not in LEFT_OUT])


def settings_and_queues(ns, out, env=None):
    def run(*argv):
        return subprocess.run(["ip", "netns", "exec", ns, *argv], capture_output=True, text=True, env=env).stdout
    def put(name, text):
        if text:             # of an empty file nobody knows whether the command ran
            open(os.path.join(out, name), "w").write(text)
    put("sysctl", run("sysctl", "-a", "--pattern", "^net"))
    for command in ("ipset save", "ip xfrm policy", "ip nexthop show"):
        put(capture.mangle(command), run(*command.split()))
    queues = run("tc", "qdisc", "show")
    put(capture.mangle("tc qdisc show"), queues)
    put(capture.mangle("tc -s class show"), run("tc", "-s", "class", "show"))
    for line in queues.split("\n"):
        words = line.split()
        if len(words) > 4 and words[1] in ("clsact", "ingress"):
            dev = words[words.index("dev") + 1]
            for direction in ("ingress", "egress") if words[1] == "clsact" else ("ingress",):
                put(capture.mangle("tc filter show dev %s %s" % (dev, direction)), run("tc", "filter", "show", "dev", dev, direction))


# As `egtrace collect` does.
def namespaces_of_pods(lab, n, out):
    for p in lab.pods:
        if p["n"] is not n:
            continue
        folder = os.path.join(out, "netns", p["netns"])
        os.makedirs(folder)
        for cmd in ("ip -d addr", "ip rule list", "ip -6 rule list", "ip route show table all", "ip -6 route show table all", "ip -s -s neigh show",
                    "iptables-save", "ip6tables-save", "nft list ruleset"):
            text = lab.nsx(p["netns"], *cmd.split(), check=False)
            if text:
                open(os.path.join(folder, capture.mangle("ip netns exec %s %s" % (p["netns"], cmd))), "w").write(text)


def rules_without_any(path):
    """iptables-legacy-save and nft say nothing where there is nothing: an empty chain says that they ran."""
    if os.path.exists(path) and not os.path.getsize(path):
        open(path, "w").write("table inet none {\n}\n" if "nft" in path else "*filter\n:INPUT ACCEPT [0:0]\n:FORWARD ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\nCOMMIT\n")


def collect(lab, out):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)

    def node(n):
        try:
            capture.collect_node(lab, n, os.path.join(out, n.name), "std")
            settings_and_queues(n.ns, os.path.join(out, n.name), n.env)
            namespaces_of_pods(lab, n, os.path.join(out, n.name))
        except Exception:
            traceback.print_exc()

    def plain():
        links = [l["ifname"] for l in json.loads(lab.ip(lab.ns_router, "-j", "link")) if l["ifname"] != "lo"]
        for ns, name, ifaces in ((lab.ns_router, "router", links), (lab.ns_server, "server", [lab.server["if"]])):
            capture.collect_plain(lab, ns, name, os.path.join(out, name), ifaces)
            settings_and_queues(ns, os.path.join(out, name))

    threads = [threading.Thread(target=node, args=(n,)) for n in lab.nodes] + [threading.Thread(target=plain)]
    for t in threads:
        t.start()
        time.sleep(1.1)      # iptables-save prints the second: nodes with the same dump would be taken for one
    for t in threads:
        t.join()
    for node in os.listdir(out):
        for name in ("iptables-save_-c", "ip6tables-save_-c", "nft_list_ruleset"):
            rules_without_any(os.path.join(out, node, name))
    k8s.write(lab, "chaos", out + "/k8s")


def sender(lab, c):
    if c["kind"] == "pod":
        p = lab.pod(c["name"])
        return "%s/%s" % (p["ns"], p["name"])
    return "node:" + c["name"]          # of the server too: its kernel selects the source


def question(lab, c, sport):
    six = ":" in c["dst"]
    to = c["dst"] if not c["port"] else "[%s]:%d" % (c["dst"], c["port"]) if six else "%s:%d" % (c["dst"], c["port"])
    proto = "icmp6" if six and c["proto"] == "icmp" else c["proto"]
    size = ["--size", str(c["size"]), "--df"] if c.get("size") else []
    return ["--from", sender(lab, c), "--to", to, "--proto", proto] + (["--sport", str(sport)] if c["port"] else []) + size


class Egtrace:
    def __init__(self, binary, directory):
        self.binary, self.directory = binary, directory
        os.makedirs(directory, exist_ok=True)

    def explain(self, lab, dumps, calls, observed):
        """By two shells, each with its half of the questions."""
        out = {}

        def half(k):
            mine = calls[k::2]
            files = [os.path.join(self.directory, "%d.%d.json" % (k, i)) for i in range(len(mine))]
            for f in files:
                if os.path.exists(f):
                    os.unlink(f)
            text = "".join(" ".join(["explain", *question(lab, c, observed[c["id"]]["sport"]), "--format", "json", "-o", f]) + "\n" for c, f in zip(mine, files))
            p = subprocess.run([self.binary, "shell", dumps], input=text, capture_output=True, text=True, timeout=300) if mine else None
            for c, f in zip(mine, files):
                try:
                    out[c["id"]] = json.load(open(f))
                except (ValueError, OSError):
                    out[c["id"]] = {"outcome": "CRASH", "error": p.stderr[-500:], "paths": []}

        wire.all_at_once([lambda: half(0), lambda: half(1)])
        return out

    def triage(self, dumps):
        p = subprocess.run([self.binary, "triage", dumps, "--format", "json"], capture_output=True, text=True, timeout=200)
        try:
            return json.loads(p.stdout)["findings"]
        except ValueError:
            print("triage:", p.stderr[-300:])
            return []


def is_without_listener(observed, answer):
    """The packet reached a stack of which no dump shows the sockets, and that refuses it: the answer leaves this open."""
    return answer["outcome"] == "answered" and answer.get("listener") == "unknown" and observed.get("errno") == "Connection refused"


def judge(observed, answer):
    """right, undecided, or what is wrong: with the confidence that the answer claimed."""
    if answer["outcome"] == "CRASH":
        return "crash"
    if answer["outcome"] == "undecided":
        return "undecided"
    if is_without_listener(observed, answer):
        return "undecided"
    seen, kinds = observed["wire"], {p["outcome"] for p in answer["paths"]}
    if answer["outcome"] != seen and not (answer["outcome"] == "mixed" and (seen in kinds or "undecided" in kinds)):
        return answer["confidence"] + "-wrong"
    if seen == "answered" and observed.get("saw"):
        sources = {p["source_seen"]["ip"] for p in answer["paths"] if p.get("source_seen") and p["outcome"] in ("answered", "undecided")}
        if sources and observed["saw"] not in sources:
            return answer["confidence"] + "-source-wrong"
    return "right"
