// The paths as one SVG file: below each other the nodes of a path with the devices and stations that the packet passes.
#include <fmt/format.h>

#include "charted_paths.h"
#include "drawing.h"
#include "egtrace/render/explain.h"
#include "egtrace/render/wrap.h"
#include "html_text.h"
#include "page_files.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace explain;

constexpr int kChartWidth = 720, kLeft = 16, kInner = 30, kRow = 19, kBetween = 44;
constexpr std::size_t kColumns = 96;  // of text in a node

class SvgChart {
 public:
  explicit SvgChart(const Explanation& e) : e_(e) {}

  std::string print() {
    for (const ChartedPath& charted : charted_paths(e_)) path(*charted.path, charted.title);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n<style>{2}</style>\n"
        "<rect class=\"paper\" width=\"{0}\" height=\"{1}\"/>\n{3}</svg>\n",
        kChartWidth, y_ + kLeft, page_files::chart_css(), out_);
  }

 private:
  void text(std::string& out, int x, int y, std::string_view style, std::string_view words) {
    out += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", style, x, y, escape_html(words));
  }

  // Each line of it.
  void lines(std::string& out, int x, std::string_view style, std::string_view words) {
    const std::string wrapped = wrap(words, 0, kColumns);
    for (std::size_t at = 0; at < wrapped.size();) {
      const std::size_t end = wrapped.find('\n', at);
      text(out, x, y_ += kRow, style, std::string_view(wrapped).substr(at, end - at));
      at = end + 1;
    }
  }

  void path(const PathReport& w, const std::string& title) {
    y_ += 12;
    lines(out_, kLeft, "title", title);
    const Drawing drawing = draw(w);
    const SightingReport* last = nullptr;
    for (std::size_t i = 0; i < drawing.visits.size(); ++i) {
      if (i > 0)
        link(last);
      else
        y_ += 10;
      node(w, drawing.visits[i], last);
    }
    y_ += 24;
    const int top = y_;
    std::string words;
    y_ += 4;
    lines(words, kLeft + 14, "name", std::string(explain::name_of(w.verdict)));
    lines(words, kLeft + 14, "", w.summary);
    y_ += 12;
    out_ += fmt::format("<rect class=\"end-{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"14\"/>\n{}",
                        class_of(tone_of(w.verdict)), kLeft, top, kChartWidth - 2 * kLeft, y_ - top, words);
    y_ += 16;
  }

  void link(const SightingReport* from) {
    const bool tunnel = from != nullptr && from->encap.has_value();
    out_ += fmt::format("<path class=\"link{}\" d=\"M{} {}v{}\"/>\n", tunnel ? " tunnel" : "", kLeft + 40, y_ + 6, kBetween - 12);
    if (tunnel)
      text(out_, kLeft + 56, y_ + kBetween / 2 + 4, "packet soft",
           fmt::format("{} tunnel, VNI {}: {} > {}", from->encap->type, from->encap->vni, from->encap->src.to_string(),
                       from->encap->dst.to_string()));
    y_ += kBetween;
  }

  void node(const PathReport& w, const Visit& visit, const SightingReport*& last) {
    const int top = y_;
    std::string words;
    y_ += 5;
    lines(words, kLeft + 14, "name", visit.node.empty() ? "outside" : visit.node);
    for (const DrawingItem& item : visit.items) {
      if (const auto* p = std::get_if<Passing>(&item)) {
        last = p->at;
        lines(words, kInner, "device", fmt::format("{} {}", last->device, last->in ? "in" : "out"));
        if (const std::string label = packet_label(*p); !label.empty()) lines(words, kInner + 14, "packet", label);
        continue;
      }
      if (const auto* r = std::get_if<Repeated>(&item)) {
        lines(words, kInner, "again", repeated_words(*r));
        continue;
      }
      const Station& station = std::get<Station>(item);
      lines(words, kInner, "soft", station.name);
      for (const std::size_t i : station.hops)
        if (!w.hops[i].detail) lines(words, kInner + 14, "", w.hops[i].what);
    }
    y_ += 12;
    out_ += fmt::format("<rect class=\"node\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\"/>\n{}", kLeft, top,
                        kChartWidth - 2 * kLeft, y_ - top, words);
  }

  const Explanation& e_;
  std::string out_;
  int y_ = 0;
};

}  // namespace

std::string explain_svg(const Explanation& e) { return SvgChart(e).print(); }

}  // namespace egt::render
