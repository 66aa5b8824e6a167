#include "report_page.h"

#include <fmt/format.h>

#include "egtrace/assess/connections.h"
#include "egtrace/assess/names.h"
#include "egtrace/explain/cluster_map.h"
#include "egtrace/parsers/dump_copies.h"
#include "page.h"

namespace egt::cli {
namespace {

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

}  // namespace

void add_report_choice(CLI::App& verb, ReportChoice& choice) {
  verb.add_option("--pair", choice.pairs, "also the paths of this connection, two POINTs; repeatable")
      ->allow_extra_args(false)
      ->type_name("FROM=TO");
  verb.add_option("--paths", choice.paths, "connections whose paths are shown, besides those of --pair")
      ->check(CLI::Range(0, 500))
      ->capture_default_str();
  verb.add_option("--to", choice.to, "destination of the audit (POINT); repeatable")->allow_extra_args(false);
  verb.add_option("-n,--namespace", choice.namespaces, "audit only pods of this namespace (a pattern); repeatable")
      ->allow_extra_args(false);
}

const parsers::Snapshot& open_for_report(const SnapshotOptions& options, const CommonOptions& common) {
  SnapshotOptions with_logical_flows = options;
  with_logical_flows.as_intended = true;
  return open_for_walks(with_logical_flows, common);
}

std::string report_page(const ReportChoice& chosen, const parsers::Snapshot& snapshot, const SnapshotOptions& options,
                        const CommonOptions& common, const std::vector<std::string>* points) {
  assess::ConnectionOptions choice;
  choice.asked = pairs_of(chosen.pairs);
  choice.most = chosen.paths;
  choice.jobs = common.jobs;
  const assess::NameChecker names(snapshot.cluster);
  if (const auto unknown = names.unknown_namespace(chosen.namespaces)) throw CommandError(unknown->message);
  if (const auto unknown = names.unknown_place(chosen.to)) throw CommandError(unknown->message);
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  const assess::Triage triage = assess::triage(explainer, {}, parsers::dump_copies(snapshot.cluster, snapshot.collection));
  assess::AuditOptions audit;
  audit.to = chosen.to;
  audit.namespaces = chosen.namespaces;
  audit.jobs = common.jobs;
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
  report.points = points;
  return page_of(points != nullptr ? "serve" : "report", std::move(report), snapshot, options);
}

}  // namespace egt::cli
