// `ovs-appctl -t ovnsb_db.ctl cluster/status OVN_Southbound`: what a server of a clustered database knows of its cluster
// (ovsdb-server(1)).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "egtrace/base/text.h"
#include "ovn/formats.h"
#include "support/lines.h"

namespace egt::parsers::ovn_text {
namespace {

using StatusJson = nlohmann::ordered_json;

constexpr std::array<std::string_view, 16> kKeys = {"Name",        "Cluster ID",     "Server ID", "Address",
                                                    "Status",      "Role",           "Term",      "Leader",
                                                    "Vote",        "Election timer", "Log",       "Entries not yet committed",
                                                    "Connections", "Disconnections", "Servers",   "Entries not yet applied"};

// "Role: leader".
std::optional<std::pair<std::string_view, std::string_view>> key_and_value(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || line.starts_with(' ')) return std::nullopt;
  const std::string_view key = line.substr(0, colon);
  if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) return std::nullopt;
  return std::pair(key, trim(line.substr(colon + 1)));
}

// The server's own id stands alone in front of everything else.
bool is_server_id(std::string_view line) {
  return line.size() == 4 && std::all_of(line.begin(), line.end(), [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool is_known(std::string_view line) {
  return line.starts_with("    ") || line.starts_with("Last Election ") || is_server_id(line);  // a server of the list
}

// Hands each key with its value and line to `take`.
template <class Take>
void read_status(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    if (trim(line.text).empty()) {
      lines.ignored();
    } else if (const auto pair = key_and_value(line.text)) {
      lines.understood();
      take(pair->first, pair->second, lines.at(line));
    } else if (is_known(line.text)) {
      lines.understood();
    } else {
      lines.not_understood(line, 1, "no line of cluster/status");
    }
  }
}

std::string_view database_of(std::string_view text) {
  const std::size_t at = text.find("Name: ");
  return at == std::string_view::npos ? std::string_view() : text.substr(at + 6, text.find('\n', at) - at - 6);
}

Recognition recognise_status(const Dump& dump) {
  const std::string_view head = dump.text.substr(0, 1000);
  for (const std::string_view key : {"Name: ", "\nCluster ID: ", "\nServer ID: ", "\nRole: "})
    if (head.find(key) == std::string_view::npos) return {};
  return {90,
          fmt::format("cluster/status {}", dump.partial ? fmt::format("{}:{}", dump.path, dump.first_line) : database_of(head)),
          10};
}

void reprint_status(const Dump& dump, std::string& out, Report& report) {
  read_status(dump, report, [](std::string_view, std::string_view, Provenance) {});
  out += dump.text;
}

void status_to_json(const Dump& dump, std::string& out, Report& report) {
  StatusJson document = StatusJson::object();
  read_status(dump, report,
              [&](std::string_view key, std::string_view value, Provenance) { document[std::string(key)] = value; });
  append_json(document.dump(2, ' ', false, StatusJson::error_handler_t::replace), out);
}

void load_status(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  ovn::DatabaseServer server;
  bool has_status = false;
  read_status(dump, report, [&](std::string_view key, std::string_view value, Provenance from) {
    if (key == "Name") server.database = value;
    if (key == "Leader") server.has_leader = value != "unknown";
    if (key != "Status") return;
    has_status = true;
    server.is_member = value == "cluster member";
    server.from = from;
  });
  if (has_status) node.ovn.database_servers.push_back(std::move(server));
}

}  // namespace

const Format& cluster_status_format() {
  static constexpr Format kFormat = {"ovs-appctl cluster/status",
                                     "ovs-appctl -t ovnsb_db.ctl cluster/status OVN_Southbound",
                                     recognise_status,
                                     reprint_status,
                                     status_to_json,
                                     load_status};
  return kFormat;
}

}  // namespace egt::parsers::ovn_text
