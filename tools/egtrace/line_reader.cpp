#include "line_reader.h"

#include <fcntl.h>
#include <sys/select.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#ifdef EGTRACE_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

#include "line_runner.h"
#include "line_words.h"

namespace egt::cli {
namespace {

// While it is there SIGINT is delivered in read() alone, so that none comes between the look at what came and the waiting.
class InterruptsWhileWaiting {
 public:
  InterruptsWhileWaiting() {
    sigset_t interrupt;
    ::sigemptyset(&interrupt);
    ::sigaddset(&interrupt, SIGINT);
    ::sigprocmask(SIG_BLOCK, &interrupt, &before_);
  }
  InterruptsWhileWaiting(const InterruptsWhileWaiting&) = delete;
  InterruptsWhileWaiting& operator=(const InterruptsWhileWaiting&) = delete;
  ~InterruptsWhileWaiting() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  // As read(2); none where ^C came. What a terminal has to be read it may forget again, at ^C, before it is.
  std::optional<ssize_t> read(char* data, std::size_t size) const {
    while (wait_for_key()) {
      const ssize_t n = read_now(data, size);
      if (n >= 0) return n;
      if (errno != EAGAIN && errno != EINTR) return 0;
    }
    return std::nullopt;
  }

 private:
  bool wait_for_key() const {
    while (true) {
      fd_set keys;
      FD_ZERO(&keys);
      FD_SET(STDIN_FILENO, &keys);
      if (::pselect(STDIN_FILENO + 1, &keys, nullptr, nullptr, nullptr, &before_) > 0) return true;
      if (CountedInterrupts::any()) return false;
    }
  }

  static ssize_t read_now(char* data, std::size_t size) {
    const int flags = ::fcntl(STDIN_FILENO, F_GETFL);
    ::fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
    const ssize_t n = ::read(STDIN_FILENO, data, size);
    const int error = errno;
    ::fcntl(STDIN_FILENO, F_SETFL, flags);
    errno = error;
    return n;
  }

  sigset_t before_;
};

}  // namespace

#ifdef EGTRACE_READLINE

namespace {

LineReader::Complete complete_with;
std::vector<std::string> offered;                 // for next_offered(), which readline calls with no place for them
const InterruptsWhileWaiting* waiting = nullptr;  // likewise, of next_key()
bool given_up = false;

// At ^C the line ends as at the end of input, with what was typed.
int next_key(std::FILE*) {
  char key = 0;
  const auto n = waiting->read(&key, 1);
  given_up = !n;
  if (given_up) std::fputs("^C", stderr);
  return n.value_or(0) == 1 ? static_cast<unsigned char>(key) : EOF;
}

char* next_offered(const char*, int state) {
  return static_cast<std::size_t>(state) < offered.size() ? ::strdup(offered[static_cast<std::size_t>(state)].c_str()) : nullptr;
}

char** complete_line(const char* text, int, int end) {
  rl_attempted_completion_over = 1;  // names of files are none of the shell's
  LineWords line = split_line(std::string_view(rl_line_buffer, static_cast<std::size_t>(end)));
  if (line.open_quote) return nullptr;
  if (!line.in_word) line.words.emplace_back();
  offered = complete_with(line.words);
  rl_completion_append_character = offered.size() == 1 && offered.front().ends_with('=') ? '\0' : ' ';
  return rl_completion_matches(text, next_offered);
}

}  // namespace

LineReader::LineReader(Complete complete) {
  complete_with = std::move(complete);
  rl_catch_signals = 0;  // what SIGINT ends is the line, see read()
  rl_readline_name = "egtrace";
  rl_getc_function = next_key;
  rl_outstream = stderr;  // answers alone go to standard output
  rl_attempted_completion_function = complete_line;
  static char breaks[] = " \t";
  rl_completer_word_break_characters = breaks;
  rl_basic_word_break_characters = breaks;
}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  const InterruptsWhileWaiting interrupts;
  waiting = &interrupts;
  given_up = false;
  const std::unique_ptr<char, decltype(&std::free)> line(::readline(prompt.c_str()), &std::free);
  if (line == nullptr && given_up) std::fputs("\n", stderr);
  if (given_up) return std::string();
  return line != nullptr ? std::optional<std::string>(line.get()) : std::nullopt;
}

void LineReader::remember(const std::string& line) { ::add_history(line.c_str()); }

#else

LineReader::LineReader(Complete) {}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  static std::string typed;  // behind the line that was read last
  const InterruptsWhileWaiting interrupts;
  std::fputs(prompt.c_str(), stderr);
  std::fflush(stderr);
  std::array<char, 4096> some{};
  while (typed.find('\n') == std::string::npos) {
    const auto n = interrupts.read(some.data(), some.size());
    if (!n) {
      typed.clear();
      std::fputs("\n", stderr);
      return std::string();
    }
    if (*n == 0) return typed.empty() ? std::nullopt : std::optional(std::exchange(typed, {}));
    typed.append(some.data(), static_cast<std::size_t>(*n));
  }
  const std::size_t end = typed.find('\n');
  std::string line = typed.substr(0, end);
  typed.erase(0, end + 1);
  return line;
}

void LineReader::remember(const std::string&) {}

#endif

}  // namespace egt::cli
