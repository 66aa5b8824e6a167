// What the model keeps of a Kubernetes object. Values of the wrong type count as absent: a snapshot may hold anything.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "egtrace/cluster/objects.h"

namespace egt::parsers::kube {

// Adds the object; false when it is of a kind that is not used. An object that is there already (same kind, namespace
// and name) stays as it is.
bool extract(const nlohmann::json& object, Provenance from, cluster::Objects& objects);

// Whether `extract` keeps anything of objects of this kind.
bool is_used_kind(std::string_view kind);

}  // namespace egt::parsers::kube
