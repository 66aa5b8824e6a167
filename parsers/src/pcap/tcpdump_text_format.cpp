// The lines that tcpdump prints (tcpdump(1), "Output format"), with or without -e, -v, -i any and any kind of time.
#include <algorithm>
#include <array>
#include <string>

#include "egtrace/base/text.h"
#include "pcap/readers.h"

namespace egt::parsers::pcap {
namespace {

using capture::Direction;
using capture::Frame;
using capture::Headers;
namespace tcp_flag = capture::tcp_flag;

constexpr std::uint8_t kProtoIcmp = 1, kProtoTcp = 6, kProtoUdp = 17, kProtoIcmp6 = 58, kProtoSctp = 132;
constexpr int kMostNested = 4;

void skip_blanks(std::string_view& s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
}

bool take(std::string_view& s, std::string_view word) {
  if (!s.starts_with(word)) return false;
  s.remove_prefix(word.size());
  return true;
}

std::string_view peek_word(std::string_view s) { return s.substr(0, s.find(' ')); }

std::string_view take_word(std::string_view& s) {
  const std::string_view word = peek_word(s);
  s.remove_prefix(word.size());
  skip_blanks(s);
  return word;
}

// The number behind `key` ("seq 123", "vni 0x5"), up to what is no digit.
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(at + key.size());
  std::size_t end = rest.starts_with("0x") ? 2 : 0;
  const bool hexadecimal = end == 2;
  while (end < rest.size() && (is_digit(rest[end]) || (hexadecimal && rest[end] >= 'a' && rest[end] <= 'f'))) ++end;
  return parse_u64(rest.substr(0, end));
}

// "12:34:56.789012" as nanoseconds since midnight; "1700000000.123456" since 1970.
std::optional<std::int64_t> parse_clock(std::string_view word) {
  const std::size_t dot = word.find('.');
  const std::string_view whole = word.substr(0, dot);
  std::int64_t fraction = 0;
  if (dot != std::string_view::npos) {
    const std::string_view digits = word.substr(dot + 1);
    if (digits.empty() || digits.size() > 9 || !std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
    for (std::size_t i = 0; i < 9; ++i) fraction = fraction * 10 + (i < digits.size() ? digits[i] - '0' : 0);
  }
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (whole.size() == 8 && whole[2] == ':' && whole[5] == ':') {
    const auto h = parse_decimal(whole.substr(0, 2)), m = parse_decimal(whole.substr(3, 2)),
               s = parse_decimal(whole.substr(6, 2));
    if (!h || !m || !s) return std::nullopt;
    return static_cast<std::int64_t>(*h * 3600 + *m * 60 + *s) * kSecond + fraction;
  }
  if (dot == std::string_view::npos || whole.size() > 10) return std::nullopt;
  const auto seconds = parse_decimal(whole);
  if (!seconds) return std::nullopt;
  return static_cast<std::int64_t>(*seconds) * kSecond + fraction;
}

// Days since 1970 of "2026-11-21" (proleptic Gregorian calendar).
std::optional<std::int64_t> parse_date(std::string_view word) {
  if (word.size() != 10 || word[4] != '-' || word[7] != '-') return std::nullopt;
  const auto year = parse_decimal(word.substr(0, 4)), month = parse_decimal(word.substr(5, 2)),
             day = parse_decimal(word.substr(8, 2));
  if (!year || !month || !day || *month < 1 || *month > 12) return std::nullopt;
  const auto y = static_cast<std::int64_t>(*year) - (*month <= 2 ? 1 : 0);
  const std::int64_t m = (static_cast<std::int64_t>(*month) + 9) % 12;
  return 365 * y + y / 4 - y / 100 + y / 400 + (m * 306 + 5) / 10 + static_cast<std::int64_t>(*day) - 1 - 719468;
}

bool take_time(std::string_view& s, Frame& frame) {
  std::string_view rest = s;
  std::int64_t days = 0;
  if (const auto date = parse_date(peek_word(rest))) {
    days = *date;
    take_word(rest);
  }
  const auto clock = parse_clock(peek_word(rest));
  if (!clock) return false;
  take_word(rest);
  frame.time = *clock + days * 86'400 * std::int64_t{1'000'000'000};
  s = rest;
  return true;
}

// What tcpdump calls ports without -n, as far as it is common.
std::optional<std::uint16_t> port_number(std::string_view name) {
  struct PortName {
    std::string_view name;
    std::uint16_t port;
  };
  static constexpr PortName kNames[] = {{"http", 80},   {"https", 443},     {"domain", 53},     {"ssh", 22},    {"ntp", 123},
                                        {"bgp", 179},   {"http-alt", 8080}, {"webcache", 8080}, {"bootps", 67}, {"bootpc", 68},
                                        {"mdns", 5353}, {"geneve", 6081},   {"vxlan", 4789},    {"syslog", 514}};
  for (const PortName& n : kNames)
    if (n.name == name) return n.port;
  const auto number = parse_decimal(name);
  if (!number || *number > 0xffff) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

struct End {
  IpAddr address;
  std::uint16_t port = 0;
  bool has_port = false;
};

std::optional<End> parse_end(std::string_view word) {
  if (const auto address = IpAddr::parse(word)) return End{*address, 0, false};
  const std::size_t dot = word.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto address = IpAddr::parse(word.substr(0, dot));
  const auto port = port_number(word.substr(dot + 1));
  if (!address || !port) return std::nullopt;
  return End{*address, *port, true};
}

std::uint8_t parse_flags(std::string_view letters) {
  std::uint8_t flags = 0;
  for (const char c : letters) {
    if (c == 'S') flags |= tcp_flag::syn;
    if (c == 'F') flags |= tcp_flag::fin;
    if (c == 'R') flags |= tcp_flag::rst;
    if (c == 'P') flags |= tcp_flag::psh;
    if (c == '.') flags |= tcp_flag::ack;
  }
  return flags;
}

void read_tcp(std::string_view rest, Headers& h) {
  h.proto = kProtoTcp;
  const std::size_t open = rest.find('['), close = rest.find(']');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close)
    h.tcp_flags = parse_flags(rest.substr(open + 1, close - open - 1));
  // Only the SYN's numbers are absolute (and its answer's); tcpdump counts the others from there.
  if (h.tcp_flags & tcp_flag::syn) {
    const auto seq = number_after(rest, ", seq ");
    h.has_seq = seq.has_value();
    h.seq = static_cast<std::uint32_t>(seq.value_or(0));
    h.ack = static_cast<std::uint32_t>(number_after(rest, ", ack ").value_or(0));
  }
  h.payload_bytes = static_cast<std::uint32_t>(number_after(rest, ", length ").value_or(0));
}

struct IcmpWords {
  std::string_view words;
  std::uint8_t type, code;
};

// What an ICMP error shows of the packet that it is about: "ICMP 10.0.0.1 tcp port 80 unreachable".
void read_icmp_error(std::string_view rest, Frame& frame) {
  static constexpr IcmpWords kV4[] = {{"admin prohibited filter", 3, 13},
                                      {"admin prohibited", 3, 10},
                                      {" port ", 3, 3},
                                      {"protocol ", 3, 2},
                                      {"need to frag", 3, 4},
                                      {"net ", 3, 0},
                                      {"host ", 3, 1}};
  static constexpr IcmpWords kV6[] = {{"unreachable prohibited", 1, 1}, {"unreachable route", 1, 0}, {"beyond scope", 1, 2},
                                      {"unreachable address", 1, 3},    {"unreachable port", 1, 4},  {" port ", 1, 4}};
  Headers& h = frame.ip;
  if (rest.find("time exceeded") != std::string_view::npos) {
    h.icmp_type = h.proto == kProtoIcmp ? 11 : 3;
    return;
  }
  if (rest.find("unreachable") == std::string_view::npos) {
    h.icmp_type = 255;  // some other message
    return;
  }
  h.icmp_type = h.proto == kProtoIcmp ? 3 : 1;
  const auto decide = [&](const auto& table) {
    for (const IcmpWords& w : table)
      if (rest.find(w.words) != std::string_view::npos) {
        h.icmp_code = w.code;
        return;
      }
  };
  if (h.proto == kProtoIcmp)
    decide(kV4);
  else
    decide(kV6);
  Headers quoted;
  quoted.src = h.dst;
  for (std::string_view left = rest; !left.empty();) {
    std::string_view word = take_word(left);
    while (!word.empty() && (word.back() == ',' || word.back() == ':')) word.remove_suffix(1);
    if (const auto address = IpAddr::parse(word)) quoted.dst = *address;
    if (word == "tcp") quoted.proto = kProtoTcp;
    if (word == "udp") quoted.proto = kProtoUdp;
    if (word == "port") quoted.dport = port_number(peek_word(left).substr(0, peek_word(left).find(','))).value_or(0);
  }
  if (!quoted.dst.is_unspecified()) frame.quoted = quoted;
}

void read_icmp(std::string_view rest, Frame& frame) {
  Headers& h = frame.ip;
  const bool request = rest.find("echo request") != std::string_view::npos;
  const bool reply = rest.find("echo reply") != std::string_view::npos;
  if (!request && !reply) return read_icmp_error(rest, frame);
  h.icmp_type = h.proto == kProtoIcmp ? (request ? 8 : 0) : (request ? 128 : 129);
  h.sport = h.dport = static_cast<std::uint16_t>(number_after(rest, "id ").value_or(0));
  h.icmp_seq = static_cast<std::uint16_t>(number_after(rest, "seq ").value_or(0));
  h.payload_bytes = static_cast<std::uint32_t>(number_after(rest, "length ").value_or(0));
}

bool read_ip(std::string_view text, Frame& frame, int depth);

// Without -n a vendor stands behind each MAC.
void skip_vendor(std::string_view& s) {
  if (!s.starts_with("(oui ")) return;
  s.remove_prefix(std::min(s.size(), s.find(')') == std::string_view::npos ? s.size() : s.find(')') + 1));
  skip_blanks(s);
}

// With -e the Ethernet header of the packet inside a tunnel: "MAC > MAC, ethertype IPv4 (0x0800), length 74: ". Cuts it off.
bool take_inner_header(std::string_view& text, Frame& frame) {
  const std::size_t type = text.find(", ethertype IP");
  if (type == std::string_view::npos) return false;
  std::optional<MacAddr> from, to;
  for (std::string_view head = text.substr(0, type); !head.empty();)
    if (const auto mac = MacAddr::parse(take_word(head))) {
      from = to;
      to = mac;
    }
  const std::size_t colon = text.find(": ", type);
  if (!from || colon == std::string_view::npos) return false;
  frame.smac = from;
  frame.dmac = to;
  frame.vlan.reset();
  text.remove_prefix(colon + 2);
  return true;
}

// "Geneve, Flags [C], vni 0x5, options [8 bytes]: IP …", "VXLAN, flags [I] (0x08), vni 5 IP …"
bool read_tunnel(std::string_view rest, Frame& frame, int depth) {
  const bool geneve = rest.starts_with("Geneve"), vxlan = rest.starts_with("VXLAN");
  if (!geneve && !vxlan) return false;
  const auto vni = number_after(rest, "vni ");
  std::size_t inner = std::string_view::npos;
  for (const std::string_view begin : {" IP ", " IP6 ", "): (", ": ("})
    if (const std::size_t at = rest.find(begin); at != std::string_view::npos) inner = std::min(inner, at);
  Frame in = frame;
  const bool has_header = take_inner_header(rest, in);
  if (!vni || (!has_header && inner == std::string_view::npos)) return false;
  if (!in.tunnel)
    in.tunnel = capture::Tunnel{geneve ? "geneve" : "vxlan", frame.ip.src, frame.ip.dst, static_cast<std::uint32_t>(*vni)};
  in.ip = Headers{};
  std::string_view text = has_header ? rest : rest.substr(inner);
  while (!text.empty() && (text.front() == ' ' || text.front() == ':' || text.front() == ')')) text.remove_prefix(1);
  if (!read_ip(text, in, depth + 1)) return false;
  frame = in;
  return true;
}

// "IP (tos …, ttl 64, …) 10.0.0.1.1 > 10.0.0.2.80: …"; without -e's header.
bool read_ip(std::string_view text, Frame& frame, int depth) {
  if (depth > kMostNested) return false;
  take(text, "IP6 ");
  take(text, "IP ");
  skip_blanks(text);
  Headers h;
  if (text.starts_with("(")) {
    int open = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end) {
      if (text[end] == '(') ++open;
      if (text[end] == ')' && --open == 0) break;
    }
    const std::string_view header = text.substr(0, end);
    h.ttl = static_cast<std::uint8_t>(number_after(header, "ttl ").value_or(number_after(header, "hlim ").value_or(0)));
    text.remove_prefix(std::min(text.size(), end + 1));
    skip_blanks(text);
  }
  const std::size_t arrow = text.find(" > ");
  if (arrow == std::string_view::npos) return false;
  const auto from = parse_end(text.substr(0, arrow));
  text.remove_prefix(arrow + 3);
  const std::size_t colon = text.find(": ");
  if (!from || colon == std::string_view::npos) return false;
  const auto to = parse_end(text.substr(0, colon));
  if (!to) return false;
  std::string_view rest = text.substr(colon + 2);
  h.src = from->address;
  h.dst = to->address;
  h.sport = from->port;
  h.dport = to->port;
  frame.ip = h;
  while (rest.starts_with("[")) {  // "[udp sum ok] Geneve, …"
    const std::size_t close = rest.find("] ");
    if (close == std::string_view::npos) break;
    rest.remove_prefix(close + 2);
  }
  if (to->has_port && read_tunnel(rest, frame, depth)) return true;
  const std::size_t icmp6 = rest.find("ICMP6");
  if (rest.starts_with("Flags ["))
    read_tcp(rest, frame.ip);
  else if (icmp6 != std::string_view::npos && !from->has_port) {
    frame.ip.proto = kProtoIcmp6;
    read_icmp(rest, frame);
  } else if (rest.starts_with("ICMP")) {
    frame.ip.proto = kProtoIcmp;
    read_icmp(rest, frame);
  } else if (from->has_port) {
    frame.ip.proto = rest.starts_with("sctp") ? kProtoSctp : kProtoUdp;
    frame.ip.payload_bytes = static_cast<std::uint32_t>(number_after(rest, "length ").value_or(0));
  }
  return true;
}

std::optional<Direction> direction_word(std::string_view word) {
  if (word == "In" || word == "M" || word == "B" || word == "P") return Direction::in;
  if (word == "Out") return Direction::out;
  return std::nullopt;
}

enum class LineKind { packet, other_protocol, not_understood };

class TextReader {
 public:
  explicit TextReader(const TakeFrame& take) : take_(take) { capture_.format = "tcpdump text"; }

  capture::Capture read(std::string_view bytes) {
    std::string packet;
    std::uint64_t line = 0, first = 0;
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      std::string_view text = bytes.substr(0, end);
      bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
      ++line;
      if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
      if (text.empty() || text.front() == '#') continue;
      if (continues(text, packet)) {
        skip_blanks(text);
        constexpr std::size_t kLongest = 4096;  // hexadecimal dumps (-x) are of no use
        if (text.starts_with("0x") || packet.size() + text.size() > kLongest) continue;
        packet += ' ';
        packet += text;
        continue;
      }
      finish(packet, first);
      packet = text;
      first = line;
    }
    finish(packet, first);
    if (capture_.interfaces.empty()) capture_.interfaces.push_back({});
    return std::move(capture_);
  }

 private:
  static bool continues(std::string_view text, const std::string& before) {
    if (text.front() == ' ' || text.front() == '\t') return true;
    return before.find("VXLAN") != std::string::npos && (text.starts_with("IP ") || text.starts_with("IP6 "));
  }

  void finish(const std::string& packet, std::uint64_t line) {
    if (packet.empty() || is_chatter(packet)) return;
    Frame frame;
    frame.number = ++capture_.frames;
    switch (read_packet(packet, frame)) {
      case LineKind::packet: return take_(frame);
      case LineKind::other_protocol: ++capture_.not_ip; return;
      case LineKind::not_understood: break;
    }
    ++capture_.not_understood;
    if (capture_.first_not_understood == 0) capture_.first_not_understood = line;
  }

  // What tcpdump prints beside packets.
  static bool is_chatter(std::string_view s) {
    return s.starts_with("tcpdump:") || s.starts_with("listening on") || s.starts_with("reading from") ||
           s.starts_with("dropped privs") || s.find(" packets captured") != std::string_view::npos ||
           s.find(" packets received by filter") != std::string_view::npos ||
           s.find(" packets dropped by kernel") != std::string_view::npos ||
           s.find(" packets dropped by interface") != std::string_view::npos;
  }

  LineKind read_packet(std::string_view s, Frame& frame) {
    take_time(s, frame);
    frame.interface = device(s, frame);
    link_header(s, frame);
    for (const std::string_view other :
         {"ARP", "STP", "LLDP", "EAPOL", "IS-IS", "MPLS", "ethertype", "Request who-has", "Reply ", "Ethernet (len"})
      if (s.starts_with(other)) return LineKind::other_protocol;
    return read_ip(s, frame, 0) ? LineKind::packet : LineKind::not_understood;
  }

  // "enp1s0 Out IP …" of -i any; the interface's index in the list.
  std::uint32_t device(std::string_view& s, Frame& frame) {
    std::string_view rest = s;
    const std::string_view name = take_word(rest);
    const auto direction = direction_word(peek_word(rest));
    if (!direction) return interface_of("");
    take_word(rest);
    frame.direction = *direction;
    s = rest;
    return interface_of(name == "?" ? "" : name);
  }

  std::uint32_t interface_of(std::string_view name) {
    for (std::size_t i = 0; i < capture_.interfaces.size(); ++i)
      if (capture_.interfaces[i].name == name) return static_cast<std::uint32_t>(i);
    constexpr std::size_t kMost = 4096;
    if (capture_.interfaces.size() == kMost) return 0;
    capture_.interfaces.push_back({std::string(name), false});
    return static_cast<std::uint32_t>(capture_.interfaces.size() - 1);
  }

  // What -e puts in front: "ifindex 3 MAC", "MAC > MAC, ethertype IPv4 (0x0800), length 74: ".
  static void link_header(std::string_view& s, Frame& frame) {
    if (take(s, "ifindex ")) frame.ifindex = static_cast<std::uint32_t>(parse_decimal(take_word(s)).value_or(0));
    std::string_view rest = s;
    const auto from = MacAddr::parse(take_word(rest));
    if (!from) return;
    frame.smac = from;
    skip_vendor(rest);
    if (take(rest, "> ")) {
      std::string_view to = take_word(rest);
      if (!to.empty() && to.back() == ',') to.remove_suffix(1);
      frame.dmac = MacAddr::parse(to);
    }
    if (const auto vlan = number_after(rest.substr(0, rest.find(": ")), "vlan ")) frame.vlan = static_cast<std::uint16_t>(*vlan);
    const std::size_t colon = rest.find(": ");
    s = colon == std::string_view::npos ? rest : rest.substr(colon + 2);
    // Behind a VLAN tag the ethertype comes once more: "vlan 5, p 0, ethertype IPv4 (0x0800), 10.0.0.1 > …".
    if (const std::size_t type = s.find("ethertype IP"); type != std::string_view::npos && type < 40)
      if (const std::size_t comma = s.find("), ", type); comma != std::string_view::npos) s.remove_prefix(comma + 3);
    if (frame.vlan == std::nullopt)
      if (const auto vlan = number_after(rest.substr(0, 120), " vlan ")) frame.vlan = static_cast<std::uint16_t>(*vlan);
  }

  const TakeFrame& take_;
  capture::Capture capture_;
};

}  // namespace

bool is_tcpdump_text(std::string_view bytes) {
  // One of the first lines is a packet.
  std::size_t lines = 0;
  bool found = false;
  const TakeFrame take = [&](const Frame&) { found = true; };
  constexpr std::size_t kLook = 16384;
  std::string_view head = bytes.substr(0, kLook);
  if (head.find('\0') != std::string_view::npos) return false;
  for (std::size_t at = 0; at < head.size() && lines < 64; ++lines) {
    at = head.find('\n', at);
    if (at == std::string_view::npos) break;
    ++at;
  }
  TextReader(take).read(head);
  return found;
}

Result<capture::Capture> read_tcpdump_text(std::string_view bytes, const TakeFrame& take) { return TextReader(take).read(bytes); }

}  // namespace egt::parsers::pcap
