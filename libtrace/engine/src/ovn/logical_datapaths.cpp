#include "egtrace/engine/logical_datapaths.h"

#include <algorithm>

#include "egtrace/base/value_of.h"
#include "ovn/uuid_names.h"

namespace egt::engine {

LogicalDatapaths::LogicalDatapaths(const std::vector<ovn::sb::DatapathBinding>& rows, bool friendly_names) {
  for (const ovn::sb::DatapathBinding& row : rows) {
    auto d = std::make_unique<LogicalDatapath>();
    d->row = &row;
    d->northbound = row.northbound.value_or(row.uuid);
    d->key = row.tunnel_key;
    d->name = value_of(row.external_ids, "name");
    if (d->name.empty()) d->name = d->northbound.to_string();
    d->alias = value_of(row.external_ids, "name2");
    d->friendly = friendly_names ? shortened(d->alias.empty() ? d->name : d->alias) : d->northbound.to_string();
    by_uuid_.emplace(row.uuid.low ^ row.uuid.high, d.get());
    all_.push_back(std::move(d));
  }
}

LogicalDatapaths::Found LogicalDatapaths::find(std::string_view name) const {
  for (const auto& d : all_)
    if (d->name == name || (!d->alias.empty() && d->alias == name)) return {d.get(), false};
  const LogicalDatapath* found = nullptr;
  for (const auto& d : all_) {
    if (partial_match(d->row->uuid, name) < kFewestDigits && partial_match(d->northbound, name) < kFewestDigits) continue;
    if (found) return {nullptr, true};
    found = d.get();
  }
  return {found, false};
}

const LogicalDatapath* LogicalDatapaths::with_key(std::uint32_t tunnel_key) const {
  const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& d) { return d->key == tunnel_key; });
  return found == all_.end() ? nullptr : found->get();
}

LogicalDatapath* LogicalDatapaths::with_uuid(const ovn::Uuid& uuid) const {
  const auto it = by_uuid_.find(uuid.low ^ uuid.high);
  return it == by_uuid_.end() ? nullptr : it->second;
}

}  // namespace egt::engine
