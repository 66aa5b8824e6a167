#include "snapshot/session_text.h"

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"

namespace egt::parsers {
namespace {

constexpr std::size_t kMostLines = 40;  // of session text at either end
constexpr std::size_t kLongest = 1000;  // bytes of a line that may be session text

enum class Kind : std::uint8_t { none, chatter, error };

template <std::size_t N>
bool starts_with_any(std::string_view line, const std::array<std::string_view, N>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view b) { return line.starts_with(b); });
}

bool is_chatter(std::string_view line) {
  static constexpr std::array<std::string_view, 12> kWords = {"Starting pod/",
                                                              "Temporary namespace ",
                                                              "To use host binaries, run",
                                                              "Removing debug pod",
                                                              "Pod IP: ",
                                                              "If you don't see a command prompt",
                                                              "Defaulted container ",
                                                              "Defaulting container name to ",
                                                              "Use 'oc describe pod/",
                                                              "Use 'kubectl describe pod/",
                                                              "tar: Removing leading ",
                                                              "Warning: would violate PodSecurity"};
  return starts_with_any(line, kWords);
}

// "2026-03-01T12:00:00Z|00001|vconn|WARN|…" of a tool of Open vSwitch.
bool is_ovs_log(std::string_view line) {
  return line.size() > 30 && is_digit(line[0]) && line[4] == '-' && line[10] == 'T' && line.find("Z|0") != std::string_view::npos;
}

// "ovs-ofctl: …", "iptables v1.8.9 (nf_tables): …", "/bin/sh: line 1: …"
bool is_tool_error(std::string_view line) {
  static constexpr std::array<std::string_view, 27> kTools = {
      "ovs-ofctl",  "ovs-vsctl",    "ovs-appctl", "ovs-dpctl", "ovn-nbctl",     "ovn-sbctl",
      "ovn-appctl", "ovsdb-client", "iptables",   "ip6tables", "iptables-save", "ip6tables-save",
      "nft",        "conntrack",    "sysctl",     "bash",      "-bash",         "sh",
      "timeout",    "crictl",       "chroot",     "nsenter",   "sudo",          "oc",
      "kubectl",    "netlink",      "ip"};
  const std::size_t colon = line.find(": ");
  // conntrack(8) counts what it has shown on standard error.
  if (colon == std::string_view::npos || line.ends_with("flow entries have been shown.")) return false;
  std::string_view who = line.substr(0, colon);
  who = who.substr(0, who.find(" v1."));
  const std::size_t slash = who.rfind('/');
  if (slash != std::string_view::npos) who.remove_prefix(slash + 1);
  return std::find(kTools.begin(), kTools.end(), who) != kTools.end();
}

bool is_error(std::string_view line) {
  static constexpr std::array<std::string_view, 14> kWords = {"error: ",
                                                              "Error: ",
                                                              "Error from server",
                                                              "command terminated with exit code ",
                                                              "RTNETLINK answers: ",
                                                              "Cannot open network namespace ",
                                                              "Dump terminated",
                                                              "Dump was interrupted",
                                                              "Object \"",
                                                              "Unable to connect to the server",
                                                              "The connection to the server ",
                                                              "time=\"",
                                                              "Operation not permitted",
                                                              "Terminated"};
  return starts_with_any(line, kWords) || is_tool_error(line) || line.ends_with(": command not found") ||
         (line.ends_with(": not found") && line.size() < 200);
}

Kind kind_of(std::string_view line) {
  if (line.size() > kLongest) return Kind::none;
  line = trim(line);
  if (is_chatter(line)) return Kind::chatter;
  return is_error(line) || is_ovs_log(line) ? Kind::error : Kind::none;
}

// Cuts off the last line, and the line end before it.
std::string_view take_last_line(std::string_view& text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  // A line that is longer is no session text: a database is one line of a hundred megabytes.
  const std::size_t begin = text.size() - std::min(text.size(), kLongest + 1);
  const std::size_t in_end = text.substr(begin).rfind('\n');
  const std::size_t at = in_end == std::string_view::npos ? in_end : begin + in_end;
  const std::string_view line = at == std::string_view::npos ? text : text.substr(at + 1);
  text = at == std::string_view::npos ? std::string_view() : text.substr(0, at + 1);
  return line;
}

}  // namespace

Quiet without_session_text(std::string_view text) {
  Quiet quiet{text, 0, {}, {}};
  std::string first_error;
  for (std::size_t i = 0; i < kMostLines && !quiet.text.empty(); ++i) {
    std::string_view rest = quiet.text;
    const std::string_view line = next_line(rest);
    const Kind kind = kind_of(line);
    if (kind == Kind::none && !(trim(line).empty() && quiet.skipped_lines > 0)) break;
    if (kind == Kind::error && first_error.empty()) first_error = std::string(trim(line));
    quiet.text = rest;
    ++quiet.skipped_lines;
  }
  for (std::size_t i = 0; i < kMostLines && !quiet.text.empty(); ++i) {
    std::string_view rest = quiet.text;
    const std::string_view line = take_last_line(rest);
    const Kind kind = kind_of(line);
    if (kind == Kind::none) break;
    if (kind == Kind::error && !is_ovs_log(trim(line))) quiet.ended = std::string(trim(line));
    quiet.text = rest;
  }
  if (first_error.empty()) first_error = quiet.ended;
  if (trim(quiet.text).empty() && !first_error.empty()) quiet.failed = first_error;
  return quiet;
}

}  // namespace egt::parsers
