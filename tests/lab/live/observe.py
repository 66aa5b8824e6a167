"""Runs tcpdump at every capture point, makes the calls of a scenario, and derives truth.json
from what was captured and logged. Nothing here knows what ought to happen."""
import ipaddress, json, os, re, signal, struct, subprocess, time
from labcore import *

HERE = os.path.dirname(os.path.abspath(__file__))
GENEVE = (6081, 6082)


# ---- packets ------------------------------------------------------------------------------
def mac_s(b):
    return ":".join("%02x" % x for x in b)


def parse_ip(b, et):
    """One IP packet as a dict, or None."""
    p = {}
    if et == 0x0800 and len(b) >= 20:
        ihl = (b[0] & 15) * 4
        p.update(ver=4, ttl=b[8], ipid=struct.unpack("!H", b[4:6])[0], src=str(ipaddress.ip_address(b[12:16])),
                 dst=str(ipaddress.ip_address(b[16:20])))
        pr, l4 = b[9], b[ihl:]
    elif et == 0x86dd and len(b) >= 40:
        p.update(ver=6, ttl=b[7], ipid=0, src=str(ipaddress.ip_address(b[8:24])), dst=str(ipaddress.ip_address(b[24:40])))
        pr, l4 = b[6], b[40:]
    else:
        return None
    p["pn"] = pr
    if pr == 6 and len(l4) >= 14:
        p.update(proto="tcp", sport=struct.unpack("!H", l4[:2])[0], dport=struct.unpack("!H", l4[2:4])[0],
                 seq=struct.unpack("!I", l4[4:8])[0], ack=struct.unpack("!I", l4[8:12])[0], flags=l4[13] & 0x3f)
        p["pay"] = l4[(l4[12] >> 4) * 4:]
    elif pr == 6 and len(l4) >= 8:
        p.update(proto="tcp", sport=struct.unpack("!H", l4[:2])[0], dport=struct.unpack("!H", l4[2:4])[0],
                 seq=struct.unpack("!I", l4[4:8])[0], ack=0, flags=0, pay=b"")
    elif pr == 17 and len(l4) >= 8:
        p.update(proto="udp", sport=struct.unpack("!H", l4[:2])[0], dport=struct.unpack("!H", l4[2:4])[0], pay=l4[8:])
    elif pr in (1, 58) and len(l4) >= 8:
        p.update(proto="icmp" if pr == 1 else "icmp6", itype=l4[0], icode=l4[1],
                 iid=struct.unpack("!H", l4[4:6])[0], iseq=struct.unpack("!H", l4[6:8])[0], pay=l4[8:])
        err = (3, 4, 5, 11, 12) if pr == 1 else (1, 2, 3, 4)
        if l4[0] in err:
            p["inner"] = parse_ip(l4[8:], 0x0800 if pr == 1 else 0x86dd)
    else:
        p.update(proto=str(pr), pay=b"")
    return p


def parse_eth(b):
    if len(b) < 14:
        return None
    et = struct.unpack("!H", b[12:14])[0]
    p = parse_ip(b[14:], et)
    if not p:
        return None
    p.update(dmac=mac_s(b[:6]), smac=mac_s(b[6:12]))
    if p.get("proto") == "udp" and p["dport"] in GENEVE and len(p["pay"]) > 22:
        g = p["pay"]
        ol = (g[0] & 0x3f) * 4
        inner = parse_eth(g[8 + ol:])
        if inner:
            inner["encap"] = {"type": "geneve", "src": p["src"], "dst": p["dst"], "vni": int.from_bytes(g[4:7], "big"),
                              "options": g[8:8 + ol].hex(), "outer_smac": p["smac"], "outer_dmac": p["dmac"],
                              "sport": p["sport"]}
            return inner
    return p


def read_pcap(path):
    """Yield (frame number, time, link type, bytes)."""
    d = open(path, "rb").read()
    if len(d) < 24:
        return
    e = "<" if d[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    nano = d[:4] in (b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
    link = struct.unpack(e + "I", d[20:24])[0]
    off, n = 24, 0
    while off + 16 <= len(d):
        s, f, cl, _ = struct.unpack(e + "IIII", d[off:off + 16])
        n += 1
        yield n, s + f / (1e9 if nano else 1e6), link, d[off + 16:off + 16 + cl]
        off += 16 + cl


# ---- capture ------------------------------------------------------------------------------
def capture_points(lab):
    out = []
    for n in lab.nodes:
        ifs = [lab.c["nic"], "br-ex", "ovn-k8s-mp0"] + [net.management for net in lab.udns if net.local] + ([n.aux_if] if n.__dict__.get("aux_if") else []) + [p["veth"] for p in lab.pods if p["n"] is n]
        out.append((n.name, n.ns, ifs))
    r = lab.router
    links = json.loads(lab.ip(lab.ns_router, "-j", "link"))
    out.append(("router", lab.ns_router, [l["ifname"] for l in links if l["ifname"] != "lo"]))
    out.append(("server", lab.ns_server, [lab.server["if"]]))
    return out


class Capture:
    def __init__(self, lab, outdir):
        self.lab, self.dir, self.procs = lab, outdir, []
        os.makedirs(outdir, exist_ok=True)
        for host, ns, ifs in capture_points(lab):
            for i in ifs + ["any"]:
                f = os.path.join(outdir, "%s__%s.pcap" % (host, i))
                p = subprocess.Popen(["ip", "netns", "exec", ns, "tcpdump", "-Z", "root", "-i", i, "-s", "262144", "-U", "-n", "--immediate-mode",
                                      "-w", f, "not tcp port 179 and not udp port 3784 and not (ip6 and icmp6 and (ip6[40] >= 130 and ip6[40] <= 143 and ip6[40] != 135 and ip6[40] != 136))"],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.procs.append((host, i, f, p))
        for host, i, f, p in self.procs:       # tcpdump says when it listens
            p.stderr.readline()
        time.sleep(0.2)

    def stop(self):
        time.sleep(0.3)
        for _, _, _, p in self.procs:
            p.send_signal(signal.SIGINT)
        for _, _, _, p in self.procs:
            p.wait()
        idx = {}
        for host, ns, ifs in capture_points(self.lab):
            idx[host] = {l["ifindex"]: l["ifname"] for l in json.loads(self.lab.ip(ns, "-j", "link"))}
        json.dump(idx, open(os.path.join(self.dir, "ifindex.json"), "w"), indent=1)


# ---- calls ----------------------------------------------------------------------------------
def client_ns(lab, c):
    if c["kind"] == "pod":
        return lab.pod(c["name"])["netns"]
    if c["kind"] == "host":
        return lab.node(c["name"]).ns
    return lab.ns_server


def taken(lab, proto):
    """Per end: how many packets of the protocol its transport layer has taken, behind firewalls and rp_filter, where no capture sees."""
    spaces = [("server", lab.ns_server)] + [(n.name, n.ns) for n in lab.nodes] + [(p["veth"], p["netns"]) for p in lab.pods]
    want = {"tcp": (("Tcp", "InSegs"),), "udp": (("Udp", "InDatagrams"), ("Udp", "NoPorts"), ("Udp6", "InDatagrams"), ("Udp6", "NoPorts")),
            "icmp": (("Icmp", "InEchos"), ("Icmp6", "InEchos"))}[proto]
    out = {}
    for name, ns in spaces:
        counts = {}
        lines = lab.nsx(ns, "cat", "/proc/net/snmp", "/proc/net/snmp6", check=False).split("\n")
        for a, b in zip(lines, lines[1:]):
            a, b = a.split(), b.split()
            if len(a) == len(b) and a and a[0] == b[0] and a[0].endswith(":"):
                counts.update({(a[0][:-1], k): int(v) for k, v in zip(a[1:], b[1:])})
        for l in lines:
            w = l.split()
            if len(w) == 2 and "6" in w[0]:
                k = w[0].index("6") + 1
                counts[w[0][:k], w[0][k:]] = int(w[1])
        out[name] = sum(counts.get(k, 0) for k in want)
    return out


def run_case(lab, case, serial):
    ns = client_ns(lab, case["client"])
    before = taken(lab, case["proto"])
    marker = "case-%04d" % serial
    t0 = time.time()
    proto = case["proto"]
    if proto == "icmp":
        pat = "c0de%04x" % serial
        six = ["-6"] if ":" in case["dst"] else []
        big = ["-s", str(case["size"]), "-M", "do"] if case.get("size") else []
        out = lab.nsx(ns, "sh", "-c", 'exec "$@" 2>&1', "ping", "ping", *six, *big, "-n", "-c", "1", "-W", str(case.get("timeout") or 2), "-p", pat, case["dst"], check=False)
        res = {"result": "answered" if "1 received" in out else ("error" if any(w in out for w in ("nreachable", "rohibited", "needed", "local error", "too big", "iltered")) else "timeout"),
               "output": out}
        ident = {"pattern": pat}
    else:
        sport = case.get("sport") or 20000 + serial
        out = lab.nsx(ns, "python3", os.path.join(HERE, "peer.py"), "call", proto, case["dst"], case["dport"], sport,
                      marker.ljust(case.get("size") or 0, "."), str(case.get("timeout") or (3.4 if proto == "tcp" else 1.5)), check=False)
        res = json.loads(out)
        ident = {"sport": sport, "marker": marker}
    t1 = time.time()
    time.sleep(0.15)
    after = taken(lab, proto)
    if res["result"] == "error":         # ip_error() and icmp_send() take tokens of one bucket: the third error within two seconds is not sent
        time.sleep(2.2)
    return {"t0": t0, "t1": t1, "result": res, "ident": ident, "marker": marker, "taken": {k: after[k] - before[k] for k in after}}


# ---- truth ------------------------------------------------------------------------------------
def load_captures(lab, d):
    """All frames of all per-interface captures, ordered by time, with direction from the 'any' captures."""
    idx = json.load(open(os.path.join(d, "ifindex.json")))
    frames, anyd = [], {}
    for f in sorted(os.listdir(d)):
        if not f.endswith(".pcap"):
            continue
        host, i = f[:-5].split("__")
        for num, t, link, b in read_pcap(os.path.join(d, f)):
            if i == "any":
                if link == 276 and len(b) > 20:
                    ifn = idx[host].get(str(struct.unpack("!I", b[4:8])[0]))
                    anyd.setdefault((host, ifn), []).append((t, "out" if b[10] == 4 else "in", b[20:100]))
                continue
            p = parse_eth(b)
            if p:
                p.update(t=t, host=host, iface=i, file=f, frame=num, l3=b[14:94])
                frames.append(p)
    frames.sort(key=lambda p: p["t"])
    macs = {}
    for host, ns, ifs in capture_points(lab):
        for l in json.loads(lab.ip(ns, "-j", "link")):
            macs[host, l["ifname"]] = l.get("address")
    pod_macs = {p["veth"]: p["mac"] for p in lab.pods}
    wires = {lab.c["nic"], "br-ex"} | {n.aux_if for n in lab.nodes if n.__dict__.get("aux_if")}
    for p in frames:
        best, gap = None, 5e-2       # the same bytes on the same interface, nearest in time
        for t, d_, l3 in anyd.get((p["host"], p["iface"]), ()):
            if abs(t - p["t"]) < gap and l3 == p["l3"]:
                best, gap = d_, abs(t - p["t"])
        mac = macs.get((p["host"], p["iface"]))
        if best is None and p["iface"] in pod_macs:       # the cooked capture lost it: the frame's ends tell
            best = "in" if p["smac"] == pod_macs[p["iface"]] else "out"
        elif best is None and mac in (p["smac"], p["dmac"]):
            best = "out" if p["smac"] == mac else "in"
        p["dir"] = best
        # a copy that a switch flooded to a node it is not addressed to: tcpdump sees it, the packet's way it is not
        dst = p["encap"]["outer_dmac"] if "encap" in p else p["dmac"]
        p["flooded"] = best == "in" and (p["iface"] in wires or p["host"] not in lab.by_name) and not int(dst[1], 16) & 1 and dst != macs.get((p["host"], p["iface"]))
    return frames


def hop(p):
    h = {"t": round(p["t"], 6), "node": p["host"], "iface": p["iface"], "dir": p["dir"], "smac": p["smac"], "dmac": p["dmac"],
         "src": p["src"], "dst": p["dst"], "ttl": p["ttl"], "proto": p["proto"], "file": p["file"], "frame": p["frame"]}
    for k in ("sport", "dport"):
        if k in p:
            h[k] = p[k]
    if p["proto"] in ("icmp", "icmp6"):
        h["icmp_type"], h["icmp_code"] = p["itype"], p["icode"]
    if "flags" in p:
        h["tcp_flags"] = "".join(c for b, c in ((2, "S"), (16, "A"), (4, "R"), (1, "F"), (8, "P")) if p["flags"] & b)
    if "encap" in p:
        h["encap"] = p["encap"]
    return h


def is_fwd(p, proto, ident):
    if proto == "tcp":
        return p["proto"] == "tcp" and p["flags"] & 0x12 == 2 and p["seq"] == ident["isn"]
    if proto == "udp":
        return p["proto"] == "udp" and ident["marker"].encode() == bytes(p["pay"][:len(ident["marker"])])
    return p["proto"] in ("icmp", "icmp6") and p["itype"] in (8, 128) and bytes.fromhex(ident["pattern"]) in bytes(p["pay"])


def is_rep(p, proto, ident):
    if "inner" in p and p["inner"]:
        i = p["inner"]
        if proto == "tcp":
            return i.get("proto") == "tcp" and i.get("seq") == ident.get("isn")
        if proto == "udp":
            return i.get("proto") == "udp" and ident["marker"].encode() in bytes(i["pay"]) and b"saw" not in bytes(i["pay"])     # not an error about the reply
        return i.get("proto") in ("icmp", "icmp6") and i["itype"] in (8, 128) and bytes.fromhex(ident["pattern"]) in bytes(i["pay"])
    if proto == "tcp":
        return p["proto"] == "tcp" and p["flags"] & 0x10 and p["flags"] & 0x06 and p["ack"] == (ident["isn"] + 1) & 0xffffffff
    if proto == "udp":
        return p["proto"] == "udp" and ident["marker"].encode() in bytes(p["pay"]) and b"saw" in bytes(p["pay"])
    return p["proto"] in ("icmp", "icmp6") and p["itype"] in (0, 129) and bytes.fromhex(ident["pattern"]) in bytes(p["pay"])


def attempts(hops, gap=0.5):
    """Split repeated transmissions: a new attempt starts when the first capture point sees the packet again."""
    out = []
    for h in hops:
        first = out and out[-1] and (out[-1][0]["node"], out[-1][0]["iface"]) == (h["node"], h["iface"])
        if not out or (first and h["t"] - out[-1][0]["t"] > gap):
            out.append([])
        out[-1].append(h)
    return out


def truth(lab, d, cases, runs):
    frames = load_captures(lab, d)
    served = []
    for f in os.listdir(lab.state_dir):
        if f.startswith("served-"):
            served += [json.loads(x) for x in open(os.path.join(lab.state_dir, f))]
    out = []
    for case, run in zip(cases, runs):
        ident, proto = dict(run["ident"]), case["proto"]
        win = [p for p in frames if run["t0"] - 0.02 <= p["t"] <= run["t1"] + 0.3]
        if proto == "tcp":
            for p in win:
                if p["proto"] == "tcp" and p["flags"] & 0x12 == 2 and p["sport"] == ident["sport"]:
                    ident["isn"] = p["seq"]
                    break
        c = case["client"]
        src = {"kind": c["kind"], "name": c["name"]}
        if c["kind"] == "pod":
            q = lab.pod(c["name"])
            src.update(namespace=q["ns"], pod=q["name"], node=q["node"], ip=q["ip"], mac=q["mac"], iface=q["veth"],
                       ofport=int(q["n"].ofport(q["veth"])))
        elif c["kind"] == "host":
            src.update(node=c["name"])
        else:
            src.update(ip=lab.server["ip"])
        if proto == "tcp" and "isn" not in ident:
            fwd, rep = [], []
        else:
            fwd = [hop(p) for p in win if is_fwd(p, proto, ident) and not p["flooded"]]
            rep = [hop(p) for p in win if is_rep(p, proto, ident) and not p["flooded"]]
        at = attempts(fwd)
        best = max(at, key=len) if at else []
        got = [s for s in served if s["marker"] == run["marker"]]
        res = run["result"]
        if res["result"] in ("answered", "closed"):
            verdict = "delivered"
        elif res["result"] == "error":
            verdict = "rejected"
        else:
            verdict = "dropped"
        rec = {"id": case["id"], "description": case["description"], "from": src,
               "packet": {"proto": proto, "dst": case["dst"], "dport": case.get("dport"), "sport": ident.get("sport")},
               "client": res, "verdict": verdict, "window": [round(run["t0"], 6), round(run["t1"], 6)]}
        if case.get("size"):
            rec["packet"]["payload"] = case["size"]
        if case.get("conntrack"):
            rec["conntrack"] = True
        if fwd:
            rec["packet"]["src"] = fwd[0]["src"]
        rec["served_by"] = [{"who": s["who"], "local": s["local"], "peer": s["peer"]} for s in got]
        ends = {p["veth"]: p for p in lab.pods}
        def is_end(h):
            if "encap" in h:
                return False
            if h["node"] == "server" and c["kind"] != "server":
                return True
            if h["iface"] in ends and h["dir"] == "out" and h["dst"] in (ends[h["iface"]]["ip"], ends[h["iface"]].get("ip6")):
                return True
            return h["dir"] == "in" and h["iface"] in ("br-ex", "ovn-k8s-mp0") and any(
                h["node"] == n.name and h["dst"] in (n.ip, n.mgmt, getattr(n, "ip6", None), getattr(n, "mgmt6", None), getattr(n, "aux", "").split("/")[0])
                for n in lab.nodes)
        seen = [h for h in best if is_end(h)]
        if not seen and verdict == "delivered":       # an end that is no capture point of its own: the router, a second NIC
            seen = [h for h in best if h["dir"] == "in"][-1:]
        if seen and verdict != "delivered" and not got:
            e = seen[-1]
            end = e["iface"] if e["iface"] in ends else e["node"]
            if run["taken"].get(end) == 0:        # the end's own firewall, rp_filter or link layer did not let it through
                rec["not_taken_by_end"] = {k: e[k] for k in ("node", "iface", "src", "dst", "sport", "dport") if k in e}
                seen = []
        rec["forward_reached_end"] = bool(seen or got)
        if seen:
            e = seen[-1]
            rec["observed_at_end"] = {k: e[k] for k in ("node", "iface", "src", "dst", "sport", "dport") if k in e}
            if e["iface"] in ends:
                rec["observed_at_end"]["pod"] = ends[e["iface"]]["name"]
        nodes = [n.name for n in lab.nodes]
        nic = lab.c["nic"]
        outs = [h for h in best if h["node"] in nodes and h["iface"] in (nic, getattr(lab.node(h["node"]), "aux_if", nic))
                and h["dir"] == "out" and "encap" not in h]
        if outs:
            o = outs[-1]
            host = [h for h in best if h["node"] == o["node"] and h["iface"] == "br-ex" and h["dir"] == "out" and h["t"] <= o["t"]
                    and "encap" not in h]
            via = "host stack" if o["iface"] != nic else "host stack through br-ex" if host else "OVN gateway router through br-ex"
            rec["egress"] = {"node": o["node"], "device": o["iface"], "source": o["src"], "via": via}
        rec["tunnels"] = [[h["encap"]["src"], h["encap"]["dst"], h["encap"]["vni"]] for h in best if "encap" in h and h["dir"] == "out"]
        rec["forward_hops"] = best
        rec["transmissions_seen"] = len(at)
        copies = sorted({(p["host"], p["iface"]) for p in win if p["flooded"] and (proto != "tcp" or "isn" in ident) and is_fwd(p, proto, ident)})
        if copies:
            rec["flooded_copies_at"] = [list(x) for x in copies]
        ra = attempts(rep)
        rec["reply_hops"] = max(ra, key=len) if ra else []
        def last(hs):
            return {k: hs[-1][k] for k in ("node", "iface", "dir", "src", "dst") if k in hs[-1]} if hs else None
        later = []
        if proto == "tcp" and verdict != "delivered" and res.get("local") and "isn" in ident:
            # the handshake completed: follow the request that came after it, and errors about that
            after = lambda p: p and p.get("proto") == "tcp" and p.get("seq") == (ident["isn"] + 1) & 0xffffffff
            rq = attempts([hop(p) for p in win if after(p) and p["flags"] & 8 and not p["flooded"]], 0.1)
            rec["request_hops"] = max(rq, key=len) if rq else []
            later = [hop(p) for p in win if after(p.get("inner"))]
        if rec.get("request_hops"):
            rec.update(lost_after_handshake=True, lost_direction="forward", last_seen=last(rec["request_hops"]))
        elif verdict != "delivered":
            d_ = "reply" if rec["forward_reached_end"] else "forward"
            rec["lost_direction"] = d_
            rec["last_seen"] = last(rec["reply_hops"] if d_ == "reply" and rec["reply_hops"] else best)
        if verdict == "rejected" and rec["reply_hops"]:
            r0 = rec["reply_hops"][0]
            rec["rejected_by"] = {"first_seen_node": r0["node"], "iface": r0["iface"], "src": r0["src"],
                                  "with": "tcp reset" if r0["proto"] == "tcp" else "icmp type %d code %d" % (r0["icmp_type"], r0["icmp_code"])}
        elif verdict == "rejected":
            rec["local_error"] = True       # the caller's own node told it (no route, or no neighbour); nothing came back by wire
        elif verdict == "dropped":
            err = [h for h in rec["reply_hops"] + later if "R" in h.get("tcp_flags", "") or h.get("icmp_type") in (1, 3)]
            if err:
                e = err[0]
                rec["error_not_accepted_by_client"] = {"first_seen_node": e["node"], "iface": e["iface"], "src": e["src"], "dst": e["dst"],
                                                       "with": "tcp reset" if e["proto"] == "tcp" else "icmp type %d code %d" % (e["icmp_type"], e["icmp_code"])}
        out.append(rec)
    return out


# ---- traces ------------------------------------------------------------------------------------
def flow_of(h):
    six = ":" in h["src"]
    f = ["dl_src=" + h["smac"], "dl_dst=" + h["dmac"]]
    proto = h["proto"]
    if six:
        f.append({"tcp": "tcp6", "udp": "udp6", "icmp6": "icmp6"}[proto])
        f += ["ipv6_src=" + h["src"], "ipv6_dst=" + h["dst"], "nw_ttl=%d" % h["ttl"]]
    else:
        f.append(proto)
        f += ["nw_src=" + h["src"], "nw_dst=" + h["dst"], "nw_ttl=%d" % h["ttl"]]
    if "sport" in h:
        f += ["tp_src=%d" % h["sport"], "tp_dst=%d" % h["dport"]]
    elif six:
        f += ["icmpv6_type=%d" % h["icmp_type"], "icmpv6_code=%d" % h["icmp_code"]]
    else:
        f += ["icmp_type=%d" % h["icmp_type"], "icmp_code=%d" % h["icmp_code"]]
    if proto == "tcp":
        f.append("tcp_flags=0x002")
    return f


def traces(lab, rec, outdir):
    """ofproto/trace on every node where the first packet entered OVS, and ovn-trace for pod origins."""
    os.makedirs(outdir, exist_ok=True)
    vethpod = {p["veth"]: p for p in lab.pods}
    k = 0
    for h in rec["forward_hops"]:
        if h["node"] not in lab.by_name:
            continue
        n = lab.node(h["node"])
        br = None
        fl = flow_of(h)
        if "encap" in h:
            if not (h["iface"] == lab.c["nic"] and h["dir"] == "in"):
                continue
            e = h["encap"]
            port = None
            for row in json.loads(n.vs("-f", "json", "--columns=name,options,ofport", "find", "interface", "type=geneve"))["data"]:
                if ["remote_ip", e["src"]] in row[1][1]:
                    port = row[2]
            if port is None:
                continue
            br = "br-int"
            fl = ["in_port=%s" % port, "tun_id=%d" % e["vni"], "tun_src=" + e["src"], "tun_dst=" + e["dst"],
                  "tun_metadata0=0x" + (e["options"][8:] or "0")] + fl
        elif h["iface"] in vethpod and h["dir"] == "in":
            br = "br-int"
            fl = ["in_port=%s" % n.ofport(h["iface"])] + fl
        elif h["iface"] == "ovn-k8s-mp0" and h["dir"] == "out":
            br = "br-int"
            fl = ["in_port=%s" % n.ofport("ovn-k8s-mp0")] + fl
        elif h["iface"] == "br-ex" and h["dir"] == "out":
            br = "br-ex"
            fl = ["in_port=LOCAL"] + fl
        elif h["iface"] == lab.c["nic"] and h["dir"] == "in":
            br = "br-ex"
            fl = ["in_port=%s" % n.ofport(lab.c["nic"])] + fl
        if not br:
            continue
        k += 1
        flow = ",".join(fl)
        txt = n.run("ovs-appctl", "ofproto/trace", br, flow, check=False)
        open(os.path.join(outdir, "%s.%d.%s.ofproto-trace.txt" % (rec["id"], k, h["node"])), "w").write(
            "# ovs-appctl ofproto/trace %s '%s'\n%s" % (br, flow, txt))
        if h["iface"] in vethpod:
            p = vethpod[h["iface"]]
            six = ":" in h["src"]
            m = 'inport=="%s" && eth.src==%s && eth.dst==%s && ip%s.src==%s && ip%s.dst==%s && ip.ttl==%d' % (
                p["key"], h["smac"], h["dmac"], "6" if six else "4", h["src"], "6" if six else "4", h["dst"], h["ttl"])
            if h["proto"] == "tcp":
                m += " && tcp.src==%d && tcp.dst==%d" % (h["sport"], h["dport"])
            elif h["proto"] == "udp":
                m += " && udp.src==%d && udp.dst==%d" % (h["sport"], h["dport"])
            else:
                m += " && icmp%s.type==%d" % ("6" if six else "4", h["icmp_type"])
            txt = n.run("ovn-trace", "--detailed", "--ct=new", n.name, m, check=False)
            open(os.path.join(outdir, "%s.%d.%s.ovn-trace.txt" % (rec["id"], k, h["node"])), "w").write(
                "# ovn-trace --detailed --ct=new %s '%s'\n%s" % (n.name, m, txt))
