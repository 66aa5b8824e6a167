// Numbers, addresses, flag words and ports as Open vSwitch writes them, to and from text.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "egtrace/openflow/action.h"
#include "egtrace/packet/flow_key.h"

namespace egt::parsers::ofctl {

// A number with the form it had.
struct Number {
  U128 value = 0;
  bool hexadecimal = false;
  std::uint8_t width = 0;  // digits, when it begins with zeros that a plain number would not have
};
// The whole text, decimal or 0x….
bool read_number(std::string_view text, Number& out);
// As atoi(3), by which ovs-ofctl reads some numbers: what stands there in decimal, else 0.
std::int32_t leading_integer(std::string_view text);
// As str_to_u32() of lib/ofp-parse.c: strtoul(3), of which the lower half counts. False where it refuses the text.
bool read_lower_word(std::string_view text, std::uint32_t& out);
void write_number(const Number& n, std::string& out);
void write_decimal(std::uint64_t v, std::string& out);
// "0x2a", "0" for zero: ds_put_hex of lib/dynamic-string.c.
void write_hex(U128 v, std::string& out);
// At least `width` digits after 0x.
void write_padded_hex(U128 v, unsigned width, std::string& out);

bool read_ipv4(std::string_view text, std::uint32_t& out);
bool read_ipv6(std::string_view text, U128& out);
bool read_ethernet(std::string_view text, std::uint64_t& out);
void write_ipv4(std::uint32_t v, std::string& out);
void write_ipv6(U128 v, std::string& out);
void write_ethernet(std::uint64_t v, std::string& out);
// Length of a mask of ones followed by zeros in `bits` bits; -1 when it is none.
int prefix_length(U128 mask, unsigned bits);

// Names of single bits, lowest bit first; empty where a bit has no name.
std::span<const std::string_view> flag_names(FieldFormat format);
// "+new-est" sets value and mask; "new|est" value alone.
bool read_signed_flags(std::string_view text, std::span<const std::string_view> names, U128& value, U128& mask);
bool read_named_flags(std::string_view text, std::span<const std::string_view> names, U128& value);
void write_signed_flags(U128 value, U128 mask, std::span<const std::string_view> names, std::string& out);
void write_named_flags(U128 value, std::span<const std::string_view> names, std::string& out);

// nw_frag words: value and mask of ip_frag.
bool read_frag(std::string_view text, U128& value, U128& mask);
std::string_view frag_word(U128 value, U128 mask);

// Reserved words in any case ("LOCAL", "local", "any"); numbers of 16 bits.
std::optional<std::uint32_t> reserved_port(std::string_view word);
std::string_view reserved_port_word(std::uint32_t number);  // empty when it has none
// 5, LOCAL, "a b", eth0. Numbers of 32 bits above 0xffffff00 are shown by their low 16 bits.
bool read_port(std::string_view text, openflow::Port& out);
void write_port(const openflow::Port& p, std::string& out);
void write_port_number(std::uint32_t number, std::string& out);
// In quotes unless it is letters and digits that begin with a letter.
void write_name(std::string_view name, std::string& out);
// The text behind an opening quote with its escapes undone; false when the closing quote is missing or not at the end.
bool read_quoted(std::string_view text, std::string& out);

// "(1,0x800)" as ns << 16 | type.
bool read_packet_type(std::string_view text, U128& value);
void write_packet_type(U128 value, std::string& out);

// Value of a field with an optional mask, as set_field and learn have them: mf_format of lib/meta-flow.c.
bool read_field_value(const Field& f, std::string_view text, U128& value, std::optional<U128>& mask);
void write_field_value(const Field& f, U128 value, const std::optional<U128>& mask, std::string& out);

}  // namespace egt::parsers::ofctl
