// `ovn-appctl -t ovn-controller connection-status`: whether ovn-controller is connected to the southbound database
// (ovn-controller(8)), or that ovn-appctl did not reach it. Words that any file could have, so the command has to show whose
// they are.
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "ovn/formats.h"
#include "ovn/out_of_reach.h"
#include "support/lines.h"

namespace egt::parsers::ovn_text {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kConnected = "connected", kNotConnected = "not connected";

bool is_status(std::string_view line) { return line == kConnected || line == kNotConnected; }

// Neither pidfile nor socket: `ovn-appctl: cannot read pidfile "…" (No such file or directory)`, `cannot connect to "…"`.
bool is_out_of_reach(std::string_view line) {
  const std::size_t colon = line.find("-appctl: cannot ");
  return colon != std::string_view::npos && colon <= 3 && line.ends_with(')');
}

// The line before that error is ovn-appctl's own log of it.
bool is_log(std::string_view line) { return line.find("|WARN|") != std::string_view::npos; }

bool is_of_controller(const Dump& dump) {
  return command_has(dump, "connection-status") && dump.command.find("ovn-controller") != std::string::npos;
}

Recognition recognise(const Dump& dump) {
  if (!is_of_controller(dump)) return {};
  if (!is_status(trim(dump.text)) && !is_controller_out_of_reach(dump)) return {};
  return {70, dump.partial ? topic_of(dump, "connection-status", "connection-status") : "connection-status",
          dump.partial ? 1 : 10};
}

// Hands each status to `take`: whether it is connected, whether it was reached.
template <class Take>
void read_statuses(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    const std::string_view text = trim(line.text);
    const bool out_of_reach = is_out_of_reach(text);
    if (text.empty() || is_log(text))
      lines.ignored();
    else if (out_of_reach || is_status(text))
      lines.understood(), take(text == kConnected, !out_of_reach, lines.at(line));
    else
      lines.not_understood(line, 1, "neither \"connected\" nor \"not connected\"");
  }
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_statuses(dump, report, [](bool, bool, Provenance) {});
  out += dump.text;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"connected", nullptr}};
  read_statuses(dump, report, [&](bool connected, bool reached, Provenance) {
    document["connected"] = reached ? Json(connected) : Json(nullptr);
  });
  append_json(document.dump(2), out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  read_statuses(dump, report, [&](bool connected, bool reached, Provenance from) {
    node.ovn.controller = ovn::ControllerConnection{connected, reached, from};
  });
}

}  // namespace

bool is_controller_out_of_reach(const Dump& dump) {
  const std::string_view text = trim(dump.text);
  return is_of_controller(dump) && is_out_of_reach(text.substr(text.rfind('\n') + 1));
}

const Format& connection_format() {
  static constexpr Format kFormat = {
      "ovn-appctl connection-status", "ovn-appctl -t ovn-controller connection-status", recognise, reprint, to_json, load};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
