// The audit as a matrix: senders below each other, destinations beside each other, in each cell the paths.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "html_text.h"
#include "report/parts.h"

namespace egt::render::report {
namespace {

using assess::AuditRow;

constexpr std::size_t kMostRows = 2000;  // paths; more are of no use to a reader, and slow in any browser

// Another node is another one for each sender; everything else is one column.
std::string column_of(const AuditRow& r) { return r.to_kind == assess::Target::other_node ? "another node" : r.to; }

struct Matrix {
  std::vector<std::string> senders, columns;
  std::map<std::string, std::map<std::string, std::vector<std::size_t>>> cells;  // sender, column
};

Matrix matrix_of(const std::vector<AuditRow>& rows, std::size_t count) {
  Matrix m;
  const auto add = [](std::vector<std::string>& all, const std::string& name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
  };
  std::vector<std::pair<assess::Target, std::string>> columns;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string sender = sender_of(rows[i]), column = column_of(rows[i]);
    if (!m.cells.contains(sender)) m.senders.push_back(sender);
    m.cells[sender][column].push_back(i);
    if (const std::pair<assess::Target, std::string> c{rows[i].to_kind, column};
        std::find(columns.begin(), columns.end(), c) == columns.end())
      columns.push_back(c);
  }
  std::sort(columns.begin(), columns.end());
  for (const auto& [kind, column] : columns) add(m.columns, column);
  return m;
}

std::string_view state_of(const AuditRow& r) {
  return r.leak ? "leak" : r.outcome == explain::Outcome::undecided ? "undecided" : assess::is_failure(r) ? "failed" : "answered";
}

class AuditPart {
 public:
  AuditPart(const Report& report, EvidenceBook& book) : report_(report), rows_(*report.rows), book_(book) {}

  std::string print() {
    const std::size_t count = std::min(rows_.size(), kMostRows);
    const Matrix m = matrix_of(rows_, count);
    std::string out = "<section data-part=\"audit\">\n" + heading("audit", "Audit", rows_.size());
    out +=
        "<p class=\"soft small\">Which address the other end sees of each pod and node, and what the client sees: its reply is "
        "walked as well. "
        "A leak is a path by which a pod that an egress object selects leaves with another address. ? marks what is "
        "assumed.</p>\n";
    if (count < rows_.size())
      out += fmt::format(
          "<p>Only the first {} of {} paths are shown: leaks and unusual outcomes come first. <code>egtrace audit</code> lists "
          "all.</p>\n",
          count, rows_.size());
    out += controls() + "<div class=\"wide\"><table class=\"matrix\">\n<thead><tr><th scope=\"col\">from</th>";
    for (const std::string& column : m.columns) out += fmt::format("<th scope=\"col\">{}</th>", escape_html(column));
    out += "</tr></thead>\n<tbody>\n";
    for (const std::string& sender : m.senders) out += line(sender, m);
    return out + "</tbody></table></div>\n<p class=\"nothing\" hidden>No row matches the filter.</p>\n</section>\n";
  }

 private:
  static std::string controls() {
    return "<p class=\"controls script\" hidden><label>Filter <input id=\"audit-filter\" type=\"search\" placeholder=\"pod, "
           "node, address\"></label> "
           "<label>Show <select id=\"audit-state\"><option value=\"\">all</option><option value=\"leak\">leaks</option><option "
           "value=\"failed\">failed</option>"
           "<option value=\"undecided\">undecided</option><option value=\"answered\">answered</option></select></label> "
           "<span id=\"audit-count\" class=\"soft small\" role=\"status\"></span></p>\n";
  }

  std::string line(const std::string& sender, const Matrix& m) {
    const auto& cells = m.cells.at(sender);
    const AuditRow& first = rows_[cells.begin()->second.front()];
    std::string out =
        fmt::format("<tr><th scope=\"row\">{}{}</th>", escape_html(sender),
                    first.pod.empty() ? "" : "<br><span class=\"soft small\">on " + escape_html(first.node) + "</span>");
    for (const std::string& column : m.columns) {
      out += "<td>";
      const auto found = cells.find(column);
      if (found != cells.end())
        for (const std::size_t row : found->second) out += entry(row);
      out += "</td>";
    }
    return out + "</tr>\n";
  }

  std::string entry(std::size_t index) {
    const AuditRow& r = rows_[index];
    const bool bad = r.leak;
    const bool assumed = r.outcome != explain::Outcome::undecided && r.confidence != explain::Confidence::proven;
    std::string words(words_of(r.outcome));
    if (r.fails && *r.fails != explain::Direction::request) words += fmt::format(" ({})", name_of(*r.fails));
    std::string out = fmt::format(
        "<details class=\"cell {}\" data-state=\"{}\"><summary>{}{}{}<br><span class=\"small\">as {}</span></summary>\n<div "
        "class=\"inside\">",
        bad ? "bad" : class_of(tone_of(r.outcome)), state_of(r), bad ? "LEAK, " : "", words, assumed ? " ?" : "",
        r.source_seen ? escape_html(r.source_seen->ip) : "unknown");
    const auto say = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) out += fmt::format("<p class=\"small\"><span class=\"soft\">{}</span> {}</p>", name, escape_html(text));
    };
    if (r.to_kind == assess::Target::other_node) say("to", r.to);
    say("decided by", r.decided_by);
    if (!r.egress_node.empty()) say("leaves by", r.egress_node + " " + r.egress_device);
    say("expected", r.expected);
    say("selected by", r.object);
    if (r.service_moved) say("note", "OVN has the service at other addresses");
    out += path_link(index) + book_.lines(r.evidence);
    return out + "</div></details>\n";
  }

  std::string path_link(std::size_t row) const {
    if (report_.connections != nullptr)
      for (std::size_t i = 0; i < report_.connections->shown.size(); ++i) {
        const auto& rows = report_.connections->shown[i].rows;
        if (std::find(rows.begin(), rows.end(), row) != rows.end())
          return fmt::format("<p class=\"small\"><a href=\"#path-{}\">the path, hop by hop</a></p>\n", i + 1);
      }
    return "<p class=\"small\">" +
           command(fmt::format("egtrace explain SNAPSHOT --from '{}' --to '{}'", sender_of(rows_[row]), rows_[row].to)) +
           "</p>\n";
  }

  const Report& report_;
  const std::vector<AuditRow>& rows_;
  EvidenceBook& book_;
};

}  // namespace

std::string audit_part(const Report& report, EvidenceBook& book) { return AuditPart(report, book).print(); }

}  // namespace egt::render::report
