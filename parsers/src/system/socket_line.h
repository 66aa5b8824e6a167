// One line of ss(8) or netstat(8): which socket it shows, as far as listening goes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"

namespace egt::parsers::system {

// A word and the blanks before it.
struct SpacedWord {
  std::string_view blanks, text;
};

enum class SocketKind : std::uint8_t {
  blank,
  header,  // column titles, or netstat's "Active Internet connections"
  socket,  // of TCP, UDP or SCTP
  other,   // of another family, or what ss prints below a socket
  unknown,
};

struct SocketLine {
  SocketKind kind = SocketKind::unknown;
  std::vector<SpacedWord> words;
  std::string_view tail;              // blanks at the end
  std::uint8_t proto = 0;             // 0: the header has no column for it
  bool listening = false;             // TCP and SCTP: LISTEN; UDP: not connected
  std::optional<IpAddr> address;      // none: "*"
  bool bracketed = false;             // "[::]:22"
  bool of_device = false;             // "127.0.0.53%lo:53"
  std::optional<std::uint16_t> port;  // none: a name, as without -n
  std::string process;
};

// What the header shows of the lines below it.
struct SocketColumns {
  enum class Tool : std::uint8_t { none, ss, netstat } tool = Tool::none;
  bool has_protocol = false;  // ss: a column Netid
  bool is_internet = true;    // netstat: not the table of UNIX sockets
};

// `columns` changes with each header.
SocketLine read_socket_line(std::string_view line, SocketColumns& columns);
void print_socket_line(const SocketLine& line, std::string& out);

}  // namespace egt::parsers::system
