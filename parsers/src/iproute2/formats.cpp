// ip rule, route, neigh, addr and link as formats of the parsers' registry, each as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "egtrace/base/text.h"
#include "egtrace/parsers/format.h"
#include "iproute2/bridge.h"
#include "iproute2/json.h"
#include "iproute2/lower.h"

namespace egt::parsers {
namespace {

using namespace iproute2;

constexpr std::size_t kLinesLookedAt = 200;

bool is_json(const Dump& dump) { return trim_left(dump.text).starts_with("["); }
bool is_blank_dump(const Dump& dump) { return dump.text.size() < 4096 && trim(dump.text).empty(); }

// Whether the command is "ip [options] OBJECT": the object in any of its short forms.
// vtysh's "show ip route" names an ip route as well: the program must be ip itself.
bool is_ip_command(const Dump& dump) {
  std::string_view program = dump.command;
  program = program.substr(0, program.find_first_of(" _"));
  return program == "ip" || program.ends_with("/ip");
}

bool called(const Dump& dump, std::initializer_list<std::string_view> names) {
  return is_ip_command(dump) &&
         std::any_of(names.begin(), names.end(), [&](std::string_view n) { return command_has(dump, fmt::format("ip {}", n)); });
}

// Share of the first lines that `fits` knows, in percent.
template <class Fits>
int share(const Dump& dump, Fits fits) {
  const auto lines = first_lines(dump, kLinesLookedAt);
  if (lines.empty()) return 0;
  const auto good = std::count_if(lines.begin(), lines.end(), fits);
  return static_cast<int>(good * 100 / static_cast<std::ptrdiff_t>(lines.size()));
}

int confidence_of(const Dump& dump, int share, bool by_name, JsonKind kind) {
  if (is_blank_dump(dump)) return by_name ? 60 : 0;
  if (is_json(dump)) {
    const auto document = parse_json(dump.text);
    if (!document || !document->array()) return by_name ? 15 : 0;
    if (document->array()->empty()) return by_name ? 60 : 0;
    return kind_of(*document) == kind ? 96 : 0;
  }
  if (share == 0) return by_name ? 10 : 0;
  return std::min(97, 40 + share / 2 + (by_name ? 7 : 0));
}

std::string own_topic(const Dump& dump, std::string_view topic) {
  return fmt::format("{} {}:{}", topic, dump.path, dump.first_line);
}

bool is_narrow(const Dump& dump) { return dump.partial || !narrowing_words(dump).empty(); }

// ip ends every line; without the last end something may be missing.
bool is_cut(const Dump& dump, Report& report) {
  if (dump.text.empty() || dump.text.ends_with('\n')) return false;
  report.diagnostics.push_back(
      {Diagnostic::Severity::note, {dump.source, 0}, 0, "the last line has no end: the dump may have been cut", {}});
  return true;
}

// A JSON dump that could not be read: reported once, for its first line.
std::optional<JsonValue> json_of(const Dump& dump, Report& report) {
  auto document = parse_json(dump.text);
  const std::uint32_t lines = count_lines(dump.text);
  report.lines += lines;
  if (document && document->array()) {
    report.understood += lines;
    return document;
  }
  const Provenance at{dump.source, dump.first_line};
  report.not_understood.push_back(at);
  report.ignored += lines > 0 ? lines - 1 : 0;
  report.diagnostics.push_back({Diagnostic::Severity::warning, at, 0, "the JSON is cut or malformed", "take the dump again"});
  return std::nullopt;
}

template <LineParser parser, bool joined>
void reprint(const Dump& dump, std::string& out, Report& report) {
  if (!is_json(dump)) return print_text(parse_text(dump, parser, joined, report), out);
  const auto document = json_of(dump, report);
  out += document ? print_json(*document, dump.text) : std::string(dump.text);
}

using JsonEntries = std::vector<Entry> (*)(const JsonValue&, std::uint32_t, Report&, SourceId);

// True when all of the dump was read.
template <LineParser parser, JsonEntries from_json>
bool read(const Dump& dump, Report& report, const EntrySink& sink) {
  if (is_json(dump)) {
    const auto document = json_of(dump, report);
    if (!document) return false;
    for (const Entry& e : from_json(*document, dump.first_line, report, dump.source)) sink(e);
    return true;
  }
  read_entries(dump, parser, report, sink);
  return report.not_understood.empty() && !is_cut(dump, report);
}

template <LineParser parser, JsonEntries from_json>
std::vector<Entry> all_entries(const Dump& dump, Report& report) {
  std::vector<Entry> entries;
  read<parser, from_json>(dump, report, [&](const Entry& e) { entries.push_back(e); });
  return entries;
}

// Puts a dump's facts into their part. An excerpt adds to other excerpts and never replaces a whole dump.
template <class T>
void put(host::Part<std::vector<T>>& part, std::vector<T> facts, bool partial, Provenance from) {
  if (!partial || !part.present) {
    part = {true, partial, std::move(facts), from};
    return;
  }
  if (!part.partial) return;
  part.value.insert(part.value.end(), std::make_move_iterator(facts.begin()), std::make_move_iterator(facts.end()));
}

// ---- rules

Recognition recognise_rules(const Dump& dump) {
  const bool by_name = called(dump, {"rule", "ru", "rules"});
  const int confidence = confidence_of(dump, share(dump, is_rule_line), by_name, JsonKind::rules);
  if (confidence == 0) return {};
  Report unused;
  bool v6 = command_is_v6(dump);
  read<parse_rule_line, rule_entries>(
      dump, unused, [&](const Entry& e) { v6 = v6 || is_v6_text(e.words.text("from")) || is_v6_text(e.words.text("to")); });
  const std::string topic = v6 ? "ip rule v6" : "ip rule v4";
  return {confidence, is_narrow(dump) ? own_topic(dump, topic) : topic, is_json(dump) ? 80 : 100};
}

void load_rules(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  RuleList rules(dump, command_is_v6(dump));
  const bool whole = read<parse_rule_line, rule_entries>(dump, report, [&](const Entry& e) { rules.add(e); });
  std::vector<host::PolicyRule> list = rules.take();
  // Pasted lines without a command are an excerpt unless they begin where the list begins.
  const bool begins = !list.empty() && list.front().priority == 0;
  const bool partial = is_narrow(dump) || !whole || (dump.command.empty() && !begins);
  put(rules.is_v6() ? node.host.rules_v6 : node.host.rules_v4, std::move(list), partial, {dump.source, 0});
}

void rules_to_json(const Dump& dump, std::string& out, Report& report) {
  out += entries_json("ip rule", all_entries<parse_rule_line, rule_entries>(dump, report));
}

// ---- routes

// "7" of "ip route show table 7"; empty when all or none is named.
std::string table_of_command(const Dump& dump) {
  const auto narrow = narrowing_words(dump);
  return narrow.size() == 1 && command_has(dump, fmt::format("table {}", narrow[0])) ? narrow[0] : "";
}

bool command_shows_all(const Dump& dump) { return command_has(dump, "table all") || command_has(dump, "table 0"); }

// The main table alone does not show what other tables hold.
bool routes_are_partial(const Dump& dump, bool whole, bool shows_local) {
  return is_narrow(dump) || !whole || !(command_shows_all(dump) || shows_local);
}

Recognition recognise_routes(const Dump& dump) {
  const bool by_name = called(dump, {"route", "r", "ro"}) && !command_has(dump, "route get");
  const auto fits = [](std::string_view line) {
    TextLine parsed;
    if (line.starts_with("\t")) parse_route_line(line, parsed);
    return parsed.kind == LineKind::continuation || (is_route_line(line) && !is_neighbour_line(line));
  };
  const int confidence = confidence_of(dump, share(dump, fits), by_name, JsonKind::routes);
  if (confidence == 0) return {};
  Report unused;
  RouteList routes(dump, command_is_v6(dump), "main");
  bool v4 = false, any = false, shows_local = false, exceptions = false;
  read<parse_route_line, route_entries>(dump, unused, [&](const Entry& e) {
    any |= routes.add(e);
    v4 |= !routes.v4.empty();
    shows_local |= routes.shows_local;
    exceptions |= !routes.path_mtus.empty();
    routes.v4.clear();
    routes.v6.clear();
    routes.path_mtus.clear();
  });
  const bool v6 = any ? !v4 : command_is_v6(dump);
  const std::string topic = v6 ? "ip route v6" : "ip route v4";
  const int quality = (command_shows_all(dump) || shows_local ? 90 : 20) + (is_json(dump) ? 0 : 10);
  exceptions = exceptions && !any;  // they stand beside the tables
  return {confidence, exceptions || is_narrow(dump) ? own_topic(dump, topic) : topic, quality};
}

void load_routes(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  const std::string table = table_of_command(dump);
  RouteList routes(dump, command_is_v6(dump), table.empty() ? "main" : table);
  const bool whole = read<parse_route_line, route_entries>(dump, report, [&](const Entry& e) { routes.add(e); });
  const bool partial = routes_are_partial(dump, whole, routes.shows_local);
  std::vector<host::Route>&v4 = routes.v4, &v6 = routes.v6;
  std::vector<host::PathMtu>& learned = routes.path_mtus;
  const bool shows_tables = learned.empty() || !v4.empty() || !v6.empty();
  std::move(learned.begin(), learned.end(), std::back_inserter(node.host.path_mtus));
  if (!shows_tables) return;
  // A dump of one family shows nothing of the other; "table all" without -4 and -6 shows both.
  const bool both = command_shows_all(dump) && !command_is_v4(dump) && !command_is_v6(dump);
  const Provenance from{dump.source, 0};
  if (!v4.empty() || both || !command_is_v6(dump)) {
    if (!v4.empty() || v6.empty() || both) put(node.host.routes_v4, std::move(v4), partial, from);
  }
  if (!v6.empty() || both || command_is_v6(dump)) put(node.host.routes_v6, std::move(v6), partial, from);
}

void routes_to_json(const Dump& dump, std::string& out, Report& report) {
  out += entries_json("ip route", all_entries<parse_route_line, route_entries>(dump, report));
}

// ---- neighbours

Recognition recognise_neighbours(const Dump& dump) {
  const bool by_name = called(dump, {"neigh", "n", "neighbor", "neighbour"});
  const int confidence = confidence_of(dump, share(dump, is_neighbour_line), by_name, JsonKind::neighbours);
  if (confidence == 0) return {};
  const int quality = is_json(dump) ? 80 : command_has(dump, "ip -s") ? 100 : 90;
  const bool narrow = is_narrow(dump) || command_is_v4(dump) || command_is_v6(dump);
  return {confidence, narrow ? own_topic(dump, "ip neigh") : "ip neigh", quality};
}

void load_neighbours(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<host::Neighbour> neighbours;
  const bool whole = read<parse_neighbour_line, neighbour_entries>(dump, report, [&](const Entry& e) {
    if (auto n = lower_neighbour(e, dump.source)) neighbours.push_back(std::move(*n));
  });
  const bool partial = is_narrow(dump) || !whole || command_is_v4(dump) || command_is_v6(dump) || dump.command.empty();
  put(node.host.neighbours, std::move(neighbours), partial, {dump.source, 0});
}

void neighbours_to_json(const Dump& dump, std::string& out, Report& report) {
  out += entries_json("ip neigh", all_entries<parse_neighbour_line, neighbour_entries>(dump, report));
}

// ---- devices and their addresses

struct LinkTraits {
  bool addresses = false;  // ip addr rather than ip link
  bool all_links = true;   // ip -o addr and ip -4 addr leave out devices without addresses
  bool details = false;    // -d
  bool flags = true;
};

LinkTraits link_traits(const Dump& dump) {
  LinkTraits t;
  if (is_json(dump)) {
    t.addresses = dump.text.find("\"addr_info\"") != std::string_view::npos;
    t.details = dump.text.find("\"linkinfo\"") != std::string_view::npos;
    return t;
  }
  bool link = false;
  for (const std::string_view line : first_lines(dump, kLinesLookedAt)) {
    if (is_link_header(line) && line.find(" <") == std::string_view::npos) t.addresses = true, t.all_links = t.flags = false;
    if (line.find(" mode DEFAULT") != std::string_view::npos || line.find(" mode DORMANT") != std::string_view::npos) link = true;
    const std::string_view text = trim_left(line);
    if (text.starts_with("inet ") || text.starts_with("inet6 ")) t.addresses = true;
    if (text.find("promiscuity") != std::string_view::npos) t.details = true;
    if (!is_blank(line[0]) && is_brief_link_line(line)) {
      const auto parts = words(line);
      t.flags = false;
      if (parts.size() > 2) (Prefix::parse(parts[2]) && !MacAddr::parse(parts[2]) ? t.addresses : link) = true;
    }
  }
  if (!link && called(dump, {"addr", "a", "address"})) t.addresses = true;
  return t;
}

Recognition recognise_links(const Dump& dump, bool addresses) {
  const bool by_name = addresses ? called(dump, {"addr", "a", "address"}) : called(dump, {"link", "l", "li"});
  const auto fits = [](std::string_view line) { return is_link_line(line.substr(0, line.find('\\'))); };
  const auto lines = first_lines(dump, kLinesLookedAt);
  const bool heads =
      std::any_of(lines.begin(), lines.end(), [](std::string_view l) { return is_link_header(l) || is_brief_link_line(l); });
  const int confidence = confidence_of(dump, heads ? share(dump, fits) : 0, by_name, JsonKind::links);
  const LinkTraits t = link_traits(dump);
  if (confidence == 0 || (confidence > 60 && t.addresses != addresses)) return {};
  const std::string topic = addresses ? "ip addr" : "ip link";
  const int quality = (t.flags ? 50 : 20) + (t.details ? 30 : 0) + (is_json(dump) ? 0 : 10);
  const bool narrow = is_narrow(dump) || command_is_v4(dump) || command_is_v6(dump);
  return {confidence, narrow ? own_topic(dump, topic) : topic, quality};
}
Recognition recognise_addr(const Dump& dump) { return recognise_links(dump, true); }
Recognition recognise_link(const Dump& dump) { return recognise_links(dump, false); }

template <class T>
void set_if_shown(T& into, T& from) {
  if (from != T{}) into = std::move(from);
}

// What one dump does not show of a device, another may.
void merge_link(host::Link& into, host::Link&& from) {
  set_if_shown(into.index, from.index);
  set_if_shown(into.peer, from.peer);
  set_if_shown(into.flags, from.flags);
  set_if_shown(into.mtu, from.mtu);
  set_if_shown(into.master, from.master);
  set_if_shown(into.state, from.state);
  set_if_shown(into.group, from.group);
  set_if_shown(into.link_type, from.link_type);
  into.mac_disputed |= into.mac && from.mac && *into.mac != *from.mac;
  set_if_shown(into.mac, from.mac);
  set_if_shown(into.kind, from.kind);
  set_if_shown(into.mode, from.mode);
  set_if_shown(into.queue, from.queue);
  into.has_program |= from.has_program;
  into.filters_vlans |= from.filters_vlans;
  set_if_shown(into.port_state, from.port_state);
  set_if_shown(into.leg_state, from.leg_state);
  set_if_shown(into.active_leg, from.active_leg);
  set_if_shown(into.vlan_id, from.vlan_id);
  if (from.vlan_protocol != host::Link{}.vlan_protocol) into.vlan_protocol = from.vlan_protocol;
  set_if_shown(into.vrf_table, from.vrf_table);
  for (host::Address& a : from.addresses) {
    const bool known =
        std::any_of(into.addresses.begin(), into.addresses.end(), [&](const host::Address& b) { return b.prefix == a.prefix; });
    if (!known) into.addresses.push_back(std::move(a));
  }
}

// The kernel never gives an index again while it runs.
void note_other_names(std::vector<host::Link>& links, std::size_t known) {
  std::vector<std::uint32_t> by_index(known);
  std::iota(by_index.begin(), by_index.end(), 0);
  const auto index_of = [&](std::uint32_t i) { return links[i].index; };
  std::ranges::stable_sort(by_index, {}, index_of);
  for (std::size_t i = known; i < links.size(); ++i) {
    const auto same = std::ranges::lower_bound(by_index, links[i].index, {}, index_of);
    if (links[i].index != 0 && same != by_index.end() && index_of(*same) == links[i].index && links[*same].name != links[i].name)
      links[*same].other_with_index = links[i].name;
  }
}

// Of a name the first stays, with what the others add.
void merge_same_names(std::vector<host::Link>& links) {
  std::vector<std::uint32_t> by_name(links.size());
  std::iota(by_name.begin(), by_name.end(), 0);
  std::ranges::stable_sort(by_name, {}, [&](std::uint32_t i) -> const std::string& { return links[i].name; });
  std::vector<bool> merged(links.size());
  for (std::size_t i = 0, first = 0; i < by_name.size(); ++i) {
    if (links[by_name[i]].name != links[by_name[first]].name) first = i;
    if (i != first) merge_link(links[by_name[first]], std::move(links[by_name[i]])), merged[by_name[i]] = true;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (!merged[i] && kept++ != i) links[kept - 1] = std::move(links[i]);
  links.resize(kept);
}

std::vector<host::Link> read_links(const Dump& dump, Report& report, bool& whole) {
  if (is_json(dump)) {
    const auto document = json_of(dump, report);
    whole = document.has_value();
    return document ? json_links(*document, dump.source, dump.first_line) : std::vector<host::Link>{};
  }
  auto links = read_link_lines(dump, report);
  merge_same_names(links);
  whole = report.not_understood.empty() && !is_cut(dump, report);
  return links;
}

void merge_links(std::vector<host::Link>& into, std::vector<host::Link> from) {
  const std::size_t known = into.size();
  if (known < from.size()) {  // a long list is not copied for a few
    from.insert(from.begin(), std::make_move_iterator(into.begin()), std::make_move_iterator(into.end()));
    into = std::move(from);
  } else {
    into.insert(into.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  }
  if (known > 0) note_other_names(into, known);
  merge_same_names(into);
}

void load_links(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  bool whole = true;
  auto links = read_links(dump, report, whole);
  const LinkTraits t = link_traits(dump);
  const bool narrow = is_narrow(dump) || !whole || command_is_v4(dump) || command_is_v6(dump) || dump.command.empty();
  host::Host& host = node.host;
  merge_links(host.links.value, std::move(links));
  host.link_list_complete = host.link_list_complete || (!narrow && t.all_links);
  host.address_list_complete = host.address_list_complete || (!narrow && t.addresses);
  if (!host.links.present) host.links.from = {dump.source, 0};
  host.links.present = true;
  host.links.partial = !(host.link_list_complete && host.address_list_complete);
}

template <bool addresses>
void links_to_json(const Dump& dump, std::string& out, Report& report) {
  bool whole = true;
  out += links_json(addresses ? "ip addr" : "ip link", read_links(dump, report, whole));
}

// ---- bridges and next hop objects

// `head`: the table's, whose lines are otherwise like many others'.
Recognition recognise_other(const Dump& dump, const char* topic, bool by_name, const char* head, bool (*fits)(std::string_view),
                            JsonKind kind) {
  const auto lines = first_lines(dump, kLinesLookedAt);
  const bool is_of_table =
      head == nullptr || (!lines.empty() && is_bridge_table_head(lines.front()) && lines.front().starts_with(head));
  const int confidence = confidence_of(dump, is_of_table ? share(dump, fits) : 0, by_name, kind);
  if (confidence == 0) return {};
  const bool narrow = dump.partial || command_has(dump, "dev") || command_has(dump, "br");
  return {confidence, narrow ? own_topic(dump, topic) : topic, is_json(dump) ? 80 : 90};
}

bool is_table_line(std::string_view text) {
  TextLine line;
  parse_bridge_line(text, line);
  return line.kind == LineKind::ignored || line.words.all_known();
}

Recognition recognise_bridge_vlans(const Dump& dump) {
  const bool tunnels = command_has(dump, "bridge vlan tunnelshow");
  return recognise_other(dump, tunnels ? "bridge vlan tunnelshow" : "bridge vlan", command_has(dump, "bridge vlan"), "port",
                         is_table_line, JsonKind::bridge_vlans);
}
Recognition recognise_vnis(const Dump& dump) {
  return recognise_other(dump, "bridge vni", command_has(dump, "bridge vni"), "dev", is_table_line, JsonKind::vnis);
}
Recognition recognise_forwarding(const Dump& dump) {
  return recognise_other(dump, "bridge fdb", command_has(dump, "bridge fdb"), nullptr, is_forwarding_line, JsonKind::forwarding);
}
Recognition recognise_next_hops(const Dump& dump) {
  return recognise_other(dump, "ip nexthop", called(dump, {"nexthop", "nh"}), nullptr, is_next_hop_line, JsonKind::next_hops);
}

void load_nothing(const Dump& dump, cluster::Cluster&, cluster::Node&, Report& report) {
  read<parse_bridge_line, object_entries>(dump, report, [](const Entry&) {});
}

void objects_to_json(const Dump& dump, std::string& out, Report& report) {
  out += entries_json("entries", all_entries<parse_bridge_line, object_entries>(dump, report));
}

void load_bridged_vlans(const Dump& dump, cluster::Cluster& cluster, cluster::Node& node, Report& report) {
  const bool of_tunnels =
      dump.text.find("tunnel-id") != std::string_view::npos || dump.text.find("\"tunnels\"") != std::string_view::npos;
  if (of_tunnels || command_has(dump, "bridge vlan tunnelshow")) return load_nothing(dump, cluster, node, report);
  std::vector<host::BridgedVlans> all;
  const bool whole = read<parse_bridge_line, object_entries>(dump, report, [&](const Entry& e) {
    lower_bridged_vlans(e, {dump.source, e.line}, !is_json(dump), all);
  });
  const bool narrow = dump.partial || command_has(dump, "dev") || command_has(dump, "vid") || dump.command.empty();
  put(node.host.bridged_vlans, std::move(all), narrow || !whole, {dump.source, 0});
}

void load_next_hops(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<host::NextHopObject> all;
  const bool whole = read<parse_bridge_line, object_entries>(dump, report, [&](const Entry& e) {
    if (auto object = lower_next_hop(e, {dump.source, e.line})) all.push_back(std::move(*object));
  });
  put(node.host.next_hop_objects, std::move(all), !whole || is_narrow(dump), {dump.source, 0});
}

constexpr Format table_of(std::string_view kind, std::string_view command, Recognition (*recognise)(const Dump&),
                          void (*load)(const Dump&, cluster::Cluster&, cluster::Node&, Report&) = load_nothing) {
  return {kind, command, recognise, reprint<parse_bridge_line, false>, objects_to_json, load};
}

constexpr Format kFormats[] = {
    {"ip rule", "ip rule", recognise_rules, reprint<parse_rule_line, false>, rules_to_json, load_rules},
    {"ip route", "ip route show table all", recognise_routes, reprint<parse_route_line, false>, routes_to_json, load_routes},
    {"ip neigh", "ip neigh", recognise_neighbours, reprint<parse_neighbour_line, false>, neighbours_to_json, load_neighbours},
    {"ip addr", "ip addr", recognise_addr, reprint<parse_link_line, true>, links_to_json<true>, load_links},
    {"ip link", "ip -d link", recognise_link, reprint<parse_link_line, true>, links_to_json<false>, load_links},
    table_of("bridge vlan", "bridge -d vlan show", recognise_bridge_vlans, load_bridged_vlans),
    table_of("bridge vni", "bridge vni show", recognise_vnis),
    table_of("bridge fdb", "bridge fdb show", recognise_forwarding),
    table_of("ip nexthop", "ip nexthop show", recognise_next_hops, load_next_hops),
};

}  // namespace

std::span<const Format> iproute2_formats() { return kFormats; }

}  // namespace egt::parsers
