#include "lookup/object_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "lookup/address_words.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

constexpr std::array<std::string_view, 6> kHostKinds = {"ip rule",        "ip route",    "iptables-save",
                                                        "ip6tables-save", "iptables -S", "nft list ruleset"};

bool is_of_netfilter(std::string_view kind) {
  return kind.starts_with("ip6tables") || kind.starts_with("iptables") || kind.starts_with("nft");
}

bool is_nft_block(std::string_view line) {
  return (line.starts_with("chain ") || line.starts_with("set ") || line.starts_with("map ")) &&
         line.find(" {") != std::string_view::npos;
}

// The word behind `before`.
std::string_view word_behind(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return {};
  std::string_view rest = line.substr(at + before.size());
  return trim(take_until(rest, ' '));
}

// "--dport 31999" of iptables, "dport 31999" of nft.
bool names_port(std::string_view line, const std::set<std::uint16_t>& ports) {
  for (std::size_t at = line.find("dport"); at != std::string_view::npos; at = line.find("dport", at + 1))
    for (const std::string_view word : words(line.substr(at)))
      if (const auto number = parse_decimal(word)) {
        if (*number <= 65535 && ports.contains(static_cast<std::uint16_t>(*number))) return true;
        break;
      }
  return false;
}

bool names_any(std::string_view line, const LineWords& wanted) {
  return (!wanted.addresses.empty() && any_address(line, [&](const IpAddr& a) { return wanted.addresses.contains(a); })) ||
         (!wanted.ports.empty() && names_port(line, wanted.ports)) ||
         std::any_of(wanted.names.begin(), wanted.names.end(), [&](const std::string& name) { return mentions(line, name); });
}

// The table that a policy rule leads to, where that is one of its own.
std::string own_table(std::string_view rule) {
  const std::string_view table = word_behind(rule, " lookup ");
  return table == "main" || table == "local" || table == "default" ? std::string() : std::string(table);
}

}  // namespace

ObjectLines::ObjectLines(const cluster::Cluster& cluster, const Asked& asked, MatchList& matches)
    : cluster_(cluster), matches_(matches) {
  for (const AskedObject& s : asked.objects) {
    wanted_.addresses.insert(s.addresses.begin(), s.addresses.end());
    wanted_.addresses.insert(s.senders.begin(), s.senders.end());
    wanted_.ports.insert(s.ports.begin(), s.ports.end());
    if (s.kind == ObjectKind::service || s.kind == ObjectKind::egress_service) wanted_.names.insert(s.name);
  }
  if (const auto port = asked.term.as_port()) port_.insert(*port);
}

void ObjectLines::find_tables(const cluster::DumpInfo& dump) {
  if (dump.kind != "ip rule" || !dump.superseded_by.empty()) return;
  for (std::string_view rest = cluster_.sources->at(dump.source).text; !rest.empty();) {
    const std::string_view line = next_line(rest);
    if (!names_any(line, wanted_)) continue;
    if (std::string table = own_table(line); !table.empty()) own_tables_.insert({dump.node, std::move(table)});
  }
}

void ObjectLines::find(const cluster::DumpInfo& dump) {
  const bool is_host = std::find(kHostKinds.begin(), kHostKinds.end(), dump.kind) != kHostKinds.end();
  if (!is_host || !dump.superseded_by.empty()) return;
  const bool is_nft = dump.kind.starts_with("nft"), has_chains = is_of_netfilter(dump.kind), is_routes = dump.kind == "ip route";
  const Source& source = cluster_.sources->at(dump.source);
  std::uint32_t number = source.first_line, found = 0;
  std::string chain;
  LookupMatch* match = nullptr;
  for (std::string_view rest = source.text; !rest.empty(); ++number) {
    const std::string_view line = trim(next_line(rest));
    if (is_nft && is_nft_block(line)) chain = std::string(line.substr(0, line.find(" {")));
    const auto by_table = [&] {
      return is_routes && own_tables_.contains({dump.node, std::string(word_behind(line, " table "))});
    };
    if (!names_any(line, wanted_) && !(has_chains && names_port(line, port_)) && !by_table()) continue;
    if (found++ == 0)
      match = &matches_.add(phrase(Found::lines, {lines_of(dump.kind)}), dump.path, cluster_.node(dump.node), {}, {});
    match->has_lines = true;
    matches_.use(*match, fmt::format("{}{}{}", chain, chain.empty() ? "" : ": ", line), {dump.source, number});
  }
  if (match != nullptr) match->facts.emplace_back("lines", std::to_string(found));
}

}  // namespace egt::explain
