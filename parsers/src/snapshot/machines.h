// Which machine a dump belongs to, and what that machine is called.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "egtrace/cluster/objects.h"
#include "snapshot/examine.h"

namespace egt::parsers {

struct Machine {
  std::string name;  // empty: only the dumps' facts can show it
  std::vector<Candidate*> dumps;
  std::map<std::string, std::vector<Candidate*>> namespaces;  // dumps of network namespaces other than its own
};

// Sorts the dumps of machines (not Kubernetes objects) by machine, in order of their names; the nameless one is last.
// Looks at folders, support archives, prompts, pods and the user's settings, in this order of weight: the user, the
// sosreport, the pod whose database it is, the folder, the prompt. A folder whose own folders call themselves differently
// (`hostname`, the switch's database) or have no address in common is no machine but holds several; one that is named like
// no node of the cluster while its `hostname` is, has that name. A switch's database that names another machine of the
// snapshot is that machine's, unless the user says otherwise. Dumps that belong to no machine or to an older
// report of the same machine get a note and are left out; those of a network namespace, but for addresses and sockets, too.
std::vector<Machine> sort_by_machine(std::vector<Candidate>& candidates, const SnapshotSettings& settings,
                                     const cluster::Objects& objects);

// "sosreport-worker-0-2026-03-01-abcdefg" → "worker-0"; empty when the folder is not named so.
std::string host_of_report(std::string_view folder);

}  // namespace egt::parsers
