// Many questions at once: threads share them out, each with an explainer of its own.
#pragma once

#include <atomic>
#include <vector>

#include "egtrace/base/parallel.h"
#include "egtrace/explain/explainer.h"

namespace egt::assess {

// `ask(explainer, i)` for each i below `count`; the answers in that order. `jobs`: threads, 0: one a processor.
template <class Ask>
auto ask_all(const explain::Explainer& explainer, std::size_t count, unsigned jobs, Ask ask) {
  constexpr std::size_t kWorthAThread = 4;
  std::vector<decltype(ask(explainer, std::size_t{}))> answers(count);
  std::atomic<std::size_t> next{0};
  const std::size_t threads = useful_threads(count, jobs, kWorthAThread);
  for_each_index(threads, static_cast<unsigned>(threads), 1, [&](std::size_t) {
    const explain::Explainer own = explainer.for_another_thread();
    for (std::size_t i = next++; i < count; i = next++) answers[i] = ask(own, i);
  });
  return answers;
}

}  // namespace egt::assess
