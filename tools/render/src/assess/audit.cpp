#include "egtrace/render/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

// RFC 4180: quoted where a comma, a quote or a line end is in it. What a spreadsheet would take for a formula gets a quote
// before it.
std::string csv(const std::string& dumped) {
  const bool formula = !dumped.empty() && std::string_view("=+-@\t\r").find(dumped.front()) != std::string_view::npos;
  const std::string field = (formula ? "'" : "") + dumped;
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string sender_of(const AuditRow& r) { return r.pod.empty() ? "node:" + r.node : r.namespace_ + "/" + r.pod; }

std::string seen(const AuditRow& r) { return r.source_seen ? r.source_seen->ip : "-"; }

// "no answer (reply)": which packet of the connection fails; "?" where it is assumed.
std::string outcome_cell(const AuditRow& r) {
  std::string cell(r.outcome == explain::Outcome::unanswered ? "no answer" : name_of(r.outcome));
  if (r.fails && *r.fails != explain::Direction::request) cell += fmt::format(" ({})", name_of(*r.fails));
  return cell + (r.confidence == "proven" || r.outcome == explain::Outcome::undecided ? "" : " ?");
}

std::string place(const AuditRow& r) {
  return r.egress_node.empty() ? "-" : fmt::format("{} {}", r.egress_node, r.egress_device);
}

}  // namespace

std::string audit_json(const std::vector<AuditRow>& rows) {
  Json j = {{"schema", "egtrace.audit/1"}, {"rows", Json::array()}};
  for (const AuditRow& r : rows) {
    Json row = {{"pod", text_or_null(r.pod)},
                {"namespace", text_or_null(r.namespace_)},
                {"node", r.node},
                {"ip", r.ip},
                {"to", r.to},
                {"to_kind", r.to_kind},
                {"outcome", name_of(r.outcome)},
                {"fails", r.fails ? Json(name_of(*r.fails)) : Json(nullptr)},
                {"verdict", r.verdict},
                {"confidence", r.confidence}};
    row["source_seen"] =
        r.source_seen ? Json{{"ip", r.source_seen->ip}, {"port", or_null(r.source_seen->port)}} : Json(nullptr);
    row["egress_node"] = text_or_null(r.egress_node);
    row["egress_device"] = text_or_null(r.egress_device);
    row["decided_by"] = r.decided_by;
    row["evidence"] = evidence_json(r.evidence);
    row["leak"] = r.leak;
    row["expected"] = text_or_null(r.expected);
    j["rows"].push_back(std::move(row));
  }
  return dump_json(j);
}

std::string audit_csv(const std::vector<AuditRow>& rows) {
  std::string out =
      "namespace,pod,node,ip,to,to_kind,outcome,verdict,confidence,source_seen,egress_node,egress_device,leak,expected,decided_"
      "by\r\n";
  for (const AuditRow& r : rows)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n", csv(r.namespace_), csv(r.pod), csv(r.node),
                       r.ip, csv(r.to), r.to_kind, name_of(r.outcome), r.verdict, r.confidence, r.source_seen ? r.source_seen->ip : "",
                       csv(r.egress_node), csv(r.egress_device), r.leak, csv(r.expected), csv(r.decided_by));
  return out;
}

// As wide as its contents: the terminal's width changes nothing.
std::string audit_table(const std::vector<AuditRow>& rows, const TextOptions& options) {
  const Style style(options.colour);
  constexpr std::size_t kColumns = 7;
  using Cells = std::array<std::string, kColumns>;
  std::vector<Cells> cells{{"", "FROM", "TO", "OUTCOME", "SEEN AS", "LEAVES BY", "DECIDED BY"}};
  for (const AuditRow& r : rows)
    cells.push_back({r.leak ? "LEAK" : "", sender_of(r), r.to, outcome_cell(r),
                     r.leak ? fmt::format("{} (not {})", seen(r), r.expected) : seen(r), place(r), r.decided_by});
  std::array<std::size_t, kColumns> width{};
  for (const Cells& line : cells)
    for (std::size_t i = 0; i + 1 < kColumns; ++i) width[i] = std::max(width[i], line[i].size());
  std::string out;
  for (std::size_t n = 0; n < cells.size(); ++n) {
    std::string line;
    for (std::size_t i = 0; i + 1 < kColumns; ++i)
      if (width[i] > 0) line += fmt::format("{:<{}}  ", cells[n][i], width[i]);
    line += cells[n][kColumns - 1];
    out += n == 0 ? style(Tone::heading, line) : rows[n - 1].leak ? style(Tone::bad, line) : line;
    out += "\n";
  }
  return out;
}

}  // namespace egt::render
