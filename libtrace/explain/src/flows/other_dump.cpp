#include "flows/other_dump.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <vector>

#include "egtrace/base/text.h"
#include "flows/flow_lines.h"
#include "flows/meanings.h"

namespace egt::explain {
namespace {

using openflow::FlowWord;
using openflow::FlowWords;
using Section = FlowWord::Section;

// Seconds.
constexpr double kLeastBetween = 0.001;  // as exactly as ages are printed
constexpr double kSameAge = 2;           // a dump is printed within some time
constexpr double kTimesInexact = 5;      // times of dumps are whole seconds, and those at which their commands ended
constexpr double kAgesApart = 0.5;       // least time between additions of flows that distinguishes two starts of a switch,
constexpr double kTimesExacter = 20;     // by so much exacter than which they grew older alike
constexpr std::size_t kFewAgainst = 4;   // one in so many flows may have counted backwards: its counters were reset

// "duration=82.183s".
std::optional<double> age_of(const FlowWords& flow) {
  const FlowWord* word = flow.find(Section::info, "duration");
  if (word == nullptr || word->value.empty()) return std::nullopt;
  return std::strtod(std::string(word->value).c_str(), nullptr);
}

std::string_view value_of(const FlowWords& flow, std::string_view key, std::string_view otherwise) {
  const FlowWord* word = flow.find(Section::info, key);
  return word != nullptr ? word->value : otherwise;
}

// A flow of both dumps that has an age in each.
struct Pair {
  double between = 0;  // how much older it is in the listed dump
  double age = 0;      // there
  int counted = 0;     // 1: more packets there, -1: fewer
};

double median(std::vector<Pair>& pairs) {
  const auto middle = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() / 2);
  std::nth_element(pairs.begin(), middle, pairs.end(), [](const Pair& a, const Pair& b) { return a.between < b.between; });
  return middle->between;
}

// By how much nine of ten differ from what most have in common.
double deviation(std::vector<Pair>& pairs, double between) {
  const auto off = [&](const Pair& pair) { return std::abs(pair.between - between); };
  const auto at = pairs.begin() + static_cast<std::ptrdiff_t>(pairs.size() * 9 / 10);
  std::nth_element(pairs.begin(), at, pairs.end(), [&](const Pair& a, const Pair& b) { return off(a) < off(b); });
  return off(*at);
}

// All flows grow older alike. Where a switch was started again in between they were all added anew, and seem to have aged alike as
// well: then their counters began anew, and each was added about, not exactly, as long after the others as before.
std::optional<double> interval_by_ages(std::vector<Pair>& pairs, std::optional<double> by_times) {
  if (pairs.empty()) return std::nullopt;
  const double between = median(pairs);
  const std::size_t all = pairs.size();
  std::erase_if(pairs, [&](const Pair& pair) { return std::abs(pair.between - between) > kSameAge; });
  if (pairs.size() * 2 <= all) return std::nullopt;
  std::size_t with_it = 0, against_it = 0;
  double youngest = HUGE_VAL, oldest = 0;
  for (const Pair& pair : pairs) {
    youngest = std::min(youngest, pair.age);
    oldest = std::max(oldest, pair.age);
    if (pair.counted != 0) ++((pair.counted > 0) == (between > 0) ? with_it : against_it);
  }
  if (std::abs(between) < kLeastBetween || against_it * kFewAgainst > with_it + against_it) return std::nullopt;
  const bool confirmed = by_times && std::abs(*by_times - between) <= kTimesInexact;
  const bool exact = oldest - youngest > std::max(kAgesApart, kTimesExacter * deviation(pairs, between));
  return confirmed || exact ? std::optional(between) : std::nullopt;
}

}  // namespace

FlowCounters counters_of(const FlowWords& flow) {
  const auto counted = [&](std::string_view of_openflow, std::string_view of_datapath) {
    if (const auto n = number_of(flow, Section::info, of_openflow)) return *n;
    return number_of(flow, Section::info, of_datapath).value_or(0);
  };
  return {counted("n_packets", "packets"), counted("n_bytes", "bytes")};
}

std::size_t OtherDump::Hash::operator()(const Key& key) const {
  const std::hash<std::string_view> hash;
  return (hash(key.match) * 31 + hash(key.cookie)) * 31 + hash(key.table);
}

OtherDump::Key OtherDump::key_of(const FlowWords& flow) {
  return {value_of(flow, "table", "0"), value_of(flow, "cookie", "0x0"), flow.match};
}

OtherDump::OtherDump(std::string name, const Source& other, const Source& listed, std::pair<std::int64_t, std::int64_t> times,
                     const FlowReader& reader) {
  comparison_.dump = std::move(name);
  for_each_flow(other, reader, [&](std::uint32_t line, std::string_view text, const FlowWords& words) {
    OtherFlow& entry = flows_[key_of(words)];
    if (++entry.there == 1) entry = {counters_of(words), age_of(words), text, line, 0, 1};
  });
  find_interval(listed, times, reader);
}

void OtherDump::find_interval(const Source& listed, std::pair<std::int64_t, std::int64_t> times, const FlowReader& reader) {
  std::vector<Pair> pairs;
  bool has_ages = false;
  for_each_flow(listed, reader, [&](std::uint32_t, std::string_view, const FlowWords& words) {
    const std::optional<double> age = age_of(words);
    has_ages = has_ages || age;
    const auto found = flows_.find(key_of(words));
    if (found == flows_.end()) return;
    OtherFlow& other = found->second;
    ++other.here;
    if (!age || !other.age || other.there > 1) return;
    const std::uint64_t packets = counters_of(words).packets;
    pairs.push_back({*age - *other.age, *age, packets == other.counters.packets ? 0 : packets > other.counters.packets ? 1 : -1});
  });
  comparison_.at_least = !has_ages;
  std::optional<double> by_times;
  if (times.first != 0 && times.second != 0 && times.first != times.second)
    by_times = static_cast<double>(times.second - times.first);
  if (const auto by_ages = interval_by_ages(pairs, by_times)) {
    comparison_.seconds = *by_ages;
    comparison_.basis = IntervalBasis::ages;
  } else if (by_times) {
    comparison_.seconds = *by_times;
    comparison_.basis = IntervalBasis::times;
  }
}

OtherDump::Change OtherDump::of(const FlowWords& flow) const {
  const auto found = flows_.find(key_of(flow));
  if (found == flows_.end()) return {};
  const OtherFlow& other = found->second;
  Change change{FlowChange::counted, std::nullopt, other.counters, other.line};
  if (other.there > 1 || other.here > 1) return {FlowChange::ambiguous, std::nullopt, std::nullopt, 0};
  if (comparison_.basis == IntervalBasis::none) return change.change = FlowChange::undecided, change;
  const double between = comparison_.seconds;
  const double inexact = comparison_.basis == IntervalBasis::ages ? kSameAge : kTimesInexact;
  const std::optional<double> age = age_of(flow);
  if (age && other.age && std::abs(*age - *other.age - between) > inexact) return change.change = FlowChange::anew, change;
  const FlowCounters counters = counters_of(flow);
  const auto per_second = [&](std::uint64_t here, std::uint64_t there) {
    return (static_cast<double>(here) - static_cast<double>(there)) / between;
  };
  const FlowRate rate{per_second(counters.packets, other.counters.packets), per_second(counters.bytes, other.counters.bytes)};
  if (rate.packets < 0 || rate.bytes < 0) return change.change = FlowChange::backwards, change;
  change.rate = {rate.packets + 0.0, rate.bytes + 0.0};  // without the sign of -0
  return change;
}

}  // namespace egt::explain
