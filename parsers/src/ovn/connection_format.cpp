// `ovn-appctl -t ovn-controller connection-status`: whether ovn-controller is connected to the southbound database
// (ovn-controller(8)). Two words that any file could have, so the command has to say whose they are.
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "ovn/formats.h"
#include "support/lines.h"

namespace egt::parsers::ovn_text {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kConnected = "connected", kNotConnected = "not connected";

bool is_status(std::string_view line) { return line == kConnected || line == kNotConnected; }

bool is_of_controller(const Dump& dump) {
  return command_has(dump, "connection-status") && dump.command.find("ovn-controller") != std::string::npos;
}

Recognition recognise(const Dump& dump) {
  if (!is_of_controller(dump) || !is_status(trim(dump.text))) return {};
  return {70, dump.partial ? topic_of(dump, "connection-status", "connection-status") : "connection-status",
          dump.partial ? 1 : 10};
}

// Hands each status to `take`.
template <class Take>
void read_statuses(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    const std::string_view text = trim(line.text);
    if (text.empty())
      lines.ignored();
    else if (is_status(text))
      lines.understood(), take(text == kConnected, lines.at(line));
    else
      lines.not_understood(line, 1, "neither \"connected\" nor \"not connected\"");
  }
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_statuses(dump, report, [](bool, Provenance) {});
  out += dump.text;
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"connected", nullptr}};
  read_statuses(dump, report, [&](bool connected, Provenance) { document["connected"] = connected; });
  append_json(document.dump(2), out);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  read_statuses(dump, report, [&](bool connected, Provenance from) {
    node.ovn.controller = ovn::ControllerConnection{connected, from};
  });
}

}  // namespace

const Format& connection_format() {
  static constexpr Format kFormat = {
      "ovn-appctl connection-status", "ovn-appctl -t ovn-controller connection-status", recognise, reprint, to_json, load};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
