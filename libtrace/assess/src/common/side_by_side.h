// Work on all processors, for what builds its indexes when they are first needed and has no locks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace egt::assess {

// work(0) … work(count - 1), in order. `jobs` processes share them out (0: one a processor), each of which has all that
// this one has, copied where it is written to: so what `work` changes but for its result is lost. What a process leaves
// undone, because none could be made or it ended, is done here.
std::vector<std::string> side_by_side(std::size_t count, unsigned jobs,
                                      const std::function<std::string(std::size_t)>& work);

}  // namespace egt::assess
