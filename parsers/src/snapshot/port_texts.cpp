#include "snapshot/port_texts.h"

#include <algorithm>

#include "egtrace/base/find_words.h"
#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

// What stands behind a key of a column's map, however the listing writes it.
std::string_view value_behind(std::string_view text, std::size_t at) {
  const std::size_t begin = text.find_first_not_of("=\":, ", at);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_first_of("\",}] \n", begin) - begin);
}

bool goes_on_at(std::string_view text, std::size_t at) {
  const char c = at < text.size() ? text[at] : ' ';
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-';
}

bool has_name(std::string_view text, std::string_view shown) {
  for (std::size_t at = find_word(text, shown); at < text.size(); at = find_word(text, shown, at + 1))
    if ((at == 0 || !goes_on_at(text, at - 1)) && !goes_on_at(text, at + shown.size())) return true;
  return false;
}

// The text but for values of the key.
void cut_out(std::string_view text, std::string_view key, std::vector<std::string_view>& pieces) {
  for (std::size_t at = find_word(text, key); at != std::string_view::npos; at = find_word(text, key)) {
    const std::string_view value = value_behind(text, at + key.size());
    pieces.push_back(text.substr(0, at));
    text.remove_prefix(value.empty() ? at + key.size() : static_cast<std::size_t>(value.data() + value.size() - text.data()));
  }
  pieces.push_back(text);
}

}  // namespace

bool lists_ports(const Candidate& c) {
  if (c.format == nullptr) return false;
  return c.format->kind.starts_with("ovs-vsctl") || c.how.topic.find("Open_vSwitch") != std::string::npos ||
         c.how.topic.find("Interface") != std::string::npos;
}

bool lists_pods_without_address(std::string_view text) {
  constexpr std::string_view kId = "iface-id", kAddresses = "ip_addresses";
  std::size_t pods = 0, addresses = 0;
  for (std::size_t at = find_word(text, kId); at != std::string_view::npos; at = find_word(text, kId, at + 1)) {
    const bool id = text.substr(at + kId.size(), 1) != "-";  // no iface-id-ver
    if (id && value_behind(text, at + kId.size()).find('_') != std::string_view::npos) ++pods;
  }
  for (std::size_t at = find_word(text, kAddresses); at != std::string_view::npos; at = find_word(text, kAddresses, at + 1))
    ++addresses;
  return pods > addresses;
}

// What ovn-controller writes of a tunnel: "options:remote_ip", and the chassis as "UUID@ADDRESS" (chassis_tunnel_add() of encaps.c).
std::vector<std::string_view> pieces_about_ports(std::string_view text) {
  std::vector<std::string_view> pieces = {text};
  for (const std::string_view remote_end : {"remote_ip", "ovn-chassis-id"}) {
    std::vector<std::string_view> shorter;
    for (const std::string_view piece : pieces) cut_out(piece, remote_end, shorter);
    pieces = std::move(shorter);
  }
  return pieces;
}

bool names_port(std::string_view text, std::string_view shown) {
  if (!has_name(text, shown)) return false;
  const std::vector<std::string_view> pieces = pieces_about_ports(text);
  return std::any_of(pieces.begin(), pieces.end(), [&](std::string_view piece) { return has_name(piece, shown); });
}

}  // namespace egt::parsers
