// The words of nft's selectors that are known: a selector with another word is not taken for one.
#pragma once

#include <string_view>

namespace egt::parsers::nft {

// "gt" as ">", "and" as "&": nft takes both, and listings have both where iptables translated a match. Others stay.
std::string_view op_symbol(std::string_view op);
bool is_meta_key(std::string_view key);
bool is_bare_meta_key(std::string_view key);  // printed without "meta" in front
bool is_payload_field(std::string_view protocol, std::string_view field);
bool is_payload_protocol(std::string_view protocol);
bool is_ct_key(std::string_view key);
bool is_ct_direction_key(std::string_view key);  // with "original" or "reply" in front
bool is_fib_input(std::string_view word);

}  // namespace egt::parsers::nft
