// Types of ipset(8) and the members that they hold.
#include <algorithm>
#include <limits>

#include "egtrace/base/mac.h"
#include "egtrace/base/text.h"
#include "egtrace/packet/packet.h"
#include "nft/datatype.h"
#include "support/icmp_words.h"
#include "system/ipset_line.h"

namespace egt::parsers::system {
namespace {

using host::IpSet;
using host::IpSetMember;
using host::IpSetPart;

std::optional<IpSetPart> part_named(std::string_view name) {
  if (name == "ip") return IpSetPart::ip;
  if (name == "net") return IpSetPart::net;
  if (name == "port") return IpSetPart::port;
  if (name == "mac") return IpSetPart::mac;
  if (name == "mark") return IpSetPart::mark;
  if (name == "iface") return IpSetPart::iface;
  return std::nullopt;
}

bool read_type(std::string_view type, IpSet& set) {
  set.type = std::string(type);
  set.is_list = type == "list:set";
  const std::size_t colon = type.find(':');
  if (set.is_list || colon == std::string_view::npos) return set.is_list;
  const std::string_view method = type.substr(0, colon);
  if (method != "hash" && method != "bitmap") return false;
  for (const std::string_view name : split(type.substr(colon + 1), ',')) {
    const auto part = part_named(name);
    if (!part || set.parts.size() == host::kMostIpSetParts) return false;
    set.parts.push_back(*part);
  }
  const bool addressed =
      std::any_of(set.parts.begin(), set.parts.end(), [](IpSetPart p) { return p == IpSetPart::ip || p == IpSetPart::net; });
  if (addressed) set.family = Family::v4;  // unless an option sets another
  return true;
}

std::optional<U128> mask_of(const IpSet& set, std::string_view text) {
  const Family family = set.family.value_or(Family::v4);
  if (const auto address = IpAddr::parse(text); address && address->family == family) return address->value;
  const auto length = parse_decimal(text);
  if (!length || *length > address_bits(family)) return std::nullopt;
  return Prefix{{family, 0}, static_cast<std::uint8_t>(*length)}.mask();
}

bool read_option(const IpsetOption& o, IpSet& set) {
  if (o.name == "family") {
    if (o.value != "inet" && o.value != "inet6") return false;
    if (set.family) set.family = o.value == "inet" ? Family::v4 : Family::v6;
  } else if (o.name == "netmask" || o.name == "bitmask") {
    const auto mask = mask_of(set, o.value);
    if (!mask) return false;
    set.address_mask = *mask;
  } else if (o.name == "markmask") {
    const auto mask = parse_u64(o.value);
    if (!mask || *mask > std::numeric_limits<std::uint32_t>::max()) return false;
    set.mark_mask = static_cast<std::uint32_t>(*mask);
  }
  return true;
}

constexpr unsigned kTypeShift = 8, kProtocolShift = 16;

// A set holds a type and a code: the word of a type alone is of its code 0.
std::optional<std::uint64_t> icmp_number(std::string_view text, bool v6) {
  if (const auto word = icmp_word(text, v6))
    return std::uint64_t{word->type} << kTypeShift | static_cast<std::uint8_t>(std::max(word->code, 0));
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto type = parse_decimal(text.substr(0, slash)), code = parse_decimal(text.substr(slash + 1));
  if (!type || !code || *type > 255 || *code > 255) return std::nullopt;
  return *type << kTypeShift | *code;
}

std::optional<std::uint64_t> protocol_number(std::string_view name) {
  if (const auto n = nft::symbol_value(nft::Datatype::protocol, name)) return static_cast<std::uint64_t>(*n);
  return parse_decimal(name);
}

// "80" of bitmap:port, "tcp:80", "icmp:echo-request", "gre:0"
std::optional<U128> port_number(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    const auto port = parse_decimal(text);
    return port && *port <= 0xffff ? std::optional<U128>(*port) : std::nullopt;
  }
  const auto proto = protocol_number(text.substr(0, colon));
  const std::string_view rest = text.substr(colon + 1);
  if (!proto || *proto > 255) return std::nullopt;
  const auto number = *proto == ip_proto::icmp    ? icmp_number(rest, false)
                      : *proto == ip_proto::icmp6 ? icmp_number(rest, true)
                                                  : parse_decimal(rest);
  if (!number || *number > 0xffff) return std::nullopt;
  return U128{*proto} << kProtocolShift | *number;
}

bool read_net(const IpSet& set, std::string_view text, std::size_t i, IpSetMember& m) {
  const auto prefix = Prefix::parse(text);
  if (!prefix || prefix->address.family != set.family) return false;
  m.key.value[i] = prefix->network().address.value & set.address_mask;
  m.key.length[i] = prefix->length;
  return true;
}

void read_device(std::string_view text, IpSetMember& m) {
  constexpr std::string_view kPort = "physdev:";
  m.physical = text.starts_with(kPort);
  m.key.device = std::string(m.physical ? text.substr(kPort.size()) : text);
}

bool read_part(const IpSet& set, std::string_view text, std::size_t i, IpSetMember& m) {
  std::optional<U128> value;
  switch (set.parts[i]) {
    case IpSetPart::net: return read_net(set, text, i, m);
    case IpSetPart::iface: read_device(text, m); return !m.key.device.empty();
    case IpSetPart::ip:
      if (const auto a = IpAddr::parse(text); a && a->family == set.family) value = a->value;
      break;
    case IpSetPart::port: value = port_number(text); break;
    case IpSetPart::mac:
      if (const auto mac = MacAddr::parse(text)) value = mac->value;
      break;
    case IpSetPart::mark:
      if (const auto mark = parse_u64(text)) value = *mark;
      break;
  }
  if (value) m.key.value[i] = *value;
  return value.has_value();
}

}  // namespace

std::optional<IpSet> ipset_of(std::string_view type, const std::vector<IpsetOption>& options) {
  IpSet set;
  if (!read_type(type, set)) return std::nullopt;
  for (const bool family_first : {true, false})  // masks are of the family
    for (const IpsetOption& o : options)
      if ((o.name == "family") == family_first && !read_option(o, set)) return std::nullopt;
  return set;
}

std::optional<IpSetMember> ipset_member(const IpSet& set, std::string_view element, const std::vector<IpsetOption>& options) {
  if (set.is_list) return std::nullopt;
  const std::vector<std::string_view> texts = split(element, ',');
  IpSetMember m;
  m.any_mac = texts.size() == 1 && set.type == "bitmap:ip,mac";
  if (texts.size() != (m.any_mac ? 1 : set.parts.size())) return std::nullopt;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (!read_part(set, texts[i], i, m)) return std::nullopt;
  for (const IpsetOption& o : options) {
    m.no_match = m.no_match || o.name == "nomatch";
    m.wildcard = m.wildcard || o.name == "wildcard";
  }
  return m;
}

}  // namespace egt::parsers::system
