#include <fmt/format.h>

#include <array>

#include "assess/github_commands.h"
#include "egtrace/base/text.h"
#include "egtrace/render/triage.h"

namespace egt::render {
namespace {

using namespace assess;

constexpr std::size_t kFindingLinesShown = 3;

std::string_view level_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "notice";
}

std::string message(const Finding& f) {
  std::string text = f.claim;
  for (std::size_t i = 0; i < f.evidence.size() && i < kFindingLinesShown; ++i)
    text += fmt::format("\n{}: {}", explain::place_of(f.evidence[i]), trim(f.evidence[i].text));
  return text + "\nnext: " + f.remedy;
}

}  // namespace

std::string triage_github(const Triage& triage, const SourcePlaces& sources) {
  std::string out;
  std::array<std::size_t, 3> counts{};
  for (const Finding& f : triage.findings) {
    ++counts[static_cast<std::size_t>(f.severity)];
    Annotation a{level_of(f.severity), "", f.title + " (" + f.id + ")", 0, message(f)};
    if (!f.evidence.empty() && !sources.snapshot.empty()) {
      a.file = in_sources(sources, f.evidence.front().dump);
      a.line = f.evidence.front().line;
    }
    out += github_command(a);
  }
  const auto counted = [](std::size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); };
  return out +
         fmt::format("{}, {}, {}\n", counted(counts[2], "error"), counted(counts[1], "warning"), counted(counts[0], "note"));
}

}  // namespace egt::render
