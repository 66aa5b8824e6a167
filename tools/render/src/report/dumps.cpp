// The dumps with the command that printed each, and how much older than the newest one it is; what is missing.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "dump_words.h"
#include "egtrace/base/moment.h"
#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using explain::DumpReport;

std::optional<std::int64_t> time_of(const DumpReport& d) {
  if (d.time.empty()) return std::nullopt;
  const auto moment = parse_moment(d.time);
  return moment && !moment->before_newest ? std::optional(moment->ms) : std::nullopt;
}

std::string age_text(std::int64_t ms) {
  const std::int64_t s = ms / 1000;
  if (s < 1) return "newest";
  if (s < 120) return fmt::format("{} s older", s);
  if (s < 7200) return fmt::format("{} min older", s / 60);
  if (s < 172800) return fmt::format("{} h older", s / 3600);
  return fmt::format("{} days older", s / 86400);
}

std::string remarks_of(const DumpReport& d) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (d.partial) add(excerpt_words(d));
  if (!d.note.empty()) add(d.note);
  if (!d.superseded_by.empty()) add("not used beside " + d.superseded_by);
  if (!d.not_understood.empty()) add(counted(d.not_understood.size(), "line") + " not understood");
  return out;
}

std::string rows_of(const std::string& node, const std::vector<DumpReport>& dumps, std::optional<std::int64_t> newest) {
  std::string out;
  for (const DumpReport& d : dumps) {
    const auto time = time_of(d);
    out += fmt::format(
        "<tr><td>{}</td><td class=\"path-of-file\">{}</td><td><code "
        "class=\"command\">{}</code></td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escape_html(node), escape_html(d.path), escape_html(command_of(d)), d.lines, time ? escape_html(d.time) : "unknown",
        time && newest ? age_text(*newest - *time) : "unknown", escape_html(remarks_of(d)));
  }
  return out;
}

std::string gaps_html(const std::vector<Gap>& gaps) {
  if (gaps.empty()) return {};
  std::string out = "<h3>Missing</h3>\n<ul class=\"plain\">\n";
  for (const Gap& g : gaps)
    out += fmt::format("<li>{}{}{}</li>\n", escape_html(g.node.empty() ? "" : g.node + ": "), escape_html(g.what),
                       g.command.empty() ? "" : "<br>" + command(g.command));
  return out + "</ul>\n";
}

std::string counts_html(const explain::Inspection& i) {
  std::string out = "<h3>Counts</h3>\n<div class=\"wide\"><table><tbody>\n";
  for (const explain::Count& c : i.counts)
    if (c.number > 0) out += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escape_html(c.what), c.number);
  return out + "</tbody></table></div>\n";
}

std::string nodes_html(const explain::Inspection& i) {
  std::string out =
      "<h3>Nodes</h3>\n<div class=\"wide\"><table><thead><tr><th>name</th><th>roles</th><th>addresses</th><th>Open "
      "vSwitch</th><th>gateway mode</th></tr></thead><tbody>\n";
  for (const explain::NodeReport& n : i.nodes)
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", escape_html(n.name),
                       escape_html(fmt::format("{}", fmt::join(n.roles, ", "))),
                       escape_html(fmt::format("{}", fmt::join(n.addresses, " "))), escape_html(n.ovs_version),
                       escape_html(n.gateway_mode));
  return out + "</tbody></table></div>\n";
}

std::string odd_lines_html(const explain::Inspection& i) {
  constexpr std::size_t kMost = 100;
  std::string out;
  std::size_t shown = 0;
  const auto add = [&](const std::vector<DumpReport>& dumps) {
    for (const DumpReport& d : dumps)
      for (const explain::EvidenceLine& e : d.not_understood)
        if (++shown <= kMost)
          out += fmt::format("<p class=\"source\">{}:{}</p><pre>{}</pre>\n", escape_html(d.path), e.line, escape_html(e.text));
  };
  for (const explain::NodeReport& n : i.nodes) add(n.dumps);
  add(i.objects);
  if (out.empty()) return {};
  if (shown > kMost)
    out += fmt::format("<p>and {} more; <code>egtrace inspect --format json</code> lists all</p>\n", shown - kMost);
  return "<details class=\"quiet\"><summary>" + counted(shown, "line") + " not understood</summary>\n<div class=\"inside\">\n" +
         out + "</div></details>\n";
}

}  // namespace

std::string dumps_part(const explain::Inspection& i, std::string_view id, std::string_view name, bool whole) {
  std::optional<std::int64_t> newest;
  std::size_t count = i.objects.size();
  const auto look = [&](const std::vector<DumpReport>& dumps) {
    for (const DumpReport& d : dumps)
      if (const auto time = time_of(d)) newest = std::max(newest.value_or(*time), *time);
  };
  for (const explain::NodeReport& n : i.nodes) {
    look(n.dumps);
    count += n.dumps.size();
  }
  look(i.objects);
  std::string out = fmt::format("<section data-part=\"{}\">\n{}", id, heading(id, name, count));
  if (whole) out += nodes_html(i) + counts_html(i);
  for (const std::string& words : i.times) out += fmt::format("<p>{}</p>\n", escape_html(words));
  out += gaps_html(i.gaps) + odd_lines_html(i);
  out += fmt::format(
      "<details class=\"quiet\"{}><summary>All dumps, with their commands and ages</summary>\n<div class=\"wide\"><table "
      "class=\"list\"><thead><tr><th>node</th>"
      "<th>dump</th><th>command</th><th>lines</th><th>printed</th><th>age</th><th></th></tr></thead><tbody>\n",
      whole ? " open" : "");
  for (const explain::NodeReport& n : i.nodes) out += rows_of(n.name, n.dumps, newest);
  out += rows_of("", i.objects, newest);
  return out + "</tbody></table></div></details>\n</section>\n";
}

}  // namespace egt::render::report
