#include "line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifdef EGTRACE_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

#include "line_words.h"

namespace egt::cli {

#ifdef EGTRACE_READLINE

namespace {

LineReader::Complete complete_with;
std::vector<std::string> offered;       // for next_offered(), which readline calls with no place for them
sigjmp_buf out_of_reading;
volatile std::sig_atomic_t is_reading = 0;

// readline puts the terminal in order before it hands the signal on.
extern "C" void leave_reading(int) {
  if (is_reading != 0) siglongjmp(out_of_reading, 1);
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
  rl_readline_name = "egtrace";
  rl_outstream = stderr;                // answers alone go to standard output
  rl_attempted_completion_function = complete_line;
  static char breaks[] = " \t";
  rl_completer_word_break_characters = breaks;
  rl_basic_word_break_characters = breaks;
}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  struct sigaction ours {}, before {};
  ours.sa_handler = leave_reading;
  ::sigaction(SIGINT, &ours, &before);
  char* volatile line = nullptr;
  const bool given_up = sigsetjmp(out_of_reading, 1) != 0;
  if (!given_up) {
    is_reading = 1;
    line = ::readline(prompt.c_str());
  }
  is_reading = 0;
  ::sigaction(SIGINT, &before, nullptr);
  if (given_up) {
    std::fputs("^C\n", stderr);
    return std::string();
  }
  if (line == nullptr) return std::nullopt;
  std::string text = line;
  std::free(line);
  return text;
}

void LineReader::remember(const std::string& line) { ::add_history(line.c_str()); }

#else

LineReader::LineReader(Complete) {}

std::optional<std::string> LineReader::read(const std::string& prompt) {
  std::clearerr(stdin);                 // a line may have been interrupted while it read
  struct sigaction ours {}, before {};
  ours.sa_handler = [](int) {};         // ends the reading, as it is not restarted
  ::sigaction(SIGINT, &ours, &before);
  std::fputs(prompt.c_str(), stderr);
  std::fflush(stderr);
  char* line = nullptr;
  std::size_t room = 0;
  errno = 0;
  const ssize_t length = ::getline(&line, &room, stdin);
  const bool given_up = length < 0 && errno == EINTR;
  std::string text = length > 0 ? std::string(line, static_cast<std::size_t>(length)) : std::string();
  std::free(line);
  ::sigaction(SIGINT, &before, nullptr);
  if (given_up) {
    std::clearerr(stdin);
    std::fputs("\n", stderr);
    return std::string();
  }
  if (length < 0) return std::nullopt;
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

void LineReader::remember(const std::string&) {}

#endif

}  // namespace egt::cli
