#include "snapshot/examine.h"

#include <algorithm>
#include <set>

#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"
#include "snapshot/prompt.h"
#include "snapshot/segment.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kMaxPasted = std::size_t{64} << 20;   // nobody pastes more; larger files are whole dumps

// Line ends and byte-order marks of files that went through a foreign editor.
Content normalised(Content content) {
  if (content.text.starts_with("\xef\xbb\xbf")) content.text.remove_prefix(3);
  // Files too large for an editor have been through one only where their beginning shows it.
  constexpr std::size_t kLookedAt = std::size_t{16} << 20;
  if (content.text.substr(0, kLookedAt).find("\r\n") == std::string_view::npos) return content;
  auto text = std::make_shared<std::string>();
  text->reserve(content.text.size());
  for (std::size_t i = 0; i < content.text.size(); ++i) {
    const bool line_end = content.text[i] == '\r' && i + 1 < content.text.size() && content.text[i + 1] == '\n';
    if (!line_end) text->push_back(content.text[i]);
  }
  content.text = *text;
  content.keep = std::move(text);
  return content;
}

Candidate whole_file(const FoundFile& file, const Content& content) {
  Candidate candidate;
  candidate.dump.path = file.shown;
  candidate.dump.text = content.text;
  candidate.dump.command = command_of_path(file.path);
  candidate.dump.partial = content.cut;
  candidate.keep = content.keep;
  candidate.dump.compiled = file.compiled;
  candidate.place = file.path;
  candidate.identity = file.identity;
  candidate.by_link = file.by_link;
  candidate.problem = !file.problem.empty() ? file.problem : content.cut ? "cut short: " + content.cut_why : std::string();
  return candidate;
}

void name_format(Candidate& candidate, const SnapshotSettings::DumpSetting* setting) {
  if (setting != nullptr) {
    if (!setting->command.empty()) candidate.dump.command = setting->command;
    candidate.node = setting->node;
    if (const Format* format = find_format(setting->kind)) {
      candidate.format = format;
      candidate.how = format->recognise(candidate.dump);
      if (candidate.how.topic.empty()) candidate.how.topic = std::string(format->kind);
      return;
    }
  }
  const Recognised found = recognise(candidate.dump);
  candidate.format = found.format;
  candidate.how = found.how;
}

// Whether the pieces are what this file is, rather than one whole dump or prose that happens to quote some lines.
bool is_pasted(const Segments& segments, const Candidate& whole, bool only) {
  if (segments.pieces.empty()) return false;
  const bool several = segments.prompts > 0 || segments.kinds > 1;
  if (whole.format != nullptr) return several && !whole.is_object();
  return only || segments.prompts > 0 || segments.classified * 2 >= segments.lines;
}

// Calls into several pods were made on several machines; into one pod they tell nothing about which one.
bool several_pods(const Segments& segments) {
  std::set<std::string> pods;
  for (const Segment& piece : segments.pieces) {
    if (!piece.pod.empty() && piece.host.empty()) pods.insert(piece.pod);
  }
  return pods.size() > 1;
}

std::vector<Candidate> pieces_of(const Segments& segments, const Candidate& whole) {
  const bool by_pod = several_pods(segments);
  std::vector<Candidate> candidates;
  for (const Segment& piece : segments.pieces) {
    Candidate candidate = whole;
    candidate.dump.text = piece.text;
    candidate.dump.first_line = piece.first_line;
    candidate.dump.command = piece.command;
    candidate.dump.partial = true;
    candidate.dump.compiled = nullptr;
    candidate.keep = piece.kept;
    candidate.host = piece.host;
    if (by_pod) candidate.pod = piece.pod;
    name_format(candidate, nullptr);
    if (candidate.format != nullptr || piece.kind != LineKind::none) candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace

bool Candidate::is_object() const {
  if (format == nullptr) return false;
  const std::span<const Format> objects = kube_formats();
  return std::any_of(objects.begin(), objects.end(), [&](const Format& f) { return f.kind == format->kind; });
}

std::vector<Candidate> examine(const FoundFile& file, const SnapshotSettings& settings, bool only) {
  const Content content = file.compiled ? file.content : normalised(file.content);
  Candidate whole = whole_file(file, content);
  const SnapshotSettings::DumpSetting* setting = settings.dump_of(file.path);
  if (file.problem.empty()) name_format(whole, setting);
  const bool named = begins_with_tool(whole.dump.command) || (setting != nullptr && !setting->kind.empty());
  if (!named && !file.compiled && whole.dump.text.size() <= kMaxPasted && !looks_binary(whole.dump.text)) {
    const Segments segments = split_pasted(whole.dump.text);
    if (is_pasted(segments, whole, only)) {
      std::vector<Candidate> pieces = pieces_of(segments, whole);
      if (std::any_of(pieces.begin(), pieces.end(), [](const Candidate& c) { return c.format != nullptr; })) return pieces;
    }
  }
  return {std::move(whole)};
}

}  // namespace egt::parsers
