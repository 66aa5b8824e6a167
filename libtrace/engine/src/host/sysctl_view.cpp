#include "sysctl_view.h"

#include <algorithm>
#include <utility>

#include "egtrace/base/text.h"

namespace egt::engine {
namespace {

constexpr int kLargestValue = 1 << 20;

std::string conf_key(Family family, std::string_view device, std::string_view name) {
  std::string key;
  const std::string_view start = family == Family::v4 ? "net.ipv4.conf." : "net.ipv6.conf.";
  key.reserve(start.size() + device.size() + 1 + name.size());
  return key.append(start).append(device).append(1, '.').append(name);
}

const host::SysctlValue* find(const host::Host& host, const std::string& key) {
  if (const auto* v = host.sysctl_value(key)) return v;
  // Device names with dots ("eth0.100") are printed with '/' in their place by sysctl -a.
  constexpr std::string_view kConf = ".conf.";
  const std::size_t start = key.find(kConf);
  const std::size_t end = key.rfind('.');
  if (start == std::string::npos || end <= start + kConf.size()) return nullptr;
  std::string slashed = key;
  std::replace(slashed.begin() + static_cast<std::ptrdiff_t>(start + kConf.size()),
               slashed.begin() + static_cast<std::ptrdiff_t>(end), '.', '/');
  return slashed == key ? nullptr : host.sysctl_value(slashed);
}

}  // namespace

Setting plain_setting(const host::Host& host, std::string key) {
  Setting s;
  const host::SysctlValue* v = find(host, key);
  s.key = std::move(key);
  if (v == nullptr) return s;
  const auto number = parse_decimal(trim(v->value));
  if (number && *number <= kLargestValue) s.value = static_cast<int>(*number);
  s.evidence.push_back(v->from);
  return s;
}

Setting device_setting(const host::Host& host, Family family, std::string_view device, std::string_view name) {
  return plain_setting(host, conf_key(family, device, name));
}

Setting larger_setting(const host::Host& host, std::string_view device, std::string_view name, int most) {
  Setting all = device_setting(host, Family::v4, "all", name);
  Setting own = device_setting(host, Family::v4, device, name);
  Setting s;
  s.key = std::move(own.value ? all.key : own.key);
  s.evidence = std::move(all.evidence);
  s.evidence.insert(s.evidence.end(), own.evidence.begin(), own.evidence.end());
  const int known = std::max(all.value.value_or(0), own.value.value_or(0));
  if ((all.value && own.value) || known >= most) s.value = known;
  return s;
}

Setting either_setting(const host::Host& host, std::string_view device, std::string_view name) {
  Setting s = larger_setting(host, device, name, 1);
  if (s.value) s.value = *s.value != 0 ? 1 : 0;
  return s;
}

bool ignores_linkdown(const host::Host& host, Family family, std::string_view device) {
  return device_setting(host, family, device, "ignore_routes_with_linkdown").value.value_or(0) != 0;
}

Setting tcp_loose_setting(const host::Host& host) { return plain_setting(host, "net.netfilter.nf_conntrack_tcp_loose"); }

std::optional<bool> tcp_loose(const host::Host& host) {
  const auto value = tcp_loose_setting(host).value;
  return value ? std::optional(*value != 0) : std::nullopt;
}

}  // namespace egt::engine
