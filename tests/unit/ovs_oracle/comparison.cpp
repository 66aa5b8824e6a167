#include "comparison.h"

#include <algorithm>
#include <fmt/format.h>

#include <map>
#include <regex>
#include <sstream>

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

}  // namespace

std::vector<std::string> split_traces(const std::string& text) {
  std::vector<std::string> traces;
  std::string before_last, last;
  for (const std::string& line : lines_of(text)) {
    const bool begins = line.starts_with("Flow: ") && !before_last.starts_with("====");
    if (begins) {
      if (!traces.empty()) traces.back().pop_back();   // the empty line between
      traces.emplace_back();
    }
    if (!traces.empty()) traces.back() += line + "\n";
    before_last = last;
    last = line;
  }
  return traces;
}

std::string renumbered_trace(const std::string& text) {
  static const std::regex kNumber(R"((recirc\(|recirc_id[=(]|[^a-z_]meter\()(0x[0-9a-f]+|[0-9]+))");
  Numbers recirculations, meters;
  recirculations.of("0");   // not recirculated
  std::string out;
  std::sregex_iterator at(text.begin(), text.end(), kNumber);
  auto copied = text.begin();
  for (; at != std::sregex_iterator(); ++at) {
    out.append(copied, (*at)[2].first);
    out += (at->str(1).find("meter") != std::string::npos ? meters : recirculations).of(at->str(2));
    copied = (*at)[2].second;
  }
  out.append(copied, text.end());
  return out;
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
