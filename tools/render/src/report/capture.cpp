// Captured flows beside what the dumps predict: what became of each, where it was seen, and where it differs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "capture_words.h"
#include "counters.h"
#include "drawing.h"
#include "headline.h"
#include "html_text.h"
#include "pcap_events.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using explain::FlowReport;
using explain::SeenReport;

constexpr std::size_t kMostFlows = 400;  // more are of no use to a reader, and slow in any browser

// A page is handed on: of the folders in which captures lie it names what distinguishes them.
class FileNames {
 public:
  explicit FileNames(const std::vector<explain::CaptureReport>& captures) {
    bool first = true;
    for (const explain::CaptureReport& c : captures) {
      const std::string folder = c.file.substr(0, c.file.rfind('/') + 1);
      if (std::exchange(first, false)) common_ = folder;
      while (!folder.starts_with(common_)) common_.erase(common_.size() < 2 ? 0 : common_.rfind('/', common_.size() - 2) + 1);
    }
  }
  std::string operator()(const std::string& file) const {
    return escape_html(file.starts_with(common_) ? file.substr(common_.size()) : file);
  }

 private:
  std::string common_;  // empty, or with a slash at its end
};

std::string encap_html(const explain::SightingReport& at) {
  if (!at.encap) return {};
  return fmt::format("<br><span class=\"encap small\">in {} {} \xe2\x86\x92 {}, VNI {}</span>", escape_html(at.encap->type),
                     at.encap->src.to_string(), at.encap->dst.to_string(), at.encap->vni);
}

std::string seen_row(const SeenReport& s, const FileNames& names) {
  const char* direction = !s.direction_known ? "" : s.at.in ? "in" : "out";
  return fmt::format(
      "<tr><td>{}</td><td>{} <span class=\"soft\">{}</span></td><td><code>{} \xe2\x86\x92 "
      "{}</code>{}</td><td>{}{}</td><td>{}</td><td>{}</td><td class=\"soft path-of-file\">{} frame {}</td></tr>\n",
      s.at.node.empty() ? "unknown" : escape_html(s.at.node), escape_html(s.at.device), direction,
      escape_html(end_text(s.at.src, s.at.sport)), escape_html(end_text(s.at.dst, s.at.dport)), encap_html(s.at),
      escape_html(s.what), s.reply ? " <span class=\"soft\">(reply)</span>" : "", s.packets, s.predicted ? "yes" : "no",
      names(s.file), s.frame);
}

std::string seen_html(const std::vector<SeenReport>& all, const FileNames& names) {
  if (all.empty()) return {};
  std::string out =
      "<div "
      "class=\"wide\"><table><thead><tr><th>node</th><th>device</th><th>addresses</th><th>what</th><th>packets</"
      "th><th>predicted</th><th>file</th></tr></thead><tbody>\n";
  for (const SeenReport& s : all) out += seen_row(s, names);
  return out + "</tbody></table></div>\n";
}

std::string differs_html(const std::vector<explain::DifferenceReport>& all) {
  std::string out;
  for (const explain::DifferenceReport& d : all)
    out += fmt::format(
        "<p>differs at {}</p>\n<dl class=\"facts\"><dt>predicted</dt><dd>{}</dd>\n<dt>observed</dt><dd>{}</dd></dl>\n",
        escape_html(d.where), escape_html(d.predicted), escape_html(d.observed));
  return out;
}

constexpr std::size_t kMostEvents = 200;  // of one flow

std::string event_row(const explain::EventReport& e, const FileNames& names) {
  const std::string netns =
      e.netns == 0 ? std::string() : fmt::format(" <span class=\"soft\">in network namespace {}</span>", e.netns);
  std::string what = escape_html(e.what);
  if (e.drop)
    what += fmt::format("{}<span class=\"verdict bad\">{}</span> {}", what.empty() ? "" : "<br>", escape_html(reason_of(*e.drop)),
                        escape_html(e.drop->meaning));
  const std::string hop = e.hop ? fmt::format("{} <span class=\"soft\">{}</span>: {}", escape_html(e.hop->node),
                                              escape_html(e.hop->where), escape_html(e.hop->what))
                                : fmt::format("<span class=\"soft\">unexplained: {}</span>", escape_html(e.unexplained));
  return fmt::format(
      "<tr><td>{}</td><td>{}{}</td><td><code>{}</code>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"soft "
      "path-of-file\">{}:{}</td></tr>\n",
      e.node.empty() ? "unknown" : escape_html(e.node), escape_html(e.device), netns,
      escape_html(e.symbol.empty() ? "drop" : e.symbol), e.reply ? " <span class=\"soft\">(reply)</span>" : "", what, e.events,
      hop, names(e.file), e.line);
}

// Drops stand open; all events are a click away.
std::string events_html(const FlowReport& f, const FileNames& names) {
  if (f.events.empty()) return {};
  std::string out = fmt::format("<p class=\"events\">traced: {}</p>\n", escape_html(traced_words(f)));
  const auto table = [&](const auto& is_wanted) {
    std::string rows;
    std::size_t shown = 0, all = 0;
    for (const explain::EventReport& e : f.events)
      if (is_wanted(e) && ++all <= kMostEvents) rows += event_row(e, names), ++shown;
    if (rows.empty()) return rows;
    rows =
        "<div class=\"wide\"><table "
        "class=\"list\"><thead><tr><th>node</th><th>device</th><th>function</th><th>what</th><th>events</th><th>hop of the "
        "predicted path</th><th>file</th></tr></thead><tbody>\n" +
        rows + "</tbody></table></div>\n";
    return all > shown
               ? rows + fmt::format("<p class=\"small\">and {} more; <code>egtrace pcap --format json</code> lists all</p>\n",
                                    all - shown)
               : rows;
  };
  const bool drops =
      std::any_of(f.events.begin(), f.events.end(), [](const explain::EventReport& e) { return e.drop.has_value(); });
  if (drops) out += table([](const explain::EventReport& e) { return e.drop.has_value(); });
  const std::string rest = table([](const explain::EventReport& e) { return !e.drop; });
  if (!rest.empty())
    out += fmt::format("<details class=\"quiet\"><summary>{}</summary>\n<div class=\"inside\">\n{}</div></details>\n",
                       drops ? "events other than drops" : "each event", rest);
  return out;
}

std::string counters_html(const std::vector<explain::CounterReport>& counters) {
  if (counters.empty()) return {};
  std::string out = "<ul class=\"plain counters\">\n";
  for (const explain::CounterReport& c : counters) out += fmt::format("<li>{}</li>\n", escape_html(counter_text(c)));
  return out + "</ul>\n";
}

std::string flow_html(const FlowReport& f, std::size_t number, const FileNames& names) {
  const std::string id = fmt::format("flow-{}", number);
  const std::string from = end_text(f.packet.src, f.packet.sport), to = end_text(f.packet.dst, f.packet.dport);
  std::string out = fmt::format(
      "<details class=\"item\" id=\"{0}\"{1}><summary><span class=\"verdict {2}\">{3}</span> {4} <b>{5} \xe2\x86\x92 {6}</b> <a "
      "class=\"self soft small\" href=\"#{0}\">#{7}</a></summary>\n"
      "<div class=\"inside\">\n<p>{8}</p>\n<dl class=\"facts\">\n",
      id, arrived(f) && f.differs.empty() ? "" : " open", class_of(tone_of_fate(f)), escape_html(fate_words(f)),
      escape_html(f.packet.proto), escape_html(from), escape_html(to), number, escape_html(f.why));
  const auto fact = [&](const char* name, const std::string& text) {
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escape_html(text));
  };
  fact("from", end_words(f.from));
  fact("to", end_words(f.to));
  if (f.predicted) fact("predicted", std::string(words_of(*f.predicted)));
  if (f.last_seen) fact("last seen", fmt::format("{} {} {}", f.last_seen->node, f.last_seen->device, f.last_seen->direction));
  if (f.lost_between) fact("lost between", fmt::format("{} and {}", f.lost_between->first, f.lost_between->second));
  if (f.retransmissions > 0) fact("sent again", counted(f.retransmissions, "time"));
  fact("alike", alike_words(f.alike));
  out += "</dl>\n" + differs_html(f.differs);
  if (!f.counters.empty()) out += "<p>counted</p>\n" + counters_html(f.counters);
  return out + seen_html(f.seen, names) + events_html(f, names) + "</div>\n</details>\n";
}

std::string captures_html(const std::vector<explain::CaptureReport>& captures, const FileNames& names) {
  std::string out = "<details class=\"quiet\"><summary>" + counted(captures.size(), "capture") +
                    "</summary>\n<div class=\"wide\"><table class=\"list\"><thead><tr><th>file</th><th>node</th><th>device</th>"
                    "<th>known by</th><th>packets or events</th><th>not understood</th><th></th></tr></thead><tbody>\n";
  for (const explain::CaptureReport& c : captures)
    out += fmt::format(
        "<tr><td class=\"path-of-file\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        names(c.file), c.node.empty() ? "unknown; say NODE:DEVICE=FILE" : escape_html(c.node), escape_html(c.device),
        escape_html(c.placed_by), c.of_events ? c.events : c.packets, c.not_understood,
        c.cut_why.empty() ? "" : "cut: " + escape_html(c.cut_why));
  return out + "</tbody></table></div></details>\n";
}

}  // namespace

std::string capture_part(const Report& report) {
  const explain::CaptureAnalysis& a = *report.capture;
  std::string out = "<section data-part=\"captured\">\n" + heading("captured", "Captured flows", a.flows.size());
  out +=
      "<p class=\"soft small\">What became of each flow, beside the path that the dumps predict; those of the same fate, "
      "distinguished only by source ports and by addresses that no dump has, are shown once.</p>\n";
  if (a.packets_left_out > 0)
    out += fmt::format("<p>{} packets of further flows were left out: too many flows; filter the captures.</p>\n",
                       a.packets_left_out);
  if (a.events_without_flow > 0)
    out += fmt::format("<p>{} events of tracers belong to no flow: they have no packet of IP.</p>\n", a.events_without_flow);
  if (a.flows_not_walked > 0)
    out += fmt::format("<p>The paths of {} flows were not computed: too many different ends; filter the captures.</p>\n",
                       a.flows_not_walked);
  if (a.flows.empty()) out += "<p>The captures have none.</p>\n";
  const FileNames names(a.captures);
  out += captures_html(a.captures, names);
  std::vector<const FlowReport*> order;
  for (const FlowReport& f : a.flows) order.push_back(&f);
  std::stable_partition(order.begin(), order.end(), [](const FlowReport* f) { return !arrived(*f); });
  for (std::size_t i = 0; i < std::min(order.size(), kMostFlows); ++i) out += flow_html(*order[i], i + 1, names);
  if (order.size() > kMostFlows)
    out += fmt::format("<p>and {} more; <code>egtrace pcap --format json</code> lists all</p>\n", order.size() - kMostFlows);
  return out + "</section>\n";
}

}  // namespace egt::render::report
