#include "alike.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "shape.h"

namespace egt::explain::capture_study {
namespace {

void note(const IpAddr& a, std::vector<IpAddr>& all) {
  if (all.empty() || all.back() != a) all.push_back(a);
}

std::uint64_t count_different(std::vector<IpAddr>& all) {
  std::sort(all.begin(), all.end());
  return static_cast<std::uint64_t>(std::unique(all.begin(), all.end()) - all.begin());
}

}  // namespace

AlikeAsOne::AlikeAsOne(const std::vector<Flow>& flows, const AddressClasses* classes, const EventJudge& events) {
  std::unordered_map<std::string, std::size_t> by_shape;
  for (const Flow& flow : flows) {
    const auto [known, is_new] = by_shape.try_emplace(shape_of(flow, classes) + events.shape_of(flow), counts_.size());
    if (is_new) {
      firsts_.push_back(&flow);
      counts_.emplace_back();
    }
    counts_[known->second].add(flow);
  }
}

void AlikeAsOne::describe(std::vector<FlowReport>& reports) {
  for (std::size_t i = 0; i < counts_.size(); ++i) reports[i].alike = counts_[i].report();
}

void AlikeAsOne::Count::add(const Flow& flow) {
  const FlowPart& part = flow.parts.front();
  const Ends ends = part.reply ? part.ends.reversed() : part.ends;
  ++flows;
  first_sport = std::min(first_sport, ends.sport);
  last_sport = std::max(last_sport, ends.sport);
  note(ends.src, senders);
  note(ends.dst, receivers);
}

AlikeReport AlikeAsOne::Count::report() {
  return {flows - 1, first_sport, last_sport, count_different(senders), count_different(receivers)};
}

}  // namespace egt::explain::capture_study
