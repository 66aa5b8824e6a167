#include "snapshot/examine.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/snapshot.h"
#include "ovn/out_of_reach.h"
#include "snapshot/layout.h"
#include "snapshot/prompt.h"
#include "snapshot/segment.h"
#include "snapshot/session_text.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kMaxPasted = std::size_t{64} << 20;  // larger files are whole dumps, not pasted text

// Line ends and byte-order marks of files that went through a foreign editor.
Content normalised(Content content, bool named) {
  if (content.text.starts_with("\xef\xbb\xbf")) content.text.remove_prefix(3);
  // Files too large for an editor have been through one only where their beginning shows it.
  constexpr std::size_t kLookedAt = std::size_t{16} << 20, kLookedAtOfNamed = std::size_t{64} << 10;
  // Records of a database have their lengths: the first line shows whether the file went through one.
  if (content.text.starts_with("OVSDB ") && !content.text.substr(0, content.text.find('\n')).ends_with('\r')) return content;
  if (content.text.substr(0, named ? kLookedAtOfNamed : kLookedAt).find("\r\n") == std::string_view::npos) return content;
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

bool is_encrypted(std::string_view path) { return path.ends_with(".gpg") || path.ends_with(".pgp") || path.ends_with(".age"); }

std::string problem_of(const FoundFile& file, const Content& content) {
  if (!file.problem.empty()) return file.problem;
  if (is_encrypted(file.path)) return "is encrypted; decrypt it first";
  return content.cut ? "cut short: " + content.cut_why : std::string();
}

// "ip netns exec NAME ss -tln" → "ss -tln"; in names of files '_' stands for the blanks.
std::string command_within(const std::string& netns, std::string_view command) {
  const std::string entering = "ip netns exec " + netns + " ";
  const auto plain = [](char c) { return c == '_' ? ' ' : c; };
  const bool enters = command.size() > entering.size() && std::equal(entering.begin(), entering.end(), command.begin(),
                                                                     [&](char e, char c) { return plain(e) == plain(c); });
  return std::string(netns.empty() || !enters ? command : command.substr(entering.size()));
}

void take_place(const DumpLocation& place, Candidate& candidate) {
  if (!place.command.empty()) candidate.dump.command = place.command;
  candidate.dump.command = command_within(place.netns, candidate.dump.command);
  candidate.pod = place.pod;
  candidate.host = place.node;
  candidate.netns = place.netns;
  candidate.central = place.central;
  if (place.tail) candidate.why_partial = "only its end was kept: the collector's size limit";
}

void take_run(const RanCommand& ran, Candidate& candidate) {
  if (!ran.command.empty()) candidate.dump.command = command_within(candidate.netns, ran.command);
  if (ran.time != 0) candidate.time = ran.time;
  candidate.succeeded = ran.errors_apart && ran.status == 0;
  if (ran.truncated) {
    candidate.why_partial = ran.keeps_head ? "only its beginning was kept: the collector's size limit"
                                           : "only its end was kept: the collector's size limit";
  }
  if (ran.timed_out) candidate.why_partial = "its command was stopped by the collector's time limit";
}

// What the tool or the shell that ran it printed besides the dump.
void drop_session_text(Candidate& candidate) {
  const Quiet quiet = without_session_text(candidate.dump.text);
  if (!quiet.failed.empty() && ovn_text::is_controller_out_of_reach(candidate.dump)) return;
  if (!quiet.failed.empty()) {
    candidate.problem = "holds no dump, its command failed: " + quiet.failed;
    return;
  }
  candidate.dump.text = quiet.text;
  candidate.dump.first_line += quiet.skipped_lines;
  if (!quiet.ended.empty()) candidate.why_partial = "its command ended with `" + quiet.ended + "`";
}

Candidate whole_file(const FoundFile& file, const Content& content) {
  Candidate candidate;
  candidate.dump.path = file.shown;
  candidate.dump.text = content.text;
  candidate.dump.command = command_of_path(file.copy_of.empty() ? file.path : file.copy_of);
  candidate.dump.partial = content.cut;
  candidate.keep = content.keep;
  candidate.dump.compiled = file.compiled;
  candidate.place = file.path;
  candidate.identity = file.identity;
  candidate.by_link = file.by_link;
  candidate.to_mask = file.to_mask;
  candidate.unchecked = file.unchecked;
  candidate.time = file.time;
  candidate.problem = problem_of(file, content);
  if (file.left_out) candidate.note = "not read: nothing at its beginning looks like a dump";
  return candidate;
}

// Whether it may be a dump at all; if not, `problem` or `note` has the reason.
bool is_readable(const FoundFile& file, const Candidate& whole) {
  return file.problem.empty() && !file.left_out && !is_encrypted(file.path) &&
         (whole.problem.empty() || !whole.dump.text.empty());
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

// /etc, or what is below it in an archive; what packages bring of sysctl.d(5) is elsewhere.
bool is_place_of_configuration(std::string_view path) {
  const std::vector<std::string_view> parts = split(path, '/');
  return std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part == "etc" || part == "sysctl.d"; });
}

// What is in effect stands there as well: databases, names, FRR's integrated configuration, objects.
bool is_kept_in_files(const Candidate& c) {
  constexpr std::string_view kKinds[] = {"ovsdb database", "hosts", "hostname", "vtysh show running-config"};
  return c.is_object() || std::find(std::begin(kKinds), std::end(kKinds), c.format->kind) != std::end(kKinds);
}

// What shall be set at the next start (iptables, nft, sysctl, routes) reads like a tool's output, and may not be what is set now.
bool leave_out_configuration(std::string_view path, Candidate& candidate) {
  if (candidate.format == nullptr || !is_place_of_configuration(path) || is_kept_in_files(candidate)) return false;
  candidate.format = nullptr;
  candidate.how = {};
  candidate.note = "configuration, which may not be what is in effect";
  return true;
}

// Whether the first line is one of YAML or JSON, not of a document that quotes objects among other things.
bool begins_as_object(std::string_view text) {
  std::string_view line;
  while (!text.empty() && (line.empty() || line.starts_with('#'))) line = trim(next_line(text));
  const std::size_t key = line.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
  return line.starts_with("---") || line.starts_with('{') || line.starts_with('[') || line.starts_with("- ") ||
         (key != 0 && key != std::string_view::npos && line[key] == ':');
}

// Whether the pieces are what this file is, rather than one whole dump or prose that happens to quote some lines.
bool is_pasted(const Segments& segments, const Candidate& whole, bool only) {
  if (segments.pieces.empty()) return false;
  const bool several = segments.prompts > 0 || segments.kinds > 1;
  if (whole.format != nullptr) return several;
  return only || segments.prompts > 0 || segments.classified * 2 >= segments.lines;
}

// Calls into several pods were made on several nodes, and a pod beside a named node may be on another one; one
// pod alone shows nothing about which node it is.
bool pods_identify_nodes(const Segments& segments) {
  std::set<std::string> pods;
  bool any_host = false;
  for (const Segment& piece : segments.pieces) {
    any_host |= !piece.host.empty();
    if (!piece.pod.empty() && piece.host.empty()) pods.insert(piece.pod);
  }
  return pods.size() + (any_host ? 1 : 0) > 1;
}

using Shell = std::pair<std::string_view, std::string_view>;  // host and pod

Shell shell_of(const Segment& piece) { return {piece.host, piece.pod}; }

// Where a shell printed dumps of its node, too, a network namespace there is a pod's or another part of it; where all were
// printed in such ones, they are nodes of a lab, each by its name.
std::set<Shell> shells_on_nodes(const Segments& segments) {
  std::set<Shell> shells;
  for (const Segment& piece : segments.pieces)
    if (piece.netns.empty() && !piece.command.empty()) shells.insert(shell_of(piece));
  return shells;
}

std::vector<Candidate> pieces_of(const Segments& segments, const Candidate& whole) {
  const bool by_pod = pods_identify_nodes(segments);
  const std::set<Shell> on_nodes = shells_on_nodes(segments);
  std::vector<Candidate> candidates;
  for (const Segment& piece : segments.pieces) {
    Candidate candidate = whole;
    candidate.format = nullptr;
    candidate.how = {};
    const auto text = std::make_shared<const std::string>(piece.text());
    candidate.dump.text = *text;
    candidate.dump.first_line = piece.first_line;
    candidate.dump.command = piece.command;
    candidate.dump.partial = true;
    candidate.dump.compiled = nullptr;
    candidate.keep = text;
    if (!piece.host.empty()) candidate.host = piece.host;
    if (by_pod) candidate.pod = piece.pod;
    drop_session_text(candidate);
    if (candidate.problem.empty()) name_format(candidate, nullptr);
    if (!piece.netns.empty()) candidate.netns = piece.netns;
    candidate.within_node = !piece.netns.empty() && on_nodes.contains(shell_of(piece));
    if (candidate.format != nullptr || piece.kind != LineKind::none || !piece.command.empty())
      candidates.push_back(std::move(candidate));
  }
  return candidates;
}

}  // namespace

bool Candidate::is_object() const {
  if (format == nullptr) return false;
  const std::span<const Format> objects = kube_formats();
  return std::any_of(objects.begin(), objects.end(), [&](const Format& f) { return f.kind == format->kind; });
}

std::vector<Candidate> examine(const FoundFile& file, const SnapshotSettings& settings, bool only, const RanCommand* ran) {
  // What a tool's call names holds that call's output and nothing pasted: its beginning shows how its lines end.
  const bool one_tool = begins_with_tool(command_of_path(file.path));
  const Content content = file.compiled ? file.content : normalised(file.content, one_tool);
  Candidate whole = whole_file(file, content);
  if (!is_readable(file, whole)) return {std::move(whole)};
  take_place(read_place(file.path), whole);
  if (ran != nullptr) take_run(*ran, whole);
  const SnapshotSettings::DumpSetting* setting = settings.dump_of(file.path);
  const bool named = begins_with_tool(whole.dump.command) || (setting != nullptr && !setting->kind.empty());
  if (!file.compiled && !looks_binary(whole.dump.text)) drop_session_text(whole);
  if (whole.problem.starts_with("holds no dump")) return {std::move(whole)};
  name_format(whole, setting);
  const bool chosen = only || (setting != nullptr && !setting->kind.empty());  // by the user
  if (!chosen && leave_out_configuration(file.path, whole)) return {std::move(whole)};
  const bool object = whole.is_object() && begins_as_object(whole.dump.text);
  const bool database = whole.dump.text.starts_with("OVSDB ");
  const bool may_be_pasted = !named && !object && !database && !file.compiled && whole.dump.text.size() <= kMaxPasted;
  if (may_be_pasted && !looks_binary(whole.dump.text)) {
    const Segments segments = split_pasted(content.text);
    if (is_pasted(segments, whole, only)) {
      std::vector<Candidate> pieces = pieces_of(segments, whole);
      if (std::any_of(pieces.begin(), pieces.end(), [](const Candidate& c) { return c.format != nullptr; })) return pieces;
    }
  }
  return {std::move(whole)};
}

}  // namespace egt::parsers
