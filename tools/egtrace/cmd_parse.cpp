// `egtrace parse`: reads one dump and prints it back, as its tool would or as the typed tree in JSON.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command.h"
#include "egtrace/parsers/content.h"
#include "egtrace/parsers/format.h"
#include "egtrace/parsers/secrets.h"
#include "egtrace/parsers/snapshot.h"
#include "egtrace/render/diagnostic.h"

namespace egt::cli {
namespace {

constexpr const char* kParseFooter =
    "Examples:\n"
    "  egtrace parse ovs-ofctl_dump-flows_br-int\n"
    "  egtrace parse --kind 'ovs-ofctl dump-groups' groups.txt --strict\n"
    "  ip rule | egtrace parse --format json -\n";

constexpr std::size_t kShownDiagnostics = 20;

struct ParseOptions {
  CommonOptions common;
  std::string kind, file;
};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const parsers::Format* format : parsers::all_formats()) names.emplace_back(format->kind);
  return names;
}

const parsers::Format& chosen_format(const ParseOptions& options, const parsers::Dump& dump) {
  if (!options.kind.empty()) {
    if (const parsers::Format* format = parsers::find_format(options.kind)) return *format;
    throw CommandError(fmt::format("unknown kind `{}`; {}", options.kind,
                                   did_you_mean(options.kind, kind_names(), "see `egtrace parse --help`")));
  }
  if (const parsers::Format* format = parsers::recognise(dump).format) return *format;
  if (dump.text.empty()) throw CommandError(dump.path + ": is empty; name its kind with --kind");
  if (parsers::looks_binary(dump.text)) throw CommandError(dump.path + ": is binary; give the text that a tool printed");
  throw CommandError(dump.path + ": no dump that egtrace recognises; name its kind with --kind");
}

void print_diagnostics(const ParseOptions& options, const parsers::Report& report, const SourceTable& sources) {
  if (options.common.quiet) return;
  const std::size_t shown = std::min(report.diagnostics.size(), kShownDiagnostics);
  for (std::size_t i = 0; i < shown; ++i) {
    print_error(render::diagnostic_text(explain::report_diagnostic(report.diagnostics[i], sources), text_width(options.common)));
  }
  if (report.diagnostics.size() > shown) {
    fmt::print(stderr, "egtrace: {} more like these\n", report.diagnostics.size() - shown);
  }
}

// The tree is pretty-printed by its format and may be large: it is framed as text, not parsed again.
std::string framed_json(const parsers::Format& format, const parsers::Report& report, std::string tree) {
  while (!tree.empty() && tree.back() == '\n') tree.pop_back();
  if (tree.empty()) tree = "null";
  const std::string kind = nlohmann::json(std::string(format.kind)).dump();
  return fmt::format(
      "{{\n\"schema\": \"egtrace.parse/1\",\n\"kind\": {},\n\"lines\": {},\n\"understood\": {},\n\"ignored\": {},\n"
      "\"not_understood\": {},\n\"tree\": {}\n}}\n",
      kind, report.lines, report.understood, report.ignored, report.not_understood.size(), tree);
}

void check_report(const ParseOptions& options, const parsers::Dump& dump, const parsers::Report& report, const std::string& out) {
  if (options.common.strict && !report.not_understood.empty()) {
    const Provenance at = report.not_understood.front();
    throw CommandError(
        fmt::format("{}:{}: line not understood, and --strict was given; correct or remove it", dump.path, at.line));
  }
  if (!out.empty() || dump.text.empty()) return;
  for (const Diagnostic& d : report.diagnostics) {
    throw CommandError(fmt::format("{}: {}; {}", dump.path, d.message, d.hint.empty() ? "try --format json" : d.hint));
  }
}

constexpr std::size_t kLarge = std::size_t{1} << 20;  // bytes: from here on nothing is gathered before it is written

// Dumps that do not fit a pager are written while they are read.
bool may_stream(const ParseOptions& options, const parsers::Format& format, const parsers::Dump& dump) {
  const bool to_file = !options.common.output.empty() || isatty(STDOUT_FILENO) == 0;
  return format.stream != nullptr && options.common.format == "text" && to_file && !options.common.strict &&
         dump.text.size() >= kLarge;
}

void stream_back(const ParseOptions& options, const parsers::Format& format, const parsers::Dump& dump, parsers::Report& report) {
  constexpr std::size_t kAtOnce = std::size_t{256} << 10;
  OutputStream out(options.common, OutputStream::Bytes::as_they_are);
  std::string waiting;
  bool wanted = true;
  const auto put = [&](std::string_view text) { wanted = wanted && (text.empty() || out.write(text)); };
  format.stream(
      dump,
      [&](std::string_view piece) {
        if (waiting.size() + piece.size() < kAtOnce) {
          waiting += piece;
          return;
        }
        put(waiting);
        waiting.clear();
        put(piece);
      },
      report);
  put(waiting);
  out.finish();
}

ExitStatus run_parse(const ParseOptions& options) {
  Result<parsers::Content> content = parsers::read_content(options.file);
  const std::string path = options.file == "-" ? "(standard input)" : options.file;
  if (!content) throw CommandError(fmt::format("{}: {}; name a dump, or - for standard input", path, content.error().message));
  if (content->cut && content->text.empty()) {
    throw CommandError(fmt::format("{}: cannot be decompressed: {}; copy it again", path, content->cut_why));
  }
  if (auto masked = parsers::mask_secrets(content->text)) {
    const auto text = std::make_shared<const std::string>(std::move(*masked));
    content->text = *text;
    content->keep = text;
    if (!options.common.quiet) print_error(fmt::format("egtrace: {}: secrets in it are shown as {}\n", path, parsers::kMasked));
  }
  SourceTable sources;
  parsers::Dump dump;
  dump.path = path;
  dump.text = content->text;
  dump.partial = content->cut;
  dump.command = options.file == "-" ? "" : parsers::command_of_path(options.file);
  dump.source = sources.add(path, content->text, content->keep);
  if (content->cut && !options.common.quiet) {
    print_error(fmt::format("egtrace: {}: cut short: {}; what came before is read\n", path, content->cut_why));
  }

  const parsers::Format& format = chosen_format(options, dump);
  parsers::Report report;
  if (may_stream(options, format, dump)) {
    stream_back(options, format, dump, report);
    print_diagnostics(options, report, sources);
    return ExitStatus::done;
  }
  std::string out;
  (options.common.format == "json" ? format.to_json : format.reprint)(dump, out, report);
  print_diagnostics(options, report, sources);
  if (options.common.format == "json") {
    check_report(options, dump, report, "json");
    out = framed_json(format, report, std::move(out));
  } else {
    check_report(options, dump, report, out);
  }
  write_bytes(options.common, out);
  return ExitStatus::done;
}

}  // namespace

void add_parse(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<ParseOptions>();
  CLI::App* verb = app.add_subcommand("parse", "read one dump and print it back, or print its typed tree");
  verb->add_option("FILE", options->file, "a dump, compressed or not; - for standard input")->required();
  verb->add_option("--kind", options->kind, "what the dump is, where its content does not show it")->type_name("KIND");
  add_common_options(*verb, options->common, {"text", "json"});
  verb->footer(kParseFooter);
  verb->footer([] {
    return fmt::format(
        "Kinds:\n  {}\nTheir last word will do where it is one kind's alone, and so will ovs-flows, nft and the like.\n",
        fmt::join(kind_names(), "\n  "));
  });
  verb->callback([options, &status] { status = run_parse(*options); });
}

}  // namespace egt::cli
