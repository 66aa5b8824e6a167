#include "egtrace/engine/load_balancer_vips.h"

#include <algorithm>

#include "egtrace/base/text.h"
#include "egtrace/base/value_of.h"
#include "openflow/hash.h"
#include "ovn/client_order.h"

namespace egt::engine {

LoadBalancerVips::LoadBalancerVips(const std::vector<ovn::sb::LoadBalancer>& rows) : rows_(rows) {
  for (const ovn::sb::LoadBalancer* b : at_client(rows)) {
    std::vector<std::string_view> keys;
    std::vector<std::uint32_t> hashes;
    for (const auto& [key, backends] : b->vips) {
      keys.push_back(key);
      hashes.push_back(ofproto::hash_string(key));
    }
    for (const std::uint32_t i : order_in_hash_table(hashes)) {
      const std::string_view key = keys[i];
      const bool bracket = key.starts_with('[');
      const std::size_t end = bracket ? key.find(']') : key.find(':') == key.rfind(':') ? key.find(':') : std::string_view::npos;
      const std::string_view host = bracket ? key.substr(1, end - 1) : key.substr(0, end);
      const auto ip = IpAddr::parse(host);
      if (!ip) continue;
      const std::size_t colon = end == std::string_view::npos ? end : key.find(':', end);
      const auto port = colon == std::string_view::npos ? std::optional<std::uint64_t>(0) : parse_decimal(key.substr(colon + 1));
      first_.emplace(*ip, vips_.size());
      vips_.push_back({*ip, static_cast<std::uint16_t>(port.value_or(0)), std::string(host)});
    }
  }
}

std::optional<LoadBalancerVips::Vip> LoadBalancerVips::find(std::uint32_t ipv4, U128 ipv6) const {
  const auto v4 = first_.find(IpAddr::v4(ipv4)), v6 = first_.find(IpAddr::v6(ipv6));
  std::size_t first = vips_.size();
  for (const auto found : {v4, v6})
    if (found != first_.end()) first = std::min(first, found->second);
  return first < vips_.size() ? std::optional(vips_[first]) : std::nullopt;
}

std::optional<IpAddr> LoadBalancerVips::hairpin_source(Family family) const {
  for (const ovn::sb::LoadBalancer& b : rows_) {
    const std::string addresses = value_of(b.options, "hairpin_snat_ip");
    for (const std::string_view text : words(addresses))
      if (const auto address = IpAddr::parse(text); address && address->family == family) return address;
  }
  return std::nullopt;
}

}  // namespace egt::engine
