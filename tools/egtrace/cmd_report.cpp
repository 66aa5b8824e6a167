// egtrace report SNAPSHOT -o CASE.html: one page to attach to a case.
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "egtrace/assess/connections.h"
#include "egtrace/assess/names.h"
#include "egtrace/explain/cluster_map.h"
#include "egtrace/parsers/twins.h"
#include "packet_options.h"
#include "page.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

constexpr const char* kReportFooter =
    "The page needs no network and no other file: findings with their effect, topology, audit, and for connections that show "
    "a finding, for one of each kind of the audit and for those of --pair the paths, hop by hop, with the dump lines around each "
    "line of evidence. Secrets and the environment of containers are masked.\n"
    "\n"
    "Examples:\n"
    "  egtrace report ./dumps -o case.html\n"
    "  egtrace report must-gather.tar.gz --pair shop/cart-7d4b=192.0.2.10:443 --pair node:worker-1=svc:shop/cart:80 -o case.html\n"
    "  egtrace report ./dumps --namespace 'shop*' --paths 30 -o case.html\n"
    "\n"
    "Exit status: 0 done, 2 the call or an input is unusable.\n";

struct ReportOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::vector<std::string> pairs, to, namespaces;
  std::size_t paths = 12;
};

// Neither names nor addresses hold "=".
assess::AskedPair pair_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw CommandError(fmt::format("--pair: '{}' is no pair of POINTs; write FROM=TO, as shop/cart-7d4b=192.0.2.10:443", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<assess::AskedPair> pairs_of(const std::vector<std::string>& texts) {
  std::vector<assess::AskedPair> pairs;
  for (const std::string& text : texts) pairs.push_back(pair_of(text));
  return pairs;
}

ExitStatus run_report(const ReportOptions& o) {
  assess::ConnectionOptions choice;
  choice.asked = pairs_of(o.pairs);
  choice.most = o.paths;
  choice.jobs = o.common.jobs;
  SnapshotOptions with_logical_flows = o.snapshot;
  with_logical_flows.as_intended = true;
  const parsers::Snapshot& snapshot = open_for_walks(with_logical_flows, o.common);
  const assess::NameChecker names(snapshot.cluster);
  if (const auto unknown = names.unknown_namespace(o.namespaces)) throw CommandError(unknown->message);
  if (const auto unknown = names.unknown_place(o.to)) throw CommandError(unknown->message);
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  const assess::Triage triage = assess::triage(explainer, {}, parsers::twin_dumps(snapshot.cluster, snapshot.collection));
  assess::AuditOptions audit;
  audit.to = o.to;
  audit.namespaces = o.namespaces;
  audit.jobs = o.common.jobs;
  const auto rows = assess::audit(explainer, audit);
  if (!rows) throw CommandError(rows.error().message);
  const auto connections = assess::choose_connections(explainer, triage, *rows, choice);
  if (!connections) throw CommandError("--pair: " + connections.error().message);
  const explain::ClusterMap map = explain::map_cluster(snapshot.cluster);
  render::Report report;
  report.triage = &triage;
  report.rows = &*rows;
  report.connections = &*connections;
  report.map = &map;
  write_page("report", std::move(report), snapshot, o.snapshot, o.common);
  return ExitStatus::done;
}

}  // namespace

void add_report(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* verb = app.add_subcommand("report", "write one page about a snapshot, to attach to a case: findings, topology, audit, paths");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("--pair", o->pairs, "also the paths of this connection, two POINTs; repeatable")->allow_extra_args(false)->type_name("FROM=TO");
  verb->add_option("--paths", o->paths, "connections whose paths are shown, besides those of --pair")->check(CLI::Range(0, 500))->capture_default_str();
  verb->add_option("--to", o->to, "destination of the audit (POINT); repeatable")->allow_extra_args(false);
  verb->add_option("-n,--namespace", o->namespaces, "audit only pods of this namespace (a pattern); repeatable")->allow_extra_args(false);
  add_common_options(*verb, o->common, {"html"});
  verb->footer(std::string(kPointForms) + "\n\n" + kReportFooter);
  verb->callback([o, &status] { status = run_report(*o); });
}

}  // namespace egt::cli
