// egtrace assert SNAPSHOT --from POINT --to POINT [--snat IP] …: one expectation, exit status 0 or 1.
#include <fmt/format.h>

#include <memory>

#include "command.h"
#include "egtrace/assess/check.h"
#include "egtrace/assess/names.h"
#include "egtrace/render/check.h"
#include "packet_options.h"
#include "snapshot_options.h"
#include "source_places.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kAssertFooter =
    "Several values of one option are alternatives; `!VALUE` excludes. --from and --to also take patterns "
    "(shop/*), and networks (10.128.0.0/14) for everything known in them. Without --outcome and --verdict the "
    "client must be answered.\n"
    "\n"
    "Examples:\n"
    "  egtrace assert ./dumps --from shop/cart-7d4b --to 192.0.2.10:443 --snat 198.51.100.7 --node worker-1\n"
    "  egtrace assert ./dumps --from 'shop/*' --to 169.254.169.254:80 --outcome refused --outcome unanswered\n"
    "  egtrace assert ./dumps --from shop/cart-7d4b --to 192.0.2.10 --contains chain:OVN-KUBE-EGRESS-IP-MULTI-NIC\n"
    "\n"
    "Exit status: 0 it holds, 1 it does not, 2 the call or an input is unusable, 3 the snapshot does not decide it.\n";

struct AssertOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  PacketOptions packet;
  std::vector<std::string> outcomes, verdicts, snat, dnat, nodes, devices, contains, avoids;
  bool assume_gaps = false;
  bool proto_given = false;  // otherwise "--to …/udp" may give it
};

expect::Expectation expectation(const AssertOptions& o) {
  const explain::Question q = o.packet.packet();  // checks the values
  expect::Expectation e;
  e.name = fmt::format("{} to {}", o.packet.from, o.packet.to);
  const auto place = [&](const std::string& text) { return expect::EndPattern{text, {}, {}, o.packet.namespace_}; };
  e.from = {place(o.packet.on_network(o.packet.from))};
  e.to = {place(o.packet.on_network(o.packet.to))};
  for (const std::string& name : o.verdicts) e.verdicts.push_back(*parse_verdict(name));  // checked by the options
  e.snat = o.snat;
  e.dnat = o.dnat;
  e.nodes = o.nodes;
  e.devices = o.devices;
  e.contains = o.contains;
  e.avoids = o.avoids;
  for (const std::string& name : o.outcomes) e.outcomes.push_back(*parse_outcome(name));
  if (o.proto_given) e.proto = q.proto;
  e.sport = o.packet.sport;
  e.dport = o.packet.dport;
  e.ttl = q.ttl;
  e.dscp = q.dscp;
  e.icmp_type = q.icmp_type;
  e.icmp_code = q.icmp_code;
  e.mark = q.mark;
  e.arrive_at = o.packet.arrive_at;
  e.in_dev = o.packet.in_dev;
  e.established = o.packet.established;
  e.use_conntrack = !o.packet.no_conntrack;
  return e;
}

// A place that nothing in an excerpt fits is the caller's mistake here.
void refuse_unknown_places(const assess::ExpectationReport& report) {
  if (report.cases.size() != 1) return;
  const assess::Judgement& j = report.cases.front().judgement;
  if (!j.holds && j.seen.empty() && j.gaps.empty() && j.evidence.empty()) throw CommandError(j.why);
}

void refuse_unknown_names(const AssertOptions& o, const expect::Expectation& e, const cluster::Cluster& cluster) {
  const assess::NameChecker names(cluster);
  if (!o.packet.namespace_.empty())
    if (const auto unknown = names.unknown_namespace({o.packet.namespace_})) throw CommandError(unknown->message);
  if (const auto mistake = names.mistake_in(e)) throw CommandError("--" + mistake->message);
}

ExitStatus run_assert(const AssertOptions& o) {
  const expect::Expectation e = expectation(o);
  const parsers::Snapshot& snapshot = open_for_walks(o.snapshot, o.common);
  warn_of_moment(snapshot, o.common);
  refuse_unknown_names(o, e, snapshot.cluster);
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  assess::CheckOptions options;
  options.assume_gaps = o.assume_gaps;
  const assess::ExpectationReport report = assess::check(explainer, e, options);
  refuse_unknown_places(report);
  if (o.common.format == "json") {
    write_output(o.common, render::assert_json(report));
  } else if (o.common.format == "github") {
    write_output(o.common, render::check_github({report}, source_places("", &o.snapshot)));
  } else if (o.common.format == "gitlab") {
    write_output(o.common, render::check_gitlab({report}, source_places("", &o.snapshot)));
  } else {
    write_output(o.common, render::check_text({report}, text_options(o.common)));
  }
  return !report.overall.holds ? ExitStatus::inconclusive : *report.overall.holds ? ExitStatus::done : ExitStatus::failed;
}

}  // namespace

void add_assert(CLI::App& app, ExitStatus& status) {
  auto o = std::make_shared<AssertOptions>();
  CLI::App* verb = app.add_subcommand("assert", "hold one expectation against what a packet does: exit status 0 or 1");
  add_snapshot_options(*verb, o->snapshot);
  add_at_option(*verb, o->snapshot);
  add_packet_options(*verb, o->packet);
  const auto list = [&](const char* name, std::vector<std::string>& values, const char* what) {
    return verb->add_option(name, values, what)->allow_extra_args(false);
  };
  list("--outcome", o->outcomes, "answered, refused, unanswered (default without --verdict: answered)")
      ->check(CLI::IsMember({"answered", "refused", "unanswered", "mixed", "undecided"}));
  list("--verdict", o->verdicts, "of the request alone: delivered, dropped, rejected")
      ->check(CLI::IsMember({"delivered", "dropped", "rejected", "inconclusive"}));
  list("--snat", o->snat, "source that the receiver sees: IP, CIDR, IP:PORT, or none");
  list("--dnat", o->dnat, "destination that the receiver sees: IP, CIDR, IP:PORT, or none");
  list("--node", o->nodes, "node by which it leaves the cluster, else where it ends");
  list("--device", o->devices, "device by which it leaves");
  list("--contains", o->contains, "on the path: node:, device:, stage:, table:, chain:, rule: NAME, or a bare NAME");
  list("--avoids", o->avoids, "not on the path");
  verb->add_flag("--assume-gaps", o->assume_gaps, "what the snapshot lacks changes nothing");
  add_common_options(*verb, o->common, {"text", "json", "github", "gitlab"});
  verb->footer(std::string(kPointForms) + kPointNamespace + "\n\n" + kAssertFooter);
  verb->callback([o, verb, &status] {
    o->proto_given = verb->count("--proto") > 0;
    status = run_assert(*o);
  });
}

}  // namespace egt::cli
