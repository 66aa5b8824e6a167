// egtrace pcap SNAPSHOT CAPTURE...: captured packets against the predicted sightings.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "command.h"
#include "counted.h"
#include "egtrace/explain/capture.h"
#include "egtrace/parsers/capture.h"
#include "egtrace/render/diagnostic.h"
#include "egtrace/render/pcap.h"
#include "kept.h"
#include "page.h"
#include "snapshot_options.h"
#include "text_options.h"

namespace egt::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPcapFooter =
    "CAPTURE is a file (pcap, pcapng, text of tcpdump or pwru, or events of retis; compressed or not), a directory of them, "
    "or NODE:DEVICE=FILE (NODE=FILE for pwru and retis). Without NODE:DEVICE the file's name says where it was taken "
    "(NODE__DEVICE.pcap, "
    "NODE/DEVICE.pcap), then the interfaces named in it, then the addresses in it. DEVICE `any` stands for all "
    "devices (tcpdump -i any). Flows with the same result, that differ only in source ports and addresses that no "
    "dump has, are shown once; -v shows each.\n"
    "\n"
    "Examples:\n"
    "  egtrace pcap ./dumps ./captures\n"
    "  egtrace pcap ./dumps worker-1:any=w1.pcap worker-2:br-ex=w2.pcapng --format json | jq '.flows[] | "
    "select(.fate==\"lost\")'\n"
    "  egtrace pcap ./dumps worker-1=retis.json worker-2=pwru.txt\n"
    "  egtrace pcap ./dumps ./captures --format html -o captures.html\n";

struct PcapOptions {
  CommonOptions common;
  SnapshotOptions snapshot;
  std::vector<std::string> captures;
};

struct Input {
  std::string path;
  std::optional<explain::CapturePlace> place;
  bool named = true;
};

// "NODE:DEVICE=FILE", where the whole is no file.
Input input_of(const std::string& text) {
  std::error_code ignored;
  if (text == "-" || fs::exists(text, ignored)) return {text, std::nullopt};
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.substr(0, equals).find(':');
  if (equals == std::string::npos) throw CommandError(fmt::format("{}: no such file; name a capture, or NODE:DEVICE=FILE", text));
  explain::CapturePlace place;
  place.node = text.substr(0, std::min(colon, equals));
  if (colon != std::string::npos) place.device = text.substr(colon + 1, equals - colon - 1);
  return {text.substr(equals + 1), place};
}

std::vector<Input> inputs_of(const std::vector<std::string>& arguments) {
  std::vector<Input> all;
  for (const std::string& argument : arguments) {
    const Input input = input_of(argument);
    std::error_code ignored;
    if (!fs::is_directory(input.path, ignored)) {
      all.push_back(input);
      continue;
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(input.path, fs::directory_options::skip_permission_denied, ignored))
      if (entry.is_regular_file(ignored)) files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (std::string& file : files) all.push_back({std::move(file), input.place, false});
  }
  return all;
}

void check_device(const cluster::Node& node, const std::string& device) {
  const host::Host& host = node.host;
  const bool is_known = device.empty() || device == "any" || host.link(device) != nullptr || node.port(device).port != nullptr;
  if (is_known || !host.links.present || host.links.partial) return;
  std::vector<std::string> names;
  for (const host::Link& link : host.links.value) names.push_back(link.name);
  throw CommandError(
      fmt::format("{} has no device {}; {}", node.name, device, did_you_mean(device, names, "`any` stands for all of them")));
}

void check_places(const std::vector<Input>& inputs, const cluster::Cluster& cluster) {
  std::vector<std::string> names;
  for (const auto& node : cluster.nodes) names.push_back(node->name);
  for (const Input& input : inputs) {
    if (!input.place) continue;
    const cluster::Node* node = cluster.node(input.place->node);
    if (node == nullptr)
      throw CommandError(fmt::format("the snapshot has no node {}; {}", input.place->node,
                                     did_you_mean(input.place->node, names, "`egtrace inspect` lists them")));
    check_device(*node, input.place->device);
  }
}

// Nothing that was captured could be explained.
ExitStatus status_of(std::size_t flows, std::size_t unexplained) {
  return flows > 0 && unexplained == flows ? ExitStatus::inconclusive : ExitStatus::done;
}

ExitStatus print_json(const PcapOptions& o, const explain::CaptureStudy& study, const cluster::Cluster& cluster) {
  OutputStream out(o.common);
  render::PcapJson json([&](std::string_view piece) { out.write(piece); });
  Counted counted(cluster);
  std::size_t flows = 0, unexplained = 0;
  const explain::CaptureAnalysis analysis =
      study.conclude(cluster, [&](const explain::CaptureAnalysis& so_far, explain::FlowReport flow) {
        counted.add_to(flow);
        if (flows++ == 0) json.begin(so_far.captures);
        unexplained += flow.fate == explain::Fate::unexplained ? 1 : 0;
        json.flow(flow);
      });
  if (flows == 0) json.begin(analysis.captures);
  json.end(analysis);
  out.finish();
  return status_of(flows, unexplained);
}

ExitStatus print_whole(const PcapOptions& o, const explain::CaptureStudy& study, const parsers::Snapshot& snapshot) {
  const cluster::Cluster& cluster = snapshot.cluster;
  auto& analysis =
      kept_to_the_end<explain::CaptureAnalysis>(o.common.verbose > 0 ? study.conclude(cluster) : study.conclude_alike(cluster));
  Counted counted(cluster);
  for (explain::FlowReport& flow : analysis.flows) counted.add_to(flow);
  if (o.common.format == "html")
    write_page("pcap", {.capture = &analysis}, snapshot, o.snapshot, o.common);
  else
    write_output(o.common, render::pcap_text(analysis, text_options(o.common)));
  const auto unexplained = std::count_if(analysis.flows.begin(), analysis.flows.end(),
                                         [](const explain::FlowReport& f) { return f.fate == explain::Fate::unexplained; });
  return status_of(analysis.flows.size(), static_cast<std::size_t>(unexplained));
}

// Lines of a text that are not understood, each under a caret.
void print_problems(const std::string& path, const capture::Capture& capture, std::size_t width) {
  for (const capture::LineProblem& p : capture.problems)
    print_error(render::diagnostic_text(
        {fmt::format("{}:{}{}: warning: {}; skipped", path, p.line, p.column == 0 ? "" : fmt::format(":{}", p.column), p.message),
         p.text, p.column},
        width));
}

ExitStatus run_pcap(const PcapOptions& o) {
  if (o.captures.empty()) throw CommandError("no capture given; name files, directories of them, or NODE:DEVICE=FILE");
  const std::vector<Input> inputs = inputs_of(o.captures);
  const parsers::Snapshot& snapshot = open_for_walks(o.snapshot, o.common);
  const cluster::Cluster& cluster = snapshot.cluster;
  check_places(inputs, cluster);
  explain::CaptureStudy& study = kept_to_the_end<explain::CaptureStudy>();
  std::size_t read = 0;
  for (const Input& input : inputs) {
    std::optional<std::size_t> id;  // a file that turns out to be no capture is not counted among them
    const auto file = [&] { return id ? *id : *(id = study.begin(input.path, input.place)); };
    const auto capture = parsers::read_capture_file(
        input.path, [&](const capture::Frame& frame) { study.take(file(), frame); },
        [&](const capture::KernelEvent& event) { study.take(file(), event); });
    if (!capture) {
      if (inputs.size() == 1) throw CommandError(fmt::format("{}: {}", input.path, capture.error().message));
      if (input.named && !o.common.quiet)
        print_error(fmt::format("egtrace: {}: {}; skipped\n", input.path, capture.error().message));
      continue;
    }
    study.end(file(), *capture);
    if (!o.common.quiet) print_problems(input.path, *capture, text_options(o.common).width);
    ++read;
  }
  if (read == 0)
    throw CommandError("none of these files is a capture; give pcap, pcapng, text of tcpdump or pwru, or events of retis");
  return o.common.format == "json" ? print_json(o, study, cluster) : print_whole(o, study, snapshot);
}

}  // namespace

void add_pcap(CLI::App& app, ExitStatus& status) {
  auto options = std::make_shared<PcapOptions>();
  CLI::App* verb =
      app.add_subcommand("pcap", "compare captured packets with the predicted path: what happened to each flow, and where");
  add_snapshot_options(*verb, options->snapshot);
  verb->add_option("captures", options->captures, "captures, directories of them, or NODE:DEVICE=FILE");
  add_common_options(*verb, options->common, {"text", "json", "html"});
  verb->footer(kPcapFooter);
  verb->callback([options, &status] {
    take_arguments_for(options->captures, options->snapshot);
    std::string only;
    if (options->captures.empty()) take_argument_for(only, options->snapshot);
    if (!only.empty()) options->captures.push_back(std::move(only));
    status = run_pcap(*options);
  });
}

}  // namespace egt::cli
