#include "egtrace/render/difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

std::string heading_of(const Difference& d) {
  return d.node.empty() ? d.topic : fmt::format("{}: {}", d.node, d.topic);
}

// Lists of hundreds are cut, unless all is asked for.
void lines(const std::vector<std::string>& values, char sign, Tone tone, const Style& style, std::size_t most,
           std::string& out) {
  for (std::size_t i = 0; i < std::min(most, values.size()); ++i)
    out += style(tone, fmt::format("    {} {}", sign, values[i])) + "\n";
  if (values.size() > most) out += fmt::format("    {} {} more\n", sign, values.size() - most);
}

}  // namespace

std::string diff_json(const Differences& differences) {
  Json j = {{"schema", "egtrace.diff/1"}, {"differences", Json::array()}, {"not_compared", Json::array()}};
  for (const Difference& d : differences.all)
    j["differences"].push_back({{"topic", d.topic},
                                {"node", text_or_null(d.node)},
                                {"what", d.what},
                                {"before", d.before},
                                {"after", d.after},
                                {"evidence_before", evidence_json(d.evidence_before)},
                                {"evidence_after", evidence_json(d.evidence_after)}});
  for (const NotCompared& n : differences.not_compared)
    j["not_compared"].push_back(
        {{"topic", n.topic}, {"node", text_or_null(n.node)}, {"part", text_or_null(n.part)}, {"why", n.why}});
  return dump_json(j);
}

std::string diff_text(const Differences& differences, const TextOptions& options) {
  const Style style(options.colour);
  const std::size_t most = options.verbose > 0 ? static_cast<std::size_t>(-1) : 8;
  std::string out, heading;
  for (const Difference& d : differences.all) {
    if (heading_of(d) != heading) {
      heading = heading_of(d);
      out += (out.empty() ? "" : "\n") + style(Tone::heading, heading) + "\n";
    }
    out += "  " + d.what + "\n";
    lines(d.before, '-', Tone::bad, style, most, out);
    lines(d.after, '+', Tone::good, style, most, out);
  }
  if (differences.all.empty()) out += "no difference\n";
  if (!differences.not_compared.empty() && !options.quiet) {
    out += "\n" + style(Tone::heading, "not compared, or not as a whole") + "\n";
    for (const NotCompared& n : differences.not_compared)
      out += fmt::format("  {}{}{}: {}\n", n.node.empty() ? "" : n.node + ": ", n.topic,
                         n.part.empty() ? "" : " of " + n.part, n.why);
  }
  return out;
}

}  // namespace egt::render
