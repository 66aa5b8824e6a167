#include "flow_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace egt::render {
namespace {

using openflow::FlowWord;

bool is_any(std::string_view value) {
  for (const std::string_view mask : {"/0", "/0x0", "/0.0.0.0", "/::", "/00:00:00:00:00:00"})
    if (value.ends_with(mask)) return true;
  return false;
}

// Of "src=10.0.0.1/0.0.0.0,dst=10.0.0.2,proto=6/0" what has a mask.
std::string matched_parts(const FlowWord& word, const explain::FlowReader& reader) {
  if (word.value.find_first_of(",=") == word.value.npos) return is_any(word.value) ? std::string() : std::string(word.value);
  std::string out;
  for (const FlowWord& part : reader.list(word.value, word.section)) {
    if (is_any(part.value)) continue;
    const char* begin = part.key.data();
    const char* end = word.value.data() + word.value.size();
    const char* stop = part.has_value ? part.value.data() + part.value.size() : begin + part.key.size();
    if (part.has_value && stop < end && *stop == ')') ++stop;
    out += (out.empty() ? "" : ",") + std::string(begin, stop);
  }
  return out;
}

}  // namespace

using explain::ComparedDump;
using explain::FlowChange;
using explain::IntervalBasis;
using explain::ListedFlow;

std::string rate_number(double n) {
  if (n == 0 || n >= 100) return fmt::format("{:.0f}", n);
  if (n < 0.01) return fmt::format("{:.1g}", n);
  return fmt::format("{:.{}f}", n, n < 10 ? 2 : 1);
}

std::string_view change_name(FlowChange change) {
  switch (change) {
    case FlowChange::none: return "";
    case FlowChange::counted: return "counted";
    case FlowChange::here_alone: return "here_alone";
    case FlowChange::anew: return "anew";
    case FlowChange::backwards: return "backwards";
    case FlowChange::ambiguous: return "ambiguous";
    case FlowChange::undecided: return "undecided";
  }
  return "";
}

std::string_view basis_name(IntervalBasis basis) {
  switch (basis) {
    case IntervalBasis::none: return "none";
    case IntervalBasis::ages: return "ages of flows";
    case IntervalBasis::times: return "times of dumps";
  }
  return "";
}

std::string change_words(const ListedFlow& flow, const ComparedDump& compared) {
  switch (flow.change) {
    case FlowChange::none: return {};
    case FlowChange::counted:
      if (!flow.rate) return {};
      return fmt::format("{}{} packets/s, {} bytes/s", compared.at_least ? "at least " : "", rate_number(flow.rate->packets),
                         rate_number(flow.rate->bytes));
    case FlowChange::here_alone:
      return compared.basis == IntervalBasis::none ? "not in the other dump"
             : compared.seconds > 0                ? "new: not in the earlier dump"
                                                   : "not in the later dump";
    case FlowChange::anew: return "removed and added again between the dumps: no rate";
    case FlowChange::backwards:
      return fmt::format("counters went backwards: {} packets and {} bytes here, {} and {} in the {} dump", flow.counters.packets,
                         flow.counters.bytes, flow.other->packets, flow.other->bytes, compared.seconds > 0 ? "earlier" : "later");
    case FlowChange::ambiguous: return "several flows have this match: no rate";
    case FlowChange::undecided: return fmt::format("{} packets in the other dump; rate undecided", flow.other->packets);
  }
  return {};
}

std::string comparison_words(const ComparedDump& c) {
  const bool timed = c.basis != IntervalBasis::none, later = c.seconds > 0;
  std::string out =
      timed ? fmt::format("{:.{}f} s {} {} by {}: rates of {} flow{}", std::abs(c.seconds),
                          c.basis == IntervalBasis::ages ? 1 : 0, later ? "after" : "before", c.dump,
                          c.basis == IntervalBasis::ages ? "the ages of flows" : "the times of the dumps", c.counted,
                          c.counted == 1 ? "" : "s")
            : fmt::format("beside {}: neither ages of flows nor times of the dumps show how much time is between, no rates",
                          c.dump);
  const auto also = [&](std::size_t n, std::string_view what) {
    if (n > 0) out += fmt::format(", {} {}", n, what);
  };
  also(c.undecided, "in both");
  also(c.here_alone, !timed ? "not in the other dump" : later ? "new" : "not in the later dump");
  also(c.there_alone.size(), !timed ? "in the other dump alone" : later ? "gone" : "in the later dump alone");
  also(c.anew, "removed and added again");
  also(c.backwards, "with counters that went backwards");
  also(c.ambiguous, "not unique by match");
  if (c.at_least && c.counted > 0)
    out += "; flows of the datapath have no age: one that was made anew in between counted more than its rate";
  return out;
}

std::string datapath_match(const openflow::FlowWords& flow, const explain::FlowReader& reader) {
  const auto rank = [](std::string_view key) { return key == "recirc_id" ? 0 : key == "in_port" ? 1 : key == "tunnel" ? 3 : 2; };
  std::string parts_of_rank[4];
  for (const FlowWord& word : flow.words) {
    const bool of_match = word.section == FlowWord::Section::match || word.key == "recirc_id";
    if (!of_match || word.key == "packet_type") continue;
    if (const std::string parts = matched_parts(word, reader); !parts.empty())
      parts_of_rank[rank(word.key)] += fmt::format(",{}({})", word.key, parts);
  }
  const std::string all = parts_of_rank[0] + parts_of_rank[1] + parts_of_rank[2] + parts_of_rank[3];
  return all.empty() ? all : all.substr(1);
}

std::string_view datapath_actions(std::string_view actions) { return actions.substr(0, actions.find(", dp-extra-info:")); }

std::string rated_words(std::uint64_t rated, std::uint64_t flows) {
  return rated == flows ? std::string() : fmt::format("rates of {} of {} flow{}", rated, flows, flows == 1 ? "" : "s");
}

}  // namespace egt::render
