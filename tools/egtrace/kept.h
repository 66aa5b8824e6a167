// What goes with the process: to take half a million rows apart one by one at the end would cost as much as the answer.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace egt::cli {

template <class T, class... Arguments>
T& kept_to_the_end(Arguments&&... arguments) {
  static std::vector<std::unique_ptr<T>>& all = *new std::vector<std::unique_ptr<T>>;
  return *all.emplace_back(std::make_unique<T>(std::forward<Arguments>(arguments)...));
}

}  // namespace egt::cli
