"""The hybrid overlay, by which OVN-Kubernetes reaches nodes that run Windows (hybrid-overlay/pkg/controller/ovn_node_linux.go, pkg/ovn/hybrid.go): a port
on each node's switch that leads to bridge br-ext, which sends in VXLAN 4097. The Windows node itself is an object alone."""
from labcore import *

VNI = 4097


def of_node(lab, n):
    h = lab.c["hybrid"]
    dr = nth(n.subnet, 3)
    mac, port, sw = ip_mac(dr), "int-" + n.name, n.name
    n.nb("lsp-add", sw, port, "--", "lsp-set-addresses", port, mac)
    match = 'inport == "rtos-%s" && ip4.dst == %s' % (sw, h["cidr"])
    n.nb("lr-policy-add", "ovn_cluster_router", "1002", match, "reroute", dr)
    n.nb("create", "static_mac_binding", "logical_port=rtos-" + sw, "ip=" + dr, 'mac="%s"' % mac, "override_dynamic_mac=true")
    n.nb("lr-route-add", "ovn_cluster_router", h["cidr"], dr, "--", "lr-route-add", n.gr, h["cidr"], nth(lab.join, 1))
    n.vs("add-br", "br-ext", "--", "set", "bridge", "br-ext", "fail_mode=secure", "datapath_type=netdev")
    n.vs("add-port", "br-int", "int", "--", "set", "interface", "int", "type=patch", "options:peer=ext", "external_ids:iface-id=" + port,
         "--", "add-port", "br-ext", "ext", "--", "set", "interface", "ext", "type=patch", "options:peer=int",
         "--", "add-port", "br-ext", "ext-vxlan", "--", "set", "interface", "ext-vxlan", "type=vxlan", "options:remote_ip=flow", "options:key=flow",
         "options:dst_port=4789")
    ext, vxlan = n.ofport("ext"), n.ofport("ext-vxlan")
    flows = ["table=%d,priority=0,actions=drop" % t for t in (0, 1, 2, 10, 20)]
    flows.append("cookie=0x5a,table=0,priority=100,ip,nw_dst=%s,actions=load:%d->NXM_NX_TUN_ID[0..31],set_field:%s->tun_dst,set_field:%s->eth_dst,output:%s" % (
        h["subnet"], VNI, h["ip"], h["mac"], vxlan))
    flows.append("table=0,priority=100,in_port=%s,ip,nw_dst=%s,dl_dst=%s,actions=goto_table:10" % (vxlan, n.subnet, mac))
    for p in lab.default_ports():
        if p["n"] is n:
            flows.append("table=10,priority=100,ip,nw_dst=%s,actions=set_field:%s->eth_src,set_field:%s->eth_dst,output:%s" % (p["ip"], mac, p["mac"], ext))
    for flow in flows:
        n.run("ovs-ofctl", "add-flow", "br-ext", flow)


def objects(lab):
    h = lab.c["hybrid"]
    lab.plan["k8s"]["windows.yaml"] = {"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": h["name"], "labels": {"kubernetes.io/os": "windows"}, "annotations": {
            "k8s.ovn.org/hybrid-overlay-node-subnet": h["subnet"], "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac": h["mac"]}},
         "status": {"addresses": [{"type": "InternalIP", "address": h["ip"]}], "conditions": [{"type": "Ready", "status": "True"}]}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "iis-0", "namespace": lab.c["other_namespace"]}, "spec": {"nodeName": h["name"]},
         "status": {"phase": "Running", "podIP": h["pod"], "hostIP": h["ip"]}}]}
