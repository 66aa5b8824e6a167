#include "egtrace/host/host.h"

#include <algorithm>

#include "egtrace/base/text.h"

namespace egt::host {

bool LinkFlags::has(std::string_view flag) const {
  for (std::string_view rest = list; !rest.empty();)
    if (take_until(rest, ',') == flag) return true;
  return false;
}

// A dump without flags (ip -o addr) does not show it; the link is then taken to be up.
bool Link::is_up() const { return flags.empty() || flags.has("UP"); }

bool Link::has_carrier() const { return flags.empty() || (flags.has("LOWER_UP") && !flags.has("NO-CARRIER")); }

bool Link::may_drop_queued() const {
  static constexpr std::string_view kPlain[] = {"",   "noqueue",  "noop",   "mq",    "pfifo_fast", "pfifo", "bfifo",
                                                "fq", "fq_codel", "fq_pie", "codel", "cake",       "sfq",   "mqprio"};
  return std::find(std::begin(kPlain), std::end(kPlain), queue) == std::end(kPlain);
}

const Link* Host::link(std::string_view name) const {
  for (const Link& l : links.value)
    if (l.name == name) return &l;
  return nullptr;
}

const Link* Host::owner_of(const IpAddr& a) const {
  for (const Link& l : links.value)
    for (const Address& own : l.addresses)
      if (own.prefix.address == a) return &l;
  return nullptr;
}

const SysctlValue* Host::sysctl_value(const std::string& key) const {
  const auto found = sysctl.value.find(key);
  return found == sysctl.value.end() ? nullptr : &found->second;
}

}  // namespace egt::host
