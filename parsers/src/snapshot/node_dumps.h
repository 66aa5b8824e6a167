// Which node a dump belongs to, and what that node is called.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "egtrace/cluster/objects.h"
#include "snapshot/examine.h"

namespace egt::parsers {

struct NodeDumps {
  std::string name;  // empty: only the dumps' facts can show it
  std::vector<Candidate*> dumps;
  std::map<std::string, std::vector<Candidate*>> namespaces;  // dumps of network namespaces other than its own
};

// Sorts the dumps of nodes (not Kubernetes objects) by node, in order of their names; the nameless one is last.
// Looks at folders, support archives, prompts, pods and the user's settings, in this order of weight: the user, the
// sosreport, the pod whose database it is, the folder, the prompt. A folder whose own folders call themselves differently
// (`hostname`, the switch's database) or have no address in common is no node but holds several; one that is named like
// no node of the cluster while its `hostname` is, has that name. A switch's database that names another node of the
// snapshot is that node's, unless the user says otherwise. Dumps that belong to no node or to an older
// report of the same node get a note and are left out; those of a network namespace, but for addresses and sockets, too.
std::vector<NodeDumps> sort_by_node(std::vector<Candidate>& candidates, const SnapshotSettings& settings,
                                    const cluster::Objects& objects);

// "sosreport-worker-0-2026-03-01-abcdefg" → "worker-0"; empty when the folder is not named so.
std::string host_of_report(std::string_view folder);

}  // namespace egt::parsers
