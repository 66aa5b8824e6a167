#include "kube/extract.h"

#include <nlohmann/json.hpp>

#include "kube/kinds.h"

namespace egt::parsers::kube {
namespace {

const UsedKind* used_kind(std::string_view kind, const std::string& version) {
  for (const auto kinds : {node_kinds(), service_kinds(), egress_kinds(), network_kinds(), policy_kinds()})
    for (const UsedKind& used : kinds)
      if (kind == used.kind && (version.empty() || version.starts_with(used.group))) return &used;
  return nullptr;
}

}  // namespace

bool is_used_kind(std::string_view kind) { return used_kind(kind, "") != nullptr; }

bool extract(const Json& object, Provenance from, cluster::Objects& objects) {
  const UsedKind* used = used_kind(text(object, "kind"), text(object, "apiVersion"));
  const Json& metadata = at(object, "metadata");
  const cluster::Object id{used != nullptr && used->namespaced ? text(metadata, "namespace") : "", text(metadata, "name"), from};
  if (used == nullptr || id.name.empty()) return false;
  used->add(object, id, objects);
  return true;
}

}  // namespace egt::parsers::kube
