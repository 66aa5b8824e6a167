#include <fmt/format.h>

#include <algorithm>

#include "counted_words.h"
#include "counters.h"
#include "egtrace/base/columns.h"
#include "egtrace/explain/fold.h"
#include "egtrace/render/explain.h"
#include "egtrace/render/printable.h"
#include "egtrace/render/wrap.h"
#include "ending_step.h"
#include "headline.h"
#include "rounds.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace explain;

std::string size_text(const LargestPacket& largest) {
  if (!largest.by_flow)
    return fmt::format("IP packets of up to {} bytes fit the MTUs dumped in both directions; the smallest is that of {} on {}",
                       largest.bytes, largest.device, largest.node);
  return fmt::format(
      "IP packets of up to {} bytes fit the MTUs dumped and are sent on whole in both directions; a flow of {} on {} has other "
      "actions for larger ones",
      largest.bytes, largest.device, largest.node);
}

class Page {
 public:
  Page(const Explanation& e, const TextOptions& o) : e_(e), o_(o), style_(o.colour) {}

  std::string print() {
    head();
    if (o_.quiet) return out_;
    const std::vector<PathGroup> groups = fold_paths(e_.paths);
    common_ = common_prefix(e_.paths, groups);
    up_to_branch();
    for (const PathGroup& group : groups) path(group, groups.size());
    tail();
    return out_;
  }

 private:
  void line(std::size_t indent, std::string_view text, std::size_t most = 0) { out_ += wrap(text, indent, o_.width, most); }
  void title(std::string_view text) { out_ += "\n" + style_(Tone::heading, text) + "\n"; }

  void head() {
    const Headline h = headline(e_);
    const std::string outcome = h.confidence.empty() ? h.outcome : fmt::format("{} ({})", h.outcome, h.confidence);
    std::string text = wrap(fmt::format("{}: {}", outcome, h.clause), 2, o_.width).substr(2);
    if (text.starts_with(h.outcome)) text = style_(h.tone, h.outcome) + text.substr(h.outcome.size());
    out_ += text;
    labelled("cause", h.finding.empty() ? h.cause : fmt::format("{} [{}]", h.cause, h.finding));
    labelled("next", h.next);
    if (o_.quiet) return;
    for (const CounterReport& c : e_.counters) labelled("counted", counter_text(c));
    out_ += "\n";
    const std::string from = e_.packet.src.empty() ? e_.from.name : to_text({e_.packet.src, e_.packet.sport});
    line(2, fmt::format("packet  {} {} > {}", e_.packet.proto, from, to_text({e_.packet.dst, e_.packet.dport})));
    line(2, fmt::format("from    {}", end_words(e_.from)));
    line(2, fmt::format("to      {}", end_words(e_.to)));
    if (e_.largest && e_.outcome == Outcome::answered) out_ += wrap_behind("  size    ", size_text(*e_.largest), o_.width);
    if (e_.truncated) line(2, fmt::format("paths   only the first {} are shown; there are more", e_.paths.size()));
  }

  // "  cause  text", wrapped under itself.
  void labelled(std::string_view label, std::string_view text) {
    if (text.empty()) return;
    out_ += wrap_behind(fmt::format("  {:<7}{}", label, label.size() < 7 ? "" : " "), text, o_.width);
  }

  // What all paths begin with is shown once.
  void up_to_branch() {
    if (common_.hops == 0) return;
    const PathReport part = before_branch(e_.paths.front(), common_);
    title(fmt::format("All {} paths, up to the branch", e_.paths.size()));
    hops(part.hops);
    sightings(part.sightings);
    for (const Hop& h : part.hops) shown_before_ += is_shown(h) ? 1 : 0;
  }

  // Paths that differ only in what was chosen are shown once.
  void path(const PathGroup& group, std::size_t groups) {
    const PathReport& w = e_.paths[group.paths.front()];
    if (e_.paths.size() > 1) {
      const std::string share = group.weight ? fmt::format(", {:.0f} % of the connections", *group.weight * 100) : "";
      title(fmt::format("{} of {}: {}{}{}", numbers(group), e_.paths.size(), name_of(w.outcome),
                        w.outcome == Outcome::undecided ? ""
                        : w.proven                      ? " (proven)"
                                                        : " (assumed)",
                        share));
      for (const std::string& choice : choices_of(e_.paths, group)) line(2, choice);
      if (groups > 1) line(2, w.summary);
    }
    const PathReport rest = with_ending(w, after_branch(w, common_));
    if (!w.walked && !w.hops.empty()) title("Evidence: lines about this packet, not a path");
    hops(rest.hops, shown_before_);
    sightings(rest.sightings);
    for (const FollowUp& reply : w.reply) follow_up("Reply", reply, true);
    // The next packet is of interest where it ends otherwise than the first.
    for (const FollowUp& next : w.continued)
      if (next.verdict != w.verdict) follow_up("Packet after the handshake", next, false);
  }

  static std::string numbers(const PathGroup& group) {
    std::string s = group.paths.size() == 1 ? "Path" : "Paths";
    for (std::size_t i = 0; i < group.paths.size(); ++i)
      s += fmt::format("{}{}", i == 0 ? " " : i + 1 == group.paths.size() ? " and " : ", ", group.paths[i] + 1);
    return s;
  }

  // One row a device, as `tcpdump -i any` on each node would show the packet.
  void sightings(const std::vector<SightingReport>& all) {
    if (all.empty()) return;
    title("Seen by tcpdump");
    std::size_t width = 0;
    for (const SightingReport& s : all) width = std::max(width, columns_of(s.device));
    std::string node;
    const auto show = [&](std::size_t i) {
      if (all[i].node != node) line(2, node = all[i].node);
      sighting(all[i], width);
    };
    show_rounds_once(
        all.size(), [&](std::size_t a, std::size_t b) { return seen_alike(all[a], all[b]); }, show,
        [&](const Rounds& r) {
          line(2, fmt::format("repeated {} more times, down to ttl {}", r.count - 1, all[r.end() - 1].ttl));
          node.clear();
        });
  }

  void sighting(const SightingReport& s, std::size_t width) {
    const std::string place = printable(fmt::format("    {} {:<3} ", padded(s.device, width), s.in ? "in" : "out"));
    out_ +=
        wrap_behind(place, fmt::format("{} > {} ttl {}", to_text({s.src, s.sport}), to_text({s.dst, s.dport}), s.ttl), o_.width);
    if (o_.verbose > 1)
      line(columns_of(place), fmt::format("{} > {}", s.smac.empty() ? "unknown" : s.smac, s.dmac.empty() ? "unknown" : s.dmac));
    if (s.encap)
      line(columns_of(place),
           fmt::format("in {} {} > {}, VNI {}", s.encap->type, s.encap->src.to_string(), s.encap->dst.to_string(), s.encap->vni));
  }

  static bool seen_alike(const SightingReport& a, const SightingReport& b) {
    return a.node == b.node && a.device == b.device && a.in == b.in && a.src == b.src && a.dst == b.dst && a.sport == b.sport &&
           a.dport == b.dport;
  }

  // Of a walk that arrives, tcpdump's view is enough.
  void follow_up(const char* what, const FollowUp& f, bool sighted) {
    title(fmt::format("{}: {} ({})", what, explain::name_of(f.verdict), name_of(f.confidence)));
    line(2, f.summary);
    for (const PathReport& path : f.paths) {
      if (path.verdict != Verdict::delivered || o_.verbose > 1) hops(with_ending(path, path).hops);
      if (sighted) sightings(path.sightings);
    }
  }

  bool is_shown(const Hop& h) const { return !h.detail || o_.verbose >= (h.decides ? 1 : 2); }

  // `number`: of the last step before them.
  void hops(const std::vector<Hop>& all, std::size_t number = 0) {
    std::vector<const Hop*> shown;
    for (const Hop& h : all)
      if (is_shown(h)) shown.push_back(&h);
    const auto alike = [&](std::size_t a, std::size_t b) {
      return shown[a]->node == shown[b]->node && shown[a]->where == shown[b]->where && shown[a]->what == shown[b]->what;
    };
    std::string last;
    const auto show = [&](std::size_t i) {
      const Hop& h = *shown[i];
      const std::string on = h.of_refusal ? fmt::format("{} (back to the sender)", h.node) : h.node;
      if (on != last) title(last = on);
      if (h.detail && o_.verbose == 1)
        brief_hop(h, number + i + 1);
      else
        hop(h, number + i + 1);
    };
    show_rounds_once(shown.size(), alike, show, [&](const Rounds& r) {
      const std::size_t first = number + r.begin + 1;
      line(2, fmt::format("steps {} to {} are repeated {} more times", first, first + r.length - 1, r.count - 1));
      last.clear();
    });
  }

  void headed(const Hop& h, std::size_t number) {
    out_ +=
        wrap_behind(fmt::format("{:>4}. ", number), h.where.empty() ? h.what : fmt::format("{}: {}", h.where, h.what), o_.width);
  }

  // Of a table that is shown on demand: what it made of the packet, and where that stands.
  void brief_hop(const Hop& h, std::size_t number) {
    headed(h, number);
    for (const LflowRef& l : h.lflows) lflow(l);
    for (const EvidenceLine& e : h.evidence) place(e);
  }

  void hop(const Hop& h, std::size_t number) {
    for (const explain::NearMiss& p : h.near_misses) {
      line(6, fmt::format("{}: not this one: {}", p.where, p.why));
      evidence(p.evidence);
    }
    headed(h, number);
    for (const std::string& m : h.means) line(8, m);
    if (o_.verbose > 1)
      for (const std::string& r : h.registers) line(8, r);
    if (o_.verbose > 1)
      for (const Change& c : h.changed) line(8, fmt::format("{}: {} -> {}", c.field, c.before, c.after));
    for (const LflowRef& l : h.lflows) lflow(l);
    evidence(h.evidence);
    if (h.counted && h.counted->never()) {
      line(8, never_counted_words(h));
      evidence(h.counted->neighbour);
    }
  }

  void lflow(const LflowRef& l) {
    const std::string text = fmt::format("{}{} => {}", l.datapath.empty() ? "" : l.datapath + ": ", l.match, l.actions);
    out_ += style_(Tone::faint, wrap("lflow " + text, 8, o_.width, o_.verbose > 1 ? 0 : 2));
  }

  void place(const EvidenceLine& e) { out_ += style_(Tone::faint, wrap(explain::place_of(e), 8, o_.width)); }

  void evidence(const Evidence& lines) {
    for (const EvidenceLine& e : lines) {
      place(e);
      out_ += style_(Tone::faint, wrap(e.text, 10, o_.width, o_.verbose > 1 ? 0 : 5));
    }
  }

  void tail() {
    if (!e_.intent.violations.empty()) title("Not as intended");
    for (const IntentViolation& d : e_.intent.violations) {
      line(2, fmt::format("- {}: {}, but {}", d.object, d.expected, d.found));
      evidence(d.evidence);
    }
    if (!e_.assumptions.empty()) title("Assumed");
    for (const AssumptionReport& a : e_.assumptions) line(2, fmt::format("- {}: {}", a.what, a.why));
    if (!e_.not_checked.empty()) title("Not checked");
    for (const NotChecked& n : e_.not_checked) {
      line(2, fmt::format("- {}: {}", n.what, n.why));
      if (!n.command.empty()) line(6, "to check it: " + n.command);
    }
    if (e_.cross_check) cross_check(*e_.cross_check);
    if (!e_.gaps.empty()) title("Missing");
    for (const Gap& g : e_.gaps) {
      line(2, fmt::format("- {}{}", g.node.empty() ? "" : g.node + ": ", g.what));
      if (!g.command.empty()) line(6, "to get it: " + g.command);
    }
  }

  void cross_check(const CrossCheck& check) {
    title("OpenFlow against logical flows");
    line(2, fmt::format("{} stages agree{}", check.stages, check.differences.empty() ? "" : "; the first that differs:"));
    for (const StageDifference& d : check.differences) {
      line(2, fmt::format("- {} on {}:", name_of(d.direction), d.node));
      stage("logical flows", d.intended);
      stage("OpenFlow flows", d.realised);
    }
  }

  void stage(std::string_view who, const std::optional<LflowRef>& flow) {
    if (!flow) return line(6, fmt::format("{}: the packet comes to no further stage", who));
    line(6, fmt::format("{}: {} {}", who, flow->datapath, flow->stage));
    lflow(*flow);
  }

  const Explanation& e_;
  const TextOptions& o_;
  Style style_;
  CommonPrefix common_;
  std::size_t shown_before_ = 0;  // steps up to the branch
  std::string out_;
};

}  // namespace

std::string explain_text(const Explanation& e, const TextOptions& options) { return Page(e, options).print(); }

}  // namespace egt::render
