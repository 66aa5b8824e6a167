// vtysh -c "show ip bgp" and "show bgp ipv4 unicast" (FRR, bgpd/bgp_route.c: the table of routes).
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "egtrace/base/text.h"
#include "frr/formats.h"
#include "support/lines.h"

namespace egt::parsers::frr {
namespace {

using Json = nlohmann::ordered_json;

// A row as words with the blanks in front of them, so that it prints back as it was.
struct Word {
  std::size_t blanks = 0;
  std::string text;
  std::size_t end = 0;
};  // end: column behind it
struct BgpRow {
  std::string status;  // "*>i", "*=i"; empty on the second line of a long network
  std::vector<Word> words;
  std::string network;  // empty: that of the row above
  std::string next_hop, metric, local_preference, weight, path, origin;
};

// Where the heading's columns end.
struct Columns {
  std::size_t next_hop = 0, metric = 0, local_preference = 0, weight = 0;
  bool known = false;
};

std::optional<Columns> columns_of(std::string_view line) {
  const std::size_t network = line.find("Network"), hop = line.find("Next Hop"), metric = line.find("Metric"),
                    pref = line.find("LocPrf"), weight = line.find("Weight"), path = line.find("Path");
  for (const std::size_t at : {network, hop, metric, pref, weight, path})
    if (at == std::string_view::npos) return std::nullopt;
  return Columns{hop, metric + 6, pref + 6, weight + 6, true};
}

bool is_status(std::string_view s) {
  return std::all_of(s.begin(), s.end(),
                     [](char c) { return std::string_view("sdhruSR*>=i NVI").find(c) != std::string_view::npos; });
}

std::vector<Word> words_with_blanks(std::string_view text, std::size_t at) {
  std::vector<Word> words;
  while (at < text.size()) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) {
      words.push_back({text.size() - at, "", text.size()});
      break;
    }
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    words.push_back({begin - at, std::string(text.substr(begin, end - begin)), end});
    at = end;
  }
  return words;
}

bool is_number(std::string_view s) { return !s.empty() && std::all_of(s.begin(), s.end(), is_digit); }

// What follows the network: next hop, up to three numbers by their columns, the AS path, the origin.
bool read_paths(BgpRow& row, std::size_t from, const Columns& columns) {
  std::size_t i = from;
  while (i < row.words.size() && row.words[i].text.empty()) ++i;
  if (i == row.words.size()) return row.words.size() > 0 && !row.network.empty();  // continued on the next line
  if (!IpAddr::parse(row.words[i].text.substr(0, row.words[i].text.find('@'))) &&
      row.words[i].text.find('<') == std::string::npos)
    return false;
  row.next_hop = row.words[i++].text;
  for (; i < row.words.size() && is_number(row.words[i].text) && row.words[i].end <= columns.weight + 1; ++i) {
    const std::size_t end = row.words[i].end;
    if (end <= columns.metric)
      row.metric = row.words[i].text;
    else if (end <= columns.local_preference)
      row.local_preference = row.words[i].text;
    else
      row.weight = row.words[i].text;
  }
  for (; i < row.words.size(); ++i) {
    const std::string& word = row.words[i].text;
    if (i + 1 == row.words.size() && (word == "i" || word == "e" || word == "?"))
      row.origin = word;
    else if (!word.empty())
      row.path += (row.path.empty() ? "" : " ") + word;
  }
  return true;
}

std::optional<BgpRow> parse_row(std::string_view line, const Columns& columns) {
  if (!columns.known || line.empty()) return std::nullopt;
  BgpRow row;
  if (line.starts_with("                    ")) {
    row.words = words_with_blanks(line, 0);
    return read_paths(row, 0, columns) ? std::optional(row) : std::nullopt;
  }
  // The status is as wide as the heading's margin; a network follows it at once.
  std::size_t width = 0;
  while (width < 6 && width < line.size() && is_status(line.substr(width, 1))) ++width;
  if (width < 2 || line.substr(0, width).find_first_of("*sdhrSR") == std::string_view::npos) return std::nullopt;
  row.status = line.substr(0, width);
  row.words = words_with_blanks(line, width);
  if (row.words.empty()) return std::nullopt;
  const std::string& first = row.words.front().text;
  const bool network = Prefix::parse(first).has_value() &&
                       (row.words.front().blanks == 0 && row.words.front().end <= columns.next_hop + first.size()) &&
                       (first.find('/') != std::string::npos || width + row.words.front().blanks + 8 < columns.next_hop);
  if (network) row.network = first;
  return read_paths(row, network ? 1 : 0, columns) ? std::optional(row) : std::nullopt;
}

std::string print_row(const BgpRow& row) {
  std::string s = row.status;
  for (const Word& w : row.words) {
    s.append(w.blanks, ' ');
    s += w.text;
  }
  return s;
}

bool is_ignored(std::string_view line) {
  static constexpr std::string_view kBegins[] = {"BGP table version",
                                                 "Default local pref",
                                                 "Status codes",
                                                 "Nexthop codes",
                                                 "Origin codes",
                                                 "RPKI validation",
                                                 "Displayed",
                                                 "Total number",
                                                 "For address family",
                                                 "#",
                                                 "     "};
  return trim(line).empty() ||
         std::any_of(std::begin(kBegins), std::end(kBegins), [&](std::string_view b) { return line.starts_with(b); });
}

template <class Take>
void read_rows(const Dump& dump, Report& report, Take take) {
  LineReport lines(dump, report);
  LineReader reader(dump);
  Columns columns;
  for (Line line; reader.next(line);) {
    std::optional<BgpRow> row;
    if (const auto heading = columns_of(line.text)) {
      columns = *heading;
      lines.ignored();
    } else if ((row = parse_row(line.text, columns))) {
      lines.understood();
    } else if (is_ignored(line.text)) {
      lines.ignored();
    } else {
      lines.not_understood(line, 1, "no row of BGP's table");
    }
    take(line, row);
  }
}

Recognition recognise(const Dump& dump) {
  const std::string_view head = dump.text.substr(0, 4000);
  const bool version = head.find("BGP table version is ") != std::string_view::npos;
  const bool columns =
      head.find("Network") != std::string_view::npos && head.find("LocPrf Weight Path") != std::string_view::npos;
  if (!columns) return {};
  return {version ? 97 : 85, "frr bgp", dump.partial ? 20 : 90};
}

void reprint(const Dump& dump, std::string& out, Report& report) {
  read_rows(dump, report, [&](const Line& line, const std::optional<BgpRow>& row) {
    const std::string printed = row ? print_row(*row) : std::string();
    out += row && printed == line.text ? std::string_view(printed) : line.text;
    out += line.end;
  });
}

void to_json(const Dump& dump, std::string& out, Report& report) {
  Json document{{"paths", Json::array()}};
  std::string network;
  read_rows(dump, report, [&](const Line&, const std::optional<BgpRow>& row) {
    if (!row) return;
    if (!row->network.empty()) network = row->network;
    if (row->next_hop.empty()) return;
    document["paths"].push_back({{"status", std::string(trim(row->status))},
                                 {"network", network},
                                 {"next_hop", row->next_hop},
                                 {"metric", row->metric},
                                 {"local_preference", row->local_preference},
                                 {"weight", row->weight},
                                 {"path", row->path},
                                 {"origin", row->origin}});
  });
  out += document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// The heading shows the number of the VRF, which is that of its device: "#7"; empty for the default one.
std::string vrf_of(std::string_view text) {
  std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t at = line.find(", vrf id ");
  const auto id = at == std::string_view::npos ? std::nullopt : parse_decimal(trim(line.substr(at + 9)));
  return id.value_or(0) == 0 ? std::string() : fmt::format("#{}", *id);
}

void load(const Dump& dump, cluster::Cluster&, cluster::Node& node, Report& report) {
  std::vector<BgpPath> paths;
  std::optional<Prefix> network;
  std::string status;
  const std::string vrf = vrf_of(dump.text);
  read_rows(dump, report, [&](const Line& line, const std::optional<BgpRow>& row) {
    if (!row) return;
    if (!row->network.empty()) network = Prefix::parse(row->network);
    if (!row->status.empty()) status = row->status;
    const auto via = IpAddr::parse(row->next_hop);
    const bool used = status.find('>') != std::string::npos || status.find('=') != std::string::npos;
    const bool internal = status.find('i') != std::string::npos;
    const bool refused = status.find('r') != std::string::npos;
    if (network && via && used) paths.push_back({*network, *via, internal, vrf, {dump.source, line.number}, refused});
  });
  put_bgp(node, paths);
}

}  // namespace

void put_bgp(cluster::Node& node, const std::vector<BgpPath>& paths) {
  std::vector<host::DaemonRoute>& offers = node.host.routing_daemon.offers;
  const std::size_t first = offers.size();
  for (const BgpPath& path : paths) {
    if (path.next_hop.is_unspecified()) continue;  // this router's own network
    host::NextHop hop{path.next_hop, "", 1, false, false, false};
    if (path.refused) hop.via.reset();
    if (offers.size() > first && offers.back().route.to == path.to.network()) {  // the paths of a prefix stand together
      offers.back().route.next_hops.push_back(hop);
      continue;
    }
    host::DaemonRoute d;
    d.vrf = path.vrf;
    d.bgp = path.internal ? host::BgpPeer::internal : host::BgpPeer::external;
    d.route.family = path.to.address.family;
    d.route.to = path.to.network();
    d.route.protocol = "bgp";
    d.route.from = path.from;
    d.route.next_hops.push_back(hop);
    offers.push_back(std::move(d));
  }
}

const Format& bgp_text_format() {
  static const Format format{"vtysh show ip bgp", "vtysh -c 'show ip bgp'", recognise, reprint, to_json, load};
  return format;
}

}  // namespace egt::parsers::frr
