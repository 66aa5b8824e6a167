#include "egtrace/render/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "assess/difference_order.h"
#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

std::string heading_of(const Difference& d) { return d.node.empty() ? d.topic : fmt::format("{}: {}", d.node, d.topic); }

class DifferencePage {
 public:
  DifferencePage(const Differences& differences, const TextOptions& options)
      : all_(differences.all),
        not_compared_(differences.not_compared),
        o_(options),
        style_(options.colour),
        most_(options.verbose > 0 ? static_cast<std::size_t>(-1) : kMostShown),
        order_(all_) {}

  std::string print() {
    for (const std::size_t i : order_.roots()) root(i);
    end_of_topic();
    if (all_.empty()) out_ += "no difference\n";
    if (!not_compared_.empty() && !o_.quiet) not_compared();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMostShown = 8, kMostFlows = 4, kMostLines = 3;

  void root(std::size_t i) {
    const Difference& d = all_[i];
    if (heading_of(d) != heading_) {
      end_of_topic();
      heading_ = heading_of(d);
      out_ += (out_.empty() ? "" : "\n") + style_(Tone::heading, heading_) + "\n";
    }
    if (is_many(d) && !order_.changes_paths(i) && ++of_topic_ > most_flows()) return;
    one(d, 2);
    if (order_.changes_paths(i)) changed_paths(order_.paths(i));
    others(order_.others(i));
  }

  // Flows may differ by the thousand.
  static bool is_many(const Difference& d) { return d.topic == "logical flows" || d.topic == "flows"; }
  std::size_t most_flows() const { return std::min(most_, o_.verbose ? most_ : kMostFlows); }
  void end_of_topic() {
    if (of_topic_ > most_flows()) out_ += fmt::format("  and {} more (-v lists them)\n", of_topic_ - most_flows());
    of_topic_ = 0;
  }

  void one(const Difference& d, std::size_t indent) {
    out_ += wrap_behind(std::string(indent, ' '), d.what, o_.width, o_.verbose ? 0 : kMostLines);
    values(d.before, indent + 2, '-', Tone::bad);
    values(d.after, indent + 2, '+', Tone::good);
  }

  // Lists of hundreds are cut, unless all is asked for.
  void values(const std::vector<std::string>& values, std::size_t indent, char sign, Tone tone) {
    const std::string label = std::string(indent, ' ') + sign + " ";
    for (std::size_t i = 0; i < std::min(most_, values.size()); ++i)
      out_ += style_(tone, wrap_behind(label, values[i], o_.width, o_.verbose ? 0 : kMostLines));
    if (values.size() > most_) out_ += fmt::format("{}{} more\n", label, values.size() - most_);
  }

  void changed_paths(const std::vector<std::size_t>& paths) {
    out_ += "    changes the path of\n";
    const std::size_t shown = std::min(most_, paths.size());
    for (std::size_t i = 0; i < shown; ++i) one(all_[paths[i]], 6);
    if (paths.size() > shown) out_ += fmt::format("      and {} more\n", paths.size() - shown);
  }

  // Of other topics: how many; which ones is for -v.
  void others(const std::vector<std::size_t>& others) {
    if (others.empty()) return;
    if (o_.verbose == 0) {
      std::map<std::string, std::size_t> counts;
      for (const std::size_t c : others) ++counts[all_[c].topic];
      std::string text;
      for (const auto& [topic, count] : counts) text += fmt::format("{}{} of the {}", text.empty() ? "" : ", ", count, topic);
      out_ += wrap("follows from it: " + text + " (-v lists them)", 4, o_.width);
      return;
    }
    out_ += "    follows from it\n";
    for (const std::size_t c : others) one(all_[c], 6);
  }

  void not_compared() {
    out_ += "\n" + style_(Tone::heading, "not compared, or not as a whole") + "\n";
    for (const NotCompared& n : not_compared_)
      out_ += wrap(
          fmt::format("{}{}{}: {}", n.node.empty() ? "" : n.node + ": ", n.topic, n.part.empty() ? "" : " of " + n.part, n.why),
          2, o_.width);
  }

  const std::vector<Difference>& all_;
  const std::vector<NotCompared>& not_compared_;
  const TextOptions& o_;
  Style style_;
  std::size_t most_;  // of a list
  DifferenceOrder order_;
  std::string out_, heading_;
  std::size_t of_topic_ = 0;  // differences under the heading, of flows
};

Json cause_of(const Difference& d, const Differences& differences) {
  if (!d.cause) return nullptr;
  const Difference& cause = differences.all[*d.cause];
  return {{"topic", cause.topic}, {"node", text_or_null(cause.node)}, {"what", cause.what}};
}

}  // namespace

std::string diff_json(const Differences& differences) {
  Json j = {{"schema", "egtrace.diff/1"}, {"differences", Json::array()}, {"not_compared", Json::array()}};
  for (const Difference& d : differences.all)
    j["differences"].push_back({{"topic", d.topic},
                                {"node", text_or_null(d.node)},
                                {"what", d.what},
                                {"before", d.before},
                                {"after", d.after},
                                {"evidence_before", evidence_json(d.evidence_before)},
                                {"evidence_after", evidence_json(d.evidence_after)},
                                {"caused_by", cause_of(d, differences)}});
  for (const NotCompared& n : differences.not_compared)
    j["not_compared"].push_back(
        {{"topic", n.topic}, {"node", text_or_null(n.node)}, {"part", text_or_null(n.part)}, {"why", n.why}});
  return dump_json(j);
}

std::string diff_text(const Differences& differences, const TextOptions& options) {
  return DifferencePage(differences, options).print();
}

}  // namespace egt::render
