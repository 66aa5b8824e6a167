// `ss -tulpn`, `netstat -tulpn` and their like: which ports processes listen on.
#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "egtrace/packet/packet.h"
#include "system/formats.h"
#include "system/socket_line.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::uint8_t, 3> kProtocols = {ip_proto::tcp, ip_proto::udp, ip_proto::sctp};

// What the command asked for; where no command is known, what the header of netstat shows.
struct SocketFilter {
  bool listening = false;               // -l or -a
  bool filtered = false;                // ss: "sport = :22", "state established"
  std::vector<std::uint8_t> protocols;  // empty: all
  std::vector<Family> families;         // empty: both
};

void add_flags(std::string_view letters, bool netstat, SocketFilter& asked) {
  for (const char c : letters) {
    if (c == 'l' || c == 'a') asked.listening = true;
    if (c == 't') asked.protocols.push_back(ip_proto::tcp);
    if (c == 'u') asked.protocols.push_back(ip_proto::udp);
    if (c == 'S') asked.protocols.push_back(ip_proto::sctp);
    if (c == '4') asked.families.push_back(Family::v4);
    if (c == '6') asked.families.push_back(Family::v6);
    if (c == 'x' || (c == 'w' && !netstat)) asked.protocols.push_back(0);
  }
}

SocketFilter asked_by(const Dump& dump) {
  SocketFilter asked;
  const bool netstat = command_has(dump, "netstat");
  for (const std::string_view word : words_behind(dump, netstat ? "netstat" : "ss")) {
    if (word == "|") asked.filtered = true;
    if (word == "--listening" || word == "--all")
      asked.listening = true;
    else if (word.starts_with("--"))
      continue;
    else if (word.starts_with('-'))
      add_flags(word.substr(1), netstat, asked);
    else
      asked.filtered = true;
  }
  return asked;
}

// The first lines, among which a header is.
bool has_socket_header(std::string_view text) {
  SocketColumns columns;
  for (int i = 0; i < 4 && !text.empty(); ++i)
    if (read_socket_line(next_line(text), columns).kind == SocketKind::header && columns.tool != SocketColumns::Tool::none)
      return true;
  return false;
}

Recognition recognise(const Dump& dump) {
  if (!has_socket_header(dump.text)) return {};
  return {90, topic_of(dump, "sockets", is_other_namespace(dump)), dump.partial ? 1 : 10};
}

void count_socket(const Line& line, const SocketLine& parsed, LineReport& report) {
  if (parsed.kind == SocketKind::unknown) return report.not_understood(line, 1, "no line of ss or netstat");
  if (parsed.kind == SocketKind::socket) return report.understood();
  report.ignored();
}

template <class Take>
void read_sockets(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  SocketColumns columns;
  for (Line line; reader.next(line);) {
    const SocketLine parsed = read_socket_line(line.text, columns);
    count_socket(line, parsed, lines);
    take(line, parsed);
  }
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_sockets(dump, report, [&](const Line& line, const SocketLine& parsed) {
    print_socket_line(parsed, out);
    out += line.end;
  });
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"sockets", Json::array()}};
  read_sockets(dump, report, [&](const Line&, const SocketLine& s) {
    if (s.kind != SocketKind::socket) return;
    document["sockets"].push_back({{"proto", s.proto == 0 ? Json(nullptr) : Json(proto_name(s.proto, Family::v4))},
                                   {"listening", s.listening},
                                   {"address", s.address ? Json(s.address->to_string()) : Json("*")},
                                   {"port", s.port ? Json(*s.port) : Json(nullptr)},
                                   {"process", s.process.empty() ? Json(nullptr) : Json(s.process)}});
  });
  append_json(document, out);
}

template <class T>
bool has(const std::vector<T>& all, T one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

template <class T>
bool is_asked(const std::vector<T>& asked, T one) {
  return asked.empty() || has(asked, one);
}

// "::ffff:10.0.0.1" is how a socket of IPv6 takes an address of IPv4.
std::optional<IpAddr> without_mapping(const std::optional<IpAddr>& address) {
  if (!address || address->is_v4() || address->value >> 32 != 0xffff) return address;
  return IpAddr::v4(static_cast<std::uint32_t>(low64(address->value)));
}

using host::Accepts;

// Which families a line names. ss writes "*" for a socket of both, "0.0.0.0" and "[::]" for one of either; before iproute2 4.17
// "*" for one of IPv4 and "::" for one of IPv6, of both or not, which netstat does too.
void set_families(const SocketLine& line, bool old_style, host::ListeningSocket& socket) {
  socket.address = without_mapping(line.address);
  if (!socket.address) {
    socket.ipv4 = Accepts::yes;
    socket.ipv6 = old_style ? Accepts::perhaps : Accepts::yes;
    return;
  }
  (socket.address->is_v4() ? socket.ipv4 : socket.ipv6) = Accepts::yes;
  if (!socket.address->is_unspecified()) return;
  if (!socket.address->is_v4() && !line.bracketed) socket.ipv4 = Accepts::perhaps;
  socket.address.reset();
}

bool is_new_style(const SocketLine& line) {
  return line.bracketed || (line.address && line.address->is_v4() && line.address->is_unspecified());
}

struct Listening {
  std::vector<std::pair<SocketLine, Provenance>> lines;
  std::vector<std::uint8_t> unreadable;  // protocols of which a port is printed by name
  bool all_lines = true;
  bool new_style = false;
};

Listening listening_in(const Dump& dump, const SocketFilter& asked, Report& report) {
  Listening found;
  read_sockets(dump, report, [&](const Line& line, SocketLine s) {
    found.all_lines &= s.kind != SocketKind::unknown;
    found.new_style |= is_new_style(s);
    if (s.kind != SocketKind::socket || !s.listening) return;
    if (s.proto == 0 && asked.protocols.size() == 1) s.proto = asked.protocols.front();
    if (s.proto == 0) return;
    if (!s.port)
      found.unreadable.push_back(s.proto);
    else
      found.lines.emplace_back(std::move(s), Provenance{dump.source, line.number});
  });
  return found;
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const SocketFilter asked = asked_by(dump);
  const Listening found = listening_in(dump, asked, report);
  host::Sockets sockets;
  for (const auto& [line, from] : found.lines) {
    host::ListeningSocket socket;
    socket.proto = line.proto;
    socket.port = *line.port;
    socket.of_device = line.of_device;
    socket.from = from;
    set_families(line, !found.new_style, socket);
    sockets.listening.push_back(std::move(socket));
  }
  const bool whole = asked.listening && !asked.filtered && found.all_lines;
  for (const std::uint8_t proto : kProtocols)
    for (const Family family : {Family::v4, Family::v6})
      if (whole && !has(found.unreadable, proto) && is_asked(asked.protocols, proto) && is_asked(asked.families, family))
        sockets.complete.push_back({proto, family});
  node.host.sockets = {true, dump.partial, std::move(sockets), {dump.source, dump.first_line}};
}

}  // namespace

const Format& sockets_format() {
  static const Format format{"ss", "ss -tulpn", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
