#include "system/counter_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "egtrace/base/text.h"

namespace egt::parsers::system {
namespace {

CounterLine ignored_line() { return {CounterLine::Kind::ignored, {}}; }
CounterLine unknown_line() { return {CounterLine::Kind::unknown, {}}; }
CounterLine one_counter(std::string name, std::string device, std::uint64_t value) {
  CounterLine line{CounterLine::Kind::counters, {}};
  line.counters.push_back({std::move(name), std::move(device), value});
  return line;
}

bool is_counter_name(std::string_view s) {
  return !s.empty() &&
         s.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos &&
         !is_digit(s[0]);
}

// What netstat -s has in words; net-tools, statistics.c.
struct Words {
  std::string_view section, words, name;
};
constexpr Words kWords[] = {
    {"Ip", "with invalid headers", "IpInHdrErrors"},
    {"Ip", "with invalid addresses", "IpInAddrErrors"},
    {"Ip", "incoming packets discarded", "IpInDiscards"},
    {"Ip", "outgoing packets dropped", "IpOutDiscards"},
    {"Ip", "dropped because of missing route", "IpOutNoRoutes"},
    {"Ip", "fragments failed", "IpFragFails"},
    {"Ip", "packet reassembles failed", "IpReasmFails"},
    {"Ip", "packet reassemblies failed", "IpReasmFails"},
    {"Icmp", "input ICMP message failed", "IcmpInErrors"},
    {"Tcp", "bad segments received", "TcpInErrs"},
    {"Udp", "packets to unknown port received", "UdpNoPorts"},
    {"Udp", "packet receive errors", "UdpInErrors"},
    {"Udp", "receive buffer errors", "UdpRcvbufErrors"},
    {"Udp", "send buffer errors", "UdpSndbufErrors"},
    {"TcpExt", "times the listen queue of a socket overflowed", "TcpExtListenOverflows"},
    {"TcpExt", "SYNs to LISTEN sockets dropped", "TcpExtListenDrops"},
    {"TcpExt", "SYNs to LISTEN sockets ignored", "TcpExtListenDrops"},
};

std::string name_of_words(std::string_view section, std::string_view words) {
  while (!words.empty() && (words.back() == '.' || words.back() == ':')) words.remove_suffix(1);
  for (const Words& w : kWords)
    if (w.section == section && w.words == words) return std::string(w.name);
  return is_counter_name(words) ? std::string(section).append(words) : std::string(section).append(": ").append(words);
}

// Of node_exporter, by device: what the last part of the name is called by ethtool and ip.
struct Metric {
  std::string_view metric, name;
};
constexpr Metric kDeviceMetrics[] = {
    {"node_network_receive_drop_total", "rx_dropped"},      {"node_network_receive_errs_total", "rx_errors"},
    {"node_network_receive_fifo_total", "rx_fifo_errors"},  {"node_network_receive_frame_total", "rx_frame_errors"},
    {"node_network_transmit_drop_total", "tx_dropped"},     {"node_network_transmit_errs_total", "tx_errors"},
    {"node_network_transmit_fifo_total", "tx_fifo_errors"}, {"node_network_transmit_carrier_total", "tx_carrier_errors"},
    {"node_network_receive_packets_total", "rx_packets"},   {"node_network_transmit_packets_total", "tx_packets"},
};

std::optional<std::uint64_t> whole_number(std::string_view text) {
  if (const auto number = parse_decimal(text)) return number;
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr double kMost = 1.8e19;
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0) || value > kMost) return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

// The value of device="…" in {…}.
std::string_view label(std::string_view labels, std::string_view key) {
  const std::size_t at = labels.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = labels.substr(at + key.size());
  return rest.substr(0, rest.find('"'));
}

std::vector<std::string> strings(const std::vector<std::string_view>& words, std::size_t from) {
  return {words.begin() + static_cast<std::ptrdiff_t>(std::min(from, words.size())), words.end()};
}

// "dropped" under "RX:" is rx_dropped; under "RX errors:" "crc" is rx_crc_errors.
std::string device_counter(std::string_view side, std::string_view title) {
  const bool errors = side.ends_with("errors");
  std::string name = side.starts_with("RX") ? "rx_" : "tx_";
  name += title == "overrun" ? std::string_view("over") : title;
  const bool complete = title == "errors" || title == "dropped" || title == "bytes" || title == "packets" || title == "mcast" ||
                        title == "missed" || title == "collsns" || title == "transns";
  return errors || !complete ? name + "_errors" : name;
}

}  // namespace

CounterLine CounterReader::read(std::string_view line) {
  if (trim(line).empty()) return ignored_line();
  switch (dialect_) {
    case CounterDialect::nstat: return nstat(line);
    case CounterDialect::netstat: return netstat(line);
    case CounterDialect::proc_net: return proc_net(line);
    case CounterDialect::ethtool: return ethtool(line);
    case CounterDialect::metrics: return metric(line);
    case CounterDialect::ip_link: return ip_link(line);
  }
  return unknown_line();
}

// "IpInReceives                    1234               0.0"
CounterLine CounterReader::nstat(std::string_view line) {
  if (line.starts_with('#')) return ignored_line();
  const auto w = words(line);
  if (w.size() != 3 || !is_counter_name(w[0])) return unknown_line();
  const auto value = parse_decimal(w[1]);
  return value ? one_counter(std::string(w[0]), {}, *value) : unknown_line();
}

// "TcpExt:", "    12 SYNs to LISTEN sockets dropped", "    IPReversePathFilter: 3", "        echo requests: 2"
CounterLine CounterReader::netstat(std::string_view line) {
  if (!is_blank(line.front())) {
    const std::string_view name = trim(line);
    if (!name.ends_with(':') || !is_counter_name(name.substr(0, name.size() - 1))) return unknown_line();
    section_ = name.substr(0, name.size() - 1);
    return ignored_line();
  }
  const std::string_view text = trim(line);
  const std::size_t blank = text.find(' ');
  if (const auto value = parse_decimal(text.substr(0, blank)); value && blank != std::string_view::npos)
    return one_counter(name_of_words(section_, trim(text.substr(blank))), {}, *value);
  const std::size_t colon = text.rfind(": ");
  if (colon == std::string_view::npos) return text.ends_with(':') ? ignored_line() : number_between(text);
  const auto value = parse_decimal(trim(text.substr(colon + 2)));
  return value ? one_counter(name_of_words(section_, text.substr(0, colon)), {}, *value) : unknown_line();
}

// "Quick ack mode was activated 8 times"
CounterLine CounterReader::number_between(std::string_view text) const {
  for (const std::string_view word : words(text)) {
    const auto value = parse_decimal(word);
    if (!value) continue;
    const std::size_t at = static_cast<std::size_t>(word.data() - text.data());
    return one_counter(section_ + ": " + std::string(text.substr(0, at)) + std::string(trim_left(text.substr(at + word.size()))),
                       {}, *value);
  }
  return unknown_line();
}

// "TcpExt: A B" and below "TcpExt: 1 2"; of /proc/net/snmp6 "Ip6InReceives     12".
CounterLine CounterReader::proc_net(std::string_view line) {
  const auto w = words(line);
  if (w.size() == 2 && is_counter_name(w[0])) {
    const auto value = parse_decimal(w[1]);
    return value ? one_counter(std::string(w[0]), {}, *value) : unknown_line();
  }
  if (w.size() < 2 || !w[0].ends_with(':') || !is_counter_name(w[0].substr(0, w[0].size() - 1))) return unknown_line();
  const std::string section(w[0].substr(0, w[0].size() - 1));
  if (!is_digit(w[1].front()) && w[1].front() != '-') {
    section_ = section;
    titles_ = strings(w, 1);
    return ignored_line();
  }
  if (section != section_ || titles_.size() + 1 != w.size()) return unknown_line();
  CounterLine found{CounterLine::Kind::counters, {}};
  for (std::size_t i = 1; i < w.size(); ++i)
    if (const auto value = parse_decimal(w[i])) found.counters.push_back({section + titles_[i - 1], {}, *value});
  return found;
}

// "     rx_packets: 123"
CounterLine CounterReader::ethtool(std::string_view line) {
  if (trim(line) == "NIC statistics:" || trim(line) == "no stats available") return ignored_line();
  const std::size_t colon = line.rfind(": ");
  if (!is_blank(line.front()) || colon == std::string_view::npos) return unknown_line();
  const auto value = parse_decimal(trim(line.substr(colon + 2)));
  return value ? one_counter(std::string(trim(line.substr(0, colon))), device_, *value) : unknown_line();
}

// "node_netstat_TcpExt_ListenDrops 5", "node_network_receive_drop_total{device="eth0"} 7"
CounterLine CounterReader::metric(std::string_view line) {
  if (line.starts_with('#')) return ignored_line();
  const std::size_t brace = line.find('{'), close = line.rfind('}');
  const std::size_t blank = line.find(' ', brace == std::string_view::npos || close == std::string_view::npos ? 0 : close);
  if (blank == std::string_view::npos) return unknown_line();
  const std::string_view name = line.substr(0, std::min(brace, blank));
  const std::string_view labels = brace < blank && close < blank ? line.substr(brace, close - brace) : std::string_view{};
  const auto w = words(line.substr(blank));
  if (!is_counter_name(name) || w.empty() || w.size() > 2) return unknown_line();
  CounterLine found{CounterLine::Kind::counters, {}};
  const auto value = whole_number(w[0]);
  if (!value) return found;  // negative, NaN: none of ours
  constexpr std::string_view kNetstat = "node_netstat_";
  if (name.starts_with(kNetstat)) {
    std::string counter(name.substr(kNetstat.size()));
    if (const std::size_t line_between = counter.find('_'); line_between != std::string::npos) counter.erase(line_between, 1);
    found.counters.push_back({std::move(counter), {}, *value});
  }
  for (const Metric& m : kDeviceMetrics)
    if (m.metric == name) found.counters.push_back({std::string(m.name), std::string(label(labels, "device=\"")), *value});
  return found;
}

// "2: eth0: <…>", "    RX:  bytes packets errors dropped  missed   mcast", and numbers below.
CounterLine CounterReader::ip_link(std::string_view line) {
  const auto w = words(line);
  if (!is_blank(line.front())) {
    titles_.clear();
    if (w.size() > 1 && w[0].ends_with(':')) device_ = w[1].substr(0, w[1].find_first_of("@:"));
    return ignored_line();
  }
  const std::string_view text = trim(line);
  if (text.starts_with("RX") || text.starts_with("TX")) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return ignored_line();
    section_ = text.substr(0, colon);
    titles_ = strings(words(text.substr(colon + 1)), 0);
    return ignored_line();
  }
  if (titles_.empty()) return ignored_line();
  CounterLine found{CounterLine::Kind::counters, {}};
  const auto values = words(text);
  for (std::size_t i = 0; i < std::min(values.size(), titles_.size()); ++i)
    if (const auto value = parse_decimal(values[i]))
      found.counters.push_back({device_counter(section_, titles_[i]), device_, *value});
  titles_.clear();
  return found;
}

}  // namespace egt::parsers::system
