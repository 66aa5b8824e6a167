// ipsec status, ipsec trafficstatus (libreswan 4 and 5: programs/pluto/connections.c, whack_showstates.c, whack_trafficstatus.c): connections of the
// IKE daemon. Printed back as they stand.
#include <algorithm>
#include <optional>
#include <vector>

#include "egtrace/base/text.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using host::IpsecConnection;
using host::IpsecState;

// Lines of libreswan 4 begin with a number of three digits.
std::string_view without_number(std::string_view line) {
  const bool numbered = line.size() > 3 && std::all_of(line.begin(), line.begin() + 3, is_digit) && line[3] == ' ';
  return numbered ? line.substr(4) : line;
}

// "name"…: what stands in quotes, and the rest.
struct Quoted {
  std::string_view name, rest;
};
std::optional<Quoted> quoted(std::string_view text) {
  if (!text.starts_with('"')) return std::nullopt;
  const std::size_t end = text.find('"', 1);
  if (end == text.npos) return std::nullopt;
  return Quoted{text.substr(1, end - 1), text.substr(end + 1)};
}

// "10.0.0.1", "10.0.0.1[@id]", "10.0.0.1:17/6081", "10.0.0.1---10.0.0.254": the host of one end.
std::optional<IpAddr> host_of(std::string_view end) {
  end = end.substr(0, end.find_first_of("[<"));
  end = end.substr(0, end.find("---"));
  if (const auto address = IpAddr::parse(end)) return address;
  const std::size_t colon = end.rfind(':');
  return colon == end.npos ? std::nullopt : IpAddr::parse(end.substr(0, colon));
}

// "10.0.0.1/32:UDP/6081===10.0.0.1": behind or before "===" stands what is protected, with its prefix.
std::optional<IpAddr> host_of_side(std::string_view side) {
  const std::size_t equals = side.find("===");
  if (equals == side.npos) return host_of(side);
  const std::string_view first = side.substr(0, equals), second = side.substr(equals + 3);
  return first.find('/') == first.npos || host_of(first) ? host_of(first) : host_of(second);
}

IpsecState state_in(std::string_view word) {
  if (word == "unrouted" || word == "unoriented") return IpsecState::loaded;
  if (word.starts_with("prospective") || word.find("ondemand") != word.npos) return IpsecState::on_demand;
  return word == "erouted" ? IpsecState::established : IpsecState::loaded;
}

// `10.0.0.1...10.0.0.2; erouted; eroute owner: #2`
std::optional<IpsecConnection> connection_in(const Quoted& line) {
  const std::size_t colon = line.rest.find(": ");
  if (colon == line.rest.npos) return std::nullopt;
  const std::string_view text = trim(line.rest.substr(colon + 2));
  const std::size_t dots = text.find("..."), end = text.find("; ", dots == text.npos ? 0 : dots);
  if (dots == text.npos || end == text.npos) return std::nullopt;
  IpsecConnection c;
  c.name = std::string(line.name);
  const auto local = host_of_side(text.substr(0, dots)), remote = host_of_side(text.substr(dots + 3, end - dots - 3));
  if (!local && !remote) return std::nullopt;
  c.local = local.value_or(IpAddr{});
  c.remote = remote.value_or(IpAddr{});
  const std::string_view state = text.substr(end + 2);
  c.state = state_in(state.substr(0, state.find(';')));
  return c;
}

// "#2: "name":500 STATE_V2_ESTABLISHED_CHILD_SA (established Child SA)", "#2: "name", type=ESP, …" of trafficstatus; IKEv1
// prints "IPsec SA established".
std::optional<std::string> established_in(std::string_view text) {
  if (!text.starts_with('#')) return std::nullopt;
  const std::size_t colon = text.find(": ");
  const auto line = colon == text.npos ? std::nullopt : quoted(text.substr(colon + 2));
  if (!line) return std::nullopt;
  for (const char* sign : {"ESTABLISHED_CHILD_SA", "IPsec SA established", ", type=ESP,", ", type=AH,"})
    if (line->rest.find(sign) != line->rest.npos) return std::string(line->name);
  return std::nullopt;
}

// Facts of one connection may stand in many lines.
void merge(std::vector<IpsecConnection>& all, IpsecConnection c) {
  const auto known = std::find_if(all.begin(), all.end(), [&](const IpsecConnection& o) { return o.name == c.name; });
  if (known == all.end()) {
    all.push_back(std::move(c));
    return;
  }
  if (known->remote.is_unspecified()) {
    known->local = c.local;
    known->remote = c.remote;
  }
  if (c.state <= known->state) return;
  known->state = c.state;
  known->from = c.from;
}

bool has_list(std::string_view text) { return text.find("Connection list:") != text.npos; }

std::vector<IpsecConnection> read(const Dump& dump, Report& report) {
  std::vector<IpsecConnection> all;
  LineReport counts(dump, report);
  LineReader lines(dump);
  for (Line line; lines.next(line);) {
    const std::string_view text = without_number(line.text);
    const Provenance from{dump.source, line.number};
    const auto named = quoted(text);
    if (auto c = named ? connection_in(*named) : std::nullopt) {
      c->from = from;
      merge(all, std::move(*c));
      counts.understood();
    } else if (const auto name = established_in(text)) {
      merge(all, {*name, {}, {}, IpsecState::established, from});
      counts.understood();
    } else if (named && named->rest.find("...") != named->rest.npos && named->rest.find("; ") != named->rest.npos) {
      counts.not_understood(line, 1, "the ends or the state of this connection");
    } else {
      counts.ignored();
    }
  }
  return all;
}

bool is_status(std::string_view text) {
  bool found = has_list(text);
  for (const std::string_view line : split(text.substr(0, 65536), '\n')) {
    if (found) break;
    const auto named = quoted(without_number(line));
    found = established_in(without_number(line)).has_value() || (named && connection_in(*named).has_value());
  }
  return found;
}

bool is_of_traffic(const Dump& dump) { return !has_list(dump.text); }

Recognition recognise(const Dump& dump) {
  const bool named = command_has(dump, "ipsec status") || command_has(dump, "ipsec trafficstatus") ||
                     command_has(dump, "whack --status") || command_has(dump, "whack --trafficstatus");
  if (!is_status(dump.text)) return {};
  return {named ? 95 : 80, topic_of(dump, is_of_traffic(dump) ? "ipsec traffic" : "ipsec status", is_other_namespace(dump)),
          dump.partial ? 1 : 10};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read(dump, report);
  out += dump.text;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  static constexpr const char* kStates[] = {"loaded", "on-demand", "established"};
  Json all = Json::array();
  for (const IpsecConnection& c : read(dump, report))
    all.push_back({{"line", c.from.line},
                   {"name", c.name},
                   {"local", c.local.is_unspecified() ? "" : c.local.to_string()},
                   {"remote", c.remote.is_unspecified() ? "" : c.remote.to_string()},
                   {"state", kStates[static_cast<std::size_t>(c.state)]}});
  append_json(Json{{"connections", std::move(all)}}, out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  auto& part = node.host.ipsec_connections;
  const bool whole = !dump.partial && !is_of_traffic(dump);
  part.partial = part.present ? part.partial && !whole : !whole;
  if (!part.present || whole) part.from = {dump.source, dump.first_line};
  part.present = true;
  for (IpsecConnection& c : read(dump, report)) merge(part.value, std::move(c));
}

}  // namespace

const Format& ipsec_status_format() {
  static const Format format{"ipsec status", "ipsec status", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
