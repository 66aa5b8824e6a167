#include "egtrace/base/address_port.h"

#include "egtrace/base/text.h"

namespace egt {

std::optional<AddressPort> parse_address_port(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = parse_decimal(text.substr(colon + 1));
  std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto address = IpAddr::parse(host);
  if (!port || *port > UINT16_MAX || !address || address->is_v4() == bracketed) return std::nullopt;
  return AddressPort{*address, static_cast<std::uint16_t>(*port)};
}

}  // namespace egt
