// Findings of triage and rows of the audit.
#include "catalogue.h"
#include "values.h"

namespace egt::sql {
namespace {

using C = const Context&;

struct FindingRow {
  const assess::Finding* finding;
};
struct AuditResultRow {
  const assess::AuditRow* row;
};

Value evidence_dump(const explain::Evidence& evidence) { return evidence.empty() ? Value() : text(evidence.front().dump); }
Value evidence_line_number(const explain::Evidence& evidence) {
  return evidence.empty() || evidence.front().line == 0 ? Value() : number(evidence.front().line);
}

Definition<FindingRow> findings() {
  using R = const FindingRow&;
  return {"findings",
          "what `egtrace triage` finds",
          {{"id", "TEXT", "check", [](C, R r) { return text(r.finding->id); }},
           {"severity", "TEXT", "error, warning, note",
            [](C, R r) {
              constexpr std::string_view kNames[] = {"note", "warning", "error"};
              return text(kNames[static_cast<std::size_t>(r.finding->severity)]);
            }},
           {"title", "TEXT", "what the check looks for", [](C, R r) { return text(r.finding->title); }},
           {"claim", "TEXT", "what it found", [](C, R r) { return text(r.finding->claim); }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.finding->node); }},
           {"other_nodes", "TEXT", "on which the same was found, with commas",
            [](C, R r) { return joined(r.finding->nodes, [](const std::string& n) { return n; }); }},
           {"object", "TEXT", "EgressIP NAME, ...", [](C, R r) { return text(r.finding->object); }},
           {"remedy", "TEXT", "next step", [](C, R r) { return text(r.finding->remedy); }},
           {"dump", "TEXT", "of its first evidence", [](C, R r) { return evidence_dump(r.finding->evidence); }},
           {"line", "INTEGER", "its line", [](C, R r) { return evidence_line_number(r.finding->evidence); }}},
          [](C context, std::vector<FindingRow>& out) {
            for (const assess::Finding& f : context.findings()) out.push_back({&f});
          },
          nullptr};
}

Definition<AuditResultRow> audit() {
  using R = const AuditResultRow&;
  return {"audit",
          "what `egtrace audit` lists: a row for each path",
          {{"namespace", "TEXT", "NULL: the node itself", [](C, R r) { return text(r.row->namespace_); }},
           {"pod", "TEXT", "NULL: the node itself", [](C, R r) { return text(r.row->pod); }},
           {"node", "TEXT", "node", [](C, R r) { return text(r.row->node); }},
           {"ip", "TEXT", "sender's address", [](C, R r) { return text(r.row->ip); }},
           {"destination", "TEXT", "POINT", [](C, R r) { return text(r.row->to); }},
           {"destination_kind", "TEXT", "outside v4, service, ...", [](C, R r) { return text(assess::name_of(r.row->to_kind)); }},
           {"outcome", "TEXT", "answered, refused, unanswered, undecided", [](C, R r) { return text(name_of(r.row->outcome)); }},
           {"confidence", "TEXT", "proven, assumed; NULL: undecided",
            [](C, R r) { return r.row->outcome == explain::Outcome::undecided ? Value() : text(name_of(r.row->confidence)); }},
           {"verdict", "TEXT", "of the request", [](C, R r) { return text(name_of(r.row->verdict)); }},
           {"source_seen", "TEXT", "source that the other end sees",
            [](C, R r) { return r.row->source_seen ? text(r.row->source_seen->ip) : Value(); }},
           {"egress_node", "TEXT", "node by which it leaves", [](C, R r) { return text(r.row->egress_node); }},
           {"egress_device", "TEXT", "device", [](C, R r) { return text(r.row->egress_device); }},
           {"decided_by", "TEXT", "what decides it", [](C, R r) { return text(r.row->decided_by); }},
           {"object", "TEXT", "egress object that selects the pod", [](C, R r) { return text(r.row->object); }},
           {"expected", "TEXT", "what that asks for", [](C, R r) { return text(r.row->expected); }},
           {"leak", "INTEGER", "1: it leaves otherwise", [](C, R r) { return flag(r.row->leak); }},
           {"dump", "TEXT", "of its first evidence", [](C, R r) { return evidence_dump(r.row->evidence); }},
           {"line", "INTEGER", "its line", [](C, R r) { return evidence_line_number(r.row->evidence); }}},
          [](C context, std::vector<AuditResultRow>& out) {
            for (const assess::AuditRow& r : context.audit()) out.push_back({&r});
          },
          nullptr};
}

}  // namespace

void add_result_tables(Tables& all) {
  all.push_back(make_table(findings()));
  all.push_back(make_table(audit()));
}

}  // namespace egt::sql
