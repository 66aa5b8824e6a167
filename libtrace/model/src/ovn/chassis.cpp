#include <algorithm>

#include "egtrace/ovn/ovn.h"

namespace egt::ovn {

const Chassis* own_chassis(const Ovn& ovn, std::string_view host) {
  const auto& all = ovn.chassis;
  const auto named = std::find_if(all.begin(), all.end(), [&](const Chassis& c) { return c.hostname == host; });
  if (named != all.end()) return &*named;
  const auto is_local = [](const Chassis& c) { return !c.is_remote; };
  return std::count_if(all.begin(), all.end(), is_local) == 1 ? &*std::find_if(all.begin(), all.end(), is_local) : nullptr;
}

}  // namespace egt::ovn
