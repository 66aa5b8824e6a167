#include "egtrace/render/flows.h"

#include <fmt/format.h>

#include <algorithm>

#include "egtrace/base/text.h"
#include "flow_tree.h"
#include "flow_words.h"
#include "style.h"

namespace egt::render {
namespace {

using explain::FlowGroup;
using explain::FlowListing;
using explain::FlowSum;
using explain::ListedFlow;

std::string place_of(const FlowGroup& group) {
  return group.bridge.empty() ? group.node + " datapath" : group.node + " " + group.bridge;
}

std::string meaning_text(const explain::FlowMeaning& m, const TextOptions& o) {
  std::string out;
  const std::size_t most = o.verbose ? 0 : 2;
  if (!m.logical_flow.empty())
    out += wrap(fmt::format("lflow {} {}: {}", m.datapath, m.stage, m.logical_flow), 4, o.width, most);
  else if (!m.datapath.empty())
    out += wrap("datapath " + m.datapath, 4, o.width);
  for (const std::string& row : m.rows) out += wrap(row, 4, o.width, most);
  for (const std::string& object : m.objects) out += wrap(object, 4, o.width, most);
  return out;
}

class GroupText {
 public:
  GroupText(const FlowGroup& group, const explain::FlowReader& reader, const TextOptions& options, const Style& style)
      : group_(group), reader_(reader), o_(options), style_(style) {}

  std::string print() {
    out_ = style_(Tone::heading,
                  wrap(fmt::format("{}: {} of {} flows{}", place_of(group_), group_.found, group_.all,
                                   group_.flows.size() < group_.found ? fmt::format(", {} shown", group_.flows.size()) : ""),
                       0, o_.width));
    if (group_.compared) out_ += wrap(comparison_words(*group_.compared), 2, o_.width);
    if (group_.bridge.empty())
      for (const FlowTreeLine& line : flow_tree(group_)) tree_line(line);
    else
      for (const ListedFlow& f : group_.flows) flow(f, 2);
    if (group_.compared && o_.verbose) gone(*group_.compared);
    return std::move(out_);
  }

 private:
  void flow(const ListedFlow& f, std::size_t indent) {
    const std::string line = wrap(line_of(f), indent, o_.width);
    out_ += f.highlighted ? style_(Tone::undecided, line) : line;
    if (o_.quiet) return;
    if (group_.compared)
      if (const std::string words = change_words(f, *group_.compared); !words.empty()) out_ += wrap(words, indent + 2, o_.width);
    out_ += style_(Tone::faint, meaning_text(f.meaning, o_));
    if (o_.verbose) out_ += style_(Tone::faint, wrap(fmt::format("{}:{}", group_.dump, f.from.line), indent + 2, o_.width));
  }

  // Of a datapath flow what it matches at all, unless everything is to be shown.
  std::string line_of(const ListedFlow& f) const {
    if (o_.verbose || !group_.bridge.empty()) return std::string(trim(f.text));
    openflow::FlowWords words;
    reader_.words(f.text, words);
    const openflow::FlowWord* used = words.find(openflow::FlowWord::Section::info, "used");
    const std::string age = used != nullptr ? fmt::format(", used:{}", used->value) : "";
    return fmt::format("{}, packets:{}, bytes:{}{}, actions:{}", datapath_match(words, reader_), f.counters.packets,
                       f.counters.bytes, age, datapath_actions(words.actions));
  }

  void tree_line(const FlowTreeLine& line) {
    const std::size_t indent = 2 + 4 * line.depth;
    if (line.kind == FlowTreeLine::Kind::flow) {
      const ListedFlow& f = group_.flows[line.index];
      if (line.depth == 0 && !root_words(f).empty()) out_ += style_(Tone::faint, wrap(root_words(f), indent, o_.width));
      return flow(f, indent);
    }
    out_ += style_(Tone::faint, wrap(recirculation_words(group_.blocks[line.index], line.kind), indent - 2, o_.width));
  }

  void gone(const explain::ComparedDump& compared) {
    if (compared.there_alone.empty()) return;
    out_ += wrap("in " + compared.dump + " alone:", 2, o_.width);
    for (const explain::GoneFlow& f : compared.there_alone) {
      out_ += wrap(trim(f.text), 4, o_.width);
      out_ += style_(Tone::faint, wrap(fmt::format("{}:{}", compared.dump, f.line), 6, o_.width));
    }
  }

  const FlowGroup& group_;
  const explain::FlowReader& reader_;
  const TextOptions& o_;
  const Style& style_;
  std::string out_;
};

// Columns of numbers, each as wide as its widest, and what they are of.
std::string columns_text(const std::vector<std::vector<std::string>>& rows, const std::vector<std::string>& keys,
                         const TextOptions& o, const Style& style) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string numbers;
    for (std::size_t c = 0; c < rows[i].size(); ++c) numbers += fmt::format("{:>{}}  ", rows[i][c], widths[c]);
    out += i == 0 ? style(Tone::heading, numbers + keys[i] + "\n") : wrap_behind(numbers, keys[i], o.width, o.verbose ? 0 : 3);
  }
  return out;
}

std::string sums_text(const FlowListing& listing, const TextOptions& o, const Style& style) {
  const bool logical = listing.kind == explain::FlowKind::logical;
  std::vector<std::string> head, keys = {"OF"};
  if (!logical) head = {"PACKETS", "BYTES"};
  if (listing.has_rates) head.insert(head.end(), {"PACKETS/S", "BYTES/S"});
  head.push_back(logical ? "LOGICAL FLOWS" : "FLOWS");
  std::vector<std::vector<std::string>> rows = {head};
  for (const FlowSum& sum : listing.sums) {
    std::vector<std::string>& row = rows.emplace_back();
    if (!logical) row = {fmt::to_string(sum.packets), fmt::to_string(sum.bytes)};
    for (const double rate : {sum.rate.packets, sum.rate.bytes})
      if (listing.has_rates) row.push_back(sum.rated == 0 ? "-" : rate_number(rate));
    row.push_back(fmt::to_string(sum.flows));
    const std::string rated = listing.has_rates && sum.rated > 0 ? rated_words(sum.rated, sum.flows) : std::string();
    keys.push_back(rated.empty() ? sum.key : fmt::format("{} ({})", sum.key, rated));
  }
  return columns_text(rows, keys, o, style);
}

std::string nothing_text(const FlowListing& listing) {
  if (listing.kind == explain::FlowKind::logical)
    return listing.dumps == 0 ? "the snapshot has no logical flows" : "no logical flow was made for one of these";
  return listing.dumps == 0 ? "the snapshot has no such dump of flows"
                            : fmt::format("none of the flows of {} dumps is one of these", listing.dumps);
}

}  // namespace

std::string flows_text(const FlowListing& listing, const explain::FlowReader& reader, const TextOptions& options) {
  const Style style(options.colour);
  std::string out;
  if (!listing.sums.empty()) {
    for (const FlowGroup& group : listing.groups)
      if (group.compared && !options.quiet)
        out += wrap(fmt::format("{}: {}", place_of(group), comparison_words(*group.compared)), 0, options.width);
    return out + sums_text(listing, options, style);
  }
  for (const FlowGroup& group : listing.groups)
    if (!group.flows.empty() || group.compared)
      out += (out.empty() ? "" : "\n") + GroupText(group, reader, options, style).print();
  return out.empty() ? wrap(nothing_text(listing), 0, options.width) : out;
}

}  // namespace egt::render
