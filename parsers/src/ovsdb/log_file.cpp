#include "ovsdb/log_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <optional>

#include "egtrace/base/text.h"

namespace egt::parsers::ovsdb {
namespace {

constexpr std::string_view kLead = "OVSDB ";
constexpr std::size_t kHeaderBytes = 128;     // ovsdb_log_read() reads no longer header either
constexpr std::size_t kBackground = 1 << 20;  // a body from here on is hashed beside the reading

struct Header {
  std::string_view magic;
  std::uint64_t length = 0;
  std::string_view sha1;  // 40 digits
  std::size_t size = 0;   // with the end of the line
};

bool is_sha1(std::string_view s) {
  return s.size() == 40 && std::all_of(s.begin(), s.end(), [](char c) { return is_hex_digit(c); });
}

std::optional<Header> parse_header(std::string_view text) {
  const std::size_t end = text.substr(0, kHeaderBytes).find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view rest = text.substr(0, end);
  if (!consume(rest, kLead)) return std::nullopt;
  Header header;
  header.size = end + 1;
  header.magic = take_until(rest, ' ');
  const auto length = parse_decimal(take_until(rest, ' '));
  header.sha1 = rest;
  if (!length || *length == 0 || header.magic.empty() || !is_sha1(rest)) return std::nullopt;
  header.length = *length;
  return header;
}

bool same_digits(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

// Hashes of long bodies are computed while the next record is looked for; all are asked for at the end, in order.
class Hashes {
 public:
  void add(std::string_view body, std::string_view expected) {
    if (body.size() < kBackground || ++started_ > kMostThreads) return checks_.push_back({{}, same_digits(sha1(body), expected)});
    checks_.push_back(
        {std::async(std::launch::async | std::launch::deferred, [body, expected] { return same_digits(sha1(body), expected); }),
         true});
  }
  bool last_is_wrong() const { return !checks_.back().running.valid() && !checks_.back().right; }
  // How many records have the right hash before the first that has not.
  std::size_t right_ones() {
    std::size_t count = 0;
    for (Check& check : checks_) {
      if (check.running.valid()) check.right = check.running.get();
      if (!check.right) break;
      ++count;
    }
    return count;
  }

 private:
  struct Check {
    std::future<bool> running;
    bool right = false;
  };
  static constexpr std::size_t kMostThreads = 4;
  std::size_t started_ = 0;
  std::vector<Check> checks_;
};

class LogReader {
 public:
  explicit LogReader(std::string_view text) : text_(text) {}

  LogFile read() {
    while (at_ < text_.size() && next()) {
    }
    const std::size_t right = hashes_.right_ones();
    if (right < log_.records.size()) {
      const LogRecord& bad = log_.records[right];
      stop(bad.offset, bad.line, fmt::format("the hash of a record of {} bytes is wrong: it is damaged", bad.body.size()));
      log_.records.resize(right);
      log_.cut = false;
    }
    return std::move(log_);
  }

 private:
  void stop(std::uint64_t offset, std::uint32_t line, std::string why) {
    log_.problem = std::move(why);
    log_.problem_offset = offset;
    log_.problem_line = line;
  }

  bool next() {
    const std::string_view rest = text_.substr(at_);
    const auto header = parse_header(rest);
    if (!header) {
      const bool ends = rest.size() < kHeaderBytes && rest.find('\n') == std::string_view::npos;
      stop(at_, line_, ends ? "the file ends within the header of a record" : "no header of a record");
      return false;
    }
    if (log_.records.empty()) log_.clustered = header->magic == "CLUSTER";
    if (log_.records.empty() ? header->magic != "JSON" && !log_.clustered : header->magic != magic_) {
      stop(at_, line_, fmt::format("a record of the kind {}, which is not expected here", header->magic));
      return false;
    }
    magic_ = header->magic;
    return take(*header);
  }

  bool take(const Header& header) {
    const std::string_view body = text_.substr(at_ + header.size);
    LogRecord record{text_.substr(at_, header.size - 1), body.substr(0, header.length), at_, line_};
    if (header.length > body.size()) {
      stop(at_, line_, fmt::format("the last record is cut: {} of its {} bytes are there", body.size(), header.length));
      log_.cut = true;
      log_.cut_record = record;
      return false;
    }
    hashes_.add(record.body, header.sha1);
    log_.records.push_back(record);
    at_ += header.size + header.length;
    const bool open_end = !record.body.ends_with('\n');  // then the next header is in the body's last line
    line_ += 1 + count_lines(record.body) - open_end;
    return !hashes_.last_is_wrong();
  }

  std::string_view text_, magic_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  LogFile log_;
  Hashes hashes_;
};

}  // namespace

bool looks_like_log(std::string_view text) {
  const auto header = parse_header(text);
  return header && (header->magic == "JSON" || header->magic == "CLUSTER");
}

LogFile read_log_file(std::string_view text) { return LogReader(text).read(); }

}  // namespace egt::parsers::ovsdb
