#include "kube/layout.h"

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"

namespace egt::parsers::kube {
namespace {

std::size_t count_blanks(std::string_view s) {
  const std::size_t n = s.find_first_not_of(' ');
  return n == std::string_view::npos ? s.size() : n;
}

struct Escape {
  char letter, meaning;
};
constexpr std::array kEscapes{Escape{'"', '"'}, Escape{'\\', '\\'}, Escape{'n', '\n'}, Escape{'t', '\t'}};

std::string quote(const Scalar& s) {
  if (s.style == ScalarStyle::single_quoted) {
    std::string out = "'";
    for (const char c : s.value) out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
  }
  std::string out = "\"";
  for (const char c : s.value) {
    const auto escape = std::find_if(kEscapes.begin(), kEscapes.end(), [&](const Escape& e) { return e.meaning == c; });
    if (escape == kEscapes.end())
      out += c;
    else
      (out += '\\') += escape->letter;
  }
  return out + "\"";
}

std::string write(const Scalar& s) {
  const bool quoted = s.style == ScalarStyle::single_quoted || s.style == ScalarStyle::double_quoted;
  return quoted ? quote(s) : s.value;
}

std::string unescape(std::string_view inside, char mark) {
  std::string out;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const bool pair = i + 1 < inside.size();
    if (mark == '\'') {
      if (inside[i] == '\'' && pair) ++i;
      out += inside[i];
      continue;
    }
    const auto escape = std::find_if(kEscapes.begin(), kEscapes.end(),
                                     [&](const Escape& e) { return inside[i] == '\\' && pair && e.letter == inside[i + 1]; });
    if (escape != kEscapes.end()) ++i;
    out += escape == kEscapes.end() ? inside[i] : escape->meaning;
  }
  return out;
}

Scalar scalar_of(std::string_view text) {
  const char mark = text.empty() ? '\0' : text.front();
  if ((mark == '\'' || mark == '"') && text.size() >= 2 && text.back() == mark) {
    Scalar s{unescape(text.substr(1, text.size() - 2), mark),
             mark == '"' ? ScalarStyle::double_quoted : ScalarStyle::single_quoted};
    if (quote(s) == text) return s;
  }
  const bool written = mark == '\'' || mark == '"' || mark == '{' || mark == '[' || mark == '|' || mark == '>' || mark == '&';
  return {std::string(text), written ? ScalarStyle::as_written : ScalarStyle::plain};
}

// Where the quoted scalar at the front of `s` ends: behind its closing mark; npos when it goes on in the next line.
std::size_t end_of_quoted(std::string_view s, char mark, std::size_t from) {
  for (std::size_t i = from; i < s.size(); ++i) {
    if (mark == '"' && s[i] == '\\') {
      ++i;
    } else if (s[i] == mark) {
      if (mark == '\'' && i + 1 < s.size() && s[i + 1] == '\'')
        ++i;
      else
        return i + 1;
    }
  }
  return std::string_view::npos;
}

// The colon that ends the key at the front of `s`: a blank or nothing follows it.
std::size_t end_of_key(std::string_view s) {
  if (s.empty() || s.front() == '#' || s.front() == '{' || s.front() == '[') return std::string_view::npos;
  std::size_t i = 0;
  if (s.front() == '"' || s.front() == '\'') {
    i = end_of_quoted(s, s.front(), 1);
    return i < s.size() && s[i] == ':' ? i : std::string_view::npos;
  }
  for (; i < s.size(); ++i) {
    if (s[i] == ':' && (i + 1 == s.size() || s[i + 1] == ' ')) return i;
    if (s[i] == '#' && i > 0 && s[i - 1] == ' ') break;
  }
  return std::string_view::npos;
}

// What stands behind the value: a comment, blanks, JSON's comma.
std::size_t end_of_plain(std::string_view s) {
  const std::size_t comment = s.find(" #");
  std::size_t end = comment == std::string_view::npos ? s.size() : comment;
  while (end > 0 && (s[end - 1] == ' ' || s[end - 1] == ',')) --end;
  return end;
}

}  // namespace

LayoutLine LayoutReader::read(std::string_view line) {
  LayoutLine out;
  out.indent = count_blanks(line);
  const std::string_view text = line.substr(out.indent);
  const auto whole = [&](LayoutLine::Kind kind) {
    out.kind = kind;
    out.value = Scalar{std::string(text), ScalarStyle::as_written};
    return out;
  };
  if (quote_ != 0) {
    if (end_of_quoted(text, quote_, 0) != std::string_view::npos) quote_ = 0;
    return whole(LayoutLine::Kind::continuation);
  }
  if (text.empty()) return out;
  if ((block_ || scalar_) && out.indent > owner_indent_) return whole(LayoutLine::Kind::continuation);
  block_ = scalar_ = false;
  if (text.front() == '#') return whole(LayoutLine::Kind::comment);
  if (out.indent == 0 && (text.starts_with("---") || text.starts_with("...") || text.front() == '%'))
    return whole(LayoutLine::Kind::marker);
  return node(text, out.indent);
}

LayoutLine LayoutReader::node(std::string_view text, std::size_t indent) {
  LayoutLine out;
  out.kind = LayoutLine::Kind::node;
  out.indent = indent;
  owner_indent_ = indent;
  while (text == "-" || text.starts_with("- ")) {
    if (!out.dashes.empty()) owner_indent_ += 1 + out.dashes.back();
    text.remove_prefix(1);
    out.dashes.push_back(count_blanks(text));
    text.remove_prefix(out.dashes.back());
  }
  if (const std::size_t colon = end_of_key(text); colon != std::string_view::npos) {
    if (!out.dashes.empty()) owner_indent_ += 1 + out.dashes.back();
    out.key = scalar_of(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    out.gap = count_blanks(text);
    text.remove_prefix(out.gap);
  }
  if (text.empty()) return out;
  if (text.front() == '#') {
    out.tail = text;
    return out;
  }
  const char mark = text.front();
  std::size_t end = 0;
  if (mark == '"' || mark == '\'') {
    end = end_of_quoted(text, mark, 1);
    if (end == std::string_view::npos) quote_ = mark;
  } else {
    end = end_of_plain(text);
    block_ = mark == '|' || mark == '>';
    scalar_ = !block_ && mark != '{' && mark != '[';
  }
  end = std::min(end, text.size());
  out.value = scalar_of(text.substr(0, end));
  out.tail = text.substr(end);
  return out;
}

std::string print(const LayoutLine& line) {
  std::string out(line.indent, ' ');
  for (const std::size_t blanks : line.dashes) (out += '-').append(blanks, ' ');
  if (line.key) ((out += write(*line.key)) += ':').append(line.gap, ' ');
  if (line.value) out += write(*line.value);
  return out + line.tail;
}

}  // namespace egt::parsers::kube
