#include "egtrace/render/pcap.h"

#include <fmt/format.h>

#include <algorithm>

#include "capture_words.h"
#include "counters.h"
#include "egtrace/base/columns.h"
#include "json_parts.h"
#include "pcap_events.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace explain;

Json json(const SeenReport& s) {
  Json encap = nullptr;
  if (s.at.encap)
    encap = {{"type", s.at.encap->type},
             {"src", s.at.encap->src.to_string()},
             {"dst", s.at.encap->dst.to_string()},
             {"vni", s.at.encap->vni}};
  return {{"node", text_or_null(s.at.node)},
          {"device", text_or_null(s.at.device)},
          {"dir", s.direction_known ? Json(s.at.in ? "in" : "out") : Json(nullptr)},
          {"src", s.at.src},
          {"dst", s.at.dst},
          {"proto", s.at.proto},
          {"sport", or_null(s.at.sport)},
          {"dport", or_null(s.at.dport)},
          {"ttl", s.at.ttl == 0 ? Json(nullptr) : Json(s.at.ttl)},
          {"smac", text_or_null(s.at.smac)},
          {"dmac", text_or_null(s.at.dmac)},
          {"encap", encap},
          {"direction", s.reply ? "reply" : "forward"},
          {"what", s.what},
          {"file", s.file},
          {"frame", s.frame},
          {"packets", s.packets},
          {"time", static_cast<double>(s.time) / 1e9},
          {"predicted", s.predicted}};
}

Json direction_json(std::optional<Direction> direction) {
  if (!direction) return nullptr;
  return *direction == Direction::reply ? "reply" : "forward";
}

Json json(const FlowReport& f) {
  Json j = {{"proto", f.packet.proto},
            {"src", f.packet.src},
            {"sport", or_null(f.packet.sport)},
            {"dst", f.packet.dst},
            {"dport", or_null(f.packet.dport)},
            {"fate", name_of(f.fate)},
            {"direction", direction_json(f.direction)},
            {"predicted_outcome", f.predicted ? Json(name_of(*f.predicted)) : Json(nullptr)},
            {"after_handshake", f.after_handshake},
            {"from", end_json(f.from)},
            {"to", end_json(f.to)}};
  j["last_seen"] = nullptr;
  if (f.last_seen)
    j["last_seen"] = {{"node", text_or_null(f.last_seen->node)},
                      {"device", text_or_null(f.last_seen->device)},
                      {"dir", text_or_null(f.last_seen->direction)}};
  j["lost_between"] = nullptr;
  if (f.lost_between) j["lost_between"] = {f.lost_between->first, f.lost_between->second};
  j["seen"] = Json::array();
  for (const SeenReport& s : f.seen) j["seen"].push_back(json(s));
  j["differs"] = Json::array();
  for (const DifferenceReport& d : f.differs)
    j["differs"].push_back({{"where", d.where}, {"predicted", d.predicted}, {"observed", d.observed}});
  if (!f.events.empty()) j["events"] = events_json(f);
  if (!f.counters.empty()) j["counters"] = counters_json(f.counters);
  j["why"] = f.why;
  j["retransmissions"] = f.retransmissions;
  j["time"] = static_cast<double>(f.time) / 1e9;
  return j;
}

Json problems_json(const std::vector<capture::LineProblem>& problems) {
  Json all = Json::array();
  for (const capture::LineProblem& p : problems)
    all.push_back({{"line", p.line}, {"column", p.column == 0 ? Json(nullptr) : Json(p.column)}, {"message", p.message}});
  return all;
}

// As a part of a larger document, each line but the first that much further to the right.
std::string text_of(const Json& j, std::size_t indent) {
  std::string text = j.dump(2, ' ', false, Json::error_handler_t::replace), out;
  if (indent == 0) return text;
  out.reserve(text.size() * 3 / 2);
  for (const char c : text) {
    out += c;
    if (c == '\n') out.append(indent, ' ');
  }
  return out;
}

std::string end_text(const std::string& ip, const std::optional<std::uint16_t>& port) {
  if (!port) return ip;
  return ip.find(':') == std::string::npos ? fmt::format("{}:{}", ip, *port) : fmt::format("[{}]:{}", ip, *port);
}

class CapturePage {
 public:
  CapturePage(const CaptureAnalysis& a, const TextOptions& o) : a_(a), o_(o), style_(o.colour) {}

  std::string print() {
    counts();
    if (!o_.quiet) captures();
    for (const FlowReport& f : a_.flows)
      if (!arrived(f)) flow(f, !o_.quiet);
    for (const FlowReport& f : a_.flows)
      if (arrived(f) && !o_.quiet) flow(f, o_.verbose || !f.differs.empty());
    return out_;
  }

 private:
  void line(std::size_t indent, std::string_view text) { out_ += wrap(text, indent, o_.width); }

  template <class Wanted>
  std::uint64_t count(const Wanted& wanted) const {
    std::uint64_t n = 0;
    for (const FlowReport& f : a_.flows) n += wanted(f) ? 1 + f.alike.flows : 0;
    return n;
  }

  void counts() {
    const std::uint64_t all = count([](const FlowReport&) { return true; });
    std::string s = fmt::format("{} flow{}", all, all == 1 ? "" : "s");
    const char* separator = ": ";
    for (const Fate fate : {Fate::lost, Fate::rejected, Fate::unexplained, Fate::delivered, Fate::answered}) {
      const std::uint64_t n = count([&](const FlowReport& f) { return f.fate == fate; });
      if (n == 0) continue;
      s += fmt::format("{}{} {}", separator, n, name_of(fate));
      separator = ", ";
    }
    out_ += style_(Tone::heading, s) + "\n";
    if (a_.packets_left_out > 0)
      line(2, fmt::format("{} packets of further flows were left out: too many flows; filter the captures", a_.packets_left_out));
    if (a_.events_without_flow > 0)
      line(2, fmt::format("{} events of tracers belong to no flow: they have no packet of IP", a_.events_without_flow));
    if (a_.flows_not_walked > 0)
      line(2, fmt::format("the paths of {} flows were not computed: too many different ends; filter the captures",
                          a_.flows_not_walked));
  }

  void alike(const AlikeReport& alike) {
    if (alike.flows > 0) line(2, "alike         " + alike_words(alike));
  }

  static std::string place_of(const CaptureReport& c) {
    std::string place = c.node.empty() ? "an unknown node; say NODE:DEVICE=FILE" : fmt::format("{} {}", c.node, c.device);
    if (c.placed_by == "content") place += " (by the addresses in it)";
    const std::uint64_t n = c.of_events ? c.events : c.packets;
    return fmt::format("{}, {} {}{}", place, n, c.of_events ? "event" : "packet", n == 1 ? "" : "s");
  }

  void captures() {
    std::size_t width = 0;
    for (const CaptureReport& c : a_.captures) width = std::max(width, columns_of(c.file));
    constexpr std::size_t kLeast = 24, kBetween = 4;
    std::size_t rest = 0;
    for (const CaptureReport& c : a_.captures) rest = std::max(rest, columns_of(place_of(c)));
    width = std::min(width, std::max(kLeast, o_.width - std::min(o_.width, rest + kBetween)));
    for (const CaptureReport& c : a_.captures) {
      out_ += wrap_behind(fmt::format("  {}  ", padded(shortened_path(c.file, width), width)), place_of(c), o_.width);
      if (c.not_understood > 0)
        line(6, fmt::format("{} not understood, the first is {} {}", c.not_understood, c.of_events ? "line" : "number",
                            c.first_not_understood));
      if (!c.cut_why.empty()) line(6, "cut: " + c.cut_why);
    }
  }

  void flow(const FlowReport& f, bool rows) {
    const std::string fate = fate_words(f);
    const std::string ends =
        fmt::format("{} {} > {}", f.packet.proto, end_text(f.packet.src, f.packet.sport), end_text(f.packet.dst, f.packet.dport));
    out_ += "\n" + style_(tone_of_fate(f), fate) + wrap(fmt::format("{}  {}", fate, ends), 2, o_.width).substr(2 + fate.size());
    line(2, f.why);
    if (f.last_seen)
      line(2, fmt::format("last seen     {} {} {}", f.last_seen->node, f.last_seen->device, f.last_seen->direction));
    if (f.lost_between) line(2, fmt::format("lost between  {} and {}", f.lost_between->first, f.lost_between->second));
    if (f.retransmissions > 0)
      line(2, fmt::format("sent again    {} time{}", f.retransmissions, f.retransmissions == 1 ? "" : "s"));
    alike(f.alike);
    if (!rows) return;
    for (const CounterReport& c : f.counters) line(2, "counted       " + counter_text(c));
    seen(f.seen);
    event_lines(f, o_.verbose, [this](std::size_t indent, const std::string& text) { line(indent, text); });
    for (const DifferenceReport& d : f.differs) {
      line(2, "differs at " + d.where);
      line(6, "predicted: " + d.predicted);
      line(6, "observed:  " + d.observed);
    }
  }

  void seen(const std::vector<SeenReport>& all) {
    std::size_t width = 0;
    for (const SeenReport& s : all) width = std::max(width, columns_of(s.at.device));
    std::string node = "\n";
    for (const SeenReport& s : all) {
      if (s.at.node != node) line(4, (node = s.at.node).empty() ? "(unknown node)" : node);
      const std::string place = fmt::format("{} {:<3} ", padded(s.at.device, width),
                                            !s.direction_known ? ""
                                            : s.at.in          ? "in"
                                                               : "out");
      line(6, fmt::format("{}{} > {}  {}", place, end_text(s.at.src, s.at.sport), end_text(s.at.dst, s.at.dport), s.what));
      if (s.at.encap)
        line(6 + place.size(), fmt::format("in {} {} > {}, VNI {}", s.at.encap->type, s.at.encap->src.to_string(),
                                           s.at.encap->dst.to_string(), s.at.encap->vni));
      if (o_.verbose) out_ += style_(Tone::faint, wrap(fmt::format("{} frame {}", s.file, s.frame), 6 + place.size(), o_.width));
    }
  }

  const CaptureAnalysis& a_;
  const TextOptions& o_;
  Style style_;
  std::string out_;
};

}  // namespace

void PcapJson::begin(const std::vector<CaptureReport>& captures) {
  Json j;
  j["schema"] = "egtrace.pcap/1";
  j["captures"] = Json::array();
  for (const CaptureReport& c : captures) {
    Json one = {{"file", c.file},       {"node", text_or_null(c.node)},           {"device", text_or_null(c.device)},
                {"packets", c.packets}, {"placed_by", text_or_null(c.placed_by)}, {"format", c.format},
                {"not_ip", c.not_ip},   {"not_understood", c.not_understood},     {"cut", text_or_null(c.cut_why)}};
    if (c.of_events) one["events"] = c.events;
    if (!c.problems.empty()) one["problems"] = problems_json(c.problems);
    j["captures"].push_back(std::move(one));
  }
  const std::string head = text_of(j, 0);
  write_(head.substr(0, head.rfind('\n')) + ",\n  \"flows\": [");
}

void PcapJson::flow(const FlowReport& f) {
  write_(fmt::format("{}\n    {}", any_ ? "," : "", text_of(json(f), 4)));
  any_ = true;
}

void PcapJson::end(const CaptureAnalysis& a) {
  Json j;
  j["packets_without_flow"] = a.packets_without_flow;
  j["packets_left_out"] = a.packets_left_out;
  j["flows_not_walked"] = a.flows_not_walked;
  j["events_without_flow"] = a.events_without_flow;
  const std::string tail = text_of(j, 0);
  write_((any_ ? "\n  ]," : "],") + tail.substr(tail.find('\n')) + "\n");
}

std::string pcap_text(const CaptureAnalysis& a, const TextOptions& options) { return CapturePage(a, options).print(); }

}  // namespace egt::render
