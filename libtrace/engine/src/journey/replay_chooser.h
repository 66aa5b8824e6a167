// A Chooser that follows a script and takes the first option beyond it, and the search over all scripts.
#pragma once

#include <functional>
#include <vector>

#include "egtrace/engine/journey.h"

namespace egt::engine {

class ReplayChooser : public Chooser {
 public:
  ReplayChooser(std::vector<std::size_t> script, const Record& record) : script_(std::move(script)), record_(record) {}

  std::size_t choose(const ChoicePoint& point) override;
  std::vector<MadeChoice> take() { return std::move(made_); }

 private:
  std::vector<std::size_t> script_;
  const Record& record_;
  std::vector<MadeChoice> made_;
};

// Runs `run` once for every combination of choices, depth first, first options first. Stops after `max_runs`;
// returns whether that cut something off.
bool for_each_script(std::size_t max_runs,
                     const std::function<std::vector<MadeChoice>(const std::vector<std::size_t>&)>& run);

}  // namespace egt::engine
