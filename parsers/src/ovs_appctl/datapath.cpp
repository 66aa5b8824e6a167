#include "egtrace/parsers/datapath.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

namespace egt::parsers {
namespace {

using namespace openflow;

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

std::vector<std::string_view> words_of(std::string_view s) {
  std::vector<std::string_view> out;
  for (s = trimmed(s); !s.empty(); s = trimmed(s)) {
    const std::size_t end = std::min(s.find(' '), s.size());
    out.push_back(s.substr(0, end));
    s.remove_prefix(end);
  }
  return out;
}

template <class Number>
std::optional<Number> number(std::string_view s, int base = 10) {
  Number n{};
  const auto r = std::from_chars(s.data(), s.data() + s.size(), n, base);
  if (r.ec != std::errc() || r.ptr != s.data() + s.size()) return std::nullopt;
  return n;
}

// What stands behind `key`, up to one of `ends`.
std::string_view behind(std::string_view s, std::string_view key, std::string_view ends) {
  const std::size_t at = s.find(key);
  if (at == std::string_view::npos) return {};
  s.remove_prefix(at + key.size());
  return s.substr(0, std::min(s.find_first_of(ends), s.size()));
}

// "  port 5: genev_sys_6081 (geneve: packet_type=ptap)"
bool read_port(std::string_view line, Datapath& d, Provenance from) {
  if (!line.starts_with("  port ")) return false;
  const std::size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return false;
  const auto n = number<std::uint32_t>(line.substr(7, colon - 7));
  if (!n) return false;
  const std::string_view rest = line.substr(colon + 2);
  const std::size_t space = std::min(rest.find(' '), rest.size());
  d.ports.push_back({*n, std::string(rest.substr(0, space)), std::string(behind(rest, "(", ":)")), from});
  return true;
}

// "netdev@ovs-netdev:"
bool read_datapath_name(std::string_view line, Datapath& d) {
  const std::size_t at = line.find('@');
  if (at == std::string_view::npos || at == 0 || line.back() != ':' || line.find(' ') != std::string_view::npos)
    return false;
  d.type = std::string(line.substr(0, at));
  return true;
}

// "port 5: ovn-b7b3f2-0 (geneve: 192.168.99.24->192.168.99.23, key=flow, …, dp port=5, ttl=64)"
bool read_tunnel(std::string_view line, Datapath& d, Provenance from) {
  if (!line.starts_with("port ")) return false;
  const std::string_view name = behind(line, ": ", " ");
  const auto n = number<std::uint32_t>(behind(line, "dp port=", ",)"));
  if (name.empty() || !n) return false;
  d.tunnels.push_back({std::string(name), *n, from});
  return true;
}

// "Cached: 192.168.99.0/24 dev br-ex GW 192.168.99.1 SRC 192.168.99.24 local"
bool read_route(std::string_view line, Datapath& d, Provenance from) {
  const bool user = line.starts_with("User: ");
  if (!user && !line.starts_with("Cached: ")) return false;
  const auto w = words_of(line.substr(line.find(' ')));
  if (w.empty()) return false;
  std::string destination(w[0]);
  if (destination.starts_with("::ffff:")) destination.erase(0, 7);
  auto prefix = Prefix::parse(destination);
  if (!prefix) return false;
  TunnelRoute r;
  r.destination = *prefix;
  r.user = user;
  r.from = from;
  for (std::size_t i = 1; i < w.size(); ++i) {
    if (w[i] == "local") {
      r.local = true;
    } else if (i + 1 < w.size()) {
      if (w[i] == "dev")
        r.device = std::string(w[++i]);
      else if (w[i] == "GW")
        r.gateway = IpAddr::parse(w[++i]);
      else if (w[i] == "SRC")
        r.source = IpAddr::parse(w[++i]);
      else if (w[i] == "MARK")
        r.mark = number<std::uint32_t>(w[++i]);
    }
  }
  d.routes.push_back(std::move(r));
  return true;
}

// "192.168.99.23                                 00:50:56:8e:2a:31   br-ex"
bool read_neighbour(std::string_view line, Datapath& d, Provenance from) {
  const auto w = words_of(line);
  if (w.size() < 3) return false;
  const auto address = IpAddr::parse(w[0]);
  const auto mac = MacAddr::parse(w[1]);
  if (!address || !mac) return false;
  d.neighbours.push_back({*address, *mac, std::string(w[2]), from});
  return true;
}

// "genev_sys_6081 (5) : eth(dst=…),eth_type(0x0800),ipv4(dst=…,proto=17,frag=no),udp(dst=6081)"
bool read_tunnel_end(std::string_view line, Datapath& d, Provenance from) {
  const auto n = number<std::uint32_t>(behind(line, "(", ")"));
  const auto mac = MacAddr::parse(behind(line, "eth(dst=", ")"));
  const std::string_view v4 = behind(line, "ipv4(dst=", ",)"), v6 = behind(line, "ipv6(dst=", ",)");
  const auto address = IpAddr::parse(v4.empty() ? v6 : v4);
  const auto proto = number<unsigned>(behind(line, "proto=", ",)"));
  if (!n || !mac || !address || !proto) return false;
  TunnelEnd e{*n, *mac, *address, static_cast<std::uint8_t>(*proto), {}, from};
  e.udp_port = number<std::uint16_t>(behind(line, "udp(dst=", ",)"));
  d.tunnel_ends.push_back(e);
  return true;
}

enum class Kind { none, ports, tunnels, routes, neighbours, ends };

Kind kind_of(std::string_view line, std::string_view next) {
  if (line.find('@') != std::string_view::npos && next.starts_with("  lookups:")) return Kind::ports;
  if (line.starts_with("port ") && line.find("dp port=") != std::string_view::npos) return Kind::tunnels;
  if (line.starts_with("Route Table:")) return Kind::routes;
  if (const auto w = words_of(line); w.size() == 3 && w[0] == "IP" && w[1] == "MAC" && w[2] == "Bridge")
    return Kind::neighbours;
  if (line.starts_with("Listening ports:")) return Kind::ends;
  return Kind::none;
}

}  // namespace

bool read_datapath_text(std::string_view text, SourceId source, Datapath& d) {
  Kind kind = Kind::none;
  std::uint32_t at = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Provenance from{source, ++at};
    if (line.empty() || line.starts_with('#')) continue;
    if (kind == Kind::none) {
      kind = kind_of(line, text);
      if (kind == Kind::none) return false;
      d.has_routes |= kind == Kind::routes;
      d.has_neighbours |= kind == Kind::neighbours;
    }
    switch (kind) {
      case Kind::ports:
        if (!read_port(line, d, from)) read_datapath_name(line, d);
        break;
      case Kind::tunnels:
        read_tunnel(line, d, from);
        break;
      case Kind::routes:
        read_route(line, d, from);
        break;
      case Kind::neighbours:
        read_neighbour(line, d, from);
        break;
      case Kind::ends:
        read_tunnel_end(line, d, from);
        break;
      case Kind::none:
        break;
    }
  }
  return kind != Kind::none;
}

Datapath read_datapath(const cluster::Cluster& cluster, const cluster::Node& node) {
  Datapath d;
  for (const cluster::DumpInfo& info : cluster.dumps) {
    if (info.node != node.name || info.source == kNoSource) continue;
    // Only small dumps of ovs-appctl are asked for their content.
    constexpr std::size_t kLargest = std::size_t{1} << 22;
    const std::string_view text = cluster.sources->at(info.source).text;
    if (text.size() <= kLargest && (info.kind == "unknown" || info.kind.empty()))
      read_datapath_text(text, info.source, d);
  }
  return d;
}

}  // namespace egt::parsers
