"""The Kubernetes objects that correspond to the applied scenario, as `oc get -o yaml` would show them."""
import json, os
import yaml

import attachments


def meta(name, ns=None, **kw):
    m = {"name": name}
    if ns:
        m["namespace"] = ns
    m.update(kw)
    return m


def lst(items):
    return {"apiVersion": "v1", "kind": "List", "items": items, "metadata": {"resourceVersion": ""}}


def dump(path, obj):
    yaml.safe_dump(obj, open(path, "w"), sort_keys=False, default_flow_style=False, width=1000)


def nodes(lab):
    out = []
    for n in lab.nodes:
        aux = [n.aux] if n.__dict__.get("aux") else []
        cidrs = ["%s/%d" % (n.ip, n.plen)] + aux
        if lab.v6:
            cidrs += [n.ip6 + "/64"] + ([n.aux6 + "/64"] if n.__dict__.get("aux6") else [])
        j = lambda d: json.dumps(d, separators=(",", ":"))
        v6 = lab.v6
        ann = {
            "k8s.ovn.org/node-chassis-id": n.chassis, "k8s.ovn.org/node-id": str(n.id), "k8s.ovn.org/zone-name": n.name,
            "k8s.ovn.org/remote-zone-migrated": n.name, "k8s.ovn.org/host-cidrs": j(cidrs),
            "k8s.ovn.org/node-primary-ifaddr": j({"ipv4": "%s/%d" % (n.ip, n.plen)}),
            "k8s.ovn.org/node-subnets": j({"default": [n.subnet] + ([n.subnet6] if v6 else [])}),
            "k8s.ovn.org/node-transit-switch-port-ifaddr": j({"ipv4": "%s/%s" % (n.transit, lab.transit.split("/")[1])}),
            "k8s.ovn.org/node-gateway-router-lrp-ifaddrs": j({"default": {"ipv4": "%s/%s" % (n.join, lab.join.split("/")[1])}}),
            "k8s.ovn.org/node-mgmt-port-mac-addresses": j({"default": n.mgmt_mac}),
            "k8s.ovn.org/node-masquerade-subnet": j({"ipv4": lab.masq, "ipv6": "fd69::/112"}),
            "k8s.ovn.org/l3-gateway-config": j({"default": {"mode": "local" if (lab.state.get("k8s") or {}).get("mode") else "shared", "bridge-id": "br-ex", "interface-id": "br-ex_" + n.name,
                "mac-address": n.mac, "ip-addresses": ["%s/%d" % (n.ip, n.plen)], "ip-address": "%s/%d" % (n.ip, n.plen),
                "next-hops": [n.router_ip], "next-hop": n.router_ip, "node-port-enable": "true", "vlan-id": "0"}}),
            "k8s.ovn.org/network-ids": j({"default": "0"}),
        }
        out.append({"apiVersion": "v1", "kind": "Node", "metadata": meta(n.name, annotations=ann, labels={
            "kubernetes.io/hostname": n.name, "k8s.ovn.org/egress-assignable": "", "node-role.kubernetes.io/master": "",
            "node-role.kubernetes.io/worker": ""}, uid=lab.uuid("node-" + n.name)),
            "spec": {}, "status": {"addresses": [{"address": n.ip, "type": "InternalIP"}, {"address": n.name, "type": "Hostname"}],
                                   "conditions": [{"type": "Ready", "status": "True"}]}})
    return out


def pods(lab):
    out = []
    for p in lab.pods:
        n = p["n"]
        ips = ["%s/%s" % (p["ip"], n.subnet.split("/")[1])]
        net = {"default": {"ip_addresses": ips, "mac_address": p["mac"], "gateway_ips": [n.gw],
                           "routes": [{"dest": lab.cluster, "nextHop": n.gw}, {"dest": lab.svc, "nextHop": n.gw},
                                      {"dest": lab.join, "nextHop": n.gw}], "ip_address": ips[0], "gateway_ip": n.gw, "role": "primary"}}
        default = p
        if p.get("udn"):
            default, udn = p["default"], p["net"]
            own = net.pop("default")
            gw = udn.gateway(n)
            ips = ["%s/%s" % (p["ip"], udn.subnets[n.name].split("/")[1])]
            net["default"] = dict(own, ip_addresses=["%s/%s" % (default["ip"], n.subnet.split("/")[1])], mac_address=default["mac"],
                                  ip_address="%s/%s" % (default["ip"], n.subnet.split("/")[1]), routes=[], role="infrastructure-locked")
            net[udn.key] = {"ip_addresses": ips, "mac_address": p["mac"], "gateway_ips": [gw], "routes": [{"dest": udn.cluster, "nextHop": gw}],
                                "ip_address": ips[0], "gateway_ip": gw, "tunnel_id": udn.id, "role": "primary"}
        more = attachments.annotations(lab, p, net)
        out.append({"apiVersion": "v1", "kind": "Pod", "metadata": meta(p["name"], p["ns"], uid=p["uid"], labels={"app": p["app"]},
                    annotations=dict(more, **{"k8s.ovn.org/pod-networks": json.dumps(net, separators=(",", ":"))})),
                    "spec": {"nodeName": p["node"], "containers": [{"name": "app", "ports": [{"containerPort": x} for x in p["ports"]]}]},
                    "status": {"phase": "Running", "hostIP": n.ip, "podIP": default["ip"], "podIPs": [{"ip": default["ip"]}] + ([{"ip": p["ip6"]}] if lab.v6 else [])}})
    return out


def svc(lab, s, etp=None):
    app = lab.pod(s["pods"][0])["app"] if s["pods"] else "none"
    spec = {"clusterIP": s["clusterip"], "clusterIPs": [s["clusterip"]], "type": "LoadBalancer" if s.get("vip") else "ClusterIP",
            "selector": {"app": app}, "internalTrafficPolicy": "Cluster",
            "ports": [dict({"name": "http", "protocol": "TCP", "port": s["port"], "targetPort": s["target_port"]},
                           **({"nodePort": s["nodeport"]} if s.get("nodeport") else {}))]}
    st = {"loadBalancer": {}}
    if s.get("vip"):
        spec["externalTrafficPolicy"] = etp or "Cluster"
        spec["allocateLoadBalancerNodePorts"] = True
        st = {"loadBalancer": {"ingress": [{"ip": s["vip"], "ipMode": "VIP"}]}}
    ann = {"metallb.universe.tf/address-pool": "egress-pool"} if s.get("vip") else {}
    o = {"apiVersion": "v1", "kind": "Service", "metadata": meta(s["name"], s["namespace"], annotations=ann, uid=lab.uuid("svc-" + s["name"] + s["namespace"])), "spec": spec, "status": st}
    es = {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
          "metadata": meta(s["name"] + "-x7k2p", s["namespace"], labels={"kubernetes.io/service-name": s["name"]}),
          "ports": [{"name": "http", "port": s["target_port"], "protocol": "TCP"}],
          "endpoints": [{"addresses": [lab.pod(x)["ip"]], "nodeName": lab.pod(x)["node"], "conditions": {"ready": True, "serving": True, "terminating": False},
                         "targetRef": {"kind": "Pod", "name": x, "namespace": lab.pod(x)["ns"]}} for x in s["pods"]]}
    return [o, es]


def eip(name, ns, mark, items):
    return {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressIP", "metadata": meta(name, annotations={"k8s.ovn.org/egressip-mark": str(mark)}),
            "spec": {"egressIPs": [i["ip"] for i in items], "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": ns}},
                     "podSelector": {}},
            "status": {"items": [{"egressIP": i["ip"], "node": i["node"]} for i in items]}}


def write(lab, scenario, out):
    os.makedirs(out, exist_ok=True)
    s = scenario or ""
    c = lab.c
    dump(out + "/nodes.yaml", lst(nodes(lab)))
    dump(out + "/pods.yaml", lst(pods(lab)))
    dump(out + "/namespaces.yaml", lst([{"apiVersion": "v1", "kind": "Namespace", "metadata": meta(x, labels={"kubernetes.io/metadata.name": x})}
                                        for x in sorted({p["ns"] for p in lab.pods})]))
    dump(out + "/network.config.yaml", {"apiVersion": "config.openshift.io/v1", "kind": "Network", "metadata": meta("cluster"),
         "spec": {"clusterNetwork": [{"cidr": lab.cluster, "hostPrefix": int(lab.nodes[0].subnet.split("/")[1])}], "networkType": "OVNKubernetes",
                  "serviceNetwork": [lab.svc]}})
    services, other = [], []
    if c.get("attachments"):
        dump(out + "/network-attachment-definitions.yaml", lst([attachments.definition(a) for a in attachments.of(lab)]))
    for tag, v in (lab.state.get("k8s") or {}).items():
        if tag in ("egressip_secondary", "egressip_primary"):
            e = dict(c[tag], **(v if isinstance(v, dict) else {}))
            items = e.get("items") or [{"ip": e["ip"], "node": e["node"]}]
            other.append(("egressips.yaml", eip(e["name"], e["namespace"], e["mark"], items)))
        elif tag.endswith("_service"):
            services += svc(lab, c[tag], v if isinstance(v, str) else None)
        elif tag.endswith(".yaml"):
            other.append((tag, v))
    if s == "egressip-secondary" or (s.startswith("neg-") and "primary" not in s):
        e = c["egressip_secondary"]
        other.append(("egressips.yaml", eip(e["name"], e["namespace"], e["mark"], [{"ip": e["ip"], "node": e["node"]}])))
        if s == "neg-networkpolicy-drop":
            other.append(("networkpolicies.yaml", {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": meta("deny-egress", e["namespace"]),
                          "spec": {"podSelector": {}, "policyTypes": ["Egress"]}}))
    if s in ("egressip-primary", "neg-primary-missing-nat"):
        e = c["egressip_primary"]
        other.append(("egressips.yaml", eip(e["name"], e["namespace"], e["mark"], e["items"])))
    if s == "egressservice":
        e = c["egressservice"]
        services += svc(lab, e)
        other.append(("egressservices.yaml", {"apiVersion": "k8s.ovn.org/v1", "kind": "EgressService", "metadata": meta(e["name"], e["namespace"]),
                      "spec": {"sourceIPBy": "LoadBalancerIP", "nodeSelector": {"matchLabels": {"node-role.kubernetes.io/master": ""}}},
                      "status": {"host": e["host"]}}))
    if s.startswith("metallb"):
        services += svc(lab, c["lb_service"], "Local" if "local" in s else "Cluster")
    if s == "plain-v6":
        o = svc(lab, dict(c["plain_service"], clusterip=lab.v6["clusterip"]))
        o[1]["addressType"] = "IPv6"
        for e, x in zip(o[1]["endpoints"], c["plain_service"]["pods"]):
            e["addresses"] = [lab.pod(x)["ip6"]]
        services += o
    elif s.startswith("plain"):
        services += svc(lab, c["plain_service"])
        if c.get("empty_service") and s == "plain":
            services += svc(lab, c["empty_service"])
    if s.startswith("external-gateway"):
        other.append(("adminpolicybasedexternalroutes.yaml", lst([{"apiVersion": "k8s.ovn.org/v1", "kind": "AdminPolicyBasedExternalRoute",
                      "metadata": meta(t["name"]), "spec": {"from": {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": t["namespace"]}}},
                      "nextHops": {"static": [{"ip": t["gw"]}]}}, "status": {"status": "Success"}} for t in c["apb"]])))
    if services:
        dump(out + "/services.yaml", lst([x for x in services if x["kind"] == "Service"]))
        dump(out + "/endpointslices.yaml", lst([x for x in services if x["kind"] == "EndpointSlice"]))
    for f, o in other:
        dump(os.path.join(out, f), o)
