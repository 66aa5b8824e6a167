#include <algorithm>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "inconsistencies.h"

namespace egt::cluster {
namespace {

using About = Inconsistency::About;

// Whether the object shows an address, be it in an annotation or in its status, of a family of which the port has
// others.
bool differs(const Pod& pod, std::string_view addresses) {
  std::vector<IpAddr> shown;
  for (const std::string_view text : split(addresses, ','))
    if (const auto p = Prefix::parse(trim(text))) shown.push_back(p->address);
  return std::any_of(pod.addresses.begin(), pod.addresses.end(), [&](const Prefix& p) {
    const bool shows = std::any_of(shown.begin(), shown.end(), [&](const IpAddr& a) { return a.family == p.address.family; });
    return shows && std::find(shown.begin(), shown.end(), p.address) == shown.end();
  });
}

}  // namespace

// OVN-Kubernetes writes a pod's addresses into the external_ids of its port, too.
void look_at_pods(const Objects& objects, Node& node) {
  for (const openflow::Bridge& bridge : node.bridges)
    for (const openflow::Interface& port : bridge.interfaces) {
      const auto id = port.external_ids.find("iface-id"), shown = port.external_ids.find("ip_addresses");
      if (id == port.external_ids.end() || shown == port.external_ids.end()) continue;
      const std::size_t cut = id->second.find('_');  // of NAMESPACE_POD; neither part can hold one
      if (cut == std::string::npos) continue;
      const Pod* pod = objects.pods.find(id->second.substr(0, cut), id->second.substr(cut + 1));
      if (pod != nullptr && differs(*pod, shown->second))
        add_inconsistency(node, {About::port, port.name, std::nullopt, Conflict::pod_addresses, {pod->full_name(), port.name}});
    }
}

}  // namespace egt::cluster
