#include "snapshot/read_ahead.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

namespace egt::parsers {
namespace {

constexpr std::size_t kWorthAThread = std::size_t{1} << 20;  // bytes of text

bool is_worth_it(const Candidate& c) {
  return c.format != nullptr && c.format->read_ahead != nullptr && c.dump.compiled == nullptr && c.dump.jobs != 1 &&
         c.dump.text.size() >= kWorthAThread;
}

bool is_database(const Dump& dump) { return dump.text.starts_with("OVSDB "); }

// Databases keep the thread that loads them busy: on one processor, where that takes as long as what is read ahead on the
// others. A byte of a database takes as long as five of flows.
unsigned threads_beside(std::span<Candidate* const> chosen) {
  std::size_t databases = 0, others = 0;
  for (const Candidate* c : chosen)
    if (is_worth_it(*c)) (is_database(c->dump) ? databases : others) += c->dump.text.size();
  const unsigned processors = std::max(1u, std::thread::hardware_concurrency());
  return databases * 5 > others ? std::max(2u, processors) - 1 : processors;
}

}  // namespace

ReadAhead::ReadAhead(std::span<Candidate* const> chosen) {
  const unsigned threads = threads_beside(chosen);
  bool is_first = true;  // which is loaded at once
  for (Candidate* c : chosen) {
    if (!is_worth_it(*c) || std::exchange(is_first, false)) continue;
    c->dump.ahead = std::make_shared<FoundAhead>();
    tasks_.push_back({c->format, c->dump});
    if (c->dump.jobs == 0) tasks_.back().dump.jobs = threads;
  }
  if (tasks_.empty()) return;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error&) {
    // No more threads: the thread that loads the dumps does all of it.
  }
}

ReadAhead::~ReadAhead() {
  is_ended_ = true;
  if (thread_.joinable()) thread_.join();
}

void ReadAhead::work() {
  for (Task& one : tasks_) {
    if (is_ended_) return;
    const Task task = std::exchange(one, {});
    try {
      task.dump.ahead->get_or([&] { return task.format->read_ahead(task.dump); });
    } catch (const std::exception&) {
      // It is tried again, and reported, where the dump is loaded.
    }
  }
}

}  // namespace egt::parsers
