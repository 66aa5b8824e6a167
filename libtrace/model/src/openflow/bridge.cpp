#include "egtrace/openflow/bridge.h"

#include <algorithm>
#include <utility>

namespace egt::openflow {
namespace {

constexpr std::size_t kFew = 32;   // interfaces that are gone through as quickly as looked up

const PortIndex& brought_up_to_date(PortIndex& index, const std::vector<Interface>& interfaces) {
  if (index.known > interfaces.size()) index = {};
  for (; index.known < interfaces.size(); ++index.known) {
    const Interface& i = interfaces[index.known];
    index.by_name.emplace(i.name, index.known);
    if (i.ofport) index.by_ofport.emplace(*i.ofport, index.known);
  }
  return index;
}

}  // namespace

const Interface* Bridge::by_ofport(std::uint32_t n) const {
  if (interfaces.size() > kFew) {
    const PortIndex& index = brought_up_to_date(ports, interfaces);
    const auto found = index.by_ofport.find(n);
    if (found != index.by_ofport.end() && interfaces[found->second].ofport == n) return &interfaces[found->second];
  }
  const auto it = std::find_if(interfaces.begin(), interfaces.end(), [n](const Interface& i) { return i.ofport == n; });
  if (it != interfaces.end()) return &*it;
  if (n != port::local) return nullptr;
  const Interface* own = by_name(name);  // the port LOCAL carries the bridge's name
  return own && !own->ofport ? own : nullptr;
}

const Interface* Bridge::by_name(std::string_view n) const {
  if (interfaces.size() > kFew) {
    const std::string wanted(n);
    auto found = brought_up_to_date(ports, interfaces).by_name.find(wanted);
    if (found != ports.by_name.end() && interfaces[found->second].name != n) {   // some went away since
      ports = {};
      found = brought_up_to_date(ports, interfaces).by_name.find(wanted);
    }
    return found == ports.by_name.end() ? nullptr : &interfaces[found->second];
  }
  const auto it = std::find_if(interfaces.begin(), interfaces.end(), [n](const Interface& i) { return i.name == n; });
  return it == interfaces.end() ? nullptr : &*it;
}

Interface* Bridge::by_name(std::string_view n) { return const_cast<Interface*>(std::as_const(*this).by_name(n)); }

}  // namespace egt::openflow
