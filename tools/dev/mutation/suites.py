"""Which tests are of which folder, from the quickest to the slowest: names of folders in tests/unit, and `golden`."""

# Tests of a folder, and those that try it along with others: what the walk does is seen in golden files and against real daemons.
SUITES = {
    "libtrace/engine": ["packet", "datapath", "openflow", "journey", "netfilter", "host_engine", "ovs", "explain", "golden"],
    "libtrace/explain": ["decode", "explain", "netfilter", "ovs", "frr", "ovn_lang", "render", "flows", "pcap", "golden"],
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
# With --oracles, for mutants that survived the others: minutes, real daemons, network namespaces.
ORACLES = {
    "libtrace/engine/src/host": ["host_oracle"],
    "libtrace/engine/src/ovn": ["ovn_oracle", "other_lab"],
    "libtrace/engine": ["ovs_oracle", "host_oracle", "ovn_oracle", "soundness", "other_lab"],
    "libtrace": ["soundness", "other_lab"],
    "parsers": ["snapshot_oracle", "soundness"],
}


def of(table, path):
    """The entry of the deepest folder that PATH is in."""
    folders = [folder for folder in table if path.startswith(folder + "/")]
    return table[max(folders, key=len)] if folders else []
