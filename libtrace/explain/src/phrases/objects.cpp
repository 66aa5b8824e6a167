// Objects that rows of OVN's databases were made for.
#include <fmt/format.h>

#include "egtrace/explain/explanation.h"

namespace egt::explain {
namespace {

// Kinds that a sentence has as words of its own.
std::string in_words(const std::string& kind) { return kind == "Node" ? "node" : kind; }

std::string named(const ObjectRef& o) {
  // Owners of rows that are no objects (go-controller/pkg/ovn/udn_isolation.go).
  if (o.kind == "AdvertisedNetwork") return "isolation between advertised networks";
  if (o.kind == "UDNIsolation") return fmt::format("isolation of user-defined networks ({})", o.name);
  switch (o.part) {
    case ObjectRef::Part::whole: return o.kind.empty() ? o.name : fmt::format("{} {}", in_words(o.kind), o.name);
    case ObjectRef::Part::default_deny: return fmt::format("default deny of the NetworkPolicies in namespace {}", o.name);
    case ObjectRef::Part::defaults: return fmt::format("default of the NetworkPolicies in namespace {}", o.name);
    case ObjectRef::Part::own_node: return fmt::format("node {}, which may always reach its pods", o.name);
    case ObjectRef::Part::of_namespace: return fmt::format("{} of namespace {}", o.kind, o.name);
  }
  return {};
}

}  // namespace

std::string to_text(const ObjectRef& o) {
  std::string text = named(o);
  if (!o.direction.empty()) text += ", " + o.direction;
  if (!o.rule.empty()) text += ", rule " + o.rule;
  if (!o.type.empty()) text += ", " + o.type;
  if (!o.pod.empty()) text += fmt::format("{}pod {}", text.empty() ? "" : " for ", o.pod);
  return text;
}

}  // namespace egt::explain
