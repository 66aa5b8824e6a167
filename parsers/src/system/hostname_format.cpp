// `hostname`: one name. Its content could be anything, so that only the command shows it. Naming the node is done where
// snapshots are read.
#include <algorithm>

#include "egtrace/base/text.h"
#include "system/formats.h"

namespace egt::parsers::system {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kLongestName = 255;

// hostname(7): letters, digits, hyphens and dots; some kernels have underscores.
bool is_hostname(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == '_';
  });
}

bool is_hostname_command(const Dump& dump) {
  if (dump.command.ends_with("/hostname") || dump.command == "hostname") return true;
  if (!command_has(dump, "hostname")) return false;
  for (const std::string_view word : words_behind(dump, "hostname"))
    if (word != "-f" && word != "-s" && word != "--fqdn" && word != "--long" && word != "--short") return false;
  return true;
}

Recognition recognise(const Dump& dump) {
  if (dump.text.size() > 2 * kLongestName || !is_hostname_command(dump) || !is_hostname(trim(dump.text))) return {};
  return {70, topic_of(dump, "hostname", is_other_namespace(dump)), dump.partial ? 1 : 10};
}

// Hands each name to `take`.
template <class Take>
void read_names(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (trim(line.text).empty())
      lines.ignored();
    else if (is_hostname(trim(line.text)))
      lines.understood(), take(line);
    else
      lines.not_understood(line, 1, "no name of a node");
  }
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_names(dump, report, [](const Line&) {});
  out += dump.text;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"hostname", nullptr}};
  read_names(dump, report, [&](const Line& line) {
    if (document["hostname"].is_null()) document["hostname"] = std::string(trim(line.text));
  });
  append_json(document, out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node&, Report& report) {
  read_names(dump, report, [](const Line&) {});
}

}  // namespace

const Format& hostname_format() {
  static const Format format{"hostname", "hostname", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::system
