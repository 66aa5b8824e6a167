#include "flows/recirculation_tree.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "flows/recirculations.h"

namespace egt::explain {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// Indices are those of `found` until the tree is made.
class TreeMaker {
 public:
  TreeMaker(const openflow::Datapath& datapath, const std::vector<std::size_t>& found)
      : datapath_(datapath),
        found_(found),
        recirculations_(datapath),
        found_at_(datapath.flows.size(), kNone),
        recirculates_to_(found.size()),
        has_parent_(found.size()),
        chosen_(found.size()) {
    for (std::size_t i = 0; i < found.size(); ++i) found_at_[found[i]] = i;
    for (std::size_t i = 0; i < found.size(); ++i) join(i);
  }

  RecirculationTree make(std::optional<std::size_t> top) {
    std::size_t trees = 0;
    const auto choose_all = [&](const auto& is_root) {
      for (std::size_t i = 0; i < found_.size() && (!top || trees < *top); ++i)
        if (!chosen_[i] && is_root(i)) choose(i), ++trees;
    };
    choose_all([&](std::size_t i) { return datapath_.flows[found_[i]].recirc_id == 0; });
    choose_all([&](std::size_t i) { return !has_parent_[i]; });
    choose_all([](std::size_t) { return true; });
    return take();
  }

 private:
  void join(std::size_t flow) {
    for (const std::uint32_t id : datapath_.flows[found_[flow]].recirculates_to) {
      const auto [known, is_new] = block_of_.try_emplace({id, recirculations_.in_port(found_[flow])}, blocks_.size());
      if (is_new) add_block(flow, id);
      std::vector<std::size_t>& to = recirculates_to_[flow];
      if (std::find(to.begin(), to.end(), known->second) != to.end()) continue;
      to.push_back(known->second);
      RecirculationBlock& block = blocks_[known->second];
      block.parents.push_back(flow);
      if (block.parents.size() > 2) continue;
      for (const std::size_t next : block.flows)
        if (next != flow) has_parent_[next] = true;
    }
  }

  void add_block(std::size_t flow, std::uint32_t id) {
    RecirculationBlock& block = blocks_.emplace_back();
    block.id = id;
    const std::vector<std::size_t> behind = recirculations_.behind(found_[flow], id);
    block.all = behind.size();
    for (const std::size_t next : behind)
      if (found_at_[next] != kNone) block.flows.push_back(found_at_[next]);
    std::sort(block.flows.begin(), block.flows.end());
  }

  // With all that it leads to.
  void choose(std::size_t root) {
    std::vector<std::size_t> open = {root};
    chosen_[root] = true;
    while (!open.empty()) {
      const std::size_t flow = open.back();
      open.pop_back();
      for (const std::size_t block : recirculates_to_[flow]) {
        if (!chosen_blocks_.insert(block).second) continue;
        for (const std::size_t next : blocks_[block].flows)
          if (!chosen_[next]) chosen_[next] = true, open.push_back(next);
      }
    }
  }

  RecirculationTree take() {
    RecirculationTree tree;
    std::vector<std::size_t> place(found_.size(), kNone), block_place(blocks_.size(), kNone);
    for (std::size_t i = 0; i < found_.size(); ++i)
      if (chosen_[i]) place[i] = tree.shown.size(), tree.shown.push_back(i);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      if (!chosen_blocks_.contains(b)) continue;
      block_place[b] = tree.blocks.size();
      RecirculationBlock& block = tree.blocks.emplace_back(std::move(blocks_[b]));
      std::erase_if(block.parents, [&](std::size_t i) { return place[i] == kNone; });
      for (auto* list : {&block.flows, &block.parents})
        for (std::size_t& i : *list) i = place[i];
    }
    for (const std::size_t i : tree.shown) {
      tree.is_reached.push_back(recirculations_.is_reached(found_[i]));
      std::vector<std::size_t>& to = tree.recirculates_to.emplace_back(std::move(recirculates_to_[i]));
      for (std::size_t& block : to) block = block_place[block];
    }
    return tree;
  }

  const openflow::Datapath& datapath_;
  const std::vector<std::size_t>& found_;
  Recirculations recirculations_;
  std::vector<std::size_t> found_at_;  // by index of Datapath::flows
  std::vector<std::vector<std::size_t>> recirculates_to_;
  std::vector<bool> has_parent_, chosen_;
  std::set<std::size_t> chosen_blocks_;
  std::map<std::pair<std::uint32_t, std::string_view>, std::size_t> block_of_;  // by id and input port
  std::vector<RecirculationBlock> blocks_;
};

}  // namespace

RecirculationTree recirculation_tree(const openflow::Datapath& datapath, const std::vector<std::size_t>& found,
                                     std::optional<std::size_t> top) {
  return TreeMaker(datapath, found).make(top);
}

}  // namespace egt::explain
