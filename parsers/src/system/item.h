// One word of a connection as conntrack(8) and ovs-appctl dpctl/dump-conntrack print it: "[ASSURED]", "sport=80",
// "labels=0x1f", "src=fd00::1", "protoinfo=(state=ESTABLISHED)".
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "egtrace/base/u128.h"

namespace egt::parsers::system {

struct Item {
  enum class Form : std::uint8_t {
    flag,         // [ASSURED]: `key` is the word between the brackets
    bracketed,    // [start=Sat Nov 21 11:18:43 2026]
    decimal,      // 80
    hexadecimal,  // 0x1f
    address,      // of the keys src and dst
    text,         // anything else; numbers of an unusual spelling too
    group,        // (state=ESTABLISHED)
  };
  Form form = Form::text;
  bool written_out = false;    // an IPv6 address of eight groups of four digits, as /proc/net/nf_conntrack has it
  bool comma = false;          // "timeout=0,": a comma behind the value that does not separate items
  std::string_view key, text;  // into the line
  U128 number = 0;             // of decimal and hexadecimal
  IpAddr address;
  std::vector<Item> items;  // of a group; never groups themselves
};

// "key=value" without blanks; false when `word` is none.
bool read_item(std::string_view word, Item& out);
// "a=1,b=2" up to the end, at most kMostItems. With `groups` a value may be such a list in parentheses.
bool read_items(std::string_view list, bool groups, std::vector<Item>& out);
void print_item(const Item& item, std::string& out);
void print_items(const std::vector<Item>& items, char separator, std::string& out);

// What a real line never reaches; keeps garbage cheap.
constexpr std::size_t kMostItems = 64;

const Item* find_item(const std::vector<Item>& items, std::string_view key);
bool has_flag(const std::vector<Item>& items, std::string_view flag);

// Hexadecimal numbers stay text, flags become the list "flags".
nlohmann::ordered_json json_of(const std::vector<Item>& items);

}  // namespace egt::parsers::system
