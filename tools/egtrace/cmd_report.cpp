// egtrace report SNAPSHOT -o CASE.html: one page to attach to a case.
#include <memory>

#include "command.h"
#include "packet_options.h"
#include "report_page.h"
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
    "  egtrace report must-gather.tar.gz --pair shop/cart-7d4b=192.0.2.10:443 --pair node:worker-1=svc:shop/cart:80 -o "
    "case.html\n"
    "  egtrace report ./dumps --namespace 'shop*' --paths 30 -o case.html\n"
    "\n"
    "Exit status: 0 done, 2 the call or an input is unusable.\n";

struct ReportOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  ReportChoice choice;
};

ExitStatus run_report(const ReportOptions& o) {
  const parsers::Snapshot& snapshot = open_for_report(o.snapshot, o.common);
  write_output(o.common, report_page(o.choice, snapshot, o.snapshot, o.common));
  return ExitStatus::done;
}

}  // namespace

void add_report(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<ReportOptions>();
  CLI::App* verb =
      app.add_subcommand("report", "write one page about a snapshot, to attach to a case: findings, topology, audit, paths");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  add_report_choice(*verb, o->choice);
  add_common_options(*verb, o->common, {"html"});
  verb->footer(std::string(kPointForms) + "\n\n" + kReportFooter);
  verb->callback([o, &status] { status = run_report(*o); });
}

}  // namespace egt::cli
