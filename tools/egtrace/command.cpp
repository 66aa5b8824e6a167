#include "command.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "egtrace/base/nearest.h"
#include "egtrace/base/text.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/output_file.h"
#include "egtrace/render/printable.h"
#include "memory.h"

namespace egt::cli {
namespace {

constexpr std::size_t kLeastWidth = 60, kMostWidth = 200, kWidthWithoutTerminal = 80;
constexpr std::string_view kFormatNames[] = {"text", "json", "html", "mermaid"};

struct HeldWarning {
  std::string line;
  bool may_be_why_others_fail = false;
};

std::vector<HeldWarning>& held_warnings() {
  static std::vector<HeldWarning> held;
  return held;
}

// `-o json` is what users of kubectl type; a file of that name is never meant.
std::string refuse_format_name(std::string& value) {
  const bool is_format = std::find(std::begin(kFormatNames), std::end(kFormatNames), value) != std::end(kFormatNames);
  return is_format ? fmt::format("names a file here; did you mean `--format {0}`? (for a file of that name: ./{0})", value)
                   : std::string();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::size_t lines_in(std::string_view text) { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }

bool may_page(const CommonOptions& options) {
  return !options.no_pager && options.output.empty() && ::isatty(STDOUT_FILENO) != 0;
}

bool wants_pager(const CommonOptions& options, std::string_view text) {
  if (!may_page(options)) return false;
  winsize size{};
  return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && lines_in(text) >= size.ws_row;
}

// ^C is for the pager, which would be left behind at the terminal.
class KeyboardIsPagers {
 public:
  KeyboardIsPagers() {
    struct sigaction nothing {};
    nothing.sa_handler = [](int) {};  // which programs that are started do not inherit
    nothing.sa_flags = SA_RESTART;
    ::sigaction(SIGINT, &nothing, &before_);
  }
  KeyboardIsPagers(const KeyboardIsPagers&) = delete;
  KeyboardIsPagers& operator=(const KeyboardIsPagers&) = delete;
  ~KeyboardIsPagers() { ::sigaction(SIGINT, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

// Whether the pager took the text. Its own end (the reader quits early) is no failure.
bool page(std::string_view text) {
  std::string pager = environment("PAGER");
  if (pager.empty()) pager = "less -FRX";
  if (pager == "cat") return false;
  const KeyboardIsPagers ours;
  FILE* pipe = ::popen(pager.c_str(), "w");
  if (pipe == nullptr) return false;
  std::fwrite(text.data(), 1, text.size(), pipe);
  const int status = ::pclose(pipe);
  return status != -1 && WEXITSTATUS(status) != 127;  // 127: the shell found no such pager
}

parsers::OutputFile open_file(const std::string& path) {
  Result<parsers::OutputFile> file = parsers::OutputFile::create(path);
  if (!file) throw CommandError(file.error().message);
  return std::move(*file);
}

// What was read from a file that was written to meanwhile is no answer; nor is it what failed to be written from there.
void refuse_changed_files() {
  if (const auto changed = parsers::changed_file()) throw CommandError(*changed);
}

void finish(parsers::OutputFile& file) {
  refuse_changed_files();
  if (const std::string why = file.finish(); !why.empty()) throw CommandError(why);
}

// False: a reader that has seen enough (head) closed the pipe. Nothing to complain of.
bool print_all(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return written;
  const int why = errno;
  refuse_changed_files();
  throw CommandError(fmt::format("standard output: cannot be written: {}", std::strerror(why)));
}

std::string shown(const CommonOptions& options, std::string_view text) {
  return options.format == "json" ? render::with_visible(text) : render::printable(text);
}

}  // namespace

void add_common_options(CLI::App& verb, CommonOptions& options, std::initializer_list<std::string> formats) {
  const std::vector<std::string> names(formats);
  options.format = names.front();
  const auto refuse = [names](const std::string& value) {
    if (std::find(names.begin(), names.end(), value) != names.end()) return std::string();
    return fmt::format("there is no format `{}` here; use {}", value, fmt::join(names, " or "));
  };
  verb.add_option("--format", options.format, "how to print")
      ->check(CLI::Validator(refuse, fmt::format("{{{}}}", fmt::join(names, ","))))
      ->type_name("FORMAT");
  verb.add_option("-o,--output", options.output, "write to FILE instead of standard output")
      ->check(CLI::Validator(refuse_format_name, ""))
      ->type_name("FILE");
  verb.add_option("--color", options.color, "auto, always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->type_name("WHEN");
  verb.add_option("--width", options.width, "columns of text, 60 to 200 (default: the terminal's, 80 without one)")
      ->check(CLI::Range(kLeastWidth, kMostWidth))
      ->type_name("N");
  verb.add_flag("-v,--verbose", options.verbose, "show more (explain: tables that changed or decided something); -vv shows all");
  verb.add_flag("-q,--quiet", options.quiet, "no warnings");
  verb.add_flag("--no-pager", options.no_pager, "do not start a pager");
  verb.add_flag("--strict", options.strict, "a line that is not understood is an error");
  verb.add_option_function<std::uint64_t>("--max-memory", limit_memory,
                                          "memory to take, mapped files aside: 2G, 500M (default: 3/4 of the host's)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  verb.add_option("--jobs", options.jobs, "threads to work with (default: one a processor)")
      ->check(CLI::Range(0, 1024))
      ->type_name("N");
}

bool use_color(const CommonOptions& options) {
  if (options.color == "always") return true;
  if (options.color == "never" || !options.output.empty() || !environment("NO_COLOR").empty()) return false;
  const std::string force = environment("CLICOLOR_FORCE");
  if (!force.empty() && force != "0") return true;
  return ::isatty(STDOUT_FILENO) != 0 && environment("TERM") != "dumb";
}

std::size_t text_width(const CommonOptions& options) {
  if (options.width != 0) return options.width;
  if (!options.output.empty() || ::isatty(STDOUT_FILENO) == 0) return kWidthWithoutTerminal;
  winsize size{};
  const auto asked = parse_decimal(environment("COLUMNS"));
  const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  const std::size_t columns = asked && *asked > 0 ? *asked : known ? size.ws_col : kWidthWithoutTerminal;
  return std::clamp(columns, kLeastWidth, kMostWidth);
}

void print_error(std::string_view text) { fmt::print(stderr, "{}", render::printable(text)); }

void hold_warning(std::string line, bool may_be_why_others_fail) {
  held_warnings().push_back({std::move(line), may_be_why_others_fail});
}

void print_warnings() {
  static std::set<std::string> printed;  // what a session opens once is complained of once
  for (const HeldWarning& warning : held_warnings())
    if (printed.insert(warning.line).second) print_error(fmt::format("egtrace: {}\n", warning.line));
  held_warnings().clear();
}

std::string what_may_be_why() {
  for (const HeldWarning& warning : held_warnings())
    if (warning.may_be_why_others_fail) return "; " + warning.line;
  return {};
}

void write_output(const CommonOptions& options, std::string_view text) {
  write_bytes(options, options.format != "json" && render::is_printable(text) ? std::string(text) : shown(options, text));
}

void write_bytes(const CommonOptions& options, std::string_view text) {
  refuse_changed_files();
  if (!options.output.empty()) {
    parsers::OutputFile file = open_file(options.output);
    file.write(text);
    return finish(file);
  }
  if (wants_pager(options, text) && page(text)) return;
  print_all(text);
}

void finish_output(parsers::OutputFile& file) { finish(file); }

OutputStream::OutputStream(const CommonOptions& options, Bytes bytes)
    : options_(options), bytes_(bytes), for_pager_(may_page(options)) {
  if (!options.output.empty()) file_.emplace(open_file(options.output));
}

bool OutputStream::write(std::string_view piece) {
  if (for_pager_) {
    waiting_ += piece;
    return true;
  }
  if (bytes_ == Bytes::as_they_are) return put(piece);
  return put(shown(options_, piece));
}

bool OutputStream::put(std::string_view bytes) {
  if (!file_) return print_all(bytes);
  if (!file_->write(bytes)) cli::finish(*file_);  // which prints the reason
  return true;
}

void OutputStream::finish() {
  if (file_) cli::finish(*file_);
  if (for_pager_) write_output(options_, waiting_);
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view otherwise) {
  const std::vector<std::string> names = nearest(word, candidates);
  return names.empty() ? std::string(otherwise) : fmt::format("did you mean `{}`?", fmt::join(names, "` or `"));
}

}  // namespace egt::cli
