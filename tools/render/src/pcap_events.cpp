#include "pcap_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace egt::render {
namespace {

using namespace explain;

Json hop_json(const EventReport& e) {
  if (!e.hop) return nullptr;
  return {{"node", e.hop->node},
          {"layer", e.hop->layer},
          {"where", e.hop->where},
          {"what", e.hop->what},
          {"evidence", evidence_json(e.hop->evidence)}};
}

Json drop_json(const EventReport& e) {
  if (!e.drop) return nullptr;
  return {{"reason", e.drop->reason},
          {"subsystem", text_or_null(e.drop->subsystem)},
          {"meaning", e.drop->meaning},
          {"predicted", or_null(e.drop->predicted)},
          {"ends_flow", e.drop->ends_flow}};
}

std::string place_of(const EventReport& e) {
  std::string place = e.node.empty() ? "an unknown node" : e.node;
  if (!e.device.empty()) place += " " + e.device;
  if (e.netns != 0) place += fmt::format(" in network namespace {}", e.netns);
  return place;
}

std::string count_of(const EventReport& e) { return e.events == 1 ? std::string() : fmt::format(", {} times", e.events); }

void one_line(const EventReport& e, bool verbose, const EventLine& line) {
  std::string text = fmt::format("{}  {}", place_of(e), e.symbol.empty() ? "drop" : e.symbol);
  if (!e.what.empty()) text += fmt::format(" ({})", e.what);
  if (e.reply) text += ", of the reply";
  line(4, text + count_of(e));
  if (e.drop) line(8, fmt::format("{}: {}", reason_of(*e.drop), e.drop->meaning));
  if (e.hop)
    line(8, fmt::format("at {} {}: {}", e.hop->node, e.hop->where, e.hop->what));
  else
    line(8, "unexplained: " + e.unexplained);
  if (verbose) line(8, fmt::format("{}:{}", e.file, e.line));
}

// Equal explanations of many events in one line.
void unexplained_lines(const FlowReport& flow, const EventLine& line) {
  std::map<std::string, std::pair<std::uint64_t, std::string>> why;  // count, first function
  for (const EventReport& e : flow.events) {
    if (e.hop || e.drop) continue;
    auto& [count, symbol] = why[e.unexplained];
    if (count == 0) symbol = e.symbol;
    count += e.events;
  }
  constexpr std::size_t kMost = 5;
  std::size_t shown = 0;
  for (const auto& [text, what] : why) {
    if (shown++ == kMost)
      return line(4, fmt::format("and {} further explanations that are missing; -v shows each event", why.size() - kMost));
    line(4, fmt::format("unexplained: {} event{} ({}): {}", what.first, what.first == 1 ? "" : "s", what.second, text));
  }
}

}  // namespace

std::string reason_of(const DropReport& drop) {
  return drop.subsystem.empty() ? drop.reason : fmt::format("{}/{}", drop.subsystem, drop.reason);
}

std::string traced_words(const FlowReport& flow) {
  std::uint64_t all = 0, at_hops = 0;
  for (const EventReport& e : flow.events) {
    all += e.events;
    at_hops += e.hop ? e.events : 0;
  }
  return fmt::format("{} event{}, {} at hops of the predicted path", all, all == 1 ? "" : "s", at_hops);
}

Json events_json(const FlowReport& flow) {
  Json all = Json::array();
  for (const EventReport& e : flow.events)
    all.push_back({{"node", text_or_null(e.node)},
                   {"device", text_or_null(e.device)},
                   {"netns", e.netns == 0 ? Json(nullptr) : Json(e.netns)},
                   {"symbol", text_or_null(e.symbol)},
                   {"what", text_or_null(e.what)},
                   {"direction", e.reply ? "reply" : "forward"},
                   {"file", e.file},
                   {"line", e.line},
                   {"events", e.events},
                   {"time", static_cast<double>(e.time) / 1e9},
                   {"hop", hop_json(e)},
                   {"unexplained", text_or_null(e.unexplained)},
                   {"drop", drop_json(e)}});
  return all;
}

void event_lines(const FlowReport& flow, bool verbose, const EventLine& line) {
  if (flow.events.empty()) return;
  line(2, "traced        " + traced_words(flow));
  for (const EventReport& e : flow.events)
    if (verbose || e.drop) one_line(e, verbose, line);
  if (!verbose) unexplained_lines(flow, line);
}

}  // namespace egt::render
