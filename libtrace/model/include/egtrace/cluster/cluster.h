// The snapshot as a model: every node with what is known of it, and the Kubernetes objects.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/cluster/inconsistency.h"
#include "egtrace/cluster/node_handle.h"
#include "egtrace/cluster/objects.h"
#include "egtrace/evidence/evidence.h"
#include "egtrace/host/host.h"
#include "egtrace/openflow/bridge.h"
#include "egtrace/openflow/datapath.h"
#include "egtrace/ovn/agreement.h"
#include "egtrace/ovn/ovn.h"

namespace egt::cluster {

enum class Role : std::uint8_t { cluster_node, router, gateway, server };

// One dump as `inspect` reports it.
struct DumpInfo {
  SourceId source = kNoSource;
  std::string path, kind, tool;  // kind: "ovs-ofctl dump-flows"; tool: version that printed it, where shown
  std::string node;
  std::uint32_t lines = 0, understood = 0, ignored = 0;
  std::vector<Provenance> not_understood;
  bool partial = false;
  std::int64_t time = 0;      // when it was printed, seconds since 1970, as archive or collector show it; 0: not shown
  std::string superseded_by;  // path of the dump of the same topic that was read instead; empty: this was read
};

// A cable that the user declares (egtrace.yaml), where MAC addresses and subnets do not show it.
struct DeclaredLink {
  std::string node_a, device_a, node_b, device_b;
  Provenance from;
};

// Packets that databases send out through a presumed host for an object that the snapshot does not explain: by which device they
// leave and with which source is not known.
struct OpenEgress {
  IpAddr source;       // of the pod
  std::string object;  // "EgressIP project-egressip"
  Provenance from;     // the policy that sends them there
};

// Another network namespace of a node than its own: a pod's, as a rule.
struct NetworkNamespace {
  std::string name;  // as `ip netns` has it
  host::Host host;
};

struct Node {
  std::string name;
  std::vector<Role> roles;
  host::Host host;
  std::vector<NetworkNamespace> namespaces;
  // No dump has the host's devices: what no dump shows of it is as OVN-Kubernetes would have set it up.
  bool host_presumed = false;
  std::shared_ptr<const host::Host> dumped_host;  // of a presumed one, what dumps show
  std::vector<OpenEgress> open_egress;            // of a presumed host
  std::vector<openflow::Bridge> bridges;
  ovn::Ovn ovn;
  // Of a compiled snapshot: what comparing OpenFlow flows with logical flows came to. The inner one is empty where the dumps do not
  // show it.
  std::optional<std::optional<ovn::Agreement>> agreement;
  std::optional<std::string> ovs_version;
  openflow::Datapath datapath;
  unsigned vlan_limit = 1;      // tags that Open vSwitch looks at (other_config:vlan-limit); 0: as many as it can
  bool offloads_flows = false;  // other_config:hw-offload: a network card may forward what the datapath would
  // Rows of the Open_vSwitch database (Bridge, Port, Interface, Open_vSwitch, …) as `ovs-vsctl list` prints them.
  ovn::Rows ovs_rows;
  // Interfaces of which no dump showed the bridge so far; place_interfaces() moves them when a bridge names them.
  std::vector<openflow::Interface> unplaced_interfaces;
  std::vector<Inconsistency> inconsistencies;
  std::vector<std::size_t> dumps;  // indices into Cluster::dumps

  const openflow::Bridge* bridge(std::string_view name) const;
  openflow::Bridge* bridge(std::string_view name);
  // The bridge that ovn-controller programs, whatever its name (external_ids:ovn-bridge of Open_vSwitch): it has the ports
  // of pods and the tunnels, and of several such the most flows. Null where no bridge has either.
  const openflow::Bridge* integration_bridge() const;
  // Whether its switch forwards packets itself (datapath_type=netdev): connections and tunnels are then not those of the kernel.
  bool has_userspace_datapath() const;
  // The bridge that has a port of this name, and that port; null when no bridge has.
  struct PortPlace {
    const openflow::Bridge* bridge = nullptr;
    const openflow::Interface* port = nullptr;
  };
  PortPlace port(std::string_view interface_name) const;
  // The only namespace with that address on a device; null where none or several have it.
  const NetworkNamespace* namespace_of(const IpAddr& address) const;
  // Gives what is known of unplaced interfaces to the bridges that have ports of their names. To be called once all
  // dumps are loaded; calling it more often does no harm.
  void place_interfaces();
};

// Adds to `known` what `more` shows about the same interface; what is known already stays, and is disputed where `more`
// shows otherwise.
void merge_interface(openflow::Interface& known, const openflow::Interface& more);

class Cluster {
 public:
  Cluster() = default;
  Cluster(Cluster&& other) noexcept;
  Cluster& operator=(Cluster&& other) noexcept;
  ~Cluster() = default;

  std::vector<NodeHandle> nodes;  // by name
  Objects objects;
  std::shared_ptr<SourceTable> sources = std::make_shared<SourceTable>();
  std::vector<DumpInfo> dumps;
  std::vector<DeclaredLink> declared_links;
  std::vector<Diagnostic> diagnostics;

  Node* node(std::string_view name);
  const Node* node(std::string_view name) const;
  Node& ensure_node(const std::string& name);             // keeps `nodes` sorted
  const NodeHandle* handle(std::string_view name) const;  // without reading it
  const Node* owner_of(const IpAddr& address) const;      // the node that has this address on a device
  // The same with these nodes only, all of them read. It shares them, so that this cluster must outlive it.
  Cluster part(const std::set<std::string>& names) const;
  // Where the cluster is, for readers of its nodes; follows it when it is moved.
  const std::shared_ptr<Cluster*>& place();

 private:
  std::shared_ptr<Cluster*> place_;
};

}  // namespace egt::cluster
