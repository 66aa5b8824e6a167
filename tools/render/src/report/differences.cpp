// What differs between two snapshots: each cause with what was and what is, the paths that it changes, and what else follows from it.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assess/difference_order.h"
#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using assess::Difference;

// Of one topic on one node, of all, of values of one difference, and of what follows from one: more is of no use to a reader,
// and slow in any browser.
constexpr std::size_t kMostOfTopic = 100, kMostOfAll = 500, kMostValues = 20, kMostConsequences = 20;

std::string values_html(std::string_view element, const std::vector<std::string>& values) {
  std::string out;
  for (std::size_t i = 0; i < std::min(values.size(), kMostValues); ++i)
    out += fmt::format("<{0}>{1}</{0}>\n", element, cut(values[i]));
  if (values.size() > kMostValues) out += fmt::format("<p class=\"small\">and {} more</p>\n", values.size() - kMostValues);
  return out;
}

class DifferencesPart {
 public:
  DifferencesPart(const assess::Differences& differences, EvidenceBook& before, EvidenceBook& after)
      : all_(differences.all), not_compared_(differences.not_compared), order_(all_), before_(before), after_(after) {}

  std::string print() {
    out_ = "<section data-part=\"differences\">\n" + heading("differences", "Differences", all_.size());
    out_ +=
        "<p class=\"soft small\">Counters, ages, UUIDs and spelling are no differences. What follows from another difference "
        "stands in it.</p>\n";
    if (all_.empty())
      out_ += fmt::format("<p>No difference{}.</p>\n", not_compared_.empty() ? "" : " as far as both snapshots show");
    for (const std::size_t i : order_.roots()) root(i);
    end_of_topic();
    not_compared();
    return out_ + "</section>\n";
  }

 private:
  std::string topic_of(std::size_t i) const {
    if (order_.changes_paths(i)) return "Changes paths";
    return all_[i].node.empty() ? all_[i].topic : fmt::format("{}: {}", all_[i].node, all_[i].topic);
  }

  void root(std::size_t i) {
    if (const std::string topic = topic_of(i); topic != topic_) {
      end_of_topic();
      topic_ = topic;
      out_ += fmt::format("<h3>{}</h3>\n", escape_html(topic));
    }
    ++of_topic_;
    if (shown_ == kMostOfTopic || count_ == kMostOfAll) return;
    ++shown_;
    const Difference& d = all_[i];
    const std::string id = fmt::format("difference-{}", ++count_);
    out_ += fmt::format(
        "<details class=\"item\" id=\"{0}\" open><summary><span class=\"verdict note\">{1}</span> {2}{3} <a class=\"self soft "
        "small\" href=\"#{0}\">#{4}</a></summary>\n<div class=\"inside\">\n",
        id, escape_html(d.topic), d.node.empty() ? "" : "<b>" + escape_html(d.node) + "</b> ", escape_html(d.what), count_);
    values(d);
    changed_paths(order_.paths(i));
    others(order_.others(i));
    out_ += "</div>\n</details>\n";
  }

  void end_of_topic() {
    if (of_topic_ > shown_)
      out_ += fmt::format("<p>{}{} more; <code>egtrace diff -v</code> lists all</p>\n", shown_ == 0 ? "" : "and ",
                          of_topic_ - shown_);
    of_topic_ = shown_ = 0;
  }

  void values(const Difference& d) {
    out_ += "<div class=\"change\">\n" + values_html("del", d.before) + values_html("ins", d.after) + "</div>\n";
    if (d.evidence_before.empty() && d.evidence_after.empty()) return;
    out_ += "<details class=\"quiet\"><summary>lines of the dumps</summary>\n<div class=\"inside\">\n" +
            before_.lines(d.evidence_before) + after_.lines(d.evidence_after) + "</div></details>\n";
  }

  void changed_paths(const std::vector<std::size_t>& paths) {
    if (paths.empty()) return;
    out_ += "<p class=\"small\">changes the path of</p>\n";
    list(paths);
  }

  void others(const std::vector<std::size_t>& others) {
    if (others.empty()) return;
    std::map<std::string, std::size_t> counts;
    for (const std::size_t c : others) ++counts[all_[c].topic];
    std::string text;
    for (const auto& [topic, count] : counts) text += fmt::format("{}{} of the {}", text.empty() ? "" : ", ", count, topic);
    out_ += fmt::format("<details class=\"quiet\"><summary>follows from it: {}</summary>\n<div class=\"inside\">\n",
                        escape_html(text));
    list(others);
    out_ += "</div></details>\n";
  }

  void list(const std::vector<std::size_t>& which) {
    out_ += "<ul class=\"plain\">\n";
    for (std::size_t i = 0; i < std::min(which.size(), kMostConsequences); ++i) {
      const Difference& d = all_[which[i]];
      out_ += fmt::format("<li>{}{}\n", d.node.empty() ? "" : escape_html(d.node) + ": ", escape_html(d.what));
      values(d);
      out_ += "</li>\n";
    }
    if (which.size() > kMostConsequences) out_ += fmt::format("<li>and {} more</li>\n", which.size() - kMostConsequences);
    out_ += "</ul>\n";
  }

  void not_compared() {
    if (not_compared_.empty()) return;
    out_ += "<h3>Not compared, or not as a whole</h3>\n<ul class=\"plain small\">\n";
    for (const assess::NotCompared& n : not_compared_)
      out_ += fmt::format("<li>{}</li>\n", escape_html(fmt::format("{}{}{}: {}", n.node.empty() ? "" : n.node + ": ", n.topic,
                                                                   n.part.empty() ? "" : " of " + n.part, n.why)));
    out_ += "</ul>\n";
  }

  const std::vector<Difference>& all_;
  const std::vector<assess::NotCompared>& not_compared_;
  DifferenceOrder order_;
  EvidenceBook &before_, &after_;
  std::string out_, topic_;
  std::size_t of_topic_ = 0, shown_ = 0, count_ = 0;  // under the heading; of all
};

}  // namespace

std::string differences_part(const Report& report, EvidenceBook& before, EvidenceBook& after) {
  return DifferencesPart(*report.differences, before, after).print();
}

}  // namespace egt::render::report
