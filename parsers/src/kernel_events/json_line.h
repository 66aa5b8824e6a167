// One line of JSON (RFC 8259), gone through once and without a tree: millions of lines are read in seconds. The
// caller names the members that it wants; the others are skipped, whatever they hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace egt::parsers::kernel_events {

class JsonLine {
 public:
  explicit JsonLine(std::string_view text) : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  // For each member: take(key), which reads the value or calls skip().
  template <class Take>
  void object(const Take& take) {
    if (!open('{')) return;
    if (next() == '}') return close();
    do {
      const std::string_view key = string();
      if (failed() || !expect(':')) return;
      take(key);
    } while (!failed() && another('}'));
  }
  // For each element: take(), which reads the value or calls skip().
  template <class Take>
  void array(const Take& take) {
    if (!open('[')) return;
    if (next() == ']') return close();
    do take();
    while (!failed() && another(']'));
  }
  // Good until the next string that has an escape in it.
  std::string_view string();
  std::uint64_t number();  // 0 for null; a negative one as its two's complement; fractions are cut
  bool boolean();          // false for null
  void skip();
  char next();  // the first character of what comes next; '\0' at the end
  void end();   // nothing may follow
  void fail(std::string_view what);

  bool failed() const { return !what_.empty(); }
  std::string_view what() const { return what_; }
  std::uint32_t column() const { return failed() ? failed_at_ : static_cast<std::uint32_t>(at_ - begin_) + 1; }

 private:
  static constexpr int kDeepest = 64;

  bool open(char bracket);
  void close();
  bool another(char bracket);
  bool expect(char c);
  bool word(std::string_view w);
  std::string_view unescaped(const char* from);
  bool escape();

  const char* begin_;
  const char* at_;
  const char* end_;
  int depth_ = 0;
  std::string_view what_;
  std::uint32_t failed_at_ = 0;
  std::string scratch_;
};

}  // namespace egt::parsers::kernel_events
