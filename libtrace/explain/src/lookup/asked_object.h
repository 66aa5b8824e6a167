// A Kubernetes object that somebody asked for, with what dumps of nodes know it by.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "egtrace/base/ip.h"
#include "lookup/object_kinds.h"

namespace egt::explain {

struct AskedObject {
  std::optional<ObjectKind> kind;      // none: whatever has the name
  std::string name;                    // NAMESPACE/NAME, or NAME
  std::set<IpAddr> addresses = {};     // its own: of an EgressIP, of a service
  std::set<IpAddr> senders = {};       // of pods whose traffic it concerns: those that an EgressIP selects, the pod itself
  std::set<std::uint16_t> ports = {};  // node ports
  std::optional<std::uint32_t> mark = {};
};

// By what lines of dumps are theirs.
struct LineWords {
  std::set<IpAddr> addresses;
  std::set<std::uint16_t> ports;
  std::set<std::string> names;  // in comments
};

}  // namespace egt::explain
