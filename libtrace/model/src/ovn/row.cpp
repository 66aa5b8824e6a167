#include <algorithm>

#include "egtrace/base/value_of.h"
#include "egtrace/ovn/row_view.h"

namespace egt::ovn {

std::string text_of(const Row& row, const std::string& column) {
  const auto it = row.columns.find(column);
  if (it == row.columns.end() || it->second == "[]" || it->second == "{}") return {};
  return it->second.starts_with('[') || it->second.starts_with('{') ? it->second : text_in(it->second);
}

std::string RowView::external_id(const std::string& key) const { return value_of(row_->external_ids, key); }

std::string_view RowView::printed(const char* column) const {
  const auto it = row_->columns.find(column);
  return it == row_->columns.end() ? std::string_view() : std::string_view(it->second);
}

const Chassis* own_chassis(const Ovn& ovn, std::string_view host) {
  const auto& all = ovn.chassis;
  const auto named = std::find_if(all.begin(), all.end(), [&](const Chassis& c) { return c.hostname == host; });
  if (named != all.end()) return &*named;
  const auto is_local = [](const Chassis& c) { return !c.is_remote; };
  return std::count_if(all.begin(), all.end(), is_local) == 1 ? &*std::find_if(all.begin(), all.end(), is_local) : nullptr;
}

}  // namespace egt::ovn
