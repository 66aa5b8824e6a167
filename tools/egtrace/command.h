// What all verbs of the command line share: common options, exit statuses, the one error line, output.
//
// A verb lives in cmd_<verb>.cpp and shows one function, add_<verb>(), which main() calls. Its callback does the work and
// leaves an ExitStatus; what is unusable is thrown as a CommandError and becomes one line in main().
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "egtrace/parsers/output_file.h"

namespace egt::cli {

// The contract's exit statuses.
enum class ExitStatus : int { done = 0, failed = 1, unusable = 2, inconclusive = 3 };

// "FILE:LINE: what; what to do", without the program's name.
class CommandError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct CommonOptions {
  std::string format = "text";
  std::string output;          // a file; empty: standard output
  std::string color = "auto";  // auto, always, never
  int verbose = 0;             // how often -v was given
  bool quiet = false, no_pager = false, strict = false;
  unsigned jobs = 0;      // 0: as many as there are processors
  std::size_t width = 0;  // columns of text; 0: the terminal's
};

// Adds --format (one of `formats`, the first is the default), -o, --color, --width, -v, -q, --no-pager, --jobs,
// --strict.
void add_common_options(CLI::App& verb, CommonOptions& options, std::initializer_list<std::string> formats);

// The columns that text for standard output (or the file of -o) may take: those of --width or the terminal, 60 to 200;
// 80 where it is none.
std::size_t text_width(const CommonOptions& options);
// Whether text for standard output (or the file of -o) is to be coloured: the flag, NO_COLOR, CLICOLOR_FORCE, terminal.
bool use_color(const CommonOptions& options);

// Warnings wait until the verb has done its work: a verb that fails prints the reason in one line. A warning that may be the
// cause goes into that line.
void hold_warning(std::string line, bool may_be_why_others_fail = false);
void print_warnings();
std::string what_may_be_why();  // "; …" or empty

// Writes to standard output, through a pager where that is a terminal too small for the text, or to the file of -o. What a
// dump brings along that no terminal should be sent is replaced (render::printable()).
void write_output(const CommonOptions& options, std::string_view text);
void write_bytes(const CommonOptions& options, std::string_view text);  // as they are
void finish_output(parsers::OutputFile& file);                          // of -o, written by the verb itself
// To standard error; likewise.
void print_error(std::string_view text);

// The same for text that comes in pieces of whole lines, each written at once; only a pager is shown them together.
class OutputStream {
 public:
  enum class Bytes { shown, as_they_are };  // as write_output(), as write_bytes()
  explicit OutputStream(const CommonOptions& options, Bytes bytes = Bytes::shown);
  // False: the reader has gone (head), no more is needed.
  bool write(std::string_view piece);
  void finish();

 private:
  bool put(std::string_view bytes);

  const CommonOptions& options_;
  Bytes bytes_;
  std::optional<parsers::OutputFile> file_;
  bool for_pager_ = false;
  std::string waiting_;
};

// "did you mean `A` or `B`?" or `otherwise`.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates, std::string_view otherwise);

// One function a verb. `status` outlives the parse.
void add_assert(CLI::App& app, ExitStatus& status);
void add_audit(CLI::App& app, ExitStatus& status);
void add_check(CLI::App& app, ExitStatus& status);
void add_collect(CLI::App& app, ExitStatus& status);
void add_completion(CLI::App& app, ExitStatus& status);
void add_decode(CLI::App& app, ExitStatus& status);
void add_diff(CLI::App& app, ExitStatus& status);
void add_explain(CLI::App& app, ExitStatus& status);
void add_export(CLI::App& app, ExitStatus& status);
void add_flows(CLI::App& app, ExitStatus& status);
void add_compile(CLI::App& app, ExitStatus& status);
void add_inspect(CLI::App& app, ExitStatus& status);
void add_lookup(CLI::App& app, ExitStatus& status);
void add_ltrace(CLI::App& app, ExitStatus& status);
void add_manual(CLI::App& app, ExitStatus& status);
void add_merge(CLI::App& app, ExitStatus& status);
void add_parse(CLI::App& app, ExitStatus& status);
void add_report(CLI::App& app, ExitStatus& status);
void add_serve(CLI::App& app, ExitStatus& status);
void add_shell(CLI::App& app, ExitStatus& status);
void add_sql(CLI::App& app, ExitStatus& status);
void add_triage(CLI::App& app, ExitStatus& status);
void add_pcap(CLI::App& app, ExitStatus& status);
void add_trace(CLI::App& app, ExitStatus& status);

}  // namespace egt::cli
