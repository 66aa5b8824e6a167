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

// How many of `jobs` threads (0: one a processor) are worth it for so many pieces of work.
inline std::size_t useful_threads(std::size_t count, unsigned jobs, std::size_t at_least_each) {
  constexpr std::size_t kMost = 64;
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  return std::min<std::size_t>({jobs, kMost, count / std::max<std::size_t>(at_least_each, 1) + 1});
}

// `count` threads, or as many as there is memory for: the work is shared by those that run.
template <class Run>
void start_threads(std::vector<std::thread>& threads, std::size_t count, const Run& run) {
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(run);
  } catch (const std::exception&) {
  }
}

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
  std::vector<std::thread> threads;
  const std::size_t useful = useful_threads(count, jobs, at_least_each);
  start_threads(threads, useful - 1, run);
  run();
  for (std::thread& thread : threads) thread.join();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace egt
