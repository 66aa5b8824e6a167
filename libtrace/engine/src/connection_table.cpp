#include "connection_table.h"

#include <optional>

#include "egtrace/base/text.h"

namespace egt::engine {
namespace {

std::optional<std::uint64_t> number_of(const host::SysctlValue* setting) {
  return setting != nullptr ? parse_u64(trim(setting->value)) : std::nullopt;
}

}  // namespace

void note_full_connection_table(const cluster::Node& node, Record& record) {
  const host::SysctlValue* have = node.host.sysctl_value("net.netfilter.nf_conntrack_count");
  const host::SysctlValue* most = node.host.sysctl_value("net.netfilter.nf_conntrack_max");
  if (most == nullptr) most = node.host.sysctl_value("net.nf_conntrack_max");
  const auto count = number_of(have), limit = number_of(most);
  if (!count || !limit || *limit == 0 || *count < *limit) return;  // 0: no limit
  record.assume({Supposition::connection_table_has_room, {node.name}, {*count, *limit}, {have->from, most->from}});
}

}  // namespace egt::engine
