#include "explanation_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "counted_words.h"
#include "counters.h"
#include "drawing.h"
#include "egtrace/explain/fold.h"
#include "ending_step.h"
#include "headline.h"
#include "html_text.h"

namespace egt::render {
namespace {

using namespace explain;

std::string pill(CommonVerdict verdict, Confidence confidence) {
  return fmt::format("<span class=\"verdict {}\">{}</span> <span class=\"soft small\">{}</span>", class_of(tone_of(verdict)),
                     explain::name_of(verdict), name_of(confidence));
}

// At most `most` characters (not bytes), the end cut.
std::string shorten(const std::string& s, std::size_t most) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if ((static_cast<unsigned char>(s[i]) & 0xc0) == 0x80) continue;
    if (++count > most) return s.substr(0, i) + "\xe2\x80\xa6";
  }
  return s;
}

// --- the small map on top ------------------------------------------------------------------------------------------

class PathMap {
 public:
  PathMap(const Drawing& drawing, const PathReport& path) : drawing_(drawing), path_(path) {}

  std::string print() {
    std::string body;
    int x = kMargin;
    for (std::size_t i = 0; i < drawing_.visits.size(); ++i) {
      if (i > 0) {
        body += link(x, *this_sighting(drawing_.visits[i - 1]), drawing_.visits[i]);
        x += kLink;
      }
      body += box(x, drawing_.visits[i]);
      x += kBox;
    }
    body += end(x);
    x += 70;
    return fmt::format(
        "<div class=\"map\"><svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" role=\"img\" aria-label=\"{2}\">{3}</svg></div>\n", x,
        kHeight, escape_html("the nodes on the path, in order"), body);
  }

 private:
  static constexpr int kMargin = 2, kBox = 150, kLink = 128, kHeight = 96, kTop = 22, kBoxHeight = 54;
  static constexpr int kMiddle = kTop + kBoxHeight / 2;

  // The last one on a node; a node without any gives an empty one.
  static const SightingReport* this_sighting(const Visit& visit) {
    static const SightingReport kNone;
    const SightingReport* last = &kNone;
    for (const DrawingItem& item : visit.items)
      if (const auto* p = std::get_if<Passing>(&item)) last = p->at;
    return last;
  }

  static std::string box(int x, const Visit& visit) {
    std::string stations;
    for (const DrawingItem& item : visit.items)
      if (const auto* s = std::get_if<Station>(&item))
        if (stations.find(s->name) == std::string::npos) stations += (stations.empty() ? "" : " \xc2\xb7 ") + s->name;
    const std::string name = visit.node.empty() ? "outside" : visit.node;
    return fmt::format(
        "<g><title>{0}: {1}</title><rect x=\"{2}\" y=\"{3}\" width=\"{4}\" height=\"{5}\" rx=\"9\"/>"
        "<text x=\"{6}\" y=\"{7}\" text-anchor=\"middle\">{8}</text><text class=\"sub\" x=\"{6}\" y=\"{9}\" "
        "text-anchor=\"middle\">{10}</text>{11}</g>",
        escape_html(name), escape_html(stations), x, kTop, kBox, kBoxHeight, x + kBox / 2, kTop + 23,
        escape_html(shorten(name, 18)), kTop + 41, escape_html(shorten(stations, 22)), again(x, visit));
  }

  static std::string again(int x, const Visit& visit) {
    const auto* r = visit.items.empty() ? nullptr : std::get_if<Repeated>(&visit.items.back());
    if (r == nullptr) return {};
    const std::string words = r->visits > 1 ? fmt::format("from {} {} times", shorten(r->from, 14), r->times + 1)
                                            : fmt::format("{} times", r->times + 1);
    return fmt::format("<text class=\"sub\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x + kBox / 2,
                       kTop + kBoxHeight + 14, escape_html(words));
  }

  static std::string link(int x, const SightingReport& before, const Visit&) {
    const bool tunnel = before.encap.has_value();
    std::string s = fmt::format("<path{} d=\"M{} {}h{}\"/>", tunnel ? " class=\"tunnel\"" : "", x + 5, kMiddle, kLink - 14);
    if (!tunnel) s += fmt::format("<path d=\"M{} {}l7 5l-7 5\"/>", x + kLink - 12, kMiddle - 5);
    const auto label = [&](int y, const std::string& text) {
      s += fmt::format("<text class=\"sub\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>", x + kLink / 2, y,
                       escape_html(shorten(text, 19)));
    };
    if (!before.src.empty()) label(kMiddle - 10, "from " + before.src);
    if (tunnel) label(kMiddle + 20, fmt::format("{} VNI {}", before.encap->type, before.encap->vni));
    return s;
  }

  std::string end(int x) const {
    const int cx = x + 42;
    std::string s = fmt::format("<path d=\"M{} {}h18\"/><circle class=\"end-{}\" cx=\"{}\" cy=\"{}\" r=\"15\"/>", x + 4, kMiddle,
                                class_of(tone_of(path_.verdict)), cx, kMiddle);
    const Tone kind = tone_of(path_.verdict);
    if (kind == Tone::good)
      s += fmt::format("<path class=\"sign\" d=\"M{} {}l5 5l9 -10\"/>", cx - 7, kMiddle);
    else if (kind == Tone::bad)
      s += fmt::format("<path class=\"sign\" d=\"M{0} {1}l12 12m0 -12l-12 12\"/>", cx - 6, kMiddle - 6);
    else
      s += fmt::format("<path class=\"sign\" d=\"M{0} {1}a5 5 0 1 1 6 6v3m0 5v.5\"/>", cx - 5, kMiddle - 4);
    return s;
  }

  const Drawing& drawing_;
  const PathReport& path_;
};

// --- the explanation ------------------------------------------------------------------------------------------------------

class ExplanationHtml {
 public:
  ExplanationHtml(const Explanation& e, const ExplanationStyle& style) : e_(e), style_(style) {}

  std::string print() {
    head();
    const std::vector<PathGroup> groups = fold_paths(e_.paths);
    common_ = common_prefix(e_.paths, groups);
    up_to_branch();
    for (const PathGroup& group : groups) path_group(group, groups.size());
    tail();
    return std::move(out_);
  }

 private:
  // The first clause is the headline; what explains it goes below.
  void head() {
    const Headline h = headline(e_);
    const std::size_t clause = h.clause.find("; ");
    out_ += fmt::format("<header>\n<span class=\"verdict {}\">{}</span> <span class=\"soft\">{}</span>\n", class_of(h.tone),
                        escape_html(h.outcome), h.confidence);
    out_ += heading(0, escape_html(h.clause.substr(0, clause)), "clause");
    if (clause != std::string::npos) out_ += fmt::format("<p class=\"lead\">{}</p>\n", escape_html(h.clause.substr(clause + 2)));
    out_ += "<dl class=\"facts\">";
    if (!h.cause.empty())
      fact("cause",
           escape_html(h.cause) + (h.finding.empty() ? "" : " <span class=\"soft\">[" + escape_html(h.finding) + "]</span>"));
    if (!h.next.empty()) fact("next", "<code>" + escape_html(h.next) + "</code>");
    for (const explain::CounterReport& c : e_.counters) fact("counted", escape_html(counter_text(c)));
    fact("packet", "<code>" + escape_html(packet_text(e_)) + "</code>");
    fact("from", escape_html(end_words(e_.from)));
    fact("to", escape_html(end_words(e_.to)));
    if (e_.truncated) fact("paths", fmt::format("only the first {} are shown; there are more", e_.paths.size()));
    out_ +=
        "</dl>\n<p class=\"tools\"><button class=\"open-all\" type=\"button\" aria-pressed=\"false\">Open all "
        "steps</button></p>\n</header>\n";
  }

  std::string heading(int below, const std::string& html, const char* name) const {
    return fmt::format("<h{0} class=\"{1}\">{2}</h{0}>\n", style_.level + below, name, html);
  }

  void fact(const char* name, const std::string& html) { out_ += fmt::format("<dt>{}</dt><dd>{}</dd>", name, html); }

  // What all paths begin with is shown once.
  void up_to_branch() {
    if (common_.hops == 0) return;
    out_ += "<section>\n" + heading(1, fmt::format("All {} paths, up to the branch", e_.paths.size()), "part");
    nodes(before_branch(e_.paths.front(), common_), false);
    out_ += "</section>\n";
  }

  void path_group(const PathGroup& group, std::size_t groups) {
    const PathReport& path = e_.paths[group.paths.front()];
    out_ += "<section>\n";
    if (e_.paths.size() > 1) {
      std::string numbers;
      for (const std::size_t i : group.paths) numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", i + 1);
      std::string title = fmt::format("Path {} of {} {}", numbers, e_.paths.size(), pill(path.verdict, path.confidence));
      if (group.weight)
        title += fmt::format(" <span class=\"soft small\">{:.0f}\xe2\x80\xaf% of the connections</span>", *group.weight * 100);
      out_ += heading(1, title, "part");
      if (groups > 1) out_ += fmt::format("<p>{}</p>\n", escape_html(path.summary));
      for (const std::string& choice : choices_of(e_.paths, group))
        out_ += fmt::format("<p class=\"soft small\">{}</p>\n", escape_html(choice));
    }
    draw_path(path, after_branch(path, common_));
    for (const FollowUp& reply : path.reply) follow_up("The reply", reply);
    for (const FollowUp& next : path.continued)
      if (next.verdict != path.verdict) follow_up("The packet after the handshake", next);
    out_ += "</section>\n";
  }

  void follow_up(const char* what, const FollowUp& f) {
    out_ += heading(1, fmt::format("{} {}", what, pill(f.verdict, f.confidence)), "part") +
            fmt::format("<p>{}</p>\n", escape_html(f.summary));
    for (const PathGroup& group : fold_paths(f.paths)) draw_path(f.paths[group.paths.front()], f.paths[group.paths.front()]);
  }

  // The map of the whole path, and the nodes of the part that is its own.
  void draw_path(const PathReport& whole, const PathReport& part) {
    if (!whole.walked) return lines_about_packet(whole);
    const Drawing drawing = draw(whole);
    if (drawing.visits.empty()) return;
    out_ += PathMap(drawing, whole).print();
    nodes(with_ending(whole, part), true);
  }

  void lines_about_packet(const PathReport& path) {
    if (path.hops.empty()) return;
    out_ += "<article class=\"evidence\">\n" + heading(2, "Evidence: lines about this packet, not a path", "place");
    for (const Hop& h : path.hops) {
      out_ += fmt::format("<p class=\"soft small\">{}</p>\n", escape_html(h.node));
      hop(h, {});
    }
    out_ += "</article>\n";
  }

  // `ends`: the path ends in the last of them.
  void nodes(const PathReport& path, bool ends) {
    const Drawing drawing = draw(path);
    const SightingReport* last = nullptr;
    for (std::size_t i = 0; i < drawing.visits.size(); ++i) {
      if (i > 0) wire(last);
      const Visit& visit = drawing.visits[i];
      out_ += "<article class=\"node\">\n" + heading(2, escape_html(visit.node.empty() ? "outside" : visit.node), "name") +
              "<ol class=\"path\">\n";
      for (std::size_t k = 0; k < visit.items.size(); ++k) {
        const bool end = ends && i + 1 == drawing.visits.size() && k + 1 == visit.items.size();
        if (const auto* p = std::get_if<Passing>(&visit.items[k])) {
          passing(*p);
          last = p->at;
        } else if (const auto* r = std::get_if<Repeated>(&visit.items[k])) {
          out_ += fmt::format("<li class=\"again\">{}</li>\n", escape_html(repeated_words(*r)));
        } else {
          station(path, std::get<Station>(visit.items[k]), end);
        }
      }
      out_ += "</ol>\n</article>\n";
    }
  }

  void wire(const SightingReport* from) {
    if (from == nullptr || from->in) {
      out_ += "<div class=\"wire\"></div>\n";
    } else if (from->encap) {
      out_ += fmt::format("<div class=\"wire tunnel\">{} tunnel, VNI {}: <code>{} \xe2\x86\x92 {}</code></div>\n",
                          escape_html(from->encap->type), from->encap->vni, from->encap->src.to_string(),
                          from->encap->dst.to_string());
    } else {
      out_ += fmt::format("<div class=\"wire\">to <code>{}</code></div>\n", escape_html(from->dmac));
    }
  }

  static std::string marked(const std::string& text, bool changed) {
    return changed ? "<mark>" + escape_html(text) + "</mark>" : escape_html(text);
  }

  void passing(const Passing& p) {
    const SightingReport& s = *p.at;
    const bool source = p.before != nullptr && (p.before->src != s.src || p.before->sport != s.sport);
    const bool target = p.before != nullptr && (p.before->dst != s.dst || p.before->dport != s.dport);
    out_ += fmt::format("<li class=\"device\"><span class=\"place\">{}</span> <span class=\"soft\">{}</span>",
                        escape_html(s.device), s.in ? "in" : "out");
    if (s.encap)
      out_ += fmt::format(" <span class=\"encap small\">in {}, VNI {}</span>", escape_html(s.encap->type), s.encap->vni);
    out_ += fmt::format("<code class=\"packet\">{} \xe2\x86\x92 {} <span class=\"soft\">ttl {}</span></code></li>\n",
                        marked(end_text(s.src, s.sport), source), marked(end_text(s.dst, s.dport), target), s.ttl);
  }

  void station(const PathReport& path, const Station& station, bool end) {
    const char* kind = !end                                    ? ""
                       : path.verdict == Verdict::delivered    ? " stop-good"
                       : path.verdict == Verdict::inconclusive ? ""
                                                               : " stop-bad";
    out_ += fmt::format("<li class=\"station{}\"><span class=\"place\">{}</span>\n", kind, escape_html(station.name));
    for (std::size_t i = 0; i < station.hops.size();) {
      std::size_t run = i;
      while (run < station.hops.size() && path.hops[station.hops[run]].detail) ++run;
      if (run == i) {
        hop(path.hops[station.hops[i++]], station.name);
        continue;
      }
      out_ +=
          fmt::format("<details class=\"quiet\"><summary>+ {} step{} that only pass{} it on</summary><div class=\"inside\">\n",
                      run - i, run - i == 1 ? "" : "s", run - i == 1 ? "es" : "");
      for (; i < run; ++i) hop(path.hops[station.hops[i]], station.name);
      out_ += "</div></details>\n";
    }
    out_ += "</li>\n";
  }

  void hop(const Hop& h, const std::string& station) {
    const std::string& where = station == h.where || (station == h.at.bridge && !h.at.within.empty()) ? h.at.within : h.where;
    const char* never = h.counted && h.counted->never() ? " <span class=\"soft small\">never counted</span>" : "";
    out_ += fmt::format("<details class=\"hop\"><summary>{}<span class=\"where\">{}</span>{}</summary><div class=\"inside\">\n",
                        escape_html(h.what), where.empty() ? "" : " \xc2\xb7 " + escape_html(where), never);
    for (const auto* all : {&h.means, &h.registers})
      for (const std::string& m : *all) out_ += fmt::format("<p class=\"small\">{}</p>\n", escape_html(m));
    if (!h.changed.empty()) {
      out_ += "<table>";
      for (const Change& c : h.changed)
        out_ += fmt::format("<tr><td>{}</td><td><code>{}</code></td><td><code>{}</code></td></tr>", escape_html(c.field),
                            escape_html(c.before), "\xe2\x86\x92 " + escape_html(c.after));
      out_ += "</table>\n";
    }
    for (const LflowRef& l : h.lflows)
      out_ += fmt::format("<p class=\"source\">logical flow of {}</p><pre>{}\n  {}</pre>\n", escape_html(l.datapath),
                          escape_html(l.match), escape_html(l.actions));
    evidence(h.evidence);
    if (h.counted && h.counted->never()) {
      out_ += fmt::format("<p class=\"small\">{}</p>\n", escape_html(never_counted_words(h)));
      evidence(h.counted->neighbour);
    }
    if (h.evidence.empty() && h.lflows.empty() && h.means.empty() && h.changed.empty())
      out_ += "<p class=\"source\">follows from the steps around it</p>\n";
    out_ += "</div></details>\n";
  }

  void evidence(const Evidence& lines) {
    for (const EvidenceLine& e : lines) out_ += style_.evidence(e);
  }

  void tail() {
    if (!e_.intent.violations.empty()) {
      out_ += heading(1, "Not as intended", "part") + "<ul class=\"plain\">\n";
      for (const IntentViolation& d : e_.intent.violations)
        out_ += fmt::format("<li>{}: {}, <span class=\"soft\">but {}</span></li>\n", escape_html(d.object),
                            escape_html(d.expected), escape_html(d.found));
      out_ += "</ul>\n";
    }
    if (!e_.assumptions.empty()) {
      out_ += heading(1, "Assumed", "part") + "<ul class=\"plain\">\n";
      for (const AssumptionReport& a : e_.assumptions)
        out_ += fmt::format("<li>{}: <span class=\"soft\">{}</span></li>\n", escape_html(a.what), escape_html(a.why));
      out_ += "</ul>\n";
    }
    if (!e_.gaps.empty()) {
      out_ += heading(1, "Missing", "part") + "<ul class=\"plain\">\n";
      for (const Gap& g : e_.gaps) {
        out_ += fmt::format("<li>{}{}", escape_html(g.node.empty() ? "" : g.node + ": "), escape_html(g.what));
        if (!g.command.empty()) out_ += fmt::format("<br><code>{}</code>", escape_html(g.command));
        out_ += "</li>\n";
      }
      out_ += "</ul>\n";
    }
  }

  const Explanation& e_;
  const ExplanationStyle& style_;
  CommonPrefix common_;
  std::string out_;
};

}  // namespace

std::string packet_text(const Explanation& e) {
  return fmt::format("{} {} \xe2\x86\x92 {}", e.packet.proto,
                     e.packet.src.empty() ? e.from.name : end_text(e.packet.src, e.packet.sport),
                     end_text(e.packet.dst, e.packet.dport));
}

std::string evidence_html(const EvidenceLine& line) {
  return fmt::format("<p class=\"source\">{}</p><pre>{}</pre>\n", escape_html(place_of(line)), escape_html(line.text));
}

std::string explanation_html(const Explanation& e, const ExplanationStyle& style) { return ExplanationHtml(e, style).print(); }

}  // namespace egt::render
