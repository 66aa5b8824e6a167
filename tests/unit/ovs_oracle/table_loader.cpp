#include "table_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace egt::testing {
namespace {

constexpr const char* kProtocol = "OpenFlow15";
constexpr const char* kClear = "flow delete\ngroup delete\n";
constexpr std::size_t kLinesOfClear = 2;

// "ovs-ofctl: -:3: …" shows which line of its input ovs-ofctl itself does not take. Counted from 0.
std::size_t line_of(const std::string& error) {
  const std::size_t at = error.find(" -:");
  return at == std::string::npos ? ~std::size_t{0} : std::strtoul(error.c_str() + at + 3, nullptr, 10) - 1;
}

// "Error OFPBAC_… for: OFPT_FLOW_MOD (OF1.5) (xid=0x5): …" for each message that the switch refuses; warnings lie between.
std::vector<unsigned long> refused_messages(const std::string& error) {
  constexpr std::string_view kMessage = "_MOD (OF1.5) (xid=";
  std::vector<unsigned long> all;
  for (std::size_t at = 0; (at = error.find(kMessage, at)) != error.npos;)
    all.push_back(std::strtoul(error.c_str() + (at += kMessage.size()), nullptr, 0));
  return all;
}

template <class Part>
void take_out(std::vector<Part>& parts, const std::set<std::size_t>& indices) {
  std::size_t i = 0;
  std::erase_if(parts, [&](const Part&) { return indices.contains(i++); });
}

}  // namespace

std::vector<TableLoader::Line> TableLoader::lines_of(const Configuration& c, const std::string& bridge) const {
  std::vector<Line> lines;
  for (std::size_t i = 0; i < c.groups.size(); ++i)
    if (c.groups[i].bridge == bridge) lines.push_back({"group add " + text_of(c.groups[i]), true, i});
  for (std::size_t i = 0; i < c.flows.size(); ++i)
    if (c.flows[i].bridge == bridge) lines.push_back({"flow add " + text_of(c.flows[i]), false, i});
  return lines;
}

void TableLoader::clear(const std::vector<std::string>& bridges) {
  for (const std::string& b : bridges) daemon_.ofctl(kProtocol, {"bundle", b, "-"}, kClear);
}

void TableLoader::fill(Configuration& c, const std::vector<std::string>& bridges) {
  std::set<std::size_t> groups, flows;
  for (const std::string& b : bridges)
    for (const Line& l : add(b, lines_of(c, b))) (l.is_group ? groups : flows).insert(l.index);
  refused_ += groups.size() + flows.size();
  take_out(c.groups, groups);
  take_out(c.flows, flows);
}

// All at once; where something is refused, again without it. What is refused.
std::vector<TableLoader::Line> TableLoader::add(const std::string& bridge, std::vector<Line> lines) {
  std::vector<Line> refused;
  for (;;) {
    std::string text = kClear;
    for (const Line& l : lines) text += l.text + "\n";
    const std::string error = daemon_.ofctl(kProtocol, {"bundle", bridge, "-"}, text);
    if (error.empty() || lines.empty()) break;
    std::set<std::size_t> bad;
    for (const std::size_t i : refused_lines(error, bridge))
      if (i >= kLinesOfClear && i - kLinesOfClear < lines.size()) bad.insert(i - kLinesOfClear);
    if (bad.empty()) bad.insert(lines.size() - 1);  // refused as a whole
    for (const std::size_t i : bad) {
      if (std::getenv("EGTRACE_SHOW_REFUSED")) fmt::print("{}\n{}\n", lines[i].text, error.substr(0, 300));
      refused.push_back(lines[i]);
    }
    take_out(lines, bad);
  }
  return refused;
}

std::vector<std::size_t> TableLoader::refused_lines(const std::string& error, const std::string& bridge) {
  if (const std::size_t line = line_of(error); line != ~std::size_t{0}) return {line};
  if (first_message_ == 0) {
    const auto first = refused_messages(daemon_.ofctl(kProtocol, {"bundle", bridge, "-"}, "flow add actions=group:9999\n"));
    if (first.empty()) return {};
    first_message_ = first.front();
  }
  std::vector<std::size_t> lines;
  for (const unsigned long xid : refused_messages(error)) lines.push_back(xid - first_message_);
  return lines;
}

}  // namespace egt::testing
