#include "line_reader.h"

#include <sys/select.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef EGTRACE_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

#include "line_runner.h"
#include "line_words.h"

namespace egt::cli {
namespace {

// While it is there SIGINT is delivered in wait_for_key() alone, so that none comes between the look at what came and the waiting.
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

  // Whether there is something to read; otherwise ^C came.
  bool wait_for_key() const {
    while (true) {
      fd_set keys;
      FD_ZERO(&keys);
      FD_SET(STDIN_FILENO, &keys);
      if (::pselect(STDIN_FILENO + 1, &keys, nullptr, nullptr, nullptr, &before_) > 0) return true;
      if (CountedInterrupts::any()) return false;
    }
  }

 private:
  sigset_t before_;
};

}  // namespace

#ifdef EGTRACE_READLINE

namespace {

LineReader::Complete complete_with;
std::vector<std::string> offered;       // for next_offered(), which readline calls with no place for them
bool is_read = false;                   // likewise, of take_line()
std::optional<std::string> line_read;

void take_line(char* line) {
  ::rl_callback_handler_remove();
  is_read = true;
  if (line != nullptr) line_read = line;
  std::free(line);
}

void give_up_line() {
  ::rl_callback_sigcleanup();
  ::rl_free_line_state();
  ::rl_cleanup_after_signal();
  ::rl_callback_handler_remove();
}

char* next_offered(const char*, int state) {
  return static_cast<std::size_t>(state) < offered.size() ? ::strdup(offered[static_cast<std::size_t>(state)].c_str()) : nullptr;
}

char** complete_line(const char* text, int, int end) {
  rl_attempted_completion_over = 1;     // names of files are none of the shell's
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
  rl_catch_signals = 0;                 // what SIGINT ends is the line, see read()
  rl_readline_name = "egtrace";
  rl_outstream = stderr;                // answers alone go to standard output
  rl_attempted_completion_function = complete_line;
  static char breaks[] = " \t";
  rl_completer_word_break_characters = breaks;
  rl_basic_word_break_characters = breaks;
}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  const InterruptsWhileWaiting interrupts;
  is_read = false;
  line_read.reset();
  ::rl_callback_handler_install(prompt.c_str(), take_line);
  while (!is_read) {
    if (!interrupts.wait_for_key()) {
      give_up_line();
      std::fputs("^C\n", stderr);
      return std::string();
    }
    ::rl_callback_read_char();
  }
  return line_read;
}

void LineReader::remember(const std::string& line) { ::add_history(line.c_str()); }

#else

LineReader::LineReader(Complete) {}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  std::clearerr(stdin);                 // a line may have been interrupted while it read
  const InterruptsWhileWaiting interrupts;
  std::fputs(prompt.c_str(), stderr);
  std::fflush(stderr);
  if (!interrupts.wait_for_key()) {
    std::fputs("\n", stderr);
    return std::string();
  }
  char* line = nullptr;
  std::size_t room = 0;
  const ssize_t length = ::getline(&line, &room, stdin);
  std::string text = length > 0 ? std::string(line, static_cast<std::size_t>(length)) : std::string();
  std::free(line);
  if (length < 0) return std::nullopt;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

void LineReader::remember(const std::string&) {}

#endif

}  // namespace egt::cli
