// The lines that pwru prints: since 1.0.6 in columns under a header, before with "name=value" behind the function.
// Where it prints packets' metadata (--output-skb) or stacks, their lines follow and are no events.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/packet/flow_key.h"
#include "kernel_events/interfaces.h"
#include "kernel_events/lines.h"
#include "kernel_events/problems.h"
#include "kernel_events/readers.h"

namespace egt::parsers::kernel_events {
namespace {

using capture::KernelEvent;

struct End {
  IpAddr address;
  std::uint16_t port = 0;
};

// "10.0.0.1:80", "[fd00::1]:80"; older ones print IPv6 without brackets.
std::optional<End> parse_end(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view ip = text.substr(0, colon);
  if (ip.starts_with('[') && ip.ends_with(']')) ip = ip.substr(1, ip.size() - 2);
  const auto address = IpAddr::parse(ip);
  const auto port = parse_decimal(text.substr(colon + 1));
  if (!address || !port || *port > 0xffff) return std::nullopt;
  return End{*address, static_cast<std::uint16_t>(*port)};
}

std::optional<std::uint8_t> parse_proto(std::string_view name) {
  if (name == "tcp") return ip_proto::tcp;
  if (name == "udp") return ip_proto::udp;
  if (name == "icmp") return ip_proto::icmp;
  if (name == "icmp6") return ip_proto::icmp6;
  return std::nullopt;
}

std::uint8_t parse_flags(std::string_view names) {
  static constexpr std::string_view kNames[] = {"FIN", "SYN", "RST", "PSH", "ACK"};  // of the bits
  std::uint8_t flags = 0;
  for (const std::string_view name : split(names, '|'))
    for (std::size_t bit = 0; bit < std::size(kNames); ++bit)
      if (kNames[bit] == name) flags = static_cast<std::uint8_t>(flags | 1u << bit);
  return flags;
}

// "10.0.0.1:1->10.0.0.2:80(tcp)", "…(tcp:SYN|ACK)"
bool read_tuple(std::string_view word, capture::Headers& h) {
  const std::size_t arrow = word.find("->"), open = word.rfind('(');
  if (arrow == std::string_view::npos || open == std::string_view::npos || open < arrow || !word.ends_with(')')) return false;
  const auto from = parse_end(word.substr(0, arrow)), to = parse_end(word.substr(arrow + 2, open - arrow - 2));
  std::string_view proto = word.substr(open + 1, word.size() - open - 2);
  const std::string_view name = take_until(proto, ':');
  const auto number = parse_proto(name);
  if (!from || !to || !number) return false;
  h.src = from->address;
  h.dst = to->address;
  h.proto = *number;
  if (*number == ip_proto::tcp || *number == ip_proto::udp) {
    h.sport = from->port;
    h.dport = to->port;
  }
  h.tcp_flags = parse_flags(proto);
  return true;
}

bool looks_like_tuple(std::string_view word) { return word.find("->") != std::string_view::npos && word.ends_with(')'); }

// "eth0:2", "2", "~ong-name:12": cut ones are known by their index alone.
struct Device {
  std::string_view name;
  std::uint32_t ifindex = 0;
};
Device parse_device(std::string_view word) {
  const std::size_t colon = word.rfind(':');
  const std::string_view number = colon == std::string_view::npos ? word : word.substr(colon + 1);
  const std::string_view name = colon == std::string_view::npos ? std::string_view{} : word.substr(0, colon);
  return {name.starts_with('~') ? std::string_view{} : name, static_cast<std::uint32_t>(parse_decimal(number).value_or(0))};
}

// "kfree_skb_reason(SKB_DROP_REASON_NO_SOCKET)", "sk_skb_reason_drop(…)", "ip_rcv", "cls_bpf(tc)"
void read_function(std::string_view word, capture::EventFacts& f) {
  const std::size_t open = word.find('(');
  const std::string_view name = word.substr(0, open);
  f.symbol = name;
  if (name != "kfree_skb_reason" && name != "sk_skb_reason_drop") return;
  f.drop = true;
  std::string_view reason = open == std::string_view::npos ? std::string_view{} : word.substr(open + 1, word.size() - open - 2);
  consume(reason, "SKB_DROP_REASON_");
  consume(reason, "SKB_");
  f.drop_reason = reason;
}

bool is_header(const std::vector<std::string_view>& parts) {
  return parts.size() > 3 && (parts[0] == "SKB" || parts[0] == "TIME") &&
         std::find(parts.begin(), parts.end(), "FUNC") != parts.end();
}

bool is_address(std::string_view word) { return word.size() > 6 && word.starts_with("0x") && parse_hex(word.substr(2)); }

class LineReader {
 public:
  explicit LineReader(const TakeEvent& take) : take_(take) {
    capture_.format = "pwru text";
    capture_.of_events = true;
  }

  capture::Capture read(std::string_view bytes) {
    for_each_line(bytes, [this](std::string_view text, std::uint64_t line) { read_line(text, line); });
    capture_.interfaces = std::move(interfaces_.list());
    return std::move(capture_);
  }

 private:
  void read_line(std::string_view text, std::uint64_t line) {
    const std::vector<std::string_view> parts = words(text);
    if (is_header(parts)) return read_header(parts);
    // The time of --timestamp absolute stands in front.
    const std::size_t first = parts.size() > 1 && parts[0].find('T') != std::string_view::npos ? 1 : 0;
    if (parts.size() < first + 4 || !is_address(parts[first])) return;  // metadata, a stack, messages of pwru
    ++capture_.frames;
    KernelEvent e;
    e.line = line;
    if (!read_parts(parts, first, e)) return note_problem(capture_, line, 0, "no function is named in this line of pwru", text);
    hand_on(e);
  }

  void read_header(const std::vector<std::string_view>& parts) {
    has_meta_ = false;
    for (const std::string_view part : parts) has_meta_ |= part == "NETNS";
    has_time_ = std::find(parts.begin(), parts.end(), "TIMESTAMP") != parts.end();
  }

  bool read_parts(const std::vector<std::string_view>& parts, std::size_t first, KernelEvent& e) {
    std::size_t at = first + 1;
    if (parse_decimal(parts[at])) ++at;  // CPU
    // The process may have blanks in its name, and is cut at its front.
    const std::size_t tuple = find_tuple(parts, at);
    for (const std::string_view part : parts) named_value(part);
    if (!is_named_) columns(parts, at, tuple == parts.size() ? parts.size() : tuple);
    const std::size_t function = is_named_ ? function_before_names(parts, at) : tuple < parts.size() ? tuple + 1 : last_column_;
    is_named_ = false;
    if (function >= parts.size()) return false;
    e.has_packet = tuple < parts.size() && read_tuple(parts[tuple], e.frame.ip);
    std::string function_text(parts[function]);
    if (function + 1 < parts.size() && parts[function + 1].starts_with('('))
      function_text += parts[function + 1];  // "kfree_skb_reason (2)"
    read_function(function_text, e.facts);
    return !e.facts.symbol.empty();
  }

  static std::size_t find_tuple(const std::vector<std::string_view>& parts, std::size_t at) {
    while (at < parts.size() && !looks_like_tuple(parts[at])) ++at;
    return at;
  }

  // "netns=4026531840 mark=0x0 iface=2(eth0) proto=0x0800 mtu=1500 len=60"
  void named_value(std::string_view part) {
    if (consume(part, "netns=")) {
      is_named_ = true;
      netns_ = static_cast<std::uint32_t>(parse_decimal(part).value_or(0));
    } else if (consume(part, "iface=")) {
      std::string_view rest = part;
      const std::string_view index = take_until(rest, '(');
      name_ = rest.ends_with(')') ? rest.substr(0, rest.size() - 1) : std::string_view{};
      ifindex_ = static_cast<std::uint32_t>(parse_u64(index).value_or(0));
    }
  }

  static std::size_t function_before_names(const std::vector<std::string_view>& parts, std::size_t at) {
    for (std::size_t i = at; i < parts.size(); ++i)
      if (parts[i].starts_with("netns=")) return i > at ? i - 1 : parts.size();
    return parts.size();
  }

  // "PROCESS [TIMESTAMP] NETNS MARK/x IFACE PROTO MTU LEN [cb] [TUPLE] FUNC": PROTO is the only one with 0x before LEN.
  void columns(const std::vector<std::string_view>& parts, std::size_t at, std::size_t end) {
    netns_ = ifindex_ = 0;
    name_ = {};
    last_column_ = parts.size();
    for (std::size_t i = at; i < end; ++i) {
      if (!parts[i].starts_with("0x") || i < at + 3) continue;
      const Device device = parse_device(parts[i - 1]);
      name_ = device.name;
      ifindex_ = device.ifindex;
      netns_ = static_cast<std::uint32_t>(parse_decimal(parts[i - 3]).value_or(0));
      last_column_ = i + 3;
      return;
    }
    if (!has_meta_) last_column_ = at + (has_time_ ? 2 : 1);
  }

  void hand_on(KernelEvent& e) {
    e.facts.netns = netns_;
    e.facts.interface = name_.empty() && ifindex_ == 0 ? 0 : interfaces_.index_of(name_, ifindex_, netns_);
    e.frame.number = e.line;
    e.frame.interface = e.facts.interface;
    ++capture_.events;
    capture_.events_without_packet += e.has_packet ? 0 : 1;
    take_(e);
  }

  const TakeEvent& take_;
  capture::Capture capture_;
  Interfaces interfaces_;
  bool has_meta_ = true, has_time_ = false, is_named_ = false;
  std::uint32_t netns_ = 0, ifindex_ = 0;
  std::string_view name_;
  std::size_t last_column_ = 0;
};

}  // namespace

bool is_pwru(std::string_view bytes) {
  constexpr std::size_t kLook = 16384;
  std::string_view head = bytes.substr(0, kLook);
  if (head.find('\0') != std::string_view::npos) return false;
  for (int lines = 0; lines < 64 && !head.empty(); ++lines) {
    const std::vector<std::string_view> parts = words(next_line(head));
    if (is_header(parts)) return true;
    const bool named = parts.size() > 4 && is_address(parts[0]);
    if (!named) continue;
    for (const std::string_view part : parts)
      if (looks_like_tuple(part) || part.starts_with("netns=")) return true;
  }
  return false;
}

Result<capture::Capture> read_pwru(std::string_view bytes, const TakeEvent& take) { return LineReader(take).read(bytes); }

}  // namespace egt::parsers::kernel_events
