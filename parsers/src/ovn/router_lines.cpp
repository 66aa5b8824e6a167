#include "ovn/router_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>

#include "egtrace/base/ip.h"
#include "egtrace/base/text.h"
#include "support/cursor.h"

namespace egt::parsers::ovn_text {
namespace {

constexpr std::string_view kPolicyActions[] = {"allow", "drop", "reroute", "jump"};
constexpr std::string_view kAclActions[] = {"allow", "allow-related", "allow-stateless", "drop", "pass", "reject"};
constexpr std::string_view kRouteFlags[] = {"(learned)", "ecmp", "ecmp-symmetric-reply", "override-connected", "bfd"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

std::optional<std::int64_t> take_number(Cursor& c) {
  const auto n = parse_decimal(c.take_while(is_digit));
  if (!n || *n > 0x7fffffffffffffffULL) return std::nullopt;
  return static_cast<std::int64_t>(*n);
}

std::string_view take_word(Cursor& c) {
  c.skip_blanks();
  return c.take_while([](char ch) { return !is_blank(ch); });
}

bool is_options(std::string_view word) {
  return word == "bfd" || word.starts_with("bfd,") || word.find('=') != std::string_view::npos;
}

// Behind the action. A lone word that is neither address nor option is an output port; it comes behind next hops only.
bool parse_policy_tail(std::string_view text, PolicyLine& policy) {
  Cursor c(text);
  while (true) {
    c.skip_blanks();
    if (c.done()) return true;
    const std::string_view rest = c.rest();
    std::string_view word = take_word(c);
    if (word == "->" && policy.jump_chain.empty()) {
      policy.jump_chain = std::string(take_word(c));
      if (policy.jump_chain.empty()) return false;
    } else if (is_options(word)) {
      policy.options = std::string(trim_right(rest));
      return true;
    } else {
      if (word.ends_with(',')) word.remove_suffix(1);
      if (Prefix::parse(word))
        policy.nexthops.emplace_back(word);
      else if (policy.output_port.empty() && !policy.nexthops.empty())
        policy.output_port = std::string(word);
      else
        return false;
    }
  }
}

// The action is the last word of its kind with a plausible end of line behind it: a match may hold such words too.
bool split_at_action(std::string_view text, PolicyLine& policy) {
  for (std::size_t end = text.size(); end > 0;) {
    std::size_t begin = text.find_last_of(" \t", end - 1);
    begin = begin == std::string_view::npos ? 0 : begin + 1;
    const std::string_view word = text.substr(begin, end - begin);
    if (begin > 0 && is_one_of(word, kPolicyActions)) {
      PolicyLine tried = policy;
      if (parse_policy_tail(text.substr(end), tried)) {
        tried.action = std::string(word);
        tried.match = std::string(trim(text.substr(0, begin)));
        if (tried.match.empty()) return false;
        policy = std::move(tried);
        return true;
      }
    }
    if (begin == 0) break;
    end = begin - 1;
  }
  return false;
}

std::optional<std::string> heading_of(std::string_view text, std::string_view begin, std::string_view none) {
  text = trim(text);
  if (!consume(text, begin) || !text.ends_with(':')) return std::nullopt;
  text.remove_suffix(1);
  return text == none ? std::string() : std::string(text);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> PolicyLine::option_list() const {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string_view part : split(options, ',')) {
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) all.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return all;
}

bool PolicyLine::has_bfd() const { return options == "bfd" || options.starts_with("bfd,"); }

std::optional<PolicyLine> parse_policy_line(std::string_view text) {
  Cursor c(text);
  c.skip_blanks();
  PolicyLine policy;
  const auto priority = take_number(c);
  if (!priority || !is_blank(c.peek())) return std::nullopt;
  policy.priority = *priority;
  if (!split_at_action(c.rest(), policy)) return std::nullopt;
  return policy;
}

void print_policy_line(const PolicyLine& policy, std::string& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "{:>10} {:>50} {:>15}", policy.priority, policy.match, policy.action);
  if (!policy.jump_chain.empty()) fmt::format_to(to, " -> {}", policy.jump_chain);
  for (std::size_t i = 0; i < policy.nexthops.size(); ++i) {
    if (i == 0)
      fmt::format_to(to, " {:>25}", policy.nexthops[i]);
    else
      fmt::format_to(to, ", {}", policy.nexthops[i]);
  }
  if (!policy.output_port.empty()) fmt::format_to(to, " {}", policy.output_port);
  if (!policy.options.empty()) fmt::format_to(to, "{:15}{}", "", policy.options);
}

std::optional<std::string> parse_chain_heading(std::string_view text) { return heading_of(text, "Chain ", "<Default>"); }

std::optional<RouteLine> parse_route_line(std::string_view text) {
  const std::vector<std::string_view> all = words(text);
  if (all.size() < 2 || !Prefix::parse(all[0])) return std::nullopt;
  RouteLine route;
  route.prefix = std::string(all[0]);
  std::size_t i = 1;
  if (all[i] == "discard" || Prefix::parse(all[i])) route.nexthop = std::string(all[i++]);
  if (i == all.size() || (all[i] != "dst-ip" && all[i] != "src-ip")) return std::nullopt;
  route.policy = std::string(all[i++]);
  if (i < all.size() && !is_one_of(all[i], kRouteFlags)) route.output_port = std::string(all[i++]);
  for (; i < all.size(); ++i) {
    if (!is_one_of(all[i], kRouteFlags)) return std::nullopt;
    route.flags.emplace_back(all[i]);
  }
  return route;
}

void print_route_line(const RouteLine& route, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>25} {:>25} {}", route.prefix, route.nexthop, route.policy);
  if (!route.output_port.empty()) out += " " + route.output_port;
  for (const std::string& flag : route.flags) out += " " + flag;
}

std::optional<std::string> parse_route_table_heading(std::string_view text) { return heading_of(text, "Route Table ", "<main>"); }

std::optional<AclLine> parse_acl_line(std::string_view text) {
  Cursor c(text);
  AclLine acl;
  acl.direction = std::string(take_word(c));
  if (acl.direction != "from-lport" && acl.direction != "to-lport") return std::nullopt;
  c.skip_blanks();
  const auto priority = take_number(c);
  if (!priority || !c.take(" (")) return std::nullopt;
  acl.priority = *priority;
  const std::string_view rest = trim_right(c.rest());
  for (std::size_t at = rest.rfind(") "); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : rest.rfind(") ", at - 1)) {
    const std::string_view behind = rest.substr(at + 2);
    const std::string_view action = behind.substr(0, behind.find(' '));
    if (!is_one_of(action, kAclActions)) continue;
    acl.match = std::string(rest.substr(0, at));
    acl.action = std::string(action);
    acl.extras = std::string(behind.substr(action.size()));
    return acl;
  }
  return std::nullopt;
}

void print_acl_line(const AclLine& acl, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:>10} {:>5} ({}) {}{}", acl.direction, acl.priority, acl.match, acl.action,
                 acl.extras);
}

std::optional<ZoneLine> parse_zone_line(std::string_view text) {
  text = trim(text);
  const std::size_t blank = text.rfind(' ');
  if (blank == std::string_view::npos || blank == 0) return std::nullopt;
  const auto zone = parse_decimal(text.substr(blank + 1));
  if (!zone || *zone > 65535) return std::nullopt;
  return ZoneLine{std::string(text.substr(0, blank)), static_cast<std::uint16_t>(*zone)};
}

void print_zone_line(const ZoneLine& zone, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{} {}", zone.name, zone.zone);
}

}  // namespace egt::parsers::ovn_text
