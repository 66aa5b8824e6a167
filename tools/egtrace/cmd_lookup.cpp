// egtrace lookup SNAPSHOT THING: everything known of an address, a MAC, a cookie, a UUID, a name, a number.
#include <memory>

#include "command.h"
#include "egtrace/render/lookup.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kLookupFooter =
    "Objects are named as kubectl takes them, KIND/NAME or KIND/NAMESPACE/NAME, in any case and with short names (po, svc, ep, "
    "no, ns, eip, "
    "netpol, anp, banp); what nodes have because of them is shown as well: rows of OVN, flows, devices, policy rules, routes, "
    "rules of "
    "netfilter. A long lookup shows some matches of each kind; -v shows all, JSON always has them.\n"
    "\n"
    "Examples:\n"
    "  egtrace lookup ./dumps 10.133.0.9\n"
    "  egtrace lookup ./dumps EgressIP/billing-out\n"
    "  egtrace lookup ./dumps pod/cart-7d4b -n shop\n"
    "  egtrace lookup ./dumps 31999\n"
    "  egtrace lookup ./dumps group/12\n"
    "  egtrace lookup ./dumps 0x93f7000b\n"
    "  egtrace lookup ./dumps metadata=0x2\n"
    "  egtrace lookup ./dumps shop/cart-7d4b --format json | jq '.matches[].kind'\n"
    "\n"
    "Exit status: 0 found, 2 the call or an input is unusable, 3 nothing found.\n";

struct LookupOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::string object, namespace_;
};

ExitStatus run_lookup(const LookupOptions& o) {
  if (o.object.empty()) throw CommandError("thing to look up is required; see `egtrace lookup --help`");
  const parsers::Snapshot& snapshot = open_collection(o.snapshot, o.common);
  warn_of_moment(snapshot, o.common);
  const explain::Lookup result = explain::look_up(snapshot.cluster, o.object, o.namespace_);
  const ExitStatus status = result.matches.empty() ? ExitStatus::inconclusive : ExitStatus::done;
  if (o.common.format == "json") {
    write_output(o.common, render::lookup_json(result));
    return status;
  }
  write_output(o.common, render::lookup_text(result, text_options(o.common)));
  return status;
}

}  // namespace

void add_lookup(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<LookupOptions>();
  CLI::App* verb = app.add_subcommand("lookup", "show everything known of an IP, MAC, cookie, UUID, name or number");
  add_snapshot_options(*verb, options->snapshot);
  add_at_option(*verb, options->snapshot);
  verb->add_option(
      "thing", options->object,
      "IP, IP:PORT, MAC, cookie, UUID or its first digits, name of a pod, port, set, …, KIND/NAME, number, or FIELD=VALUE");
  verb->add_option("-n,--namespace", options->namespace_, "namespace of the object, where THING names none");
  add_common_options(*verb, options->common, {"text", "json"});
  verb->footer(kLookupFooter);
  verb->callback([options, &status] {
    take_argument_for(options->object, options->snapshot);
    status = run_lookup(*options);
  });
}

}  // namespace egt::cli
