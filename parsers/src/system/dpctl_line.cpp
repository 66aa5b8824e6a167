#include "system/dpctl_line.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "egtrace/base/text.h"
#include "support/cursor.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;
using DpctlKind = DpctlLine::Kind;

struct NamedProtocol {
  std::string_view name;
  std::uint8_t number;
};

bool read_protocol(std::string_view name, std::uint8_t& number) {
  static constexpr std::array<NamedProtocol, 8> kNamed = {
      {{"icmp", 1}, {"icmpv6", 58}, {"tcp", 6}, {"udp", 17}, {"sctp", 132}, {"udplite", 136}, {"dccp", 33}, {"igmp", 2}}};
  for (const NamedProtocol& p : kNamed) {
    if (p.name != name) continue;
    number = p.number;
    return true;
  }
  const auto value = parse_decimal(name);
  if (!value || *value > 0xff) return false;
  number = static_cast<std::uint8_t>(*value);
  return true;
}

bool fail(DpctlLine& line, std::string message, std::uint32_t column) {
  line.problem = {std::move(message), column};
  return false;
}

bool read_entry(std::string_view text, DpctlLine& line) {
  std::string_view rest = text;
  line.proto_name = take_until(rest, ',');
  Connection& c = line.connection;
  if (!read_protocol(line.proto_name, c.proto)) return fail(line, "the name of a protocol was expected", 1);
  const auto column = static_cast<std::uint32_t>(text.size() - rest.size() + 1);
  if (!read_items(rest, true, c.rest)) return fail(line, "what stands behind the protocol is not understood", column);
  if (c.rest.size() < 2 || c.rest[0].key != "orig" || c.rest[0].form != Item::Form::group || c.rest[1].key != "reply" ||
      c.rest[1].form != Item::Form::group)
    return fail(line, "orig=(…),reply=(…) was expected", column);
  c.original = std::move(c.rest[0].items);
  c.reply = std::move(c.rest[1].items);
  c.rest.erase(c.rest.begin(), c.rest.begin() + 2);
  const Item* labels = find_item(c.rest, "labels");
  if (labels != nullptr && labels->form != Item::Form::hexadecimal)
    return fail(line, "labels are no number", column_of(labels->text, text));
  return settle(c, text, line.problem);
}

// In the order of enum ct_dpif_tcp_state.
std::size_t rank_of(std::string_view state) {
  static constexpr std::array<std::string_view, 12> kStates = {"CLOSED",      "LISTEN",     "SYN_SENT",   "SYN_RECV",
                                                               "ESTABLISHED", "CLOSE_WAIT", "FIN_WAIT_1", "CLOSING",
                                                               "LAST_ACK",    "FIN_WAIT_2", "TIME_WAIT",  ""};
  return static_cast<std::size_t>(std::find(kStates.begin(), kStates.end(), state) - kStates.begin());
}

}  // namespace

DpctlLine parse_dpctl_line(std::string_view text) {
  DpctlLine line;
  if (trim(text).empty()) {
    line.kind = DpctlKind::blank;
  } else if (read_entry(text, line)) {
    line.kind = DpctlKind::entry;
  }
  return line;
}

void print_dpctl_line(const DpctlLine& line, std::string& out) {
  if (line.kind != DpctlKind::entry) return;
  (out += line.proto_name) += ",orig=(";
  print_items(line.connection.original, ',', out);
  out += "),reply=(";
  print_items(line.connection.reply, ',', out);
  out += ')';
  if (line.connection.rest.empty()) return;
  out += ',';
  print_items(line.connection.rest, ',', out);
}

Json json_of(const DpctlLine& line) {
  Json j{{"protocol", Json{{"name", std::string(line.proto_name)}, {"number", line.connection.proto}}}};
  j["original"] = json_of(line.connection.original);
  j["reply"] = json_of(line.connection.reply);
  j["attributes"] = json_of(line.connection.rest);
  return j;
}

std::string_view state_of(const DpctlLine& line) {
  const Item* info = find_item(line.connection.rest, "protoinfo");
  if (info == nullptr) return {};
  if (const Item* state = find_item(info->items, "state")) return state->text;
  const Item* one = find_item(info->items, "state_orig");
  const Item* other = find_item(info->items, "state_reply");
  if (one == nullptr || other == nullptr) return {};
  const std::string_view later = rank_of(one->text) < rank_of(other->text) ? other->text : one->text;
  return later == "FIN_WAIT_2" ? "TIME_WAIT" : later == "SYN_RECV" ? "ESTABLISHED" : later;
}

}  // namespace egt::parsers::system
