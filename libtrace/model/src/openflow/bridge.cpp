#include "egtrace/openflow/bridge.h"

#include <algorithm>

namespace egt::openflow {

const Interface* Bridge::by_ofport(std::uint32_t n) const {
  const auto it = std::find_if(interfaces.begin(), interfaces.end(), [n](const Interface& i) { return i.ofport == n; });
  if (it != interfaces.end()) return &*it;
  if (n != port::local) return nullptr;
  const Interface* own = by_name(name);  // the port LOCAL carries the bridge's name
  return own && !own->ofport ? own : nullptr;
}

const Interface* Bridge::by_name(std::string_view n) const {
  const auto it = std::find_if(interfaces.begin(), interfaces.end(), [n](const Interface& i) { return i.name == n; });
  return it == interfaces.end() ? nullptr : &*it;
}

}  // namespace egt::openflow
