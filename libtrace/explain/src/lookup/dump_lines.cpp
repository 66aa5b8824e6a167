// Where an address stands in what the kernel and routing daemons decide by: rules, routes, connections, sets. Lines are
// looked at as they were printed, so that whatever a format knows of them, none is skipped.
#include "lookup/dump_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "egtrace/base/text.h"
#include "in_pieces.h"
#include "lookup/address_words.h"
#include "phrases/lookups.h"

namespace egt::explain {
namespace {

// "10.0.0.1-10.0.0.9" of nft, iptables and ipset.
bool is_in_range(std::string_view word, const IpAddr& address) {
  const std::size_t dash = word.find('-');
  if (dash == std::string_view::npos) return false;
  const auto first = IpAddr::parse(word.substr(0, dash)), last = IpAddr::parse(word.substr(dash + 1));
  return first && last && first->is_v4() == address.is_v4() && last->is_v4() == address.is_v4() &&
         first->value <= address.value && address.value <= last->value;
}

// Prefixes that hold everything show nothing of the one.
bool holds(std::string_view word, const IpAddr& address) {
  if (is_in_range(word, address)) return true;
  if (word.find('/') == std::string_view::npos) return false;
  const auto prefix = Prefix::parse(word);
  return prefix && prefix->length > 0 && prefix->contains(address);
}

bool line_holds(std::string_view line, const IpAddr& address) {
  return any_address_word(line, [&](std::string_view word) { return holds(word, address); });
}

}  // namespace

void DumpLines::find(const cluster::DumpInfo& dump) {
  const std::string_view lines = lines_of(dump.kind);
  if (!term_.address || term_.port || lines.empty() || !dump.superseded_by.empty()) return;
  const Source& source = cluster_.sources->at(dump.source);
  const std::string address = term_.address->to_string();
  std::uint32_t line = source.first_line, found = 0;
  LookupMatch* match = nullptr;
  for (std::string_view rest = source.text; !rest.empty(); ++line) {
    const std::string_view text = next_line(rest);
    const bool named = mentions(text, address);
    if (!named && !line_holds(text, *term_.address)) continue;
    if (found++ == 0) match = &matches_.add(phrase(Found::lines, {lines}), dump.path, cluster_.node(dump.node), {}, {});
    match->has_lines = true;
    matches_.use(*match, named ? "names it" : "holds it", {dump.source, line});
  }
  if (match != nullptr) match->facts.emplace_back("lines", std::to_string(found));
}

void DumpLines::find_logical_flows(const cluster::Node& node) {
  if (!term_.address || term_.port) return;
  const std::string address = term_.address->to_string();
  std::uint32_t found = 0;
  LookupMatch* match = nullptr;
  const auto names_it = [&](const ovn::LogicalFlow& f) { return mentions(f.match, address) || mentions(f.actions, address); };
  for (const ovn::LogicalFlow* f : wanted_of(node.ovn.logical_flows, names_it)) {
    if (found++ == 0) match = &matches_.add(phrase(Found::logical_flows), address, &node, {}, {});
    matches_.use(*match, fmt::format("{} {} priority {}: {}", f->stage, f->uuid.substr(0, 8), f->priority, f->match), f->from);
  }
  if (match != nullptr) match->facts.emplace_back("logical flows", std::to_string(found));
}

}  // namespace egt::explain
