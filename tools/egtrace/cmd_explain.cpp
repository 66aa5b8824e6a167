// egtrace explain SNAPSHOT --from POINT --to POINT: what happens to a connection, and why.
#include <fmt/format.h>

#include <memory>

#include "answer.h"
#include "command.h"
#include "egtrace/assess/names.h"
#include "egtrace/explain/cross_check.h"
#include "egtrace/explain/explainer.h"
#include "egtrace/render/explain.h"
#include "packet_options.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

constexpr const char* kExplainFooter =
    "Examples:\n"
    "  egtrace explain ./dumps --from shop/cart-7d4b --to 192.0.2.10:443\n"
    "  egtrace explain ./dumps --from pod/cart-7d4b -n shop --to svc:shop/front:http\n"
    "  egtrace explain ./dumps --from node:worker-1 --to svc:shop/cart:80 -v\n"
    "  egtrace explain ./dumps --from 10.128.2.7 --to 192.0.2.10 --proto icmp --format json | jq .outcome\n"
    "  egtrace explain must-gather.tar.gz --from shop/cart-7d4b --to 192.0.2.10:443\n"
    "  egtrace explain ./dumps --from shop/cart-7d4b --to shop/front-1:8080 --cross-check\n"
    "  egtrace explain ./dumps --from shop/cart-7d4b --to 192.0.2.10 --at 2026-03-01T12:00:00Z\n";

struct ExplainOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  PacketOptions packet;
  bool cross_check = false;
};

// The same question, walked through logical flows on every node that has them.
explain::CrossCheck cross_check(const explain::Explainer& explainer, explain::Question question,
                                const explain::Explanation& realised) {
  question.as_intended = true;
  const auto intended = explainer.explain(question);
  if (!intended) throw CommandError(intended.error().message);
  return explain::cross_check(realised, *intended);
}

ExitStatus run_explain(const ExplainOptions& o) {
  explain::Question question = o.packet.question();
  question.near_misses = o.common.verbose;
  question.counters = true;
  SnapshotOptions nodes = o.snapshot;
  nodes.when_needed = true;
  nodes.as_intended = o.cross_check;
  const parsers::Snapshot& snapshot = open_for_walks(nodes, o.common);
  if (!o.packet.namespace_.empty())
    if (const auto unknown = assess::NameChecker(snapshot.cluster).unknown_namespace({o.packet.namespace_})) {
      if (!o.common.strict) warn_of_lines(snapshot, o.common);
      throw CommandError(unknown->message);
    }
  const explain::Explainer explainer(snapshot.cluster, &snapshot.collection);
  auto explanation = answer(explainer, question);
  if (!explanation && !o.common.strict) warn_of_lines(snapshot, o.common);
  if (!explanation) throw CommandError(explanation.error().message);
  if (o.cross_check) explanation->cross_check = cross_check(explainer, question, *explanation);
  if (!o.common.strict) warn_of_lines(snapshot, o.common);
  if (o.common.format == "json") {
    write_output(o.common, render::explain_json(*explanation));
  } else if (o.common.format == "html") {
    write_output(o.common, render::explain_html(*explanation));
  } else if (o.common.format == "mermaid") {
    write_output(o.common, render::explain_mermaid(*explanation));
  } else if (o.common.format == "dot") {
    write_output(o.common, render::explain_dot(*explanation));
  } else if (o.common.format == "svg") {
    write_output(o.common, render::explain_svg(*explanation));
  } else {
    write_output(o.common, render::explain_text(*explanation, text_options(o.common)));
  }
  return explanation->outcome == explain::Outcome::undecided ? ExitStatus::inconclusive : ExitStatus::done;
}

}  // namespace

void add_explain(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App* verb =
      app.add_subcommand("explain", "what happens to a connection, request and reply, with the dump line behind each step");
  add_snapshot_options(*verb, options->snapshot);
  add_at_option(*verb, options->snapshot);
  add_packet_options(*verb, options->packet);
  verb->add_flag("--cross-check", options->cross_check,
                 "walk the logical flows as well, and report the first stage in which a node's OpenFlow flows differ from them");
  add_common_options(*verb, options->common, {"text", "json", "html", "mermaid", "svg", "dot"});
  verb->footer(std::string(kPointForms) + kPointNamespace + "\n\n" + kExplainFooter);
  verb->callback([options, &status] { status = run_explain(*options); });
}

}  // namespace egt::cli
