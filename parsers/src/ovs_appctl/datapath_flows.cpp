// ovs-appctl dpctl/dump-flows, ovs-dpctl dump-flows: what the datapath does with packets that it has seen lately.
#include <fmt/format.h>

#include <optional>
#include <vector>

#include "egtrace/base/text.h"
#include "ovs_appctl/formats.h"
#include "ovs_appctl/line_dump.h"

namespace egt::parsers::appctl {
namespace {

// "ufid:…, recirc_id(0),in_port(5),…, packets:3, bytes:294, used:1.2s, flags:S, actions:ct(zone=3),recirc(0x5)".
struct FlowLine {
  std::string_view ufid, match, actions;
  std::string_view more;                     // "dp-extra-info:miniflow_bits(5,4)" of the userspace datapath
  std::vector<std::string_view> statistics;  // "packets:3", "used:never", "dp:ovs"
};

constexpr std::string_view kRecirculation = "recirc_id(", kActions = "actions:", kMore = ", dp-extra-info:";

bool read_flow(std::string_view s, FlowLine& l) {
  if (s.starts_with("ufid:")) {
    const std::size_t end = s.find(", ");
    if (end == std::string_view::npos) return false;
    l.ufid = s.substr(0, end);
    s.remove_prefix(end + 2);
  }
  const std::size_t end = s.find(", packets:");
  if (end == std::string_view::npos || s.substr(0, end).find(kRecirculation) == std::string_view::npos) return false;
  l.match = s.substr(0, end);
  s.remove_prefix(end + 2);
  while (!s.starts_with(kActions)) {
    const std::size_t comma = s.find(", ");
    if (comma == std::string_view::npos) return false;
    l.statistics.push_back(s.substr(0, comma));
    s.remove_prefix(comma + 2);
  }
  l.actions = s.substr(kActions.size());
  if (const std::size_t more = l.actions.find(kMore); more != std::string_view::npos) {
    l.more = l.actions.substr(more);
    l.actions = l.actions.substr(0, more);
  }
  return !l.actions.empty();
}

std::optional<std::uint32_t> number_in(std::string_view s, std::string_view key) {
  const std::size_t at = s.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view number = s.substr(at + key.size());
  number = number.substr(0, number.find_first_of("),/"));
  const auto value = consume(number, "0x") ? parse_hex(number) : parse_decimal(number);
  return value && *value <= 0xffffffff ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

std::vector<std::uint32_t> recirculations(std::string_view actions) {
  std::vector<std::uint32_t> all;
  constexpr std::string_view kAction = "recirc(";
  for (std::size_t at = actions.find(kAction); at != std::string_view::npos; at = actions.find(kAction, at + 1))
    if (const auto id = number_in(actions.substr(at), kAction)) all.push_back(*id);
  return all;
}

std::uint64_t statistic(const FlowLine& l, std::string_view key) {
  for (std::string_view s : l.statistics)
    if (consume(s, key))
      if (const auto n = parse_decimal(s)) return *n;
  return 0;
}

struct FlowLines {
  using Entry = FlowLine;
  static constexpr const char* kTopic = "datapath flows";
  static constexpr std::string_view kCommands[] = {"dpctl/dump-flows", "dpctl.dump-flows", "ovs-dpctl dump-flows"};
  static constexpr bool kTitled = false;
  static int quality(std::string_view text) { return text.starts_with("ufid:") ? 1 : 0; }
  static bool is_title(std::string_view text) { return text.starts_with("flow-dump from "); }
  static bool read(std::string_view text, Entry& l) { return read_flow(text, l); }
  static void print(const Entry& l, std::string& out) {
    if (!l.ufid.empty()) (out += l.ufid) += ", ";
    out += l.match;
    for (const std::string_view s : l.statistics) (out += ", ") += s;
    (((out += ", ") += kActions) += l.actions) += l.more;
  }
  static Json json(const Entry& l) {
    return {{"recirc_id", number_in(l.match, kRecirculation).value_or(0)},
            {"match", l.match},
            {"packets", statistic(l, "packets:")},
            {"bytes", statistic(l, "bytes:")},
            {"actions", l.actions},
            {"recirculates_to", recirculations(l.actions)}};
  }
  static void put(const Entry& l, Provenance from, openflow::Datapath& d) {
    const auto id = number_in(l.match, kRecirculation);
    if (id)
      d.flows.push_back(
          {*id, l.match, l.actions, recirculations(l.actions), statistic(l, "packets:"), statistic(l, "bytes:"), from});
  }
  static void looked_at(openflow::Datapath&) {}
};

}  // namespace

const Format& datapath_flows_format() {
  static const Format format = line_format<FlowLines>("ovs-appctl dpctl/dump-flows", "ovs-appctl dpctl/dump-flows -m");
  return format;
}

}  // namespace egt::parsers::appctl
