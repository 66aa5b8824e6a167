#include "comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

namespace egt::testing {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Numbers {
 public:
  std::string of(const std::string& number) {
    const auto value = std::stoull(number, nullptr, 0);
    return std::to_string(numbers_.emplace(value, numbers_.size()).first->second);
  }

 private:
  std::map<unsigned long long, std::size_t> numbers_;
};

// Whether a word goes on before the last `size` characters.
bool is_word(std::string_view text, std::size_t size) {
  if (text.size() == size) return false;
  const char c = text[text.size() - size - 1];
  return (c >= 'a' && c <= 'z') || c == '_';
}

}  // namespace

std::vector<std::string> split_traces(const std::string& text) {
  std::vector<std::string> traces;
  std::string before_last, last;
  for (const std::string& line : lines_of(text)) {
    const bool begins = line.starts_with("Flow: ") && !before_last.starts_with("====");
    if (begins) {
      if (!traces.empty()) traces.back().pop_back();  // the empty line between
      traces.emplace_back();
    }
    if (!traces.empty()) traces.back() += line + "\n";
    before_last = last;
    last = line;
  }
  return traces;
}

std::string renumbered_trace(const std::string& text) {
  static constexpr std::string_view kBefore[] = {"recirc(", "recirc_id(", "recirc_id=", "meter("};
  Numbers recirculations, meters;
  recirculations.of("0");  // not recirculated
  std::string out;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = text.find_first_of("(=", at)) != text.npos;) {
    const std::string_view head = std::string_view(text).substr(copied, ++at - copied);
    const auto* before = std::find_if(std::begin(kBefore), std::end(kBefore), [&](auto b) { return head.ends_with(b); });
    const std::size_t end = std::min(text.find_first_not_of("0123456789abcdefx", at), text.size());
    if (before == std::end(kBefore) || end == at || text[at] > '9') continue;
    const bool is_meter = before->starts_with("meter");
    if (is_meter && is_word(head, before->size())) continue;  // "dec_meter("
    out.append(head);
    out += (is_meter ? meters : recirculations).of(text.substr(at, end - at));
    copied = at = end;
  }
  return out.append(text, copied);
}

std::string without_megaflow(const std::string& text) {
  std::string out;
  for (const std::string& line : lines_of(text))
    if (!line.starts_with("Megaflow: ")) out += line + "\n";
  return out;
}

std::string line_difference(const std::string& daemon, const std::string& program) {
  const auto a = lines_of(daemon), b = lines_of(program);
  std::size_t same = 0, end = 0;
  while (same < std::min(a.size(), b.size()) && a[same] == b[same]) ++same;
  while (end < std::min(a.size(), b.size()) - same && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  std::string out;
  for (std::size_t i = 0; i < same; ++i) out += fmt::format("  {}\n", a[i]);
  for (std::size_t i = same; i < a.size() - end; ++i) out += fmt::format("- {}\n", a[i]);
  for (std::size_t i = same; i < b.size() - end; ++i) out += fmt::format("+ {}\n", b[i]);
  for (std::size_t i = a.size() - end; i < a.size(); ++i) out += fmt::format("  {}\n", a[i]);
  return out;
}

}  // namespace egt::testing
