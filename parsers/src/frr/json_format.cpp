// vtysh -c "show ip route json" and "show ip bgp json" (FRR).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "frr/formats.h"

namespace egt::parsers::frr {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 64;

// Nothing where it is no JSON object, is cut, or nests deeper than FRR ever does.
std::optional<Json> read(std::string_view text) {
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > static_cast<int>(kDeepest);
    return !too_deep;
  };
  Json j = Json::parse(text, watch, false);
  if (too_deep || j.is_discarded() || !j.is_object()) return std::nullopt;
  return j;
}

std::string string_text(const Json& s) {  // json-c escapes the slash unless set otherwise; FRR shows it
  return s.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// As json-c prints with JSON_C_TO_STRING_PRETTY and JSON_C_TO_STRING_NOSLASHESCAPE.
void print(const Json& j, std::size_t indent, std::string& out) {
  const auto children = [&](char open, char close, const auto& one) {
    out += open;
    if (j.empty()) {
      out += close;
      return;
    }
    bool first = true;
    for (auto it = j.begin(); it != j.end(); ++it) {
      out += first ? "\n" : ",\n";
      first = false;
      out.append(indent + 2, ' ');
      one(it);
    }
    out += '\n';
    out.append(indent, ' ');
    out += close;
  };
  if (j.is_object())
    children('{', '}', [&](const auto& it) {
      out += string_text(Json(it.key())) + ":";
      print(it.value(), indent + 2, out);
    });
  else if (j.is_array())
    children('[', ']', [&](const auto& it) { print(*it, indent + 2, out); });
  else
    out += string_text(j);
}

std::uint32_t lines_in(std::string_view text) {
  return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n')) + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

std::optional<Json> read_counted(const Dump& dump, Report& report) {
  auto j = read(dump.text);
  const std::uint32_t lines = lines_in(dump.text);
  report.lines += lines;
  if (j) {
    report.understood += lines;
    return j;
  }
  report.ignored += lines > 0 ? lines - 1 : 0;
  report.not_understood.push_back({dump.source, dump.first_line});
  report.diagnostics.push_back(
      {Diagnostic::Severity::warning, {dump.source, dump.first_line}, 0, "the JSON is cut or malformed", "take the dump again"});
  return std::nullopt;
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  const auto j = read_counted(dump, report);
  std::string printed;
  if (j) print(*j, 0, printed);
  printed += '\n';
  out += printed == dump.text ? std::string_view(printed) : dump.text;  // versions differ in blanks
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  const auto j = read_counted(dump, report);
  out += (j ? *j : Json::object()).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class T>
T get(const Json& j, const char* key, T otherwise) {
  const auto found = j.find(key);
  if (found == j.end()) return otherwise;
  if constexpr (std::is_same_v<T, bool>)
    return found->is_boolean() ? found->template get<bool>() : otherwise;
  else if constexpr (std::is_same_v<T, std::string>)
    return found->is_string() ? found->template get<std::string>() : otherwise;
  else
    return found->is_number_unsigned() ? static_cast<T>(found->template get<std::uint64_t>()) : otherwise;
}

const Json* list_of(const Json& j, const char* key) {
  const auto found = j.find(key);
  return found != j.end() && found->is_array() ? &*found : nullptr;
}

// The line on which an entry's prefix is named, for the provenance of its route: keys come in the order of the text.
class LineFinder {
 public:
  LineFinder(std::string_view text, std::uint32_t first) : text_(text), line_(first) {}
  std::uint32_t of(const std::string& key) {
    const std::size_t at = text_.find("\"" + key + "\"", at_);
    if (at == std::string_view::npos) return line_;
    line_ += static_cast<std::uint32_t>(
        std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    at_ = at;
    return line_;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_;
};

host::RouteType error_type(const Json& hop) {
  if (get(hop, "reject", false)) return host::RouteType::unreachable;
  return get(hop, "adminProhibited", false) || get(hop, "admin-prohibited", false) ? host::RouteType::prohibit
                                                                                   : host::RouteType::blackhole;
}

std::optional<host::DaemonRoute> route_of(const Json& entry) {
  const auto to = Prefix::parse(get<std::string>(entry, "prefix", ""));
  const std::string protocol = get<std::string>(entry, "protocol", "");
  const bool connected = protocol == "connected" || protocol == "local";
  // The kernel keeps each of several connected routes to one prefix (fe80::/64), of which zebra selects one.
  if (!to || !(get(entry, "selected", false) || connected) || !get(entry, "installed", false)) return std::nullopt;
  host::DaemonRoute d;
  d.distance = get<std::uint32_t>(entry, "distance", 0);
  if (const std::string vrf = get<std::string>(entry, "vrfName", "default"); vrf != "default") d.vrf = vrf;
  host::Route& r = d.route;
  if (d.vrf.empty()) r.table = host::canonical_table(std::to_string(get<std::uint32_t>(entry, "table", 254)));
  r.family = to->address.family;
  r.to = to->network();
  r.protocol = connected ? "kernel" : protocol;
  if (protocol == "connected") r.scope = "link";
  r.metric = r.protocol == "kernel" ? get<std::uint32_t>(entry, "metric", 0) : 20;
  if (const Json* hops = list_of(entry, "nexthops"))
    for (const Json& hop : *hops) {
      if (!hop.is_object()) continue;
      if (get(hop, "unreachable", false)) r.type = error_type(hop);
      if (!get(hop, "fib", false)) continue;  // of a recursive next hop only what it resolves to
      host::NextHop h;
      h.via = IpAddr::parse(get<std::string>(hop, "ip", ""));
      h.device = get<std::string>(hop, "interfaceName", "");
      h.weight = get<std::uint32_t>(hop, "weight", 1);
      h.onlink = get(hop, "onLink", false);
      r.next_hops.push_back(std::move(h));
    }
  if (r.next_hops.empty() && r.type == host::RouteType::unicast) return std::nullopt;
  return d;
}

bool is_route_entry(const Json& j) {
  return j.is_object() && j.contains("protocol") && j.contains("nexthops") && j.contains("prefix");
}

// "show ip route json": prefixes with lists of entries; "show ip route vrf all json" has that once for each VRF.
bool is_routes(const Json& j) {
  for (const auto& [key, value] : j.items()) return value.is_array() && !value.empty() && is_route_entry(value.front());
  return false;
}

Recognition recognise_routes(const Dump& dump) {
  if (!trim_left(dump.text).starts_with("{") || dump.text.substr(0, 4000).find("\"nexthops\"") == std::string_view::npos)
    return {};
  const auto j = read(dump.text);
  if (!j || !is_routes(*j)) return {};
  const bool v6 = Prefix::parse(j->begin().key()).value_or(Prefix{}).address.family == Family::v6;
  return {97, v6 ? "frr routes v6" : "frr routes v4", 80};
}

void load_routes(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const auto j = read_counted(dump, report);
  if (!j) return;
  std::vector<host::DaemonRoute> routes;
  LineFinder lines(dump.text, dump.first_line);
  for (const auto& [key, entries] : j->items()) {
    const Provenance from{dump.source, lines.of(key)};
    if (!entries.is_array()) continue;
    for (const Json& entry : entries)
      if (is_route_entry(entry))
        if (auto route = route_of(entry)) {
          route->route.from = from;
          routes.push_back(std::move(*route));
        }
  }
  put_table(node, std::move(routes), !dump.partial);
}

Recognition recognise_bgp(const Dump& dump) {
  if (!trim_left(dump.text).starts_with("{") || dump.text.substr(0, 2000).find("\"routerId\"") == std::string_view::npos)
    return {};
  const auto j = read(dump.text);
  if (!j || !j->contains("routes") || !(*j)["routes"].is_object()) return {};
  return {97, "frr bgp", 80};
}

void load_bgp(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const auto j = read_counted(dump, report);
  if (!j || !j->contains("routes")) return;
  std::vector<BgpPath> paths;
  std::string vrf = get<std::string>(*j, "vrfName", "default");
  if (vrf == "default") vrf.clear();
  LineFinder lines(dump.text, dump.first_line);
  for (const auto& [key, entries] : (*j)["routes"].items()) {
    const Provenance from{dump.source, lines.of(key)};
    const auto to = Prefix::parse(key);
    if (!to || !entries.is_array()) continue;
    for (const Json& entry : entries) {
      if (!entry.is_object() || !(get(entry, "bestpath", false) || get(entry, "multipath", false))) continue;
      const Json* hops = list_of(entry, "nexthops");
      if (hops == nullptr) continue;
      for (const Json& hop : *hops)
        if (hop.is_object() && get(hop, "used", false))
          if (const auto via = IpAddr::parse(get<std::string>(hop, "ip", "")))
            paths.push_back({*to, *via, get<std::string>(entry, "pathFrom", "") == "internal", vrf, from});
    }
  }
  put_bgp(node, paths);
}

}  // namespace

const Format& route_json_format() {
  static const Format format{
      "vtysh show ip route json", "vtysh -c 'show ip route json'", recognise_routes, reprint, to_json, load_routes};
  return format;
}

const Format& bgp_json_format() {
  static const Format format{"vtysh show ip bgp json", "vtysh -c 'show ip bgp json'", recognise_bgp, reprint, to_json, load_bgp};
  return format;
}

}  // namespace egt::parsers::frr
