"""Scenarios of nodes without iptables: services of every kind, egress addresses, and an upgrade that stopped half-way."""
import features
import nftonly
import scenarios
from faults import fault
from scenarios import SERVER, case, host, pod

SET = ("inet", "ovn-kubernetes")


def outside_to_service(lab, s, n=3):
    out = scenarios.vip_cases(lab, s, n, "through the host's nft chains")
    return out + [case("nodeport-" + m.name, "external server to a NodePort of " + m.name, SERVER, "tcp", m.ip, s["nodeport"]) for m in lab.nodes]


def hosts_to_service(lab, s):
    return [case("host-clusterip-" + m.name, "host network of %s to the ClusterIP" % m.name, host(m.name), "tcp", s["clusterip"], s["port"]) for m in lab.nodes] + [
        case("host-vip-" + m.name, "host network of %s to the VIP" % m.name, host(m.name), "tcp", s["vip"], s["port"]) for m in lab.nodes[:2]]


def objects(lab, policy="Cluster"):
    lab.plan["k8s"]["lb_service"] = policy
    return lab.c["lb_service"]


@fault("nft-services-cluster", "LoadBalancer and NodePort, externalTrafficPolicy Cluster, local gateway mode, nft chains alone", "nft-only", healthy=True)
def services_cluster(lab):
    s = objects(lab)
    features.local_gateway(lab, s)
    features.service(lab, s, gateway="local")
    return outside_to_service(lab, s) + hosts_to_service(lab, s) + scenarios.to_server(lab, [("any", lab.pods[0]["name"])], "masqueraded by the host", udp=False)


@fault("nft-services-local", "LoadBalancer and NodePort, externalTrafficPolicy Local, local gateway mode, nft chains alone", "nft-only", healthy=True)
def services_local(lab):
    s = objects(lab, "Local")
    features.local_gateway(lab, s)
    features.service(lab, s, etp_local=True, gateway="local")
    return outside_to_service(lab, s)


@fault("nft-services-shared", "LoadBalancer and NodePort, externalTrafficPolicy Cluster, shared gateway mode, nft chains alone", "nft-only", healthy=True)
def services_shared(lab):
    s = objects(lab)
    features.service(lab, s, gateway="shared")
    return outside_to_service(lab, s) + hosts_to_service(lab, s)


@fault("nft-services-no-nodeport", "LoadBalancer without NodePorts, externalTrafficPolicy Local: numgen over the endpoints of the node", "nft-only", healthy=True)
def services_no_nodeport(lab):
    s = lab.c["lb_service"]
    lab.plan["k8s"]["lb_service"] = "Local"
    features.local_gateway(lab, s)
    features.service(lab, dict(s, nodeport=0), gateway="local", advertise_on=[lab.node(n) for n in {lab.pod(p)["node"] for p in s["pods"]}])
    for n in lab.nodes:
        nftonly.no_nodeport(lab, n, s, [lab.pod(p)["ip"] for p in s["pods"] if lab.pod(p)["n"] is n])
    return scenarios.vip_cases(lab, s, 4, "numgen over the endpoints of the node")


@fault("nft-services-internal-local", "internalTrafficPolicy Local: redirected and marked connections of hosts", "nft-only", healthy=True)
def services_internal(lab):
    s = objects(lab)
    features.service(lab, s, gateway="shared")
    a, b = lab.nodes[:2]
    nftonly.element(lab, a, "itp-services-to-redirect-v4", "%s . tcp . %d" % (s["clusterip"], s["port"]), "9100")
    nftonly.element(lab, b, "itp-services-to-mark-v4", "%s . tcp . %d" % (s["clusterip"], s["port"]))
    return hosts_to_service(lab, s)[:len(lab.nodes)]


@fault("nft-service-missing-on-node", "one node lacks the service's elements", "nft-only")
def service_missing(lab):
    s = objects(lab)
    features.local_gateway(lab, s)
    features.service(lab, s, gateway="local")
    n = lab.node(s["no_endpoint_node"])
    n.run("nft", "delete", "element", *SET, "external-ips-v4", "{ %s . tcp . %d }" % (s["vip"], s["port"]))
    n.run("nft", "delete", "element", *SET, "nodeports-v4", "{ tcp . %d }" % s["nodeport"])
    scenarios.force_route(lab, s["vip"] + "/32", n)
    return scenarios.vip_cases(lab, s, 2, "forced to a node that lacks the elements") + [
        case("nodeport-" + m.name, "external server to a NodePort of " + m.name, SERVER, "tcp", m.ip, s["nodeport"]) for m in lab.nodes]


@fault("nft-upgrade-half-done", "chains of iptables are left over beside those of nft, with an older address of the service", "nft-only")
def half_done(lab):
    s = objects(lab)
    features.local_gateway(lab, s)
    features.service(lab, s, gateway="local")
    for n in lab.nodes[:1]:
        nftonly.left_over_iptables(lab, n, dict(s, clusterip=lab.c["old_clusterip"]))
    return [case("nodeport-" + m.name, "external server to a NodePort of " + m.name, SERVER, "tcp", m.ip, s["nodeport"]) for m in lab.nodes]


@fault("nft-egressip-snat-missing", "the map of egress IPs lacks a pod on the egress node", "nft-only")
def snat_missing(lab):
    e = lab.c["egressip_secondary"]
    lab.plan["k8s"]["egressip_secondary"] = True
    features.egressip_secondary(lab)
    eg = lab.node(e["node"])
    eg.run("nft", "delete", "element", *SET, "egress-ip-snat-v4", '{ %s . "%s" }' % (lab.pod(e["local"])["ip"], eg.aux_if))
    return scenarios.eip_sec_cases(lab, few=True)
