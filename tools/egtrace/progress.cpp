#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

namespace egt::cli {

struct ProgressLine::Shown {
  parsers::SnapshotProgress progress;
  std::mutex guard;
  std::condition_variable ended;
  bool over = false, drawn = false;
  std::thread thread;

  std::string words() const {
    const std::uint64_t of = progress.dumps_of;
    if (of != 0) return fmt::format("reading dump {} of {}", std::uint64_t{progress.dumps}, of);
    return fmt::format("found {} files, {} MB unpacked", std::uint64_t{progress.files}, progress.bytes >> 20);
  }

  void run() {
    std::unique_lock<std::mutex> lock(guard);
    auto wait = std::chrono::milliseconds(500);
    while (!ended.wait_for(lock, wait, [this] { return over; })) {
      fmt::print(stderr, "\r\033[K{}", words());
      std::fflush(stderr);
      drawn = true;
      wait = std::chrono::milliseconds(100);
    }
  }

  void end() {
    {
      const std::lock_guard<std::mutex> lock(guard);
      over = true;
    }
    ended.notify_all();
    if (thread.joinable()) thread.join();
    if (drawn) fmt::print(stderr, "\r\033[K");
    drawn = false;
  }
};

ProgressLine::ProgressLine(parsers::SnapshotRequest& request, bool quiet) {
  if (quiet || ::isatty(STDERR_FILENO) == 0) return;
  shown_ = std::make_unique<Shown>();
  request.progress = &shown_->progress;
  shown_->thread = std::thread([shown = shown_.get()] { shown->run(); });
}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() const {
  if (shown_) shown_->end();
}

}  // namespace egt::cli
