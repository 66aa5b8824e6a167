#include "line_runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "arguments.h"
#include "egtrace/parsers/output_file.h"
#include "program.h"
#include "snapshot_store.h"

namespace egt::cli {
namespace {

constexpr int kInterrupted = 128 + SIGINT;

// What the shell throws out of a verb whose rest another process does. (No std::exception, which would be complained of.)
struct LineDone {
  int status;
};

volatile std::sig_atomic_t interrupts = 0;

// SIGINT waits.
class InterruptsHeld {
 public:
  InterruptsHeld() {
    ::sigemptyset(&interrupt_);
    ::sigaddset(&interrupt_, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupt_, nullptr);
  }
  InterruptsHeld(const InterruptsHeld&) = delete;
  InterruptsHeld& operator=(const InterruptsHeld&) = delete;
  ~InterruptsHeld() { release(); }
  void release() const { ::sigprocmask(SIG_UNBLOCK, &interrupt_, nullptr); }

 private:
  sigset_t interrupt_;
};

void leave_interrupts_to_child() {
  std::signal(SIGINT, SIG_DFL);
  parsers::remove_unfinished_files_on_signals();
}

int status_of(int wait_status) {
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  const int signal = WTERMSIG(wait_status);
  if (signal == SIGINT)
    std::fputs("\n", stderr);
  else
    print_error(fmt::format("egtrace: signal {} ended the line\n", signal));
  return 128 + signal;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return static_cast<int>(ExitStatus::unusable);
  return status_of(status);
}

// What stands in a script behind a line is not that line's input.
void detach_input() {
  const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  if (nothing > STDIN_FILENO) ::close(nothing);
}

bool asks_a_snapshot(const std::string& verb) {
  ExitStatus unused = ExitStatus::done;
  const auto program = make_program(unused);
  const CLI::App* named = verb_named(*program, verb);
  if (named == nullptr) return false;
  for (const CLI::Option* option : named->get_options())
    if (option->get_name() == "snapshot") return true;
  return false;
}

}  // namespace

CountedInterrupts::CountedInterrupts() {
  struct sigaction count {};
  count.sa_handler = [](int) { interrupts = interrupts + 1; };  // what waits goes on waiting no longer: not restarted
  ::sigaction(SIGINT, &count, &before_);
}

CountedInterrupts::~CountedInterrupts() { ::sigaction(SIGINT, &before_, nullptr); }

bool CountedInterrupts::any() { return interrupts != 0; }

void CountedInterrupts::forget() { interrupts = 0; }

int run_line_apart(const std::vector<std::string>& words, Keyboard keyboard) {
  bool is_apart = false;
  // In the shell: waits for the other process, and leaves the verb. In that: goes on.
  const auto part = [&] {
    if (is_apart) return;
    std::fflush(nullptr);
    const InterruptsHeld held;
    if (keyboard == Keyboard::line && interrupts != 0) {
      std::fputs("\n", stderr);
      throw LineDone{kInterrupted};
    }
    const pid_t child = ::fork();
    if (child < 0) {
      print_error(fmt::format("egtrace: no process for the line: {}\n", std::strerror(errno)));
      throw LineDone{static_cast<int>(ExitStatus::unusable)};
    }
    is_apart = child == 0;
    if (!is_apart) {
      held.release();
      if (keyboard == Keyboard::line && interrupts != 0) ::kill(child, SIGINT);  // which came before there was one to get it
      throw LineDone{wait_for(child)};
    }
    if (keyboard == Keyboard::line)
      leave_interrupts_to_child();
    else
      detach_input();
  };
  SnapshotStore& store = SnapshotStore::process();
  int status = 0;
  try {
    const bool reads_input = std::find(words.begin(), words.end(), "-") != words.end();  // for which the shell does not wait
    if (reads_input || !asks_a_snapshot(words.front())) part();
    store.call_when_open(part);
    status = run_program(words);
  } catch (const LineDone& done) {
    status = done.status;
  }
  if (is_apart) {
    std::fflush(nullptr);
    ::_exit(status);
  }
  store.call_when_open({});
  store.keep_session_only();
  return status;
}

}  // namespace egt::cli
