#include "snapshot/private_map.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "egtrace/base/parallel.h"
#include "egtrace/base/text.h"
#include "snapshot/packing.h"

namespace egt::parsers {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMapEnding = "-private_map";
constexpr std::size_t kLongestMap = std::size_t{64} << 20;

bool is_word_char(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// The longest run from `at` of characters that `belongs` takes.
template <typename Belongs>
std::string_view run_at(std::string_view text, std::size_t at, Belongs belongs) {
  std::size_t end = at;
  while (end < text.size() && belongs(text[end])) ++end;
  return text.substr(at, end - at);
}

// With "/24" behind an address at `at` and of `length`. What a mask follows may look alike ("/255.0.0.0", "/01:00:…"), and
// a port may follow the length: of an address without one sos clean makes one with ("10.0.0.1:80" → "100.0.0.1/8:80").
std::size_t with_prefix_length(std::string_view text, std::size_t at, std::size_t length) {
  const std::size_t slash = at + length;
  if (slash >= text.size() || text[slash] != '/') return length;
  const std::size_t digits = run_at(text, slash + 1, is_digit).size();
  const char after = slash + 1 + digits < text.size() ? text[slash + 1 + digits] : ' ';
  const bool dotted = text.substr(at, length).find('.') != std::string_view::npos;
  const bool address = after == '.' || (after == ':' && !dotted);
  return digits == 0 || digits > 3 || address ? length : length + 1 + digits;
}

// Whether an address may begin at `at`: not inside a word or number, but behind "set_field:".
bool may_begin(std::string_view text, std::size_t at) {
  if (at == 0) return true;
  const char before = text[at - 1];
  if (is_word_char(before) || before == '.') return false;
  if (before != ':') return true;
  std::size_t start = at - 1;
  bool hexadecimal = true;
  for (; start > 0 && is_word_char(text[start - 1]); --start) hexadecimal &= is_hex_digit(text[start - 1]);
  return start == at - 1 ? false : !hexadecimal;
}

bool is_private_map(std::string_view text) {
  return text.size() < kLongestMap && trim_left(text.substr(0, 64)).starts_with('{') &&
         text.find("\"mac_map\"") != std::string_view::npos && text.find("\"ip_map\"") != std::string_view::npos;
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Whether a folder or archive on the path bears the name of a report, with "-obfuscated.tar.xz" behind it or not.
bool leads_into(std::string_view path, std::string_view report) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::any_of(parts.begin(), std::prev(parts.end()), [&](std::string_view part) { return part.starts_with(report); });
}

// Which map is whose: sos clean names it like the report. Reports that were cleaned each for itself give different
// things the same replacements.
class PrivateMaps {
 public:
  explicit PrivateMaps(const std::vector<FoundFile>& files) {
    for (const FoundFile& file : files) {
      auto map = PrivateMap::parse(file.content.text);
      if (!map) continue;
      std::string_view report = name_of(file.path);
      const bool named = report.ends_with(kMapEnding);
      if (named) report.remove_suffix(kMapEnding.size());
      const bool whose =
          named && std::any_of(files.begin(), files.end(), [&](const FoundFile& f) { return leads_into(f.path, report); });
      maps_.push_back({whose ? std::string(report) : std::string(), std::move(*map)});
    }
  }

  bool empty() const { return maps_.empty(); }

  // That of the report which the path leads into, or the only one that may be of all; null where it cannot be shown.
  const PrivateMap* of(std::string_view path) const {
    const Whose* general = maps_.size() == 1 ? &maps_.front() : nullptr;
    std::size_t unnamed = 0;
    for (const Whose& map : maps_) {
      if (!map.report.empty() && leads_into(path, map.report)) return &map.map;
      if (map.report.empty() && ++unnamed == 1) general = &map;
    }
    return general != nullptr && unnamed < 2 ? &general->map : nullptr;
  }

 private:
  struct Whose {
    std::string report;  // empty: of no single one
    PrivateMap map;
  };
  std::vector<Whose> maps_;
};

}  // namespace

std::optional<PrivateMap> PrivateMap::parse(std::string_view text) {
  if (!is_private_map(text)) return std::nullopt;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  PrivateMap map;
  for (const char* name : {"ip_map", "mac_map", "hostname_map", "keyword_map", "username_map"}) {
    const auto part = json.find(name);
    if (part == json.end() || !part->is_object()) continue;
    for (const auto& [original, replacement] : part->items())
      if (replacement.is_string()) map.add(original, replacement.get_ref<const std::string&>());
  }
  if (const auto v4 = json.find("ip_map"); v4 != json.end() && v4->is_object())
    for (const auto& [original, replacement] : v4->items())
      if (replacement.is_string()) map.add_without_prefix(original, replacement.get_ref<const std::string&>());
  const Json networks = json.value("/ipv6_map/networks"_json_pointer, Json::object());
  if (!networks.is_object()) return map;
  for (const auto& [network, shown] : networks.items()) {
    if (!shown.is_object()) continue;
    if (const auto as = shown.find("obfuscated"); as != shown.end() && as->is_string())
      map.add(network, as->get_ref<const std::string&>());
    const auto hosts = shown.find("hosts");
    if (hosts == shown.end() || !hosts->is_object()) continue;
    for (const auto& [original, replacement] : hosts->items())
      if (replacement.is_string()) map.add(original, replacement.get_ref<const std::string&>());
  }
  return map;
}

void PrivateMap::add(std::string_view original, std::string_view replacement) {
  if (original.empty() || replacement.empty() || original == replacement) return;
  const auto [at, fresh] = originals_.emplace(replacement, original);
  if (!fresh && at->second != original) at->second.clear();
}

// An address that was met with and without its prefix was replaced by one and the same; what it is written without is
// that. Without their prefixes replacements of several originals may look alike.
void PrivateMap::add_without_prefix(std::string_view original, std::string_view replacement) {
  const std::size_t slash = replacement.find('/');
  if (slash != std::string_view::npos) add(original.substr(0, original.find('/')), replacement.substr(0, slash));
}

const std::string* PrivateMap::find(std::string_view replacement) const {
  const auto found = originals_.find(replacement);
  return found == originals_.end() || found->second.empty() ? nullptr : &found->second;
}

std::string PrivateMap::original_of(std::string_view text) const {
  std::string out;
  out.reserve(text.size() + text.size() / 16);
  const auto of_address = [](char c) { return is_hex_digit(c) || c == '.' || c == ':'; };
  const auto of_name = [](char c) { return is_word_char(c) || c == '.' || c == '-'; };
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = is_word_char(text[at]) || text[at] == ':' ? may_begin(text, at) : false;
    std::size_t taken = 0;
    if (begins) {
      std::size_t address = run_at(text, at, of_address).size();
      while (address > 0 &&
             (text[at + address - 1] == '.' || (text[at + address - 1] == ':' && !text.substr(at, address).ends_with("::"))))
        --address;  // the end of a sentence or of a key
      const std::size_t name = run_at(text, at, of_name).size();
      for (const std::size_t length : {with_prefix_length(text, at, address), address, name}) {
        const std::string* original = length == 0 ? nullptr : find(text.substr(at, length));
        if (original == nullptr || (at + length < text.size() && is_word_char(text[at + length]))) continue;
        out += *original;
        taken = length;
        break;
      }
    }
    if (taken == 0) out += text[at], taken = 1;
    at += taken;
  }
  return out;
}

bool translate_back(std::vector<FoundFile>& files, unsigned jobs) {
  const PrivateMaps maps(files);
  if (maps.empty()) return false;
  for_each_index(files.size(), jobs, 1, [&](std::size_t i) {
    FoundFile& file = files[i];
    const PrivateMap* map = file.left_out || file.compiled ? nullptr : maps.of(file.path);
    if (map == nullptr || is_private_map(file.content.text) || looks_binary(file.content.text)) return;
    Content original = owned_content(map->original_of(file.content.text));
    original.cut = file.content.cut;
    original.cut_why = file.content.cut_why;
    file.content = std::move(original);
  });
  return true;
}

}  // namespace egt::parsers
