// Who has made the interfaces of a pod besides the one on the default network.
#pragma once

#include <string>

#include "egtrace/cluster/objects.h"

namespace egt::cluster {

// The CNI plugin that has made a pod's interface of which OVN-Kubernetes says nothing; empty: it has itself.
std::string plugin_of(const Objects& objects, const PodAttachment& on);

}  // namespace egt::cluster
