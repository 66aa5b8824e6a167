#include "replay_chooser.h"

namespace egt::engine {

std::size_t ReplayChooser::choose(const ChoicePoint& point) {
  if (point.options.size() <= 1) return 0;
  const std::size_t position = made_.size();
  std::size_t pick = position < script_.size() ? script_[position] : 0;
  if (pick >= point.options.size()) pick = 0;
  made_.push_back({point, pick, record_.steps.size()});
  return pick;
}

bool for_each_script(const std::function<bool(std::size_t)>& goes_on,
                     const std::function<std::vector<MadeChoice>(const std::vector<std::size_t>&)>& run) {
  std::vector<std::vector<std::size_t>> pending{{}};
  for (std::size_t runs = 0; !pending.empty(); ++runs) {
    if (!goes_on(runs)) return true;
    const std::vector<std::size_t> script = std::move(pending.back());
    pending.pop_back();
    const std::vector<MadeChoice> made = run(script);
    // Later choices vary quickest, so the alternatives of the first one are pushed first and popped last.
    for (std::size_t i = script.size(); i < made.size(); ++i) {
      std::vector<std::size_t> prefix;
      for (std::size_t k = 0; k < i; ++k) prefix.push_back(made[k].chosen);
      for (std::size_t other = made[i].point.options.size(); other-- > 1;) {
        pending.push_back(prefix);
        pending.back().push_back(other);
      }
    }
  }
  return false;
}

}  // namespace egt::engine
