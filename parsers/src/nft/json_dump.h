// `nft -j list ruleset` (libnftables-json(5)): printed back as nft prints it, and put into the words of a plain listing.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace egt::parsers::nft {

// Whether the text begins as nft's JSON does.
bool looks_like_json(std::string_view text);
// As nft prints it: one line, ", " and ": " between; nothing when it is no JSON.
std::optional<std::string> reprint_json(std::string_view text);
// Pretty-printed; nothing when it is no JSON.
std::optional<std::string> pretty_json(std::string_view text);
// The same ruleset as `nft list ruleset` would word it, for the grammar of listings. What has no word there becomes a
// statement that the grammar does not understand, so that it stays visible as such.
std::optional<std::string> json_to_listing(std::string_view text);

}  // namespace egt::parsers::nft
