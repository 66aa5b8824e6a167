"""Captures, as the tools print it, what a support engineer would have from every host."""
import gzip, json, os, re, shutil
from labcore import *
from topology import vtysh, sysctl
import k8s

SYSCTLS = ["net.ipv4.ip_forward", "net.ipv4.conf.all.rp_filter", "net.ipv4.conf.default.rp_filter", "net.ipv4.conf.all.forwarding",
           "net.ipv4.conf.all.arp_ignore", "net.ipv4.conf.all.arp_announce", "net.ipv4.conf.all.src_valid_mark",
           "net.ipv4.fib_multipath_hash_policy", "net.ipv6.conf.all.forwarding", "net.ipv4.conf.all.accept_local", "net.ipv4.conf.all.route_localnet",
           "net.ipv6.conf.all.disable_ipv6", "net.ipv6.conf.default.disable_ipv6", "net.ipv4.tcp_tw_reuse", "net.netfilter.nf_conntrack_tcp_loose",
           "net.netfilter.nf_conntrack_tcp_be_liberal", "net.netfilter.nf_conntrack_acct",
           "net.ipv4.icmp_echo_ignore_all", "net.ipv6.icmp.echo_ignore_all", "net.ipv4.ip_default_ttl"]


LITE_SKIPS = {"ip -s -d link", "ovs-vsctl list port", "ovs-vsctl list bridge", "ovn-sbctl list Port_Binding", "ovn-nbctl list logical_switch_port",
              "ip -j addr", "ip -j route", "ip -j neigh", "ovs-vsctl list interface", "nft -a list ruleset", "iptables -vnxL", "iptables -t nat -nvL",
              "iptables -t mangle -nvL", "ip -d addr", "ip -o addr", "ip -s -s neigh show", "iptables-save", "ip6tables-save", "ovs-vsctl list Open_vSwitch",
              "ovn-nbctl list logical_switch", "ovn-nbctl list logical_router_port", "ovn-sbctl list Datapath_Binding", "ovs-appctl dpif/show"}


MIN_SKIPS = {"nft -j list ruleset", "ip -j route show table all", "ip -j rule"}


def mangle(cmd):
    """File name of a command, by the rule that sos uses."""
    if cmd.startswith("sysctl "):
        return "sysctl"
    return re.sub(r"/", ".", re.sub(r"[^\w\-\.\/]+", "_", cmd)).strip(" ._-")[:200]


def host_cmds(ifaces):
    c = ["iptables-save", "iptables-save -c", "iptables -t nat -S", "iptables -vnxL", "iptables -t nat -nvL", "iptables -t mangle -nvL",
         "ip6tables-save", "ip6tables-save -c",
         "nft list ruleset", "nft -a list ruleset", "nft -j list ruleset", "ip rule", "ip -j rule", "ip -4 rule list", "ip -6 rule list",
         "ip route", "ip -j route", "ip route show table all", "ip -j route show table all", "ip -6 route show table all",
         "ip -d addr", "ip a", "ip -o addr", "ip -j addr", "ip -d link", "ip -s -d link", "ip neigh", "ip -j neigh", "ip -s -s neigh show",
         "conntrack -L", "sysctl " + " ".join(SYSCTLS + ["net.ipv4.conf.%s.%s" % (i, k) for i in ifaces
                                                         for k in ("rp_filter", "forwarding", "arp_ignore", "arp_announce", "accept_local", "route_localnet", "proxy_arp")] +
                                                        ["net.ipv6.conf.%s.%s" % (i, k) for i in ifaces for k in ("forwarding", "disable_ipv6")])]
    c += ["ip route show cache", "ip -6 route show cache", "ip -6 neigh", "ss -tulpn"]
    return c


def node_cmds(lab, n, level):
    c = host_cmds(["br-ex", "ovn-k8s-mp0"] + [net.management for net in lab.udns if net.local] + ([n.aux_if] if n.__dict__.get("aux_if") else []))
    c += ["ovs-vsctl show", "ovs-vsctl list Open_vSwitch", "ovs-vsctl list bridge", "ovs-vsctl list interface", "ovs-vsctl -f json list interface",
          "ovs-vsctl list port"]
    for br in ("br-int", "br-ex") + ("br-ext",) * ("hybrid" in lab.c) + (("br-bulk",) if lab.c.get("attachments") else ()):
        c += ["ovs-ofctl dump-flows " + br, "ovs-ofctl show " + br, "ovs-ofctl -O OpenFlow15 dump-groups " + br,
              "ovs-ofctl -O OpenFlow15 dump-meters " + br, "ovs-ofctl dump-tlv-map " + br]
        if level == "full" or (br == "br-ex" and level == "std"):
            c += ["ovs-ofctl -O OpenFlow15 dump-flows " + br, "ovs-ofctl --no-stats dump-flows " + br]
            c += ["ovs-ofctl --names dump-flows " + br] if br == "br-ex" else []
    c += ["ovs-ofctl -O OpenFlow13 dump-groups br-int", "ovs-ofctl -O OpenFlow15 dump-group-stats br-int", "ovs-ofctl -O OpenFlow15 meter-stats br-int",
          "ovs-appctl dpctl/show", "ovs-appctl dpctl/dump-conntrack", "ovs-appctl dpctl/ct-get-limits", "ovs-appctl dpctl/ct-get-maxconns",
          "ovs-appctl dpctl/ct-get-nconns", "ovs-appctl dpctl/dump-flows -m", "ovs-appctl dpif/show", "ovs-appctl ovs/route/show",
          "ovs-appctl tnl/ports/show -v", "ovs-appctl tnl/arp/show", "ovs-appctl ofproto/list-tunnels", "ovs-appctl fdb/show br-ex",
          *(["ovs-appctl fdb/show br-bulk"] if lab.c.get("attachments") else []),
          "ovn-appctl -t ovn-controller ct-zone-list", "ovn-appctl -t ovn-controller connection-status",
          "ovn-sbctl show", "ovn-sbctl --uuid lflow-list", "ovn-sbctl list Chassis", "ovn-sbctl list Encap", "ovn-sbctl list Port_Binding",
          "ovn-sbctl list Datapath_Binding", "ovn-sbctl list MAC_Binding", "ovn-sbctl list Static_MAC_Binding", "ovn-sbctl list Address_Set",
          "ovn-sbctl list Port_Group", "ovn-sbctl list Load_Balancer",
          "ovn-nbctl show", "ovn-nbctl lr-policy-list ovn_cluster_router", "ovn-nbctl lr-route-list ovn_cluster_router",
          "ovn-nbctl lr-nat-list ovn_cluster_router", "ovn-nbctl lr-route-list " + n.gr, "ovn-nbctl lr-nat-list " + n.gr, "ovn-nbctl lr-policy-list " + n.gr,
          "ovn-nbctl lb-list", "ovn-nbctl list address_set", "ovn-nbctl list load_balancer", "ovn-nbctl list load_balancer_group",
          "ovn-nbctl list logical_router_policy", "ovn-nbctl list logical_router_static_route", "ovn-nbctl list nat", "ovn-nbctl list acl", "ovn-nbctl list qos",
          "ovn-nbctl list port_group", "ovn-nbctl list logical_router", "ovn-nbctl list logical_switch", "ovn-nbctl list logical_switch_port",
          "ovn-nbctl list logical_router_port", "ovn-nbctl list static_mac_binding", "ovn-nbctl acl-list " + n.name, "ovn-nbctl list nb_global"]
    for a in lab.c.get("attachments", []):     # what OVN does not know the pods' own devices show
        if a.get("mac_only"):
            c += ["ip netns exec %s ip -d address show" % p["netns"] for p in lab.pods if p["n"] is n and p["name"] in a["pods"]]
    if level == "full":
        c += ["ovn-sbctl lflow-list", "ovn-sbctl lflow-list " + n.gr]
    if level in ("lite", "min"):       # the bindings are evidence here
        c = [x for x in c if x not in LITE_SKIPS - {"ovn-sbctl list Port_Binding"}]
    if level == "min":
        c = [x for x in c if x not in MIN_SKIPS]
    return c


def put(path, text, gz_over=None):
    if gz_over is not None and len(text) > gz_over:
        with gzip.GzipFile(path + ".gz", "wb", mtime=0) as f:
            f.write(text.encode())
    else:
        open(path, "w").write(text)


def collect_node(lab, n, out, level):
    os.makedirs(out, exist_ok=True)
    gz = 4000 if level in ("lite", "min") else None
    for cmd in node_cmds(lab, n, level):
        argv = cmd.split()
        r = subprocess.run(["ip", "netns", "exec", n.ns] + argv, capture_output=True, text=True, env=n.env, timeout=60)
        text = r.stdout + (r.stderr if r.returncode or argv[0] == "conntrack" else "")
        put(os.path.join(out, mangle(cmd)), text, gz)
    put(os.path.join(out, "hostname"), sh(["unshare", "-u", "sh", "-c", "hostname %s; hostname" % n.name]))
    for ctl, db, dbn in (("ovnnb_db.ctl", "ovnnb_db.db", "OVN_Northbound"), ("ovnsb_db.ctl", "ovnsb_db.db", "OVN_Southbound"),
                         ("ovsdb-server.ctl", "conf.db", "")):
        if level == "min" and db != "ovnnb_db.db":
            continue
        n.run("ovs-appctl", "-t", "%s/run/%s" % (n.dir, ctl), "ovsdb-server/compact", check=False)
        data = open("%s/db/%s" % (n.dir, db), "rb").read()
        with gzip.GzipFile(os.path.join(out, db + ".gz"), "wb", mtime=0) as f:
            f.write(data)


def collect_plain(lab, ns, host, out, ifaces, frr=None):
    os.makedirs(out, exist_ok=True)
    for cmd in host_cmds(ifaces):
        r = subprocess.run(["ip", "netns", "exec", ns] + cmd.split(), capture_output=True, text=True, timeout=60)
        put(os.path.join(out, mangle(cmd)), r.stdout + (r.stderr if r.returncode or cmd.startswith("conntrack") else ""))
    put(os.path.join(out, "hostname"), host + "\n")
    if frr:
        for c in ("show ip route", "show ip route bgp", "show ip bgp", "show ip bgp summary", "show running-config", "show ip route json", "show ip bgp json"):
            put(os.path.join(out, mangle("vtysh -c " + c)), vtysh(lab, frr, ns, c, check=False))


def versions(lab, path):
    n = lab.nodes[0]
    out = []
    for argv in (["ovs-vswitchd", "--version"], ["ovs-ofctl", "--version"], ["ovs-vsctl", "--version"], ["ovn-nbctl", "--version"],
                 ["ovn-controller", "--version"], ["ovn-northd", "--version"], ["iptables", "--version"], ["nft", "--version"], ["ip", "-V"],
                 ["tcpdump", "--version"], ["conntrack", "--version"], ["/usr/lib/frr/bgpd", "--version"], ["python3", "--version"], ["uname", "-s"]):
        r = subprocess.run(argv, capture_output=True, text=True)
        out.append("$ %s\n%s" % (" ".join(argv), (r.stdout + r.stderr).strip()))
    out.append("$ ovs-appctl version   (the running ovs-vswitchd)\n" + n.run("ovs-appctl", "version").strip())
    if os.environ.get("LAB_VSWITCHD"):
        out.append("ovs-vswitchd of the lab is built from source with MAX_RECIRC_DEPTH raised to 16 in lib/dpif-netdev.c")
    open(path, "w").write("\n\n".join(out) + "\n")


def collect(lab, outdir, level="std"):
    """OUTDIR/<node>/<command>, plus k8s/, truth.json, pcap/ and trace/ of the applied scenario."""
    os.makedirs(outdir, exist_ok=True)
    for n in lab.nodes:
        egress = lab.c.get("egressip_secondary", {}).get("node")
        collect_node(lab, n, os.path.join(outdir, n.name), "std" if level == "full" and n.name != egress else level)
        if lab.router.get("bgp"):
            for c in ("show ip bgp", "show running-config"):
                put(os.path.join(outdir, n.name, mangle("vtysh -c " + c)), vtysh(lab, n.name, n.ns, c, check=False))
    links = [l["ifname"] for l in json.loads(lab.ip(lab.ns_router, "-j", "link")) if l["ifname"] != "lo"]
    collect_plain(lab, lab.ns_router, "router", os.path.join(outdir, "router"), links, "router" if lab.router.get("bgp") else None)
    collect_plain(lab, lab.ns_server, "server", os.path.join(outdir, "server"), [lab.server["if"]])
    for (host, cmd), text in getattr(lab, "plan", {}).get("before", {}).items():       # dumps that the scenario took before its calls
        f = os.path.join(outdir, host, mangle(cmd))
        for x in (f, f + ".gz"):
            if os.path.exists(x):
                os.unlink(x)
        put(f, text, 4000 if level in ("lite", "min") else None)
    name = lab.state.get("scenario")
    k8s.write(lab, name, os.path.join(outdir, "k8s"))
    if name:
        run = os.path.join(lab.state_dir, "run", name)
        for x in ("truth.json",):
            if os.path.exists(os.path.join(run, x)):
                shutil.copy(os.path.join(run, x), outdir)
        for x in ("pcap", "trace"):
            dst = os.path.join(outdir, x)
            shutil.rmtree(dst, ignore_errors=True)
            if os.path.isdir(os.path.join(run, x)):
                shutil.copytree(os.path.join(run, x), dst)
                for f in os.listdir(dst):
                    if f.endswith(".txt") and level in ("lite", "min"):
                        put(os.path.join(dst, f), open(os.path.join(dst, f)).read(), 0)
                        os.unlink(os.path.join(dst, f))
                    if f.endswith(".pcap") and os.path.getsize(os.path.join(dst, f)) <= 24:
                        os.unlink(os.path.join(dst, f))
