// The private map of `sos clean`: what each replaced address and name was before. It stays on the host that made the
// report; laid beside the report, it has its dumps read as they were printed.
//
// sos/cleaner/mappings/*.py writes it as JSON: ip_map, mac_map, hostname_map, keyword_map, username_map as objects of
// original and replacement, ipv6_map as networks with their hosts.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "snapshot/discover.h"

namespace egt::parsers {

class PrivateMap {
 public:
  // None where the text is no private map.
  static std::optional<PrivateMap> parse(std::string_view text);

  // The text with every replacement turned back. What several originals were replaced by (networks of IPv6 often are)
  // stays.
  std::string original_of(std::string_view text) const;

 private:
  void add(std::string_view original, std::string_view replacement);
  void add_without_prefix(std::string_view original, std::string_view replacement);
  const std::string* find(std::string_view replacement) const;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  // Empty: of several originals.
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> originals_;
};

// Turns all files back by the private maps among them. False where there is none.
bool translate_back(std::vector<FoundFile>& files, unsigned jobs);

}  // namespace egt::parsers
