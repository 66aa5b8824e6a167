#include "egtrace/cluster/objects.h"

#include <algorithm>

namespace egt::cluster {
namespace {

bool has_value_of(const LabelRequirement& r, const std::string& value) {
  return std::find(r.values.begin(), r.values.end(), value) != r.values.end();
}

// As Kubernetes does: NotIn and DoesNotExist hold for labels that are absent. An operator that nobody knows never holds.
bool holds(const LabelRequirement& r, const Labels& labels) {
  const auto it = labels.find(r.key);
  const bool exists = it != labels.end();
  if (r.op == "In") return exists && has_value_of(r, it->second);
  if (r.op == "NotIn") return !exists || !has_value_of(r, it->second);
  if (r.op == "Exists") return exists;
  if (r.op == "DoesNotExist") return !exists;
  return false;
}

}  // namespace

bool LabelSelector::matches(const Labels& l) const {
  if (!present) return false;
  for (const auto& [key, value] : match_labels) {
    const auto it = l.find(key);
    if (it == l.end() || it->second != value) return false;
  }
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const LabelRequirement& r) { return holds(r, l); });
}

}  // namespace egt::cluster
