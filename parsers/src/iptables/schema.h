// What options the modules of iptables have and how their values read: one row an option (iptables-extensions(8)).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace egt::parsers::iptables {

enum class Shape : std::uint8_t {
  flag,    // no argument
  text,    // in quotes where iptables quotes
  quoted,  // always printed in quotes
  number,
  range,          // a:b
  dash_range,     // a-b
  port_list,      // a,b:c
  mark,           // 0xV[/0xM], the mask printed unless it is all ones
  full_mark,      // 0xV/0xM
  group,          // as mark, or a name of /etc/iproute2/group
  hex,            // 0xV
  long_hex,       // 0xVVVVVVVV
  tos,            // 0xVV/0xMM
  dscp,           // 0xVV
  network,        // a/len
  short_network,  // a, a/len
  address,
  address_range,  // a-b
  mac,
  word_list,  // A,B
  tcp_flags,  // M C
  two_words,
  icmp_type,
  icmpv6_type,
  nat_address,
  protocol_number,
};

struct OptionSpec {
  std::string_view module;  // of a match, or of a target in capitals
  std::string_view name;    // with its dashes, as iptables prints it
  Shape shape;
  std::uint64_t limit = 0;  // largest number, and where a range that is open ends; 0: any number
  bool drop_full = false;   // the whole range is printed as no option
};

// Another form of an option: "--destination-port" for "--dport".
const OptionSpec* find_option(std::string_view module, std::string_view name);
bool is_known_option(std::string_view name);    // of any module
bool is_known_module(std::string_view module);  // a match
bool is_known_target(std::string_view target);  // an extension with options, a plain one, or a standard verdict
// The match module that "-p name" brings with it; empty when none.
std::string_view module_of_protocol(std::string_view protocol);

std::optional<std::uint8_t> protocol_number(std::string_view name);
// "tcp" for "6" where iptables itself knows the name; otherwise the text.
std::string_view protocol_text(std::string_view text);
std::optional<std::uint16_t> service_port(std::string_view name);

}  // namespace egt::parsers::iptables
