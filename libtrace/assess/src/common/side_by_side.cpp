#include "common/side_by_side.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace egt::assess {
namespace {

using Work = std::function<std::string(std::size_t)>;

struct Header {
  std::uint64_t number = 0, size = 0;
};

// A number that processes count up together.
class SharedCounter {
 public:
  explicit SharedCounter(std::size_t first)
      : page_(::mmap(nullptr, sizeof(Number), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (ok()) new (page_) Number(first);
  }
  ~SharedCounter() {
    if (ok()) ::munmap(page_, sizeof(Number));
  }
  SharedCounter(const SharedCounter&) = delete;
  SharedCounter& operator=(const SharedCounter&) = delete;

  bool ok() const { return page_ != MAP_FAILED; }
  std::size_t next() { return static_cast<Number*>(page_)->fetch_add(1, std::memory_order_relaxed); }

 private:
  using Number = std::atomic<std::size_t>;
  static_assert(Number::is_always_lock_free);
  void* page_;
};

struct Worker {
  pid_t pid = -1;
  int results = -1;     // the end of its pipe
  std::string arrived;  // of a result that is not complete
};

bool write_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

void append_result(std::string& bytes, std::size_t number, const std::string& result) {
  const Header header{number, result.size()};
  char head[sizeof header];
  std::memcpy(head, &header, sizeof header);
  bytes.append(head, sizeof head);
  bytes += result;
}

// In the new process. It ends without running what the program does at its end.
[[noreturn]] void work_off(int fd, std::size_t count, SharedCounter& next, const Work& work) {
  constexpr std::size_t kWorthSending = 1 << 15;  // each time the parent is woken
  std::string finished;
  for (std::size_t i = next.next(); i < count; i = next.next()) {
    try {
      append_result(finished, i, work(i));
    } catch (...) {
      ::_exit(1);  // the parent does it again, and meets what was thrown
    }
    if (finished.size() < kWorthSending) continue;
    if (!write_all(fd, finished.data(), finished.size())) ::_exit(1);
    finished.clear();
  }
  ::_exit(write_all(fd, finished.data(), finished.size()) ? 0 : 1);
}

std::optional<Worker> start(std::size_t count, SharedCounter& next, const Work& work,
                            const std::vector<Worker>& others) {
  int ends[2];
  if (::pipe(ends) != 0) return std::nullopt;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::close(ends[0]);
    for (const Worker& w : others) ::close(w.results);
    work_off(ends[1], count, next, work);
  }
  ::close(ends[1]);
  if (pid > 0) return Worker{pid, ends[0], {}};
  ::close(ends[0]);
  return std::nullopt;
}

using Results = std::vector<std::optional<std::string>>;

// Takes the complete results off the front of what arrived.
void take(std::string& arrived, Results& results) {
  std::size_t at = 0;
  Header header;
  while (arrived.size() - at >= sizeof header) {
    std::memcpy(&header, arrived.data() + at, sizeof header);
    if (arrived.size() - at - sizeof header < header.size) break;
    if (header.number < results.size()) results[header.number] = arrived.substr(at + sizeof header, header.size);
    at += sizeof header + header.size;
  }
  arrived.erase(0, at);
}

// False at the end of the worker's results.
bool read_some(Worker& worker, Results& results) {
  char bytes[1 << 16];
  const ssize_t n = ::read(worker.results, bytes, sizeof bytes);
  if (n < 0 && errno == EINTR) return true;
  if (n <= 0) return false;
  worker.arrived.append(bytes, static_cast<std::size_t>(n));
  take(worker.arrived, results);
  return true;
}

void end(Worker& worker) {
  ::close(worker.results);  // one that still writes ends by that
  while (::waitpid(worker.pid, nullptr, 0) < 0 && errno == EINTR) continue;
}

void collect(std::vector<Worker> workers, Results& results) {
  while (!workers.empty()) {
    std::vector<pollfd> ready;
    for (const Worker& w : workers) ready.push_back({w.results, POLLIN, 0});
    const bool failed = ::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR;
    for (std::size_t i = workers.size(); i-- > 0;) {
      if (!failed && (ready[i].revents == 0 || read_some(workers[i], results))) continue;
      end(workers[i]);
      workers.erase(workers.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

}  // namespace

std::vector<std::string> side_by_side(std::size_t count, unsigned jobs, const Work& work) {
  // Fewer are not worth a process. The first ones are done here: what they build, all processes then have.
  constexpr std::size_t kFirst = 16, kWorthwhile = 64;
  if (jobs == 0) jobs = std::max(1U, std::thread::hardware_concurrency());
  Results results(count);
  std::size_t done = 0;
  for (; done < std::min(count, kFirst); ++done) results[done] = work(done);
  SharedCounter next(done);
  if (jobs > 1 && count >= kWorthwhile && next.ok()) {
    std::vector<Worker> workers;
    for (unsigned i = 0; i < jobs; ++i)
      if (auto worker = start(count, next, work, workers)) workers.push_back(std::move(*worker));
    collect(std::move(workers), results);
  }
  std::vector<std::string> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all.push_back(results[i] ? std::move(*results[i]) : work(i));
  return all;
}

}  // namespace egt::assess
