#include "snapshot/segment.h"

#include <algorithm>
#include <optional>
#include <set>

#include "egtrace/base/text.h"
#include "snapshot/prompt.h"

namespace egt::parsers {
namespace {

struct ClassifiedLine {
  std::string_view text;     // as in the file, without line end
  std::string_view content;  // without a comment sign, where the line is a dump's line behind one
  LineKind kind = LineKind::none;
};

std::size_t indentation(std::string_view s) {
  const std::size_t n = s.find_first_not_of(" \t");
  return n == std::string_view::npos ? s.size() : n;
}

// "# 10.0.0.0/8 via …" of a runbook → what stands behind the sign; nothing where the '#' belongs to the dump.
std::optional<std::string_view> behind_comment_sign(std::string_view line) {
  std::string_view rest = trim_left(line);
  if (!consume(rest, "#")) return std::nullopt;
  consume(rest, " ");
  return rest;
}

ClassifiedLine look_at(std::string_view text) {
  ClassifiedLine line{text, text, classify_line(text)};
  if (line.kind != LineKind::none) return line;
  if (const auto rest = behind_comment_sign(text)) {
    line.kind = classify_line(*rest);
    if (line.kind != LineKind::none) line.content = *rest;
  }
  return line;
}

// A heading or a remark of a runbook between two commands: "3. Load balancers on that node", "Check the routes again:".
bool is_prose(std::string_view line) {
  const std::vector<std::string_view> all = words(line.substr(std::min(line.find_first_not_of("# "), line.size())));
  std::size_t plain = 0;
  for (std::string_view word : all) {
    if (word.find_first_of("=|<>{}[]@*") != std::string_view::npos || word.starts_with('-')) return false;
    const std::size_t from = std::min(word.find_first_not_of("(\"'"), word.size());
    word = word.substr(from, word.find_last_not_of(").,:;!?\"'") + 1 - from);
    plain +=
        !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
  }
  if (all.empty()) return false;
  const bool numbered = is_digit(all[0].front()) && (all[0].ends_with('.') || all[0].ends_with(')'));
  const bool capital = all[0].front() >= 'A' && all[0].front() <= 'Z';
  return (numbered && plain > 0) || (capital && all.size() >= 3 && plain * 5 >= all.size() * 3);
}

// A piece under construction.
class Builder {
 public:
  explicit Builder(Segments& out) : out_(out) {}

  void begin(const Prompt& prompt, std::uint32_t next_line) {
    end();
    if (!prompt.host.empty() && prompt.host != host_) shell_netns_.clear();
    if (!prompt.host.empty() || !prompt.pod.empty())
      host_ = prompt.host, pod_ = prompt.pod;
    else if (!prompt.shell)
      host_.clear(), pod_.clear();
    command_ = prompt.command;
    if (prompt.enters) shell_netns_ = prompt.netns;
    if (prompt.leaves) shell_netns_.clear();
    netns_ = prompt.netns.empty() ? shell_netns_ : prompt.netns;
    open_ = !command_.empty();
    first_line_ = next_line;
  }

  void add(const ClassifiedLine& line, std::uint32_t number) {
    const bool blank = trim(line.text).empty();
    if (line.kind != LineKind::none) {
      if (kind_ != LineKind::none && !goes_on(line)) {
        end();
        command_.clear();  // the prompt spoke of the lines before
      }
      kind_ = starts_block(kind_) ? kind_ : line.kind;
      commented_ = line.content.data() != line.text.data();
    } else if (!blank && !open_ && kind_ != LineKind::none && !continues(line)) {
      end();
      return;
    }
    if (kind_ == LineKind::none && !open_) return;
    if (lines_.empty()) {
      if (blank) return;
      first_line_ = number;
    }
    lines_.push_back({line.text, line.kind == LineKind::none ? inner_content(line) : line.content, line.kind});
  }

  void end() {
    if (is_commented()) {
      drop_prose();
      for (ClassifiedLine& line : lines_) line.content = behind_comment_sign(line.text).value_or(line.text);
    }
    while (!lines_.empty() && trim(lines_.back().content).empty()) lines_.pop_back();
    if (!lines_.empty()) flush();
    lines_.clear();
    kind_ = LineKind::none;
    commented_ = open_ = false;
  }

 private:
  // Blocks hold lines that look like others: an object's annotation, an nft chain's rules, a device's addresses.
  static bool starts_block(LineKind kind) { return kind == LineKind::object || kind == LineKind::nft; }

  bool goes_on(const ClassifiedLine& line) const {
    if (line.kind == kind_) {
      // A second table's rows or another record: the same command's or not, one format reads them.
      return true;
    }
    return starts_block(kind_) && (open_braces_or_indented(line));
  }

  bool open_braces_or_indented(const ClassifiedLine& line) const { return indentation(line.content) > 0; }

  // A line that shows nothing by itself, behind lines of a known kind.
  bool continues(const ClassifiedLine& line) const {
    const std::string_view inner = inner_content(line);
    if (indentation(inner) > base_indentation()) return true;
    switch (kind_) {
      case LineKind::nft: return trim(inner) == "}" || trim(inner).starts_with("}");
      case LineKind::object: return inner.find(':') != std::string_view::npos || inner.starts_with("- ") || inner == "---";
      case LineKind::iptables_list: return true;
      default: return false;
    }
  }

  std::size_t base_indentation() const { return lines_.empty() ? 0 : indentation(lines_.front().content); }

  // Whether all of it stands behind comment signs that no tool printed.
  bool is_commented() const {
    return std::all_of(lines_.begin(), lines_.end(), [](const ClassifiedLine& line) {
      const std::string_view text = trim(line.text);
      const bool own = line.kind != LineKind::none && line.content.data() == line.text.data();
      return text.empty() || (text.front() == '#' && !own);
    });
  }

  // In such a runbook remarks stand behind the same sign as output, but behind an empty line.
  void drop_prose() {
    for (;;) {
      std::size_t begin = lines_.size();
      while (begin > 0 && trim(lines_[begin - 1].text).empty()) lines_.resize(--begin);
      while (begin > 0 && !trim(lines_[begin - 1].text).empty()) --begin;
      if (begin == 0) return;
      const auto first = lines_.begin() + static_cast<std::ptrdiff_t>(begin);
      const bool prose = std::all_of(
          first, lines_.end(), [](const ClassifiedLine& line) { return line.kind == LineKind::none && is_prose(line.text); });
      if (!prose) return;
      lines_.erase(first, lines_.end());
    }
  }

  std::string_view inner_content(const ClassifiedLine& line) const {
    if (!commented_) return line.text;
    return behind_comment_sign(line.text).value_or(line.text);
  }

  void flush() {
    Segment piece;
    piece.first_line = first_line_;
    piece.kind = kind_;
    piece.command = command_;
    piece.host = host_;
    piece.pod = pod_;
    piece.netns = netns_;
    const std::size_t indent = common_indentation();
    piece.lines.reserve(lines_.size());
    for (const ClassifiedLine& line : lines_) {
      const bool blank = trim_right(line.content).size() <= indent;
      piece.lines.push_back(blank ? std::string_view() : without_cr(line.content).substr(indent));
    }
    out_.pieces.push_back(std::move(piece));
  }

  static std::string_view without_cr(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  // What a document indents its examples by. One blank is what ovs-ofctl itself prints before a flow.
  std::size_t common_indentation() const {
    std::size_t least = std::string_view::npos;
    for (const ClassifiedLine& line : lines_) {
      if (!trim(line.content).empty()) least = std::min(least, indentation(line.content));
    }
    return least == std::string_view::npos || least < 2 ? 0 : least;
  }

  Segments& out_;
  std::vector<ClassifiedLine> lines_;
  LineKind kind_ = LineKind::none;
  std::uint32_t first_line_ = 1;
  bool open_ = false;       // behind a prompt: whatever comes is its output
  bool commented_ = false;  // the lines stand behind '#'
  std::string command_, host_, pod_, netns_, shell_netns_;
};

}  // namespace

std::string Segment::text() const {
  std::string all;
  std::size_t size = lines.size();
  for (const std::string_view line : lines) size += line.size();
  all.reserve(size);
  for (const std::string_view line : lines) all.append(line).push_back('\n');
  return all;
}

Segments split_pasted(std::string_view text) {
  Segments out;
  Builder builder(out);
  std::uint32_t number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    ++number;
    if (!trim(line).empty()) ++out.lines;
    const ClassifiedLine seen = look_at(line);
    if (seen.kind == LineKind::none) {
      if (const auto prompt = parse_prompt(line)) {
        builder.begin(*prompt, number + 1);
        if (!prompt->command.empty()) ++out.prompts;
        continue;
      }
    } else {
      ++out.classified;
    }
    builder.add(seen, number);
  }
  builder.end();
  std::set<LineKind> kinds;
  for (const Segment& piece : out.pieces) {
    if (piece.kind != LineKind::none) kinds.insert(piece.kind);
  }
  out.kinds = kinds.size();
  return out;
}

}  // namespace egt::parsers
