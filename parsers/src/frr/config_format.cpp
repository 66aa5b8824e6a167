// FRR's configuration: vtysh -c "show running-config", /etc/frr/frr.conf. It says what a router was told, not what it does:
// nothing of it decides a packet's way; it is read so that it can be printed, searched and held against the routes.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "frr/formats.h"
#include "support/lines.h"

namespace egt::parsers::frr {
namespace {

using Json = nlohmann::ordered_json;

struct ConfigLine {
  std::size_t depth = 0;                 // blanks in front
  std::string text;
};

bool is_comment(std::string_view text) {
  const std::string_view t = trim(text);
  return t.empty() || t.starts_with("!") || t.starts_with("#") || t == "Building configuration..." || t == "Current configuration:";
}

bool closes(std::string_view text) { return text == "exit" || text == "end" || text.starts_with("exit-"); }

// Words that begin a command of FRR's configuration at its outermost level; another one is not understood.
bool is_command(std::string_view text) {
  static constexpr std::string_view kWords[] = {
      "frr", "hostname", "log", "service", "router", "ip", "ipv6", "interface", "line", "no", "neighbor", "address-family", "route-map", "access-list",
      "bfd", "vrf", "password", "enable", "debug", "bgp", "rpki", "segment-routing", "pbr-map", "nexthop-group", "key", "mpls", "zebra", "agentx",
      "domainname", "banner", "fpm", "allow-external-route-update", "table", "key-chain", "username"};
  const std::string_view word = text.substr(0, text.find(' '));
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords);
}

std::string print_line(const ConfigLine& line) { return std::string(line.depth, ' ') + line.text; }

// Calls take(line, command) for each line; comments and blank lines have no command.
template <class Take>
void read_lines(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  for (Line line; reader.next(line);) {
    ConfigLine c{line.text.size() - trim_left(line.text).size(), std::string(trim(line.text))};
    const bool comment = is_comment(line.text), known = c.depth > 0 || closes(c.text) || is_command(c.text);
    if (comment) lines.ignored();
    else if (known) lines.understood();
    else lines.not_understood(line, 1, "no command of FRR's configuration");
    take(line, !comment && known ? &c : nullptr);
  }
}

Recognition recognise(const Dump& dump) {
  const std::string_view head = dump.text.substr(0, 2000);
  const bool version = head.find("frr version ") != std::string_view::npos || head.find("frr defaults ") != std::string_view::npos;
  const bool by_name = command_has(dump, "show running-config") || dump.path.ends_with("/frr.conf") || dump.path == "frr.conf";
  if (!version && !(by_name && head.find("\nrouter ") != std::string_view::npos)) return {};
  return {version ? 96 : 80, "frr configuration", by_name ? 90 : 50};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_lines(dump, report, [&](const Line& line, const ConfigLine* command) {
    const std::string printed = command != nullptr ? print_line(*command) : std::string();
    out += command != nullptr && printed == line.text ? std::string_view(printed) : line.text;   // a tab, blanks at the end
    out += line.end;
  });
}

// Commands in order; what is indented below one is in its "inside".
void to_json(const Dump& dump, std::string& out, Report& report) {
  struct Level { std::size_t depth; Json* list; };
  Json document{{"commands", Json::array()}};
  std::vector<Level> levels{{0, &document["commands"]}};
  constexpr std::size_t kDeepest = 16;
  read_lines(dump, report, [&](const Line&, const ConfigLine* command) {
    if (command == nullptr || closes(command->text)) return;
    const ConfigLine& c = *command;
    while (levels.size() > 1 && c.depth < levels.back().depth) levels.pop_back();
    if (c.depth > levels.back().depth && !levels.back().list->empty() && levels.size() < kDeepest) {
      Json& parent = levels.back().list->back();
      parent["inside"] = Json::array();
      levels.push_back({c.depth, &parent["inside"]});
    }
    levels.back().list->push_back({{"command", c.text}});
  });
  out += document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node&, Report& report) {
  read_lines(dump, report, [](const Line&, const ConfigLine*) {});
}

}  // namespace

const Format& config_format() {
  static const Format format{"vtysh show running-config", "vtysh -c 'show running-config'", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::frr

namespace egt::parsers {

std::span<const Format> frr_formats() {
  static const std::vector<Format> formats{frr::route_text_format(), frr::route_json_format(), frr::bgp_text_format(), frr::bgp_json_format(),
                                           frr::config_format()};
  return formats;
}

}  // namespace egt::parsers
