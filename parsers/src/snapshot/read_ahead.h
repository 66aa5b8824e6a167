// Reads of large dumps what needs nothing but their text, while others are loaded.
#pragma once

#include <atomic>
#include <span>
#include <thread>
#include <vector>

#include "snapshot/examine.h"

namespace egt::parsers {

class ReadAhead {
 public:
  // `chosen`: as they will be loaded, one after another (Dump::ahead).
  explicit ReadAhead(std::span<Candidate* const> chosen);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

 private:
  struct Task {
    const Format* format = nullptr;
    Dump dump;
  };
  void work();

  std::vector<Task> tasks_;
  std::atomic<bool> is_ended_{false};
  std::thread thread_;
};

}  // namespace egt::parsers
