// The arguments of one rule ("-A POSTROUTING -s 10.0.0.0/8 -j MASQUERADE") to and from their typed form.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "egtrace/base/ip.h"
#include "iptables/tree.h"

namespace egt::parsers::iptables {

struct ParsedRule {
  Rule rule;
  std::string problem;  // empty when everything was understood; the rule holds the rest all the same
};

// `line`: from -A on, or from "[packets:bytes] " on. False when this is no rule at all.
bool parse_rule(std::string_view line, Family family, ParsedRule& out);

// As iptables-save prints it, without counters in front.
std::string print_rule(const Rule& rule);
std::string print_option(const Option& option);
std::string print_match(const Match& match);
std::string print_target(const Target& target);

// "[12:3456]"
bool parse_counters(std::string_view text, Counters& out);

// Puts an option into `options` as the tool itself would have: "--syn" becomes --tcp-flags, "--set-mark" --set-xmark.
// False when the module has no such option or the arguments do not fit.
bool add_option(std::string_view module, std::string_view name, bool negate, std::span<const Word> arguments, Family family,
                std::vector<Option>& options);

}  // namespace egt::parsers::iptables
