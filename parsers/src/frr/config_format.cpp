// FRR's configuration: vtysh -c "show running-config", /etc/frr/frr.conf. It shows what a router was configured to do, not what
// it does: its static routes and distances decide only where no routing table is in the snapshot (staticd(8), zebra(8)).
#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "frr/formats.h"
#include "support/lines.h"

namespace egt::parsers::frr {
namespace {

using Json = nlohmann::ordered_json;

struct ConfigLine {
  std::size_t depth = 0;  // blanks in front
  std::string text;
};

bool is_comment(std::string_view text) {
  const std::string_view t = trim(text);
  return t.empty() || t.starts_with("!") || t.starts_with("#") || t == "Building configuration..." ||
         t == "Current configuration:";
}

bool closes(std::string_view text) { return text == "exit" || text == "end" || text.starts_with("exit-"); }

// Words that begin a command of FRR's configuration at its outermost level; another one is not understood.
bool is_command(std::string_view text) {
  static constexpr std::string_view kWords[] = {"frr",        "hostname",
                                                "log",        "service",
                                                "router",     "ip",
                                                "ipv6",       "interface",
                                                "line",       "no",
                                                "neighbor",   "address-family",
                                                "route-map",  "access-list",
                                                "bfd",        "vrf",
                                                "password",   "enable",
                                                "debug",      "bgp",
                                                "rpki",       "segment-routing",
                                                "pbr-map",    "nexthop-group",
                                                "key",        "mpls",
                                                "zebra",      "agentx",
                                                "domainname", "banner",
                                                "fpm",        "allow-external-route-update",
                                                "table",      "key-chain",
                                                "username"};
  const std::string_view word = text.substr(0, text.find(' '));
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::string print_line(const ConfigLine& line) { return std::string(line.depth, ' ') + line.text; }

// Calls take(line, command) for each line; comments and blank lines have no command.
template <class Take>
void read_lines(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    ConfigLine c{line.text.size() - trim_left(line.text).size(), std::string(trim(line.text))};
    const bool comment = is_comment(line.text), known = c.depth > 0 || closes(c.text) || is_command(c.text);
    if (comment)
      lines.ignored();
    else if (known)
      lines.understood();
    else
      lines.not_understood(line, 1, "no command of FRR's configuration");
    take(line, !comment && known ? &c : nullptr);
  }
}

Recognition recognise(const Dump& dump) {
  const std::string_view head = dump.text.substr(0, 2000);
  const bool version =
      head.find("frr version ") != std::string_view::npos || head.find("frr defaults ") != std::string_view::npos;
  const bool by_name = command_has(dump, "show running-config") || dump.path.ends_with("/frr.conf") || dump.path == "frr.conf";
  if (!version && !(by_name && head.find("\nrouter ") != std::string_view::npos)) return {};
  return {version ? 96 : 80, "frr configuration", by_name ? 90 : 50};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_lines(dump, report, [&](const Line& line, const ConfigLine* command) {
    const std::string printed = command != nullptr ? print_line(*command) : std::string();
    out += command != nullptr && printed == line.text ? std::string_view(printed) : line.text;  // a tab, blanks at the end
    out += line.end;
  });
}

// Commands in order; what is indented below one is in its "inside".
void to_json(const Dump& dump, std::string& out, Report& report) {
  struct IndentLevel {
    std::size_t depth;
    Json* list;
  };
  Json document{{"commands", Json::array()}};
  std::vector<IndentLevel> levels{{0, &document["commands"]}};
  constexpr std::size_t kDeepest = 16;
  read_lines(dump, report, [&](const Line&, const ConfigLine* command) {
    if (command == nullptr || closes(command->text)) return;
    const ConfigLine& c = *command;
    while (levels.size() > 1 && c.depth < levels.back().depth) levels.pop_back();
    if (c.depth > levels.back().depth && !levels.back().list->empty() && levels.size() < kDeepest) {
      Json& parent = levels.back().list->back();
      parent["inside"] = Json::array();
      levels.push_back({c.depth, &parent["inside"]});
    }
    levels.back().list->push_back({{"command", c.text}});
  });
  out += document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; (at = text.find_first_not_of(' ', at)) != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// "10.0.0.0/8", or "10.0.0.0" with "255.0.0.0" behind it; how many words it takes is added to `at`.
std::optional<Prefix> destination(const std::vector<std::string_view>& words, std::size_t& at, bool v4) {
  if (at >= words.size()) return std::nullopt;
  auto to = Prefix::parse(words[at++]);
  if (!to || to->address.is_v4() != v4 || words[at - 1].find('/') != std::string_view::npos || at >= words.size()) return to;
  const auto mask = IpAddr::parse(words[at]);
  if (!mask || !mask->is_v4() || !v4) return to;
  const std::uint32_t inverted = ~mask->as_v4();
  if ((inverted & (inverted + 1)) != 0) return to;  // a next hop, no mask
  to->length = static_cast<std::uint8_t>(std::popcount(mask->as_v4()));
  ++at;
  return to;
}

// The next hop: an address, with a device behind it or not; a device; or none.
bool read_next_hop(const std::vector<std::string_view>& words, std::size_t& at, host::Route& route) {
  if (at >= words.size()) return false;
  const std::string_view word = words[at++];
  if (word == "Null0" || word == "null0" || word == "blackhole")
    route.type = host::RouteType::blackhole;
  else if (word == "reject")
    route.type = host::RouteType::unreachable;
  if (route.type != host::RouteType::unicast) return true;
  host::NextHop hop;
  hop.via = IpAddr::parse(word);
  if (!hop.via) hop.device = word;
  static constexpr std::string_view kOptions[] = {"tag",   "table",  "vrf", "nexthop-vrf", "label",
                                                  "color", "onlink", "bfd", "segments",    "from"};
  const bool device = hop.via && at < words.size() && !is_digit(words[at].front()) &&
                      std::find(std::begin(kOptions), std::end(kOptions), words[at]) == std::end(kOptions);
  if (device) hop.device = words[at++];
  route.next_hops.push_back(std::move(hop));
  return true;
}

// Static routes, and "distance bgp EXTERNAL INTERNAL LOCAL" of the default VRF.
void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  host::RoutingDaemon& daemon = node.host.routing_daemon;
  std::string vrf;
  bool bgp = false;
  read_lines(dump, report, [&](const Line& line, const ConfigLine* command) {
    if (command == nullptr) return;
    std::string_view text = command->text;
    if (command->depth == 0) {
      bgp = text.starts_with("router bgp ") && text.find(" vrf ") == std::string_view::npos;
      vrf = consume(text, "vrf ") ? std::string(trim(text)) : std::string();
      text = command->text;
    }
    if (auto route = static_route(text)) {
      route->route.from = {dump.source, line.number};
      if (route->vrf.empty()) route->vrf = vrf;
      daemon.offers.push_back(std::move(*route));
    } else if (bgp && consume(text, "distance bgp ")) {
      const auto words = words_of(text);
      const auto external = words.empty() ? std::nullopt : parse_decimal(words[0]);
      const auto internal = words.size() < 2 ? std::nullopt : parse_decimal(words[1]);
      if (external && internal && *external < 256 && *internal < 256) {
        daemon.bgp_external_distance = static_cast<std::uint32_t>(*external);
        daemon.bgp_internal_distance = static_cast<std::uint32_t>(*internal);
      }
    }
  });
}

}  // namespace

std::optional<host::DaemonRoute> static_route(std::string_view command) {
  const bool v4 = consume(command, "ip route ");
  if (!v4 && !consume(command, "ipv6 route ")) return std::nullopt;
  const auto words = words_of(command);
  std::size_t at = 0;
  const auto to = destination(words, at, v4);
  host::DaemonRoute d;
  if (!to || to->address.is_v4() != v4) return std::nullopt;
  d.distance = 1;
  d.route.family = to->address.family;
  d.route.to = to->network();
  d.route.protocol = "static";
  if (!v4 && at + 1 < words.size() && words[at] == "from") {
    const auto sources = Prefix::parse(words[at + 1]);
    if (!sources || sources->address.is_v4()) return std::nullopt;
    d.route.sources = sources->network();
    at += 2;
  }
  if (!read_next_hop(words, at, d.route)) return std::nullopt;
  for (; at < words.size(); ++at) {
    const std::string_view word = words[at], value = at + 1 < words.size() ? words[at + 1] : std::string_view();
    if (const auto distance = parse_decimal(word)) {
      if (*distance < 256) d.distance = static_cast<std::uint32_t>(*distance);
    } else if (word == "onlink") {
      if (!d.route.next_hops.empty()) d.route.next_hops.back().onlink = true;
    } else if (word == "table") {
      d.route.table = host::canonical_table(value);
      ++at;
    } else if (word == "vrf") {
      d.vrf = value == "default" ? std::string_view() : value;
      ++at;
    } else if (word == "tag" || word == "color") {
      ++at;
    } else if (word != "bfd") {
      d.route.not_modelled.push_back(std::string(word) + (value.empty() ? "" : " ") + std::string(value));
      ++at;
    }
  }
  return d;
}

const Format& config_format() {
  static const Format format{"vtysh show running-config", "vtysh -c 'show running-config'", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::frr

namespace egt::parsers {

std::span<const Format> frr_formats() {
  static const std::vector<Format> formats{frr::route_text_format(), frr::route_json_format(), frr::bgp_text_format(),
                                           frr::bgp_json_format(), frr::config_format()};
  return formats;
}

}  // namespace egt::parsers
