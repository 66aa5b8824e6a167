#include "system/socket_line.h"

#include "egtrace/base/text.h"
#include "egtrace/packet/packet.h"

namespace egt::parsers::system {
namespace {

void split_words(std::string_view line, SocketLine& out) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t at = 0;
  while (at < line.size()) {
    const std::size_t begin = at;
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t word = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (word == at)
      out.tail = line.substr(begin);
    else
      out.words.push_back({line.substr(begin, word - begin), line.substr(word, at - word)});
  }
}

std::string_view word_at(const SocketLine& line, std::size_t i) { return i < line.words.size() ? line.words[i].text : ""; }

// "tcp", netstat's "tcp6", "udplite" is none.
std::uint8_t protocol_of(std::string_view word) {
  if (word.ends_with('6')) word.remove_suffix(1);
  if (word == "tcp") return ip_proto::tcp;
  if (word == "udp") return ip_proto::udp;
  return word == "sctp" ? ip_proto::sctp : std::uint8_t{0};
}

// "0.0.0.0:22", "[::]:22", "127.0.0.53%lo:53", "*:80", netstat's ":::22".
bool read_local(std::string_view text, SocketLine& out) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  out.bracketed = host.starts_with('[');
  out.of_device = host.find('%') != std::string_view::npos;
  if (out.bracketed) host.remove_prefix(1);
  host = host.substr(0, host.find_first_of("]%"));
  if (host != "*") {
    out.address = IpAddr::parse(host);
    if (!out.address) return false;
  }
  const auto port = parse_u64(text.substr(colon + 1));
  if (port && *port <= 0xffff) out.port = static_cast<std::uint16_t>(*port);
  return true;
}

bool is_any_peer(std::string_view peer) { return peer.ends_with(":*"); }

// users:(("sshd",pid=1,fd=3))
std::string process_of(const SocketLine& line) {
  for (const SpacedWord& word : line.words) {
    const std::size_t begin = word.text.find("((\"");
    if (begin == std::string_view::npos) continue;
    const std::string_view rest = word.text.substr(begin + 3);
    return std::string(rest.substr(0, rest.find('"')));
  }
  return {};
}

bool read_header(SocketLine& line, SocketColumns& columns) {
  const std::string_view first = word_at(line, 0);
  if (first == "Active") {
    columns = {SocketColumns::Tool::netstat, true, word_at(line, 1) == "Internet"};
    return true;
  }
  if (first == "Proto") {
    columns = {SocketColumns::Tool::netstat, true, word_at(line, 1) == "Recv-Q"};
    return true;
  }
  if ((first != "Netid" && first != "State") || word_at(line, first == "Netid" ? 2 : 1) != "Recv-Q") return false;
  columns = {SocketColumns::Tool::ss, first == "Netid", true};
  return true;
}

// Netid State Recv-Q Send-Q Local Peer …, the first only where the header has it.
SocketKind read_ss(SocketLine& line, const SocketColumns& columns) {
  if (!line.words.front().blanks.empty()) return SocketKind::other;  // -i prints a second line for each socket
  const std::size_t state = columns.has_protocol ? 1 : 0;
  if (columns.has_protocol && (line.proto = protocol_of(word_at(line, 0))) == 0) return SocketKind::other;
  if (line.words.size() < state + 5 || !read_local(word_at(line, state + 3), line)) return SocketKind::unknown;
  const std::string_view name = word_at(line, state);
  line.listening = name == "LISTEN" || (name == "UNCONN" && is_any_peer(word_at(line, state + 4)));
  return SocketKind::socket;
}

// Proto Recv-Q Send-Q Local Foreign State …; UDP has no state.
SocketKind read_netstat(SocketLine& line, const SocketColumns& columns) {
  line.proto = protocol_of(word_at(line, 0));
  if (!columns.is_internet || line.proto == 0) return SocketKind::other;
  if (line.words.size() < 5 || !read_local(word_at(line, 3), line)) return SocketKind::unknown;
  line.listening = line.proto == ip_proto::udp ? is_any_peer(word_at(line, 4)) : word_at(line, 5) == "LISTEN";
  return SocketKind::socket;
}

}  // namespace

SocketLine read_socket_line(std::string_view text, SocketColumns& columns) {
  SocketLine line;
  split_words(text, line);
  if (line.words.empty()) {
    line.kind = SocketKind::blank;
  } else if (read_header(line, columns)) {
    line.kind = SocketKind::header;
  } else if (columns.tool != SocketColumns::Tool::none) {
    line.kind = columns.tool == SocketColumns::Tool::ss ? read_ss(line, columns) : read_netstat(line, columns);
    line.process = process_of(line);
  }
  return line;
}

void print_socket_line(const SocketLine& line, std::string& out) {
  for (const SpacedWord& word : line.words) {
    out += word.blanks;
    out += word.text;
  }
  out += line.tail;
}

}  // namespace egt::parsers::system
