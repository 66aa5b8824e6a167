#include "egtrace/render/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

std::string heading_of(const Difference& d) {
  return d.node.empty() ? d.topic : fmt::format("{}: {}", d.node, d.topic);
}

class DifferencePage {
 public:
  DifferencePage(const Differences& differences, const TextOptions& options)
      : all_(differences.all),
        not_compared_(differences.not_compared),
        o_(options),
        style_(options.colour),
        most_(options.verbose > 0 ? static_cast<std::size_t>(-1) : kMostShown),
        consequences_(all_.size()) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].cause) consequences_[*all_[i].cause].push_back(i);
  }

  // What changes paths is of more interest than what changes none that was asked for.
  std::string print() {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (changes_paths(i)) root(i);
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (!all_[i].cause && !changes_paths(i)) root(i);
    end_of_topic();
    if (all_.empty()) out_ += "no difference\n";
    if (!not_compared_.empty() && !o_.quiet) not_compared();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kMostShown = 8, kMostFlows = 4, kMostLines = 3;

  bool is_path(std::size_t i) const { return all_[i].topic == "paths"; }
  bool changes_paths(std::size_t i) const {
    return std::any_of(consequences_[i].begin(), consequences_[i].end(), [&](std::size_t c) { return is_path(c); });
  }

  void root(std::size_t i) {
    const Difference& d = all_[i];
    if (heading_of(d) != heading_) {
      end_of_topic();
      heading_ = heading_of(d);
      out_ += (out_.empty() ? "" : "\n") + style_(Tone::heading, heading_) + "\n";
    }
    if (is_many(d) && !changes_paths(i) && ++of_topic_ > most_flows()) return;
    one(d, 2);
    if (changes_paths(i)) changed_paths(consequences_[i]);
    others(consequences_[i]);
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

  void changed_paths(const std::vector<std::size_t>& consequences) {
    out_ += "    changes the path of\n";
    std::size_t shown = 0, paths = 0;
    for (const std::size_t c : consequences)
      if (is_path(c) && ++paths <= most_) one(all_[c], 6), ++shown;
    if (paths > shown) out_ += fmt::format("      and {} more\n", paths - shown);
  }

  // Of other topics: how many; which ones is for -v.
  void others(const std::vector<std::size_t>& consequences) {
    std::vector<std::size_t> others;
    std::copy_if(consequences.begin(), consequences.end(), std::back_inserter(others),
                 [&](std::size_t c) { return !is_path(c); });
    if (others.empty()) return;
    if (o_.verbose == 0) {
      std::map<std::string, std::size_t> counts;
      for (const std::size_t c : others) ++counts[all_[c].topic];
      std::string text;
      for (const auto& [topic, count] : counts)
        text += fmt::format("{}{} of the {}", text.empty() ? "" : ", ", count, topic);
      out_ += wrap("follows from it: " + text + " (-v lists them)", 4, o_.width);
      return;
    }
    out_ += "    follows from it\n";
    for (const std::size_t c : others) one(all_[c], 6);
  }

  void not_compared() {
    out_ += "\n" + style_(Tone::heading, "not compared, or not as a whole") + "\n";
    for (const NotCompared& n : not_compared_)
      out_ += wrap(fmt::format("{}{}{}: {}", n.node.empty() ? "" : n.node + ": ", n.topic,
                               n.part.empty() ? "" : " of " + n.part, n.why),
                   2, o_.width);
  }

  const std::vector<Difference>& all_;
  const std::vector<NotCompared>& not_compared_;
  const TextOptions& o_;
  Style style_;
  std::size_t most_;                                    // of a list
  std::vector<std::vector<std::size_t>> consequences_;  // by their cause
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
