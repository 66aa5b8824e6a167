// egtrace audit SNAPSHOT: which address the other end sees of every pod and node, and what decides it.
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "command.h"
#include "coverage.h"
#include "egtrace/assess/audit.h"
#include "egtrace/assess/names.h"
#include "egtrace/cluster/node_budget.h"
#include "egtrace/render/shard.h"
#include "memory.h"
#include "packet_options.h"
#include "page.h"
#include "results.h"
#include "shard_options.h"
#include "snapshot_options.h"

namespace egt::cli {
namespace {

constexpr const char* kAuditFooter =
    "Without --to every pod and node is asked about an address outside (of both families), a service (one with the "
    "fewest endpoints, as each is a path of its own) and another node. A LEAK is a path by which a pod that an "
    "egress object selects leaves with another address. OUTCOME is what the client sees: its reply is walked as "
    "well. `?` marks what is assumed.\n"
    "\n"
    "Examples:\n"
    "  egtrace audit ./dumps\n"
    "  egtrace audit ./dumps --namespace 'shop*' --to 192.0.2.10:443 --format csv -o audit.csv\n"
    "  egtrace audit ./dumps --format json | jq '.rows[] | select(.leak)'\n"
    "\n"
    "Exit status: 0 done (1 with --fail-on-leak and a leak), 2 the call or an input is unusable.\n";

struct AuditOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  assess::AuditOptions audit;
  AuditResultOptions result;
  std::string shard;
  std::uint64_t memory = 0;  // of nodes that are read; 0: memory_for_nodes()
};

// What else than the snapshot decides a shard's rows.
KeptOptions kept_options(const AuditOptions& o) {
  KeptOptions kept = o.result.kept();
  kept["to"] = fmt::format("{}", fmt::join(o.audit.to, ","));
  kept["namespace"] = fmt::format("{}", fmt::join(o.audit.namespaces, ","));
  kept["one-way"] = o.audit.one_way ? "yes" : "";
  return kept;
}

std::optional<Error> unknown_name(const cluster::Cluster& cluster, const cluster::NodeBudget& budget,
                                  const assess::AuditOptions& options) {
  if (options.namespaces.empty() && options.to.empty()) return std::nullopt;
  const assess::NameChecker names(cluster, budget);
  if (auto unknown = names.unknown_namespace(options.namespaces)) return unknown;
  return names.unknown_place(options.to);
}

ExitStatus run_audit(const AuditOptions& o) {
  const parsers::Snapshot& snapshot = open_for_walks(o.snapshot, o.common);
  warn_of_moment(snapshot, o.common);
  require_coverage(snapshot.cluster, "audit");
  warn_of_coverage(snapshot.cluster, o.common);
  const cluster::NodeBudget budget(o.memory != 0 ? o.memory : memory_for_nodes());
  budget.read_ahead(snapshot.cluster, o.common.jobs);
  if (const auto unknown = unknown_name(snapshot.cluster, budget, o.audit)) {
    if (!o.common.strict) warn_of_lines(snapshot, o.common);
    throw CommandError(unknown->message);
  }
  assess::AuditOptions options = o.audit;
  options.jobs = o.common.jobs;
  options.shard = shard_of(o.shard);
  auto rows = assess::audit(snapshot.cluster, &snapshot.collection, budget, options);
  if (!rows) throw CommandError(rows.error().message);
  if (!o.common.strict) warn_of_lines(snapshot, o.common);
  if (!o.shard.empty()) {
    write_output(
        o.common,
        render::shard_json(
            {{"audit", EGTRACE_VERSION, fingerprint(snapshot.cluster), kept_options(o), options.shard}, *std::move(rows), {}}));
    return ExitStatus::done;
  }
  const auto page = [&](const std::vector<assess::AuditRow>& shown) {
    write_page("audit", {.rows = &shown}, snapshot, o.snapshot, o.common);
  };
  return write_audit(*std::move(rows), o.result, o.common, page);
}

}  // namespace

void add_audit(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<AuditOptions>();
  o->snapshot.when_needed = true;
  CLI::App* verb = app.add_subcommand("audit", "list for every pod and node who leaves as whom; leaks first");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  verb->add_option("--to", o->audit.to, "destination (POINT); repeatable")->allow_extra_args(false);
  verb->add_option("-n,--namespace", o->audit.namespaces, "only pods of this namespace (a pattern); repeatable")
      ->allow_extra_args(false);
  verb->add_option("--only", o->result.only, "only rows that leak, fail or are undecided: leaks, failed, undecided")
      ->check(CLI::IsMember({"leaks", "failed", "undecided"}));
  verb->add_flag("--one-way", o->audit.one_way, "walk requests only, not their replies");
  verb->add_flag("--fail-on-leak", o->result.fail_on_leak, "exit status 1 where something leaks");
  add_shard_option(*verb, o->shard);
  verb->add_option(
          "--memory", o->memory,
          "memory for what is read of nodes, mapped files aside: beyond it nodes are dropped and read again when they are needed "
          "(default: half of the host's)")
      ->transform(CLI::AsSizeValue(false))
      ->type_name("SIZE");
  add_common_options(*verb, o->common, {"table", "json", "csv", "text", "html"});
  verb->footer(std::string(kPointForms) + "\n\n" + kAuditFooter);
  verb->callback([o, &status] { status = run_audit(*o); });
}

}  // namespace egt::cli
