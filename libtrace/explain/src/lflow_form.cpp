#include "lflow_form.h"

#include <algorithm>
#include <array>
#include <vector>

#include "egtrace/base/text.h"

namespace egt::explain {
namespace {

using namespace std::string_view_literals;

constexpr std::array kPlainFields{"eth.src"sv, "eth.dst"sv, "arp.spa"sv, "arp.tpa"sv,  "nd.target"sv,
                                  "ip4.src"sv, "ip4.dst"sv, "ip6.src"sv, "ip6.dst"sv,  "tcp.src"sv,
                                  "tcp.dst"sv, "udp.src"sv, "udp.dst"sv, "sctp.src"sv, "sctp.dst"sv};

bool is_in_name(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.'; }
bool is_in_constant(char c) { return is_in_name(c) || c == ':' || c == '/'; }

// A register of 32 bits: longer ones overlap those.
bool is_register(std::string_view name) { return name.size() == 4 && name.starts_with("reg") && is_digit(name[3]); }

// The name before `end`, without the bits of it that are meant.
std::string_view name_before(std::string_view text, std::size_t end) {
  if (end > 0 && text[end - 1] == ']') {
    const std::size_t bracket = text.rfind('[', end);
    if (bracket == std::string_view::npos) return {};
    end = bracket;
  }
  std::size_t begin = end;
  while (begin > 0 && is_in_name(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

// Behind "[N]" at `at`, one bit of a register of 32; `at` where there is something else.
std::size_t behind_bit(std::string_view text, std::size_t at) {
  constexpr unsigned kBits = 32;
  std::size_t end = at + 1;
  unsigned bit = 0;
  while (end < text.size() && is_digit(text[end]) && bit < kBits) bit = bit * 10 + static_cast<unsigned>(text[end++] - '0');
  const bool is_bit = text.substr(at, 1) == "[" && end > at + 1 && text.substr(end, 1) == "]" && bit < kBits;
  return is_bit ? end + 1 : at;
}

bool occurs_once(std::string_view text, std::string_view name) {
  const std::size_t first = text.find(name);
  return text.find(name, first + 1) == std::string_view::npos;
}

// "ip4.mcast" is about ip4.dst.
bool is_left_out(std::string_view match, std::string_view name) {
  if (match.find("cast") != std::string_view::npos) return false;
  if (std::find(kPlainFields.begin(), kPlainFields.end(), name) != kPlainFields.end()) return occurs_once(match, name);
  return is_register(name) && occurs_once(match, name) && match.find("xreg") == std::string_view::npos;
}

// Calls `value(field, begin, end)` of each that is left out.
template <class Value>
void for_each_left_out(std::string_view match, const Value& value) {
  constexpr std::string_view kEquals = " == ";
  if (match.find("!(") != std::string_view::npos) return;  // becomes a match for each bit
  for (std::size_t at = match.find(kEquals); at != std::string_view::npos; at = match.find(kEquals, at + 1)) {
    const std::size_t begin = at + kEquals.size();
    const std::string_view name = name_before(match, at);
    if (begin == match.size() || !is_in_constant(match[begin]) || !is_left_out(match, name)) continue;
    std::size_t end = begin;
    while (end < match.size() && is_in_constant(match[end])) ++end;
    value(name, begin, end);
  }
}

// Behind "reg8[16] = 1; " at `at`, as the beginning of an action; `at` where there is something else.
std::size_t behind_set_bit(std::string_view actions, std::size_t at) {
  constexpr std::size_t kRegister = 4;
  constexpr std::string_view kSet = " = 1; ";
  const bool begins = at == 0 || (at >= 2 && actions.substr(at - 2, 2) == "; ");
  if (!begins || !is_register(actions.substr(at, kRegister))) return at;
  const std::size_t behind = behind_bit(actions, at + kRegister);
  return behind != at + kRegister && actions.substr(behind).starts_with(kSet) ? behind + kSet.size() : at;
}

}  // namespace

void append_match_form(std::string_view match, std::string& out) {
  std::size_t done = 0;
  for_each_left_out(match, [&](std::string_view field, std::size_t begin, std::size_t end) {
    const auto behind = static_cast<std::size_t>(field.data() + field.size() - match.data());
    out.append(match.substr(done, behind - done));
    const std::size_t relation = behind_bit(match, behind);
    if (relation != behind) out += "[#]";
    out.append(match.substr(relation, begin - relation));
    out += '#';
    done = end;
  });
  out.append(match.substr(done));
}

std::optional<std::string> values_left_out(std::string_view match) {
  if (match.find_first_of("{$@\"<>/") != std::string_view::npos || match.find("!=") != std::string_view::npos)
    return std::nullopt;
  std::vector<std::string> values;
  for_each_left_out(match, [&](std::string_view field, std::size_t begin, std::size_t end) {
    values.push_back(std::string(field).append("=").append(match.substr(begin, end - begin)));
  });
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  std::string all;
  for (const std::string& value : values) all += value + ' ';
  return all;
}

void append_action_form(std::string_view actions, std::string& out) {
  constexpr std::string_view kAgain = ",#:#", kTwice = "#:#,#:#";  // backends of a service
  const std::size_t begin = out.size();
  for (std::size_t i = 0; i < actions.size();) {
    std::size_t end = behind_set_bit(actions, i);
    if (end != i) {
      i = end;
      continue;
    }
    if (i == 0 || !is_in_name(actions[i - 1]))
      while (end < actions.size() && (is_digit(actions[end]) || actions[end] == '.')) ++end;
    if (end == i || (end < actions.size() && is_in_name(actions[end]))) {
      out += actions[i++];
      continue;
    }
    out += '#';
    i = end;
    if (std::string_view(out).substr(begin).ends_with(kTwice)) out.resize(out.size() - kAgain.size());
  }
}

}  // namespace egt::explain
