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

// What the command asked for; where no command is known, what the header of netstat says.
struct Asked {
  bool listening = false;              // -l or -a
  bool filtered = false;               // ss: "sport = :22", "state established"
  std::vector<std::uint8_t> protocols; // empty: all
};

void add_flags(std::string_view letters, bool netstat, Asked& asked) {
  for (const char c : letters) {
    if (c == 'l' || c == 'a') asked.listening = true;
    if (c == 't') asked.protocols.push_back(ip_proto::tcp);
    if (c == 'u') asked.protocols.push_back(ip_proto::udp);
    if (c == 'S') asked.protocols.push_back(ip_proto::sctp);
    if (c == 'x' || (c == 'w' && !netstat)) asked.protocols.push_back(0);
  }
}

Asked asked_by(const Dump& dump) {
  Asked asked;
  const bool netstat = command_has(dump, "netstat");
  for (const std::string_view word : words_behind(dump, netstat ? "netstat" : "ss")) {
    if (word == "|") asked.filtered = true;
    if (word == "--listening" || word == "--all") asked.listening = true;
    else if (word.starts_with("--")) continue;
    else if (word.starts_with('-')) add_flags(word.substr(1), netstat, asked);
    else asked.filtered = true;
  }
  return asked;
}

// The first lines, among which a header is.
bool has_socket_header(std::string_view text) {
  SocketColumns columns;
  for (int i = 0; i < 4 && !text.empty(); ++i)
    if (read_socket_line(next_line(text), columns).kind == SocketKind::header && columns.tool != SocketColumns::Tool::none) return true;
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

bool is_asked(const Asked& asked, std::uint8_t proto) {
  return asked.protocols.empty() || std::find(asked.protocols.begin(), asked.protocols.end(), proto) != asked.protocols.end();
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const Asked asked = asked_by(dump);
  host::Sockets sockets;
  std::vector<std::uint8_t> unreadable;   // protocols of which a port is printed by name
  bool all_lines = true;
  read_sockets(dump, report, [&](const Line& line, const SocketLine& s) {
    all_lines &= s.kind != SocketKind::unknown;
    if (s.kind != SocketKind::socket || !s.listening) return;
    const std::uint8_t proto = s.proto != 0 ? s.proto : asked.protocols.size() == 1 ? asked.protocols.front() : std::uint8_t{0};
    if (proto == 0) return;
    if (!s.port) unreadable.push_back(proto);
    else sockets.listening.push_back({proto, s.address, *s.port, s.process, {dump.source, line.number}});
  });
  for (const std::uint8_t proto : kProtocols) {
    const bool named = std::find(unreadable.begin(), unreadable.end(), proto) != unreadable.end();
    if (asked.listening && !asked.filtered && all_lines && !named && is_asked(asked, proto)) sockets.complete.push_back(proto);
  }
  node.host.sockets = {true, dump.partial, std::move(sockets), {dump.source, dump.first_line}};
}

}  // namespace

const Format& sockets_format() {
  static const Format format{"ss", "ss -tulpn", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
