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

// Runs `run` once for every combination of choices, depth first, first options first, as long as `goes_on`, which gets the
// number of runs so far. Returns whether something was cut off.
bool for_each_script(const std::function<bool(std::size_t)>& goes_on,
                     const std::function<std::vector<MadeChoice>(const std::vector<std::size_t>&)>& run);

}  // namespace egt::engine
