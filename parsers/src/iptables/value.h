// Reading and printing of the values of options, by the shape that the schema gives them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/base/ip.h"
#include "iptables/schema.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

// Cuts a line into arguments as iptables-restore does: blanks between, double quotes around, a backslash takes the next
// character as it is. False where a quote is not closed.
bool split_words(std::string_view line, std::vector<Word>& out);
// The argument as iptables prints it: in quotes where it was, or where it has characters that need them.
std::string print_word(const Word& w);

// How many arguments an option of this shape takes.
std::size_t argument_count(Shape shape);
// Empty optional where the arguments do not have the shape.
std::optional<Value> parse_value(const OptionSpec& spec, std::span<const Word> arguments, Family family);
// The arguments, with blanks between; empty for a flag.
std::string print_value(const OptionSpec& spec, const Value& value);

// "10.0.0.0/8", "10.0.0.0/255.0.0.0", "10.0.0.1"; bits outside the mask are cleared.
std::optional<Network> parse_network(std::string_view text);
std::string print_network(const Network& n, bool always_length);
// "a:b", "a:", ":b", "a" with `separator` between; service names stand for ports.
std::optional<Range> parse_range(std::string_view text, char separator, std::uint64_t limit);

}  // namespace egt::parsers::iptables
