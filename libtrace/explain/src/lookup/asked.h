// What is asked for: a term, and the Kubernetes objects that it names, with what dumps of nodes know them by.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "lookup/object_kinds.h"
#include "lookup/term.h"

namespace egt::explain {

struct AskedObject {
  std::optional<ObjectKind> kind;      // none: whatever has the name
  std::string name;                    // NAMESPACE/NAME, or NAME
  std::set<IpAddr> addresses = {};     // its own: of an EgressIP, of a service
  std::set<IpAddr> senders = {};       // of pods whose traffic it concerns: those that an EgressIP selects, the pod itself
  std::set<std::uint16_t> ports = {};  // node ports
  std::optional<std::uint32_t> mark = {};
};

struct Asked {
  const LookupTerm& term;
  std::vector<AskedObject> objects;
  std::set<std::string, std::less<>> dump_names;  // that dumps of nodes have for them

  bool is_called(std::string_view name) const { return (!term.kind && term.text == name) || dump_names.contains(name); }
};

}  // namespace egt::explain
