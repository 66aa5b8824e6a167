// Independent pieces of work on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace egt {

// Runs `work(i)` for each i below `count`; `jobs` threads at most, 0: one a processor. What the first of them threw is
// thrown again once all have ended.
template <class Work>
void for_each_index(std::size_t count, unsigned jobs, std::size_t at_least_each, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr thrown;
  std::mutex guard;
  const auto run = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      const std::lock_guard<std::mutex> lock(guard);
      if (!thrown) thrown = std::current_exception();
    }
  };
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t useful = count / std::max<std::size_t>(at_least_each, 1) + 1;
  jobs = static_cast<unsigned>(std::min<std::size_t>({jobs, 64, useful}));
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < jobs; ++i) threads.emplace_back(run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace egt
