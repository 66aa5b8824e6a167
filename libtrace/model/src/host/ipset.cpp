#include "egtrace/host/ipset.h"

#include <algorithm>
#include <functional>

namespace egt::host {

void IpSet::settle() {
  std::stable_sort(members.begin(), members.end(), [](const IpSetMember& a, const IpSetMember& b) { return a.key < b.key; });
  for (std::size_t i = 0; i < parts.size() && i < kMostIpSetParts; ++i) {
    lengths[i].clear();
    if (parts[i] != IpSetPart::net) continue;
    std::set<std::uint8_t, std::greater<>> all;
    for (const IpSetMember& m : members) all.insert(m.key.length[i]);
    lengths[i].assign(all.begin(), all.end());
  }
}

}  // namespace egt::host
