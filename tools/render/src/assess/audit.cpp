#include "egtrace/render/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "csv.h"
#include "egtrace/assess/connections.h"
#include "egtrace/base/columns.h"
#include "json_parts.h"
#include "style.h"

namespace egt::render {
namespace {

using namespace assess;

std::string seen(const AuditRow& r) { return r.source_seen ? r.source_seen->ip : "-"; }

// "no answer (reply)": which packet of the connection fails; "?" where it is assumed.
std::string outcome_cell(const AuditRow& r) {
  std::string cell(r.outcome == explain::Outcome::unanswered ? "no answer" : name_of(r.outcome));
  if (r.fails && *r.fails != explain::Direction::request) cell += fmt::format(" ({})", name_of(*r.fails));
  return cell + (r.confidence == explain::Confidence::proven || r.outcome == explain::Outcome::undecided ? "" : " ?");
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
                {"to_kind", assess::name_of(r.to_kind)},
                {"outcome", name_of(r.outcome)},
                {"fails", r.fails ? Json(name_of(*r.fails)) : Json(nullptr)},
                {"verdict", explain::name_of(r.verdict)},
                {"confidence", name_of(r.confidence)}};
    row["source_seen"] = r.source_seen ? Json{{"ip", r.source_seen->ip}, {"port", or_null(r.source_seen->port)}} : Json(nullptr);
    row["egress_node"] = text_or_null(r.egress_node);
    row["egress_device"] = text_or_null(r.egress_device);
    row["decided_by"] = r.decided_by;
    row["evidence"] = evidence_json(r.evidence);
    row["leak"] = r.leak;
    row["expected"] = text_or_null(r.expected);
    if (r.service_moved) row["service_moved"] = true;
    j["rows"].push_back(std::move(row));
  }
  return dump_json(j);
}

std::string audit_csv(const std::vector<AuditRow>& rows) {
  std::string out =
      "namespace,pod,node,ip,to,to_kind,outcome,verdict,confidence,source_seen,egress_node,egress_device,leak,expected,decided_"
      "by\n";
  for (const AuditRow& r : rows)
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(r.namespace_), csv_cell(r.pod),
                       csv_cell(r.node), r.ip, csv_cell(r.to), assess::name_of(r.to_kind), name_of(r.outcome),
                       explain::name_of(r.verdict), name_of(r.confidence), r.source_seen ? r.source_seen->ip : "",
                       csv_cell(r.egress_node), csv_cell(r.egress_device), r.leak, csv_cell(r.expected), csv_cell(r.decided_by));
  return out;
}

namespace {

constexpr std::size_t kBetween = 2;  // blanks between two columns

// The content of a row, in the order of importance: as many as fit stand side by side, the others below.
enum Column : std::size_t { kLeak, kFrom, kTo, kOutcome, kSeenAs, kLeavesBy, kDecidedBy, kColumns };
constexpr std::array<std::string_view, kColumns> kTitles = {"", "FROM", "TO", "OUTCOME", "SEEN AS", "LEAVES BY", "DECIDED BY"};
constexpr std::array<std::string_view, kColumns> kWords = {"", "", "", "", "seen as ", "leaves by ", "decided by "};
using Cells = std::array<std::string, kColumns>;

Cells cells_of(const AuditRow& r) {
  return {r.leak ? "LEAK" : "",
          sender_of(r),
          r.to,
          outcome_cell(r),
          r.leak ? fmt::format("{} (not {})", seen(r), r.expected) : seen(r),
          place(r),
          r.service_moved ? r.decided_by + "; OVN has the service at other addresses" : r.decided_by};
}

class Table {
 public:
  Table(const std::vector<AuditRow>& rows, const TextOptions& options) : o_(options), style_(options.colour) {
    for (const AuditRow& r : rows) rows_.push_back(cells_of(r));
    for (std::size_t i = 0; i < kColumns; ++i) {
      for (const Cells& row : rows_) width_[i] = std::max(width_[i], columns_of(row[i]));
      if (width_[i] > 0 || i != kLeak) width_[i] = std::max(width_[i], kTitles[i].size());
    }
    choose_columns();
  }

  std::string print() const {
    Cells titles;
    std::copy(kTitles.begin(), kTitles.end(), titles.begin());
    std::string out = style_(Tone::heading, in_columns(titles));
    for (const Cells& row : rows_) {
      std::string text = in_columns(row);
      if (shown_ < kColumns) text += below(row);
      out += row[kLeak].empty() ? text : style_(Tone::bad, text);
    }
    return out;
  }

 private:
  // The last column may go on in lines of its own, under itself.
  void choose_columns() {
    constexpr std::size_t kLeastLast = 24, kLeast = kOutcome + 1;
    shown_ = kColumns;
    if (room_for(kDecidedBy) >= std::min(kLeastLast, width_[kDecidedBy])) return;
    while (--shown_ > kLeast && begin_of(shown_) > o_.width + kBetween) {
    }
    // Names that are too long for any table lose their middle.
    for (const Column c : {kFrom, kTo})
      if (const std::size_t all = begin_of(shown_); all > o_.width + kBetween) {
        const std::size_t too_wide = all - o_.width - kBetween;
        width_[c] = std::max<std::size_t>(kTitles[kOutcome].size(), width_[c] - std::min(width_[c], too_wide));
      }
  }

  // Where a column begins, if all before it are shown.
  std::size_t begin_of(std::size_t column) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < column; ++i)
      if (width_[i] > 0) at += width_[i] + kBetween;
    return at;
  }
  std::size_t room_for(Column c) const { return o_.width - std::min(o_.width, begin_of(c)); }

  std::string in_columns(const Cells& row) const {
    std::string line;
    const std::size_t padded_columns = std::min<std::size_t>(shown_, kDecidedBy);
    for (std::size_t i = 0; i < padded_columns; ++i)
      if (width_[i] > 0) line += padded(shortened_path(row[i], width_[i]), width_[i] + kBetween);
    if (shown_ == kColumns) return wrap_behind(line, row[kDecidedBy], o_.width);
    return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }

  std::string below(const Cells& row) const {
    std::string text;
    for (std::size_t i = shown_; i < kColumns; ++i)
      if (!row[i].empty() && row[i] != "-") text += fmt::format("{}{}{}", text.empty() ? "" : ", ", kWords[i], row[i]);
    return text.empty() ? std::string() : wrap(text, 4, o_.width);
  }

  const TextOptions& o_;
  Style style_;
  std::vector<Cells> rows_;
  std::array<std::size_t, kColumns> width_{};
  std::size_t shown_ = kColumns;
};

}  // namespace

std::string audit_table(const std::vector<AuditRow>& rows, const TextOptions& options) { return Table(rows, options).print(); }

}  // namespace egt::render
