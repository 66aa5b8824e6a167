"""Which tests are of which folder: names of folders in tests/unit, and `golden`."""

# Tests of a folder, and those that try it along with others: what the walk does is seen in golden files and against real daemons.
SUITES = {
    "libtrace/engine": ["packet", "datapath", "openflow", "journey", "netfilter", "host_engine", "ovs", "golden"],
    "libtrace/engine/src/ovn": ["ovn_text", "ovn_lang", "changed_tree", "ovn_oracle", "golden"],
    "libtrace/engine/src/ovn_controller": ["journey", "ovs", "golden"],
    "libtrace/explain": ["decode", "explain", "netfilter", "ovs", "frr", "ovn_lang", "render", "flows", "golden"],
    "libtrace/assess": ["assess", "golden"],
    "parsers/src/expectations": ["assess", "golden"],
    "parsers/src/flow_filter": ["flows", "golden"],
    "parsers/src/frr": ["frr", "golden"],
    "parsers/src/iproute2": ["iproute2", "golden"],
    "parsers/src/iptables": ["iptables", "netfilter", "golden"],
    "parsers/src/kernel_events": ["system", "decode", "golden"],
    "parsers/src/kube": ["kube", "golden"],
    "parsers/src/nft": ["nft", "netfilter", "golden"],
    "parsers/src/ovn": ["ovn_text", "changed_tree", "ovn_lang", "golden"],
    "parsers/src/ovn_lang": ["ovn_lang", "golden"],
    "parsers/src/ovs_appctl": ["ovs", "ovs_ofctl", "golden"],
    "parsers/src/ovs_ofctl": ["openflow", "ovs_ofctl", "flows", "golden"],
    "parsers/src/ovsdb": ["ovs", "ovsdb", "golden"],
    "parsers/src/pcap": ["pcap", "golden"],
    "parsers/src/presumed": ["kube", "explain", "assess", "golden"],
    "parsers/src/secrets": ["secrets", "snapshot"],
    "parsers/src/snapshot": ["snapshot", "files", "golden"],
    "parsers/src": ["system", "snapshot", "files", "golden"],
}
# With --slow, for mutants that survived the others: real daemons, network namespaces, many runs of the program.
SLOW = {
    "libtrace/engine/src/host": ["explain", "host_oracle", "soundness"],
    "libtrace/engine/src/openflow": ["explain", "ovs_oracle", "soundness"],
    "libtrace/engine/src/ovn": ["explain", "other_lab", "soundness"],
    "libtrace/engine": ["explain", "ovs_oracle", "host_oracle", "soundness", "other_lab"],
    "libtrace": ["pcap", "flows", "assess", "soundness", "other_lab"],
    "parsers": ["snapshot_oracle", "soundness"],
}


def of(table, path):
    """The entry of the deepest folder that PATH is in."""
    folders = [folder for folder in table if path.startswith(folder + "/")]
    return table[max(folders, key=len)] if folders else []
