#include "egtrace/openflow/bridge.h"

#include <algorithm>
#include <utility>

namespace egt::openflow {
namespace {

constexpr std::size_t kFew = 32;  // interfaces that are gone through as quickly as looked up

void add_new(PortIndex& index, const std::vector<Interface>& interfaces) {
  for (; index.known < interfaces.size(); ++index.known) {
    const Interface& i = interfaces[index.known];
    index.by_name.emplace(i.name, index.known);
    if (i.ofport) index.by_ofport.emplace(*i.ofport, index.known);
  }
}

}  // namespace

std::string_view patch_peer(const Interface& port) {
  const auto peer = port.options.find("peer");
  return port.type == "patch" && peer != port.options.end() ? std::string_view(peer->second) : std::string_view();
}

void Bridge::index_ports() {
  ports = {};
  if (interfaces.size() > kFew) add_new(ports, interfaces);
}

const Interface* Bridge::by_ofport(std::uint32_t n) const {
  if (const auto found = ports.by_ofport.find(n); found != ports.by_ofport.end() && found->second < interfaces.size())
    if (const Interface& i = interfaces[found->second]; i.ofport == n) return &i;
  const auto it = std::find_if(interfaces.begin(), interfaces.end(), [n](const Interface& i) { return i.ofport == n; });
  if (it != interfaces.end()) return &*it;
  if (n != port::local) return nullptr;
  const Interface* own = by_name(name);  // the port LOCAL carries the bridge's name
  return own && !own->ofport ? own : nullptr;
}

const Interface* Bridge::by_name(std::string_view n) const {
  if (ports.known != 0 && ports.known == interfaces.size()) {
    const auto found = ports.by_name.find(std::string(n));
    if (found == ports.by_name.end()) return nullptr;
    if (interfaces[found->second].name == n) return &interfaces[found->second];
  }
  const auto it = std::find_if(interfaces.begin(), interfaces.end(), [n](const Interface& i) { return i.name == n; });
  return it == interfaces.end() ? nullptr : &*it;
}

// Called before each interface that is loaded.
Interface* Bridge::by_name(std::string_view n) {
  if (ports.known > interfaces.size()) ports = {};  // some went away since
  if (interfaces.size() > kFew) add_new(ports, interfaces);
  return const_cast<Interface*>(std::as_const(*this).by_name(n));
}

}  // namespace egt::openflow
