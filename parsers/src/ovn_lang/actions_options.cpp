// Actions that carry named options: DHCP, router advertisements, controller events (lib/ovn-l7.h of OVN).
#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/ip.h"
#include "egtrace/ovn/southbound.h"
#include "ovn_lang/action_words.h"

namespace egt::parsers::ovn_lang {
namespace {

using ovn::ConstantFormat;
using ovn::NamedOption;
using ovn::PutOptions;
using Kind = PutOptions::Kind;
using Type = TokenType;

struct OptionType {
  std::string_view name, type;
};

constexpr OptionType kDhcpv4[] = {
    {"offerip", "ipv4"},
    {"netmask", "ipv4"},
    {"router", "ipv4"},
    {"dns_server", "ipv4"},
    {"log_server", "ipv4"},
    {"lpr_server", "ipv4"},
    {"hostname", "str"},
    {"domain_name", "str"},
    {"swap_server", "ipv4"},
    {"policy_filter", "ipv4"},
    {"router_solicitation", "ipv4"},
    {"nis_server", "ipv4"},
    {"ntp_server", "ipv4"},
    {"server_id", "ipv4"},
    {"tftp_server", "host_id"},
    {"classless_static_route", "static_routes"},
    {"ms_classless_static_route", "static_routes"},
    {"ip_forward_enable", "bool"},
    {"router_discovery", "bool"},
    {"ethernet_encap", "bool"},
    {"default_ttl", "uint8"},
    {"tcp_ttl", "uint8"},
    {"mtu", "uint16"},
    {"lease_time", "uint32"},
    {"T1", "uint32"},
    {"T2", "uint32"},
    {"bootfile_name", "str"},
    {"wpad", "str"},
    {"path_prefix", "str"},
    {"tftp_server_address", "ipv4"},
    {"domain_search_list", "domains"},
    {"broadcast_address", "ipv4"},
    {"netbios_name_server", "ipv4"},
    {"netbios_node_type", "uint8"},
    {"bootfile_name_alt", "str"},
    {"arp_cache_timeout", "uint32"},
    {"tcp_keepalive_interval", "uint32"},
    {"next_server", "ipv4"},
};
constexpr OptionType kDhcpv6[] = {
    {"server_id", "mac"},     {"ia_addr", "ipv6"},          {"dns_server", "ipv6"}, {"domain_search", "str"},
    {"bootfile_name", "str"}, {"bootfile_name_alt", "str"}, {"fqdn", "domain"},
};
constexpr OptionType kRouterAdvertisement[] = {
    {"addr_mode", "str"}, {"router_preference", "str"}, {"slla", "mac"}, {"prefix", "ipv6"}, {"mtu", "uint32"}, {"rdnss", "ipv6"},
    {"dnssl", "str"},     {"route_info", "str"},
};

template <std::size_t n>
std::optional<std::string_view> find(const OptionType (&options)[n], std::string_view name) {
  const auto* it = std::find_if(std::begin(options), std::end(options), [&](const OptionType& o) { return o.name == name; });
  return it == std::end(options) ? std::nullopt : std::optional(it->type);
}

std::string_view kind_name(Kind kind) { return kind == Kind::dhcpv4 ? "DHCPv4" : kind == Kind::dhcpv6 ? "DHCPv6" : "IPv6 ND RA"; }

// The database's own table rules over what is built in.
std::optional<std::string_view> type_of(Kind kind, std::string_view name, const ActionContext& context) {
  const auto* known = kind == Kind::dhcpv4 ? context.dhcp_options : kind == Kind::dhcpv6 ? context.dhcpv6_options : nullptr;
  if (known)
    if (const auto it = known->find(name); it != known->end()) return it->second;
  if (kind == Kind::dhcpv4) return find(kDhcpv4, name);
  return kind == Kind::dhcpv6 ? find(kDhcpv6, name) : find(kRouterAdvertisement, name);
}

bool is_one_of(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_valid_nd_ra(const NamedOption& option, const ovn::Constant& c) {
  const bool string = option.values.strings;
  if (option.name == "addr_mode") return string && is_one_of(c.text, {"slaac", "dhcpv6_stateful", "dhcpv6_stateless"});
  if (option.name == "router_preference") return string && is_one_of(c.text, {"MEDIUM", "HIGH", "LOW"});
  if (option.name == "slla") return c.format == ConstantFormat::ethernet;
  if (option.name == "prefix") return c.format == ConstantFormat::ipv6 && c.masked;
  if (option.name == "mtu") return c.format == ConstantFormat::decimal;
  if (option.name == "rdnss") return c.format == ConstantFormat::ipv6;
  return string;
}

// ADDRESS:PORT or [ADDRESS]:PORT; the port is required.
// inet_parse_active() of Open vSwitch, with a port or without.
bool is_endpoint(std::string_view text) {
  if (IpAddr::parse(text)) return true;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  const std::string_view port = text.substr(colon + 1);
  return IpAddr::parse(host) && !port.empty() && port.find_first_not_of("0123456789") == std::string_view::npos;
}

ovn::ConstantSet constants_of(const ConstantList& list) {
  ovn::ConstantSet set{list.strings, list.in_curlies, {}};
  for (const ConstantList::Part& part : list.parts)
    if (const auto* constant = std::get_if<ovn::Constant>(&part)) set.values.push_back(*constant);
  return set;
}

void parse_option(ActionOperands& in, NamedOption& option, Kind kind) {
  if (!in.lexer.at(Type::id)) return in.lexer.syntax_error();
  const auto type = type_of(kind, in.lexer.token().text, in.context);
  if (!type) return in.lexer.syntax_error(fmt::format("expecting {} option name", kind_name(kind)));
  option.name = in.lexer.token().text;
  in.lexer.advance();
  if (!in.lexer.force_match(Type::equals)) return;
  const auto values = in.parse_constants();
  if (!values) return;
  option.values = constants_of(*values);
  if (*type == "host_id") return;
  const bool needs_string = *type == "str" || *type == "domains" || *type == "domain";
  if (needs_string == values->strings) return;
  in.lexer.error(
      fmt::format("{} option {} requires {} value.", kind_name(kind), option.name, needs_string ? "string" : "numeric"));
}

void check_nd_ra(ActionOperands& in, const PutOptions& put) {
  bool stateful = false, has_prefix = false, has_slla = false;
  for (const NamedOption& o : put.options) {
    if (o.values.values.size() != 1 || !is_valid_nd_ra(o, o.values.values.front()))
      return in.lexer.error(fmt::format("Invalid value for \"{}\" option", o.name));
    stateful |= o.name == "addr_mode" && o.values.values.front().text == "dhcpv6_stateful";
    has_prefix |= o.name == "prefix";
    has_slla |= o.name == "slla";
  }
  if (!has_slla) return in.lexer.error("slla option not present");
  if (!stateful && !has_prefix)
    return in.lexer.error("prefix option needs to be set when address mode is slaac/dhcpv6_stateless.");
  in.add_prerequisite("ip6");
}

void check_event_option(ActionOperands& in, const NamedOption& option) {
  if (option.values.values.size() != 1 || !option.values.strings)
    return in.lexer.error(fmt::format("Invalid value for \"{}\" option", option.name));
  const std::string& value = option.values.values.front().text;
  if (option.name == "vip" && !is_endpoint(value))
    in.lexer.error(fmt::format("Invalid load balancer VIP '{}'", value));
  else if (option.name == "protocol" && !is_one_of(value, {"tcp", "udp", "sctp"}))
    in.lexer.error(fmt::format("Load balancer protocol '{}' is not 'tcp', 'udp', or 'sctp'", value));
  else if (option.name == "load_balancer" && !ovn::Uuid::parse(value))
    in.lexer.error(fmt::format("Load balancer '{}' is not a UUID", value));
}

}  // namespace

void parse_put_options(ActionOperands& in, const ovn::FieldRef& to, Kind kind, ovn::ActionList& out) {
  in.lexer.advance();
  in.lexer.advance();
  if (!in.check_field(to, 1, true)) return;
  PutOptions put{kind, to, {}};
  while (!in.lexer.failed() && !in.lexer.match(Type::rparen)) {
    parse_option(in, put.options.emplace_back(), kind);
    if (!in.lexer.failed()) in.lexer.match(Type::comma);
  }
  if (in.lexer.failed()) return;
  const bool has_offer =
      std::any_of(put.options.begin(), put.options.end(), [](const NamedOption& o) { return o.name == "offerip"; });
  if (kind == Kind::dhcpv4 && !has_offer) in.lexer.error("put_dhcp_opts requires offerip to be specified.");
  if (kind == Kind::nd_ra) check_nd_ra(in, put);
  out.push_back({std::move(put)});
}

void parse_trigger_event(ActionOperands& in, ovn::ActionList& out) {
  static constexpr std::string_view kEvent = "empty_lb_backends";
  in.lexer.force_match(Type::lparen);
  if (!in.lexer.match_id("event")) return in.lexer.syntax_error("Expecting 'event' option");
  if (!in.lexer.force_match(Type::equals)) return;
  if (!in.lexer.at(Type::string) || in.lexer.token().text.size() >= 64) return in.lexer.syntax_error("Expecting string");
  if (in.lexer.token().text != kEvent) return in.lexer.syntax_error("Unknown event '-1'");
  in.lexer.advance();
  in.lexer.match(Type::comma);
  ovn::TriggerEvent event{std::string(kEvent), {}};
  while (!in.lexer.match(Type::rparen)) {
    if (!in.lexer.at(Type::id)) return in.lexer.syntax_error();
    const std::string name = in.lexer.token().text;
    if (!is_one_of(name, {"vip", "protocol", "load_balancer"}))
      return in.lexer.syntax_error(fmt::format("expecting {} option name", kEvent));
    in.lexer.advance();
    if (!in.lexer.force_match(Type::equals)) return;
    const auto values = in.parse_constants();
    if (!values) return;
    if (!values->strings) return in.lexer.error(fmt::format("{} option {} requires string value.", kEvent, name));
    event.options.push_back({name, constants_of(*values)});
    in.lexer.match(Type::comma);
  }
  for (const NamedOption& o : event.options) check_event_option(in, o);
  out.push_back({std::move(event)});
}

}  // namespace egt::parsers::ovn_lang
