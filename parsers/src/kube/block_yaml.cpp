#include "kube/block_yaml.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "kube/documents.h"

namespace egt::parsers::kube {
namespace {

using Json = nlohmann::json;

struct BlockLine {
  std::size_t indent = 0;
  std::string_view body;  // without indent and trailing blanks; empty: a blank line
  std::string_view whole;
};

bool is_simple(char c) { return c == '\n' || (c >= ' ' && c <= '~'); }

bool may_begin_plain(std::string_view s) {
  constexpr std::string_view kIndicators = "-?:,[]{}#&*!|>'\"%@`";
  if (kIndicators.find(s[0]) == std::string_view::npos) return true;
  return s[0] == '-' && s.size() > 1 && s[1] != ' ';
}

bool is_plain(std::string_view s) {
  return may_begin_plain(s) && s.back() != ':' && s.find(": ") == std::string_view::npos &&
         s.find(" #") == std::string_view::npos;
}

// A quoted text of which nothing is escaped.
bool is_simply_quoted(std::string_view s) {
  const char quote = s[0];
  if (s.size() < 2 || s.back() != quote) return false;
  const std::string_view inside = s.substr(1, s.size() - 2);
  return inside.find(quote) == std::string_view::npos && (quote == '\'' || inside.find('\\') == std::string_view::npos);
}

// What stands between the quotes; none where they end before the text does, or something is escaped that Kubernetes never does.
std::optional<std::string> unquoted(std::string_view s) {
  const char quote = s[0];
  std::string out;
  for (std::size_t i = 1; i + 1 < s.size(); ++i) {
    const char c = s[i], next = s[i + 1];
    if (c == quote && (quote == '"' || next != quote || i + 2 == s.size())) return std::nullopt;
    if (c == quote || (c == '\\' && quote == '"' && (next == '"' || next == '\\'))) {
      if (i + 2 == s.size()) return std::nullopt;  // it escapes the last quote
      out += next, ++i;
    } else if (c == '\\' && quote == '"') {
      if (next != 'n' && next != 't') return std::nullopt;
      out += next == 'n' ? '\n' : '\t', ++i;
    } else {
      out += c;
    }
  }
  return s.size() >= 2 && s.back() == quote ? std::optional(std::move(out)) : std::nullopt;
}

class BlockYaml {
 public:
  explicit BlockYaml(std::string_view text) : simple_(std::all_of(text.begin(), text.end(), is_simple)) {
    while (!text.empty()) {
      const std::string_view whole = next_line(text);
      const std::size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
      lines_.push_back({indent, trim_right(whole.substr(indent)), whole});
    }
    if (lines_.size() > kNodes / 4) simple_ = false;  // yaml-cpp's reader counts nodes
  }

  std::optional<Json> read() {
    skip_blank();
    if (!simple_ || at_ == lines_.size()) return std::nullopt;
    Json value = node(lines_[at_].indent, 0);
    skip_blank();
    if (!simple_ || at_ != lines_.size()) return std::nullopt;
    return value;
  }

 private:
  Json refuse() {
    simple_ = false;
    return nullptr;
  }

  void skip_blank() {
    while (at_ < lines_.size() && (lines_[at_].body.empty() || lines_[at_].body[0] == '#')) ++at_;
  }

  static bool is_item(std::string_view body) { return body == "-" || body.starts_with("- "); }

  // What begins at the current line, which has this indent.
  Json node(std::size_t indent, unsigned depth) {
    if (depth > kDepth / 2) return refuse();
    if (is_item(lines_[at_].body)) return sequence(indent, depth);
    return key_size(lines_[at_].body) ? mapping(indent, depth) : refuse();
  }

  Json sequence(std::size_t indent, unsigned depth) {
    Json all = Json::array();
    for (skip_blank(); simple_ && at_ < lines_.size() && lines_[at_].indent == indent && is_item(lines_[at_].body);
         skip_blank()) {
      BlockLine& line = lines_[at_];
      std::size_t inner = line.body.find_first_not_of(' ', 1);
      if (inner == std::string_view::npos) {
        all.push_back(below(indent, depth, false));
        continue;
      }
      const std::string_view body = line.body.substr(inner);
      if (is_item(body) || key_size(body)) {  // "- name: x" begins a mapping two columns further in
        line.indent += inner;
        line.body = body;
        all.push_back(node(line.indent, depth + 1));
      } else {
        ++at_;
        all.push_back(scalar(body, indent));
      }
    }
    if (at_ < lines_.size() && lines_[at_].indent > indent) return refuse();
    return all;
  }

  Json mapping(std::size_t indent, unsigned depth) {
    Json all = Json::object();
    for (skip_blank(); simple_ && at_ < lines_.size() && lines_[at_].indent == indent; skip_blank()) {
      const std::string_view body = lines_[at_].body;
      const std::optional<std::size_t> size = is_item(body) ? std::nullopt : key_size(body);
      if (!size) break;
      std::string key(body[0] == '"' || body[0] == '\'' ? body.substr(1, *size - 2) : body.substr(0, *size));
      const std::string_view value = trim_left(body.substr(*size + 1));
      if (all.contains(key)) return refuse();
      if (value.empty()) {
        all.emplace(std::move(key), below(indent, depth, true));
      } else {
        ++at_;
        all.emplace(std::move(key), scalar(value, indent));
      }
    }
    if (at_ < lines_.size() && lines_[at_].indent >= indent && !(lines_[at_].indent == indent && is_item(lines_[at_].body)))
      return refuse();
    return all;
  }

  // What belongs to a line that ends with its key or dash: lines further in, or, of a key, items in the same column.
  Json below(std::size_t indent, unsigned depth, bool of_key) {
    ++at_;
    skip_blank();
    if (at_ == lines_.size() || lines_[at_].indent < indent) return nullptr;
    if (lines_[at_].indent > indent) return node(lines_[at_].indent, depth + 1);
    return of_key && is_item(lines_[at_].body) ? sequence(indent, depth + 1) : Json(nullptr);
  }

  // Of the key that a line begins with, up to its colon; none where it begins with none that is plain or simply quoted.
  static std::optional<std::size_t> key_size(std::string_view body) {
    if (body[0] == '"' || body[0] == '\'') {
      const std::size_t end = body.find(body[0], 1);
      if (end == std::string_view::npos || !is_simply_quoted(body.substr(0, end + 1))) return std::nullopt;
      if (end + 1 == body.size() || body[end + 1] != ':') return std::nullopt;
      return end + 2 == body.size() || body[end + 2] == ' ' ? std::optional(end + 1) : std::nullopt;
    }
    if (!may_begin_plain(body)) return std::nullopt;
    std::size_t colon = body.find(':');
    while (colon != std::string_view::npos && colon + 1 < body.size() && body[colon + 1] != ' ')
      colon = body.find(':', colon + 1);
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::string_view key = body.substr(0, colon);
    // A key of blanks and of null, which yaml-cpp has for no scalar, is left to it.
    if (key.find(' ') != std::string_view::npos || key == "~" || key == "null" || key == "Null" || key == "NULL" || key == "<<")
      return std::nullopt;
    return colon;
  }

  // `s`: behind a key or a dash in a line of this indent; the current line is the next one.
  Json scalar(std::string_view s, std::size_t indent) {
    if (s == "|" || s == "|-") return literal(indent, s == "|");
    skip_blank();
    if (at_ < lines_.size() && lines_[at_].indent > indent) return refuse();  // it goes on
    if (s == "{}") return Json::object();
    if (s == "[]") return Json::array();
    if (s[0] == '"' || s[0] == '\'') {
      std::optional<std::string> text = unquoted(s);
      return text ? Json(*std::move(text)) : refuse();
    }
    return is_plain(s) ? plain_scalar(s) : refuse();
  }

  // Lines of a literal scalar, with one line end at its end or none.
  Json literal(std::size_t indent, bool keep_end) {
    std::string text;
    if (at_ == lines_.size() || lines_[at_].body.empty() || lines_[at_].indent <= indent) return refuse();
    const std::size_t inner = lines_[at_].indent;
    while (at_ < lines_.size() && lines_[at_].indent >= inner && !lines_[at_].body.empty()) {
      (text += lines_[at_].whole.substr(inner)) += '\n';
      ++at_;
    }
    // Blank lines, in it or behind it, are yaml-cpp's.
    if (at_ < lines_.size() && (lines_[at_].body.empty() || lines_[at_].indent > indent)) return refuse();
    if (!keep_end) text.pop_back();
    return text;
  }

  bool simple_;
  std::vector<BlockLine> lines_;
  std::size_t at_ = 0;
};

}  // namespace

Json plain_scalar(std::string_view text) {
  if (text.empty() || text == "~" || text == "null") return nullptr;
  if (text == "true") return true;
  if (text == "false") return false;
  const bool negative = text.size() > 1 && text.front() == '-';
  const auto number = parse_decimal(text.substr(negative ? 1 : 0));
  const bool octal = text.size() > 1 && text.front() == '0';
  if (!number || octal || *number > 0x7fffffffffffffffULL) return std::string(text);
  const auto value = static_cast<std::int64_t>(*number);
  return negative ? -value : value;
}

std::optional<Json> read_block_yaml(std::string_view text) { return BlockYaml(text).read(); }

}  // namespace egt::parsers::kube
