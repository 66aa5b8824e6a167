#include "kernel_events/json_line.h"

#include "egtrace/base/text.h"
#include "egtrace/base/utf8.h"

namespace egt::parsers::kernel_events {
char JsonLine::next() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r')) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

void JsonLine::fail(std::string_view what) {
  if (failed()) return;
  failed_at_ = static_cast<std::uint32_t>(at_ - begin_) + 1;
  what_ = what;
}

bool JsonLine::open(char bracket) {
  if (failed()) return false;
  if (next() != bracket) {
    fail(bracket == '{' ? "an object is expected here" : "an array is expected here");
    return false;
  }
  if (++depth_ > kDeepest) {
    fail("nested deeper than 64 levels");
    return false;
  }
  ++at_;
  return true;
}

void JsonLine::close() {
  ++at_;
  --depth_;
}

bool JsonLine::another(char bracket) {
  const char c = next();
  if (c == ',') {
    ++at_;
    return true;
  }
  if (c != bracket)
    fail(c == '\0' ? "the line ends inside a value" : "a comma or the closing bracket is expected here");
  else
    close();
  return false;
}

bool JsonLine::expect(char c) {
  if (next() == c) {
    ++at_;
    return true;
  }
  fail(c == ':' ? "a colon is expected here" : "not expected here");
  return false;
}

std::string_view JsonLine::string() {
  if (failed()) return {};
  if (next() != '"') {
    fail("a string is expected here");
    return {};
  }
  const char* from = ++at_;
  for (; at_ != end_; ++at_) {
    if (*at_ == '"') return {from, static_cast<std::size_t>(at_++ - from)};
    if (*at_ == '\\') return unescaped(from);
  }
  fail("the line ends inside a string");
  return {};
}

std::string_view JsonLine::unescaped(const char* from) {
  scratch_.assign(from, at_);
  while (at_ != end_) {
    const char c = *at_++;
    if (c == '"') return scratch_;
    if (c != '\\')
      scratch_ += c;
    else if (!escape())
      return {};
  }
  fail("the line ends inside a string");
  return {};
}

bool JsonLine::escape() {
  const char c = at_ == end_ ? '\0' : *at_++;
  constexpr std::string_view kLetters = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
  if (const std::size_t i = kLetters.find(c); c != '\0' && i != std::string_view::npos) {
    scratch_ += kMeant[i];
    return true;
  }
  const auto digits = c == 'u' && end_ - at_ >= 4 ? parse_hex({at_, 4}) : std::nullopt;
  if (!digits) {
    --at_;
    fail("no escape of JSON");
    return false;
  }
  at_ += 4;
  // Halves of surrogate pairs stand for themselves: no name of a tracer has them.
  append_utf8(*digits >= 0xd800 && *digits < 0xe000 ? 0xfffd : static_cast<std::uint32_t>(*digits), scratch_);
  return true;
}

bool JsonLine::word(std::string_view w) {
  if (static_cast<std::size_t>(end_ - at_) < w.size() || std::string_view(at_, w.size()) != w) return false;
  at_ += w.size();
  return true;
}

std::uint64_t JsonLine::number() {
  if (failed()) return 0;
  const char first = next();
  if (first == 'n' && word("null")) return 0;
  const bool negative = first == '-';
  if (negative) ++at_;
  const char* from = at_;
  std::uint64_t value = 0;
  while (at_ != end_ && is_digit(*at_)) value = value * 10 + static_cast<std::uint64_t>(*at_++ - '0');
  if (at_ == from) {
    fail("a number is expected here");
    return 0;
  }
  if (at_ != end_ && (*at_ == '.' || *at_ == 'e' || *at_ == 'E'))
    while (at_ != end_ && (is_digit(*at_) || *at_ == '.' || *at_ == 'e' || *at_ == 'E' || *at_ == '+' || *at_ == '-')) ++at_;
  return negative ? ~value + 1 : value;
}

bool JsonLine::boolean() {
  if (failed()) return false;
  next();
  if (word("true")) return true;
  if (!word("false") && !word("null")) fail("true or false is expected here");
  return false;
}

void JsonLine::skip() {
  if (failed()) return;
  switch (next()) {
    case '{': return object([this](std::string_view) { skip(); });
    case '[': return array([this] { skip(); });
    case '"': string(); return;
    case 't':
    case 'f':
    case 'n': boolean(); return;
    default: number();
  }
}

void JsonLine::end() {
  if (next() != '\0') fail("nothing is expected behind the value");
}

}  // namespace egt::parsers::kernel_events
