#include "flow_tree.h"

#include <fmt/format.h>

#include <utility>

namespace egt::render {
namespace {

using explain::FlowGroup;
using explain::RecirculationBlock;
using Kind = FlowTreeLine::Kind;

constexpr std::size_t kDeepest = 16;

class FlowTree {
 public:
  explicit FlowTree(const FlowGroup& group)
      : group_(group), shown_(group.flows.size()), opened_(group.blocks.size()), led_to_(group.flows.size()) {
    for (const RecirculationBlock& block : group.blocks)
      for (const std::size_t flow : block.flows)
        led_to_[flow] = block.parents.size() > 1 || block.parents.front() != flow || led_to_[flow];
  }

  std::vector<FlowTreeLine> print() {
    for (const bool arriving : {true, false})
      for (std::size_t i = 0; i < group_.flows.size(); ++i)
        if (!led_to_[i] && (group_.flows[i].recirc_id == 0) == arriving) flow(i, 0);
    for (std::size_t i = 0; i < group_.flows.size(); ++i)
      if (!shown_[i]) flow(i, 0);
    return std::move(lines_);
  }

 private:
  void flow(std::size_t i, std::size_t depth) {
    shown_[i] = true;
    lines_.push_back({Kind::flow, depth, i});
    for (const std::size_t block : group_.flows[i].recirculates_to) behind(block, depth + 1);
  }

  void behind(std::size_t index, std::size_t depth) {
    const RecirculationBlock& block = group_.blocks[index];
    const auto say = [&](Kind kind) { lines_.push_back({kind, depth, index}); };
    if (block.all == 0) return say(Kind::missing);
    if (block.flows.empty()) return say(Kind::not_asked);
    std::vector<std::size_t> open;
    for (const std::size_t flow : block.flows)
      if (!shown_[flow]) open.push_back(flow);
    if (opened_[index] || open.empty()) return say(Kind::above);
    if (depth > kDeepest) return say(Kind::deep);
    opened_[index] = true;
    say(Kind::block);
    for (const std::size_t i : open)
      if (!shown_[i]) flow(i, depth);  // one of them may lead to the others
  }

  const FlowGroup& group_;
  std::vector<bool> shown_, opened_, led_to_;
  std::vector<FlowTreeLine> lines_;
};

}  // namespace

std::string recirculation_words(const RecirculationBlock& block, Kind kind) {
  const std::string name = fmt::format("recirc({:#x})", block.id);
  const std::size_t shown = block.flows.size();
  switch (kind) {
    case Kind::flow: return {};
    case Kind::block: {
      const std::string rest = block.all > shown ? fmt::format(", {} more were not asked for", block.all - shown) : "";
      return fmt::format("{}: {} flow{}{}", name, shown, shown == 1 ? "" : "s", rest);
    }
    case Kind::above:
      return name + (shown == 1 ? ": its flow is shown above" : fmt::format(": its {} flows are shown above", shown));
    case Kind::deep: return name + ": too deep here, shown below";
    case Kind::not_asked: return fmt::format("{}: {} flow{}, not asked for", name, block.all, block.all == 1 ? "" : "s");
    case Kind::missing: return name + ": the dump has no flow of this recirc_id and input port";
  }
  return name;
}

std::string root_words(const explain::ListedFlow& flow) {
  if (flow.recirc_id == 0) return {};
  return flow.is_reached ? "behind recirculation by flows that were not asked for"
                         : fmt::format("no flow of the dump has recirc({:#x}) for this input port", flow.recirc_id);
}

std::vector<FlowTreeLine> flow_tree(const FlowGroup& group) { return FlowTree(group).print(); }

}  // namespace egt::render
